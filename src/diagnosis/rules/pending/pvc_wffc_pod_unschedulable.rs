//! This rule reports a claim that waits for a pod that the scheduler does not place.

use super::{users, with_class};
use crate::controllers::ClaimBranch;
use crate::diagnosis::case::{class_key, key_of_claim};
use crate::diagnosis::facts::is_bound;
use crate::diagnosis::mention::{elsewhere, mention};
use crate::diagnosis::pod::Attempt;
use crate::diagnosis::pod::facts::unschedulable;
use crate::diagnosis::remedy::{by_hand, describe, kubectl};
use crate::diagnosis::rules::provisioning::refusal;
use crate::diagnosis::{Act, Case, Detect, Detection, Page, Risk, Rule, Severity, key};
use crate::model::{ClaimPhase, Kind, ObjectKey, PersistentVolumeClaim, Pod};
use crate::text::{capitalized, human_age, truncate};

pub(super) static RULE: Rule = Rule {
    id: "pvc-wffc-pod-unschedulable",
    title: "the claim waits for a pod that gets no node",
    severity: Severity::Warning,
    risk: Risk::None,
    reads: &[
        Kind::PersistentVolume,
        Kind::PersistentVolumeClaim,
        Kind::StorageClass,
        Kind::Pod,
        Kind::Node,
        Kind::CsiNode,
        Kind::CsiDriver,
        Kind::CsiStorageCapacity,
        Kind::VolumeAttachment,
        Kind::Event,
    ],
    hinders: &[Act::Bind],
    repairs: &[],
    page: Page {
        seen: "The claim is Pending with an event `WaitForPodScheduled`; the pod that uses it is Pending without a \
               node, usually with an event `FailedScheduling`.",
        why: "The class has binding mode WaitForFirstConsumer: the scheduler writes the selected node into the claim, \
              and only then a volume is bound or provisioned. The scheduler selects no node as long as no node fits \
              the pod. There are many possible reasons: CPU and memory, taints, another claim of the pod, no free \
              volume that the node can use, or too little storage. The claim is not the cause, and its events do not \
              name the cause. While the scheduler waits for a volume that it has chosen, for up to ten minutes, the \
              pod has no event either.",
        confirm: "kubectl describe pvc NAME -n NAMESPACE\n\
                  kubectl describe pod POD -n NAMESPACE\n\
                  kubectl get events -n NAMESPACE --field-selector reason=FailedScheduling",
        repair: "Remove the cause that the pod's event names. For example, add nodes, correct the affinity, the \
                 tolerations or the requests of the pod, or repair another claim that the pod uses. Often the \
                 claim needs no change. If there is too little storage anywhere, a smaller claim can help.",
        prevention: "Make sure that requests and affinities fit the existing nodes, and that volumes or storage are \
                     available where the pods may run.",
        hazard: "Do not set `spec.nodeName` on the pod to start it: then nobody selects a node for the claim, and \
                 neither continues. Do not change the binding mode of the class to Immediate: volumes are then created \
                 where pods cannot run.",
        sources: &[
            "emitEventForUnboundDelayBindingClaim, Kubernetes 1.36 (C8)",
            "VolumeBinding PreFilter and Filter, Kubernetes 1.36 (S1 to S9)",
            "VolumeBinding PreBind, Kubernetes 1.36 (S18, S19)",
        ],
    },
    detect: Detect::Claim(detect),
};

