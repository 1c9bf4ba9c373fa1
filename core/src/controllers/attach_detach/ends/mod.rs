//! How attaching ends: the VolumeAttachments of one volume and the entries of nodes, when nothing changes any more.
//!
//! The controller runs with the objects of a snapshot until nothing new happens. Only its own requests and, if they
//! take part, the attachers of the drivers change something. No kubelet unmounts a volume.

mod explore;
mod situation;

pub(super) use situation::Names;
pub use situation::Situation;

use super::operations::attachment_of;
use super::{AttachDetach, AttachState, AttachableVolume};
use crate::model::{Str, VolumeAttachment};
use crate::snapshot::Snapshot;
use crate::world::View;
use std::collections::{BTreeMap, BTreeSet};

/// Whether the attachers of the drivers take part, and what they can do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Attachers {
    /// They do nothing.
    Rest,
    /// They do what they are asked, soon or late, or never, or they fail.
    Free,
    /// They do the same, but they fail if the external attacher fails before it asks the driver: for example, if the
    /// volume is being deleted or the driver is not registered on the node.
    External,
}

/// One end of a volume.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct AttachmentEnd {
    /// The VolumeAttachments that exist, by name.
    pub records: BTreeMap<Str, RecordEnd>,
    /// The nodes whose status lists the volume as attached.
    pub listed: BTreeSet<Str>,
}

/// A VolumeAttachment at an end.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct RecordEnd {
    /// `spec.nodeName`.
    pub node: Str,
    /// `status.attached`.
    pub attached: bool,
    /// Whether the VolumeAttachment is being deleted.
    pub deleting: bool,
    /// Whether the attacher reports an error.
    pub failed: bool,
}

impl RecordEnd {
    /// Returns the state of a VolumeAttachment.
    pub fn of(record: &VolumeAttachment) -> Self {
        Self {
            node: record.node_name.clone(),
            attached: record.attached,
            deleting: record.meta.deleted.is_some(),
            failed: record.attach_error.is_some() || record.detach_error.is_some(),
        }
    }
}

/// The ends of a volume.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AttachmentEnds {
    /// The ends.
    pub ends: BTreeSet<AttachmentEnd>,
    /// Whether all of them were found.
    pub is_complete: bool,
}

/// A volume and nodes that have nothing to do with other volumes and nodes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AttachmentComponent {
    /// The unique name of the volume.
    pub volume: Str,
    /// The nodes on which the volume is wanted, or to which it is or may be attached.
    pub nodes: BTreeSet<Str>,
    /// Whether other nodes can have the volume, too. Then they are other components.
    pub is_part: bool,
}

/// The VolumeAttachments of a component.
#[derive(Clone, Debug)]
pub struct ComponentRecords<'s> {
    /// Those that exist, in the order of their names.
    pub found: Vec<&'s VolumeAttachment>,
    /// Whether each VolumeAttachment exists that the controller creates for a node of the component.
    has_each: bool,
}

impl AttachmentComponent {
    fn has(&self, node: &str) -> bool {
        !self.is_part || self.nodes.contains(node)
    }
}

impl AttachDetach {
    /// Returns the volumes that are wanted on a node, or are or may be attached to one. What happens on one node
    /// depends on the others if only one node can have the volume, or if the controller learns of the volume only when
    /// it attaches it to another node. Otherwise each node is a component.
    pub fn components(&self) -> Vec<AttachmentComponent> {
        let mut nodes: BTreeMap<Str, (BTreeSet<Str>, bool)> = BTreeMap::new();
        for ((name, node), wanted) in self.desired.all() {
            let is_unknown = !self.actual.nodes_of(&name).is_empty() && self.actual.volume(&name).is_none();
            let of_volume = nodes.entry(name).or_default();
            of_volume.0.insert(node);
            of_volume.1 |= wanted.volume.exclusive || is_unknown;
        }
        for (name, node) in self.actual.all() {
            let is_exclusive = self.actual.volume(&name).is_some_and(|volume| volume.exclusive);
            let of_volume = nodes.entry(name).or_default();
            of_volume.0.insert(node);
            of_volume.1 |= is_exclusive;
        }
        let mut all = Vec::new();
        for (volume, (nodes, is_whole)) in nodes {
            if is_whole {
                all.push(AttachmentComponent { volume, nodes, is_part: false });
            } else {
                let part =
                    |node| AttachmentComponent { volume: volume.clone(), nodes: BTreeSet::from([node]), is_part: true };
                all.extend(nodes.into_iter().map(part));
            }
        }
        all
    }

    /// Returns the ends of a component with these VolumeAttachments. If something happens, `explore` returns the ends
    /// of the situation.
    pub fn ends(
        &self,
        snapshot: &Snapshot,
        of: &AttachmentComponent,
        records: &ComponentRecords<'_>,
        explore: impl FnOnce(Situation) -> AttachmentEnds,
    ) -> AttachmentEnds {
        if self.is_at_rest(snapshot, of, records) {
            return AttachmentEnds { ends: BTreeSet::from([recorded(of, &records.found)]), is_complete: true };
        }
        let (situation, names) = self.situation(snapshot, of, &records.found);
        names.in_ends(explore(situation))
    }

    /// Returns whether the volume is attached wherever it is wanted and nowhere else, and no attacher has work.
    fn is_at_rest(&self, snapshot: &Snapshot, of: &AttachmentComponent, records: &ComponentRecords<'_>) -> bool {
        let is_attached = |node: &Str| {
            self.desired.get(&of.volume, node).is_some() && self.actual.state(&of.volume, node) == AttachState::Attached
        };
        let needs_attaching = |volume: &AttachableVolume| volume.needs_attaching(View::Snapshot(snapshot));
        let is_recorded = |record: &&VolumeAttachment| record.attached && record.meta.deleted.is_none();
        records.has_each
            && records.found.iter().all(is_recorded)
            && of.nodes.iter().all(is_attached)
            && self.actual.volume(&of.volume).is_some_and(needs_attaching)
    }

    /// Returns the VolumeAttachments of the component, in this snapshot or a later one: those of its PersistentVolumes,
    /// and those with the names that the controller gives them.
    pub fn records_of<'s>(&self, snapshot: &'s Snapshot, of: &AttachmentComponent) -> ComponentRecords<'s> {
        let known = |node: &Str| self.known(&of.volume, node);
        let (mut found, mut has_each) = (BTreeMap::new(), true);
        for name in of.nodes.iter().filter_map(|node| attachment_of(known(node), &of.volume, node)) {
            let record = snapshot.find::<VolumeAttachment>("", &name);
            has_each &= record.is_some();
            found.extend(record.map(|record| (&record.meta.name, record)));
        }
        for name in of.nodes.iter().filter_map(known).map(|volume| &volume.name) {
            let records = snapshot.attachments_of(name).filter(|record| of.has(&record.node_name));
            found.extend(records.map(|record| (&record.meta.name, record)));
        }
        ComponentRecords { found: found.into_values().collect(), has_each }
    }
}

/// Returns the end of a component in which nothing happens. The status of each node lists the volume, because the
/// volume is attached there and nobody has begun to detach it.
fn recorded(of: &AttachmentComponent, records: &[&VolumeAttachment]) -> AttachmentEnd {
    AttachmentEnd {
        records: records.iter().map(|record| (record.meta.name.clone(), RecordEnd::of(record))).collect(),
        listed: of.nodes.clone(),
    }
}
