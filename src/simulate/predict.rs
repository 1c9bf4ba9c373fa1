//! Predictions: for each object what one sync does now, where it all ends, and on what reading the answer rests.

use super::component::{Component, components};
use super::decide::{Decision, Decisions, Target, decide, decide_folded};
use super::outcome::{Outcome, OutcomeSet, binding_of_volume, most};
use super::recycling::{Recycled, add_failures, beside_recycler};
use super::settle::{Settled, settle};
use crate::controllers::Controller;
use crate::controllers::persistent_volume::BOUND_KINDS;
use crate::controllers::persistent_volume::links::may_search;
use crate::controllers::persistent_volume::needs::{Gaps, note_gap, uncertain_needs};
use crate::controllers::settings::{LISTED, Limit, Settings};
use crate::model::{Kind, ObjectKey, Str, VolumePhase};
use crate::parallel::in_parallel;
use crate::snapshot::{Absence, ClaimId, CoverageState, Snapshot, VolumeId};
use crate::world::{Need, World};
use std::collections::BTreeMap;
use std::sync::OnceLock;

/// The world of one run, cut into components whose outcomes are known.
#[derive(Debug)]
pub struct Simulation<'s> {
    snapshot: &'s Snapshot,
    settings: Settings<'s>,
    /// How many decisions and outcomes answers list; at hand are at least as many as by default.
    decision_limit: Limit,
    outcome_limit: Limit,
    components: Vec<Component>,
    settled: Vec<Settled>,
    /// For each component, the readings on which its outcomes rest and that are not certain.
    uncertain: Vec<Vec<(Need, Absence)>>,
    /// For each component, whether some claim of it could take any of several equal volumes now; found when asked for.
    ties: Vec<OnceLock<bool>>,
    /// For each kind, the component of each object, and its place there.
    places: [Vec<(u32, u32)>; Kind::COUNT],
    recycled: Recycled,
    /// How many ends the volumes have more, because recyclings are in each other's way.
    failing: BTreeMap<VolumeId, u64>,
}

/// What is predicted for one object.
#[derive(Clone, Debug)]
pub struct Prediction<'s> {
    /// The object.
    pub target: Target,
    /// The number of its component, from 1.
    pub component: usize,
    /// What one sync does now.
    pub decisions: Decisions<'s>,
    /// The states in which it can end; nothing where a read is missing on which they rest.
    pub outcomes: Option<OutcomeSet>,
    /// What decides between several outcomes.
    pub decided_by: Vec<DecidedBy>,
    /// Absences that were assumed, because files cannot tell.
    pub assumed: Vec<Assumed>,
    /// Parts that could not be judged.
    pub unknown: Vec<Unknown>,
    /// How many decisions are to be listed in an answer.
    pub decision_limit: Limit,
    /// How many outcomes are to be listed in an answer.
    pub outcome_limit: Limit,
    /// The object lacked something that an API server always sets; its defaults were assumed.
    pub defaulted: bool,
}

impl<'s> Prediction<'s> {
    /// The decisions that an answer lists, each with how many of those that it stands for it lists, too.
    pub fn listed_decisions(&self) -> impl Iterator<Item = (&Decision<'s>, usize)> {
        self.decisions.within(self.decision_limit)
    }

    /// The outcomes that an answer lists; none where they are unknown.
    pub fn listed_outcomes(&self) -> &[Outcome] {
        let listed = self.outcomes.as_ref().map_or(&[][..], |set| &set.listed);
        &listed[..most(self.outcome_limit).min(listed.len())]
    }

