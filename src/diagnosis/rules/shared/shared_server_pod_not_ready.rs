//! This rule reports a shared volume whose server runs in a pod that is not ready.

use super::targets::{Trouble, trouble};
use super::{found, path_of, service_key};
use crate::diagnosis::case::claim_key;
use crate::diagnosis::facts::is_unbound;
use crate::diagnosis::pod::facts::{bound, is_exclusive, is_starting, pod_key, used_claims};
use crate::diagnosis::remedy::describe;
use crate::diagnosis::{Act, Case, Detect, Detection, Page, Risk, Rule, Severity, key};
use crate::model::surroundings::VolumeAttachment;
use crate::model::{ClaimPhase, ContainerState, Kind, Node, PersistentVolume, Pod, Timestamp};

pub(super) static RULE: Rule = Rule {
    id: "shared-server-pod-not-ready",
    title: "the pod that serves a shared volume is not ready",
    severity: Severity::Error,
    risk: Risk::None,
    reads: &[
        Kind::PersistentVolumeClaim,
        Kind::Service,
        Kind::EndpointSlice,
        Kind::Endpoints,
        Kind::Pod,
        Kind::Node,
        Kind::VolumeAttachment,
    ],
    hinders: &[Act::Serve],
    repairs: &[],
    page: Page {
        seen: "Pods with this claim stay in ContainerCreating, and the mount times out or is refused. Pods that run \
               hang when they use the volume. The Service exists, and the pod of the server is Pending, crashes, or is \
               on a node that does not answer.",
        why: "kube-proxy sends the requests to a Service only to pods that are ready. The Service of the volume \
              selects a pod, and this pod is not ready. Clients wait until it is ready again at the same address.",
        confirm: "kubectl get endpointslices -n NAMESPACE -l kubernetes.io/service-name=SERVICE\n\
                  kubectl get pods -n NAMESPACE -o wide",
        repair: "Find out why the pod of the server is not ready, and mend that: its node, its own claim, or its \
                 container. The clients continue when the server is back at the same address.",
        prevention: "Let the server have a priority class, so that it is not evicted before its clients.",
        hazard: "Pods that are restarted now cannot mount the volume again until the server is back. A pod that is \
                 deleted with force can still run on its node, and a second server then writes to the same storage.",
        sources: &[
            "longhorn/longhorn#5954",
            "rook/rook#6482",
            "hpe-storage/csi-driver#355",
            "openebs-archive/dynamic-nfs-provisioner#132",
        ],
    },
    detect: Detect::Volume(detect),
};

fn detect(case: &Case<'_>, volume: &PersistentVolume) -> Option<Detection> {
    let path = path_of(case, volume)?;
    let Trouble::NotReady(pod) = trouble(case, &path)? else { return None };
    let service = path.service.service()?;
    let since = since(pod);
    let is_early = case.may_heal(since)?;
    let what = format!(
        "cannot be mounted, because its server, pod {}/{}, {}",
        pod.meta.namespace,
        pod.meta.name,
        state(case, pod)
    );
    let mut said = found(&path, &what)
        .early_if(is_early)
        .since(since)
        .evidence(&service_key(service), "spec.clusterIP", service.cluster_ip.as_str())
        .evidence(&pod_key(pod), "status.phase", pod.phase.as_str())
        .evidence(&pod_key(pod), "spec.nodeName", pod.node_name.as_str());
    for pod in path.server_pods(case.snapshot()) {
        said = said.follows_from(pod_key(pod), Act::Schedule);
        for used in used_claims(pod) {
            said = said.follows_from(claim_key(&pod.meta.namespace, used.claim), Act::Bind);
        }
    }
    if let Some(holder) = holder(case, pod) {
        said = said
            .follows_from(key(Kind::Node, "", &holder.node_name), Act::Detach)
            .follows_from(key(Kind::VolumeAttachment, "", &holder.meta.name), Act::Detach);
    }
    Some(said.remedy(describe(&pod_key(pod), "see why the pod of the server is not ready")))
}

/// Returns the attachment to another node of a volume that the pod waits for.
fn holder<'a>(case: &Case<'a>, pod: &Pod) -> Option<&'a VolumeAttachment> {
    let snapshot = case.snapshot();
    let mut volumes = used_claims(pod).filter_map(|used| Some(bound(snapshot, &pod.meta.namespace, used.claim)?.1));
    let holder = |volume: &PersistentVolume| {
        let own = || snapshot.attachments_of(&volume.meta.name).filter(|one| one.attached);
        let is_here = own().any(|one| one.node_name == pod.node_name);
        own().find(|_| !is_here && is_exclusive(volume))
    };
    if is_starting(pod) && !pod.node_name.is_empty() { volumes.find_map(holder) } else { None }
}

/// Returns the moment since which the pod is not ready.
fn since(pod: &Pod) -> Option<Timestamp> {
    let unready = pod.condition("Ready").and_then(|ready| ready.since);
    unready.or(pod.meta.deleted).or(pod.meta.created)
}

/// Returns a clause that says why the pod is not ready.
fn state(case: &Case<'_>, pod: &Pod) -> String {
    if let Some(claim) = awaited(case, pod) {
        let known = case.claim(&pod.meta.namespace, claim);
        let lost =
            if known.is_some_and(|claim| claim.status.phase == ClaimPhase::Lost) { ", which is Lost" } else { "" };
        return format!("waits for claim {claim}{lost}");
    }
    if let Some(holder) = holder(case, pod) {
        return format!("waits for a volume that node {} has", holder.node_name);
    }
    if pod.node_name.is_empty() {
        return "is not scheduled".to_owned();
    }
    let node = case.snapshot().find::<Node>("", &pod.node_name);
    if node.is_some_and(Node::is_not_ready) {
        return format!("is on node {}, which is not ready", pod.node_name);
    }
    let reason = pod.containers.iter().find_map(|container| match &container.state {
        ContainerState::Waiting { reason, .. } if !reason.is_empty() => Some(reason),
        _ => None,
    });
    match reason {
        _ if pod.meta.deleted.is_some() => "is being deleted".to_owned(),
        Some(reason) => format!("is not ready ({reason})"),
        None => "is not ready".to_owned(),
    }
}

/// Returns the first claim of the pod that does not exist or is not bound.
fn awaited<'p>(case: &Case<'_>, pod: &'p Pod) -> Option<&'p str> {
    let namespace = &pod.meta.namespace;
    let waits = |name: &str| match case.claim(namespace, name) {
        Some(claim) => is_unbound(claim) || claim.status.phase == ClaimPhase::Lost,
        None => case.lacks(Kind::PersistentVolumeClaim, namespace, name),
    };
    used_claims(pod).map(|used| used.claim.as_str()).find(|claim| waits(claim))
}
