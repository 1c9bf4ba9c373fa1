//! The outcomes of a component, by the engine that suits it.

use super::component::Component;
use super::decide::run;
use super::engine::{Engine, Exact};
use super::explore::explore;
use crate::controllers::{self, Budget, Limit, Outcome, OutcomeSet, Settings, Sync};
use crate::model::ObjectId;
use crate::snapshot::Snapshot;
use crate::world::{Choices, ControllerState, World};

/// Components of up to so many objects are explored for their joint end states, and up to twice as many for all else.
pub const SMALL: usize = 16;

/// The outcomes of all objects of a component.
#[derive(Clone, Debug)]
pub struct Settled {
    /// The outcomes of each object, in the component's order.
    pub sets: Vec<OutcomeSet>,
    /// The joint end states where they were explored and are few: for each, the outcomes in the component's order.
    pub worlds: Option<Vec<Vec<Outcome>>>,
}

impl Settled {
    /// The joint end states, where they are known and at most [`JOINT_LIMIT`](super::explore::JOINT_LIMIT). Where every
    /// object has a single outcome, that is one: all of them together. It takes at least one listed outcome for each
    /// object.
    pub fn joint(&self) -> Option<Vec<Vec<&Outcome>>> {
        if let Some(worlds) = &self.worlds {
            return Some(worlds.iter().map(|world| world.iter().collect()).collect());
        }
        Some(vec![self.sets.iter().map(OutcomeSet::only).collect::<Option<_>>()?])
    }

    fn is_certain(&self) -> bool {
        self.sets.iter().all(OutcomeSet::is_certain)
    }
}

/// All states in which the objects of a component can be when nothing moves any more.
pub fn settle(
    snapshot: &Snapshot,
    settings: &Settings<'_>,
    engines: &'static [&'static Engine],
    component: &Component,
) -> Settled {
    let objects = &component.objects;
    let engine = Engine::of(engines, component);
    if let Some(Exact { sets, most_states }) = engine.and_then(|engine| (engine.exact)(snapshot, settings, component)) {
        let budget = Budget { states: settings.budget.states.min(most_states) };
        let small = Settings { budget, ..settings.clone() };
        let mut settled = Settled { sets, worlds: None };
        if objects.len() <= SMALL && !settled.is_certain() {
            settled.worlds = explore(snapshot, &small, objects).and_then(|explored| explored.worlds);
        }
        return settled;
    }
    if !settings.may_be_interrupted()
        && let Some(settled) = at_rest(snapshot, settings, objects)
    {
        return settled;
    }
    if objects.len() <= SMALL * 2
        && let Some(explored) = explore(snapshot, settings, objects)
    {
        let sets = explored.outcomes.into_iter().map(|(_, ends)| OutcomeSet::of(ends, true, settings.outcomes));
        return Settled { sets: sets.collect(), worlds: explored.worlds };
    }
    let sets = engine.map_or_else(
        // Nobody knows a shorter way.
        || explored_whole(snapshot, settings, objects),
        |engine| (engine.bounds)(snapshot, settings, component),
    );
    Settled { sets, worlds: None }
}

/// The outcomes of a component of whatever size, where no engine knows all of its kinds.
fn explored_whole(snapshot: &Snapshot, settings: &Settings<'_>, objects: &[ObjectId]) -> Vec<OutcomeSet> {
    let whole = Settings { budget: Budget { states: usize::MAX }, ..settings.clone() };
    let explored = explore(snapshot, &whole, objects);
    let ends = explored.into_iter().flat_map(|explored| explored.outcomes).map(|(_, ends)| ends);
    ends.map(|ends| OutcomeSet::of(ends, true, settings.outcomes)).collect()
}

/// The outcomes of a small component in which nothing moves: no sync of any of its objects writes anything, so that
/// exploring would meet the recorded state alone.
fn at_rest(snapshot: &Snapshot, settings: &Settings<'_>, objects: &[ObjectId]) -> Option<Settled> {
    if objects.len() > SMALL * 2 || settings.budget.states == 0 {
        return None;
    }
    for object in objects {
        for controller in &settings.controllers {
            let mut world = World::new(snapshot);
            let mut memory = ControllerState::in_step();
            let sync = Sync::new(&mut world, &mut memory, &settings.answers, Choices::first());
            let Some((_, met)) = run(sync, &settings.rules, *controller, *object) else { continue };
            if met.next().is_some() || !world.changed().is_empty() || world.has_marks() {
                return None;
            }
        }
    }
    let world = World::new(snapshot);
    let ends = objects.iter().map(|id| controllers::ends(&settings.rules, &world, *id, false));
    let sets = ends.map(|ends| OutcomeSet::of(ends, true, Limit::All));
    Some(Settled { sets: sets.collect(), worlds: None })
}
