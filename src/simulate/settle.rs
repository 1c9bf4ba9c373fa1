//! The outcomes of a component, by the engine that suits it.

use super::component::Component;
use super::decide::{Settings, Target};
use super::explore::explore;
use super::fixpoint::fixpoint;
use super::nested::nested;
use super::outcome::{Outcome, OutcomeSet};
use crate::snapshot::Snapshot;
use crate::world::Answers;

/// Above so many objects a component is explored only after the engines for many objects have declined.
const SMALL: usize = 16;

/// The outcomes of all objects of a component.
#[derive(Clone, Debug)]
pub struct Settled {
    /// The outcomes of each volume, in the component's order.
    pub volumes: Vec<OutcomeSet>,
    /// The outcomes of each claim, in the component's order.
    pub claims: Vec<OutcomeSet>,
    /// The joint end states where they are few: for each, the outcomes of volumes and then claims.
    pub worlds: Option<Vec<Vec<Outcome>>>,
}

/// All states in which the objects of a component can be when nothing moves any more.
pub fn settle(snapshot: &Snapshot, settings: &Settings<'_>, component: &Component) -> Settled {
    let objects = component.objects();
    let plain = settings.controller.claims.is_empty()
        && settings.controller.volumes.is_empty()
        && settings.answers == Answers::default()
        && !settings.failures;
    if plain
        && objects.len() > SMALL
        && let Some(solved) = nested(snapshot, settings, component)
    {
        return Settled { volumes: solved.volumes, claims: solved.claims, worlds: None };
    }
    if objects.len() <= SMALL * 2
        && let Some(explored) = explore(snapshot, settings, &objects)
    {
        let (volumes, claims) = split(explored.outcomes, settings);
        return Settled { volumes, claims, worlds: explored.worlds };
    }
    if plain && let Some(solved) = nested(snapshot, settings, component) {
        return Settled { volumes: solved.volumes, claims: solved.claims, worlds: None };
    }
    let (volumes, claims) = fixpoint(snapshot, settings, component);
    Settled { volumes, claims, worlds: None }
}

fn split(outcomes: Vec<(Target, Vec<Outcome>)>, settings: &Settings<'_>) -> (Vec<OutcomeSet>, Vec<OutcomeSet>) {
    let (mut volumes, mut claims) = (Vec::new(), Vec::new());
    for (target, outcomes) in outcomes {
        let set = OutcomeSet::of(outcomes, true, settings.outcomes);
        match target {
            Target::Volume(_) => volumes.push(set),
            Target::Claim(_) => claims.push(set),
        }
    }
    (volumes, claims)
}
