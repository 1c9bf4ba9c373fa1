//! The API's objects: the snapshot with an overlay of what was written since.

use crate::model::{Held, HeldObject, Id, Kind, ObjectId, Resource, Str, Timestamp};
use crate::snapshot::{Absence, Snapshot};
use std::sync::Arc;

/// A read that a decision made, as RBAC names it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Need {
    /// `get` or `list`.
    pub verb: &'static str,
    /// The kind that was read.
    pub kind: Kind,
    /// The namespace; empty for kinds that have none.
    pub namespace: Str,
}

/// What a controller did that no object of the API shows, such as deleting the storage of a volume. Each controller
/// says what its marks mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Mark(pub u8);

/// An object that differs from the snapshot: none where it is gone.
pub type Changed<'s> = (ObjectId, Option<HeldObject<'s>>);

/// The API's objects at one moment of a simulation. Cloning copies only the overlay.
#[derive(Clone, Debug)]
pub struct World<'s> {
    snapshot: &'s Snapshot,
    /// By place.
    changed: Vec<Changed<'s>>,
    /// By mark, then by place.
    marks: Vec<(Mark, ObjectId)>,
    /// The kinds of which only what the overlay holds exists.
    focused: &'static [Kind],
}

impl<'s> World<'s> {
    /// The world as it was read.
    pub fn new(snapshot: &'s Snapshot) -> Self {
        Self { snapshot, changed: Vec::new(), marks: Vec::new(), focused: &[] }
    }

    /// A world without any object of those kinds, to which the few of interest are added.
    pub fn focused(snapshot: &'s Snapshot, kinds: &'static [Kind]) -> Self {
        Self { focused: kinds, ..Self::new(snapshot) }
    }

    /// Whether of that kind only what was added exists.
    pub fn is_focused(&self, kind: Kind) -> bool {
        self.focused.contains(&kind)
    }

