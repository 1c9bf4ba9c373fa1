//! The places of objects in the lists of a snapshot.

use super::{Kind, Resource};
use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::marker::PhantomData;

/// The place of an object among the objects of its kind. Places are sorted by namespace and name.
pub struct Id<T>(
    /// The place, counted from 0.
    pub u32,
    PhantomData<fn() -> T>,
);

impl<T> Id<T> {
    /// Creates an id from a place.
    pub const fn new(at: u32) -> Self {
        Self(at, PhantomData)
    }
}

impl<T> Clone for Id<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Id<T> {}

impl<T> PartialEq for Id<T> {
    fn eq(&self, other: &Self) -> bool {
        self.0 == other.0
    }
}

impl<T> Eq for Id<T> {}

impl<T> PartialOrd for Id<T> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<T> Ord for Id<T> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.cmp(&other.0)
    }
}

impl<T> Hash for Id<T> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.hash(state);
    }
}

impl<T: Resource> fmt::Debug for Id<T> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}#{}", T::KIND.short(), self.0)
    }
}

/// The place of an object of any kind. The order is that of listings: by kind, then by namespace and name.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ObjectId {
    /// The kind.
    pub kind: Kind,
    /// The place among the objects of this kind, counted from 0.
    pub at: u32,
}

impl ObjectId {
    /// Returns the place as an [`Id`] of the type `T`. The value is `None` if the object is of another kind.
    pub fn of<T: Resource>(self) -> Option<Id<T>> {
        (self.kind == T::KIND).then_some(Id::new(self.at))
    }
}

impl<T: Resource> From<Id<T>> for ObjectId {
    fn from(id: Id<T>) -> Self {
        Self { kind: T::KIND, at: id.0 }
    }
}

impl fmt::Debug for ObjectId {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}#{}", self.kind.short(), self.at)
    }
}
