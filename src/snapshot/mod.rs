//! The immutable input of one run: the objects, how complete they are, and look-ups over them.
//!
//! Decoding is in [`decode`], which is total; where the bytes come from is the business of `source`.

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
use std::collections::BTreeSet;

/// What was read, before it is put in order.
#[derive(Clone, Debug, Default)]
pub struct Parts {
    /// The objects of each kind in any order, possibly twice; nothing of a kind that nobody asked for.
    pub objects: Objects,
    /// What the absence of an object means.
    pub coverage: Coverage,
    /// The moment from which ages count; without one, the newest timestamp in the input.
    pub now: Option<Timestamp>,
    /// Whether a flag, a snapshot or a server's clock says that moment; otherwise it is the newest one that objects
    /// tell of.
    pub now_is_stated: bool,
    /// Objects that were there and could not be decoded.
    pub issues: Vec<DecodeIssue>,
    /// When objects were written last, by their `managedFields`: for those alone of which it was asked.
    pub changed: Vec<(ObjectKey, Timestamp)>,
}

/// The objects of one run in a defined order, each once, with the API server's defaults.
#[derive(Debug)]
pub struct Snapshot {
    /// On the heap, with the names, since whoever waits for a request may hold a snapshot meanwhile.
    objects: Box<Objects>,
    coverage: Coverage,
    now: Option<Timestamp>,
    now_is_stated: bool,
    issues: Vec<DecodeIssue>,
    duplicates: Vec<ObjectKey>,
    defaulted: Vec<ObjectKey>,
    changed: Vec<(ObjectKey, Timestamp)>,
    names: Box<[Names; Kind::COUNT]>,
    index: Index,
}

impl Snapshot {
    /// Puts the parts in order. Of an object that was read twice the newer resource version stays; objects that were
    /// never on an API server get its defaults.
    pub fn new(parts: Parts) -> Self {
        let Parts { mut objects, coverage, now, now_is_stated, issues, changed } = parts;
        let duplicates = objects.order();
        let mut defaulted = Vec::new();
        apply_defaults(&mut objects, &mut defaulted);
        let (names, index) = index::of(&objects);
        let (objects, names) = (Box::new(objects), Box::new(names));
        Self { objects, coverage, now, now_is_stated, issues, duplicates, defaulted, changed, names, index }
    }

    /// The same world with other objects, each in the place of the one that has its name.
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
        })
    }

    /// All objects of a kind by namespace and name.
    pub fn all<T: Resource>(&self) -> &[T] {
        T::list(&self.objects)
    }

    /// How many objects there are of a kind.
    pub fn count(&self, kind: Kind) -> usize {
        self.objects.list(kind).length()
    }

    /// All objects of a kind by namespace and name, each with its place.
    pub fn with_ids<T: Resource>(&self) -> impl ExactSizeIterator<Item = (Id<T>, &T)> {
        let id = |(at, object)| (Id::new(u32::try_from(at).unwrap_or(u32::MAX)), object);
        self.all().iter().enumerate().map(id)
    }

    /// The object at that place.
    pub fn get<T: Resource>(&self, id: Id<T>) -> &T {
        &self.all()[id.0 as usize]
    }

    /// The object at that place, whatever its kind; none where there is none.
    pub fn object(&self, id: ObjectId) -> Option<HeldObject<'_>> {
        self.objects.at(id)
    }

    /// A copy of the object at that place, whatever its kind; none where there is none.
    pub fn owned(&self, id: ObjectId) -> Option<Object> {
        self.object(id).map(|object| object.to_object())
    }

    /// The metadata of the object at that place, whatever its kind.
    pub fn meta(&self, id: ObjectId) -> &ObjectMeta {
        self.objects.list(id.kind).meta(id.at as usize)
    }

    /// What names the object at that place.
    pub fn key(&self, id: ObjectId) -> ObjectKey {
        ObjectKey::of(id.kind, self.meta(id))
    }

    /// The place of the object of that name.
    pub fn id<T: Resource>(&self, namespace: &str, name: &str) -> Option<Id<T>> {
        let objects = self.all::<T>();
        self.names[T::KIND as usize].place(|at| objects[at].meta(), namespace, name).map(Id::new)
    }

    /// The object of that name.
    pub fn find<T: Resource>(&self, namespace: &str, name: &str) -> Option<&T> {
        self.id(namespace, name).map(|id| self.get(id))
    }

    /// The place of the object of that kind and name.
    pub fn object_id(&self, key: &ObjectKey) -> Option<ObjectId> {
        let at = self.place(key.kind, &key.namespace, &key.name)?;
        Some(ObjectId { kind: key.kind, at })
    }

    fn place(&self, kind: Kind, namespace: &str, name: &str) -> Option<u32> {
        let list = self.objects.list(kind);
        self.names[kind as usize].place(|at| list.meta(at), namespace, name)
    }

    /// Whether there is an object of that name.
    pub fn has(&self, kind: Kind, namespace: &str, name: &str) -> bool {
        self.place(kind, namespace, name).is_some()
    }

    /// What the absence of an object means.
    pub fn coverage(&self) -> &Coverage {
        &self.coverage
    }

    /// The moment from which ages count.
    pub fn now(&self) -> Option<Timestamp> {
        self.now
    }

    /// Whether that moment is the one of the reading, and not only the newest one that the objects tell of.
    pub fn now_is_stated(&self) -> bool {
        self.now_is_stated
    }

    /// Objects that were there and could not be decoded.
    pub fn issues(&self) -> &[DecodeIssue] {
        &self.issues
    }

    /// Objects that were read more than once, with the older versions dropped.
    pub fn duplicates(&self) -> &[ObjectKey] {
        &self.duplicates
    }

    /// Objects that lacked something that an API server always sets, in order of their keys.
    pub fn defaulted(&self) -> &[ObjectKey] {
        &self.defaulted
    }

    /// When the object was written last, by its `managedFields`; none where nobody asked or where it does not say.
    pub fn last_change(&self, kind: Kind, namespace: &str, name: &str) -> Option<Timestamp> {
        let about = |key: &ObjectKey| key.kind == kind && key.namespace == namespace && key.name == name;
        self.changed.iter().filter(|(key, _)| about(key)).map(|(_, time)| *time).max()
    }
}
