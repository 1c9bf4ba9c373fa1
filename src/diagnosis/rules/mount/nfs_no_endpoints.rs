//! This rule reports a pod with an NFS volume whose server is a Service without a pod that serves it.

use super::nfs_server::told;
use crate::diagnosis::nfs::{Export, unserved};
use crate::diagnosis::pod::facts::pod_key;
use crate::diagnosis::remedy::{by_hand, describe, kubectl, quoted};
use crate::diagnosis::{Case, Detect, Detection, Page, Risk, Rule, Severity, key};
use crate::model::{Kind, Pod};

pub(super) static RULE: Rule = Rule {
    id: "nfs-no-endpoints",
    title: "no pod serves the Service of the NFS server",
    severity: Severity::Error,
    risk: Risk::None,
    reads: &[Kind::PersistentVolume, Kind::PersistentVolumeClaim, Kind::Service],
    hinders: &[],
    repairs: &[],
    page: Page {
        seen: "The pod stays in ContainerCreating, and `FailedMount` says that the mount timed out, or that there is no \
               route to the host. Or pods stay Terminating. The Service of the NFS server exists.",
        why: "The server of the volume is the cluster IP or the DNS name of a Service. No pod that the Service selects \
              is ready, so no NFS server answers.",
        confirm: "kubectl get service SERVICE -n NAMESPACE -o wide\n\
                  kubectl get endpointslices -n NAMESPACE -l kubernetes.io/service-name=SERVICE\n\
                  kubectl get pods -n NAMESPACE -l SELECTOR",
        repair: "Start the pods of the NFS server. The kubelet mounts the volume by itself when the server answers.",
        prevention: "Let the NFS server have its own Deployment or StatefulSet, and do not delete it before its clients.",
        hazard: "A server that starts with another export directory is empty and looks healthy.",
        sources: &[
            "rook/nfs#34",
            "kubernetes/kubernetes#24687",
            "https://kubernetes.io/docs/concepts/storage/volumes/#nfs",
        ],
    },
    detect: Detect::Pod(detect),
};

fn detect(case: &Case<'_>, pod: &Pod) -> Option<Detection> {
    let (hanging, exports) = Export::of_hanging(case, pod)?;
    let (export, service, pods) = unserved(case, &exports).next()?;
    let (namespace, name) = (service.meta.namespace.as_str(), service.meta.name.as_str());
    if !case.knows_all(Kind::Pod, namespace) {
        return None;
    }
    let state = match pods.first() {
        None => "no pod has the labels that the Service selects".to_owned(),
        Some(first) => format!("pod {namespace}/{} is not ready", first.meta.name),
    };
    let found = Detection::new(format!(
        "{} {}, because its NFS server, Service {namespace}/{name}, has no ready pod. Node {} waits for that server: {state}",
        export.words(case.snapshot(), pod),
        hanging.words(),
        pod.node_name
    ))
    .evidence(&key(Kind::Service, namespace, name), "spec.clusterIP", service.cluster_ip.as_str());
    let found = match pods.first() {
        Some(first) => found
            .evidence(&pod_key(first), "status.phase", first.phase.as_str())
            .remedy(describe(&pod_key(first), "see why the pod of the NFS server is not ready")),
        None => found.remedy(kubectl(
            format!("get service {} -n {} -o wide", quoted(name), quoted(namespace)),
            "see which pods the Service selects",
        )),
    };
    let found = found.remedy(by_hand("start the NFS server; then the kubelet mounts the volume"));
    Some(told(found, case, pod, export, hanging))
}
