//! This rule reports a shared volume that records another address than that of its Service.

use super::{found, path_of, service_key, with_address};
use crate::diagnosis::remedy::reconnect;
use crate::diagnosis::{Act, Case, Detect, Detection, Page, Repair, Risk, Rule, Severity};
use crate::model::{Kind, PersistentVolume};

pub(super) static RULE: Rule = Rule {
    id: "shared-pv-address-mismatch",
    title: "a shared volume records another address than that of its Service",
    severity: Severity::Error,
    risk: Risk::None,
    reads: &[Kind::PersistentVolumeClaim, Kind::Service],
    hinders: &[Act::Serve],
    repairs: &[Repair::Reconnect],
    page: Page {
        seen: "Pods with this claim stay in ContainerCreating, and the mount times out. Pods that run hang when they use \
               the volume. The Service and the pod of the server exist.",
        why: "When the volume was created, the cluster IP of the Service was written into the volume. The Service was \
              deleted and created again since, and Kubernetes gave it another cluster IP. The source of a volume cannot \
              be changed, so the volume keeps the old address.",
        confirm: "kubectl get pv VOLUME -o jsonpath='{.spec.nfs.server}'\n\
                  kubectl get service SERVICE -n NAMESPACE -o jsonpath='{.spec.clusterIP}'",
        repair: "`kubectl pvctl reconnect pv/VOLUME` creates another Service with the old address in \
                 `spec.clusterIP`, and with the selector and ports of the Service that exists. Keep both.",
        prevention: "Do not delete the Service of a shared volume.",
        hazard: "Deleting the Service that exists to create it with the old address interrupts the pods that already use \
                 the new address.",
        sources: &["rook/rook#4441", "rook/rook#8165", "openebs-archive/dynamic-nfs-provisioner#184"],
    },
    detect: Detect::Volume(detect),
};

fn detect(case: &Case<'_>, volume: &PersistentVolume) -> Option<Detection> {
    let path = path_of(case, volume)?;
    let service = path.service.service()?;
    let address = path.stale_address()?;
    let (namespace, name, ip) = (&service.meta.namespace, &service.meta.name, &service.cluster_ip);
    let what = format!(
        "cannot be mounted, because it records address {address} for its server, but Service {namespace}/{name} has \
         address {ip}"
    );
    let said = with_address(found(&path, &what), &path)
        .evidence(&service_key(service), "spec.clusterIP", ip.as_str())
        .since(service.meta.created);
    let does = format!(
        "create another Service with {address} in spec.clusterIP and with the selector and ports of Service \
         {namespace}/{name}"
    );
    Some(said.remedy(reconnect(volume, does)))
}
