//! The API's objects: the snapshot, with an overlay of the objects that were written since.

use crate::model::{Held, HeldObject, Id, Kind, ObjectId, Resource, Str, Timestamp};
use crate::snapshot::{Absence, Snapshot};
use std::sync::Arc;

/// A read on which a decision rests, in the words of RBAC.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Need {
    /// The verb.
    pub verb: &'static str,
    /// The kind that was read.
    pub kind: Kind,
    /// The namespace. It is empty for kinds without namespaces.
    pub namespace: Str,
}

/// An action of a controller that no object of the API shows, such as deleting the storage of a volume. Each controller
/// defines what its marks mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Mark(pub u8);

/// An object that differs from the snapshot. The second value is `None` if the object is gone.
pub type Changed<'s> = (ObjectId, Option<HeldObject<'s>>);

/// What a controller remembers about an object, as a list of objects. No object of the API shows it. An example is the
/// node that the scheduler has chosen for a pod. Each controller defines what its lists mean.
pub type Memory = Arc<[ObjectId]>;

/// The API's objects at one moment of a simulation. A clone copies only the overlay.
#[derive(Clone, Debug)]
pub struct World<'s> {
    snapshot: &'s Snapshot,
    /// The overlay, sorted by place.
    changed: Vec<Changed<'s>>,
    /// The marks, sorted by mark and then by place.
    marks: Vec<(Mark, ObjectId)>,
    /// What controllers remember about objects, sorted by object.
    memories: Vec<(ObjectId, Memory)>,
    /// The kinds whose objects in the snapshot are hidden. Of these kinds, only the objects in the overlay exist.
    focused: &'static [Kind],
}

impl<'s> World<'s> {
    /// Returns the world in which the objects are as the snapshot has them. Objects that were deleted do not exist.
    pub fn new(snapshot: &'s Snapshot) -> Self {
        let changed = snapshot.deleted().iter().map(|id| (*id, None)).collect();
        Self { snapshot, changed, marks: Vec::new(), memories: Vec::new(), focused: &[] }
    }

    /// Returns a world without any object of these kinds. The caller adds the few objects of interest.
    pub fn focused(snapshot: &'s Snapshot, kinds: &'static [Kind]) -> Self {
        Self { focused: kinds, ..Self::new(snapshot) }
    }

    /// Returns whether only the added objects of this kind exist.
    pub fn is_focused(&self, kind: Kind) -> bool {
        self.focused.contains(&kind)
    }

