//! This module asks an external provisioner for a volume, or provisions a volume with an in-tree plugin.

use super::binding::Claim;
use super::log::{claim_name, reference, text};
use super::messages;
use super::plugins::{Plugin, Provider, delete_host_path, find_provisionable_plugin, migrated_driver};
use super::reclaim::{remove_finalizer, schedule_operation};
use super::volume::migration_annotations;
use crate::controllers::{ClaimBranch, KubernetesBehavior, ProvisionStep, SyncContext};
use crate::model::{
    AnnotationKey, Annotations, ClaimRef, Held, ObjectMeta, PersistentVolume, ReclaimPolicy, SourceKind, StorageClass,
    Str, VolumeMode, VolumeSource, VolumeStatus,
};
use crate::snapshot::VolumeId;
use crate::snapshot::printed;
use crate::world::{ApiError, EventType, LogValue, ObjectRef, PluginAnswer, Started};
use std::sync::Arc;

/// The number of attempts to create a provisioned volume. Upstream: `createProvisionedPVRetryCount`, 1.36.
const CREATE_RETRIES: u32 = 5;

/// Starts the provisioning for a claim. The claim's status is not written on this path. Upstream: `provisionClaim`,
/// 1.36.
pub(super) fn provision_claim<'s>(
    sync: &mut SyncContext<'_, 's>,
    behavior: &KubernetesBehavior,
    claim: Claim<'s>,
) -> ClaimBranch {
    if !behavior.dynamic_provisioning {
        sync.wait_for(
            "user",
            "",
            "create a PersistentVolume that fits the claim; dynamic provisioning is switched \
                                   off",
        );
        return ClaimBranch::UnboundClaimProvisioningDisabled;
    }
    sync.logs_claim(&messages::PROVISION, &claim.object);
    let key = claim.object.key();
    let about = ObjectRef::to(&*claim.object);
    let class_name = claim.object.class().to_owned();
    let class = match sync.class(&class_name) {
        Ok(Some(class)) => class,
        other => {
            let error = other
                .err()
                .unwrap_or(ApiError::NotFound { kind: crate::model::Kind::StorageClass, name: class_name.clone() });
            sync.event(about, EventType::Warning, "ProvisioningFailed", error.to_string());
            sync.log(|| messages::NO_PROVISIONER.entry([text(&error), claim_name(&claim.object)]));
            sync.wait_for(
                "user",
                class_name,
                "create the StorageClass, or a PersistentVolume of that class that fits \
                                               the claim",
            );
            return ClaimBranch::UnboundClaimClassMissing;
        }
    };
    let class: &StorageClass = &class;
    let provider = find_provisionable_plugin(behavior, class);
    let branch = match &provider {
        Provider::Nobody(text) => {
            sync.event(about, EventType::Warning, "ProvisioningFailed", text.as_str());
            sync.log(|| messages::NO_PROVISIONER.entry([text.as_str().into(), claim_name(&claim.object)]));
            sync.wait_for(
                "user",
                "",
                "create a PersistentVolume of this class that fits the claim; no provisioner exists for the class",
            );
            return ClaimBranch::UnboundClaimInTreeProvisionerUnknown;
        }
        Provider::External => ClaimBranch::UnboundClaimProvisionExternal,
        Provider::InTree(_) => ClaimBranch::UnboundClaimProvisionInTree,
    };
    match schedule_operation(sync, &provisioning(&key.to_string(), &claim.object.meta.uid)) {
        Started::Running => ClaimBranch::UnboundClaimProvisionRunning,
        Started::Backoff => ClaimBranch::UnboundClaimProvisionBackoff,
        Started::Yes => {
            if let Provider::InTree(plugin) = provider {
                provision_claim_operation(sync, behavior, claim, plugin, class);
            } else {
                provision_claim_operation_external(sync, behavior, &claim, class);
            }
            branch
        }
    }
}

