//! The objects for code that only reads, such as the scheduler: the objects of a snapshot, or the objects at one moment
//! of a simulation.

use super::{Memory, World};
use crate::model::{Id, ObjectId, Pod, Resource, Str};
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
        self.with_ids().map(|(_, object)| object)
    }

    /// Returns all objects of a kind with their places, in the same order as [`Self::all`].
    pub fn with_ids<T: Resource>(self) -> impl Iterator<Item = (Id<T>, &'w T)> {
        let (recorded, world) = match self {
            Self::Snapshot(snapshot) => (snapshot.all::<T>(), None),
            Self::World(world) => (&[] as &[T], Some(world)),
        };
        let places = world.into_iter().flat_map(|world| world.places().into_iter().map(move |id: Id<T>| (world, id)));
        let recorded = (0..).map(Id::new).zip(recorded);
        recorded.chain(places.filter_map(|(world, id)| world.get_ref(id).map(|object| (id, object))))
    }

    /// Returns what a controller remembers about an object. In a snapshot, the value is always `None`.
    pub fn memory_of(self, id: impl Into<ObjectId>) -> Option<&'w Memory> {
        match self {
            Self::Snapshot(_) => None,
            Self::World(world) => world.memory_of(id),
        }
    }

    /// Returns the object at this place, if it exists.
    pub fn get<T: Resource>(self, id: Id<T>) -> Option<&'w T> {
        match self {
            Self::Snapshot(snapshot) => snapshot.all::<T>().get(id.0 as usize),
            Self::World(world) => world.get_ref(id),
        }
    }

    /// Returns the pods that refer to the claim of this name.
    pub fn pods_of<'n>(self, namespace: &'n str, claim: &'n str) -> impl Iterator<Item = (Id<Pod>, &'w Pod)> {
        let recorded = self.snapshot().pod_ids_of(namespace, claim).iter().copied();
        let created = match self {
            Self::Snapshot(_) => None,
            Self::World(world) => Some(world.created::<Pod>().map(|(id, _)| id)),
        };
        let refers = move |pod: &Pod| pod.meta.namespace == namespace && pod.claim_names().any(|name| name == claim);
        let pods = recorded.chain(created.into_iter().flatten());
        pods.filter_map(move |id| self.get(id).filter(|pod| refers(pod)).map(|pod| (id, pod)))
    }

    /// Returns the name of an object of this kind, if the object exists.
    pub fn name_of<T: Resource>(self, id: Id<T>) -> Option<&'w Str> {
        self.get(id).map(|object| &object.meta().name)
    }
}
