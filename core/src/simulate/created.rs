//! Outcomes of components that are too large to explore and in which controllers create objects. An engine computes the
//! outcomes in the world without the created objects. It also computes the outcomes in worlds in which the created
//! objects exist from the beginning.

use super::component::Component;
use super::engine::Engine;
use super::settle::Settled;
use crate::controllers::{self, OutcomeSet, Participants, Settings};
use crate::model::{Object, ObjectId, ObjectKey, Str};
use crate::snapshot::Snapshot;
use crate::world::ControllerState;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::OnceLock;

/// The separator in an alias. The name or uid that several objects share is before it, and the number that
/// distinguishes the objects is after it. Names in Kubernetes cannot contain this character.
const ALIAS: char = '#';

/// The worlds that contain the created objects. They are built on first use, since most snapshots have no component
/// that needs them.
#[derive(Debug)]
pub(super) struct WorldsWithCreated {
    engines: &'static [&'static Engine],
    worlds: OnceLock<Vec<Snapshot>>,
}

impl WorldsWithCreated {
    /// Creates the value without building the worlds.
    pub(super) fn new(engines: &'static [&'static Engine]) -> Self {
        Self { engines, worlds: OnceLock::new() }
    }

    /// Returns the worlds, and builds them on first use. Several objects may have the same name at different times. In
    /// each world, a different one of these objects has the name. So the number of worlds is the largest number of
    /// objects with the same name. The other objects exist under aliases, because some of their syncs may have happened
    /// earlier.
    ///
    /// Before a recorded object is deleted, its syncs may change the objects that name it. For each possible set of
    /// changes, the worlds in which a created object has the name of the recorded object are repeated with these
    /// changes.
    fn worlds(&self, snapshot: &Snapshot, settings: &Settings<'_>) -> &[Snapshot] {
        self.worlds.get_or_init(|| {
            let mut variants: BTreeMap<ObjectKey, Vec<Object>> = BTreeMap::new();
            for id in Participants::new(snapshot, &settings.controllers).ids() {
                for object in controllers::made(snapshot, settings, id) {
                    let key = ObjectKey::of(object.kind(), object.meta());
                    let recorded = snapshot.object_id(&key).and_then(|id| snapshot.owned(id));
                    variants.entry(key).or_insert_with(|| recorded.into_iter().collect()).push(object);
                }
            }
            let most_variants = variants.values().map(Vec::len).max().unwrap_or_default();
            let world = |number: usize, left: &[Object]| {
                let of_key = |objects: &Vec<Object>| {
                    let chosen = number.min(objects.len().saturating_sub(1));
                    let named = objects.get(chosen).cloned();
                    let others = objects.iter().enumerate().filter(|(place, _)| *place != chosen);
                    let others: Vec<Object> =
                        others.enumerate().map(|(place, (_, other))| aliased(other.clone(), place)).collect();
                    named.into_iter().chain(others).collect::<Vec<Object>>()
                };
                snapshot.with(variants.values().flat_map(of_key).chain(left.iter().cloned()).collect())
            };
            let earlier = variants.keys().filter_map(|key| snapshot.object_id(key));
            let of_engines =
                |id: ObjectId| self.engines.iter().map(move |engine| (engine.changes_before_gone)(snapshot, id));
            let ways: Vec<Vec<Vec<Object>>> = earlier.flat_map(of_engines).collect();
            let most_ways = ways.iter().map(Vec::len).max().unwrap_or_default();
            let left = |number: usize| -> Vec<Object> {
                ways.iter().filter_map(|ways| ways.get(number).or(ways.last())).flatten().cloned().collect()
            };
            let mut worlds: Vec<Snapshot> = (0..most_variants).map(|number| world(number, &[])).collect();
            for way in (0..most_ways).map(left) {
                worlds.extend((1..most_variants).map(|number| world(number, &way)));
            }
            worlds
        })
    }

    /// Returns the outcomes of a component, from an engine that knows all objects of the component that have ends.
    pub(super) fn bounds(
        &self,
        snapshot: &Snapshot,
        settings: &Settings<'_>,
        engine: &Engine,
        component: &Component,
    ) -> Settled {
        let known = |ids: Vec<ObjectId>| Component {
            objects: ids.into_iter().filter(|id| engine.kinds.contains(&id.kind)).collect(),
        };
        let made: BTreeSet<ObjectKey> = keys_of_made(snapshot, settings, &component.objects).into_iter().collect();
        let is_new = |key: &ObjectKey| made.contains(key) && snapshot.object_id(key).is_none();
        let is_recorded = |world: &Snapshot, id: ObjectId, key: &ObjectKey| {
            let uid = &world.meta(id).uid;
            let uid = before_alias(uid).unwrap_or_else(|| uid.clone());
            snapshot.object_id(key).is_some_and(|recorded| snapshot.meta(recorded).uid == uid)
        };
        let recorded = known(component.objects.clone());
        let bounds = (engine.bounds)(snapshot, settings, &recorded);
        let mut sets: BTreeMap<ObjectKey, OutcomeSet> =
            recorded.objects.iter().map(|id| snapshot.key(*id)).zip(bounds).collect();
        // The controllers may never create one of these objects.
        for key in made.iter().filter(|key| is_new(key)) {
            sets.insert(key.clone(), OutcomeSet::absent());
        }
        // The controllers' memory in the settings describes only objects of the recorded world. So the other worlds
        // begin with caches in step. If caches lag in the recorded world, they may lag in the other worlds as well,
        // which `failures` allows.
        let failures = settings.may_be_interrupted();
        let settings = &Settings { controller: ControllerState::in_step(), failures, ..settings.clone() };
        let worlds = if made.is_empty() { &[] } else { self.worlds(snapshot, settings) };
        for world in worlds {
            let aliases = |key: &ObjectKey| {
                let key = key.clone();
                (0..).map_while(move |place| world.object_id(&alias(&key, place)))
            };
            let named = sets.keys().filter_map(|key| world.object_id(key));
            let mut ids: Vec<ObjectId> = named.chain(made.iter().flat_map(aliases)).collect();
            ids.sort_unstable();
            let known_in_world = known(ids);
            for (id, set) in known_in_world.objects.iter().zip((engine.bounds)(world, settings, &known_in_world)) {
                let key = without_alias(world.key(*id));
                let set = set.renamed(before_alias);
                let set = if made.contains(&key) && !is_recorded(world, *id, &key) { set.as_created() } else { set };
                if let Some(before) = sets.get_mut(&key) {
                    *before = before.or(&set, settings.outcomes);
                }
            }
        }
        let set_of = |key: &ObjectKey| sets.get(key).cloned();
        let of_recorded = |id: &ObjectId| set_of(&snapshot.key(*id)).unwrap_or_else(OutcomeSet::none);
        let created = made.iter().filter(|key| is_new(key));
        Settled {
            sets: component.objects.iter().map(of_recorded).collect(),
            created: created.filter_map(|key| Some((key.clone(), set_of(key)?))).collect(),
            worlds: None,
        }
    }
}

