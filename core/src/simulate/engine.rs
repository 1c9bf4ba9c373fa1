//! The interface of engines. An engine knows a controller well enough to give outcomes without exploring. It also finds
//! effects between objects of different components.

use super::component::Component;
use super::decide::Decisions;
use super::settlement::Settlement;
use crate::controllers::{self, Controller, DecidedBy, OutcomeSet, Settings, acting};
use crate::model::{Kind, Object, ObjectId};
use crate::snapshot::Snapshot;
use crate::world::World;
use std::collections::BTreeMap;

/// The outcomes of a component that an engine found without exploring the component.
#[derive(Clone, Debug)]
pub struct Exact {
    /// The outcomes of each object, in the component's order.
    pub sets: Vec<OutcomeSet>,
    /// The largest number of states that may be explored to find the joint outcomes.
    pub most_states: usize,
}

/// The functions of one engine, for components whose objects are of its kinds.
#[derive(Debug)]
pub struct Engine {
    /// The kinds that the engine knows. It knows nothing of components with objects of other kinds.
    pub kinds: &'static [Kind],
    /// Whether the engine knows what actors do. Otherwise it knows nothing of components with objects that an actor
    /// syncs.
    pub knows_actors: bool,
    /// Returns the exact outcomes of a component without exploring, or `None` if the engine cannot do so for this
    /// component.
    pub exact: fn(&Snapshot, &Settings<'_>, &Component) -> Option<Exact>,
    /// Returns sets that hold all outcomes of a component of any size. The sets may also hold outcomes that are
    /// impossible.
    pub bounds: fn(&Snapshot, &Settings<'_>, &Component) -> Vec<OutcomeSet>,
    /// Returns the changes that an object may cause in other objects before it is deleted. Each entry is one possible
    /// set of changes, as the list of the changed objects.
    pub changes_before_gone: fn(&Snapshot, ObjectId) -> Vec<Vec<Object>>,
    /// Returns what decides between the outcomes of a component that has several outcomes.
    pub decided_by: fn(&Snapshot, &Settings<'_>, &Component) -> Vec<DecidedBy>,
    /// Computes how objects of different components influence each other by other means than objects of the API.
    pub between: fn(&Snapshot, &mut Settlement<'_>) -> BTreeMap<ObjectId, OtherComponents>,
    /// Adapts the decisions of an object to operations that already run. Only objects of other kinds, such as
    /// the pod of a recycler, show these operations.
    pub under_way: for<'s> fn(&World<'s>, &Settings<'s>, ObjectId, Decisions<'s>) -> Decisions<'s>,
}

impl Engine {
    /// Returns the engine that knows the kinds of all objects of the component that have ends.
    pub(super) fn of_ends(
        engines: &'static [&'static Self],
        snapshot: &Snapshot,
        settings: &Settings<'_>,
        component: &Component,
    ) -> Option<&'static Self> {
        let world = World::new(snapshot);
        let has_ends = |id: &&ObjectId| controllers::has_ends(settings, &world, **id);
        let kinds: Vec<Kind> = component.objects.iter().filter(has_ends).map(|id| id.kind).collect();
        let knows = |engine: &&&Self| {
            kinds.iter().all(|kind| engine.kinds.contains(kind)) && engine.knows_actors_of(settings, component)
        };
        engines.iter().find(knows).copied()
    }

    /// Returns the engine that knows all kinds of a component.
    pub(super) fn of(
        engines: &'static [&'static Self],
        settings: &Settings<'_>,
        component: &Component,
    ) -> Option<&'static Self> {
        let knows = |engine: &&&Self| {
            component.objects.iter().all(|id| engine.kinds.contains(&id.kind))
                && engine.knows_actors_of(settings, component)
        };
        engines.iter().find(knows).copied()
    }

    fn knows_actors_of(&self, settings: &Settings<'_>, component: &Component) -> bool {
        let syncs = |actor: Controller| component.objects.iter().any(|id| actor.syncs.contains(&id.kind));
        self.knows_actors || !acting(&settings.controllers).any(syncs)
    }
}

/// What happens to an object because of objects of other components.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OtherComponents {
    /// The number of these other objects.
    pub others: usize,
    /// The number of additional outcomes that the object has because of them.
    pub added: u64,
    /// What decides about these additional outcomes.
    pub decided_by: DecidedBy,
}
