//! The controller that prevents the removal of bound volumes: `pkg/controller/volume/pvprotection` of Kubernetes 1.36.

pub mod leaves;

use super::spec::{Controller, ControllerSpec};
use super::{SyncContext, finalizers};
use crate::model::{HeldObject, Kind, PersistentVolume, VolumePhase};
use crate::snapshot::VolumeId;
use leaves::VolumeProtectionBranch;

/// The finalizer that prevents the removal of a volume.
pub const FINALIZER: &str = "kubernetes.io/pv-protection";

/// The controller that prevents the removal of bound volumes.
pub const CONTROLLER: Controller = Controller::of(&ControllerSpec {
    syncs: &[Kind::PersistentVolume],
    same,
    // The phase of a volume matters only while the volume is being deleted.
    is_hidden: |step| step.before.kind() != Kind::PersistentVolume || step.before.meta().deleted.is_none(),
    ..ControllerSpec::named("persistentvolume-protection-controller", "pv-protection", |sync, _, id| {
        let id = id.of().filter(|id| sync.world().get::<PersistentVolume>(*id).is_some())?;
        Some(sync_volume(sync, id).into())
    })
});

fn same(a: &HeldObject<'_>, b: &HeldObject<'_>) -> bool {
    fn phase<'o>(object: &'o HeldObject<'_>) -> Option<&'o VolumePhase> {
        object.of::<PersistentVolume>().map(|volume| &volume.status.phase)
    }
    a.meta().deleted.is_some() == b.meta().deleted.is_some()
        && a.meta().finalizers == b.meta().finalizers
        && phase(a) == phase(b)
}

/// Syncs a volume. If the volume is being deleted, only `status.phase` decides whether its finalizer is removed.
/// Upstream: `processPV`, `pkg/controller/volume/pvprotection`, 1.36.
pub fn sync_volume(sync: &mut SyncContext<'_, '_>, id: VolumeId) -> VolumeProtectionBranch {
    let Some(volume) = sync.cached(id) else { return VolumeProtectionBranch::VolumeProtectionUnchanged };
    let protected = volume.meta.has_finalizer(FINALIZER);
    if volume.terminating() && protected {
        if volume.status.phase == VolumePhase::Bound {
            return VolumeProtectionBranch::VolumeKeptBound;
        }
        let mut changed = (*volume).clone();
        changed.meta.finalizers = finalizers::without(&volume.meta.finalizers, FINALIZER);
        finalizers::finish(sync.update(id, changed).map(drop), sync);
        return VolumeProtectionBranch::VolumeProtectionRemoved;
    }
    if !volume.terminating() && !protected {
        let mut changed = (*volume).clone();
        changed.meta.finalizers = finalizers::with(&volume.meta.finalizers, FINALIZER);
        finalizers::finish(sync.update(id, changed).map(drop), sync);
        return VolumeProtectionBranch::VolumeProtectionAdded;
    }
    VolumeProtectionBranch::VolumeProtectionUnchanged
}