/// Asks an external provisioner for a volume. Upstream: `provisionClaimOperationExternal`, 1.36.
fn provision_claim_operation_external<'s>(
    sync: &mut SyncContext<'_, 's>,
    behavior: &KubernetesBehavior,
    claim: &Claim<'s>,
    class: &StorageClass,
) {
    let name = migrated_driver(behavior, &class.provisioner).unwrap_or(&class.provisioner);
    sync.log(|| messages::EXTERNAL.entry([claim_name(&claim.object), claim.object.class().into()]));
    let requested = claim.object.meta.annotations.get(AnnotationKey::StorageProvisioner) == Some(name);
    if let Err(error) = set_claim_provisioner(sync, behavior, claim, name) {
        let message = format!("Error saving claim: {error}");
        sync.log(|| messages::EXTERNAL_UNSAVED.entry([claim_name(&claim.object), text(&error)]));
        sync.event(ObjectRef::to(&*claim.object), EventType::Warning, "ProvisioningFailed", message);
        sync.step(ProvisionStep::ExternalProvisionerSaveFailed.into());
        return sync.operation_failed();
    }
    let step = if requested {
        ProvisionStep::ExternalProvisionerAlreadyRequested
    } else {
        ProvisionStep::ExternalProvisionerRequested
    };
    sync.step(step.into());
    let message = format!(
        "Waiting for a volume to be created either by the external provisioner '{name}' or manually by the system \
         administrator. If volume creation is delayed, please verify that the provisioner is running and correctly \
         registered."
    );
    sync.event(ObjectRef::to(&*claim.object), EventType::Normal, "ExternalProvisioning", message.as_str());
    sync.log(|| messages::EXTERNAL_REQUESTED.entry([claim_name(&claim.object), message.into()]));
    sync.wait_for("external-provisioner", name, "create a PersistentVolume for the claim");
}

/// Writes the provisioner's name into the claim's annotations. Nothing is written if
/// `volume.kubernetes.io/storage-provisioner` has this name already. The beta annotation is not examined. Upstream:
/// `setClaimProvisioner`, 1.36.
fn set_claim_provisioner<'s>(
    sync: &mut SyncContext<'_, 's>,
    behavior: &KubernetesBehavior,
    claim: &Claim<'s>,
    name: &str,
) -> Result<Held<'s, crate::model::PersistentVolumeClaim>, ApiError> {
    if claim.object.meta.annotations.get(AnnotationKey::StorageProvisioner) == Some(name) {
        return Ok(claim.object.clone());
    }
    let mut changed = (*claim.object).clone();
    changed.meta.annotations.set(AnnotationKey::BetaStorageProvisioner, name);
    changed.meta.annotations.set(AnnotationKey::StorageProvisioner, name);
    if let Some(annotations) = migration_annotations(&changed.meta.annotations, migrated_driver(behavior, name)) {
        changed.meta.annotations = annotations;
    }
    let saved = sync.update(claim.id, changed)?;
    sync.logs_stored(&*saved, true);
    Ok(saved)
}

