//! What a controller's own knowledge adds to the simulation: outcomes that need no exploring, and what no component
//! shows by itself.

use super::component::Component;
use super::decide::Decisions;
use super::predict::place_in;
use super::settle::Settled;
use crate::controllers::{self, DecidedBy, OutcomeSet, Participants, Settings};
use crate::model::{Kind, Object, ObjectId};
use crate::snapshot::{Absence, Snapshot};
use crate::world::{Need, World};
use std::collections::BTreeMap;

/// The outcomes of a component that were found without exploring it.
#[derive(Clone, Debug)]
pub struct Exact {
    /// The outcomes of each object, in the component's order.
    pub sets: Vec<OutcomeSet>,
    /// How many states it is worth to look at for the joint end states.
    pub most_states: usize,
}

/// What a controller's engine knows of components whose objects are of its kinds.
#[derive(Debug)]
pub struct Engine {
    /// The kinds: of a component with objects of other kinds it knows nothing.
    pub kinds: &'static [Kind],
    /// The outcomes of a component that need no exploring; none where the component is not of such a sort.
    pub exact: fn(&Snapshot, &Settings<'_>, &Component) -> Option<Exact>,
    /// Sets that hold all outcomes of a component, however large it is, and may hold others.
    pub bounds: fn(&Snapshot, &Settings<'_>, &Component) -> Vec<OutcomeSet>,
    /// For an object that will be gone, the ways in which it may leave others changed: for each, those others.
    pub left_by: fn(&Snapshot, ObjectId) -> Vec<Vec<Object>>,
    /// What decides between the outcomes of a component that has several.
    pub decided_by: fn(&Snapshot, &Settings<'_>, &Component) -> Vec<DecidedBy>,
    /// What the objects of different components do to each other by other means than objects.
    pub between: fn(&Snapshot, &Settings<'_>, &mut Settlement<'_>) -> BTreeMap<ObjectId, Beside>,
    /// The decisions of an object, with what is under way outside the controller's objects.
    pub under_way: for<'s> fn(&World<'s>, &Settings<'s>, ObjectId, Decisions<'s>) -> Decisions<'s>,
}

impl Engine {
    /// The engine that knows those objects of a component that have ends.
    pub(super) fn of_ends(
        engines: &'static [&'static Self],
        snapshot: &Snapshot,
        settings: &Settings<'_>,
        component: &Component,
    ) -> Option<&'static Self> {
        let world = World::new(snapshot);
        let has_ends = |id: &&ObjectId| !controllers::ends(&settings.behavior, &world, **id, false).is_empty();
        let kinds: Vec<Kind> = component.objects.iter().filter(has_ends).map(|id| id.kind).collect();
        engines.iter().find(|engine| kinds.iter().all(|kind| engine.kinds.contains(kind))).copied()
    }

    /// The engine that knows all kinds of a component.
    pub(super) fn of(engines: &'static [&'static Self], component: &Component) -> Option<&'static Self> {
        let knows = |engine: &&&Self| component.objects.iter().all(|id| engine.kinds.contains(&id.kind));
        engines.iter().find(knows).copied()
    }
}

/// What happens to an object because of objects of other components.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Beside {
    /// How many others there are.
    pub others: usize,
    /// How many ends the object has more because of that.
    pub added: u64,
    /// What decides about these.
    pub decided_by: DecidedBy,
}

/// All components when each has been settled by itself.
#[derive(Debug)]
pub struct Settlement<'a> {
    pub(super) participants: &'a Participants,
    pub(super) places: &'a [(u32, u32)],
    pub(super) settled: &'a mut [Settled],
    pub(super) uncertain: &'a mut [Vec<(Need, Absence)>],
}

impl Settlement<'_> {
    fn place(&self, id: ObjectId) -> (usize, usize) {
        place_in(self.participants, self.places, id)
    }

    /// The outcomes of an object.
    pub fn outcomes(&self, id: ObjectId) -> &OutcomeSet {
        let (number, place) = self.place(id);
        &self.settled[number].sets[place]
    }

    /// The outcomes of the component of an object, and its place there.
    pub fn settled_mut(&mut self, id: ObjectId) -> (&mut Settled, usize) {
        let (number, place) = self.place(id);
        (&mut self.settled[number], place)
    }

    /// The readings on which the outcomes of an object rest and that are not certain.
    pub fn uncertain(&self, id: ObjectId) -> &[(Need, Absence)] {
        &self.uncertain[self.place(id).0]
    }

    /// The same, to be added to.
    pub fn uncertain_mut(&mut self, id: ObjectId) -> &mut Vec<(Need, Absence)> {
        let number = self.place(id).0;
        &mut self.uncertain[number]
    }
}
