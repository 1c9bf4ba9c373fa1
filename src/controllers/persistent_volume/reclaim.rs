//! Reclaiming: what happens to a volume whose claim is gone.

use super::binding::{Volume, fail_volume, unbind_volume};
use super::plugins::{
    Plugin, Provider, delete_host_path, find_deletable_plugin, migrated_driver, recyclable, remote_deleter,
};
use super::volume::{EXTERNAL_FINALIZER, IN_TREE_FINALIZER, migration_annotations, without_in_tree_finalizer};
use crate::controllers::persistent_volume::{DESTROYED, SCRUBBING};
use crate::controllers::{DeleteStep, KubernetesBehavior, ReclaimStep, RecycleStep, SyncContext};
use crate::model::{
    AnnotationKey, Kind, PersistentVolume, PersistentVolumeClaim, ReclaimPolicy, SourceKind, VolumePhase,
};
use crate::snapshot::printed;
use crate::world::{ApiError, EventType, ObjectRef, PluginAnswer, Started};

/// Upstream: `reclaimVolume`, 1.36.
///
/// # Errors
/// When the API server refuses the status of a volume with an unknown policy.
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
    let (name, uid) = (&volume.object.meta.name, printed(&volume.object.meta.uid));
    match &volume.object.reclaim_policy {
        ReclaimPolicy::Retain => {
            sync.wait_for("user", "", "delete the PersistentVolume or free it for another claim");
            sync.step(ReclaimStep::ReclaimRetain.into());
        }
        ReclaimPolicy::Recycle => {
            let started = sync.start_operation(&recycling(name, &volume.object.meta.uid));
            sync.step(started_step(started, ReclaimStep::ReclaimRecycle).into());
            if started == Started::Yes {
                recycle_volume_operation(sync, &volume);
            }
        }
        ReclaimPolicy::Delete => {
            let started = sync.start_operation(&format!("delete-{name}[{uid}]"));
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

fn started_step(started: Started, yes: ReclaimStep) -> ReclaimStep {
    match started {
        Started::Yes => yes,
        Started::Running => ReclaimStep::ReclaimRunning,
        Started::Backoff => ReclaimStep::ReclaimBackoff,
    }
}

/// Whether nobody holds the volume any more, by the controller's cache. Upstream: `isVolumeReleased`, 1.36.
fn is_volume_released(sync: &mut SyncContext<'_, '_>, volume: &PersistentVolume) -> bool {
    let Some(claim_ref) = volume.claim_ref.as_ref().filter(|claim_ref| !claim_ref.uid.is_empty()) else {
        return false;
    };
    match sync.cached_named::<PersistentVolumeClaim>(&claim_ref.namespace, &claim_ref.name) {
        Some((_, claim)) if claim.meta.uid == claim_ref.uid => {
            !claim.volume_name.is_empty() && claim.volume_name != volume.meta.name
        }
        Some(_) | None => true,
    }
}

/// Upstream: `deleteVolumeOperation`, 1.36 and before.
fn delete_volume_operation<'s>(sync: &mut SyncContext<'_, 's>, behavior: &KubernetesBehavior, volume: Volume<'s>) {
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
            sync.step(DeleteStep::DeleteExternal.into());
            return;
        }
        Provider::Nobody(text) => {
            sync.wait_for("user", "", "delete the storage by hand, then the PersistentVolume");
            let marked = fail_volume(sync, volume, "VolumeFailedDelete", &text);
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
    if behavior.delete_plugin_first && !still_released(sync, behavior, &volume.object) {
        return;
    }
    run_deleter(sync, behavior, volume, plugin);
}

/// Reads the volume again and asks whether it is still released; the leaf is recorded when not.
fn still_released(sync: &mut SyncContext<'_, '_>, behavior: &KubernetesBehavior, volume: &PersistentVolume) -> bool {
    let Ok((_, live)) = sync.live_get::<PersistentVolume>(&volume.meta.name) else {
        sync.step(DeleteStep::DeleteVolumeGone.into());
        return false;
    };
    let left_alone = behavior.skip_delete_when_terminating && live.terminating();
    let released = !left_alone && is_volume_released(sync, &live);
    if !released {
        sync.step(DeleteStep::DeleteNotReleased.into());
    }
    released
}

fn run_deleter<'s>(sync: &mut SyncContext<'_, 's>, behavior: &KubernetesBehavior, volume: Volume<'s>, plugin: Plugin) {
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
            sync.event(ObjectRef::to(&*volume.object), EventType::Normal, "VolumeDelete", text);
            sync.step(DeleteStep::DeleteInUse.into());
            sync.operation_failed();
            return;
        }
        PluginAnswer::Failed(text) => Some(text),
        PluginAnswer::Done => {
            sync.mark(volume.id, DESTROYED);
            remove_finalizer(sync, behavior, &volume.object.meta.name).err()
        }
    };
    if let Some(text) = failure {
        let marked = fail_volume(sync, volume, "VolumeFailedDelete", &text);
        sync.step(if marked.is_ok() { DeleteStep::DeleteFailed } else { DeleteStep::DeleteMarkFailed }.into());
        sync.operation_failed();
        return;
    }
    let deleted = sync.delete(volume.id, &volume.object);
    sync.step(if deleted.is_ok() { DeleteStep::DeleteSucceeded } else { DeleteStep::DeleteObjectRefused }.into());
}