/// Provisions a volume with an in-tree plugin. Upstream: `provisionClaimOperation`, 1.36.
fn provision_claim_operation<'s>(
    sync: &mut SyncContext<'_, 's>,
    behavior: &KubernetesBehavior,
    mut claim: Claim<'s>,
    plugin: Plugin,
    class: &StorageClass,
) {
    let about = ObjectRef::to(&*claim.object);
    let says = |sync: &mut SyncContext<'_, 's>, message: String| {
        sync.event(about.clone(), EventType::Warning, "ProvisioningFailed", message);
    };
    let ends = |sync: &mut SyncContext<'_, 's>, step: ProvisionStep| {
        sync.step(step.into());
        sync.operation_failed();
    };
    sync.log(|| messages::IN_TREE.entry([claim_name(&claim.object), claim.object.class().into()]));
    if claim.object.data_source {
        sync.log(|| messages::IN_TREE_DATA_SOURCE.about(plugin.name(), []));
        says(
            sync,
            format!(
                "plugin {:?} is not a CSI plugin. Only CSI plugin can provision a claim with a datasource",
                plugin.name()
            ),
        );
        return ends(sync, ProvisionStep::InTreeDataSourceUnsupported);
    }
    sync.log(|| {
        let provisioner = class.provisioner.as_str().into();
        messages::IN_TREE_PLUGIN.entry([claim_name(&claim.object), plugin.name().into(), provisioner])
    });
    match set_claim_provisioner(sync, behavior, &claim, &class.provisioner) {
        Ok(saved) => claim.object = saved,
        Err(error) => {
            sync.log(|| messages::IN_TREE_UNSAVED.entry([claim_name(&claim.object), text(&error)]));
            return ends(sync, ProvisionStep::InTreeClaimSaveFailed);
        }
    }
    let name = format!("pvc-{}", claim.object.meta.uid);
    match sync.live_get::<PersistentVolume>(&name) {
        Ok(_) => {
            sync.logs_claim(&messages::IN_TREE_EXISTS, &claim.object);
            return sync.step(ProvisionStep::InTreeVolumeExists.into());
        }
        Err(error) if error.is_not_found() => {}
        Err(error) => {
            sync.log(|| messages::IN_TREE_UNREAD.entry([reference("", printed(&name)), text(&error)]));
            return ends(sync, ProvisionStep::InTreeVolumeReadFailed);
        }
    }
    if !class.mount_options.is_empty() && !plugin.supports_mount_options() {
        sync.log(|| {
            let options = LogValue::List(class.mount_options.iter().map(ToString::to_string).collect());
            let class = class.meta.name.as_str().into();
            messages::IN_TREE_MOUNT_OPTIONS.entry([claim_name(&claim.object), class, options])
        });
        let options = class.mount_options.iter().map(Str::as_str).collect::<Vec<_>>().join(" ");
        says(
            sync,
            format!(
                "Mount options are not supported by the provisioner but StorageClass {:?} has mount options [{options}]",
                class.meta.name.as_str()
            ),
        );
        return ends(sync, ProvisionStep::InTreeMountOptionsUnsupported);
    }
    if plugin == Plugin::HostPath && !behavior.hostpath_provisioning {
        let error = format!("provisioning in volume plugin {:?} is disabled", plugin.name());
        sync.log(|| {
            let class = class.meta.name.as_str().into();
            messages::IN_TREE_DISABLED.entry([claim_name(&claim.object), class, text(&error)])
        });
        says(sync, format!("Failed to create provisioner: {error}"));
        return ends(sync, ProvisionStep::InTreeProvisionerDisabled);
    }
    if let Some(node) = claim.object.meta.annotations.get(AnnotationKey::SelectedNode).map(str::to_owned)
        && sync.node(&node).is_none()
    {
        let error = format!("node {node:?} not found");
        sync.log(|| messages::IN_TREE_NO_NODE.entry([reference("", &node), claim_name(&claim.object), text(&error)]));
        says(sync, format!("Failed to get target node: {error}"));
        return ends(sync, ProvisionStep::InTreeSelectedNodeMissing);
    }
    let default = match plugin {
        Plugin::Remote(_) => PluginAnswer::Waiting,
        Plugin::HostPath if claim.object.mode() == VolumeMode::Block => {
            PluginAnswer::Failed(format!("{} does not support block volume provisioning", plugin.name()))
        }
        Plugin::HostPath => PluginAnswer::Done,
    };
    match sync.plugin_answer().cloned().unwrap_or(default) {
        PluginAnswer::Waiting | PluginAnswer::InUse(_) => {
            sync.wait_for("in-tree-plugin", plugin.name(), "create the storage");
        }
        PluginAnswer::Failed(error) => {
            reschedule_provisioning(sync, &claim);
            sync.log(|| {
                let class = class.meta.name.as_str().into();
                messages::IN_TREE_FAILED.entry([claim_name(&claim.object), class, text(&error)])
            });
            says(sync, format!("Failed to provision volume with StorageClass {:?}: {error}", class.meta.name.as_str()));
            ends(sync, ProvisionStep::InTreeProvisionFailed);
        }
        PluginAnswer::Done => {
            let volume = provisioned_volume(behavior, &claim, class, plugin, &name);
            create_volume(sync, behavior, &claim, &volume, plugin);
        }
    }
}

/// Removes the annotation of the selected node, so that the scheduler selects a node again. Upstream:
/// `rescheduleProvisioning`, 1.36.
fn reschedule_provisioning(sync: &mut SyncContext<'_, '_>, claim: &Claim<'_>) {
    if claim.object.meta.annotations.has(AnnotationKey::SelectedNode) {
        let mut changed = (*claim.object).clone();
        changed.meta.annotations.remove(AnnotationKey::SelectedNode);
        // Upstream only logs a refusal. The event names the error of the provisioning, not this refusal.
        match sync.update(claim.id, changed) {
            // Upstream puts its own copy into the cache, which has the version from before the write.
            Ok(_) => sync.logs_stored(&*claim.object, true),
            Err(error) => sync.log(|| messages::NODE_KEPT.entry([claim_name(&claim.object), text(&error)])),
        }
    }
}

