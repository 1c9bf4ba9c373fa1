//! The sync of a volume. Upstream: `syncVolume` of sig-storage-lib-external-provisioner v13.1.0, and `Delete` of
//! external-provisioner v6.4.0.

use super::class::for_driver;
use super::data_source::{with_finalizer, without_finalizer};
use super::decision::{Act, DeleteVolumeRequest, Deletion, NotEvaluated, SecretName};
use super::leaves::{DeletionBranch, FinalizerBranch};
use super::prepare::{Work, check_driver_capabilities, get_credentials};
use super::secrets::{self, ForClaim, get_secret_reference};
use super::sidecar::{Capability, Driver};
use super::{FINALIZER, Provisioner};
use crate::controllers::scheduler::migration::InTree;
use crate::model::{
    AnnotationKey, Kind, ObjectKey, PersistentVolume, ReclaimPolicy, SourceKind, StorageClass, Str, VolumeAttachment,
    VolumePhase,
};

/// The end of a sync that does not ask the driver to delete the storage: the leaf and the error.
struct Stop {
    leaf: DeletionBranch,
    error: String,
}

impl<'s> Provisioner<'s> {
    /// Returns what a sync of the volume does.
    pub fn delete(&self, volume: &'s PersistentVolume, driver: &Driver) -> Deletion {
        let mut sync = Work::new(self.view);
        let (leaf, finalizer, should, retry) = self.sync_volume(&mut sync, volume, driver);
        let Work { reads, acts, not_evaluated } = sync;
        Deletion { leaf, finalizer, should, acts, retry, doubts: reads.into_doubts(), not_evaluated }
    }

    fn sync_volume(
        &self,
        sync: &mut Work<'s>,
        volume: &'s PersistentVolume,
        driver: &Driver,
    ) -> (DeletionBranch, Option<FinalizerBranch>, bool, Option<String>) {
        if !self.is_provisioner_for_volume(volume) {
            return (DeletionBranch::VolumeOfOtherProvisioner, None, false, None);
        }
        let finalizer = handle_protection_finalizer(sync, volume);
        if let Some(leaf) = kept(volume) {
            return (leaf, Some(finalizer), false, None);
        }
        let (leaf, retry) = self.delete_volume_operation(sync, volume, driver);
        (leaf, Some(finalizer), true, retry)
    }

    /// Returns whether the provisioner is responsible for the volume. Upstream: `isProvisionerForVolume`, v13.1.0.
    fn is_provisioner_for_volume(&self, volume: &PersistentVolume) -> bool {
        let annotations = &volume.meta.annotations;
        let knows = |name: &str| self.sidecar.known_provisioner(name);
        let migrated = || annotations.get(AnnotationKey::MigratedTo).is_some_and(knows);
        match annotations.get(AnnotationKey::ProvisionedBy) {
            Some(name) => knows(name) || migrated(),
            None if volume.source.kind == SourceKind::Csi => knows(&volume.source.detail),
            None => migrated(),
        }
    }

    /// Asks the driver to delete the storage, and then deletes the volume. Upstream: `deleteVolumeOperation`, v13.1.0.
    fn delete_volume_operation(
        &self,
        sync: &mut Work<'s>,
        volume: &'s PersistentVolume,
        driver: &Driver,
    ) -> (DeletionBranch, Option<String>) {
        let request = match self.prepare_deletion(sync, volume) {
            Ok(request) => request,
            Err(Stop { leaf, error }) => {
                let waits = leaf == DeletionBranch::VolumeAttached;
                let reason = if waits { "VolumeDelete" } else { "VolumeFailedDelete" };
                sync.event(!waits, reason, error.clone());
                return (leaf, Some(error));
            }
        };
        sync.acts.push(Act::DeleteVolume(request));
        match &driver.delete {
            None => (DeletionBranch::DeleteRequested, None),
            Some(Err(error)) => {
                sync.event(true, "VolumeFailedDelete", error.to_string());
                (DeletionBranch::DeleteFailed, Some(error.to_string()))
            }
            Some(Ok(())) => {
                sync.acts.push(Act::DeleteObject);
                if let Some(finalizers) = without_finalizer(&volume.meta.finalizers, FINALIZER) {
                    set_finalizers(sync, volume, finalizers);
                }
                (DeletionBranch::VolumeDeleted, None)
            }
        }
    }

