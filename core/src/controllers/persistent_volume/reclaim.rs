//! Reclaiming: what the controller does to a volume whose claim is gone.

use super::binding::{Volume, fail_volume, unbind_volume};
use super::log::{text, volume_name};
use super::messages;
use super::plugins::{
    Plugin, Provider, delete_host_path, find_deletable_plugin, migrated_driver, recyclable, remote_deleter,
};
use super::volume::{EXTERNAL_FINALIZER, IN_TREE_FINALIZER, migration_annotations, without_in_tree_finalizer};
use crate::controllers::log::Message;
use crate::controllers::persistent_volume::{DESTROYED, SCRUBBING};
use crate::controllers::{DeleteStep, KubernetesBehavior, ReclaimStep, RecycleStep, SyncContext};
use crate::model::{
    AnnotationKey, Kind, PersistentVolume, PersistentVolumeClaim, ReclaimPolicy, SourceKind, VolumePhase,
};
use crate::snapshot::printed;
use crate::world::{ApiError, EventType, ObjectRef, PluginAnswer, Started};

/// Reclaims a released volume according to its policy. Upstream: `reclaimVolume`, 1.36.
///
/// # Errors
/// Returns an error if the API server refuses the status of a volume with an unknown policy.
pub fn reclaim_volume<'s>(
    sync: &mut SyncContext<'_, 's>,
    behavior: &KubernetesBehavior,
    volume: Volume<'s>,
) -> Result<(), ApiError> {
    if let Some(driver) = recorded_driver(&volume.object) {
        if volume.object.reclaim_policy == ReclaimPolicy::Delete {
            sync.wait_for("external-provisioner", driver, "delete the storage and then the PersistentVolume");
        }
        sync.step(ReclaimStep::ReclaimMigrated.into());
        return Ok(());
    }
    let name = &volume.object.meta.name;
    match &volume.object.reclaim_policy {
        ReclaimPolicy::Retain => {
            sync.logs_volume(&messages::RETAIN, &volume.object);
            sync.wait_for(
                "user",
                "",
                "reserve the PersistentVolume for a claim, or delete it if nobody needs its data",
            );
            sync.step(ReclaimStep::ReclaimRetain.into());
        }
        ReclaimPolicy::Recycle => {
            sync.logs_volume(&messages::RECYCLE, &volume.object);
            let started = schedule_operation(sync, &recycling(name, &volume.object.meta.uid));
            sync.step(started_step(started, ReclaimStep::ReclaimRecycle).into());
            if started == Started::Yes {
                recycle_volume_operation(sync, &volume);
            }
        }
        ReclaimPolicy::Delete => {
            sync.logs_volume(&messages::DELETE, &volume.object);
            let started = schedule_operation(sync, &deletion(name, &volume.object.meta.uid));
            sync.step(started_step(started, ReclaimStep::ReclaimDelete).into());
            if started == Started::Yes {
                delete_volume_operation(sync, behavior, volume);
            }
        }
        ReclaimPolicy::Other(_) => {
            sync.step(ReclaimStep::ReclaimUnknownPolicy.into());
            fail_volume(
                sync,
                volume,
                "VolumeUnknownReclaimPolicy",
                "Volume has unrecognized PersistentVolumeReclaimPolicy",
            )?;
        }
    }
    Ok(())
}

/// Tries to start an operation, and logs the result. Upstream: `scheduleOperation`, 1.36.
pub(super) fn schedule_operation(sync: &mut SyncContext<'_, '_>, name: &str) -> Started {
    sync.log(|| messages::OPERATION.entry([name.into()]));
    let started = sync.start_operation(name);
    match started {
        Started::Yes => {}
        Started::Running => sync.log(|| messages::OPERATION_RUNNING.entry([name.into()])),
        Started::Backoff => sync.log(|| messages::OPERATION_BACKOFF.entry([name.into()])),
    }
    started
}

