//! The sound engine for everything else: the possible states of each object, grown until nothing is added.
//!
//! Objects that are alike in all that decides form a group, of which two stand for all. A sync is the controllers' own
//! code, run in a world that holds the synced object in one of its states and at most one partner in one of its own;
//! a claim that searches is run against each volume that it could find, and against none unless some volume that fits
//! is always there. No end state is missed; some that are listed may not be possible.

use super::component::{Component, may_search};
use super::decide::{Settings, Target, memory_of, run};
use super::outcome::Outcome;
use super::state::{same_claim, same_volume};
use crate::controllers::Sync;
use crate::controllers::persistent_volume::matching::{Fit, Query};
use crate::model::{PersistentVolume, PersistentVolumeClaim, Quantity};
use crate::snapshot::Snapshot;
use crate::world::{Choices, World};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Two members stand for a group: the one that is looked at, and another one.
const REPRESENTATIVES: usize = 2;

/// The outcomes of each object of a component, volumes first.
pub(super) fn fixpoint(
    snapshot: &Snapshot,
    settings: &Settings<'_>,
    component: &Component,
) -> Vec<(Target, Vec<Outcome>)> {
    let groups = Groups::new(snapshot, component);
    let mut growth = Growth::new(snapshot, settings, &groups);
    while growth.grow() {}
    let rests = growth.rests();
    component
        .objects()
        .into_iter()
        .map(|target| {
            let group = groups.of(target);
            let standing = groups.members[group][0];
            let mut outcomes: Vec<Outcome> = rests
                .get(&standing)
                .into_iter()
                .flatten()
                .flat_map(|state| growth.outcomes_of(target, state))
                .collect();
            outcomes.sort();
            outcomes.dedup();
            (target, outcomes)
        })
        .collect()
}

/// A possible state of an object.
#[derive(Clone, Debug)]
enum ObjectState {
    Volume(Option<Arc<PersistentVolume>>),
    Claim(Option<Arc<PersistentVolumeClaim>>),
}

impl ObjectState {
    fn same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Volume(None), Self::Volume(None)) | (Self::Claim(None), Self::Claim(None)) => true,
            (Self::Volume(Some(a)), Self::Volume(Some(b))) => same_volume(a, b),
            (Self::Claim(Some(a)), Self::Claim(Some(b))) => same_claim(a, b),
            _ => false,
        }
    }
}

/// The groups of alike objects of a component.
struct Groups {
    members: Vec<Vec<Target>>,
    of: FxHashMap<Target, usize>,
}

impl Groups {
    fn new(snapshot: &Snapshot, component: &Component) -> Self {
        let selecting = component.claims.iter().any(|id| snapshot.claim(*id).selector.is_some());
        let mut members: Vec<Vec<Target>> = Vec::new();
        let mut by_text: BTreeMap<String, usize> = BTreeMap::new();
        let mut of = FxHashMap::default();
        for target in component.objects() {
            let group = if let Some(text) = identity_free(snapshot, target, selecting) {
                *by_text.entry(text).or_insert_with(|| {
                    members.push(Vec::new());
                    members.len() - 1
                })
            } else {
                members.push(Vec::new());
                members.len() - 1
            };
            members[group].push(target);
            of.insert(target, group);
        }
        Self { members, of }
    }

    fn of(&self, target: Target) -> usize {
        self.of.get(&target).copied().unwrap_or(0)
    }

    fn representatives(&self) -> impl Iterator<Item = Target> {
        self.members.iter().flat_map(|members| members.iter().take(REPRESENTATIVES).copied())
    }

    /// Everyone whom an object of that group stands for.
    fn all_like(&self, target: Target) -> &[Target] {
        self.of.get(&target).map_or(&[], |group| self.members[*group].as_slice())
    }
}

