//! This rule reports a pod with an NFS volume whose server has a name without dots.

use super::nfs_server::told;
use crate::diagnosis::nfs::Export;
use crate::diagnosis::remedy::by_hand;
use crate::diagnosis::{Case, Detect, Detection, Page, Risk, Rule, Severity, key};
use crate::model::{Kind, Pod, Service};

pub(super) static RULE: Rule = Rule {
    id: "nfs-short-name",
    title: "the NFS server has a short name that nodes cannot resolve",
    severity: Severity::Error,
    risk: Risk::None,
    reads: &[Kind::PersistentVolume, Kind::PersistentVolumeClaim, Kind::Service],
    hinders: &[],
    repairs: &[],
    page: Page {
        seen: "The pod stays in ContainerCreating. An event `FailedMount` says that the server cannot be resolved, or \
               that the mount timed out. The claim is Bound, and the NFS server runs.",
        why: "The kubelet mounts an NFS volume on the node and asks the resolver of the node. A name without dots, such \
              as the name of a Service, is known only to pods of the Service's namespace, through the DNS of the \
              cluster.",
        confirm: "kubectl get pv VOLUME -o jsonpath='{.spec.nfs}'\n\
                  kubectl get services -A | grep SERVER\n\
                  kubectl debug node/NODE -it --image=busybox -- chroot /host getent hosts SERVER",
        repair: "Use an address that nodes reach: the cluster IP of the Service, or a name in the DNS of the nodes. \
                 The source of a volume cannot be changed, so set policy Retain on the PersistentVolume, and create a \
                 new PersistentVolume for the same export, with policy Retain, and a new claim for it. An export that \
                 the pod itself specifies is changed in the pod's template.",
        prevention: "Give the Service of an NFS server a fixed cluster IP, and use it in volumes.",
        hazard: "A cluster IP changes when its Service is created again.",
        sources: &[
            "https://kubernetes.io/docs/concepts/storage/volumes/#nfs",
            "kubernetes-retired/external-storage#1240",
            "openebs-archive/dynamic-nfs-provisioner#2",
        ],
    },
    detect: Detect::Pod(detect),
};

fn detect(case: &Case<'_>, pod: &Pod) -> Option<Detection> {
    // A pod that is being deleted has mounted its volumes, so its node could resolve the name.
    let (hanging, exports) = Export::of_hanging(case, pod).filter(|(hanging, _)| !hanging.is_deleted)?;
    let export = exports.iter().find(|export| export.by_kubelet && is_short(export.server))?;
    let server = export.server;
    let services = case.snapshot().all::<Service>().iter();
    let mut named: Vec<&Service> = services.filter(|service| service.meta.name == server).collect();
    // Inside the pod, the name means the Service in the namespace of the pod. So this Service comes first.
    named.sort_by_key(|service| service.meta.namespace != pod.meta.namespace);
    let found = Detection::new(format!(
        "{} has NFS server {server}, a short name that nodes usually cannot resolve. Only pods \
         resolve the short name of a Service, and node {} mounts the volume",
        export.words(case.snapshot(), pod),
        pod.node_name
    ));
    let found = match named.first().filter(|service| !matches!(service.cluster_ip.as_str(), "" | "None")) {
        Some(service) => {
            let (namespace, ip) = (&service.meta.namespace, &service.cluster_ip);
            found.evidence(&key(Kind::Service, namespace, server), "spec.clusterIP", ip.as_str()).remedy(by_hand(
                format!(
                    "use {ip}, the cluster IP of Service {namespace}/{server}, instead of the name: in the pod's \
                     template, or in a new PersistentVolume for the same export with policy Retain"
                ),
            ))
        }
        None => found.remedy(by_hand(
            "use an IP address or a full name that nodes resolve: in the pod's template, or in a new PersistentVolume \
             for the same export with policy Retain",
        )),
    };
    Some(told(found, case, pod, export, hanging))
}

/// Returns whether the server is a name without dots, and not an address.
fn is_short(server: &str) -> bool {
    !server.is_empty() && !server.contains(['.', ':']) && server != "localhost"
}
