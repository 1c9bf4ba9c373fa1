//! The sync of a claim. Upstream: `syncClaim` of sig-storage-lib-external-provisioner v13.1.0, and `Provision` of
//! external-provisioner v6.4.0.

use super::data_source::{self, SNAPSHOT, SNAPSHOT_FINALIZER};
use super::decision::{
    Act, DeleteVolumeRequest, NotEvaluated, ProvisionedVolume, Provisioning, ProvisioningState, SecretName, Segments,
};
use super::leaves::ProvisionBranch;
use super::prepare::{Prepared, Stop, Work, prepare_provision};
use super::sidecar::{Capability, Created, Driver, DriverError, GrpcCode};
use super::{FINALIZER, Provisioner};
use crate::controllers::scheduler::reads::Reads;
use crate::model::{
    AnnotationKey, Kind, ObjectKey, PersistentVolume, PersistentVolumeClaim, StorageClass, Str, VolumeMode,
    VolumeSnapshot,
};
use std::collections::BTreeMap;

/// The number of attempts to delete a volume that cannot be used. Upstream: `deleteVolumeRetryCount`, v6.4.0.
const DELETE_VOLUME_RETRY_COUNT: usize = 5;

/// The result of a sync.
struct End {
    leaf: ProvisionBranch,
    should: bool,
    state: Option<ProvisioningState>,
    error: Option<String>,
    retry: Option<String>,
}

impl End {
    /// Returns a result that has no state, no error and no retry.
    fn early(leaf: ProvisionBranch, should: bool) -> Self {
        Self { leaf, should, state: None, error: None, retry: None }
    }
}

impl<'s> Provisioner<'s> {
    /// Returns what the first sync of the claim does.
    pub fn provision(&self, claim: &'s PersistentVolumeClaim, driver: &Driver) -> Provisioning {
        let mut sync = Work::new(self.view);
        let End { leaf, should, state, error, retry } = match self.should_provision(&mut sync.reads, claim) {
            Ok(class) => self.provision_claim_operation(&mut sync, claim, class, driver),
            Err(end) => end,
        };
        let Work { reads, acts, not_evaluated } = sync;
        Provisioning { leaf, should, acts, state, error, retry, doubts: reads.into_doubts(), not_evaluated }
    }