/// All that decides about an object whose identity nobody refers to, as text; nothing where somebody does.
fn identity_free(snapshot: &Snapshot, target: Target, selecting: bool) -> Option<String> {
    match target {
        Target::Volume(id) => {
            let volume = snapshot.volume(id);
            let alone = volume.claim_ref.is_some() || !snapshot.claims_naming(&volume.meta.name).is_empty();
            (!alone).then(|| {
                let labels = if selecting { Some(&volume.meta.labels) } else { None };
                format!(
                    "v {:?} {:?} {:?} {:?} {:?} {:?} {:?} {:?}",
                    Snapshot::group_key(volume),
                    volume.storage().map(ToString::to_string),
                    volume.status.phase,
                    volume.terminating(),
                    volume.meta.finalizers,
                    volume.meta.annotations,
                    (&volume.reclaim_policy, &volume.source.kind),
                    labels
                )
            })
        }
        Target::Claim(id) => {
            let claim = snapshot.claim(id);
            let alone = !claim.volume_name.is_empty()
                || !snapshot.volumes_naming(&claim.meta.namespace, &claim.meta.name).is_empty()
                || snapshot.pods_of(&claim.meta.namespace, &claim.meta.name).next().is_some();
            (!alone).then(|| {
                format!(
                    "c {:?} {:?} {:?} {:?} {:?} {:?} {:?} {:?} {:?} {:?}",
                    claim.class_name,
                    claim.mode(),
                    claim.attributes_class,
                    claim.request.map(|request| request.to_string()),
                    claim.access_modes,
                    claim.selector,
                    claim.status.phase,
                    claim.meta.annotations,
                    claim.meta.finalizers,
                    (claim.terminating(), claim.data_source)
                )
            })
        }
    }
}

struct Growth<'a, 's> {
    snapshot: &'s Snapshot,
    settings: &'a Settings<'s>,
    groups: &'a Groups,
    /// The possible states of each representative, and from which state a sync led to which.
    states: BTreeMap<Target, Vec<ObjectState>>,
    steps: BTreeMap<Target, Vec<(usize, usize)>>,
}

/// A world for one sync: who else is in it, and in which state.
type Partner<'p> = Option<(Target, &'p ObjectState)>;

impl<'a, 's> Growth<'a, 's> {
    fn new(snapshot: &'s Snapshot, settings: &'a Settings<'s>, groups: &'a Groups) -> Self {
        let states = groups
            .representatives()
            .map(|target| {
                let recorded = match target {
                    Target::Volume(id) => ObjectState::Volume(Some(Arc::new(snapshot.volume(id).clone()))),
                    Target::Claim(id) => ObjectState::Claim(Some(Arc::new(snapshot.claim(id).clone()))),
                };
                (target, vec![recorded])
            })
            .collect();
        Self { snapshot, settings, groups, states, steps: BTreeMap::new() }
    }

    /// One round over all states; whether anything was added.
    fn grow(&mut self) -> bool {
        let mut found: Vec<(Target, ObjectState, Option<(Target, usize)>)> = Vec::new();
        for (target, states) in &self.states {
            for (number, state) in states.iter().enumerate() {
                for partner in self.partners(*target, state) {
                    for after in self.syncs(*target, state, partner) {
                        for (changed, is) in changes(&after) {
                            let from = (changed == *target).then_some((*target, number));
                            found.push((changed, is, from));
                        }
                    }
                }
            }
        }
        let mut grown = false;
        for (target, state, from) in found {
            let states = self.states.entry(target).or_default();
            let at = states.iter().position(|known| known.same(&state));
            let at = at.unwrap_or_else(|| {
                states.push(state);
                grown = true;
                states.len() - 1
            });
            if let Some((_, number)) = from
                && number != at
            {
                let steps = self.steps.entry(target).or_default();
                if !steps.contains(&(number, at)) {
                    steps.push((number, at));
                }
            }
        }
        grown
    }

