//! Canonical states of a few objects. Two worlds have the same state if everything that later syncs depend on is equal
//! in both.
//!
//! Resource versions, messages and the parts of a claim's status that no controller reads are left out, so that the
//! number of states is finite and small.

use crate::controllers::Controller;
use crate::model::{HeldObject, ObjectId};
use crate::snapshot::Snapshot;
use crate::world::{Mark, Memory, World};
use rustc_hash::FxHashMap;

/// The number of a variant of an object. 0 means the object as recorded.
pub(super) type Variant = u32;

/// A state: the objects that differ from the recorded ones, in order, each with the number of its variant.
pub(super) type State = Box<[(ObjectId, Variant)]>;

/// A variant of an object that a sync has produced.
#[derive(Clone, Debug)]
struct Stored<'s> {
    /// The object. The value is `None` if the object is gone.
    object: Option<HeldObject<'s>>,
    /// The actions of controllers on the object that no request shows.
    marks: Vec<Mark>,
    /// What a controller remembers about the object.
    memory: Option<Memory>,
}

/// Returns whether two versions of an object are the same for all controllers.
fn same(controllers: &[Controller], a: &HeldObject<'_>, b: &HeldObject<'_>) -> bool {
    a.is(b) || controllers.iter().all(|controller| (controller.same)(a, b))
}

/// Compares two versions as [`same`] does. `None` means that the object is gone.
pub(super) fn same_or_gone(controllers: &[Controller], a: Option<&HeldObject<'_>>, b: Option<&HeldObject<'_>>) -> bool {
    both_or_none(a, b, |a, b| same(controllers, a, b))
}

/// Compares two versions with `same`. `None` means that the object is gone.
fn both_or_none<'s>(
    a: Option<&HeldObject<'s>>,
    b: Option<&HeldObject<'s>>,
    same: impl Fn(&HeldObject<'s>, &HeldObject<'s>) -> bool,
) -> bool {
    match (a, b) {
        (Some(a), Some(b)) => same(a, b),
        (None, None) => true,
        (Some(_), None) | (None, Some(_)) => false,
    }
}

/// All variants of objects that syncs have produced. With them, a state is a short list of numbers.
#[derive(Debug)]
pub(super) struct Variants<'s> {
    snapshot: &'s Snapshot,
    /// The controllers of the run. Two versions of an object are one variant if they are the same for all of these
    /// controllers.
    controllers: Vec<Controller>,
    known: FxHashMap<ObjectId, Vec<Stored<'s>>>,
}

impl<'s> Variants<'s> {
    pub(super) fn new(snapshot: &'s Snapshot, controllers: &[Controller]) -> Self {
        Self { snapshot, controllers: controllers.to_vec(), known: FxHashMap::default() }
    }

    /// Returns the state of a world.
    pub(super) fn state_of(&mut self, world: &World<'s>) -> State {
        let mut state = Vec::with_capacity(world.changed().len());
        for (id, object) in world.changed() {
            let marks: Vec<Mark> = world.marks_of(*id).collect();
            let memory = world.memory_of(*id);
            if marks.is_empty()
                && memory.is_none()
                && let Some(now) = object
                && self.snapshot.object(*id).is_some_and(|recorded| same(&self.controllers, &recorded, now))
            {
                continue;
            }
            let known = self.known.entry(*id).or_default();
            let controllers = &self.controllers;
            let with = |same: &dyn Fn(&HeldObject<'s>, &HeldObject<'s>) -> bool| {
                known.iter().position(|stored| {
                    stored.marks == marks
                        && stored.memory.as_ref() == memory
                        && both_or_none(stored.object.as_ref(), object.as_ref(), same)
                })
            };
            // A sync changes few objects. For the other objects, the stored variant is the same value in memory, and
            // this comparison is fast.
            let at = with(&HeldObject::is).or_else(|| with(&|stored, now| same(controllers, stored, now)));
            let at = at.unwrap_or_else(|| {
                known.push(Stored { object: object.clone(), marks, memory: memory.cloned() });
                known.len() - 1
            });
            state.push((*id, number(at)));
        }
        state.into()
    }

    /// Returns what the API shows of a state: the same state without what controllers remember.
    pub(super) fn shown(&self, state: &[(ObjectId, Variant)]) -> State {
        let mut shown = Vec::with_capacity(state.len());
        for (id, variant) in state {
            let Some(known) = self.known.get(id) else { continue };
            let Some(stored) = known.get(*variant as usize - 1) else { continue };
            let is_same = |other: &Stored<'s>| {
                other.marks == stored.marks
                    && same_or_gone(&self.controllers, other.object.as_ref(), stored.object.as_ref())
            };
            let is_recorded = || {
                let recorded = self.snapshot.object(*id);
                stored.marks.is_empty() && same_or_gone(&self.controllers, recorded.as_ref(), stored.object.as_ref())
            };
            if !is_recorded() {
                let first = known.iter().position(is_same).unwrap_or_default();
                shown.push((*id, number(first)));
            }
        }
        shown.into()
    }

    /// Returns a world in this state.
    pub(super) fn world_of(&self, state: &[(ObjectId, Variant)]) -> World<'s> {
        let mut world = World::new(self.snapshot);
        for (id, variant) in state {
            if let Some(stored) = self.known.get(id).and_then(|known| known.get(*variant as usize - 1)) {
                world.put(*id, stored.object.clone());
                for mark in &stored.marks {
                    world.mark(*id, *mark);
                }
                if let Some(memory) = &stored.memory {
                    world.remember(*id, memory.clone());
                }
            }
        }
        world
    }
}

/// Variants are numbered from 1. Memory cannot hold more variants of one object than 32 bits can number.
fn number(at: usize) -> Variant {
    Variant::try_from(at + 1).unwrap_or(Variant::MAX)
}
