//! Predictions. For each object, a prediction says what one sync does now, in which states the object can end, and on
//! which reads the answer rests.

use super::component::Component;
use super::decide::{Decision, Decisions, decide, decide_folded};
use super::engine::{Engine, OtherComponents};
use super::settlement::Settlement;
use crate::controllers::{self, ACTORS, Controller, DecidedBy, LISTED, Limit, Outcome, OutcomeSet, Settings};
use crate::model::{Kind, ObjectId, ObjectKey, Str};
use crate::snapshot::{Absence, CoverageState, Snapshot};
use crate::world::{Effect, Need, World, Write, WriteBody};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::OnceLock;

/// The objects of one run, divided into components, with the outcomes of each component.
#[derive(Debug)]
pub struct Simulation<'s> {
    /// The number of decisions and outcomes that an answer lists. The simulation computes at least [`LISTED`] of each.
    decision_limit: Limit,
    outcome_limit: Limit,
    settlement: Settlement<'s>,
    /// For each component, what decides between its outcomes. It is computed on first use.
    decided_by: Vec<OnceLock<Vec<DecidedBy>>>,
    /// What happens to objects because of objects of other components.
    beside: BTreeMap<ObjectId, OtherComponents>,
}

/// The joint outcomes of a component.
#[derive(Clone, Debug)]
pub struct Joint<'a> {
    /// The objects of the component that have ends.
    pub objects: Cow<'a, [ObjectId]>,
    /// The objects that controllers may create, with their outcomes.
    pub created: &'a [(ObjectKey, OutcomeSet)],
    /// The joint outcomes. Each holds the outcomes of the objects, and then the outcomes of the objects that may be
    /// created.
    pub states: Vec<Vec<&'a Outcome>>,
}

/// The prediction for one object.
#[derive(Clone, Debug)]
pub struct Prediction<'s> {
    /// The object.
    pub target: ObjectId,
    /// The number of the object's component, counted from 1.
    pub component: usize,
    /// What one sync does now.
    pub decisions: Decisions<'s>,
    /// The outcomes of the object. The value is `None` if they rest on a read that is missing, if the component is too
    /// large, or if objects of this kind have no ends.
    pub outcomes: Option<OutcomeSet>,
    /// What decides between the outcomes, if there are several.
    pub decided_by: Vec<DecidedBy>,
    /// The absences of objects that were assumed, because an input file does not state whether it is complete.
    pub assumed: Vec<Assumed>,
    /// The parts of the prediction that could not be computed.
    pub unknown: Vec<Unknown>,
    /// The number of decisions that an answer lists.
    pub decision_limit: Limit,
    /// The number of outcomes that an answer lists.
    pub outcome_limit: Limit,
    /// Whether the component has too many states, so that the outcomes are unknown.
    pub is_too_large: bool,
    /// The recorded state of the object, in the form of an outcome. The value is `None` if the component is too large,
    /// or if objects of this kind have no ends.
    pub recorded: Option<Outcome>,
    /// Whether the object lacked a field that an API server always sets. Its default was assumed.
    pub defaulted: bool,
}

impl<'s> Prediction<'s> {
    /// Returns the decisions that an answer lists. Each decision is returned with the number of further decisions that
    /// it represents. Decisions beyond the limit of the answer are not included in this number.
    pub fn listed_decisions(&self) -> impl Iterator<Item = (&Decision<'s>, usize)> {
        self.decisions.within(self.decision_limit)
    }

    /// Returns the outcomes that an answer lists. The list is empty if the outcomes are unknown.
    pub fn listed_outcomes(&self) -> &[Outcome] {
        self.outcomes.as_ref().map_or(&[], |set| set.listed_within(self.outcome_limit))
    }

    /// Returns whether the object is of a kind whose objects have no ends.
    pub fn has_no_ends(&self) -> bool {
        self.outcomes.is_none() && !self.is_too_large && !self.unknown.iter().any(|unknown| unknown.field == "outcomes")
    }

    /// Returns whether the object can end in a state other than the recorded one: with another phase or binding,
    /// without its data, gone, or being deleted although it is not being deleted now. If objects of its kind have no
    /// ends, or if its component is too large, the answer says whether a decision creates another object. If the
    /// outcomes rest on a missing read, the answer is no.
    pub fn changes(&self) -> bool {
        let creates = |effect: &Effect<'_>| {
            matches!(effect, Effect::Write(Write { body: WriteBody::Create { .. }, refused: None, .. }))
        };
        let Some(recorded) = &self.recorded else {
            return self.decisions.listed.iter().any(|decision| decision.record.effects.iter().any(creates));
        };
        let is_another = |end: &Outcome| {
            (end.phase(), end.binding()) != (recorded.phase(), recorded.binding())
                || end.ends_worse(recorded.is_terminating())
        };
        self.outcomes.as_ref().is_some_and(|set| set.count > 1 || set.representatives().any(is_another))
    }
}

