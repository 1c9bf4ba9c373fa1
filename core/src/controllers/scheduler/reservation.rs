//! What the scheduler remembers about a pod while the volumes of the pod are being bound.

use crate::model::{Id, Node, ObjectId, PersistentVolume, PersistentVolumeClaim, Str, TypedId};
use crate::world::{Memory, View};

/// The node that was chosen for a pod, and what `PreBind` has written for it. Upstream: `PodVolumes`, 1.36.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Reservation {
    /// The node.
    pub(super) node: Id<Node>,
    /// The volumes that were reserved, each with its claim.
    pub(super) bindings: Vec<(Id<PersistentVolume>, Id<PersistentVolumeClaim>)>,
    /// The claims for which the node was selected.
    pub(super) provisions: Vec<Id<PersistentVolumeClaim>>,
}

impl Reservation {
    /// Returns the reservation that the memory holds. The memory is a list of objects: first the node, then each
    /// reserved volume, followed by its claim, and at the end the claims for which volumes are to be provisioned.
    /// Returns None for a memory of another form.
    pub(super) fn of(memory: &Memory) -> Option<Self> {
        let mut ids = memory.iter().map(|id| id.typed());
        let Some(TypedId::Node(node)) = ids.next() else { return None };
        let mut found = Self { node, bindings: Vec::new(), provisions: Vec::new() };
        while let Some(id) = ids.next() {
            match id {
                TypedId::PersistentVolumeClaim(claim) => found.provisions.push(claim),
                TypedId::PersistentVolume(volume) => match ids.next()? {
                    TypedId::PersistentVolumeClaim(claim) => found.bindings.push((volume, claim)),
                    _ => return None,
                },
                _ => return None,
            }
        }
        Some(found)
    }

    /// Returns the memory that holds the reservation.
    pub(super) fn memory(&self) -> Memory {
        let pairs = self.bindings.iter().flat_map(|(volume, claim)| [ObjectId::from(*volume), (*claim).into()]);
        let claims = self.provisions.iter().map(|claim| ObjectId::from(*claim));
        [ObjectId::from(self.node)].into_iter().chain(pairs).chain(claims).collect()
    }

    /// Returns the name of the node, if the node exists.
    pub(super) fn node_name(self, view: View<'_>) -> Option<&Str> {
        view.name_of(self.node)
    }
}