/// Removes the finalizer that kept the volume until its storage was gone. Fails also when there is no such volume.
/// Upstream: `removeDeletionProtectionFinalizer`, 1.36; before, only with the gate `HonorPVReclaimPolicy`.
///
/// # Errors
/// Upstream's words, when the volume cannot be read or written.
pub(super) fn remove_finalizer(
    sync: &mut SyncContext<'_, '_>,
    behavior: &KubernetesBehavior,
    name: &str,
) -> Result<(), String> {
    if !behavior.deletion_finalizers {
        return Ok(());
    }
    let (id, live) = sync.live_get(name).map_err(|error| error.to_string())?;
    if let Some(changed) = without_in_tree_finalizer(&live) {
        sync.update(id, changed)
            .map_err(|error| format!("persistent volume controller can't update finalizer: {error}"))?;
    }
    Ok(())
}

/// The one who has to delete: the provisioner that made the volume, else the driver of its source.
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

/// The namespace of the pods that erase volumes, unless a template puts them elsewhere.
pub const RECYCLERS: &str = "default";

/// The name of a pod that erases a volume begins so. Upstream: `RecycleVolumeByWatchingPodUntilCompletion`,
/// 1.36.
pub const RECYCLER: &str = "recycler-for-";

/// The name of the pod that erases a volume.
pub fn recycler_of(volume: &str) -> String {
    format!("{RECYCLER}{volume}")
}

/// Whether such a pod may be at work on a volume, or come to be while its claim goes: one that has begun goes on,
/// whatever is written since.
pub fn may_be_recycled(volume: &PersistentVolume) -> bool {
    recyclable(volume) && (volume.status.phase != VolumePhase::Bound || volume.reclaim_policy == ReclaimPolicy::Recycle)
}

/// The name of the operation that recycles a volume.
pub fn recycling(volume: &str, uid: &str) -> String {
    format!("recycle-{volume}[{}]", printed(uid))
}

/// Why an operation fails that finds a pod of a former one. It deletes that pod, whatever became of it, and a later try
/// makes another one. Upstream: `internalRecycleVolumeByWatchingPodUntilCompletion`, `pkg/volume/util/recyclerclient`,
/// 1.36.
pub const OLD_RECYCLER: &str = "old recycler pod found, will retry later";

/// Upstream: `recycleVolumeOperation`, 1.36. It never returns an error, so there is no back-off.
fn recycle_volume_operation<'s>(sync: &mut SyncContext<'_, 's>, volume: &Volume<'s>) {
    let Ok((id, live)) = sync.live_get(&volume.object.meta.name) else {
        return sync.step(RecycleStep::RecycleVolumeGone.into());
    };
    if !is_volume_released(sync, &live) {
        return sync.step(RecycleStep::RecycleNotReleased.into());
    }
    let users = users_of(sync, &live);
    let claim_cached = volume
        .object
        .claim_ref
        .as_ref()
        .is_some_and(|named| sync.cached_named::<PersistentVolumeClaim>(&named.namespace, &named.name).is_some());
    if !users.is_empty() && !claim_cached {
        sync.event(
            ObjectRef::to(&*volume.object),
            EventType::Normal,
            "VolumeFailedRecycle",
            format!("Volume is used by pods: {}", users.join(",")),
        );
        sync.wait_for("user", users.join(","), "stop using the volume");
        return sync.step(RecycleStep::RecycleVolumeUsed.into());
    }
    let fresh = Volume { id, object: live };
    if !recyclable(&fresh.object) {
        // A refused status write ends the operation as well; the next sync tries again.
        let _ = fail_volume(sync, fresh, "VolumeFailedRecycle", "No recycler plugin found for the volume!");
        return sync.step(RecycleStep::RecyclePluginMissing.into());
    }
    let recycler = recycler_of(&fresh.object.meta.name);
    sync.needs_list(Kind::Pod, RECYCLERS);
    match sync.plugin_answer().cloned().unwrap_or(PluginAnswer::Waiting) {
        PluginAnswer::Waiting | PluginAnswer::InUse(_) => {
            sync.mark(fresh.id, SCRUBBING);
            sync.wait_for(
                "node",
                recycler,
                "run the pod that scrubs the volume; the volume is offered again after that",
            );
        }
        PluginAnswer::Failed(text) => {
            let _ = fail_volume(sync, fresh, "VolumeFailedRecycle", &format!("Recycle failed: {text}"));
            sync.step(RecycleStep::RecycleFailed.into());
        }
        PluginAnswer::Done => {
            sync.event(ObjectRef::to(&*fresh.object), EventType::Normal, "VolumeRecycled", "Volume recycled");
            sync.step(RecycleStep::RecycleSucceeded.into());
            let _ = unbind_volume(sync, fresh);
        }
    }
}