    /// What the world was read from.
    pub fn snapshot(&self) -> &'s Snapshot {
        self.snapshot
    }

    fn place(&self, id: ObjectId) -> Result<usize, usize> {
        self.changed.binary_search_by_key(&id, |(changed, _)| *changed)
    }

    /// An object, if it exists now.
    pub fn get<T: Resource>(&self, id: Id<T>) -> Option<Held<'s, T>> {
        match self.place(id.into()) {
            Ok(at) => self.changed[at].1.as_ref().and_then(HeldObject::of).cloned(),
            Err(_) if self.is_focused(T::KIND) => None,
            Err(_) => self.snapshot.all::<T>().get(id.0 as usize).map(Held::Base),
        }
    }

    /// The place of the object of that name, whether it still exists or not.
    pub fn id<T: Resource>(&self, namespace: &str, name: &str) -> Option<Id<T>> {
        self.snapshot.id(namespace, name).or_else(|| {
            let named = |object: &&Held<'s, T>| object.meta().name == name && object.meta().namespace == namespace;
            let mut created = self.created::<T>();
            created.find(|(_, object)| object.as_ref().is_some_and(named)).map(|(id, _)| id)
        })
    }

    /// The object of that name, if it exists now.
    pub fn find<T: Resource>(&self, namespace: &str, name: &str) -> Option<(Id<T>, Held<'s, T>)> {
        let id = self.id(namespace, name)?;
        self.get(id).map(|object| (id, object))
    }

    /// The places of all objects of a kind, by place: of some of them the object may be gone.
    pub fn places<T: Resource>(&self) -> Vec<Id<T>> {
        let recorded = u32::try_from(self.snapshot.all::<T>().len()).unwrap_or(u32::MAX);
        (0..recorded).map(Id::new).chain(self.created().map(|(id, _)| id)).collect()
    }

    /// Whether an object of that name, which the snapshot does not have, did certainly not exist.
    pub fn was_certainly_absent(&self, kind: Kind, namespace: &str, name: &str) -> bool {
        self.snapshot.coverage().absence_of(kind, namespace, name) == Absence::Certain
    }

    /// The objects that differ from the snapshot, with those that are gone and those that are new, by place.
    pub fn changed(&self) -> &[Changed<'s>] {
        &self.changed
    }

    /// The objects of a kind that differ from the snapshot, with those that are gone and those that are new, by place.
    pub fn changed_of<T: Resource>(&self) -> impl DoubleEndedIterator<Item = (Id<T>, Option<&Held<'s, T>>)> {
        self.changed_from(Id::new(0))
    }

    fn changed_from<T: Resource>(
        &self,
        first: Id<T>,
    ) -> impl DoubleEndedIterator<Item = (Id<T>, Option<&Held<'s, T>>)> {
        let start = self.changed.partition_point(|(id, _)| *id < first.into());
        let end = self.changed.partition_point(|(id, _)| id.kind <= T::KIND);
        self.changed[start..end].iter().map(|(id, object)| (Id::new(id.at), object.as_ref().and_then(HeldObject::of)))
    }

    /// The objects of a kind that the snapshot does not have, by place, with those that are gone again.
    pub fn created<T: Resource>(&self) -> impl Iterator<Item = (Id<T>, Option<&Held<'s, T>>)> {
        let recorded = u32::try_from(self.snapshot.all::<T>().len()).unwrap_or(u32::MAX);
        self.changed_from(Id::new(recorded))
    }

    /// Puts an object in place, or takes it away.
    pub fn set<T: Resource>(&mut self, id: Id<T>, object: Option<Arc<T>>) {
        self.put(id.into(), object.map(|object| T::hold(Held::Written(object))));
    }

    /// Puts an object in place, or takes it away, whatever its kind.
    pub fn put(&mut self, id: ObjectId, object: Option<HeldObject<'s>>) {
        match self.place(id) {
            Ok(at) => self.changed[at].1 = object,
            Err(free) => self.changed.insert(free, (id, object)),
        }
    }

    /// Deletes an object as the API server does: it vanishes at once, or is marked while it has finalizers.
    pub fn delete<T: Resource>(&mut self, id: Id<T>) {
        let Some(current) = self.get(id) else { return };
        let meta = current.meta();
        if meta.finalizers.is_empty() {
            self.set(id, None::<Arc<T>>);
        } else if meta.deleted.is_none() {
            let mut marked = (*current).clone();
            let meta = marked.meta_mut();
            meta.deleted = Some(self.snapshot.now().unwrap_or(Timestamp(0)));
            meta.deletion_grace_seconds = Some(0);
            meta.resource_version = meta.resource_version.successor();
            self.set(id, Some(Arc::new(marked)));
        }
    }

    /// Adds an object that the snapshot does not have, and returns its place: the one asked for, unless the world has
    /// another object there, or else the next free one.
    pub fn add<T: Resource>(&mut self, object: Arc<T>, wanted: Option<Id<T>>) -> Id<T> {
        let base = u32::try_from(self.snapshot.all::<T>().len()).unwrap_or(u32::MAX);
        let id = wanted.filter(|id| self.get(*id).is_none()).unwrap_or_else(|| {
            let last = self.changed_of::<T>().next_back();
            Id::new(last.map_or(base, |(last, _)| base.max(last.0.saturating_add(1))))
        });
        self.set(id, Some(object));
        id
    }

    /// An object, if it exists now, whatever its kind.
    pub fn object(&self, id: ObjectId) -> Option<HeldObject<'s>> {
        match self.place(id) {
            Ok(at) => self.changed[at].1.clone(),
            Err(_) if self.is_focused(id.kind) => None,
            Err(_) => self.snapshot.object(id),
        }
    }

    /// Whether the object was created since the world was recorded, also under the name of a recorded one that is gone.
    pub fn is_new(&self, id: impl Into<ObjectId>) -> bool {
        let id = id.into();
        let recorded = self.snapshot.object(id);
        self.object(id).is_some_and(|now| recorded.is_none_or(|recorded| recorded.meta().uid != now.meta().uid))
    }

    /// The objects that have that mark, by place.
    pub fn marked(&self, mark: Mark) -> impl Iterator<Item = ObjectId> {
        self.marks.iter().filter(move |(known, _)| *known == mark).map(|(_, id)| *id)
    }

    /// Whether any object is marked.
    pub fn has_marks(&self) -> bool {
        !self.marks.is_empty()
    }

    /// Whether the object has that mark.
    pub fn has_mark(&self, id: ObjectId, mark: Mark) -> bool {
        self.marks.binary_search(&(mark, id)).is_ok()
    }

    /// The marks of an object.
    pub fn marks_of(&self, id: ObjectId) -> impl Iterator<Item = Mark> {
        self.marks.iter().filter(move |(_, marked)| *marked == id).map(|(mark, _)| *mark)
    }

    /// Marks an object. The overlay names every object that differs from the snapshot, also where only a mark does.
    pub fn mark(&mut self, id: impl Into<ObjectId>, mark: Mark) {
        let id = id.into();
        if let Err(free) = self.marks.binary_search(&(mark, id)) {
            self.marks.insert(free, (mark, id));
            if let Err(free) = self.place(id)
                && let Some(object) = self.object(id)
            {
                self.changed.insert(free, (id, Some(object)));
            }
        }
    }
}