fn started_step(started: Started, yes: ReclaimStep) -> ReclaimStep {
    match started {
        Started::Yes => yes,
        Started::Running => ReclaimStep::ReclaimRunning,
        Started::Backoff => ReclaimStep::ReclaimBackoff,
    }
}

/// Returns whether the volume is released, according to the controller's cache. It is released if no claim has the name
/// and the uid of the claimRef. It is also released if a claim has both and names another volume. A volume whose
/// claimRef has no uid is not released. Upstream:
/// `isVolumeReleased`, 1.36.
fn is_volume_released(sync: &mut SyncContext<'_, '_>, volume: &PersistentVolume) -> bool {
    let Some(claim_ref) = volume.claim_ref.as_ref() else {
        sync.logs_volume(&messages::NO_CLAIM_REF, volume);
        return false;
    };
    if claim_ref.uid.is_empty() {
        sync.logs_volume(&messages::NO_CLAIM_UID, volume);
        return false;
    }
    match sync.cached_named::<PersistentVolumeClaim>(&claim_ref.namespace, &claim_ref.name) {
        // Upstream logs nothing if the claim names another volume.
        Some((_, claim)) if claim.meta.uid == claim_ref.uid => {
            let is_elsewhere = !claim.volume_name.is_empty() && claim.volume_name != volume.meta.name;
            if !is_elsewhere {
                sync.logs_volume(&messages::CLAIM_VALID, volume);
            }
            is_elsewhere
        }
        Some(_) | None => {
            sync.logs_volume(&messages::IS_RELEASED, volume);
            true
        }
    }
}

/// Deletes the storage and the volume. Upstream: `deleteVolumeOperation`, 1.36 and earlier.
fn delete_volume_operation<'s>(sync: &mut SyncContext<'_, 's>, behavior: &KubernetesBehavior, volume: Volume<'s>) {
    sync.logs_volume(&messages::DELETING, &volume.object);
    if !behavior.delete_plugin_first && !still_released(sync, behavior, &volume.object) {
        return;
    }
    let plugin = match find_deletable_plugin(behavior, &volume.object) {
        Provider::InTree(plugin) => plugin,
        Provider::External => {
            sync.wait_for(
                "external-provisioner",
                driver_of(&volume.object),
                "delete the storage and then the PersistentVolume",
            );
            sync.logs_volume(&messages::DELETE_EXTERNAL, &volume.object);
            sync.step(DeleteStep::DeleteExternal.into());
            return;
        }
        Provider::Nobody(text) => {
            sync.wait_for(
                "user",
                "",
                "set policy Retain to keep the data; or, if nobody needs them, delete the PersistentVolume, and then \
                 the storage by hand",
            );
            let object = volume.object.clone();
            let marked = fail_volume(sync, volume, "VolumeFailedDelete", &text);
            match &marked {
                Ok(marked) => sync.logs_volume(&messages::DELETE_EXTERNAL, &marked.object),
                Err(error) => log_unmarked(sync, &messages::DELETE_UNMARKED, &object, error),
            }
            if marked.is_err() {
                sync.step(DeleteStep::DeleteMarkFailed.into());
                sync.operation_failed();
            } else if behavior.delete_plugin_first {
                sync.step(DeleteStep::DeletePluginMissing.into());
            } else {
                sync.step(DeleteStep::DeleteFailed.into());
                sync.operation_failed();
            }
            return;
        }
    };
    sync.log(|| messages::DELETER.entry([plugin.name().into(), volume_name(&volume.object)]));
    if behavior.delete_plugin_first && !still_released(sync, behavior, &volume.object) {
        return;
    }
    run_deleter(sync, behavior, volume, plugin);
}