    /// Returns the snapshot on which the world is based.
    pub fn snapshot(&self) -> &'s Snapshot {
        self.snapshot
    }

    fn place(&self, id: ObjectId) -> Result<usize, usize> {
        self.changed.binary_search_by_key(&id, |(changed, _)| *changed)
    }

    /// Returns the object, if it exists now.
    pub fn get<T: Resource>(&self, id: Id<T>) -> Option<Held<'s, T>> {
        match self.place(id.into()) {
            Ok(at) => self.changed[at].1.as_ref().and_then(HeldObject::of).cloned(),
            Err(_) if self.is_focused(T::KIND) => None,
            Err(_) => self.snapshot.all::<T>().get(id.0 as usize).map(Held::Base),
        }
    }

    /// Returns a reference to the object, if the object exists now. [`Self::get`] is for callers that keep the object.
    pub fn get_ref<T: Resource>(&self, id: Id<T>) -> Option<&T> {
        match self.place(id.into()) {
            Ok(at) => self.changed[at].1.as_ref().and_then(HeldObject::of).map(|held| &**held),
            Err(_) if self.is_focused(T::KIND) => None,
            Err(_) => self.snapshot.all::<T>().get(id.0 as usize),
        }
    }

    /// Returns the place of the object of this name. An object of the snapshot has a place even if it does not exist
    /// any more.
    pub fn id<T: Resource>(&self, namespace: &str, name: &str) -> Option<Id<T>> {
        self.snapshot.id_or_deleted(namespace, name).or_else(|| {
            let named = |object: &&Held<'s, T>| object.meta().name == name && object.meta().namespace == namespace;
            let mut created = self.created::<T>();
            created.find(|(_, object)| object.as_ref().is_some_and(named)).map(|(id, _)| id)
        })
    }

    /// Returns the object of this name, if it exists now.
    pub fn find<T: Resource>(&self, namespace: &str, name: &str) -> Option<(Id<T>, Held<'s, T>)> {
        let id = self.id(namespace, name)?;
        self.get(id).map(|object| (id, object))
    }

    /// Returns the places of all objects of a kind, sorted. Some of these objects may be gone.
    pub fn places<T: Resource>(&self) -> Vec<Id<T>> {
        let recorded = u32::try_from(self.snapshot.all::<T>().len()).unwrap_or(u32::MAX);
        (0..recorded).map(Id::new).chain(self.created().map(|(id, _)| id)).collect()
    }

    /// Returns whether it is certain that no object of this name existed when the snapshot was read. The answer holds
    /// only for a name that the snapshot does not have.
    pub fn was_certainly_absent(&self, kind: Kind, namespace: &str, name: &str) -> bool {
        self.snapshot.coverage().absence_of(kind, namespace, name) == Absence::Certain
    }

    /// Returns the objects that differ from the snapshot, including objects that are gone and new objects, sorted by
    /// place.
    pub fn changed(&self) -> &[Changed<'s>] {
        &self.changed
    }

    /// Returns the objects of a kind that differ from the snapshot, sorted by place. They include objects that are gone
    /// and new objects.
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

    /// Returns the objects of a kind that the snapshot does not have, sorted by place. They include objects that are
    /// gone again.
    pub fn created<T: Resource>(&self) -> impl Iterator<Item = (Id<T>, Option<&Held<'s, T>>)> {
        let recorded = u32::try_from(self.snapshot.all::<T>().len()).unwrap_or(u32::MAX);
        self.changed_from(Id::new(recorded))
    }

    /// Stores an object at a place, or removes it.
    pub fn set<T: Resource>(&mut self, id: Id<T>, object: Option<Arc<T>>) {
        self.put(id.into(), object.map(|object| T::hold(Held::Written(object))));
    }

    /// Stores an object of any kind at a place, or removes it.
    pub fn put(&mut self, id: ObjectId, object: Option<HeldObject<'s>>) {
        match self.place(id) {
            Ok(at) => self.changed[at].1 = object,
            Err(free) => self.changed.insert(free, (id, object)),
        }
    }

    /// Deletes an object as the API server does. An object without finalizers disappears immediately. An object with
    /// finalizers gets a deletion timestamp.
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

    /// Adds an object that the snapshot does not have, and returns its place. The object gets the wanted place. It gets
    /// the next free place if no place is wanted, or if the world has another object at the wanted place.
    pub fn add<T: Resource>(&mut self, object: Arc<T>, wanted: Option<Id<T>>) -> Id<T> {
        let base = u32::try_from(self.snapshot.all::<T>().len()).unwrap_or(u32::MAX);
        let id = wanted.filter(|id| self.get(*id).is_none()).unwrap_or_else(|| {
            let last = self.changed_of::<T>().next_back();
            Id::new(last.map_or(base, |(last, _)| base.max(last.0.saturating_add(1))))
        });
        self.set(id, Some(object));
        id
    }

    /// Returns the object of any kind, if it exists now.
    pub fn object(&self, id: ObjectId) -> Option<HeldObject<'s>> {
        match self.place(id) {
            Ok(at) => self.changed[at].1.clone(),
            Err(_) if self.is_focused(id.kind) => None,
            Err(_) => self.snapshot.object(id),
        }
    }

    /// Returns whether the object was created after the snapshot was read. The new object may have the name of a
    /// recorded object that is gone.
    pub fn is_new(&self, id: impl Into<ObjectId>) -> bool {
        let id = id.into();
        let recorded = self.snapshot.object(id);
        self.object(id).is_some_and(|now| recorded.is_none_or(|recorded| recorded.meta().uid != now.meta().uid))
    }

    /// Returns the objects that have this mark, sorted by place.
    pub fn marked(&self, mark: Mark) -> impl Iterator<Item = ObjectId> {
        self.marks.iter().filter(move |(known, _)| *known == mark).map(|(_, id)| *id)
    }

    /// Returns whether any object is marked, or whether a controller remembers something about an object.
    pub fn has_marks_or_memories(&self) -> bool {
        !self.marks.is_empty() || !self.memories.is_empty()
    }

    /// Returns whether the object has this mark.
    pub fn has_mark(&self, id: ObjectId, mark: Mark) -> bool {
        self.marks.binary_search(&(mark, id)).is_ok()
    }

    /// Returns the marks of an object.
    pub fn marks_of(&self, id: ObjectId) -> impl Iterator<Item = Mark> {
        self.marks.iter().filter(move |(_, marked)| *marked == id).map(|(mark, _)| *mark)
    }

    /// Adds a mark to an object, and adds the object to the overlay. The overlay lists every object that differs from
    /// the snapshot, including an object that differs only in its marks.
    pub fn mark(&mut self, id: impl Into<ObjectId>, mark: Mark) {
        let id = id.into();
        if let Err(free) = self.marks.binary_search(&(mark, id)) {
            self.marks.insert(free, (mark, id));
            self.list(id);
        }
    }

    /// Adds an object to the overlay as it is, unless the overlay has it.
    fn list(&mut self, id: ObjectId) {
        if let Err(free) = self.place(id)
            && let Some(object) = self.object(id)
        {
            self.changed.insert(free, (id, Some(object)));
        }
    }

    /// Returns what a controller remembers about an object. The value is `None` if no controller remembers anything.
    pub fn memory_of(&self, id: impl Into<ObjectId>) -> Option<&Memory> {
        let id = id.into();
        let place = self.memories.binary_search_by_key(&id, |(known, _)| *known).ok()?;
        self.memories.get(place).map(|(_, memory)| memory)
    }

    /// Stores what a controller remembers about an object. The overlay lists the object from then on.
    pub fn remember(&mut self, id: impl Into<ObjectId>, memory: Memory) {
        let id = id.into();
        match self.memories.binary_search_by_key(&id, |(known, _)| *known) {
            Ok(place) => self.memories[place].1 = memory,
            Err(free) => self.memories.insert(free, (id, memory)),
        }
        self.list(id);
    }

    /// Removes what a controller remembers about an object.
    pub fn forget(&mut self, id: impl Into<ObjectId>) {
        let id = id.into();
        self.memories.retain(|(known, _)| *known != id);
    }
}