    /// Returns the class of the claim if a volume should be provisioned, and otherwise the result of the sync.
    /// Upstream: `shouldProvision`, v13.1.0, and `ShouldProvision`, v6.4.0.
    fn should_provision(&self, reads: &mut Reads<'s>, claim: &PersistentVolumeClaim) -> Result<&'s StorageClass, End> {
        if !claim.volume_name.is_empty() {
            return Err(End::early(ProvisionBranch::ClaimNamesVolume, false));
        }
        let annotation = |key| claim.meta.annotations.get(key);
        let named = annotation(AnnotationKey::StorageProvisioner)
            .or_else(|| annotation(AnnotationKey::BetaStorageProvisioner))
            .unwrap_or_default();
        let is_own = |name: &str| name == self.sidecar.driver;
        let qualified = is_own(named) || annotation(AnnotationKey::MigratedTo).is_some_and(is_own);
        if !qualified || !self.sidecar.known_provisioner(named) {
            return Err(End::early(ProvisionBranch::ClaimOfOtherProvisioner, false));
        }
        let name = claim.class();
        let Some(class) = reads.find::<StorageClass>("", name) else {
            let retry = Some(format!("storageClass {name:?} not found"));
            return Err(End { retry, ..End::early(ProvisionBranch::ClassNotFound, false) });
        };
        let selected = annotation(AnnotationKey::SelectedNode).is_some_and(|node| !node.is_empty());
        if class.waits_for_first_consumer() && !selected {
            return Err(End::early(ProvisionBranch::NodeNotSelected, false));
        }
        Ok(class)
    }

    /// Provisions a volume for the claim. Upstream: `provisionClaimOperation`, v13.1.0.
    fn provision_claim_operation(
        &self,
        sync: &mut Work<'s>,
        claim: &'s PersistentVolumeClaim,
        class: &'s StorageClass,
        driver: &Driver,
    ) -> End {
        if sync.reads.find::<PersistentVolume>("", &format!("pvc-{}", claim.meta.uid)).is_some() {
            return End::early(ProvisionBranch::VolumeExists, true);
        }
        if !self.sidecar.known_provisioner(&class.provisioner) {
            return End::early(ProvisionBranch::ClassOfOtherProvisioner, true);
        }
        let annotations = &claim.meta.annotations;
        let selected = annotations.get(AnnotationKey::SelectedNode);
        let selected = selected.or_else(|| annotations.get(AnnotationKey::AlphaSelectedNode)).unwrap_or_default();
        let text = format!("External provisioner is provisioning volume for claim {:?}", claim.key().to_string());
        sync.event(false, "Provisioning", text);
        let prepared = match prepare_provision(sync, &self.sidecar, &self.secrets, claim, class, selected) {
            Ok(prepared) => prepared,
            Err(stop) => return failed(sync, claim, stop),
        };
        sync.acts.push(Act::CreateVolume(Box::new(prepared.request.clone())));
        match &driver.create {
            None => End::early(ProvisionBranch::CreateRequested, true),
            Some(Err(error)) => self.refused(sync, claim, selected, error),
            Some(Ok(created)) => match self.created(sync, claim, class, prepared, created, driver) {
                Ok(end) => end,
                Err(stop) => failed(sync, claim, stop),
            },
        }
    }

    /// Handles the error of the driver. Upstream: `checkError`, v6.4.0.
    fn refused(&self, sync: &mut Work<'_>, claim: &PersistentVolumeClaim, node: &str, error: &DriverError) -> End {
        let may_reschedule = self.sidecar.can(Capability::AccessibilityConstraints) && !node.is_empty();
        let (leaf, state) = match error.code {
            GrpcCode::InvalidArgument => {
                let (state, text) = (ProvisioningState::Finished, error.to_string());
                let said = "Volume provisioning failed with infeasible error. Retries will be delayed.";
                sync.event(true, "ProvisioningFailed", format!("{said} {text}"));
                let (error, retry) = (Some(text.clone()), Some(text));
                return End { leaf: ProvisionBranch::CreateInfeasible, should: true, state: Some(state), error, retry };
            }
            GrpcCode::ResourceExhausted if may_reschedule => {
                (ProvisionBranch::CreateRescheduled, ProvisioningState::Reschedule)
            }
            GrpcCode::Canceled | GrpcCode::DeadlineExceeded | GrpcCode::Unavailable | GrpcCode::Aborted => {
                (ProvisionBranch::CreateUnfinished, ProvisioningState::InBackground)
            }
            GrpcCode::ResourceExhausted | GrpcCode::Other(_) => {
                (ProvisionBranch::CreateFailed, ProvisioningState::Finished)
            }
        };
        failed(sync, claim, Stop { leaf, state, error: error.to_string() })
    }

    /// Handles the volume that the driver created. Upstream: `Provision` after `CreateVolume`, v6.4.0.
    fn created(
        &self,
        sync: &mut Work<'s>,
        claim: &PersistentVolumeClaim,
        class: &StorageClass,
        prepared: Prepared,
        created: &Created,
        driver: &Driver,
    ) -> Result<End, Stop> {
        let wanted = prepared.request.bytes;
        let bytes = if created.bytes == 0 { wanted } else { created.bytes };
        let unusable = if bytes < wanted {
            let text = format!("created volume capacity {bytes} less than requested capacity {wanted}");
            Some((ProvisionBranch::CreatedTooSmall, text, "Cleanup"))
        } else if claim.data_source && !(created.has_source && prepared.request.source.is_some()) {
            let text = "volume content source missing".to_owned();
            Some((ProvisionBranch::CreatedWithoutSource, text, "cleanup"))
        } else {
            None
        };
        if let Some((leaf, mut text, cleanup)) = unusable {
            let request = DeleteVolumeRequest { handle: created.handle.clone(), secret: prepared.request.secret };
            if let Err(error) = cleanup_volume(sync, request, driver) {
                let name = &prepared.request.name;
                text = format!("{text}. {cleanup} of volume {name} failed, volume is orphaned: {error}");
            }
            return Err(Stop { leaf, state: ProvisioningState::InBackground, error: text });
        }
        if prepared.migrated {
            sync.not_evaluated.insert(NotEvaluated::MigratedVolume);
        }
        let from_snapshot = data_source::of_data_source(claim).filter(|source| source.kind == SNAPSHOT);
        let volume = self.volume(claim, class, prepared, created, bytes);
        if let Some(source) = from_snapshot {
            release_snapshot(sync, &claim.meta.namespace, &source.name);
        }
        let text = format!("Successfully provisioned volume {}", volume.name);
        sync.acts.push(Act::StoreVolume(Box::new(volume)));
        sync.event(false, "ProvisioningSucceeded", text);
        let state = Some(ProvisioningState::Finished);
        Ok(End { state, ..End::early(ProvisionBranch::VolumeProvisioned, true) })
    }

    /// Returns the PersistentVolume for the claim, always as a CSI volume. The translation of a migrated volume into
    /// its in-tree form is not modelled (`NotEvaluated::MigratedVolume`).
    fn volume(
        &self,
        claim: &PersistentVolumeClaim,
        class: &StorageClass,
        prepared: Prepared,
        created: &Created,
        bytes: i64,
    ) -> ProvisionedVolume {
        let Prepared { request, fs_type, secrets, modify_secret, .. } = prepared;
        let with_topology = self.sidecar.can(Capability::AccessibilityConstraints);
        let read_only_many = request.modes == ["MULTI_NODE_READER_ONLY"];
        let attributes_class = Some(claim.attributes_class()).filter(|name| !name.is_empty());
        ProvisionedVolume {
            annotations: annotations(class, request.secret, modify_secret),
            name: request.name,
            driver: self.sidecar.driver.clone(),
            handle: created.handle.clone(),
            fs_type: if claim.mode() == VolumeMode::Block { Str::default() } else { fs_type },
            read_only: self.sidecar.controller_publish_read_only && read_only_many,
            secrets,
            bytes,
            access_modes: claim.access_modes.clone(),
            reclaim_policy: class.reclaim_policy.clone(),
            class_name: claim.class().into(),
            mount_options: class.mount_options.to_vec(),
            volume_mode: claim.volume_mode.clone(),
            attributes_class: attributes_class.map(Str::from),
            node_affinity: if with_topology { volume_node_affinity(&created.topology) } else { None },
        }
    }
}

impl ProvisionedVolume {
    /// `metadata.finalizers`: the finalizer of the provisioner.
    pub const FINALIZERS: [&'static str; 1] = [FINALIZER];
}

/// Returns the annotations of a new volume.
fn annotations(
    class: &StorageClass,
    deletion: Option<SecretName>,
    modify: Option<SecretName>,
) -> BTreeMap<&'static str, Str> {
    let (namespace, name) = deletion.unwrap_or_default();
    let mut made = BTreeMap::from([
        (AnnotationKey::ProvisionedBy.as_str(), class.provisioner.clone()),
        (AnnotationKey::DeletionSecretName.as_str(), name),
        (AnnotationKey::DeletionSecretNamespace.as_str(), namespace),
    ]);
    if let Some((namespace, name)) = modify {
        made.insert("volume.kubernetes.io/controller-modify-secret-name", name);
        made.insert("volume.kubernetes.io/controller-modify-secret-namespace", namespace);
    }
    made
}

/// Returns the terms of the node affinity of a volume: one for each topology that is not empty. Upstream:
/// `GenerateVolumeNodeAffinity`, v6.4.0.
fn volume_node_affinity(topology: &[Segments]) -> Option<Vec<Segments>> {
    let terms = || topology.iter().filter(|segments| !segments.is_empty()).cloned().collect();
    (!topology.is_empty()).then(terms)
}

/// Removes the provisioner's finalizer from a VolumeSnapshot. Earlier writes of this sync are taken into account.
/// Upstream: `removeSnapshotFinalizer`, v6.4.0.
fn release_snapshot(sync: &mut Work<'_>, namespace: &str, name: &str) {
    let object = ObjectKey { kind: Kind::VolumeSnapshot, namespace: namespace.into(), name: name.into() };
    // Earlier in this sync, only the finalizers of the source were written, and the source is this VolumeSnapshot.
    let written = sync.acts.iter().find_map(|act| match act {
        Act::Finalizers { finalizers, .. } => Some(finalizers.clone()),
        _ => None,
    });
    let stored = sync.reads.find::<VolumeSnapshot>(namespace, name);
    let present = written.or_else(|| stored.map(|snapshot| snapshot.meta.finalizers.to_vec())).unwrap_or_default();
    if let Some(finalizers) = data_source::without_finalizer(&present, SNAPSHOT_FINALIZER) {
        sync.acts.push(Act::Finalizers { object, finalizers });
    }
}

/// Asks the driver to delete a volume that cannot be used. If the answer of the driver is not known, it is assumed that
/// the driver deletes the volume. Upstream: `cleanupVolume`, v6.4.0.
fn cleanup_volume(sync: &mut Work<'_>, request: DeleteVolumeRequest, driver: &Driver) -> Result<(), DriverError> {
    let answer = driver.delete.clone().unwrap_or(Ok(()));
    let attempts = if answer.is_ok() { 1 } else { DELETE_VOLUME_RETRY_COUNT };
    sync.acts.extend(std::iter::repeat_n(Act::DeleteVolume(request), attempts));
    answer
}

/// Handles the error of `Provision`. Upstream: `provisionVolumeErrorHandling`, v13.1.0.
fn failed(sync: &mut Work<'_>, claim: &PersistentVolumeClaim, stop: Stop) -> End {
    let Stop { leaf, state, error } = stop;
    let end = End { state: Some(state), error: Some(error.clone()), ..End::early(leaf, true) };
    if leaf == ProvisionBranch::SourceIgnored {
        return end;
    }
    sync.event(true, "ProvisioningFailed", error.clone());
    if state == ProvisioningState::Reschedule && claim.meta.annotations.has(AnnotationKey::SelectedNode) {
        sync.acts.push(Act::RemoveSelectedNode);
        return end;
    }
    End { retry: Some(error), ..end }
}
