//! This module asks an external provisioner for a volume, or provisions a volume with an in-tree plugin.

use super::binding::Claim;
use super::plugins::{Plugin, Provider, delete_host_path, find_provisionable_plugin, migrated_driver};
use super::reclaim::remove_finalizer;
use super::volume::migration_annotations;
use crate::controllers::{ClaimBranch, KubernetesBehavior, ProvisionStep, SyncContext};
use crate::model::{
    AnnotationKey, Annotations, ClaimRef, Held, ObjectMeta, PersistentVolume, ReclaimPolicy, SourceKind, StorageClass,
    Str, VolumeMode, VolumeSource, VolumeStatus,
};
use crate::snapshot::VolumeId;
use crate::snapshot::printed;
use crate::world::{ApiError, EventType, ObjectRef, PluginAnswer, Started};
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
    match sync.start_operation(&provisioning(&key.to_string(), &claim.object.meta.uid)) {
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
    let requested = claim.object.meta.annotations.get(AnnotationKey::StorageProvisioner) == Some(name);
    if let Err(error) = set_claim_provisioner(sync, behavior, claim, name) {
        let message = format!("Error saving claim: {error}");
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
    sync.event(
        ObjectRef::to(&*claim.object),
        EventType::Normal,
        "ExternalProvisioning",
        format!(
            "Waiting for a volume to be created either by the external provisioner '{name}' or manually by the \
             system administrator. If volume creation is delayed, please verify that the provisioner is running and \
             correctly registered."
        ),
    );
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
    sync.update(claim.id, changed)
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
    if claim.object.data_source {
        says(
            sync,
            format!(
                "plugin {:?} is not a CSI plugin. Only CSI plugin can provision a claim with a datasource",
                plugin.name()
            ),
        );
        return ends(sync, ProvisionStep::InTreeDataSourceUnsupported);
    }
    match set_claim_provisioner(sync, behavior, &claim, &class.provisioner) {
        Ok(saved) => claim.object = saved,
        Err(_) => return ends(sync, ProvisionStep::InTreeClaimSaveFailed),
    }
    let name = format!("pvc-{}", claim.object.meta.uid);
    match sync.live_get::<PersistentVolume>(&name) {
        Ok(_) => return sync.step(ProvisionStep::InTreeVolumeExists.into()),
        Err(error) if error.is_not_found() => {}
        Err(_) => return ends(sync, ProvisionStep::InTreeVolumeReadFailed),
    }
    if !class.mount_options.is_empty() && !plugin.supports_mount_options() {
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
        says(
            sync,
            format!("Failed to create provisioner: provisioning in volume plugin {:?} is disabled", plugin.name()),
        );
        return ends(sync, ProvisionStep::InTreeProvisionerDisabled);
    }
    if let Some(node) = claim.object.meta.annotations.get(AnnotationKey::SelectedNode).map(str::to_owned)
        && sync.node(&node).is_none()
    {
        says(sync, format!("Failed to get target node: node {node:?} not found"));
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
        PluginAnswer::Failed(text) => {
            reschedule_provisioning(sync, &claim);
            says(sync, format!("Failed to provision volume with StorageClass {:?}: {text}", class.meta.name.as_str()));
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
        let _ = sync.update(claim.id, changed);
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
    for _ in 0..CREATE_RETRIES {
        match sync.create(volume.clone(), behavior.api_gates(), Some(wanted)) {
            Ok(_) | Err(ApiError::AlreadyExists { .. }) => {
                refusal = None;
                break;
            }
            Err(error) => refusal = Some(error),
        }
    }
    let Some(error) = refusal else {
        sync.event(
            about,
            EventType::Normal,
            "ProvisioningSucceeded",
            format!("Successfully provisioned volume {} using {}", printed(&name), plugin.name()),
        );
        return sync.step(ProvisionStep::InTreeProvisioned.into());
    };
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
        Ok(()) => sync.step(ProvisionStep::InTreeVolumeSaveFailedCleaned.into()),
        Err(failure) => {
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
