//! The outcomes of a component, by the engine that suits it.

use super::component::Component;
use super::decide::{Target, run};
use super::explore::{JOINT_LIMIT, explore};
use super::failures::starts_astray;
use super::fixpoint::fixpoint;
use super::nested::{is_found_at_first, nested};
use super::outcome::{Outcome, OutcomeSet};
use crate::controllers::settings::Budget;
use crate::controllers::settings::Settings;
use crate::controllers::{Controller, Sync};
use crate::snapshot::Snapshot;
use crate::world::{Choices, ControllerState, World};

/// Components of up to so many objects are explored for their joint end states, and up to twice as many for all else.
const SMALL: usize = 16;

/// The outcomes of all objects of a component.
#[derive(Clone, Debug)]
pub struct Settled {
    /// The outcomes of each object, in the component's order.
    pub sets: Vec<OutcomeSet>,
    /// The joint end states where they were explored and are few: for each, the outcomes in the component's order.
    pub worlds: Option<Vec<Vec<Outcome>>>,
}

impl Settled {
    /// The joint end states, where they are known and at most [`JOINT_LIMIT`]. Where every object has a single outcome,
    /// that is one: all of them together. It takes at least one listed outcome for each object.
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
pub fn settle(snapshot: &Snapshot, settings: &Settings<'_>, component: &Component) -> Settled {
    let objects = component.targets();
    let plain = settings.controllers.contains(&Controller::PersistentVolumeBinder)
        && !starts_astray(settings)
        && !settings.failures;
    if plain && let Some(sets) = nested(snapshot, settings, component) {
        // Exploring adds only the joint end states. Where these are few enough to be listed, so are the states on the
        // way: parts of at most eight ends, each of at most eight bindings. Volumes that are found later add states of
        // their own.
        let at_first = component.of().all(|id| is_found_at_first(snapshot.volume(id)));
        let most = if at_first { JOINT_LIMIT << (SMALL / 2) } else { usize::MAX };
        let budget = Budget { states: settings.budget.states.min(most) };
        let small = Settings { budget, ..settings.clone() };
        let mut settled = Settled { sets, worlds: None };
        if objects.len() <= SMALL && !settled.is_certain() {
            settled.worlds = explore(snapshot, &small, &objects).and_then(|explored| explored.worlds);
        }
        return settled;
    }
    if plain && let Some(settled) = at_rest(snapshot, settings, &objects) {
        return settled;
    }
    if objects.len() <= SMALL * 2
        && let Some(explored) = explore(snapshot, settings, &objects)
    {
        let sets = explored.outcomes.into_iter().map(|(_, ends)| OutcomeSet::of(ends, true, settings.outcomes));
        return Settled { sets: sets.collect(), worlds: explored.worlds };
    }
    Settled { sets: fixpoint(snapshot, settings, component), worlds: None }
}

/// The outcomes of a small component in which nothing moves: no sync of any of its objects writes anything, so that
/// exploring would meet the recorded state alone.
fn at_rest(snapshot: &Snapshot, settings: &Settings<'_>, objects: &[Target]) -> Option<Settled> {
    if objects.len() > SMALL * 2 || settings.budget.states == 0 {
        return None;
    }
    for target in objects {
        for controller in &settings.controllers {
            let mut world = World::new(snapshot);
            let mut memory = ControllerState::in_step();
            let sync = Sync::new(&mut world, &mut memory, &settings.answers, Choices::first());
            let Some((_, met)) = run(sync, &settings.rules, *controller, *target) else { continue };
            if met.next().is_some() || !world.changed().is_empty() || world.has_marks() {
                return None;
            }
        }
    }
    let ends = objects.iter().map(|target| match target {
        Target::Volume(id) => Outcome::of_volume(&settings.rules, Some(snapshot.volume(*id)), false, false),
        Target::Claim(id) => Outcome::of_claim(Some(snapshot.claim(*id)), false),
    });
    Some(Settled { sets: ends.map(OutcomeSet::single).collect(), worlds: None })
}