fn detect(case: &Case<'_>, claim: &PersistentVolumeClaim) -> Option<Detection> {
    if case.waiting_branch(claim)? != ClaimBranch::UnboundClaimWaitForPodScheduled {
        return None;
    }
    // A pod that is being deleted is not scheduled any more. A pod with scheduling gates or with another scheduler
    // waits for something else.
    let waits = |pod: &&Pod| pod.node_name.is_empty() && pod.meta.deleted.is_none() && !pod.gated && is_default(pod);
    let unplaced = || users(case, claim).filter(waits);
    let pod = unplaced().filter(|pod| pod.meta.created.is_some()).min_by_key(|pod| pod.meta.created)?;
    let since = pod.meta.created.max(claim.meta.created);
    let waited = case.lasts(since)?;
    // If no volume is left for the claim, or if its provisioner removed the selected node, another rule reports this.
    if case.always_ends("Bound")? || super::pool::exhausted(case, claim).is_some() || refusal(case, claim).is_some() {
        return None;
    }
    let others = match unplaced().count() {
        0 | 1 => String::new(),
        several => format!(" (and {} more)", several - 1),
    };
    let name = &pod.meta.name;
    let age = human_age(waited);
    let obstacle = obstacle(case, claim, pod);
    let said = unschedulable(case.snapshot(), pod).map(|(message, _)| message).filter(|message| !message.is_empty());
    let pod_key = key(Kind::Pod, &pod.meta.namespace, name);
    let pod_words = mention(&pod_key);
    let later = elsewhere(&pod_key, ", and the claim is bound only after that");
    let lead = format!("{pod_words}{others} has not been scheduled for {age}{later}");
    let now = case.attempt(pod);
    // A message about another step, such as a refused write, is not about nodes. So it can still hold.
    let is_about_nodes = said.is_none_or(|said| said.starts_with("0/") || said.starts_with("no nodes available"));
    let fitting = now.as_ref().filter(|_| is_about_nodes).and_then(|now| now.fitting.first());
    let rejected = now.as_ref().and_then(Attempt::rejection);
    let quoted = |message: &str| format!("\"{}\"", truncate(message.trim_end_matches('.'), 300));
    let causes = now.iter().flat_map(Attempt::causes).map(|cause| format!(". {}", capitalized(cause)));
    let causes: String = causes.collect();
    let message = match (&obstacle, said, rejected) {
        (Some((other, what)), ..) => {
            format!("{lead}. The scheduler cannot place that pod, because its claim {} {what}", other.name)
        }
        (None, said, _) if let Some(node) = fitting => {
            let earlier = said.map(|said| format!(". Earlier, the scheduler said: {}", quoted(said)));
            format!("{lead}, although the pod fits node {node} now{}", earlier.unwrap_or_default())
        }
        (None, _, Some(message)) => format!(
            "no node fits {pod_words}{others}{later}. The pod has waited {age}: {}{causes}",
            message.trim_end_matches('.')
        ),
        (None, Some(said), _) => format!(
            "no node fits {pod_words}{others}{later}. The pod has waited {age}. The scheduler says: {}",
            quoted(said)
        ),
        (None, None, _) => format!("{lead}. See the events FailedScheduling of the pod for the reason"),
    };
    let pod_key = key(Kind::Pod, &pod.meta.namespace, name);
    let mut found = Detection::new(message)
        .since(since)
        .follows_from(pod_key.clone(), Act::Schedule)
        .follows_from(class_key(claim.class()), Act::Schedule);
    let mut way = by_hand(match fitting {
        Some(_) => "see whether kube-scheduler runs, and what its log says about the pod",
        None => "make sure that the scheduler can place the pod",
    });
    let first = match (fitting, rejected) {
        (None, Some(_)) => kubectl(
            format!("pvctl explain pod/{name} -n {}", pod.meta.namespace),
            "see for each node why the pod does not fit",
        ),
        (None, None) => describe(&pod_key, "see in its events why no node fits"),
        (Some(_), _) => describe(&pod_key, "see the last events of the pod"),
    };
    if let Some((other, what)) = obstacle {
        way = describe(&other, format!("the pod waits for this claim, which {what}"));
        found = found.follows_from(other, Act::Bind);
    }
    Some(with_class(found, case, claim).evidence(&pod_key, "spec.nodeName", "").remedy(first).remedy(way))
}

/// Returns whether the default scheduler has to place the pod.
fn is_default(pod: &Pod) -> bool {
    !pod.has_own_scheduler()
}

/// Returns another claim of the pod because of which the scheduler cannot place the pod, and what is wrong with that
/// claim. Upstream: `VolumeBinding.PreFilter`, `GetPodVolumeClaims`, 1.36.
fn obstacle(case: &Case<'_>, claim: &PersistentVolumeClaim, pod: &Pod) -> Option<(ObjectKey, &'static str)> {
    let namespace = &pod.meta.namespace;
    let names = || pod.claim_names().filter(|name| **name != claim.meta.name);
    let known = names().filter_map(|name| case.claim(namespace, name)).find_map(|other| {
        let trouble = trouble(case, other)?;
        Some((key_of_claim(&other.meta), trouble))
    });
    known.or_else(|| {
        // Claims of ephemeral volumes are left out, because a controller creates them for the pod.
        let mut stated = pod.named_claims().filter(|name| **name != claim.meta.name);
        let missing = stated.find(|name| case.lacks(Kind::PersistentVolumeClaim, namespace, name))?;
        Some((crate::diagnosis::case::claim_key(namespace, missing), "does not exist"))
    })
}

/// Returns why the scheduler cannot place a pod that uses the claim. Returns None if the claim does not prevent this.
fn trouble(case: &Case<'_>, claim: &PersistentVolumeClaim) -> Option<&'static str> {
    if claim.terminating() {
        return Some("is being deleted");
    }
    if claim.status.phase == ClaimPhase::Lost {
        return Some("is Lost");
    }
    if !claim.volume_name.is_empty() && is_bound(claim) {
        return None;
    }
    let at_once = match case.class(claim.class()) {
        Some(class) => !class.waits_for_first_consumer(),
        None => claim.class().is_empty() || case.lacks(Kind::StorageClass, "", claim.class()),
    };
    (at_once || !claim.volume_name.is_empty()).then_some("is not bound, and must be bound first")
}
