//! The finalizers of claims and VolumeSnapshots that are sources of new volumes. Upstream:
//! `CloningProtectionController` and `SnapshotFinalizerController` of external-provisioner v6.4.0.

use super::Provisioner;
use super::data_source::{
    CLAIM, CLONE_FINALIZER, SNAPSHOT, SNAPSHOT_FINALIZER, SNAPSHOT_GROUP, of_data_source, without_finalizer,
};
use super::decision::{Act, CloneProtection};
use super::leaves::CloneBranch;
use super::sidecar::Capability;
use crate::controllers::scheduler::reads::Reads;
use crate::model::{ClaimPhase, Kind, ObjectKey, PersistentVolumeClaim, VolumeSnapshot};
use std::collections::{BTreeMap, BTreeSet};

impl<'s> Provisioner<'s> {
    /// Returns what the controller for cloning protection does with the claim. Upstream: `syncClaim`, v6.4.0.
    pub fn protect_clone(&self, claim: &PersistentVolumeClaim) -> CloneProtection {
        let (leaf, cloned_by, act, doubts) = (CloneBranch::SourceUntouched, Vec::new(), None, BTreeMap::new());
        let untouched = CloneProtection { leaf, cloned_by, act, doubts };
        if !self.sidecar.can(Capability::CloneVolume) || !claim.terminating() {
            return untouched;
        }
        let Some(finalizers) = without_finalizer(&claim.meta.finalizers, CLONE_FINALIZER) else { return untouched };
        let mut reads = Reads::new(self.view);
        let namespace = &claim.meta.namespace;
        let clones = |other: &&PersistentVolumeClaim| {
            other.meta.namespace == *namespace
                && other.status.phase == ClaimPhase::Pending
                && of_data_source(other).is_some_and(|source| source.kind == CLAIM && source.name == claim.meta.name)
        };
        let pending = reads.list::<PersistentVolumeClaim>().filter(clones);
        let cloned_by: Vec<_> = pending.map(|other| other.meta.name.clone()).collect();
        let doubts = reads.into_doubts();
        if !cloned_by.is_empty() {
            return CloneProtection { leaf: CloneBranch::SourceStillCloned, cloned_by, doubts, ..untouched };
        }
        let object = ObjectKey::of(Kind::PersistentVolumeClaim, &claim.meta);
        let act = Some(Act::Finalizers { object, finalizers });
        CloneProtection { leaf: CloneBranch::SourceReleased, act, doubts, ..untouched }
    }

    /// Returns the VolumeSnapshots from which the provisioner removes its finalizer at its regular clean-up, because no
    /// Pending claim names them as its source. Upstream: `sweepOrphanedFinalizers`, v6.4.0.
    pub fn released_snapshots(&self) -> Vec<&'s VolumeSnapshot> {
        if !self.sidecar.can(Capability::CreateDeleteSnapshot) {
            return Vec::new();
        }
        let is_pending =
            |claim: &&PersistentVolumeClaim| matches!(claim.status.phase, ClaimPhase::Pending | ClaimPhase::Empty);
        let source = |claim: &'_ PersistentVolumeClaim| {
            let source = claim.source()?;
            let is_snapshot = source.kind == SNAPSHOT && [SNAPSHOT_GROUP, ""].contains(&source.group.as_str());
            let own = claim.data_source || source.namespace.is_empty();
            let namespace = if own { &claim.meta.namespace } else { &source.namespace };
            is_snapshot.then(|| (namespace.clone(), source.name.clone()))
        };
        let used: BTreeSet<_> =
            self.view.all::<PersistentVolumeClaim>().filter(is_pending).filter_map(source).collect();
        let is_released = |snapshot: &&VolumeSnapshot| {
            snapshot.meta.has_finalizer(SNAPSHOT_FINALIZER)
                && !used.contains(&(snapshot.meta.namespace.clone(), snapshot.meta.name.clone()))
        };
        self.view.all::<VolumeSnapshot>().filter(is_released).collect()
    }
}
