//! Finds the ends among the possible states of each object.

use super::ObjectState;
use super::growth::{ClaimSeen, Growth, Partner, claim_seen, is_taken};
use crate::controllers::persistent_volume::binding::is_volume_bound_to_claim;
use crate::controllers::persistent_volume::links::may_search;
use crate::controllers::persistent_volume::matching::Fit;
use crate::model::{Held, Kind, ObjectId};
use rustc_hash::FxHashMap;

/// For each object, the numbers of the states that are ends.
pub(super) type Ends = Vec<Vec<usize>>;

/// The worlds in which a sync of an object in one state changes nothing.
enum FixedStates {
    /// No world.
    Never,
    /// Every world. The object names no other object, or the state of the named object has no influence.
    Alone,
    /// Worlds in which the object at this place is in one of these states.
    With(usize, Vec<usize>),
}

impl Growth<'_, '_> {
    /// Returns whether a sync of the object, with any choice, changes neither the object nor the other object of the
    /// sync.
    fn leaves(&self, place: usize, number: usize, partner: Partner) -> bool {
        self.syncs(place, number, partner, false).iter().all(|after| {
            let volumes = after.changed_of().all(|(id, volume)| {
                let changed = id.into();
                let is = ObjectState::Volume(volume.map(Held::to_arc));
                self.was(changed, place, number, partner).is_none_or(|was| was.same(&is))
            });
            let claims = after.changed_of().all(|(id, claim)| {
                let changed = id.into();
                let is = ObjectState::Claim(claim.map(Held::to_arc));
                self.was(changed, place, number, partner).is_none_or(|was| was.same(&is))
            });
            volumes && claims
        })
    }

    fn was(&self, changed: ObjectId, place: usize, number: usize, partner: Partner) -> Option<&ObjectState> {
        if changed == self.objects[place].target {
            return Some(&self.objects[place].states[number]);
        }
        let (other, state) = partner.filter(|(other, _)| self.objects[*other].target == changed)?;
        Some(&self.objects[other].states[state])
    }

    /// Computes the states in which each object can stay. The function starts with all states and drops states until no
    /// state has to be dropped. A state stays if a sync changes nothing in it, and if every object that the state
    /// depends on has an end that is possible at the same time. The function assumes that every world comes to rest
    /// after the last failure, because the controllers alone never undo what they did.
    pub(super) fn ends(&self) -> Ends {
        let mut kept: Vec<Vec<bool>> = self.objects.iter().map(|object| vec![true; object.states.len()]).collect();
        let stands: Vec<Vec<FixedStates>> = (0..self.objects.len())
            .map(|place| (0..self.objects[place].states.len()).map(|number| self.stands(place, number)).collect())
            .collect();
        let mut searching: Vec<usize> = Vec::new();
        let mut naming: FxHashMap<usize, Vec<usize>> = FxHashMap::default();
        for (place, object) in self.objects.iter().enumerate() {
            let Some(claim) = object.states.first().and_then(ObjectState::claim) else { continue };
            if may_search(claim) {
                searching.push(place);
            } else if let Some(volume) = self.volume_of(claim) {
                naming.entry(volume).or_default().push(place);
            }
        }
        loop {
            let mut dropped = false;
            for (place, object) in self.objects.iter().enumerate() {
                for (number, state) in object.states.iter().enumerate() {
                    if !kept[place][number] {
                        continue;
                    }
                    let stays = match &stands[place][number] {
                        FixedStates::Never => false,
                        FixedStates::Alone => true,
                        FixedStates::With(partner, states) => states.iter().any(|state| kept[*partner][*state]),
                    };
                    let goes_together = || match state {
                        ObjectState::Volume(Some(volume)) => {
                            let free = volume.claim_ref.is_none();
                            let searching = searching.iter().filter(|_| free && !self.groups.sizes_differ);
                            let naming = naming.get(&place).into_iter().flatten();
                            searching.chain(naming).all(|claim| {
                                let ends = kept[*claim].iter().enumerate().filter(|(_, kept)| **kept);
                                let mut ends = ends.map(|(end, _)| end);
                                ends.any(|end| self.compatible(&stands, (*claim, end), (place, number)))
                            })
                        }
                        ObjectState::Claim(Some(claim)) if may_search(claim) && !self.groups.sizes_differ => {
                            self.query(claim).is_none()
                                || self.objects.iter().enumerate().all(|(other, object)| {
                                    object.target.kind == Kind::PersistentVolumeClaim
                                        || kept[other].iter().enumerate().any(|(end, kept)| {
                                            *kept && self.compatible(&stands, (place, number), (other, end))
                                        })
                                })
                        }
                        _ => true,
                    };
                    if !stays || !goes_together() {
                        kept[place][number] = false;
                        dropped = true;
                    }
                }
            }
            if !dropped {
                break;
            }
        }
        let numbers = |kept: Vec<bool>| (0..kept.len()).filter(|number| kept[*number]).collect();
        kept.into_iter().map(numbers).collect()
    }