    /// Whether the object can end in another state than the recorded one: another phase, another binding,
    /// newly being deleted, without its data, or gone.
    /// Where that is unknown it does not count as a change.
    pub fn changes(&self, snapshot: &Snapshot) -> bool {
        let terminating = match self.target {
            Target::Volume(id) => snapshot.volume(id).terminating(),
            Target::Claim(id) => snapshot.claim(id).terminating(),
        };
        let recorded = match self.target {
            Target::Volume(id) => {
                let volume = snapshot.volume(id);
                (
                    volume.status.phase.as_str(),
                    binding_of_volume(
                        volume
                            .claim_ref
                            .as_ref()
                            .map(|named| (named.namespace.as_str(), named.name.as_str(), named.uid.as_str())),
                    ),
                )
            }
            Target::Claim(id) => {
                let claim = snapshot.claim(id);
                (claim.status.phase.as_str(), claim.volume_name.to_string())
            }
        };
        self.outcomes.as_ref().is_some_and(|set| {
            set.count > 1
                || set
                    .of_every_sort()
                    .any(|outcome| (outcome.phase(), outcome.binding()) != recorded || outcome.ends_worse(terminating))
        })
    }
}

/// What decides between several outcomes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum DecidedBy {
    /// Several volumes are equally good, and the controller takes any of them.
    EqualCandidates,
    /// The order in which the controller syncs objects.
    OrderOfSyncs,
    /// Several volumes are recycled at the same time, and get into each other's way.
    SimultaneousRecycling,
    /// A pod that erases the volume is there already: the controller that made it still waits for it, or another one
    /// has been started since.
    RecyclerPod,
}

impl DecidedBy {
    /// The word of the output contract.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::EqualCandidates => "equalCandidates",
            Self::OrderOfSyncs => "orderOfSyncs",
            Self::SimultaneousRecycling => "simultaneousRecycling",
            Self::RecyclerPod => "recyclerPod",
        }
    }
}

/// An absence that was assumed.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Assumed {
    /// The kind of which nothing more was taken to exist.
    pub kind: Kind,
    /// The namespace; empty for all, and for kinds that have none.
    pub namespace: Str,
}

/// A part of a prediction that could not be judged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unknown {
    /// The part: `decisions` or `outcomes`.
    pub field: &'static str,
    /// Whose decisions, where not all are missing.
    pub controller: Option<Controller>,
    /// The read that was missing.
    pub need: Need,
    /// Why it was missing.
    pub reason: CoverageState,
}

impl<'s> Simulation<'s> {
    /// Cuts the world into components and settles each, on as many threads as asked for.
    pub fn new(snapshot: &'s Snapshot, settings: Settings<'s>, threads: usize) -> Self {
        let components = components(snapshot, &settings);
        let mut places: [Vec<(u32, u32)>; Kind::COUNT] = std::array::from_fn(|_| Vec::new());
        for kind in BOUND_KINDS {
            places[kind as usize] = vec![(0, 0); snapshot.count(kind)];
        }
        for (number, component) in (0u32..).zip(&components) {
            for (place, id) in (0u32..).zip(&component.objects) {
                places[id.kind as usize][id.at as usize] = (number, place);
            }
        }
        let (decision_limit, outcome_limit) = (settings.decisions, settings.outcomes);
        let decisions = decision_limit.at_least(LISTED);
        let settings = Settings { decisions, outcomes: outcome_limit.at_least(LISTED), ..settings };
        let mut settled =
            in_parallel(threads, components.len(), |number| settle(snapshot, &settings, &components[number]));
        let gaps = Gaps::of(snapshot, &settings);
        let mut uncertain = in_parallel(threads, components.len(), |number| {
            uncertain_needs(snapshot, &settings, &components[number].objects, &gaps)
        });
        let place = |id: VolumeId| places[Kind::PersistentVolume as usize][id.0 as usize];
        let recycled = Recycled::of(snapshot, |id| {
            let (number, place) = place(id);
            let is_unknown = |(_, absence): &(Need, Absence)| matches!(absence, Absence::Unknown(_));
            let known = !uncertain[number as usize].iter().any(is_unknown);
            known.then(|| &settled[number as usize].sets[place as usize])
        });
        let mut failing = BTreeMap::new();
        for id in recycled.failing(snapshot) {
            let (number, place) = place(id);
            failing.insert(id, add_failures(&mut settled[number as usize], place as usize, settings.outcomes));
        }
        // A volume that nobody saw, or of which nobody can tell, could be recycled at the same time.
        for (id, unclear) in recycled.alone() {
            let component = |id: VolumeId| place(id).0 as usize;
            let unseen =
                (Kind::PersistentVolume, Str::default(), snapshot.coverage().absence(Kind::PersistentVolume, ""));
            let gaps = unclear.iter().flat_map(|other| &uncertain[component(*other)]);
            let gaps = gaps.map(|(need, absence)| (need.kind, need.namespace.clone(), absence.clone()));
            for (kind, namespace, absence) in [unseen].into_iter().chain(gaps).collect::<Vec<_>>() {
                note_gap(&mut uncertain[component(id)], kind, &namespace, absence);
            }
        }
        let ties = components.iter().map(|_| OnceLock::new()).collect();
        Self {
            snapshot,
            settings,
            decision_limit,
            outcome_limit,
            components,
            settled,
            uncertain,
            ties,
            places,
            recycled,
            failing,
        }
    }

