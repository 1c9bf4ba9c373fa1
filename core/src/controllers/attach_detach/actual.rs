//! The actual state: which volumes are attached to which nodes, as the controller knows it. Upstream:
//! `cache/actual_state_of_world.go`, 1.36.

use super::ends::Names;
use super::{AttachableVolume, Moment, VolumeOnNode};
use crate::model::Str;
use std::collections::{BTreeMap, BTreeSet};

/// What the controller knows about attached volumes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Actual {
    volumes: BTreeMap<Str, Attached>,
    /// The volumes that each node may have mounted.
    in_use: BTreeMap<Str, BTreeSet<Str>>,
    reports: BTreeMap<Str, Report>,
}

/// A volume that is or may be attached to some node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Attached {
    /// The volume. It is not known if only the status of a node names the volume.
    pub(super) volume: Option<AttachableVolume>,
    nodes: BTreeMap<Str, OnNode>,
}

/// How a volume is attached to a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct OnNode {
    /// Whether the volume is certainly attached. Otherwise it may be attached.
    confirmed: bool,
    /// When the controller wanted to detach the volume for the first time since a pod needed it.
    detach_requested: Option<Moment>,
}

/// What the status of a node should list as attached.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Report {
    is_due: bool,
    volumes: BTreeSet<Str>,
}

/// Whether a volume is attached to a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AttachState {
    /// The volume is attached.
    Attached,
    /// An operation failed, so that the volume may be attached.
    Uncertain,
    /// The volume is not attached.
    Detached,
}

impl Actual {
    /// Returns what is known about this volume and these nodes alone, without names.
    pub(super) fn only(&self, names: &Names) -> Self {
        let mut volumes = BTreeMap::new();
        if let Some(attached) = self.volumes.get(names.volume()) {
            let on_node = |(node, number): (&Str, &Str)| Some((number.clone(), *attached.nodes.get(node)?));
            let nodes: BTreeMap<Str, OnNode> = names.nodes().filter_map(on_node).collect();
            if !nodes.is_empty() {
                let volume = attached.volume.as_ref().map(AttachableVolume::without_names);
                volumes.insert(names.unique(), Attached { volume, nodes });
            }
        }
        let only = |set: &BTreeSet<Str>| -> BTreeSet<Str> {
            set.contains(names.volume()).then(|| names.unique()).into_iter().collect()
        };
        let in_use = names.nodes().filter_map(|(node, number)| Some((number.clone(), only(self.in_use.get(node)?))));
        let reports = names.nodes().filter_map(|(node, number)| {
            let report = self.reports.get(node)?;
            Some((number.clone(), Report { is_due: report.is_due, volumes: only(&report.volumes) }))
        });
        Self { volumes, in_use: in_use.collect(), reports: reports.collect() }
    }

    /// Returns the nodes whose status lists a volume as attached.
    pub(super) fn reporting(&self) -> impl Iterator<Item = &Str> {
        self.reports.iter().filter(|(_, report)| !report.volumes.is_empty()).map(|(node, _)| node)
    }

    /// Records that the volume is attached to the node. Upstream: `MarkVolumeAsAttached`, 1.36.
    pub(super) fn set_attached(&mut self, name: &str, volume: Option<AttachableVolume>, node: &str) {
        self.add(name, volume, node, true);
        self.report(name, node);
    }

    /// Records that the volume may be attached to the node. Upstream: `MarkVolumeAsUncertain`, 1.36.
    pub(super) fn set_uncertain(&mut self, name: &str, volume: Option<AttachableVolume>, node: &str) {
        self.add(name, volume, node, false);
    }

    /// Upstream: `AddVolumeNode`, 1.36.
    fn add(&mut self, name: &str, volume: Option<AttachableVolume>, node: &str, confirmed: bool) {
        let attached =
            self.volumes.entry(name.into()).or_insert_with(|| Attached { volume: None, nodes: BTreeMap::new() });
        attached.volume = volume;
        if let Some(on_node) = attached.nodes.get_mut(node) {
            on_node.confirmed = confirmed;
        } else {
            attached.nodes.insert(node.into(), OnNode { confirmed, detach_requested: None });
            // The controller assumes that the node has the volume mounted, until the status of the node says otherwise.
            self.in_use.entry(node.into()).or_default().insert(name.into());
        }
    }

    /// Records that the volume is not attached to the node. Upstream: `DeleteVolumeNode`, 1.36.
    pub(super) fn set_detached(&mut self, name: &str, node: &str) {
        let Some(attached) = self.volumes.get_mut(name) else { return };
        attached.nodes.remove(node);
        if attached.nodes.is_empty() {
            self.volumes.remove(name);
        }
        self.report_no_longer(name, node);
    }

    /// Records which volumes the node may have mounted. Upstream: `SetVolumesMountedByNode`, 1.36.
    pub(super) fn set_in_use(&mut self, node: &str, volumes: &[Str]) {
        self.in_use.insert(node.into(), volumes.iter().cloned().collect());
    }

    /// Returns whether the node may have the volume mounted.
    pub(super) fn is_in_use(&self, name: &str, node: &str) -> bool {
        self.in_use.get(node).is_some_and(|volumes| volumes.contains(name))
    }

