//! This rule reports a pod with an NFS volume whose server is a Service that does not exist.

use super::nfs_server::told;
use crate::diagnosis::nfs::Export;
use crate::diagnosis::remedy::{by_hand, kubectl};
use crate::diagnosis::shared_volumes::ServiceBehind;
use crate::diagnosis::{Case, Detect, Detection, Page, Risk, Rule, Severity, key};
use crate::model::{Kind, Pod};

pub(super) static RULE: Rule = Rule {
    id: "nfs-service-missing",
    title: "the NFS server is a Service that does not exist",
    severity: Severity::Error,
    risk: Risk::None,
    reads: &[Kind::PersistentVolume, Kind::PersistentVolumeClaim, Kind::Service],
    hinders: &[],
    repairs: &[],
    page: Page {
        seen: "The pod stays in ContainerCreating, and `FailedMount` says that the mount timed out. Or pods stay \
               Terminating, because their node cannot unmount the volume. The claim is Bound.",
        why: "The NFS server runs in the cluster, and the volume has the cluster IP or the DNS name of its Service. The \
              Service was deleted, or was created again and has another cluster IP. The source of a volume cannot be \
              changed, so the volume keeps the old address.",
        confirm: "kubectl get pv VOLUME -o jsonpath='{.spec.nfs}'\n\
                  kubectl get services -A -o wide | grep 2049",
        repair: "Create the Service again with the old name and, in `spec.clusterIP`, the old address. Otherwise set \
                 policy Retain on the PersistentVolume. Then create a new PersistentVolume for the same export, with \
                 the new address and policy Retain, and a new claim for it. If a node cannot unmount the volume, bring \
                 the server back, or move the other pods away and restart the node.",
        prevention: "Give the Service of an NFS server a fixed cluster IP. Delete the pods that use a share before its \
                     server.",
        hazard: "A new server can be empty: compare the export before pods write to it. Deleting a pod by force leaves \
                 the mount on the node.",
        sources: &["rook/rook#4441", "rook/rook#6327", "kubernetes-retired/external-storage#1102"],
    },
    detect: Detect::Pod(detect),
};

fn detect(case: &Case<'_>, pod: &Pod) -> Option<Detection> {
    let (hanging, exports) = Export::of_hanging(case, pod)?;
    let services = case.survey().services();
    let (export, what, instead) =
        exports.iter().find_map(|export| match services.behind(export.server, None, case) {
            ServiceBehind::NoService { namespace, name } => {
                Some((export, format!("its NFS server, Service {namespace}/{name}, does not exist"), None))
            }
            ServiceBehind::NoAddress { instead } => Some((
                export,
                format!("NFS server {} does not answer, and no Service has this address", export.server),
                instead,
            )),
            ServiceBehind::Service(_) | ServiceBehind::Unknown => None,
        })?;
    let server = export.server;
    let found = Detection::new(format!(
        "{} {}, because {what}. Node {} waits for that server",
        export.words(case.snapshot(), pod),
        hanging.words(),
        pod.node_name
    ));
    let found = match instead {
        Some(other) => {
            let (namespace, name, ip) = (&other.meta.namespace, &other.meta.name, &other.cluster_ip);
            found.evidence(&key(Kind::Service, namespace, name), "spec.clusterIP", ip.as_str()).remedy(by_hand(format!(
                "if Service {namespace}/{name} is the server, create it again with {server} in spec.clusterIP; or create \
                 a new PersistentVolume for the same export with address {ip} and policy Retain"
            )))
        }
        None => found.remedy(by_hand(format!(
            "start the NFS server again, and create its Service so that {server} leads to it"
        ))),
    };
    let found = if hanging.is_deleted {
        found.remedy(by_hand(format!(
            "if the server does not come back, move the other pods away and restart node {}: the restart removes the \
             mount",
            pod.node_name
        )))
    } else {
        found
    };
    let found = found.remedy(kubectl("get services -A -o wide", "see which Service the NFS server has now"));
    Some(told(found, case, pod, export, hanging))
}
