//! The immutable input of one run: the objects, their coverage, and look-ups of objects.
//!
//! [`decode`] decodes objects and never panics. The module `source` reads the bytes.

pub mod coverage;
pub mod decode;
mod index;
mod kinds;
pub mod redact;

pub use coverage::{Absence, Coverage, CoverageEntry, CoverageState};
pub use decode::{DecodeIssue, Item};
pub use kinds::{
    ApiGates, CandidateGroup, ClaimId, GroupKey, MergePatch, PLACEHOLDER_UID, VolumeId, Writable, any_lease,
    merge_patch, printed,
};

use crate::model::{HeldObject, Id, Kind, Object, ObjectId, ObjectKey, ObjectMeta, Objects, Resource, Timestamp};
use index::Names;
use kinds::{Index, apply_defaults};
use std::any::Any;
use std::collections::BTreeSet;
use std::fmt;
use std::sync::OnceLock;

/// Everything that was read, before it is sorted and indexed.
#[derive(Clone, Debug, Default)]
pub struct Parts {
    /// The objects of each kind, in any order and possibly repeated. Kinds that the caller did not ask for are absent.
    pub objects: Objects,
    /// The coverage, which defines what the absence of an object means.
    pub coverage: Coverage,
    /// The current time of the run, from which ages are computed. If nothing states the time, it is the newest
    /// timestamp in the input.
    pub now: Option<Timestamp>,
    /// Whether a flag, a snapshot or a server's clock states `now`.
    pub now_is_stated: bool,
    /// The objects that exist but could not be decoded.
    pub issues: Vec<DecodeIssue>,
    /// The times of the last writes of objects, from their `managedFields`. They are present only for objects for which
    /// the caller asked.
    pub changed: Vec<(ObjectKey, Timestamp)>,
    /// Objects that were deleted, as the controller's cache still has them. They are ignored if the input has an object
    /// of the same name.
    pub deleted: Vec<Object>,
    /// Objects of kinds that storage systems define, as JSON. Only the kinds for which the caller asked are present. A
    /// snapshot does not have them.
    pub of_systems: Vec<serde_json::Value>,
}

/// The objects of one run, sorted, without duplicates and with the API server's defaults.
#[derive(Debug)]
pub struct Snapshot {
    /// The objects and names are on the heap, because a future that holds a snapshot while it waits for a request
    /// should be small.
    objects: Box<Objects>,
    coverage: Coverage,
    now: Option<Timestamp>,
    now_is_stated: bool,
    issues: Vec<DecodeIssue>,
    duplicates: Vec<ObjectKey>,
    defaulted: Vec<ObjectKey>,
    changed: Vec<(ObjectKey, Timestamp)>,
    deleted: Vec<ObjectId>,
    names: Box<[Names; Kind::COUNT]>,
    index: Index,
    derived: Derived,
}

/// A value that a module computes only once for a snapshot, from all objects.
#[derive(Default)]
struct Derived(OnceLock<Box<dyn Any + Send + Sync>>);

impl fmt::Debug for Derived {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("Derived")
    }
}

impl Snapshot {
    /// Sorts and indexes the parts. If an object was read several times, the version with the newest resource version
    /// stays. Objects that were never on an API server get the API server's defaults.
    pub fn new(parts: Parts) -> Self {
        let Parts { mut objects, coverage, now, now_is_stated, issues, changed, deleted, of_systems: _ } = parts;
        let mut duplicates = objects.order();
        let absent = |object: &Object| {
            let (list, meta) = (objects.list(object.kind()), object.meta());
            let is_it = |other: &ObjectMeta| other.name == meta.name && other.namespace == meta.namespace;
            !(0..list.length()).any(|at| is_it(list.meta(at)))
        };
        let deleted: Vec<Object> = deleted.into_iter().filter(absent).collect();
        let deleted_keys: Vec<ObjectKey> =
            deleted.iter().map(|object| ObjectKey::of(object.kind(), object.meta())).collect();
        if !deleted.is_empty() {
            for object in deleted {
                objects.push(object);
            }
            duplicates.extend(objects.order());
        }
        let mut defaulted = Vec::new();
        apply_defaults(&mut objects, &mut defaulted);
        let (names, index) = index::of(&objects);
        let (objects, names) = (Box::new(objects), Box::new(names));
        let (deleted, derived) = (Vec::new(), Derived::default());
        let mut snapshot = Self {
            objects,
            coverage,
            now,
            now_is_stated,
            issues,
            duplicates,
            defaulted,
            changed,
            deleted,
            names,
            index,
            derived,
        };
        snapshot.deleted = deleted_keys.iter().filter_map(|key| snapshot.object_id(key)).collect();
        snapshot.deleted.sort_unstable();
        snapshot
    }

    /// Returns the objects that are deleted and that only the controller's cache still has, sorted by place.
    pub fn deleted(&self) -> &[ObjectId] {
        &self.deleted
    }

    /// Returns the value that a module computes from all objects. The value is computed only once. Only one module may
    /// use this function: the result is `None` if `T` is not the type of the first call.
    pub fn derived<T: Any + Send + Sync>(&self, derive: impl FnOnce(&Self) -> T) -> Option<&T> {
        self.derived.0.get_or_init(|| Box::new(derive(self))).downcast_ref()
    }

