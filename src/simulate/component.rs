//! Which objects can influence each other.

use super::decide::Target;
use crate::controllers::persistent_volume::BOUND_KINDS;
use crate::controllers::persistent_volume::links::join;
use crate::controllers::{Links, Settings};
use crate::model::{Id, ObjectId, Resource};
use crate::snapshot::Snapshot;

/// Objects that can influence each other, by kind and each kind in the order of names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Component {
    /// The objects.
    pub objects: Vec<ObjectId>,
}

impl Component {
    /// Its objects of a kind.
    pub fn of<T: Resource>(&self) -> impl ExactSizeIterator<Item = Id<T>> + DoubleEndedIterator + Clone {
        let start = self.objects.partition_point(|id| id.kind < T::KIND);
        let end = self.objects.partition_point(|id| id.kind <= T::KIND);
        self.objects[start..end].iter().map(|id| Id::new(id.at))
    }

    /// Its objects, as controllers sync them.
    pub fn targets(&self) -> Vec<Target> {
        self.objects.iter().filter_map(|id| Target::at(*id)).collect()
    }
}

/// All components, in the order of their first object.
pub fn components(snapshot: &Snapshot, settings: &Settings<'_>) -> Vec<Component> {
    let mut links = Links::new(snapshot, &BOUND_KINDS);
    join(snapshot, settings, &mut links);
    links.groups().into_iter().map(|objects| Component { objects }).collect()
}
