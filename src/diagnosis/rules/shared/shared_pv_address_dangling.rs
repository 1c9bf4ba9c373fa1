//! This rule reports a shared volume that records an address which no Service has.

use super::{found, path_of, service_key, with_address};
use crate::diagnosis::nfs::Hanging;
use crate::diagnosis::remedy::{by_hand, kubectl, reconnect};
use crate::diagnosis::shared_volumes::ServiceBehind;
use crate::diagnosis::{Act, Case, Detect, Detection, Page, Repair, Risk, Rule, Severity};
use crate::model::{Kind, PersistentVolume};

pub(super) static RULE: Rule = Rule {
    id: "shared-pv-address-dangling",
    title: "a shared volume records an address that no Service has",
    severity: Severity::Error,
    risk: Risk::None,
    reads: &[Kind::PersistentVolumeClaim, Kind::Service],
    hinders: &[Act::Serve],
    repairs: &[Repair::Reconnect],
    page: Page {
        seen: "Pods with this claim stay in ContainerCreating, and the mount times out. Pods that run hang when they use \
               the volume. The pod of the server runs.",
        why: "When the volume was created, the cluster IP of the server's Service was written into the volume. The \
              Service was deleted since, and perhaps created again with another cluster IP. The source of a volume \
              cannot be changed, so the volume keeps the old address.",
        confirm: "kubectl get pv VOLUME -o jsonpath='{.spec.nfs.server} {.spec.csi.volumeAttributes.server}'\n\
                  kubectl get services -A -o wide | grep 2049",
        repair: "`kubectl pvctl reconnect pv/VOLUME --service NAMESPACE/SERVICE` creates another Service \
                 with the old address in `spec.clusterIP`, and with the selector and ports of the Service that the \
                 server has now. The two Services can exist at the same time. The server needs no restart.",
        prevention: "Give the Service of an NFS server a fixed cluster IP, or let volumes record its DNS name.",
        hazard: "If another server gets the old address, pods read and write its data instead.",
        sources: &[
            "kubernetes-sigs/nfs-ganesha-server-and-external-provisioner#79",
            "rook/rook#4441",
            "rook/rook#8165",
        ],
    },
    detect: Detect::Volume(detect),
};

fn detect(case: &Case<'_>, volume: &PersistentVolume) -> Option<Detection> {
    let path = path_of(case, volume)?;
    let ServiceBehind::NoAddress { instead } = path.service else { return None };
    // The range of the cluster IPs is not known exactly. So something else must show that the address is not that of a
    // server outside of the cluster: a pod that hangs, or a server in the cluster at another address.
    let hangs = || path.consumers(case.snapshot()).any(|pod| Hanging::of(case, pod).is_some());
    if instead.is_none() && !hangs() {
        return None;
    }
    let address = path.address.as_ref()?.host.as_str();
    let said = with_address(
        found(
            &path,
            &format!("cannot be mounted, because its server has address {address}, and no Service has this address"),
        ),
        &path,
    );
    Some(match instead {
        Some(other) => {
            let (namespace, name) = (&other.meta.namespace, &other.meta.name);
            said.evidence(&service_key(other), "spec.clusterIP", other.cluster_ip.as_str()).remedy(reconnect(
                volume,
                format!(
                    "if Service {namespace}/{name} is the server now, create another Service with {address} in \
                     spec.clusterIP and with its selector and ports"
                ),
            ))
        }
        None => said
            .remedy(kubectl("get services -A -o wide", "see which Service the server has now"))
            .remedy(by_hand(format!("create a Service for the server with {address} in spec.clusterIP"))),
    })
}