/// Reads the volume again, and returns whether its storage may be deleted. The result is false if the volume cannot be
/// read, if it is no longer released, or if it is being deleted and Kubernetes skips such volumes
/// (`skip_delete_when_terminating`). Then the function records the leaf.
fn still_released(sync: &mut SyncContext<'_, '_>, behavior: &KubernetesBehavior, volume: &PersistentVolume) -> bool {
    let live = match sync.live_get::<PersistentVolume>(&volume.meta.name) {
        Ok((_, live)) => live,
        Err(error) => {
            sync.log(|| messages::DELETE_UNREAD.entry([volume_name(volume), text(&error)]));
            sync.step(DeleteStep::DeleteVolumeGone.into());
            return false;
        }
    };
    let left_alone = behavior.skip_delete_when_terminating && live.terminating();
    let released = !left_alone && is_volume_released(sync, &live);
    if !released {
        sync.logs_volume(&messages::DELETE_NOT_RELEASED, volume);
        sync.step(DeleteStep::DeleteNotReleased.into());
    }
    released
}

/// Logs that the phase of a volume could not be set to Failed.
fn log_unmarked(sync: &mut SyncContext<'_, '_>, message: &Message, volume: &PersistentVolume, error: &ApiError) {
    sync.log(|| message.entry([volume_name(volume), text(error)]));
}

fn run_deleter<'s>(sync: &mut SyncContext<'_, 's>, behavior: &KubernetesBehavior, volume: Volume<'s>, plugin: Plugin) {
    sync.logs_volume(&messages::STORAGE_DELETING, &volume.object);
    let default = match plugin {
        Plugin::HostPath => match delete_host_path(&volume.object) {
            Ok(()) => PluginAnswer::Done,
            Err(text) => PluginAnswer::Failed(text),
        },
        Plugin::Remote(name) => match remote_deleter(name, &volume.object) {
            Ok(()) => PluginAnswer::Waiting,
            Err(text) => PluginAnswer::Failed(text),
        },
    };
    let failure = match sync.plugin_answer().cloned().unwrap_or(default) {
        PluginAnswer::Waiting => {
            sync.wait_for("in-tree-plugin", plugin.name(), "delete the storage");
            sync.step(ReclaimStep::ReclaimRunning.into());
            return;
        }
        PluginAnswer::InUse(text) => {
            sync.log(|| messages::DELETE_FAILED.entry([volume_name(&volume.object), text.as_str().into()]));
            sync.event(ObjectRef::to(&*volume.object), EventType::Normal, "VolumeDelete", text);
            sync.step(DeleteStep::DeleteInUse.into());
            sync.operation_failed();
            return;
        }
        PluginAnswer::Failed(text) => Some(text),
        PluginAnswer::Done => {
            sync.mark(volume.id, DESTROYED);
            sync.logs_volume(&messages::STORAGE_DELETED, &volume.object);
            remove_finalizer(sync, behavior, &volume.object.meta.name).err()
        }
    };
    if let Some(text) = failure {
        sync.log(|| messages::DELETE_FAILED.entry([volume_name(&volume.object), text.as_str().into()]));
        let object = volume.object.clone();
        let marked = fail_volume(sync, volume, "VolumeFailedDelete", &text);
        if let Err(error) = &marked {
            log_unmarked(sync, &messages::DELETE_UNMARKED, &object, error);
        }
        sync.step(if marked.is_ok() { DeleteStep::DeleteFailed } else { DeleteStep::DeleteMarkFailed }.into());
        sync.operation_failed();
        return;
    }
    sync.logs_volume(&messages::DELETE_SUCCEEDED, &volume.object);
    let deleted = sync.delete(volume.id, &volume.object);
    if let Err(error) = &deleted {
        sync.log(|| messages::DELETE_REFUSED.entry([volume_name(&volume.object), text(error)]));
    }
    sync.step(if deleted.is_ok() { DeleteStep::DeleteSucceeded } else { DeleteStep::DeleteObjectRefused }.into());
}