/// The active pods that use the claim of the claimRef, as `namespace/name`, sorted. Upstream: `isVolumeUsed`, 1.36.
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

/// What a volume's policy means for its data once nobody holds it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum DataFate {
    /// Nothing touches them.
    Kept,
    /// A named driver is asked to delete them.
    HandedToDriver,
    /// They are deleted by the controller itself.
    Destroyed,
    /// They are scrubbed, and the volume is offered again.
    Scrubbed,
}

impl DataFate {
    /// The fate as the output contract writes it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Kept => "kept",
            Self::HandedToDriver => "handedToDriver",
            Self::Destroyed => "destroyed",
            Self::Scrubbed => "scrubbed",
        }
    }
}

/// Whether a finalizer keeps the object of the volume until its storage is deleted.
pub fn is_guarded(volume: &PersistentVolume) -> bool {
    volume.meta.has_finalizer(IN_TREE_FINALIZER) || volume.meta.has_finalizer(EXTERNAL_FINALIZER)
}

/// Whether the object of a volume that is being deleted vanishes and leaves its storage behind, although its policy
/// asks for the deletion of it. Upstream: `shouldDelete`, sig-storage-lib-external-provisioner, passes over volumes
/// that are being deleted and lack its finalizer; before 1.36 `deleteVolumeOperation` did, too, without the gate
/// `HonorPVReclaimPolicy`.
pub fn leaks(behavior: &KubernetesBehavior, volume: &PersistentVolume) -> bool {
    match data_fate(behavior, volume) {
        DataFate::HandedToDriver => !is_guarded(volume),
        DataFate::Destroyed => behavior.skip_delete_when_terminating,
        DataFate::Kept | DataFate::Scrubbed => false,
    }
}

/// The driver to which the controller leaves a migrated volume, once it has put the volume's annotation right; it does
/// that before it reclaims. Upstream: `updateMigrationAnnotations`, 1.36.
pub fn migrated_to<'v>(behavior: &KubernetesBehavior, volume: &'v PersistentVolume) -> Option<&'v str> {
    let annotations = &volume.meta.annotations;
    match annotations.get(AnnotationKey::ProvisionedBy) {
        Some(provisioner) => migrated_driver(behavior, provisioner),
        None => recorded_driver(volume),
    }
}

/// The driver that the annotation of a migrated volume names.
fn recorded_driver(volume: &PersistentVolume) -> Option<&str> {
    volume.meta.annotations.get(AnnotationKey::MigratedTo).filter(|driver| !driver.is_empty())
}

/// What reclaiming does, or would do, to the data behind a volume. A recycling that failed is tried again in every
/// sync, so the data of a Failed volume are not safe.
pub fn data_fate(behavior: &KubernetesBehavior, volume: &PersistentVolume) -> DataFate {
    let annotations = &volume.meta.annotations;
    let provisioner = annotations.get(AnnotationKey::ProvisionedBy);
    // The controller puts the name of the driver right before it reclaims.
    match provisioner.and_then(|name| migration_annotations(annotations, migrated_driver(behavior, name))) {
        None => fate_by_annotations(behavior, volume),
        Some(annotations) => {
            let mut righted = volume.clone();
            righted.meta.annotations = annotations;
            fate_by_annotations(behavior, &righted)
        }
    }
}

/// The same, where the annotations are right.
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
