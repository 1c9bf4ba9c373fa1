//! Shared volumes: the Service, the endpoints and the pods of the server that serves a volume to many pods.

crate::diagnosis::rules::section! {
    shared_service_missing,
    shared_pv_address_dangling,
    shared_pv_address_mismatch,
    shared_mount_endpoint_malformed,
    shared_mount_endpoint_stale,
    shared_export_pending,
    shared_mount_endpoint_unpublished,
    shared_targets_empty,
    shared_claim_missing,
    shared_not_exported,
    shared_state_unknown,
}

use crate::diagnosis::case::{claim_key, volume_key};
use crate::diagnosis::mention::mention;
use crate::diagnosis::shared_volumes::SharedVolume;
use crate::diagnosis::{Case, Detection, key};
use crate::model::{Kind, ObjectKey, PersistentVolume, Service, VolumeAttachment};

/// Returns the path of a shared volume whose clients can have a problem. Returns None for a volume that nobody uses: it
/// has no claim, or it is being deleted.
fn path_of<'a>(case: &Case<'a>, volume: &'a PersistentVolume) -> Option<SharedVolume<'a>> {
    let path = case.shared_volume(volume)?;
    (path.claim.is_some() && !volume.terminating()).then_some(path)
}

/// Returns the VolumeAttachments of the volume.
fn attachments<'a>(case: &Case<'a>, volume: &'a PersistentVolume) -> impl Iterator<Item = &'a VolumeAttachment> {
    let all = case.snapshot().all::<VolumeAttachment>();
    all.iter().filter(|attachment| attachment.volume_name == volume.meta.name)
}

/// Returns the key of a Service.
fn service_key(service: &Service) -> ObjectKey {
    key(Kind::Service, &service.meta.namespace, &service.meta.name)
}

/// Begins a finding about a shared volume. `what` continues the name of the volume.
fn found(path: &SharedVolume<'_>, what: &str) -> Detection {
    let found = Detection::new(format!("{} {what}", mention(&volume_key(&path.volume.meta.name))));
    match path.claim {
        Some(claim) => found.affects(claim_key(&claim.meta.namespace, &claim.meta.name)),
        None => found,
    }
}

/// Adds the field of the volume that has the recorded address.
fn with_address(found: Detection, path: &SharedVolume<'_>) -> Detection {
    match &path.address {
        Some(address) => {
            let field = match path.volume.source.kind {
                crate::model::SourceKind::Nfs => "spec.nfs.server",
                _ => "spec.csi.volumeAttributes",
            };
            found.evidence(&volume_key(&path.volume.meta.name), field, address.host.as_str())
        }
        None => found,
    }
}
