//! This rule reports a shared volume whose Service does not exist.

use super::{found, path_of, with_address};
use crate::diagnosis::remedy::reconnect;
use crate::diagnosis::shared_volumes::{Recreates, ServiceBehind, SharedVolume};
use crate::diagnosis::{Act, Case, Detect, Detection, Page, Repair, Risk, Rule, Severity};
use crate::model::{Kind, PersistentVolume, PodPhase};

pub(super) static RULE: Rule = Rule {
    id: "shared-service-missing",
    title: "the Service of a shared volume does not exist",
    severity: Severity::Error,
    risk: Risk::None,
    reads: &[Kind::PersistentVolumeClaim, Kind::Service, Kind::VolumeAttachment, Kind::Pod],
    hinders: &[Act::Serve],
    repairs: &[Repair::Reconnect],
    page: Page {
        seen: "Pods with this claim stay in ContainerCreating. Pods that run hang when they use the volume. The claim is \
               Bound.",
        why: "The storage system serves the volume from a pod, and clients reach this pod through a Service. Somebody \
              deleted the Service. Most systems create it only together with the server. Then Kubernetes gives it \
              another cluster IP, and pods that have mounted the volume still use the old one.",
        confirm: "kubectl get pv VOLUME -o yaml\n\
                  kubectl get services -A -o wide",
        repair: "`kubectl pvctl reconnect pv/VOLUME` creates the Service again with the same name, ports and selector, and \
                 with the address that the clients use in `spec.clusterIP`. If no pod has mounted the volume, restart the server of the volume, so that the \
                 system creates the Service.",
        prevention: "Do not delete Services in the namespace of the storage system.",
        hazard: "A Service with another cluster IP does not help pods that have mounted the volume: they hang until they \
                 are restarted.",
        sources: &[
            "longhorn/longhorn#9022",
            "rook/rook#4441",
            "kubernetes-sigs/nfs-ganesha-server-and-external-provisioner#79",
        ],
    },
    detect: Detect::Volume(detect),
};

fn detect(case: &Case<'_>, volume: &PersistentVolume) -> Option<Detection> {
    let path = path_of(case, volume)?;
    let ServiceBehind::NoService { namespace, name } = &path.service else { return None };
    // Some systems create the Service together with the server. Without a server, its absence is no fault.
    if path.is_exported() == Some(false) || path.provider.served_when_attached && !is_attached(case, &path) {
        return None;
    }
    let place = if namespace.is_empty() { name.clone() } else { format!("{namespace}/{name}") };
    let again = match path.provider.recreates {
        Recreates::Always => "its operator should create it again",
        Recreates::WhenVolumeChanges => "its controller creates it again only when the volume changes",
        Recreates::Never => "nothing creates it again while the server runs",
    };
    let provider = &path.provider.name;
    let said = found(
        &path,
        &format!(
            "cannot be mounted, because {provider} serves it through Service {place}, which does not exist; {again}"
        ),
    );
    let does = format!("create Service {place} again, with the address that the clients use in spec.clusterIP");
    Some(with_address(said, &path).remedy(reconnect(volume, does)))
}

/// Returns whether the volume is attached to a node, or a pod that uses it runs.
fn is_attached(case: &Case<'_>, path: &SharedVolume<'_>) -> bool {
    let mut own = case.snapshot().attachments_of(&path.volume.meta.name);
    own.any(|one| one.attached) || path.consumers(case.snapshot()).any(|pod| pod.phase == PodPhase::Running)
}