/// Removes the finalizer that kept the volume until its storage was deleted. Upstream:
/// `removeDeletionProtectionFinalizer`, 1.36; in earlier versions only with the gate `HonorPVReclaimPolicy`.
///
/// # Errors
/// Returns upstream's words if the volume does not exist, or cannot be read or written.
pub(super) fn remove_finalizer(
    sync: &mut SyncContext<'_, '_>,
    behavior: &KubernetesBehavior,
    name: &str,
) -> Result<(), String> {
    if !behavior.deletion_finalizers {
        return Ok(());
    }
    let (id, live) = sync.live_get(name).map_err(|error| {
        sync.log(|| messages::FINALIZER_UNREAD.entry([text(&error), name.into()]));
        error.to_string()
    })?;
    if let Some(changed) = without_in_tree_finalizer(&live) {
        let known = sync.cached::<PersistentVolume>(id).is_some();
        sync.update(id, changed)
            .map_err(|error| format!("persistent volume controller can't update finalizer: {error}"))?;
        // Upstream puts its own copy into the cache, which has the version from before the write.
        sync.logs_stored::<PersistentVolume>(&live, known);
        sync.logs_volume(&messages::FINALIZER_REMOVED, &live);
    }
    Ok(())
}

/// Returns the name of the driver that has to delete the storage: the provisioner that made the volume, or the driver
/// to which it was migrated, or else the CSI driver of its source. The name is empty if no driver is known.
fn driver_of(volume: &PersistentVolume) -> String {
    let annotations = &volume.meta.annotations;
    annotations
        .get(AnnotationKey::ProvisionedBy)
        .or_else(|| annotations.get(AnnotationKey::MigratedTo))
        .filter(|name| !name.is_empty())
        .map_or_else(
            || if volume.source.kind == SourceKind::Csi { volume.source.detail.to_string() } else { String::new() },
            str::to_owned,
        )
}

/// The namespace of recycler pods, unless a template states another one.
pub const RECYCLER_NAMESPACE: &str = "default";

/// The prefix of the name of a recycler pod. Upstream: `RecycleVolumeByWatchingPodUntilCompletion`, 1.36.
pub const RECYCLER: &str = "recycler-for-";

/// Returns the name of the recycler pod of a volume.
pub fn recycler_of(volume: &str) -> String {
    format!("{RECYCLER}{volume}")
}

/// Returns whether a recycler pod may be erasing the volume, or may begin to erase it once its claim is deleted. A
/// recycling that has started continues, whatever is written to the volume afterwards.
pub fn may_be_recycled(volume: &PersistentVolume) -> bool {
    recyclable(volume) && (volume.status.phase != VolumePhase::Bound || volume.reclaim_policy == ReclaimPolicy::Recycle)
}

/// Returns the name of the operation that deletes a volume.
pub fn deletion(volume: &str, uid: &str) -> String {
    format!("delete-{volume}[{}]", printed(uid))
}

/// Returns the name of the operation that recycles a volume.
pub fn recycling(volume: &str, uid: &str) -> String {
    format!("recycle-{volume}[{}]", printed(uid))
}

/// The error of a recycling that finds the pod of an earlier recycling. The recycling always deletes that pod, and a
/// later attempt creates a new pod. Upstream: `internalRecycleVolumeByWatchingPodUntilCompletion`,
/// `pkg/volume/util/recyclerclient`, 1.36.
pub const OLD_RECYCLER: &str = "old recycler pod found, will retry later";

