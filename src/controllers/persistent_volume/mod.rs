//! The PersistentVolume controller: `pkg/controller/volume/persistentvolume` of Kubernetes 1.36.

pub mod alike;
pub mod binding;
pub mod candidates;
pub mod claim;
pub mod dispatch;
pub mod links;
pub mod matching;
pub mod nearest;
pub mod needs;
pub mod plugins;
pub mod provision;
pub mod reclaim;
pub mod sameness;
pub mod volume;

use crate::controllers::Sync;
use crate::model::{Held, Kind, Node, PersistentVolume, ReclaimPolicy, StorageClass};
use crate::snapshot::VolumeId;
use crate::world::{ApiError, Mark, World};

pub use claim::sync_claim;
pub use dispatch::{sync_claim_by_key, sync_volume_by_key};
pub use volume::sync_volume;

/// The kinds that binding is about.
pub const BOUND_KINDS: [Kind; 2] = [Kind::PersistentVolume, Kind::PersistentVolumeClaim];

/// The controller has deleted the storage behind a volume, whether the object is still there or not.
pub const DESTROYED: Mark = Mark(0);

/// The controller has started a pod that erases a volume. The pod goes on whatever becomes of the volume, and nobody
/// knows when it is done.
pub const SCRUBBING: Mark = Mark(1);

/// Whether an operation that was to delete a volume may delete this one, which has come in its place meanwhile: it asks
/// for it by its name alone. Upstream: `deleteVolumeOperation`, 1.36.
pub fn may_be_mistaken(world: &World<'_>, id: VolumeId) -> bool {
    let deleted = |recorded: &PersistentVolume| recorded.reclaim_policy == ReclaimPolicy::Delete;
    world.is_new(id) && world.snapshot().volumes().get(id.0 as usize).is_some_and(deleted)
}

impl<'s> Sync<'_, 's> {
    /// The class of that name.
    ///
    /// # Errors
    /// When the lister fails; an absent class is not an error here.
    fn class(&mut self, name: &str) -> Result<Option<Held<'s, StorageClass>>, ApiError> {
        let class = self.lister_get("", name)?;
        if class.is_none() {
            self.needs_list(Kind::StorageClass, "");
        }
        Ok(class)
    }

    /// The node of that name.
    fn node(&mut self, name: &str) -> Option<Held<'s, Node>> {
        let node = self.world().id("", name).and_then(|id| self.informed(id));
        if node.is_none() {
            self.needs_list(Kind::Node, "");
        }
        node
    }
}
