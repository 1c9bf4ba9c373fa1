//! What others do on the stage of a plan, without asking anybody: drivers, tenants, StatefulSets, whoever applies
//! manifests, the scheduler and the garbage collector. Each function gives the moves that are possible in a state, with
//! the state after each.

use super::guards::may_apply_delete;
use super::overlay::delete;
use super::participants::STRANGER;
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
    /// What drivers may do: the data of a volume that they may have begun to delete go, and the object with them.
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

    /// What tenants, StatefulSets and whoever applies manifests may create: the claim, and the state after it. A
    /// stranger comes only where some volume is free, since until then it can only wait.
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

    /// Those come who act on the volumes of the plan: who applies them, as their manifests record it, and not with
    /// policy Retain, and who makes others under their names.
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

    /// What whoever applies the manifests of volumes may do at any moment, as often as they like: policy Delete comes
    /// back. Which claim a volume names comes back as well; that takes it from a claim and loses no data, and the guard
    /// `owner` warns of it.
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

    /// What somebody may do who deletes volumes and makes others under their names: one of the plan, which no claim
    /// has, is another one from then on, with other storage. Those matter that the plan looks at next.
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

    /// Marks the volumes that the plan takes for those that it means, and that only have their names.
    pub(super) fn mistake(&self, state: &mut State, objects: &[ObjectKey]) {
        for object in objects.iter().filter(|object| object.kind == Kind::PersistentVolume) {
            let Some(id) = self.snapshot.volume_id(&object.name) else { continue };
            let fate = &mut state.fates[id.0 as usize];
            fate.mistaken |= fate.anew;
        }
    }

    /// What a StatefulSet or whoever applies manifests may delete: any claim but a stranger's, who has done all the
    /// harm that he can when he has a volume.
    pub(super) fn deletions(&mut self, state: &State) -> Vec<(usize, State)> {
        let lives = |claim: &PersistentVolumeClaim| !claim.terminating() && claim.meta.namespace != STRANGER;
        self.deleted(state, |_, claim| lives(claim))
    }

    /// What the garbage collector deletes: a claim that has owners, all of which are claims that were there at the
    /// start and are gone. An owner of another kind lives on as it does without the plan.
    /// Upstream: `attemptToDeleteItem`, `pkg/controller/garbagecollector`, 1.36.
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
                Some(Seen::Volume(_)) | None => None,
            };
            self.set_claim(&mut after, place, left);
            all.push((place, after));
        }
        all
    }

    /// What the scheduler may do for a pod that comes at any time: it reserves any free volume that fits for a claim
    /// whose class waits for the first consumer. The controller finishes the binding.
    /// Upstream: `AssumePodVolumes`, `BindPodVolumes`, `pkg/scheduler/framework/plugins/volumebinding`, 1.36.
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