/// Recycles the volume. Upstream's operation never returns an error, so there is no back-off. Upstream:
/// `recycleVolumeOperation`, 1.36.
fn recycle_volume_operation<'s>(sync: &mut SyncContext<'_, 's>, volume: &Volume<'s>) {
    sync.logs_volume(&messages::RECYCLING, &volume.object);
    let (id, live) = match sync.live_get(&volume.object.meta.name) {
        Ok(live) => live,
        Err(error) => {
            sync.log(|| messages::RECYCLE_UNREAD.entry([volume_name(&volume.object), text(&error)]));
            return sync.step(RecycleStep::RecycleVolumeGone.into());
        }
    };
    if !is_volume_released(sync, &live) {
        sync.logs_volume(&messages::RECYCLE_NOT_RELEASED, &volume.object);
        return sync.step(RecycleStep::RecycleNotReleased.into());
    }
    let users = users_of(sync, &live);
    let claim_cached = volume
        .object
        .claim_ref
        .as_ref()
        .is_some_and(|named| sync.cached_named::<PersistentVolumeClaim>(&named.namespace, &named.name).is_some());
    if !users.is_empty() && !claim_cached {
        let used = format!("Volume is used by pods: {}", users.join(","));
        sync.log(|| messages::RECYCLE_USED.entry([volume_name(&volume.object), text(&used)]));
        sync.event(ObjectRef::to(&*volume.object), EventType::Normal, "VolumeFailedRecycle", used);
        sync.wait_for("user", users.join(","), "stop using the volume");
        return sync.step(RecycleStep::RecycleVolumeUsed.into());
    }
    let fresh = Volume { id, object: live };
    if !recyclable(&fresh.object) {
        // If the API server refuses the status write, the operation ends as well. The next sync tries again.
        fail_recycling(sync, fresh, "No recycler plugin found for the volume!");
        return sync.step(RecycleStep::RecyclePluginMissing.into());
    }
    let recycler = recycler_of(&fresh.object.meta.name);
    sync.needs_list(Kind::Pod, RECYCLER_NAMESPACE);
    match sync.plugin_answer().cloned().unwrap_or(PluginAnswer::Waiting) {
        PluginAnswer::Waiting | PluginAnswer::InUse(_) => {
            sync.mark(fresh.id, SCRUBBING);
            sync.wait_for(
                "node",
                recycler,
                "run the pod that erases the data; the volume becomes Available after that",
            );
        }
        PluginAnswer::Failed(text) => {
            fail_recycling(sync, fresh, &format!("Recycle failed: {text}"));
            sync.step(RecycleStep::RecycleFailed.into());
        }
        PluginAnswer::Done => {
            sync.logs_volume(&messages::RECYCLED, &fresh.object);
            sync.event(ObjectRef::to(&*fresh.object), EventType::Normal, "VolumeRecycled", "Volume recycled");
            sync.step(RecycleStep::RecycleSucceeded.into());
            let object = fresh.object.clone();
            if let Err(error) = unbind_volume(sync, fresh) {
                log_unmarked(sync, &messages::RECYCLED_NOT_AVAILABLE, &object, &error);
            }
        }
    }
}

/// Sets the phase of a volume that could not be recycled to Failed. Upstream only logs a refusal.
fn fail_recycling<'s>(sync: &mut SyncContext<'_, 's>, volume: Volume<'s>, message: &str) {
    let object = volume.object.clone();
    if let Err(error) = fail_volume(sync, volume, "VolumeFailedRecycle", message) {
        log_unmarked(sync, &messages::RECYCLE_UNMARKED, &object, &error);
    }
}

/// Returns the active pods that use the claim of the claimRef, as `namespace/name`, sorted. Upstream: `isVolumeUsed`,
/// 1.36.
fn users_of(sync: &mut SyncContext<'_, '_>, volume: &PersistentVolume) -> Vec<String> {
    let Some(named) = &volume.claim_ref else { return Vec::new() };
    let mut users: Vec<String> = sync
        .pods_of(&named.namespace, &named.name)
        .iter()
        .filter(|pod| !pod.terminated())
        .map(|pod| format!("{}/{}", pod.meta.namespace, pod.meta.name))
        .collect();
    users.sort();
    users
}

/// What happens to the data of a volume when the volume is reclaimed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum DataFate {
    /// The data are kept.
    Kept,
    /// An external driver is asked to delete the data.
    HandedToDriver,
    /// The controller itself deletes the data.
    Destroyed,
    /// A recycler pod erases the data, and the volume becomes Available again.
    Scrubbed,
}