    /// Returns whether a claim and a volume in these states can both be at rest in one world.
    fn compatible(
        &self,
        stands: &[Vec<FixedStates>],
        (claim, at): (usize, usize),
        (volume, to): (usize, usize),
    ) -> bool {
        let Some(claim_is) = self.objects[claim].states[at].claim() else { return true };
        let Some(volume_is) = self.objects[volume].states[to].volume() else { return true };
        if may_search(claim_is) {
            let open = volume_is.claim_ref.is_none() || is_volume_bound_to_claim(volume_is, claim_is);
            return !open
                || !volume_is.access_modes.set().contains_all(&claim_is.access_modes)
                || self.query(claim_is).is_none_or(|query| matches!(query.fit(volume_is), Fit::No(_)));
        }
        match &stands[claim][at] {
            FixedStates::With(partner, states) if *partner == volume => states.contains(&to),
            FixedStates::Never => false,
            FixedStates::With(..) | FixedStates::Alone => true,
        }
    }

    /// Returns the worlds in which a sync of the object in this state changes nothing: the states that the named object
    /// must have.
    fn stands(&self, place: usize, number: usize) -> FixedStates {
        let alone = |stays: bool| if stays { FixedStates::Alone } else { FixedStates::Never };
        let object = &self.objects[place];
        let partner = match &object.states[number] {
            ObjectState::Volume(None) | ObjectState::Claim(None) => return FixedStates::Alone,
            ObjectState::Volume(Some(volume)) => self.claim_of(volume),
            ObjectState::Claim(Some(claim)) if may_search(claim) => {
                if self.query(claim).is_some() {
                    return alone(self.leaves(place, number, None));
                }
                let partners = self.candidates(claim);
                return alone(partners.into_iter().any(|partner| self.leaves(place, number, partner)));
            }
            ObjectState::Claim(Some(claim)) => self.volume_of(claim),
        };
        let Some(partner) = partner else { return alone(self.leaves(place, number, None)) };
        // The sync that creates this volume may never run, so the volume may be absent.
        if self.is_created(partner) && self.leaves(place, number, None) {
            return FixedStates::Alone;
        }
        let mut seen: Vec<(ClaimSeen, bool)> = Vec::new();
        let mut taken = None;
        let mut states = Vec::new();
        for (other, state) in self.objects[partner].states.iter().enumerate() {
            let leaves = || self.leaves(place, number, Some((partner, other)));
            let stays = match &object.states[number] {
                ObjectState::Volume(Some(volume)) => {
                    let view = claim_seen(volume, state);
                    let known = seen.iter().find(|(known, _)| *known == view).map(|(_, stays)| *stays);
                    known.unwrap_or_else(|| {
                        let stays = leaves();
                        seen.push((view, stays));
                        stays
                    })
                }
                ObjectState::Claim(Some(claim)) if state.volume().is_some_and(|volume| is_taken(volume, claim)) => {
                    *taken.get_or_insert_with(leaves)
                }
                _ => leaves(),
            };
            if stays {
                states.push(other);
            }
        }
        FixedStates::With(partner, states)
    }
}
