//! The API's objects: the snapshot with an overlay of what was written since.

use super::Held;
use crate::model::{Kind, PersistentVolume, PersistentVolumeClaim, ReclaimPolicy, Str, Timestamp};
use crate::snapshot::{Absence, ClaimId, Snapshot, VolumeId};
use std::sync::Arc;

/// A read that a decision made, as RBAC names it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Need {
    /// `get` or `list`.
    pub verb: &'static str,
    /// The kind that was read.
    pub kind: Kind,
    /// The namespace; empty for kinds that have none.
    pub namespace: Str,
}

/// The API's objects at one moment of a simulation. Cloning copies only the overlay.
#[derive(Clone, Debug)]
pub struct World<'s> {
    snapshot: &'s Snapshot,
    volumes: Vec<(VolumeId, Option<Arc<PersistentVolume>>)>,
    claims: Vec<(ClaimId, Option<Arc<PersistentVolumeClaim>>)>,
    /// The volumes whose storage the controller has deleted, whether the objects are still there or not.
    destroyed: Vec<VolumeId>,
    /// The volumes for which the controller has started a pod that scrubs them.
    scrubbing: Vec<VolumeId>,
    /// Only what the overlay holds exists.
    focused: bool,
}

impl<'s> World<'s> {
    /// The world as it was read.
    pub fn new(snapshot: &'s Snapshot) -> Self {
        Self {
            snapshot,
            volumes: Vec::new(),
            claims: Vec::new(),
            destroyed: Vec::new(),
            scrubbing: Vec::new(),
            focused: false,
        }
    }

    /// A world without any volume or claim, to which the few of interest are added.
    pub fn focused(snapshot: &'s Snapshot) -> Self {
        Self { focused: true, ..Self::new(snapshot) }
    }

    /// Whether only what was added exists.
    pub fn is_focused(&self) -> bool {
        self.focused
    }

