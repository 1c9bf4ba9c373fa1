//! This rule reports a shared volume whose Service has no target that is ready, and no pod of a server.

use super::targets::{Trouble, trouble};
use super::{READS, found, path_of, service_key};
use crate::diagnosis::remedy::{by_hand, kubectl, quoted};
use crate::diagnosis::{Act, Case, Detect, Detection, Page, Risk, Rule, Severity};
use crate::model::PersistentVolume;

pub(super) static RULE: Rule = Rule {
    id: "shared-targets-empty",
    title: "no server runs behind the Service of a shared volume",
    severity: Severity::Error,
    risk: Risk::None,
    reads: READS,
    hinders: &[Act::Serve],
    repairs: &[],
    page: Page {
        seen: "Pods with this claim stay in ContainerCreating, and the mount times out. Pods that run hang when they \
               use the volume. The Service exists.",
        why: "kube-proxy sends the requests to a Service only to endpoints that are ready. The Service of the volume \
              has none, and no pod has the labels that the Service selects. The server was scaled to zero or deleted, \
              or its system has marked its address as not ready.",
        confirm: "kubectl get service SERVICE -n NAMESPACE -o wide\n\
                  kubectl get endpointslices -n NAMESPACE -l kubernetes.io/service-name=SERVICE\n\
                  kubectl get pods -n NAMESPACE --show-labels",
        repair: "Start the server again. The clients continue when the server is back at the same address.",
        prevention: "Do not scale the server of a shared volume to zero while pods use the volume.",
        hazard: "Pods that are restarted now cannot mount the volume again until the server is back.",
        sources: &["kubernetes-sigs/nfs-subdir-external-provisioner#102", "kubernetes/kubernetes#24687"],
    },
    detect: Detect::Volume(detect),
};

fn detect(case: &Case<'_>, volume: &PersistentVolume) -> Option<Detection> {
    let path = path_of(case, volume)?;
    let Trouble::Empty = trouble(case, &path)? else { return None };
    let service = path.service.service()?;
    let (namespace, name) = (service.meta.namespace.as_str(), service.meta.name.as_str());
    let why = if service.selector.is_empty() { "has no endpoint that is ready" } else { "selects no pod" };
    let what = format!("cannot be mounted, because its Service {namespace}/{name} {why}");
    let said = found(&path, &what).evidence(&service_key(service), "spec.clusterIP", service.cluster_ip.as_str());
    Some(
        said.remedy(kubectl(
            format!("get service {} -n {} -o wide", quoted(name), quoted(namespace)),
            "see which pods the Service selects",
        ))
        .remedy(by_hand("start the server of the volume")),
    )
}
