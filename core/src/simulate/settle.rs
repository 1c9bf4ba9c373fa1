//! Finds the outcomes of a component, with the engine that knows its kinds or by exploring.

use super::component::Component;
use super::created::{WorldsWithCreated, keys_of_made};
use super::decide::run;
use super::engine::{Engine, Exact};
use super::explore::explore;
use crate::controllers::{self, Budget, Limit, Outcome, OutcomeSet, Settings, SyncContext};
use crate::model::{ObjectId, ObjectKey};
use crate::snapshot::Snapshot;
use crate::world::{Choices, ControllerState, World};

/// If an exact engine has found the outcomes of a component, the component is also explored for its joint outcomes, but
/// only if it has at most this many objects. Other components are explored up to twice this size. If no engine knows
/// the kinds of a component, the component is explored at any size.
pub const SMALL: usize = 16;

/// The outcomes of all objects of a component.
#[derive(Clone, Debug)]
pub struct Settled {
    /// The outcomes of each object, in the component's order.
    pub sets: Vec<OutcomeSet>,
    /// The objects that controllers may create and that do not exist yet, in order, with their outcomes.
    pub created: Vec<(ObjectKey, OutcomeSet)>,
    /// The joint outcomes, if they were explored and are few. Each holds the outcomes of the objects that have ends, in
    /// the component's order, and then the outcomes of the objects that may be created.
    pub worlds: Option<Vec<Vec<Outcome>>>,
}

impl Settled {
    /// Returns the joint outcomes, if they are known and at most [`JOINT_LIMIT`](super::explore::JOINT_LIMIT). If every
    /// object has a single outcome, these outcomes together are the only joint outcome. For this case, each set must
    /// list at least one outcome.
    pub fn joint(&self) -> Option<Vec<Vec<&Outcome>>> {
        if let Some(worlds) = &self.worlds {
            return Some(worlds.iter().map(|world| world.iter().collect()).collect());
        }
        if self.sets.iter().any(OutcomeSet::is_unknown) {
            return None;
        }
        let with_ends = self.sets.iter().filter(|set| set.count > 0);
        let created = self.created.iter().map(|(_, set)| set);
        Some(vec![with_ends.chain(created).map(OutcomeSet::only).collect::<Option<_>>()?])
    }

    fn is_certain(&self) -> bool {
        self.sets.iter().all(|set| set.is_certain() || set.count == 0)
    }
}

/// Returns all outcomes of a component: the states in which its objects can be when nothing changes any more.
pub fn settle(
    snapshot: &Snapshot,
    settings: &Settings<'_>,
    engines: &'static [&'static Engine],
    component: &Component,
) -> Settled {
    settle_in(snapshot, settings, engines, component, &WorldsWithCreated::new(engines))
}

/// Does the same as [`settle`], with the values that all components of a snapshot share.
pub(super) fn settle_in(
    snapshot: &Snapshot,
    settings: &Settings<'_>,
    engines: &'static [&'static Engine],
    component: &Component,
    with_created: &WorldsWithCreated,
) -> Settled {
    let objects = &component.objects;
    let engine = Engine::of(engines, settings, component);
    if let Some(Exact { sets, most_states }) = engine.and_then(|engine| (engine.exact)(snapshot, settings, component)) {
        let budget = Budget { states: settings.budget.states.min(most_states) };
        let small = Settings { budget, ..settings.clone() };
        let mut settled = Settled { sets, created: Vec::new(), worlds: None };
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
        return explored.settled(snapshot, settings);
    }
    match Engine::of_ends(engines, snapshot, settings, component) {
        Some(engine) => with_created.bounds(snapshot, settings, engine, component),
        // No engine knows the objects, so the component is explored without a limit.
        None => explored_whole(snapshot, settings, objects),
    }
}

/// Returns the outcomes of a component of any size whose objects no engine knows.
fn explored_whole(snapshot: &Snapshot, settings: &Settings<'_>, objects: &[ObjectId]) -> Settled {
    let whole = Settings { budget: Budget { states: usize::MAX }, ..settings.clone() };
    let nothing = || Settled { sets: vec![OutcomeSet::none(); objects.len()], created: Vec::new(), worlds: None };
    explore(snapshot, &whole, objects).map_or_else(nothing, |explored| explored.settled(snapshot, settings))
}

/// Returns the outcomes of a small component in which no sync of any object changes anything, or `None` for any other
/// component. Exploring such a component would visit only the state of the snapshot.
fn at_rest(snapshot: &Snapshot, settings: &Settings<'_>, objects: &[ObjectId]) -> Option<Settled> {
    if objects.len() > SMALL * 2 || settings.budget.states == 0 {
        return None;
    }
    for object in objects {
        for controller in &settings.controllers {
            let mut world = World::new(snapshot);
            let mut memory = ControllerState::in_step();
            let sync = SyncContext::new(&mut world, &mut memory, &settings.answers, Choices::first());
            let Some((_, met)) = run(sync, &settings.behavior, *controller, *object) else { continue };
            if met.next().is_some() || !world.changed().is_empty() || world.has_marks_or_memories() {
                return None;
            }
        }
    }
    let world = World::new(snapshot);
    let ends = objects.iter().map(|id| controllers::ends(settings, &world, *id, false));
    let sets = ends.map(|ends| OutcomeSet::of(ends, true, Limit::All));
    let made = keys_of_made(snapshot, settings, objects).into_iter();
    let created = made.filter(|key| snapshot.object_id(key).is_none()).map(|key| (key, OutcomeSet::absent()));
    Some(Settled { sets: sets.collect(), created: created.collect(), worlds: None })
}
