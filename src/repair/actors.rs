//! The moves of others in the safety model of a plan: drivers, tenants, StatefulSets, people who apply manifests, the
//! scheduler and the garbage collector. Each function returns the moves that are possible in a state, with the state
//! after each move.

use super::guards::may_apply_delete;
use super::involved::STRANGER;
use super::overlay::delete;
use super::plan::Plan;
use super::safety_model::{SafetyModel, State};
use super::situation::{Manifests, volume_key};
use super::write::Seen;
use crate::controllers::persistent_volume::binding::bind_volume_to_claim;
use crate::controllers::persistent_volume::matching::{Fit, Query};
use crate::model::{
    Kind, ObjectKey, PersistentVolume, PersistentVolumeClaim, ReclaimPolicy, StorageClass, VolumePhase,
};
use std::sync::Arc;

impl SafetyModel<'_> {
    /// Returns the moves of drivers. If a driver may have begun to delete a volume, it deletes the data and the object
    /// in one move.
    pub(super) fn drivers(&mut self, state: &State) -> Vec<(usize, State)> {
        let mut all = Vec::new();
        for place in self.volume_places() {
            if state.fates[place].doomed && !state.fates[place].destroyed {
                let mut after = *state;
                after.fates[place].destroyed = true;
                self.set_volume(&mut after, place, None);
                all.push((place, after));
            }
        }
        all
    }

    /// Returns the creations of claims by tenants, by StatefulSets and by people who apply manifests. A stranger
    /// creates a claim only if the volume for this claim is free, because otherwise the claim could only wait.
    pub(super) fn creations(&mut self, state: &State) -> Vec<(usize, State)> {
        let mut all = Vec::new();
        for number in 0..self.possible_claims.len() {
            let (place, possible_claim) = (self.possible_claims[number].0, Arc::clone(&self.possible_claims[number].1));
            let is_stranger = possible_claim.meta.namespace == STRANGER;
            let free = || {
                let named = self.snapshot.volume_id(&possible_claim.meta.name);
                named.and_then(|id| self.volume(state, id.0 as usize)).is_some_and(|volume| volume.claim_ref.is_none())
            };
            if state.objects.claims[place] == 0 && (!is_stranger || free()) {
                let mut after = *state;
                self.set_claim(&mut after, place, Some(possible_claim));
                all.push((number, after));
            }
        }
        all
    }

    /// Finds the volumes on which others act. These are the volumes whose manifests record that somebody may apply a
    /// policy other than Retain, and the volumes that the plan carries: somebody may replace them by volumes with the
    /// same names.
    pub(super) fn appear(&mut self, manifests: &Manifests, plan: &Plan) {
        let carried = plan.volumes.iter().filter_map(|carried| self.snapshot.volume_id(&carried.volume));
        self.carried = carried.map(|id| id.0 as usize).collect();
        let applies =
            |volume: &PersistentVolume| manifests.get(&volume_key(&volume.meta.name)).is_some_and(may_apply_delete);
        self.applied = self
            .snapshot
            .volumes()
            .iter()
            .enumerate()
            .filter(|(_, volume)| applies(volume))
            .map(|(at, _)| at)
            .collect();
    }

    /// Returns the moves of people who apply manifests of volumes, at any moment and any number of times. Such a move
    /// sets policy Delete again. A manifest may also set the claimRef again. This is not modelled, because it only
    /// takes the volume from a claim, and no data are lost. The guard `owner` warns about such a claimRef.
    pub(super) fn applications(&mut self, state: &State) -> Vec<(usize, State)> {
        let mut all = Vec::new();
        for place in self.applied.clone() {
            let Some(volume) = self.volume(state, place) else { continue };
            if volume.reclaim_policy == ReclaimPolicy::Delete {
                continue;
            }
            let mut applied = (**volume).clone();
            applied.reclaim_policy = ReclaimPolicy::Delete;
            let mut after = *state;
            self.set_volume(&mut after, place, Some(Arc::new(applied)));
            self.doom(&mut after);
            all.push((place, after));
        }
        all
    }

    /// Returns the replacements of volumes. Somebody may delete a volume of the plan that no claim has, and create
    /// another volume with the same name and other storage. Only volumes in `next` are considered.
    pub(super) fn makings(&mut self, state: &State, next: &[ObjectKey]) -> Vec<(usize, State)> {
        let mut all = Vec::new();
        for place in self.carried.clone() {
            let name = self.volume_name(place);
            if !next.iter().any(|object| object.kind == Kind::PersistentVolume && object.name == *name) {
                continue;
            }
            let Some(volume) = self.volume(state, place) else { continue };
            let had = volume.claim_ref.as_ref().filter(|named| !named.uid.is_empty());
            let lives = had.and_then(|named| self.snapshot.claim_id(&named.namespace, &named.name)).is_some_and(|id| {
                let claim = self.claim(state, id.0 as usize);
                claim.is_some_and(|claim| had.is_some_and(|named| named.uid == claim.meta.uid))
            });
            if state.fates[place].anew || lives || volume.status.phase == VolumePhase::Bound {
                continue;
            }
            let mut other = (**volume).clone();
            other.meta.uid = "<anew>".into();
            other.source.handle = "<anew>".into();
            other.reclaim_policy = ReclaimPolicy::Retain;
            let mut after = *state;
            after.fates[place].anew = true;
            self.set_volume(&mut after, place, Some(Arc::new(other)));
            all.push((place, after));
        }
        all
    }

    /// Marks the replaced volumes that the plan mistakes for its own volumes, because they have the same names.
    pub(super) fn mistake(&self, state: &mut State, objects: &[ObjectKey]) {
        for object in objects.iter().filter(|object| object.kind == Kind::PersistentVolume) {
            let Some(id) = self.snapshot.volume_id(&object.name) else { continue };
            let fate = &mut state.fates[id.0 as usize];
            fate.mistaken |= fate.anew;
        }
    }

    /// Returns the deletions of claims by StatefulSets and by people who apply manifests. Claims of strangers are left
    /// out, because a stranger who has a volume can do no further harm.
    pub(super) fn deletions(&mut self, state: &State) -> Vec<(usize, State)> {
        let lives = |claim: &PersistentVolumeClaim| !claim.terminating() && claim.meta.namespace != STRANGER;
        self.deleted(state, |_, claim| lives(claim))
    }

    /// Returns the deletions by the garbage collector. It deletes a claim if all owners of the claim are claims that
    /// existed at the start and are gone. An owner of another kind is assumed to exist forever, as it does without the
    /// plan. Upstream: `attemptToDeleteItem`, `pkg/controller/garbagecollector`, 1.36.
    pub(super) fn collections(&mut self, state: &State) -> Vec<(usize, State)> {
        self.deleted(state, |model, claim| {
            let gone = |uid: &str| {
                let has = |state: &State| {
                    model
                        .claim_places()
                        .any(|place| model.claim(state, place).is_some_and(|claim| claim.meta.uid == uid))
                };
                has(&model.initial) && !has(state)
            };
            let owners = claim.owners();
            !claim.terminating()
                && !owners.is_empty()
                && owners.iter().all(|owner| owner.kind == Kind::PersistentVolumeClaim.as_str() && gone(&owner.uid))
        })
    }

    fn deleted(
        &mut self,
        state: &State,
        is_meant: impl Fn(&Self, &PersistentVolumeClaim) -> bool,
    ) -> Vec<(usize, State)> {
        let mut all = Vec::new();
        for place in self.claim_places() {
            let Some(claim) = self.claim(state, place).cloned() else { continue };
            if !is_meant(self, &claim) {
                continue;
            }
            let mut after = *state;
            let left = match delete(&Seen::Claim(claim)) {
                Some(Seen::Claim(marked)) => Some(marked),
                Some(Seen::Volume(_) | Seen::Attachment(_) | Seen::Service(_)) | None => None,
            };
            self.set_claim(&mut after, place, left);
            all.push((place, after));
        }
        all
    }

    /// Returns the reservations by the scheduler for a pod that may be created at any time. For a claim whose class
    /// waits for the first consumer, the scheduler reserves any matching free volume. Then the controller finishes the
    /// binding. Upstream: `AssumePodVolumes`, `BindPodVolumes`, `pkg/scheduler/framework/plugins/volumebinding`, 1.36.
    pub(super) fn reservations(&mut self, state: &State) -> Vec<((usize, usize), State)> {
        let mut all = Vec::new();
        for claim_place in self.claim_places() {
            let Some(claim) = self.claim(state, claim_place).cloned() else { continue };
            let waits = self.snapshot.class(claim.class()).is_some_and(StorageClass::waits_for_first_consumer);
            if !waits || !claim.volume_name.is_empty() || claim.terminating() {
                continue;
            }
            let Ok(query) = Query::new(&self.settings.behavior, &claim, false) else { continue };
            for place in self.volume_places() {
                let Some(volume) = self.volume(state, place) else { continue };
                if query.fit(volume) != Fit::Free || !volume.access_modes.set().contains_all(&claim.access_modes) {
                    continue;
                }
                let Some(bound) = bind_volume_to_claim(volume, &claim) else { continue };
                let mut after = *state;
                self.set_volume(&mut after, place, Some(Arc::new(bound)));
                all.push(((place, claim_place), after));
            }
        }
        all
    }
}