    /// The worlds after one sync of every controller, for every choice.
    fn syncs(&self, target: Target, state: &ObjectState, partner: Partner<'_>) -> Vec<World<'s>> {
        let mut worlds = Vec::new();
        let mut before = World::focused(self.snapshot);
        place(&mut before, target, state);
        if let Some((other, state)) = partner {
            place(&mut before, other, state);
        }
        for controller in &self.settings.controllers {
            let mut choices = Some(Choices::first());
            while let Some(script) = choices {
                let mut after = before.clone();
                let mut memory = memory_of(*controller, &self.settings.controller);
                let sync = Sync::new(&mut after, &mut memory, &self.settings.answers, script);
                let Some((_, met)) = run(sync, &self.settings.rules, *controller, target) else { break };
                choices = met.next();
                worlds.push(after);
            }
        }
        worlds
    }

    /// With whom a sync of the object in that state has to be looked at.
    fn partners<'p>(&'p self, target: Target, state: &'p ObjectState) -> Vec<Partner<'p>> {
        let named = |other: Option<Target>| -> Vec<Partner<'p>> {
            match other.and_then(|other| self.states.get(&other).map(|states| (other, states))) {
                Some((other, states)) => states.iter().map(|state| Some((other, state))).collect(),
                None => vec![None],
            }
        };
        match (target, state) {
            (_, ObjectState::Volume(None) | ObjectState::Claim(None)) => Vec::new(),
            (_, ObjectState::Volume(Some(volume))) => match &volume.claim_ref {
                None => vec![None],
                Some(claim) => named(self.snapshot.claim_id(&claim.namespace, &claim.name).map(Target::Claim)),
            },
            (_, ObjectState::Claim(Some(claim))) if may_search(claim) => self.candidates(claim),
            (_, ObjectState::Claim(Some(claim))) => {
                named(self.snapshot.volume_id(&claim.volume_name).map(Target::Volume))
            }
        }
    }

