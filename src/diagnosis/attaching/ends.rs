//! How the attachments of volumes end, as `predict --attachments` shows it.

use super::Attachments;
use crate::controllers::attach_detach::{
    AttachDetach, Attachers, AttachmentComponent, AttachmentEnd, AttachmentEnds, RecordEnd, Situation,
};
use crate::model::{PersistentVolume, Str};
use std::collections::BTreeSet;
use std::sync::PoisonError;

/// A situation whose ends were found.
#[derive(Debug)]
pub(super) struct Explored {
    situation: Situation,
    attachers: Attachers,
    ends: AttachmentEnds,
}

/// How the attachments of a volume end.
#[derive(Clone, Debug)]
pub struct ComponentEnds {
    /// The name of the PersistentVolume. It is empty if the controller knows only the unique name.
    pub volume: Str,
    /// The name of the volume in the status of nodes.
    pub unique_name: Str,
    /// The nodes on which the volume is wanted, or to which it is or may be attached.
    pub nodes: BTreeSet<Str>,
    /// The VolumeAttachments and the entries of nodes now.
    pub now: AttachmentEnd,
    /// The ends. The value is `None` if too many are possible.
    pub ends: Option<BTreeSet<AttachmentEnd>>,
    /// Whether every end can really happen. It is false if the ends depend on what the controller remembers.
    pub exact: bool,
}

impl ComponentEnds {
    /// Returns whether something may change.
    pub fn changes(&self) -> bool {
        self.ends.as_ref().is_none_or(|ends| ends.iter().any(|end| *end != self.now))
    }
}

impl Attachments<'_> {
    /// Returns the volumes and nodes whose attachments depend on each other.
    pub fn components(&self) -> Vec<AttachmentComponent> {
        let [_, lasting] = self.memories();
        lasting.components()
    }

    /// Returns the name of the PersistentVolume of a component. It is empty if the controller does not know it.
    pub fn volume_of(&self, of: &AttachmentComponent) -> Str {
        let [_, lasting] = self.memories();
        let known = of.nodes.iter().find_map(|node| lasting.known(&of.volume, node));
        known.map(|volume| volume.name.clone()).unwrap_or_default()
    }

    /// Returns whether the claim of the PersistentVolume of this name is in the namespace.
    pub fn is_in(&self, volume: &str, namespace: &str) -> bool {
        let volume = self.snapshot.find::<PersistentVolume>("", volume);
        volume.and_then(|volume| volume.claim_ref.as_ref()).is_some_and(|claim| claim.namespace == namespace)
    }

    /// Returns the ends of a situation. They are found only once, because many volumes can have the same situation.
    fn explored(&self, situation: Situation, attachers: Attachers) -> AttachmentEnds {
        let known = || self.explored.lock().unwrap_or_else(PoisonError::into_inner);
        let is_same = |one: &&Explored| one.attachers == attachers && one.situation == situation;
        if let Some(same) = known().iter().find(is_same) {
            return same.ends.clone();
        }
        let ends = situation.ends(attachers);
        known().push(Explored { situation, attachers, ends: ends.clone() });
        ends
    }

    /// Returns how the attachments of a component end.
    pub fn ends(&self, of: &AttachmentComponent, attachers: Attachers) -> ComponentEnds {
        let found = self.memories().each_ref().map(|memory: &AttachDetach| {
            let records = memory.records_of(self.snapshot, of);
            (memory.ends(self.snapshot, of, &records, |situation| self.explored(situation, attachers)), records)
        });
        let [(fresh, _), (lasting, records)] = &found;
        let nodes = of.nodes.iter().filter_map(|node| self.snapshot.node(node));
        let listing = nodes.filter(|node| node.volumes_attached.contains(&of.volume));
        let is_complete = fresh.is_complete && lasting.is_complete;
        ComponentEnds {
            volume: self.volume_of(of),
            unique_name: of.volume.clone(),
            nodes: of.nodes.clone(),
            now: AttachmentEnd {
                records: records.found.iter().map(|record| (record.meta.name.clone(), RecordEnd::of(record))).collect(),
                listed: listing.map(|node| node.meta.name.clone()).collect(),
            },
            exact: fresh.ends == lasting.ends,
            ends: is_complete.then(|| fresh.ends.union(&lasting.ends).cloned().collect()),
        }
    }
}
