//! The PersistentVolume controller: `pkg/controller/volume/persistentvolume` of Kubernetes 1.36.

pub mod alike;
pub mod binding;
pub mod candidates;
pub mod claim;
pub mod dispatch;
pub mod ends;
pub mod leaves;
pub mod links;
mod log;
pub mod matching;
mod messages;
pub mod nearest;
pub mod needs;
pub mod plugins;
pub mod provision;
pub mod reclaim;
pub mod recycler;
pub mod sameness;
pub mod volume;

use crate::controllers::{Branch, Controller, ControllerSpec, SyncContext};
use crate::model::{
    Held, Kind, Node, ObjectId, PersistentVolume, PersistentVolumeClaim, ReclaimPolicy, StorageClass, TypedId,
};
use crate::snapshot::VolumeId;
use crate::world::{ApiError, Mark, World};

pub use candidates::{Candidate, Candidates, Planned, Search, match_claim, planned};
pub use claim::sync_claim;
pub use dispatch::{claim_deleted, sync_claim_by_key, sync_volume_by_key, volume_deleted};
pub use log::LOG;
pub use nearest::{Nearest, Nearness};
pub use volume::sync_volume;

/// The controller that binds claims and volumes, and reclaims volumes.
pub const CONTROLLER: Controller = Controller::of(&ControllerSpec {
    syncs: &BOUND_KINDS,
    // This controller has caches of its own and runs operations.
    memory: |stated| stated.clone(),
    retries_errors: |behavior| behavior.errors_are_retried,
    resyncs: true,
    links: links::join,
    same: sameness::same,
    is_hidden: sameness::is_hidden,
    looks_at,
    needs: needs::needs,
    late: delete_by_name,
    alike: alike::alike,
    has_ends: |_, id| BOUND_KINDS.contains(&id.kind),
    ends: ends::ends,
    ..ControllerSpec::named(CONTROLLER_NAME, "persistentvolume-binder", |sync, behavior, id| match id.typed() {
        TypedId::PersistentVolume(id) => {
            if let Some(volume) = sync.cached_but_deleted(id) {
                sync.logs_volume(&messages::VOLUME_KEY, &volume);
                return Some(volume_deleted(sync, &volume));
            }
            sync.logs_begin(&messages::VOLUME_KEY, id);
            sync_volume(sync, behavior, id).map(Branch::from)
        }
        TypedId::PersistentVolumeClaim(id) => {
            if let Some(claim) = sync.cached_but_deleted(id) {
                sync.logs_claim(&messages::CLAIM_KEY, &claim);
                return Some(claim_deleted(sync, &claim));
            }
            sync.logs_begin(&messages::CLAIM_KEY, id);
            sync_claim(sync, behavior, id).map(Branch::from)
        }
        _ => None,
    })
});

const CONTROLLER_NAME: &str = "persistentvolume-binder-controller";

/// Returns whether the sync of `object` reads `other`. A claim's sync reads all volumes; a volume's sync reads the
/// claim that its claimRef names.
fn looks_at(world: &World<'_>, object: ObjectId, other: ObjectId) -> bool {
    let named = |id: VolumeId| {
        let volume = world.get(id)?;
        let named = volume.claim_ref.as_ref()?;
        world.id::<PersistentVolumeClaim>(&named.namespace, &named.name).map(ObjectId::from)
    };
    object == other
        || match object.typed() {
            TypedId::PersistentVolumeClaim(_) => other.kind == Kind::PersistentVolume,
            TypedId::PersistentVolume(id) => named(id) == Some(other),
            _ => false,
        }
}

/// The kinds that take part in binding.
pub const BOUND_KINDS: [Kind; 2] = [Kind::PersistentVolume, Kind::PersistentVolumeClaim];

/// Marks that this controller or an external provisioner has deleted the storage of a volume, whether the object still
/// exists or not.
pub const DESTROYED: Mark = Mark(0);

/// Marks that the controller has started a pod that erases a volume. The pod continues whatever happens to the volume,
/// and no object shows when the pod has finished.
pub const SCRUBBING: Mark = Mark(1);

/// Returns the world in which an old delete operation has deleted a new volume. The operation was started for a volume
/// of the snapshot. It may still run when that volume is gone and a new volume has its name. The operation identifies
/// the volume only by its name, so it deletes the new volume. The result is empty if this cannot happen. Upstream:
/// `deleteVolumeOperation`, 1.36.
fn delete_by_name<'s>(world: &World<'s>, id: ObjectId) -> Vec<World<'s>> {
    let Some(volume) = id.of::<PersistentVolume>() else { return Vec::new() };
    let deleted = |recorded: &PersistentVolume| recorded.reclaim_policy == ReclaimPolicy::Delete;
    if !world.is_new(id) || !world.snapshot().volumes().get(volume.0 as usize).is_some_and(deleted) {
        return Vec::new();
    }
    let mut after = world.clone();
    after.delete(volume);
    vec![after]
}

impl<'s> SyncContext<'_, 's> {
    /// Returns the class of this name.
    ///
    /// # Errors
    /// Returns an error if the lister fails. An absent class is not an error here.
    fn class(&mut self, name: &str) -> Result<Option<Held<'s, StorageClass>>, ApiError> {
        let class = self.lister_get("", name)?;
        if class.is_none() {
            self.needs_list(Kind::StorageClass, "");
        }
        Ok(class)
    }

    /// Returns the node of this name, if the informer has it.
    fn node(&mut self, name: &str) -> Option<Held<'s, Node>> {
        let node = self.world().id("", name).and_then(|id| self.informed(id));
        if node.is_none() {
            self.needs_list(Kind::Node, "");
        }
        node
    }
}
