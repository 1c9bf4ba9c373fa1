//! Which objects can influence each other.

use crate::controllers::{CONTROLLERS, Links, Participants, Settings, acting};
use crate::model::{Id, ObjectId, Resource};
use crate::snapshot::Snapshot;

/// A set of objects that can influence each other, sorted by kind and, within a kind, by name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Component {
    /// The objects of the component, in this order.
    pub objects: Vec<ObjectId>,
}

impl Component {
    /// Returns the objects of the kind `T` in this component.
    pub fn of<T: Resource>(&self) -> impl ExactSizeIterator<Item = Id<T>> + DoubleEndedIterator + Clone {
        let start = self.objects.partition_point(|id| id.kind < T::KIND);
        let end = self.objects.partition_point(|id| id.kind <= T::KIND);
        self.objects[start..end].iter().map(|id| Id::new(id.at))
    }
}

/// Returns all components of the snapshot, ordered by their first object.
pub fn components(snapshot: &Snapshot, settings: &Settings<'_>) -> Vec<Component> {
    components_of(snapshot, settings, &Participants::new(snapshot, &settings.controllers))
}

/// Returns all components of the participants, ordered by their first object.
pub(super) fn components_of(
    snapshot: &Snapshot,
    settings: &Settings<'_>,
    participants: &Participants,
) -> Vec<Component> {
    let mut links = Links::new(participants);
    for controller in CONTROLLERS.into_iter().chain(acting(&settings.controllers)) {
        (controller.links)(snapshot, settings, &mut links);
    }
    links.groups().into_iter().map(|objects| Component { objects }).collect()
}