    /// Returns the same snapshot with other objects. Each of them replaces the object of the same kind and name, or is
    /// added.
    #[must_use]
    pub fn with(&self, others: Vec<Object>) -> Self {
        let keys: BTreeSet<ObjectKey> =
            others.iter().map(|object| ObjectKey::of(object.kind(), object.meta())).collect();
        let mut objects = (*self.objects).clone();
        objects.retain(|kind, meta| !keys.contains(&ObjectKey::of(kind, meta)));
        for other in others {
            objects.push(other);
        }
        Self::new(Parts {
            objects,
            coverage: self.coverage.clone(),
            now: self.now,
            now_is_stated: self.now_is_stated,
            issues: Vec::new(),
            changed: self.changed.clone(),
            deleted: Vec::new(),
            of_systems: Vec::new(),
        })
    }

    /// Returns all objects of a kind, sorted by namespace and name.
    pub fn all<T: Resource>(&self) -> &[T] {
        T::list(&self.objects)
    }

    /// Returns the objects of a kind in a namespace, sorted by name.
    pub fn in_namespace<T: Resource>(&self, namespace: &str) -> &[T] {
        let all = self.all::<T>();
        let start = all.partition_point(|object| object.meta().namespace.as_str() < namespace);
        let rest = &all[start..];
        &rest[..rest.partition_point(|object| object.meta().namespace == namespace)]
    }

    /// Returns the number of objects of a kind.
    pub fn count(&self, kind: Kind) -> usize {
        self.objects.list(kind).length()
    }

    /// Returns all objects of a kind, sorted by namespace and name, each with its place.
    pub fn with_ids<T: Resource>(&self) -> impl ExactSizeIterator<Item = (Id<T>, &T)> {
        let id = |(at, object)| (Id::new(u32::try_from(at).unwrap_or(u32::MAX)), object);
        self.all().iter().enumerate().map(id)
    }

    /// Returns the object at this place.
    pub fn get<T: Resource>(&self, id: Id<T>) -> &T {
        &self.all()[id.0 as usize]
    }

    /// Returns the object of any kind at this place. The value is `None` if there is no such object.
    pub fn object(&self, id: ObjectId) -> Option<HeldObject<'_>> {
        self.objects.at(id)
    }

    /// Returns a copy of the object of any kind at this place. The value is `None` if there is no such object.
    pub fn owned(&self, id: ObjectId) -> Option<Object> {
        self.object(id).map(|object| object.to_object())
    }

    /// Returns the metadata of the object of any kind at this place.
    pub fn meta(&self, id: ObjectId) -> &ObjectMeta {
        self.objects.list(id.kind).meta(id.at as usize)
    }

    /// Returns the key of the object at this place.
    pub fn key(&self, id: ObjectId) -> ObjectKey {
        ObjectKey::of(id.kind, self.meta(id))
    }

    /// Returns the place of the object of this name, if the object exists.
    pub fn id<T: Resource>(&self, namespace: &str, name: &str) -> Option<Id<T>> {
        self.id_or_deleted(namespace, name).filter(|id: &Id<T>| !self.is_deleted(*id))
    }

    /// Returns the place of the object of this name. The object may be deleted.
    pub fn id_or_deleted<T: Resource>(&self, namespace: &str, name: &str) -> Option<Id<T>> {
        let objects = self.all::<T>();
        self.names[T::KIND as usize].place(|at| objects[at].meta(), namespace, name).map(Id::new)
    }

    /// Returns whether the object is deleted and only the controller's cache still has it.
    pub fn is_deleted(&self, id: impl Into<ObjectId>) -> bool {
        !self.deleted.is_empty() && self.deleted.binary_search(&id.into()).is_ok()
    }

    /// Returns the object of this name, if the object exists.
    pub fn find<T: Resource>(&self, namespace: &str, name: &str) -> Option<&T> {
        self.id(namespace, name).map(|id| self.get(id))
    }

    /// Returns the place of the object with this key. The object may be deleted.
    pub fn object_id(&self, key: &ObjectKey) -> Option<ObjectId> {
        let at = self.place(key.kind, &key.namespace, &key.name)?;
        Some(ObjectId { kind: key.kind, at })
    }

    fn place(&self, kind: Kind, namespace: &str, name: &str) -> Option<u32> {
        let list = self.objects.list(kind);
        self.names[kind as usize].place(|at| list.meta(at), namespace, name)
    }

    /// Returns whether an object of this name exists.
    pub fn has(&self, kind: Kind, namespace: &str, name: &str) -> bool {
        self.place(kind, namespace, name).is_some_and(|at| !self.is_deleted(ObjectId { kind, at }))
    }

    /// Returns the coverage, which defines what the absence of an object means.
    pub fn coverage(&self) -> &Coverage {
        &self.coverage
    }

    /// Returns the current time of the run, from which ages are computed.
    pub fn now(&self) -> Option<Timestamp> {
        self.now
    }

    /// Returns whether [`Self::now`] was stated. Otherwise it is the newest timestamp of the objects.
    pub fn now_is_stated(&self) -> bool {
        self.now_is_stated
    }

    /// Returns the objects that exist but could not be decoded.
    pub fn issues(&self) -> &[DecodeIssue] {
        &self.issues
    }

    /// Returns the objects that were read more than once. Their older versions were dropped.
    pub fn duplicates(&self) -> &[ObjectKey] {
        &self.duplicates
    }

    /// Returns the objects that lacked a field that an API server always sets, in the order of their keys.
    pub fn defaulted(&self) -> &[ObjectKey] {
        &self.defaulted
    }

    /// Returns the time of the last write of the object, from its `managedFields`. The value is `None` if the times
    /// were not asked for, or if the object has no such times.
    pub fn last_change(&self, kind: Kind, namespace: &str, name: &str) -> Option<Timestamp> {
        let about = |key: &ObjectKey| key.kind == kind && key.namespace == namespace && key.name == name;
        self.changed.iter().filter(|(key, _)| about(key)).map(|(_, time)| *time).max()
    }
}