    /// What the world was read from: classes, pods and nodes never change in a simulation.
    pub fn snapshot(&self) -> &'s Snapshot {
        self.snapshot
    }

    /// A volume, if it exists now.
    pub fn volume(&self, id: VolumeId) -> Option<Held<'s, PersistentVolume>> {
        match self.volumes.binary_search_by_key(&id, |(changed, _)| *changed) {
            Ok(at) => self.volumes[at].1.clone().map(Held::Written),
            Err(_) if !self.focused && (id.0 as usize) < self.snapshot.volumes().len() => {
                Some(Held::Base(self.snapshot.volume(id)))
            }
            Err(_) => None,
        }
    }

    /// A claim, if it exists now.
    pub fn claim(&self, id: ClaimId) -> Option<Held<'s, PersistentVolumeClaim>> {
        match self.claims.binary_search_by_key(&id, |(changed, _)| *changed) {
            Ok(at) => self.claims[at].1.clone().map(Held::Written),
            Err(_) => (!self.focused).then(|| Held::Base(self.snapshot.claim(id))),
        }
    }

    /// The id of the volume of that name, whether it still exists or not.
    pub fn volume_id(&self, name: &str) -> Option<VolumeId> {
        self.snapshot.volume_id(name).or_else(|| {
            let created = self.volumes.partition_point(|(id, _)| (id.0 as usize) < self.snapshot.volumes().len());
            self.volumes[created..]
                .iter()
                .find(|(_, volume)| volume.as_ref().is_some_and(|volume| volume.meta.name == name))
                .map(|(id, _)| *id)
        })
    }

    /// Whether a volume of that name, which the snapshot does not have, did certainly not exist.
    pub fn was_certainly_absent(&self, name: &str) -> bool {
        self.snapshot.coverage().absence_of(Kind::PersistentVolume, "", name) == Absence::Certain
    }

    /// The id of the claim of that name, whether it still exists or not.
    pub fn claim_id(&self, namespace: &str, name: &str) -> Option<ClaimId> {
        self.snapshot.claim_id(namespace, name)
    }

    /// The volumes that differ from the snapshot, with those that are gone and those that are new.
    pub fn changed_volumes(&self) -> &[(VolumeId, Option<Arc<PersistentVolume>>)] {
        &self.volumes
    }

    /// The claims that differ from the snapshot, with those that are gone.
    pub fn changed_claims(&self) -> &[(ClaimId, Option<Arc<PersistentVolumeClaim>>)] {
        &self.claims
    }

    /// Puts a volume in place, or takes it away.
    pub fn set_volume(&mut self, id: VolumeId, volume: Option<Arc<PersistentVolume>>) {
        match self.volumes.binary_search_by_key(&id, |(changed, _)| *changed) {
            Ok(at) => self.volumes[at].1 = volume,
            Err(free) => self.volumes.insert(free, (id, volume)),
        }
    }

    /// Puts a claim in place, or takes it away.
    pub fn set_claim(&mut self, id: ClaimId, claim: Option<Arc<PersistentVolumeClaim>>) {
        match self.claims.binary_search_by_key(&id, |(changed, _)| *changed) {
            Ok(at) => self.claims[at].1 = claim,
            Err(free) => self.claims.insert(free, (id, claim)),
        }
    }

    /// Deletes a volume as the API server does: it vanishes at once, or is marked while it has finalizers.
    pub fn delete_volume(&mut self, id: VolumeId) {
        let Some(current) = self.volume(id) else { return };
        if current.meta.finalizers.is_empty() {
            self.set_volume(id, None);
        } else if current.meta.deleted.is_none() {
            let mut marked = (*current).clone();
            marked.meta.deleted = Some(self.snapshot.now().unwrap_or(Timestamp(0)));
            marked.meta.deletion_grace_seconds = Some(0);
            marked.meta.resource_version = marked.meta.resource_version.successor();
            self.set_volume(id, Some(Arc::new(marked)));
        }
    }

    /// The volumes whose storage the controller has deleted, in order.
    pub fn destroyed(&self) -> &[VolumeId] {
        &self.destroyed
    }

    /// The volumes for which a pod that scrubs them was started, in order. It is no part of the API's objects: the pod
    /// goes on whatever becomes of the volume, and nobody knows when it is done.
    pub fn scrubbing(&self) -> &[VolumeId] {
        &self.scrubbing
    }

    /// Records that a pod that scrubs a volume was started.
    pub fn scrub_storage(&mut self, id: VolumeId) {
        if let Err(free) = self.scrubbing.binary_search(&id) {
            self.scrubbing.insert(free, id);
            self.note_change(id);
        }
    }

    /// Records that the controller has deleted the storage behind a volume.
    pub fn destroy_storage(&mut self, id: VolumeId) {
        if let Err(free) = self.destroyed.binary_search(&id) {
            self.destroyed.insert(free, id);
            self.note_change(id);
        }
    }

    /// The overlay names every volume that differs from the snapshot, also where only its data do.
    fn note_change(&mut self, id: VolumeId) {
        if let Some(Held::Base(volume)) = self.volume(id) {
            self.set_volume(id, Some(Arc::new(volume.clone())));
        }
    }

    /// Whether the volume was created since the world was recorded, also under the name of a recorded one that is gone.
    pub fn is_new(&self, id: VolumeId) -> bool {
        let recorded = self.snapshot.volumes().get(id.0 as usize);
        self.volume(id).is_some_and(|volume| recorded.is_none_or(|recorded| recorded.meta.uid != volume.meta.uid))
    }

    /// Whether an operation that was to delete a volume may delete this one, which has come in its place meanwhile: it
    /// asks for it by its name alone. Upstream: `deleteVolumeOperation`, 1.36.
    pub fn may_be_mistaken(&self, id: VolumeId) -> bool {
        let deleted = |recorded: &PersistentVolume| recorded.reclaim_policy == ReclaimPolicy::Delete;
        self.is_new(id) && self.snapshot.volumes().get(id.0 as usize).is_some_and(deleted)
    }

    /// Adds a volume that the snapshot does not have, and returns its id: that of its claim, so that it does not matter
    /// which of several is created first. It is another one only while the world has another volume under that id.
    pub fn add_volume(&mut self, volume: Arc<PersistentVolume>) -> VolumeId {
        let base = u32::try_from(self.snapshot.volumes().len()).unwrap_or(u32::MAX);
        let named = volume.claim_ref.as_ref();
        let claim = named.and_then(|named| self.claim_id(&named.namespace, &named.name));
        let own =
            claim.map(|claim| VolumeId::new(base.saturating_add(claim.0))).filter(|id| self.volume(*id).is_none());
        let id = own.unwrap_or_else(|| {
            VolumeId::new(self.volumes.last().map_or(base, |(last, _)| base.max(last.0.saturating_add(1))))
        });
        self.set_volume(id, Some(volume));
        id
    }
}