    /// Returns the request to the driver. Upstream: `Delete`, v6.4.0.
    fn prepare_deletion(&self, sync: &mut Work<'s>, volume: &'s PersistentVolume) -> Result<DeleteVolumeRequest, Stop> {
        let in_tree = InTree::of(volume);
        let handle: Str = match (in_tree, &volume.source.kind) {
            (Some(plugin), _) => plugin
                .handle(volume)
                .map_err(|error| Stop { leaf: DeletionBranch::VolumeUntranslatable, error })?
                .into(),
            (None, SourceKind::Csi) => volume.source.handle.clone(),
            (None, source) => {
                if matches!(source.as_str(), "azureFile" | "vsphereVolume") {
                    sync.not_evaluated.insert(NotEvaluated::MigratedVolume);
                }
                return Err(Stop { leaf: DeletionBranch::VolumeNotCsi, error: "invalid CSI PV".to_owned() });
            }
        };
        check_driver_capabilities(&self.sidecar, None, false)
            .map_err(|error| Stop { leaf: DeletionBranch::DeleteUnsupported, error: error.to_owned() })?;
        let secret = self.secret_for_deletion(sync, volume, in_tree.is_some())?;
        if self.sidecar.can(Capability::PublishUnpublishVolume) {
            let mut attachments = sync.reads.list::<VolumeAttachment>();
            if let Some(attachment) = attachments.find(|each| each.volume_name == volume.meta.name) {
                let error = format!(
                    "persistentvolume {} is still attached to node {}, waiting for detach",
                    volume.meta.name, attachment.node_name
                );
                return Err(Stop { leaf: DeletionBranch::VolumeAttached, error });
            }
        }
        Ok(DeleteVolumeRequest { handle, secret })
    }

    /// Returns the Secret for the deletion. If the Secret does not exist, this is not an error. Upstream:
    /// `handleSecretsForDeletion` and `getSecretsFromSC`, v6.4.0.
    fn secret_for_deletion(
        &self,
        sync: &mut Work<'s>,
        volume: &PersistentVolume,
        migrated: bool,
    ) -> Result<Option<SecretName>, Stop> {
        let annotation = |key| volume.meta.annotations.get(key);
        let stated =
            annotation(AnnotationKey::DeletionSecretNamespace).zip(annotation(AnnotationKey::DeletionSecretName));
        let named = match stated {
            Some(("", _) | (_, "")) => None,
            Some((namespace, name)) => Some((namespace.into(), name.into())),
            None => self.secret_of_class(sync, volume, migrated)?,
        };
        Ok(named.filter(|secret| get_credentials(sync, &self.secrets, secret).is_ok()))
    }

    fn secret_of_class(
        &self,
        sync: &mut Work<'s>,
        volume: &PersistentVolume,
        migrated: bool,
    ) -> Result<Option<SecretName>, Stop> {
        let class = Some(volume.class()).filter(|name| !name.is_empty());
        let Some(class) = class.and_then(|name| sync.reads.find::<StorageClass>("", name)) else { return Ok(None) };
        let mut parameters = std::borrow::Cow::Borrowed(&*class.parameters);
        if migrated {
            let translated = for_driver(&self.sidecar, class);
            if translated.not_evaluated {
                sync.not_evaluated.insert(NotEvaluated::MigratedClass);
            }
            parameters = translated.parameters;
        }
        let Some(of) = &volume.claim_ref else { return Ok(None) };
        let of = ForClaim { namespace: &of.namespace, name: &of.name, claim: None };
        get_secret_reference(secrets::PROVISIONER, &parameters, &volume.meta.name, of).found.map_err(|error| Stop {
            leaf: DeletionBranch::DeletionSecretUnresolvable,
            error: format!("failed to get secretreference for volume {}: {error}", volume.meta.name),
        })
    }
}

/// Returns the leaf at which the sync ends if it must not delete the storage. Returns `None` if the storage should be
/// deleted. Upstream: `shouldDelete`, v13.1.0.
fn kept(volume: &PersistentVolume) -> Option<DeletionBranch> {
    if volume.terminating() && !volume.meta.has_finalizer(FINALIZER) {
        Some(DeletionBranch::VolumeAlreadyDeleted)
    } else if volume.status.phase != VolumePhase::Released {
        Some(DeletionBranch::VolumeNotReleased)
    } else if volume.reclaim_policy != ReclaimPolicy::Delete {
        Some(DeletionBranch::VolumeIsKept)
    } else {
        None
    }
}

/// Adds or removes the finalizer of the provisioner, and returns the leaf. Upstream: `handleProtectionFinalizer`,
/// v13.1.0, with the option `AddFinalizer`, which external-provisioner sets.
fn handle_protection_finalizer(sync: &mut Work<'_>, volume: &PersistentVolume) -> FinalizerBranch {
    let finalizers = &volume.meta.finalizers;
    let (leaf, changed) = match volume.reclaim_policy {
        ReclaimPolicy::Delete if !volume.terminating() && volume.status.phase == VolumePhase::Bound => {
            (FinalizerBranch::FinalizerAdded, with_finalizer(finalizers, FINALIZER))
        }
        ReclaimPolicy::Retain | ReclaimPolicy::Recycle => {
            (FinalizerBranch::FinalizerRemoved, without_finalizer(finalizers, FINALIZER))
        }
        ReclaimPolicy::Delete | ReclaimPolicy::Other(_) => return FinalizerBranch::FinalizerUnchanged,
    };
    match changed {
        Some(finalizers) => {
            set_finalizers(sync, volume, finalizers);
            leaf
        }
        None => FinalizerBranch::FinalizerUnchanged,
    }
}

fn set_finalizers(sync: &mut Work<'_>, volume: &PersistentVolume, finalizers: Vec<Str>) {
    let object = ObjectKey::of(Kind::PersistentVolume, &volume.meta);
    sync.acts.push(Act::Finalizers { object, finalizers });
}
