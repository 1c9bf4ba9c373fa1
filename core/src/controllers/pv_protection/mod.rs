//! The controller that prevents the removal of bound volumes: `pkg/controller/volume/pvprotection` of Kubernetes 1.36.

pub mod leaves;
mod messages;

use super::log::{Log, Message, Named};
use super::spec::{Controller, ControllerSpec};
use super::{Branch, SyncContext, finalizers};
use crate::model::{HeldObject, Kind, PersistentVolume, VolumePhase};
use crate::snapshot::VolumeId;
use crate::world::ApiError;
use leaves::VolumeProtectionBranch;

/// The finalizer that prevents the removal of a volume.
pub const FINALIZER: &str = "kubernetes.io/pv-protection";

/// The controller that prevents the removal of bound volumes.
pub const CONTROLLER: Controller = Controller::of(&ControllerSpec {
    syncs: &[Kind::PersistentVolume],
    same,
    // The phase of a volume matters only while the volume is being deleted.
    is_hidden: |step| step.before.kind() != Kind::PersistentVolume || step.before.meta().deleted.is_none(),
    ..ControllerSpec::named(NAME, "pv-protection", |sync, _, id| {
        let id = id.of::<PersistentVolume>()?;
        let name = sync.world().get(id)?.meta.name.clone();
        sync.log(|| messages::PROCESSING.entry([name.as_str().into()]));
        let branch = sync_volume(sync, id);
        sync.log(|| messages::FINISHED.entry([name.as_str().into(), "0s".into()]));
        Some(branch.into())
    })
});

const NAME: &str = "persistentvolume-protection-controller";

/// What the controller logs.
pub const LOG: Log = Log {
    component: NAME,
    files: &["pv_protection_controller.go"],
    messages: &[messages::MESSAGES],
    ends: |leaf| matches!(leaf, Branch::VolumeProtectionBranch(_)),
    names: |values| {
        let volume =
            |(key, value): &(&str, &str)| Named::object(Kind::PersistentVolume, value).filter(|_| *key == "PV");
        values.iter().filter_map(volume).collect()
    },
};

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
            sync.log(|| messages::KEEPING.entry([volume.meta.name.as_str().into()]));
            return VolumeProtectionBranch::VolumeKeptBound;
        }
        let mut changed = (*volume).clone();
        changed.meta.finalizers = finalizers::without(&volume.meta.finalizers, FINALIZER);
        let result = sync.update(id, changed).map(drop);
        log_result(sync, &volume, &result, [&messages::REMOVED, &messages::REMOVE_FAILED]);
        finalizers::finish(result, sync);
        return VolumeProtectionBranch::VolumeProtectionRemoved;
    }
    if !volume.terminating() && !protected {
        let mut changed = (*volume).clone();
        changed.meta.finalizers = finalizers::with(&volume.meta.finalizers, FINALIZER);
        let result = sync.update(id, changed).map(drop);
        log_result(sync, &volume, &result, [&messages::ADDED, &messages::ADD_FAILED]);
        finalizers::finish(result, sync);
        return VolumeProtectionBranch::VolumeProtectionAdded;
    }
    VolumeProtectionBranch::VolumeProtectionUnchanged
}

/// Logs that a finalizer was written, or that it could not be written.
fn log_result(
    sync: &mut SyncContext<'_, '_>,
    volume: &PersistentVolume,
    result: &Result<(), ApiError>,
    [done, failed]: [&Message; 2],
) {
    let name = volume.meta.name.as_str();
    sync.log(|| match result {
        Ok(()) => done.entry([name.into()]),
        Err(error) => failed.entry([name.into(), error.to_string().into()]),
    });
}
