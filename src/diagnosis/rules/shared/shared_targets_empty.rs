//! This rule reports a shared volume whose Service has no target that is ready.

use super::{found, path_of, service_key};
use crate::diagnosis::case::claim_key;
use crate::diagnosis::facts::is_unbound;
use crate::diagnosis::pod::facts::{pod_key, used_claims};
use crate::diagnosis::remedy::{by_hand, describe, kubectl, quoted};
use crate::diagnosis::shared_volumes::TargetSource;
use crate::diagnosis::{Act, Case, Detect, Detection, Page, Risk, Rule, Severity};
use crate::model::{Kind, PersistentVolume, Pod};

pub(super) static RULE: Rule = Rule {
    id: "shared-targets-empty",
    title: "no server is ready behind the Service of a shared volume",
    severity: Severity::Error,
    risk: Risk::None,
    reads: &[Kind::PersistentVolumeClaim, Kind::Service, Kind::EndpointSlice, Kind::Endpoints, Kind::Pod],
    hinders: &[Act::Serve],
    repairs: &[],
    page: Page {
        seen: "Pods with this claim stay in ContainerCreating, and the mount times out. Pods that run hang when they use \
               the volume. The Service exists.",
        why: "kube-proxy sends the requests to a Service only to endpoints that are ready. The Service of the volume has \
              none: the pod of the server does not run or is not ready, or nobody has written its endpoints.",
        confirm: "kubectl get endpointslices -n NAMESPACE -l kubernetes.io/service-name=SERVICE\n\
                  kubectl get pods -n NAMESPACE -o wide",
        repair: "Find out why the pod of the server is not ready, and mend that. The clients go on by themselves when the \
                 server is back at the same address.",
        prevention: "Let the server have a priority class, so that it is not evicted before its clients.",
        hazard: "Pods that are restarted now cannot mount the volume again until the server is back.",
        sources: &["longhorn/longhorn#5954", "kubernetes/kubernetes#24687"],
    },
    detect: Detect::Volume(detect),
};

fn detect(case: &Case<'_>, volume: &PersistentVolume) -> Option<Detection> {
    let volume = case.volume(&volume.meta.name)?;
    let path = path_of(case, volume)?;
    let (service, _) = (path.service.service()?, path.port?);
    let targets = &path.targets;
    if targets.source == TargetSource::Unknown || !targets.ready.is_empty() || !targets.other_ports.is_empty() {
        return None;
    }
    let (namespace, name) = (service.meta.namespace.as_str(), service.meta.name.as_str());
    let is_known = match targets.source {
        TargetSource::Pods => case.knows_all(Kind::Pod, namespace),
        _ => case.knows_all(Kind::EndpointSlice, namespace),
    };
    if !is_known {
        return None;
    }
    let pods = path.server_pods(case.snapshot());
    let why = match pods.first() {
        Some(pod) => match awaited(case, pod) {
            Some(claim) => format!("its server, pod {namespace}/{}, waits for claim {claim}", pod.meta.name),
            None => format!("its server, pod {namespace}/{}, is not ready", pod.meta.name),
        },
        None if service.selector.is_empty() => format!("its Service {namespace}/{name} has no endpoints"),
        None => format!("its Service {namespace}/{name} selects no pod"),
    };
    let what = format!("cannot be mounted, because {why}");
    let mut said = found(&path, &what).evidence(&service_key(service), "spec.clusterIP", service.cluster_ip.as_str());
    for pod in &pods {
        said = said.follows_from(pod_key(pod), Act::Schedule);
        for used in used_claims(pod) {
            said = said.follows_from(claim_key(&pod.meta.namespace, used.claim), Act::Bind);
        }
    }
    Some(match pods.first() {
        Some(pod) => said
            .evidence(&pod_key(pod), "status.phase", pod.phase.as_str())
            .remedy(describe(&pod_key(pod), "see why the pod of the server is not ready")),
        None => said
            .remedy(kubectl(
                format!("get service {} -n {} -o wide", quoted(name), quoted(namespace)),
                "see which pods the Service selects",
            ))
            .remedy(by_hand("start the server of the volume")),
    })
}

/// Returns the first claim of the pod that does not exist or is not bound.
fn awaited<'p>(case: &Case<'_>, pod: &'p Pod) -> Option<&'p str> {
    let namespace = &pod.meta.namespace;
    let waits = |name: &str| match case.claim(namespace, name) {
        Some(claim) => is_unbound(claim),
        None => case.lacks(Kind::PersistentVolumeClaim, namespace, name),
    };
    used_claims(pod).map(|used| used.claim.as_str()).find(|claim| waits(claim))
}
