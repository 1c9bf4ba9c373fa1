//! The answers of the scheduler, in the terms of the scheduling framework.

use super::SchedulerReason;
use crate::model::{Kind, Str};
use crate::snapshot::Absence;
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

/// The code of a status of the scheduling framework.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Code {
    /// The pod fits.
    Success,
    /// A plugin failed.
    Error,
    /// The pod does not fit, but it could fit if other pods were removed.
    Unschedulable,
    /// The pod does not fit, and would not fit if other pods were removed.
    UnschedulableAndUnresolvable,
}

impl Code {
    /// Returns the code as upstream prints it.
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
    /// Pods with scheduling gates wait until all gates are removed.
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
    /// The number of volumes of the in-tree plugin of AWS on a node, up to 1.30.
    EbsLimits,
    /// The number of volumes of the in-tree plugin of GCE on a node, up to 1.30.
    GcePdLimits,
    /// The number of volumes of CSI drivers on a node.
    NodeVolumeLimits,
    /// The number of volumes of the in-tree plugin of Azure on a node, up to 1.30.
    AzureDiskLimits,
    /// Claims and their volumes.
    VolumeBinding,
    /// The zones of volumes.
    VolumeZone,
    /// The distribution of pods over domains.
    PodTopologySpread,
    /// Pods that have to be in the same domain as certain other pods, or in another domain.
    InterPodAffinity,
    /// Features that a pod needs and that a node has to declare.
    NodeDeclaredFeatures,
}

impl Plugin {
    /// Every modelled plugin.
    pub const ALL: [Self; 16] = [
        Self::SchedulingGates,
        Self::NodeUnschedulable,
        Self::TaintToleration,
        Self::NodeAffinity,
        Self::NodePorts,
        Self::NodeResourcesFit,
        Self::VolumeRestrictions,
        Self::EbsLimits,
        Self::GcePdLimits,
        Self::NodeVolumeLimits,
        Self::AzureDiskLimits,
        Self::VolumeBinding,
        Self::VolumeZone,
        Self::PodTopologySpread,
        Self::InterPodAffinity,
        Self::NodeDeclaredFeatures,
    ];

    /// Returns the name of the plugin.
    pub fn name(self) -> &'static str {
        match self {
            Self::SchedulingGates => "SchedulingGates",
            Self::NodeUnschedulable => "NodeUnschedulable",
            Self::TaintToleration => "TaintToleration",
            Self::NodeAffinity => "NodeAffinity",
            Self::NodePorts => "NodePorts",
            Self::NodeResourcesFit => "NodeResourcesFit",
            Self::VolumeRestrictions => "VolumeRestrictions",
            Self::EbsLimits => "EBSLimits",
            Self::GcePdLimits => "GCEPDLimits",
            Self::AzureDiskLimits => "AzureDiskLimits",
            Self::NodeVolumeLimits => "NodeVolumeLimits",
            Self::VolumeBinding => "VolumeBinding",
            Self::VolumeZone => "VolumeZone",
            Self::PodTopologySpread => "PodTopologySpread",
            Self::InterPodAffinity => "InterPodAffinity",
            Self::NodeDeclaredFeatures => "NodeDeclaredFeatures",
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
    /// The reasons in upstream's order. An error has one reason.
    pub reasons: Vec<Reason>,
}

impl Status {
    pub(super) const SUCCESS: Self = Self { code: Code::Success, plugin: None, reasons: Vec::new() };

    pub(super) fn new(code: Code, plugin: Plugin, reason: impl Into<Reason>) -> Self {
        Self { code, plugin: Some(plugin), reasons: vec![reason.into()] }
    }

    /// Returns the status of a pod that does not fit, but could fit if other pods were removed.
    pub(super) fn unschedulable(plugin: Plugin, reason: impl Into<Reason>) -> Self {
        Self::new(Code::Unschedulable, plugin, reason)
    }

    /// Returns the status of a pod that does not fit, and would not fit if other pods were removed.
    pub(super) fn unresolvable(plugin: Plugin, reason: impl Into<Reason>) -> Self {
        Self::new(Code::UnschedulableAndUnresolvable, plugin, reason)
    }

    /// Returns the status of a plugin whose `Filter` fails.
    pub(super) fn filter_error(plugin: Plugin, error: &str) -> Self {
        Self::new(Code::Error, plugin, format!("running {:?} filter plugin: {error}", plugin.name()))
    }

