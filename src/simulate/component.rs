//! Which objects can influence each other.

use crate::controllers::{CONTROLLERS, Links, Settings};
use crate::model::{Id, Kind, ObjectId, Resource};
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
}

/// The kinds whose objects controllers sync, whoever of them takes part, in order.
pub fn synced_kinds() -> Vec<Kind> {
    let mut kinds: Vec<Kind> = CONTROLLERS.iter().flat_map(|controller| controller.syncs).copied().collect();
    kinds.sort_unstable();
    kinds.dedup();
    kinds
}

/// All components, in the order of their first object.
pub fn components(snapshot: &Snapshot, settings: &Settings<'_>) -> Vec<Component> {
    let mut links = Links::new(snapshot, &synced_kinds());
    for controller in CONTROLLERS {
        (controller.links)(snapshot, settings, &mut links);
    }
    links.groups().into_iter().map(|objects| Component { objects }).collect()
}