/// An absence of objects that was assumed.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Assumed {
    /// The kind. It was assumed that no other object of this kind exists.
    pub kind: Kind,
    /// The namespace. It is empty for all namespaces, and for kinds without namespaces.
    pub namespace: Str,
}

/// A part of a prediction that could not be computed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unknown {
    /// The part: `decisions` or `outcomes`.
    pub field: &'static str,
    /// The controller whose decisions are missing. The value is `None` if the part is `outcomes`.
    pub controller: Option<Controller>,
    /// The read that was missing.
    pub need: Need,
    /// The reason why the read was missing.
    pub reason: CoverageState,
}

impl<'s> Simulation<'s> {
    /// Divides the snapshot into components and settles each of them, on the given number of threads.
    pub fn new(
        snapshot: &'s Snapshot,
        settings: Settings<'s>,
        engines: &'static [&'static Engine],
        threads: usize,
    ) -> Self {
        Self::of(snapshot, settings, engines, |settlement| settlement.settle_all(threads))
    }

    /// Does the same as [`Self::new`], but settles most components only when an answer needs their outcomes. Components
    /// with volumes that could be recycled are settled at once, because recyclings of different components can disturb
    /// each other. This function is for answers about few objects.
    pub fn on_demand(snapshot: &'s Snapshot, settings: Settings<'s>, engines: &'static [&'static Engine]) -> Self {
        Self::of(snapshot, settings, engines, |_| {})
    }

    fn of(
        snapshot: &'s Snapshot,
        settings: Settings<'s>,
        engines: &'static [&'static Engine],
        prepare: impl FnOnce(&Settlement<'s>),
    ) -> Self {
        let (decision_limit, outcome_limit) = (settings.decisions, settings.outcomes);
        let decisions = decision_limit.at_least(LISTED);
        let settings = Settings { decisions, outcomes: outcome_limit.at_least(LISTED), ..settings };
        let mut settlement = Settlement::new(snapshot, settings, engines);
        prepare(&settlement);
        let between = engines.iter().flat_map(|engine| (engine.between)(snapshot, &mut settlement));
        let beside = between.collect();
        let decided_by = settlement.components().iter().map(|_| OnceLock::new()).collect();
        Self { decision_limit, outcome_limit, settlement, decided_by, beside }
    }

    /// Returns what happens to the object because of objects of other components. Returns `None` if nothing happens.
    pub fn beside(&self, object: impl Into<ObjectId>) -> Option<OtherComponents> {
        self.beside.get(&object.into()).copied()
    }

    /// Returns the number of outcomes that an answer lists for an object.
    pub fn outcome_limit(&self) -> Limit {
        self.outcome_limit
    }

    /// Returns the snapshot that is simulated.
    pub fn snapshot(&self) -> &'s Snapshot {
        self.settlement.snapshot()
    }

    /// Returns the settings of the simulation. The predictions depend only on the settings and on the objects.
    pub fn settings(&self) -> &Settings<'s> {
        self.settlement.settings()
    }

    /// Returns all objects that controllers sync, in the order of listings: by kind, then by namespace and name.
    pub fn targets(&self) -> impl Iterator<Item = ObjectId> + '_ {
        self.settlement.participants().ids()
    }

    /// Returns the joint outcomes of the component with this number, counted from 1. The value is `None` if they are
    /// unknown, too many, or rest on a missing read. It is also `None` for the number 0.
    pub fn joint(&self, number: usize) -> Option<Joint<'_>> {
        let at = number.checked_sub(1)?;
        if self.is_unknown(at) {
            return None;
        }
        let (settled, objects) = (self.settlement.settled(at), &self.settlement.components()[at].objects);
        let with_ends = || objects.iter().zip(&settled.sets).filter(|(_, set)| set.count > 0).map(|(id, _)| *id);
        let all = settled.sets.iter().all(|set| set.count > 0);
        Some(Joint {
            objects: if all { Cow::Borrowed(objects) } else { Cow::Owned(with_ends().collect()) },
            created: &settled.created,
            states: settled.joint()?,
        })
    }

    /// Returns the objects that controllers may create and that do not exist yet. Each object is returned with the
    /// number of its component and its outcomes. The outcomes are `None` if they are unknown or rest on a
    /// missing read.
    pub fn created(&self) -> impl Iterator<Item = (usize, &ObjectKey, Option<&OutcomeSet>)> {
        (0..self.settlement.components().len()).flat_map(move |at| {
            let known = move || !self.is_unknown(at);
            self.settlement
                .settled(at)
                .created
                .iter()
                .map(move |(key, set)| (at + 1, key, Some(set).filter(|set| known() && !set.is_unknown())))
        })
    }

    fn is_unknown(&self, at: usize) -> bool {
        self.settlement.uncertain_of(at).iter().any(|(_, absence)| matches!(absence, Absence::Unknown(_)))
    }

    /// Returns the component of an object.
    pub fn component_of(&self, object: impl Into<ObjectId>) -> &Component {
        &self.settlement.components()[self.place(object.into()).0]
    }

    fn place(&self, id: ObjectId) -> (usize, usize) {
        self.settlement.place(id)
    }

    /// Returns the outcomes of an object, even if they rest on a missing read.
    pub fn outcomes(&self, object: impl Into<ObjectId>) -> &OutcomeSet {
        self.settlement.outcomes(object.into())
    }

    /// Returns everything that is predicted for an object.
    pub fn predict(&self, object: impl Into<ObjectId>) -> Prediction<'s> {
        let target = object.into();
        let world = World::new(self.snapshot());
        self.predicted(target, &world, decide(&world, &self.deciding(target), target))
    }

    /// Returns the same prediction as [`Self::predict`], but one decision may represent several that differ only in the
    /// chosen object; see [`decide_folded`].
    pub fn predict_folded(&self, object: impl Into<ObjectId>) -> Prediction<'s> {
        let target = object.into();
        let world = World::new(self.snapshot());
        self.predicted(target, &world, decide_folded(&world, &self.deciding(target), target))
    }

    /// Returns the settings for the decisions of an object. In a component that is too large, the actors are left out,
    /// because their syncs can read the whole cluster.
    fn deciding(&self, target: ObjectId) -> Cow<'_, Settings<'s>> {
        if !self.outcomes(target).is_unknown() {
            return Cow::Borrowed(self.settings());
        }
        let mut settings = self.settings().clone();
        settings.controllers.retain(|controller| !ACTORS.contains(controller));
        Cow::Owned(settings)
    }

    fn predicted(&self, target: ObjectId, world: &World<'s>, decisions: Decisions<'s>) -> Prediction<'s> {
        let under_way = |decisions, engine: &&Engine| (engine.under_way)(world, self.settings(), target, decisions);
        let mut decisions = self.settlement.engines().iter().fold(decisions, under_way);
        let mut outcomes = self.outcomes(target).clone();
        let is_too_large = outcomes.is_unknown();
        // Outcomes that come from objects of other components are subtracted, because `decided_by` of the component
        // explains only the remaining outcomes.
        let beside = self.beside(target).filter(|beside| beside.added > 0);
        let several = outcomes.count - beside.map_or(0, |beside| beside.added) > 1;
        let mut decided_by = if several { self.decided_by(self.place(target).0).to_vec() } else { Vec::new() };
        decided_by.extend(beside.map(|beside| beside.decided_by));
        // The scores of nodes are not modelled. Because of its scores, the real scheduler may never choose some of the
        // nodes.
        outcomes.exact &= !decided_by.contains(&DecidedBy::Score);
        let mut assumed = Vec::new();
        let mut unknown = Vec::new();
        let mut hidden: Vec<Controller> = Vec::new();
        for decision in &decisions.listed {
            for need in &decision.record.needs {
                match self.snapshot().coverage().absence(need.kind, &need.namespace) {
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
        for (need, absence) in self.settlement.uncertain(target) {
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
        let recorded = if is_too_large {
            None
        } else {
            controllers::ends(self.settings(), world, target, false).into_iter().next()
        };
        Prediction {
            target,
            component: self.place(target).0 + 1,
            decisions,
            // Objects of some kinds have no ends.
            outcomes: (!outcomes_unknown && outcomes.count > 0).then_some(outcomes),
            decided_by,
            is_too_large,
            recorded,
            assumed,
            unknown,
            decision_limit: self.decision_limit,
            outcome_limit: self.outcome_limit,
            defaulted: self.snapshot().defaulted().binary_search(&self.snapshot().key(target)).is_ok(),
        }
    }

    /// Returns what decides between the outcomes of a component that has several outcomes.
    fn decided_by(&self, number: usize) -> &[DecidedBy] {
        self.decided_by[number].get_or_init(|| {
            let component = &self.settlement.components()[number];
            Engine::of_ends(self.settlement.engines(), self.snapshot(), self.settings(), component).map_or_else(
                || vec![DecidedBy::OrderOfSyncs],
                |engine| (engine.decided_by)(self.snapshot(), self.settings(), component),
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