    /// Returns the status of a plugin whose `PreFilter` fails.
    pub(super) fn pre_filter_error(plugin: Plugin, error: &str) -> Self {
        Self::new(Code::Error, plugin, format!("running PreFilter plugin {:?}: {error}", plugin.name()))
    }
}

/// What the scheduler decides about one node, and what `Reserve` does if the pod fits.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Verdict {
    /// The status of the node.
    pub status: Status,
    /// The volumes that are chosen for waiting claims, in the order in which the scheduler writes and checks them.
    pub bindings: Vec<Binding>,
    /// The names of the claims for which volumes have to be provisioned on this node, in the same order. If the pod
    /// mounts a claim twice, its name can be listed twice.
    pub provisions: Vec<Str>,
}

impl Verdict {
    /// Returns whether the pod fits the node.
    pub fn fits(&self) -> bool {
        self.status.code == Code::Success
    }
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
    /// Whether `Reserve` changes the volume in the scheduler's memory, and `PreBind` changes it in the API. Nothing is
    /// changed if the claimRef already names the claim with its uid.
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

impl NodeVerdicts {
    /// Returns whether the pod fits the node in every order of the volumes.
    pub fn fits(&self) -> bool {
        self.verdicts.iter().all(Verdict::fits)
    }

    /// Returns whether the pod fits the node in some order of the volumes.
    pub fn can_fit(&self) -> bool {
        self.verdicts.iter().any(Verdict::fits)
    }
}

/// How the scheduling cycle of a pod ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cycle {
    /// A scheduling gate keeps the pod out of the queue.
    Gated(Status),
    /// The pod is being deleted, so nothing happens. The text is the message of the event.
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
    /// Returns the reason as upstream writes it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Unschedulable => "Unschedulable",
            Self::SchedulerError => "SchedulerError",
        }
    }
}

/// What the scheduler decides about one pod. The answer assumes that no other waiting pod is scheduled before this pod.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scheduling {
    /// How the scheduling cycle ends.
    pub cycle: Cycle,
    /// The reason of the condition. It is `None` if the pod fits some node in every order of the volumes, or if the
    /// cycle ends before `PreFilter`.
    pub reason: Option<ConditionReason>,
    /// The possible messages of the condition, without what `PostFilter` adds. If the pod fits some node in some orders
    /// of the volumes, the messages are those of the other orders. If `Filter` fails on some nodes, each failure can be
    /// the message.
    pub messages: BTreeSet<String>,
    /// Whether more verdicts or messages may be possible, because there are too many orders of volumes to follow all of
    /// them.
    pub limited: bool,
    /// The kinds that the answer needs and that may not have been read completely. The value says whether an object
    /// that was not found is assumed not to exist, or whether this is unknown.
    pub doubts: BTreeMap<Kind, Absence>,
    /// The decisions about this pod that the real scheduler makes and this model does not make.
    pub not_evaluated: BTreeSet<NotEvaluated>,
}

/// A decision of a plugin that is not modelled: `DynamicResources`, which reads ResourceClaims, ResourceSlices and
/// DeviceClasses, or `DefaultPreemption`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum NotEvaluated {
    /// The pod has claims for devices. The plugin rejects nodes without such devices.
    DeviceClaims,
    /// The pod requests a resource that some node does not have. Such a node may fit if a DeviceClass names the
    /// resource.
    DeviceClasses,
    /// No node fits, and pods of lower priority are on a node that could fit without them. `DefaultPreemption` can
    /// delete these pods.
    Preemption,
}

impl Scheduling {
    /// Returns the verdicts about all nodes, sorted by name. There are none if the cycle ends before `Filter`.
    pub fn nodes(&self) -> &[NodeVerdicts] {
        match &self.cycle {
            Cycle::Nodes(nodes) => nodes,
            Cycle::Gated(_) | Cycle::Skipped(_) | Cycle::PreFilter(_) => &[],
        }
    }

    /// Returns the nodes that the pod fits in some order of the volumes. Scores decide which of these nodes gets the
    /// pod. If a plugin fails on one node, no node gets the pod, and the list is empty.
    pub fn candidates(&self) -> impl Iterator<Item = &NodeVerdicts> {
        let fails = self.reason == Some(ConditionReason::SchedulerError);
        self.nodes().iter().filter(move |node| !fails && node.can_fit())
    }

    /// Returns whether no node fits the pod, in every order of the volumes. If a plugin fails, the result is false.
    pub fn is_rejected(&self) -> bool {
        self.reason == Some(ConditionReason::Unschedulable) && self.candidates().next().is_none()
    }

    /// Returns whether the real scheduler certainly decides the same: every kind was read completely, every order of
    /// the volumes was followed, and every plugin that decides about the pod is modelled.
    pub fn is_certain(&self) -> bool {
        self.doubts.is_empty() && !self.limited && self.not_evaluated.is_empty()
    }
}