/// Returns the volume that the host-path plugin makes, with the fields that the controller adds.
fn provisioned_volume(
    behavior: &KubernetesBehavior,
    claim: &Claim<'_>,
    class: &StorageClass,
    plugin: Plugin,
    name: &str,
) -> PersistentVolume {
    let policy = class.reclaim_policy.clone().unwrap_or(ReclaimPolicy::Delete);
    let annotations = Annotations::new(
        vec![
            (AnnotationKey::BoundByController, Str::const_new("yes")),
            (AnnotationKey::ProvisionedBy, Str::const_new(plugin.name())),
        ],
        1,
    );
    let finalizers: Arc<[Str]> = if behavior.deletion_finalizers && policy == ReclaimPolicy::Delete {
        Arc::new([Str::const_new("kubernetes.io/pv-controller")])
    } else {
        Arc::default()
    };
    let claim = &claim.object;
    PersistentVolume {
        meta: ObjectMeta { name: name.into(), annotations, finalizers, ..ObjectMeta::default() },
        capacity: claim.request.iter().map(|request| (Str::const_new("storage"), request.clone())).collect(),
        access_modes: claim.access_modes.clone(),
        claim_ref: Some(ClaimRef::to(claim)),
        reclaim_policy: policy,
        class_name: claim.class().into(),
        attributes_class: None,
        volume_mode: Some(VolumeMode::Filesystem),
        has_mount_options: false,
        source: VolumeSource {
            kind: SourceKind::HostPath,
            detail: Str::const_new("/tmp/hostpath_pv/<uid>"),
            ..VolumeSource::default()
        },
        node_affinity: None,
        status: VolumeStatus::default(),
    }
}

/// Creates the volume, with retries. If all attempts fail, the plugin deletes the new storage.
fn create_volume<'s>(
    sync: &mut SyncContext<'_, 's>,
    behavior: &KubernetesBehavior,
    claim: &Claim<'s>,
    volume: &PersistentVolume,
    plugin: Plugin,
) {
    let (key, name) = (claim.object.key(), volume.meta.name.clone());
    let about = ObjectRef::to(&*claim.object);
    // The place of the new volume follows from the place of its claim, so the order in which volumes are created does
    // not matter.
    let recorded = sync.world().snapshot().volumes().len();
    let wanted = VolumeId::new(u32::try_from(recorded).unwrap_or(u32::MAX).saturating_add(claim.id.0));
    let mut refusal = None;
    let pair = || [claim_name(&claim.object), printed(&name).into()];
    // Upstream gives the volume its name after this entry.
    sync.log(|| messages::IN_TREE_CREATED.entry(pair()));
    for _ in 0..CREATE_RETRIES {
        sync.log(|| messages::IN_TREE_SAVING.entry(pair()));
        match sync.create(volume.clone(), behavior.api_gates(), Some(wanted)) {
            Ok(stored) => {
                sync.log(|| messages::IN_TREE_SAVED.entry(pair()));
                sync.logs_stored(&*stored, false);
                refusal = None;
                break;
            }
            Err(ApiError::AlreadyExists { .. }) => {
                sync.log(|| messages::IN_TREE_REUSING.entry(pair()));
                refusal = None;
                break;
            }
            Err(error) => {
                sync.log(|| {
                    let [claim, volume] = pair();
                    messages::IN_TREE_REFUSED.entry([claim, volume, text(&error)])
                });
                refusal = Some(error);
            }
        }
    }
    let Some(error) = refusal else {
        sync.log(|| messages::IN_TREE_PROVISIONED.entry(pair()));
        sync.event(
            about,
            EventType::Normal,
            "ProvisioningSucceeded",
            format!("Successfully provisioned volume {} using {}", printed(&name), plugin.name()),
        );
        return sync.step(ProvisionStep::InTreeProvisioned.into());
    };
    sync.log(|| messages::IN_TREE_CLEANING.about(&format!("{key}: {error}"), []));
    sync.event(
        about.clone(),
        EventType::Warning,
        "ProvisioningFailed",
        format!("Error creating provisioned PV object for claim {key}: {error}. Deleting the volume."),
    );
    // Upstream deletes the storage and then reads the volume to remove its finalizer. The volume was never created, so
    // this read fails if finalizers are used. Upstream then reports that the clean-up failed, although the storage is
    // gone.
    let cleanup = match sync.cleanup_failure() {
        Some(failure) => Err(failure.to_owned()),
        None => delete_host_path(volume).and_then(|()| remove_finalizer(sync, behavior, &name)),
    };
    match cleanup {
        Ok(()) => {
            sync.log(|| messages::IN_TREE_CLEANED.entry(pair()));
            sync.step(ProvisionStep::InTreeVolumeSaveFailedCleaned.into());
        }
        Err(failure) => {
            sync.log(|| messages::IN_TREE_ORPHANED.about(&format!("{key}: {failure}"), []));
            sync.event(
                about,
                EventType::Warning,
                "ProvisioningCleanupFailed",
                format!("Error cleaning provisioned volume for claim {key}: {failure}. Please delete manually."),
            );
            sync.step(ProvisionStep::InTreeVolumeOrphaned.into());
        }
    }
}

/// Returns the name of the operation that provisions a volume for a claim. `claim` is NAMESPACE/NAME.
pub fn provisioning(claim: &str, uid: &str) -> String {
    format!("provision-{claim}[{}]", printed(uid))
}