impl DataFate {
    /// Returns the fate as documents print it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Kept => "kept",
            Self::HandedToDriver => "handedToDriver",
            Self::Destroyed => "destroyed",
            Self::Scrubbed => "scrubbed",
        }
    }
}

/// Returns whether a finalizer keeps the object of the volume until its storage is deleted.
pub fn is_guarded(volume: &PersistentVolume) -> bool {
    volume.meta.has_finalizer(IN_TREE_FINALIZER) || volume.meta.has_finalizer(EXTERNAL_FINALIZER)
}

/// Returns whether the storage of a volume with policy Delete stays because the volume is already being deleted. If
/// nobody can delete the storage, the result is false. Upstream: `shouldDelete` of
/// sig-storage-lib-external-provisioner skips volumes that are being deleted and do not have its finalizer. Before 1.36
/// and without the gate `HonorPVReclaimPolicy`, `deleteVolumeOperation` also skipped volumes that are being deleted.
pub fn leaves_storage_behind(behavior: &KubernetesBehavior, volume: &PersistentVolume) -> bool {
    match data_fate(behavior, volume) {
        DataFate::HandedToDriver => !is_guarded(volume),
        DataFate::Destroyed => behavior.skip_delete_when_terminating,
        DataFate::Kept | DataFate::Scrubbed => false,
    }
}

/// Returns the driver to which the controller leaves a migrated volume. Before it reclaims a volume, the controller
/// corrects the annotation that names the driver. Upstream: `updateMigrationAnnotations`, 1.36.
pub fn migrated_to<'v>(behavior: &KubernetesBehavior, volume: &'v PersistentVolume) -> Option<&'v str> {
    let annotations = &volume.meta.annotations;
    match annotations.get(AnnotationKey::ProvisionedBy) {
        Some(provisioner) => migrated_driver(behavior, provisioner),
        None => recorded_driver(volume),
    }
}

/// Returns the driver that the annotation of a migrated volume names.
fn recorded_driver(volume: &PersistentVolume) -> Option<&str> {
    volume.meta.annotations.get(AnnotationKey::MigratedTo).filter(|driver| !driver.is_empty())
}

/// Returns what reclaiming does, or would do, to the data of a volume. The data of a Failed volume are not safe,
/// because every sync tries a failed recycling again.
pub fn data_fate(behavior: &KubernetesBehavior, volume: &PersistentVolume) -> DataFate {
    let annotations = &volume.meta.annotations;
    let provisioner = annotations.get(AnnotationKey::ProvisionedBy);
    // The controller corrects the name of the driver right before it reclaims.
    match provisioner.and_then(|name| migration_annotations(annotations, migrated_driver(behavior, name))) {
        None => fate_by_annotations(behavior, volume),
        Some(annotations) => {
            let mut righted = volume.clone();
            righted.meta.annotations = annotations;
            fate_by_annotations(behavior, &righted)
        }
    }
}

/// Does the same as [`data_fate`], for a volume whose annotations are correct.
fn fate_by_annotations(behavior: &KubernetesBehavior, volume: &PersistentVolume) -> DataFate {
    let migrated = recorded_driver(volume).is_some();
    match &volume.reclaim_policy {
        ReclaimPolicy::Delete if migrated => DataFate::HandedToDriver,
        ReclaimPolicy::Delete => match find_deletable_plugin(behavior, volume) {
            Provider::External => DataFate::HandedToDriver,
            Provider::InTree(Plugin::Remote(name)) if remote_deleter(name, volume).is_ok() => DataFate::Destroyed,
            Provider::InTree(Plugin::HostPath) if delete_host_path(volume).is_ok() => DataFate::Destroyed,
            Provider::InTree(_) | Provider::Nobody(_) => DataFate::Kept,
        },
        ReclaimPolicy::Recycle if !migrated && recyclable(volume) => DataFate::Scrubbed,
        ReclaimPolicy::Recycle | ReclaimPolicy::Retain | ReclaimPolicy::Other(_) => DataFate::Kept,
    }
}