    /// The volumes that a searching claim may find, each in a state in which it fits; and nobody, unless some volume
    /// fits in all of its states. Volumes that are always beaten by such a one are left out.
    fn candidates<'p>(&'p self, claim: &PersistentVolumeClaim) -> Vec<Partner<'p>> {
        let delay = self
            .snapshot
            .class(claim.class())
            .is_some_and(|class| class.binding_mode == Some(crate::model::BindingMode::WaitForFirstConsumer));
        let Ok(query) = Query::new(&self.settings.rules, claim, delay) else {
            // The search itself fails where any volume has the access modes: both worlds are looked at.
            let any = self.states.iter().find_map(|(target, states)| {
                states.iter().find(|state| matches!(state, ObjectState::Volume(Some(_)))).map(|state| (*target, state))
            });
            return vec![None, any].into_iter().collect();
        };
        let fits = |volume: &PersistentVolume| {
            volume.access_modes.set().contains_all(&claim.access_modes) && !matches!(query.fit(volume), Fit::No(_))
        };
        // What an always available volume beats: later tiers, and in its own group larger sizes.
        let always: Vec<&PersistentVolume> = self
            .states
            .values()
            .filter(|states| {
                states.iter().all(|state| matches!(state, ObjectState::Volume(Some(volume)) if fits(volume)))
            })
            .filter_map(|states| match states.first() {
                Some(ObjectState::Volume(Some(volume))) => Some(&**volume),
                _ => None,
            })
            .collect();
        let size = |volume: &PersistentVolume| volume.storage().copied().unwrap_or(Quantity::ZERO);
        let beaten = |volume: &PersistentVolume| {
            always.iter().any(|rival| {
                let (rival_set, set) = (rival.access_modes.set(), volume.access_modes.set());
                rival_set.len() < set.len()
                    || (rival_set == set
                        && match (query.fit(rival), query.fit(volume)) {
                            (Fit::Reserved, Fit::Free) => true,
                            (Fit::Free, Fit::Free) => size(rival).compare(&size(volume)).is_lt(),
                            _ => false,
                        })
            })
        };
        let mut partners: Vec<Partner<'p>> = Vec::new();
        if always.is_empty() {
            partners.push(None);
        }
        for (target, states) in &self.states {
            for state in states {
                if let ObjectState::Volume(Some(volume)) = state
                    && fits(volume)
                    && !beaten(volume)
                {
                    partners.push(Some((*target, state)));
                }
            }
        }
        partners
    }

    /// The states in which each representative can stay: some world leaves it as it is, or it comes round to it again.
    fn rests(&self) -> BTreeMap<Target, Vec<ObjectState>> {
        let mut rests = BTreeMap::new();
        for (target, states) in &self.states {
            let steps = self.steps.get(target).map_or(&[][..], Vec::as_slice);
            let kept: Vec<ObjectState> = states
                .iter()
                .enumerate()
                .filter(|(number, state)| {
                    let gone = matches!(state, ObjectState::Volume(None) | ObjectState::Claim(None));
                    gone || on_cycle(*number, steps)
                        || self.partners(*target, state).into_iter().any(|partner| {
                            self.syncs(*target, state, partner).iter().all(|after| {
                                changes(after).iter().all(|(changed, is)| {
                                    if changed == target {
                                        state.same(is)
                                    } else {
                                        partner.is_some_and(|(_, was)| was.same(is))
                                    }
                                })
                            })
                        })
                })
                .map(|(_, state)| state.clone())
                .collect();
            rests.insert(*target, kept);
        }
        rests
    }

    /// What a state of a representative means for one of those for whom it stands: partners stand for their groups.
    fn outcomes_of(&self, target: Target, state: &ObjectState) -> Vec<Outcome> {
        match (target, state) {
            (Target::Claim(_), ObjectState::Claim(claim)) => {
                let outcome = Outcome::of_claim(claim.as_deref(), false);
                let alike = claim
                    .as_ref()
                    .and_then(|claim| self.snapshot.volume_id(&claim.volume_name))
                    .map_or(&[][..], |id| self.groups.all_like(Target::Volume(id)));
                if alike.is_empty() {
                    return vec![outcome];
                }
                let name = |other: &Target| match other {
                    Target::Volume(id) => Some(self.snapshot.volume(*id).meta.name.clone()),
                    Target::Claim(_) => None,
                };
                alike.iter().filter_map(name).map(|name| outcome.clone().with_volume(name)).collect()
            }
            (Target::Volume(id), ObjectState::Volume(volume)) => {
                let recorded = self.snapshot.volume(id);
                let outcome = Outcome::of_volume(&self.settings.rules, Some(recorded), volume.as_deref(), false);
                let alike = volume
                    .as_ref()
                    .and_then(|volume| volume.claim_ref.as_ref())
                    .and_then(|named| {
                        let id = self.snapshot.claim_id(&named.namespace, &named.name)?;
                        (self.snapshot.claim(id).meta.uid == named.uid).then_some(Target::Claim(id))
                    })
                    .map_or(&[][..], |claim| self.groups.all_like(claim));
                if alike.is_empty() {
                    return vec![outcome];
                }
                let key = |other: &Target| match other {
                    Target::Claim(id) => {
                        let meta = &self.snapshot.claim(*id).meta;
                        Some((meta.namespace.clone(), meta.name.clone(), meta.uid.clone()))
                    }
                    Target::Volume(_) => None,
                };
                alike.iter().filter_map(key).map(|key| outcome.clone().with_claim(key)).collect()
            }
            _ => Vec::new(),
        }
    }
}

fn place(world: &mut World<'_>, target: Target, state: &ObjectState) {
    match (target, state) {
        (Target::Volume(id), ObjectState::Volume(volume)) => world.set_volume(id, volume.clone()),
        (Target::Claim(id), ObjectState::Claim(claim)) => world.set_claim(id, claim.clone()),
        _ => {}
    }
}

/// Everything in a focused world, as states.
fn changes(world: &World<'_>) -> Vec<(Target, ObjectState)> {
    let volumes =
        world.changed_volumes().iter().map(|(id, volume)| (Target::Volume(*id), ObjectState::Volume(volume.clone())));
    let claims =
        world.changed_claims().iter().map(|(id, claim)| (Target::Claim(*id), ObjectState::Claim(claim.clone())));
    volumes.chain(claims).collect()
}

/// Whether a walk from that state can come back to it.
fn on_cycle(start: usize, steps: &[(usize, usize)]) -> bool {
    let mut seen: Vec<usize> = Vec::new();
    let mut work: Vec<usize> = vec![start];
    while let Some(state) = work.pop() {
        for (_, to) in steps.iter().filter(|(from, _)| *from == state) {
            if *to == start {
                return true;
            }
            if !seen.contains(to) {
                seen.push(*to);
                work.push(*to);
            }
        }
    }
    false
}
