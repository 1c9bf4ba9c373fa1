//! Predictions: for each object what one sync does now, where it all ends, and on what reading the answer rests.

use super::component::{Component, components, synced_kinds};
use super::decide::{Decision, Decisions, decide, decide_folded};
use super::engine::{Beside, Engine, Settlement};
use super::settle::{Settled, settle};
use crate::controllers::outcome::most;
use crate::controllers::spec::{Needs, note_gap};
use crate::controllers::{self, Controller, DecidedBy, LISTED, Limit, Outcome, OutcomeSet, Rules, Settings};
use crate::model::{Kind, ObjectId, Str};
use crate::parallel::in_parallel;
use crate::snapshot::{Absence, CoverageState, Snapshot};
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
    /// For each component, what decides between its outcomes; found when asked for.
    decided_by: Vec<OnceLock<Vec<DecidedBy>>>,
    /// For each kind, the component of each object, and its place there.
    places: [Vec<(u32, u32)>; Kind::COUNT],
    engines: &'static [&'static Engine],
    /// What happens to objects because of objects of other components.
    beside: BTreeMap<ObjectId, Beside>,
}

/// What is predicted for one object.
#[derive(Clone, Debug)]
pub struct Prediction<'s> {
    /// The object.
    pub target: ObjectId,
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
        let world = World::new(snapshot);
        // Neither the version nor a flag decides over the phase and the binding.
        let recorded = controllers::ends(&Rules::default(), &world, self.target, false);
        let Some(recorded) = recorded.first() else { return false };
        let is_another = |end: &Outcome| {
            (end.phase(), end.binding()) != (recorded.phase(), recorded.binding())
                || end.ends_worse(recorded.is_terminating())
        };
        self.outcomes.as_ref().is_some_and(|set| set.count > 1 || set.of_every_sort().any(is_another))
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
    pub fn new(
        snapshot: &'s Snapshot,
        settings: Settings<'s>,
        engines: &'static [&'static Engine],
        threads: usize,
    ) -> Self {
        let components = components(snapshot, &settings);
        let mut places: [Vec<(u32, u32)>; Kind::COUNT] = std::array::from_fn(|_| Vec::new());
        for kind in synced_kinds() {
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
            in_parallel(threads, components.len(), |number| settle(snapshot, &settings, engines, &components[number]));
        let needs: Vec<Needs<'_>> =
            settings.controllers.iter().map(|controller| (controller.needs)(snapshot, &settings)).collect();
        let mut uncertain = in_parallel(threads, components.len(), |number| {
            let mut found = Vec::new();
            for (need, absence) in needs.iter().flat_map(|needs| needs(&components[number].objects)) {
                note_gap(&mut found, need.kind, &need.namespace, absence);
            }
            found
        });
        drop(needs);
        let mut settlement = Settlement { places: &places, settled: &mut settled, uncertain: &mut uncertain };
        let between = engines.iter().flat_map(|engine| (engine.between)(snapshot, &settings, &mut settlement));
        let beside = between.collect();
        let decided_by = components.iter().map(|_| OnceLock::new()).collect();
        Self {
            snapshot,
            settings,
            decision_limit,
            outcome_limit,
            components,
            settled,
            uncertain,
            decided_by,
            places,
            engines,
            beside,
        }
    }

    /// What happens to the object because of objects of other components.
    pub fn beside(&self, object: impl Into<ObjectId>) -> Option<Beside> {
        self.beside.get(&object.into()).copied()
    }

    /// What the simulation is of.
    pub fn snapshot(&self) -> &'s Snapshot {
        self.snapshot
    }

    /// What decides besides the objects.
    pub fn settings(&self) -> &Settings<'s> {
        &self.settings
    }

    /// All objects that controllers sync, in the order of listings: by kind, then by namespace and name.
    pub fn targets(&self) -> impl Iterator<Item = ObjectId> + use<'s> {
        let snapshot = self.snapshot;
        let places = |kind: Kind| 0..u32::try_from(snapshot.count(kind)).unwrap_or(u32::MAX);
        synced_kinds().into_iter().flat_map(move |kind| places(kind).map(move |at| ObjectId { kind, at }))
    }

    /// The objects of the component with that number, from 1, and its joint end states: where these are known, few, and
    /// rest on no missing reading.
    pub fn joint(&self, number: usize) -> Option<(&[ObjectId], Vec<Vec<&Outcome>>)> {
        let at = number.checked_sub(1)?;
        if self.uncertain[at].iter().any(|(_, absence)| matches!(absence, Absence::Unknown(_))) {
            return None;
        }
        Some((&self.components[at].objects, self.settled[at].joint()?))
    }

    /// The component of an object.
    pub fn component_of(&self, object: impl Into<ObjectId>) -> &Component {
        &self.components[self.place(object.into()).0]
    }

    fn place(&self, id: ObjectId) -> (usize, usize) {
        let (number, place) = self.places[id.kind as usize][id.at as usize];
        (number as usize, place as usize)
    }

    /// The states in which an object can end, whatever the reading was worth.
    pub fn outcomes(&self, object: impl Into<ObjectId>) -> &OutcomeSet {
        let (number, place) = self.place(object.into());
        &self.settled[number].sets[place]
    }

    /// Everything that is predicted for an object.
    pub fn predict(&self, object: impl Into<ObjectId>) -> Prediction<'s> {
        let target = object.into();
        let world = World::new(self.snapshot);
        self.predicted(target, &world, decide(&world, &self.settings, target))
    }

    /// The same, where one decision may stand for several that differ in the volume alone; see [`decide_folded`].
    pub fn predict_folded(&self, object: impl Into<ObjectId>) -> Prediction<'s> {
        let target = object.into();
        let world = World::new(self.snapshot);
        self.predicted(target, &world, decide_folded(&world, &self.settings, target))
    }

    fn predicted(&self, target: ObjectId, world: &World<'s>, decisions: Decisions<'s>) -> Prediction<'s> {
        let under_way = |decisions, engine: &&Engine| (engine.under_way)(world, &self.settings, target, decisions);
        let mut decisions = self.engines.iter().fold(decisions, under_way);
        let outcomes = self.outcomes(target).clone();
        // Whatever makes several of those ends that it has otherwise is something else.
        let beside = self.beside(target).filter(|beside| beside.added > 0);
        let several = outcomes.count - beside.map_or(0, |beside| beside.added) > 1;
        let mut decided_by = if several { self.decided_by(self.place(target).0).to_vec() } else { Vec::new() };
        decided_by.extend(beside.map(|beside| beside.decided_by));
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
            defaulted: self.snapshot.defaulted().binary_search(&self.snapshot.key(target)).is_ok(),
        }
    }

    /// What decides between the outcomes of a component that has several.
    fn decided_by(&self, number: usize) -> &[DecidedBy] {
        self.decided_by[number].get_or_init(|| {
            let component = &self.components[number];
            Engine::of(self.engines, component).map_or_else(
                || vec![DecidedBy::OrderOfSyncs],
                |engine| (engine.decided_by)(self.snapshot, &self.settings, component),
            )
        })
    }
}

fn note(assumed: &mut Vec<Assumed>, need: &Need) {
    let entry = Assumed { kind: need.kind, namespace: need.namespace.clone() };
    if !assumed.contains(&entry) {
        assumed.push(entry);
    }
}
