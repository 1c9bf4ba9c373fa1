//! The objects for code that only reads, such as the scheduler: the objects of a snapshot, or the objects at one moment
//! of a simulation.

use super::World;
use crate::model::{Id, Resource};
use crate::snapshot::{Coverage, Snapshot};

/// A snapshot, or a world of a simulation.
#[derive(Clone, Copy, Debug)]
pub enum View<'w> {
    /// The objects as they were read.
    Snapshot(&'w Snapshot),
    /// The objects at one moment of a simulation.
    World(&'w World<'w>),
}

impl<'w> View<'w> {
    fn snapshot(self) -> &'w Snapshot {
        match self {
            Self::Snapshot(snapshot) => snapshot,
            Self::World(world) => world.snapshot(),
        }
    }

    /// Returns the coverage of the snapshot. A simulation reads no further objects.
    pub fn coverage(self) -> &'w Coverage {
        self.snapshot().coverage()
    }

    /// Returns the object of this name, if it exists.
    pub fn find<T: Resource>(self, namespace: &str, name: &str) -> Option<&'w T> {
        match self {
            Self::Snapshot(snapshot) => snapshot.find(namespace, name),
            Self::World(world) => world.id(namespace, name).and_then(|id| world.get_ref(id)),
        }
    }

    /// Returns all objects of a kind: first the recorded objects, sorted by namespace and name, then the objects that
    /// were created since.
    pub fn all<T: Resource>(self) -> impl Iterator<Item = &'w T> {
        let (recorded, world) = match self {
            Self::Snapshot(snapshot) => (snapshot.all::<T>(), None),
            Self::World(world) => (&[] as &[T], Some(world)),
        };
        let places = world.into_iter().flat_map(|world| world.places().into_iter().map(move |id: Id<T>| (world, id)));
        recorded.iter().chain(places.filter_map(|(world, id)| world.get_ref(id)))
    }
}