/// Returns the object with a distinct name and uid.
fn aliased(mut object: Object, place: usize) -> Object {
    let meta = object.meta_mut();
    meta.name = Str::from(format!("{}{ALIAS}{place}", meta.name));
    meta.uid = Str::from(format!("{}{ALIAS}{place}", meta.uid));
    object
}

fn alias(key: &ObjectKey, place: usize) -> ObjectKey {
    ObjectKey { name: Str::from(format!("{}{ALIAS}{place}", key.name)), ..key.clone() }
}

/// Returns the key with the real name of the object, without the end that makes the name an alias.
fn without_alias(key: ObjectKey) -> ObjectKey {
    match before_alias(&key.name) {
        Some(name) => ObjectKey { name, ..key },
        None => key,
    }
}

fn before_alias(text: &str) -> Option<Str> {
    text.split_once(ALIAS).map(|(text, _)| Str::from(text))
}

/// Returns the keys of the objects that controllers may create because of these objects, sorted.
pub(super) fn keys_of_made(snapshot: &Snapshot, settings: &Settings<'_>, objects: &[ObjectId]) -> Vec<ObjectKey> {
    let made = objects.iter().flat_map(|id| controllers::made(snapshot, settings, *id));
    let mut keys: Vec<ObjectKey> = made.map(|object| ObjectKey::of(object.kind(), object.meta())).collect();
    keys.sort();
    keys.dedup();
    keys
}