    /// How many other volumes are recycled by the same plugin at the same time, where this one is recycled, too: they
    /// can be in each other's way.
    pub fn recycled_beside(&self, volume: VolumeId) -> usize {
        self.recycled.others(volume)
    }

    /// What the simulation is of.
    pub fn snapshot(&self) -> &'s Snapshot {
        self.snapshot
    }

    /// What decides besides the objects.
    pub fn settings(&self) -> &Settings<'s> {
        &self.settings
    }

    /// All objects in the order of listings: volumes by name, then claims by namespace and name.
    pub fn targets(&self) -> impl Iterator<Item = Target> + use<'s> {
        let (volumes, claims) = (self.snapshot.volumes().len(), self.snapshot.claims().len());
        let bound = |length: usize| u32::try_from(length).unwrap_or(u32::MAX);
        (0..bound(volumes))
            .map(|id| Target::Volume(VolumeId::new(id)))
            .chain((0..bound(claims)).map(|id| Target::Claim(ClaimId::new(id))))
    }

    /// The objects of the component with that number, from 1, and its joint end states: where these are known, few, and
    /// rest on no missing reading.
    pub fn joint(&self, number: usize) -> Option<(Vec<Target>, Vec<Vec<&Outcome>>)> {
        let at = number.checked_sub(1)?;
        if self.uncertain[at].iter().any(|(_, absence)| matches!(absence, Absence::Unknown(_))) {
            return None;
        }
        Some((self.components[at].targets(), self.settled[at].joint()?))
    }

    /// The component of an object.
    pub fn component_of(&self, target: Target) -> &Component {
        &self.components[self.place(target).0]
    }

    fn place(&self, target: Target) -> (usize, usize) {
        let id = target.object();
        let (number, place) = self.places[id.kind as usize][id.at as usize];
        (number as usize, place as usize)
    }

    /// The states in which an object can end, whatever the reading was worth.
    pub fn outcomes(&self, target: Target) -> &OutcomeSet {
        let (number, place) = self.place(target);
        &self.settled[number].sets[place]
    }

    /// Everything that is predicted for an object.
    pub fn predict(&self, target: Target) -> Prediction<'s> {
        let world = World::new(self.snapshot);
        self.predicted(target, &world, decide(&world, &self.settings, target))
    }

    /// The same, where one decision may stand for several that differ in the volume alone; see [`decide_folded`].
    pub fn predict_folded(&self, target: Target) -> Prediction<'s> {
        let world = World::new(self.snapshot);
        self.predicted(target, &world, decide_folded(&world, &self.settings, target))
    }

    fn predicted(&self, target: Target, world: &World<'s>, decisions: Decisions<'s>) -> Prediction<'s> {
        let mut decisions = beside_recycler(world, &self.settings, target, decisions);
        let outcomes = self.outcomes(target).clone();
        // Whatever makes several of those ends that it has otherwise is something else.
        let failing = match target {
            Target::Volume(id) => self.failing.get(&id).copied().unwrap_or_default(),
            Target::Claim(_) => 0,
        };
        let several = outcomes.count - failing > 1;
        let mut decided_by = if several { self.decided_by(self.place(target).0) } else { Vec::new() };
        if failing > 0 {
            let is_alone = matches!(target, Target::Volume(id) if self.recycled_beside(id) == 0);
            decided_by.push(if is_alone { DecidedBy::RecyclerPod } else { DecidedBy::SimultaneousRecycling });
        }
        let mut assumed = Vec::new();
        let mut unknown = Vec::new();
        let mut hidden: Vec<Controller> = Vec::new();
        for decision in &decisions.listed {
            for need in &decision.record.needs {
                match self.snapshot.coverage().absence(need.kind, &need.namespace) {
                    Absence::Certain => {}
                    Absence::Assumed => note(&mut assumed, need),
                    Absence::Unknown(reason) => {
                        let controller = Some(decision.controller);
                        let part = Unknown { field: "decisions", controller, need: need.clone(), reason };
                        if !unknown.contains(&part) {
                            unknown.push(part);
                        }
                        if !hidden.contains(&decision.controller) {
                            hidden.push(decision.controller);
                        }
                    }
                }
            }
        }
        let mut outcomes_unknown = false;
        for (need, absence) in &self.uncertain[self.place(target).0] {
            match absence {
                Absence::Certain => {}
                Absence::Assumed => note(&mut assumed, need),
                Absence::Unknown(reason) => {
                    outcomes_unknown = true;
                    unknown.push(Unknown { field: "outcomes", controller: None, need: need.clone(), reason: *reason });
                }
            }
        }
        decisions.listed.retain(|decision| !hidden.contains(&decision.controller));
        if !hidden.is_empty() {
            decisions.count = decisions.listed.iter().map(Decision::stands_for).sum::<usize>() as u64;
        }
        unknown.dedup();
        assumed.sort();
        Prediction {
            target,
            component: self.place(target).0 + 1,
            decisions,
            outcomes: (!outcomes_unknown).then_some(outcomes),
            decided_by,
            assumed,
            unknown,
            decision_limit: self.decision_limit,
            outcome_limit: self.outcome_limit,
            defaulted: self.snapshot.defaulted().binary_search(&key_of(self.snapshot, target)).is_ok(),
        }
    }

    /// What decides between the outcomes of a component that has several.
    fn decided_by(&self, number: usize) -> Vec<DecidedBy> {
        let component = &self.components[number];
        let ties = *self.ties[number].get_or_init(|| {
            let world = World::new(self.snapshot);
            let binder = Settings { controllers: vec![Controller::PersistentVolumeBinder], ..self.settings.clone() };
            component.of().any(|id| {
                may_search(self.snapshot.claim(id)) && decide_folded(&world, &binder, Target::Claim(id)).count > 1
            })
        });
        // One claim that picks among free volumes does not depend on any order.
        let free = |id: VolumeId| {
            let volume = self.snapshot.volume(id);
            volume.claim_ref.is_none() && volume.status.phase == VolumePhase::Available && !volume.terminating()
        };
        let mut claims = component.of().map(|id| self.snapshot.claim(id));
        let alone = claims.next().is_some_and(|only| !only.terminating()) && claims.next().is_none();
        let mut decided_by = Vec::new();
        if ties {
            decided_by.push(DecidedBy::EqualCandidates);
        }
        if !ties || !alone || !component.of().all(free) {
            decided_by.push(DecidedBy::OrderOfSyncs);
        }
        decided_by
    }
}

/// What names an object.
pub fn key_of(snapshot: &Snapshot, target: Target) -> ObjectKey {
    let (kind, meta) = match target {
        Target::Volume(id) => (Kind::PersistentVolume, &snapshot.volume(id).meta),
        Target::Claim(id) => (Kind::PersistentVolumeClaim, &snapshot.claim(id).meta),
    };
    ObjectKey { kind, namespace: meta.namespace.clone(), name: meta.name.clone() }
}

fn note(assumed: &mut Vec<Assumed>, need: &Need) {
    let entry = Assumed { kind: need.kind, namespace: need.namespace.clone() };
    if !assumed.contains(&entry) {
        assumed.push(entry);
    }
}
