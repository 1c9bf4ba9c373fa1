//! What others do on the stage of a plan, without asking anybody: drivers, tenants, StatefulSets, whoever applies
//! manifests, the scheduler and the garbage collector. Each function gives the moves that are possible in a state, with
//! the state after each.

use super::cast::STRANGER;
use super::overlay::delete;
use super::stage::{Stage, State};
use super::write::Seen;
use crate::controllers::persistent_volume::binding::bind_volume_to_claim;
use crate::controllers::persistent_volume::matching::{Fit, Query};
use crate::model::{Kind, PersistentVolumeClaim, StorageClass};
use std::sync::Arc;

impl Stage<'_> {
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
        for number in 0..self.seats.len() {
            let (place, seat) = (self.seats[number].0, Arc::clone(&self.seats[number].1));
            let is_stranger = seat.meta.namespace == STRANGER;
            let free = || {
                let named = self.snapshot.volume_id(&seat.meta.name);
                named.and_then(|id| self.volume(state, id.0 as usize)).is_some_and(|volume| volume.claim_ref.is_none())
            };
            if state.objects.claims[place] == 0 && (!is_stranger || free()) {
                let mut after = *state;
                self.set_claim(&mut after, place, Some(seat));
                all.push((number, after));
            }
        }
        all
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
        self.deleted(state, |stage, claim| {
            let gone = |uid: &str| {
                let has = |state: &State| {
                    stage
                        .claim_places()
                        .any(|place| stage.claim(state, place).is_some_and(|claim| claim.meta.uid == uid))
                };
                has(&stage.initial) && !has(state)
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
            let Ok(query) = Query::new(&self.settings.rules, &claim, false) else { continue };
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
