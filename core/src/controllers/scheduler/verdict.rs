//! The answers of the scheduler, in the terms of its framework.

use super::SchedulerReason;
use crate::model::{Kind, Str};
use crate::snapshot::Absence;
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

/// `Code` of a status of the framework.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Code {
    /// The pod fits.
    Success,
    /// A plugin failed.
    Error,
    /// The pod does not fit, but would if other pods went.
    Unschedulable,
    /// The pod does not fit, whatever other pods do.
    UnschedulableAndUnresolvable,
}

impl Code {
    /// The code as upstream prints it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Success => "Success",
            Self::Error => "Error",
            Self::Unschedulable => "Unschedulable",
            Self::UnschedulableAndUnresolvable => "UnschedulableAndUnresolvable",
        }
    }
}

/// The modelled plugins, in the order of the default profile.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Plugin {
    /// Pods wait until nobody holds them back.
    SchedulingGates,
    /// Nodes that take no new pods.
    NodeUnschedulable,
    /// Taints of nodes.
    TaintToleration,
    /// The nodes that a pod selects.
    NodeAffinity,
    /// Ports of nodes.
    NodePorts,
    /// Resources of nodes.
    NodeResourcesFit,
    /// Disks and claims that only one pod may use.
    VolumeRestrictions,
    /// The number of volumes on a node.
    NodeVolumeLimits,
    /// Claims and their volumes.
    VolumeBinding,
    /// The zones of volumes.
    VolumeZone,
    /// The distribution of pods over domains.
    PodTopologySpread,
    /// Pods that are to be together, or apart.
    InterPodAffinity,
}

impl Plugin {
    /// The name of the plugin.
    pub fn name(self) -> &'static str {
        match self {
            Self::SchedulingGates => "SchedulingGates",
            Self::NodeUnschedulable => "NodeUnschedulable",
            Self::TaintToleration => "TaintToleration",
            Self::NodeAffinity => "NodeAffinity",
            Self::NodePorts => "NodePorts",
            Self::NodeResourcesFit => "NodeResourcesFit",
            Self::VolumeRestrictions => "VolumeRestrictions",
            Self::NodeVolumeLimits => "NodeVolumeLimits",
            Self::VolumeBinding => "VolumeBinding",
            Self::VolumeZone => "VolumeZone",
            Self::PodTopologySpread => "PodTopologySpread",
            Self::InterPodAffinity => "InterPodAffinity",
        }
    }
}

/// One reason of a status.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Reason {
    /// Upstream's text.
    pub text: Cow<'static, str>,
    /// The leaf, if a volume plugin gave the reason.
    pub leaf: Option<SchedulerReason>,
}

impl Reason {
    pub(super) fn of(leaf: SchedulerReason, text: impl Into<Cow<'static, str>>) -> Self {
        Self { text: text.into(), leaf: Some(leaf) }
    }
}

impl From<&'static str> for Reason {
    fn from(text: &'static str) -> Self {
        Self { text: text.into(), leaf: None }
    }
}

impl From<String> for Reason {
    fn from(text: String) -> Self {
        Self { text: text.into(), leaf: None }
    }
}

/// A status of the framework.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Status {
    /// The code.
    pub code: Code,
    /// The plugin that gave the status. It is `None` with `Success`, and for a node that `PreFilter` leaves out.
    pub plugin: Option<Plugin>,
    /// The reasons in upstream's order. An error has one.
    pub reasons: Vec<Reason>,
}

impl Status {
    pub(super) const SUCCESS: Self = Self { code: Code::Success, plugin: None, reasons: Vec::new() };

    pub(super) fn new(code: Code, plugin: Plugin, reason: impl Into<Reason>) -> Self {
        Self { code, plugin: Some(plugin), reasons: vec![reason.into()] }
    }

    /// The pod does not fit, but would if other pods went.
    pub(super) fn unschedulable(plugin: Plugin, reason: impl Into<Reason>) -> Self {
        Self::new(Code::Unschedulable, plugin, reason)
    }

    /// The pod does not fit, whatever other pods do.
    pub(super) fn unresolvable(plugin: Plugin, reason: impl Into<Reason>) -> Self {
        Self::new(Code::UnschedulableAndUnresolvable, plugin, reason)
    }

    /// `Filter` of the plugin fails.
    pub(super) fn filter_error(plugin: Plugin, error: &str) -> Self {
        Self::new(Code::Error, plugin, format!("running {:?} filter plugin: {error}", plugin.name()))
    }

    /// `PreFilter` of the plugin fails.
    pub(super) fn pre_filter_error(plugin: Plugin, error: &str) -> Self {
        Self::new(Code::Error, plugin, format!("running PreFilter plugin {:?}: {error}", plugin.name()))
    }
}

/// What the scheduler says about one node, and what `Reserve` does if the pod fits.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Verdict {
    /// The status of the node.
    pub status: Status,
    /// The volumes that are chosen for waiting claims, sorted by claim and volume.
    pub bindings: Vec<Binding>,
    /// The names of the claims that are to be provisioned for this node, sorted. A claim that the pod mounts twice can
    /// be there twice.
    pub provisions: Vec<Str>,
}

impl From<Status> for Verdict {
    fn from(status: Status) -> Self {
        Self { status, bindings: Vec::new(), provisions: Vec::new() }
    }
}

/// A volume that is chosen for a claim.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Binding {
    /// The name of the claim.
    pub claim: Str,
    /// The name of the volume.
    pub volume: Str,
    /// Whether `Reserve` changes the volume in the scheduler's memory, and `PreBind` in the API. It does not if the
    /// volume is already reserved for the claim with its uid.
    pub assumed: bool,
    /// Whether the volume gets the annotation `bound-by-controller`.
    pub bound_by_controller: bool,
}

/// The possible verdicts about one node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeVerdicts {
    /// The name of the node.
    pub node: Str,
    /// The verdicts. There are several if the order of the volumes in the scheduler's cache decides.
    pub verdicts: BTreeSet<Verdict>,
}

/// How far a pod comes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cycle {
    /// The pod does not come into the queue.
    Gated(Status),
    /// The pod is being deleted, so that nothing happens. The text is that of the event.
    Skipped(String),
    /// `PreFilter` rejects the pod on all nodes, or fails.
    PreFilter(Status),
    /// The verdicts about all nodes, sorted by name.
    Nodes(Vec<NodeVerdicts>),
}

/// The reason of the condition `PodScheduled` of a pod that finds no node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConditionReason {
    /// No node fits.
    Unschedulable,
    /// A plugin failed.
    SchedulerError,
}

impl ConditionReason {
    /// The reason as upstream writes it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Unschedulable => "Unschedulable",
            Self::SchedulerError => "SchedulerError",
        }
    }
}

/// What the scheduler says about one pod. No other pod that waits has been scheduled before it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scheduling {
    /// How far the pod comes.
    pub cycle: Cycle,
    /// The reason of the condition. It is `None` if the pod fits some node in every order of the volumes, and for a pod
    /// that does not come to `PreFilter`.
    pub reason: Option<ConditionReason>,
    /// The possible messages of the condition, without what `PostFilter` adds. If the pod fits some node in some
    /// orders, they are those of the other orders. If `Filter` fails on some nodes, each failure can be the message.
    pub messages: BTreeSet<String>,
    /// Whether there may be further verdicts or messages, because too many orders of volumes are possible.
    pub limited: bool,
    /// The kinds of which something was needed that is not certainly absent, with what their absence means.
    pub doubts: BTreeMap<Kind, Absence>,
}