    /// Records that no pod needs the volume on the node. Upstream: `SetDetachRequestTime`, 1.36.
    pub(super) fn request_detach(&mut self, name: &str, node: &str, now: Moment) {
        if let Some(on_node) = self.volumes.get_mut(name).and_then(|attached| attached.nodes.get_mut(node)) {
            on_node.detach_requested.get_or_insert(now);
        }
    }

    /// Returns since how many nanoseconds the controller has wanted to detach the volume.
    pub(super) fn detach_wait(&self, name: &str, node: &str, now: Moment) -> u64 {
        let on_node = self.volumes.get(name).and_then(|attached| attached.nodes.get(node));
        on_node.and_then(|on_node| on_node.detach_requested).map_or(0, |since| now.since(since))
    }

    /// Returns the moments since which the controller wants to detach volumes.
    pub(super) fn detach_requests(&self) -> impl Iterator<Item = Moment> {
        let nodes = self.volumes.values().flat_map(|attached| attached.nodes.values());
        nodes.filter_map(|on_node| on_node.detach_requested)
    }

    /// Records that a pod needs the volume on the node. Upstream: `ResetDetachRequestTime`, 1.36.
    pub(super) fn reset_detach(&mut self, name: &str, node: &str) {
        if let Some(on_node) = self.volumes.get_mut(name).and_then(|attached| attached.nodes.get_mut(node)) {
            on_node.detach_requested = None;
        }
    }

    /// Lists the volume as attached in the status of the node. Upstream: `addVolumeToReportAsAttached`, 1.36.
    pub(super) fn report(&mut self, name: &str, node: &str) {
        if self.state(name, node) == AttachState::Detached {
            return;
        }
        let new = || Report { is_due: true, volumes: BTreeSet::new() };
        let report = self.reports.entry(node.into()).or_insert_with(new);
        if report.volumes.insert(name.into()) {
            report.is_due = true;
        }
    }

    /// Lists the volume no longer as attached in the status of the node. Upstream: `removeVolumeFromReportAsAttached`,
    /// 1.36.
    pub(super) fn report_no_longer(&mut self, name: &str, node: &str) {
        if let Some(report) = self.reports.get_mut(node)
            && report.volumes.remove(name)
        {
            report.is_due = true;
        }
    }

    /// Records that the status of the node must be written. Upstream: `SetNodeStatusUpdateNeeded`, 1.36.
    pub(super) fn report_again(&mut self, node: &str) {
        if let Some(report) = self.reports.get_mut(node) {
            report.is_due = true;
        }
    }

    /// Returns what the status of the node should list, if the status must be written, and regards it as written.
    /// Upstream: `GetVolumesToReportAttachedForNode`, 1.36.
    pub(super) fn take_report(&mut self, node: &str) -> Option<Vec<Str>> {
        let report = self.reports.get_mut(node).filter(|report| report.is_due)?;
        report.is_due = false;
        Some(report.volumes.iter().cloned().collect())
    }

    /// Returns the nodes whose status must be written.
    pub(super) fn nodes_to_report(&self) -> Vec<Str> {
        let due = self.reports.iter().filter(|(_, report)| report.is_due);
        due.map(|(node, _)| node.clone()).collect()
    }

    /// Returns whether the volume is attached to the node. Upstream: `GetAttachState`, 1.36.
    pub(super) fn state(&self, name: &str, node: &str) -> AttachState {
        match self.volumes.get(name).and_then(|attached| attached.nodes.get(node)) {
            Some(on_node) if on_node.confirmed => AttachState::Attached,
            Some(_) => AttachState::Uncertain,
            None => AttachState::Detached,
        }
    }

    /// Returns the volume, if the controller knows it and it is or may be attached to some node.
    pub(super) fn volume(&self, name: &str) -> Option<&AttachableVolume> {
        self.volumes.get(name)?.volume.as_ref()
    }

    /// Returns the volumes that are or may be attached, with the nodes.
    pub(super) fn all(&self) -> Vec<VolumeOnNode> {
        let nodes = |(name, attached): (&Str, &Attached)| {
            attached.nodes.keys().map(|node| (name.clone(), node.clone())).collect::<Vec<_>>()
        };
        self.volumes.iter().flat_map(nodes).collect()
    }

    /// Returns the volumes that are or may be attached to the node.
    pub(super) fn on(&self, node: &str) -> impl Iterator<Item = &Str> {
        self.volumes.iter().filter(move |(_, attached)| attached.nodes.contains_key(node)).map(|(name, _)| name)
    }

    /// Returns the nodes to which the volume is or may be attached.
    pub(super) fn all_nodes_of(&self, name: &str) -> impl Iterator<Item = &Str> {
        self.volumes.get(name).into_iter().flat_map(|attached| attached.nodes.keys())
    }

    /// Returns the nodes to which the volume is certainly attached. Upstream: `GetNodesForAttachedVolume`, 1.36.
    pub(super) fn nodes_of(&self, name: &str) -> Vec<Str> {
        let nodes = self.volumes.get(name).into_iter().flat_map(|attached| &attached.nodes);
        nodes.filter(|(_, on_node)| on_node.confirmed).map(|(node, _)| node.clone()).collect()
    }
}
