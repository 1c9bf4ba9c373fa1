//! The shared volumes that concern an explained object, with the path to their servers.

use crate::diagnosis::Finding;
use crate::diagnosis::shared_volumes::{PathIndex, Providers, SharedVolume};
use crate::model::{ObjectId, PersistentVolume, Pod, Service, TypedId};
use crate::report::shared_volumes::{SharedRow, SharedVolumeOut};
use crate::snapshot::Snapshot;

/// Returns the shared volumes that concern the object: a volume itself, the volume of a claim, the volumes of a pod,
/// and the volumes that a Service leads to.
pub(super) fn shared_volumes<'a>(
    snapshot: &'a Snapshot,
    providers: &'a Providers,
    findings: &'a [Finding],
    object: ObjectId,
) -> Vec<SharedVolumeOut<'a>> {
    let volumes = match object.typed() {
        TypedId::PersistentVolume(id) => vec![snapshot.volume(id)],
        TypedId::PersistentVolumeClaim(id) => volume_of(snapshot, &snapshot.claim(id).volume_name),
        TypedId::Pod(id) => volumes_of(snapshot, snapshot.get(id)),
        TypedId::Service(_) => snapshot.volumes().iter().collect(),
        _ => return Vec::new(),
    };
    let volumes: Vec<&PersistentVolume> =
        volumes.into_iter().filter(|volume| providers.of(volume, None).is_some()).collect();
    if volumes.is_empty() {
        return Vec::new();
    }
    let index = PathIndex::of(snapshot);
    let paths = index.volumes(snapshot, providers);
    let concerns = |path: &SharedVolume<'a>| match object.typed() {
        TypedId::Service(id) => {
            let service: &Service = snapshot.get(id);
            path.service.service().is_some_and(|found| std::ptr::eq(found, service))
        }
        _ => true,
    };
    let rows = volumes.into_iter().filter_map(|volume| paths.path(volume, snapshot)).filter(concerns);
    rows.map(|path| SharedRow::new(path, findings).document(snapshot)).collect()
}

fn volume_of<'a>(snapshot: &'a Snapshot, name: &str) -> Vec<&'a PersistentVolume> {
    snapshot.volume_id(name).map(|id| snapshot.volume(id)).into_iter().collect()
}

fn volumes_of<'a>(snapshot: &'a Snapshot, pod: &Pod) -> Vec<&'a PersistentVolume> {
    let claims = pod.claim_names().filter_map(|name| snapshot.claim_id(&pod.meta.namespace, name));
    claims.flat_map(|id| volume_of(snapshot, &snapshot.claim(id).volume_name)).collect()
}
