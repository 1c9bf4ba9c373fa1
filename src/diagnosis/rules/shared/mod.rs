//! Shared volumes: the Service, the endpoints and the pods of the server that serves a volume to many pods.

crate::diagnosis::rules::section! {
    shared_service_terminating,
    shared_service_foreign,
    shared_service_owner_stale,
    shared_service_missing,
    shared_pv_address_dangling,
    shared_pv_address_mismatch,
    shared_mount_endpoint_malformed,
    shared_mount_endpoint_stale,
    shared_service_drift_permanent,
    shared_service_drift,
    shared_target_port_mismatch,
    shared_mirror_missing,
    shared_targets_missing,
    shared_export_pending,
    shared_mount_endpoint_unpublished,
    shared_server_pod_not_ready,
    shared_targets_empty,
    shared_targets_stale,
    shared_targets_ambiguous,
    shared_service_recreated,
    shared_mirror_duplicate,
    shared_targets_implausible,
    shared_service_owner_missing,
    shared_orphan_service,
    shared_orphan_targets,
    shared_claim_missing,
    shared_controller_absent,
    shared_server_restarted,
    shared_not_exported,
    shared_state_unknown,
}

mod targets;

use crate::diagnosis::case::{claim_key, volume_key};
use crate::diagnosis::mention::mention;
use crate::diagnosis::remedy::{kubectl, quoted};
use crate::diagnosis::shared_volumes::SharedVolume;
use crate::diagnosis::{Case, Detection, Remedy, key};
use crate::model::{Kind, ObjectKey, PersistentVolume, Service};

/// What the rules about the targets of a volume read.
const READS: &[Kind] =
    &[Kind::PersistentVolumeClaim, Kind::Service, Kind::EndpointSlice, Kind::Endpoints, Kind::Pod, Kind::Node];

/// Returns the path of a shared volume whose clients can have a problem. Returns None for a volume that nobody uses: it
/// has no claim, or it is being deleted.
fn path_of<'a>(case: &Case<'a>, volume: &PersistentVolume) -> Option<SharedVolume<'a>> {
    let path = case.shared_volume(volume)?;
    (path.claim.is_some() && !volume.terminating()).then_some(path)
}

/// Returns the Service that the system created for the volume. Returns None if the Service is being deleted, if it is
/// not the one of the system, or if the system does not create a Service for each volume.
fn made_service<'a>(path: &SharedVolume<'a>) -> Option<&'a Service> {
    let service = path.service.service().filter(|service| service.meta.deleted.is_none())?;
    let is_made = path.provider.service.name.is_some() && shared_service_foreign::strangeness(path, service).is_none();
    is_made.then_some(service)
}

/// Returns the namespace and name of a Service in one word.
fn full_name(service: &Service) -> String {
    format!("{}/{}", service.meta.namespace, service.meta.name)
}

/// Returns the kubectl remedy that saves the manifest of a Service.
fn save_service(service: &Service, why: &str) -> Remedy {
    let (namespace, name) = (quoted(&service.meta.namespace), quoted(&service.meta.name));
    kubectl(format!("get service {name} -n {namespace} -o yaml"), format!("save the manifest of the Service: {why}"))
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
