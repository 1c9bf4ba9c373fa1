//! The shared volumes that concern an explained object, with the path to their servers.

use crate::diagnosis::shared_volumes::{
    Providers, ServiceIndex, Services, SharedVolume, SharedVolumes, SliceIndex, Slices,
};
use crate::diagnosis::{Finding, rules};
use crate::model::{Kind, ObjectId, ObjectKey, PersistentVolume, Pod, Service, TypedId};
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
    let (services, slices) = (ServiceIndex::of(snapshot), SliceIndex::of(snapshot));
    let paths = SharedVolumes {
        snapshot,
        providers,
        services: Services { snapshot, index: &services },
        slices: Slices { snapshot, index: &slices },
    };
    let concerns = |path: &SharedVolume<'a>| match object.typed() {
        TypedId::Service(id) => {
            let service: &Service = snapshot.get(id);
            path.service.service().is_some_and(|found| std::ptr::eq(found, service))
        }
        _ => true,
    };
    let about = |volume: &PersistentVolume| {
        let key = ObjectKey::of(Kind::PersistentVolume, &volume.meta);
        let own = findings.iter().filter(|finding| finding.object == key && rules::is_about_serving(finding.rule));
        own.collect::<Vec<&Finding>>()
    };
    let rows = volumes.into_iter().filter_map(|volume| paths.path(volume, snapshot)).filter(concerns);
    rows.map(|path| SharedRow { findings: about(path.volume), path }.document(snapshot)).collect()
}

fn volume_of<'a>(snapshot: &'a Snapshot, name: &str) -> Vec<&'a PersistentVolume> {
    snapshot.volume_id(name).map(|id| snapshot.volume(id)).into_iter().collect()
}

fn volumes_of<'a>(snapshot: &'a Snapshot, pod: &Pod) -> Vec<&'a PersistentVolume> {
    let claims = pod.claim_names().filter_map(|name| snapshot.claim_id(&pod.meta.namespace, name));
    claims.flat_map(|id| volume_of(snapshot, &snapshot.claim(id).volume_name)).collect()
}
