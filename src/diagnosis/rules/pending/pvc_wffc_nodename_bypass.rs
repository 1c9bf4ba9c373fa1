//! This rule reports a claim that waits for the scheduler although the pod that uses it got its node without the
//! scheduler.

use super::{driver_of, users};
use crate::controllers::ClaimBranch;
use crate::controllers::persistent_volume::plugins::{Provider, find_provisionable_plugin};
use crate::diagnosis::mention::{mention, part_of};
use crate::diagnosis::remedy::{by_hand, kubectl, merge_claim, quoted};
use crate::diagnosis::{Act, Case, Detect, Detection, Page, Remedy, Risk, Rule, Severity, key};
use crate::model::{AnnotationKey, Kind, PersistentVolumeClaim, Pod};
use serde_json::json;

pub(super) static RULE: Rule = Rule {
    id: "pvc-wffc-nodename-bypass",
    title: "a pod that uses the claim got its node without the scheduler",
    severity: Severity::Error,
    risk: Risk::Possible,
    reads: &[Kind::PersistentVolume, Kind::StorageClass, Kind::Pod],
    hinders: &[Act::Bind],
    repairs: &[],
    page: Page {
        seen: "The claim is Pending with an event `WaitForFirstConsumer`, although a pod uses it. The pod has a node \
               and does not start: Pending, or ContainerCreating.",
        why: "The class has binding mode WaitForFirstConsumer: the scheduler has to select a node, write it into the \
              claim (annotation `volume.kubernetes.io/selected-node`), and only then place the pod. Here the pod has a \
              node, and the claim has no selected node. So the pod got its `spec.nodeName` from a person or from \
              another controller. The PersistentVolume controller considers only pods without a node, so its event \
              still says that it waits for a first consumer. If the containers of the pod run, the pod was placed with \
              an earlier claim of this name, and this claim was created later.",
        confirm: "kubectl get pod POD -n NAMESPACE -o jsonpath='{.spec.nodeName} {.metadata.creationTimestamp}'\n\
                  kubectl get pvc NAME -n NAMESPACE -o jsonpath='{.metadata.annotations} \
                  {.metadata.creationTimestamp}'",
        repair: "Create the pod again without `spec.nodeName`. Use a `nodeSelector` on `kubernetes.io/hostname` or a \
                 node affinity instead. Then the scheduler places the pod on the intended node, and the claim is \
                 bound. If this is not possible, and a driver provisions volumes of the class, write the node of the \
                 pod into the annotation by hand, as the scheduler would.",
        prevention: "Leave `spec.nodeName` out of manifests of pods that use claims of a class with \
                     WaitForFirstConsumer.",
        hazard: "With a wrong node in the annotation, the volume may be created in a zone where the pod cannot use it. \
                 If the pod runs with the storage of an earlier claim, it loses this storage when it is created again: \
                 the new claim gets an empty volume.",
        sources: &[
            "emitEventForUnboundDelayBindingClaim, Kubernetes 1.36 (C7)",
            "VolumeBinding PreBind, Kubernetes 1.36 (S18)",
            "https://kubernetes.io/docs/concepts/storage/storage-classes/#volume-binding-mode",
            "kubernetes/kubernetes#89953",
        ],
    },
    detect: Detect::Claim(detect),
};

fn detect(case: &Case<'_>, claim: &PersistentVolumeClaim) -> Option<Detection> {
    if case.waiting_branch(claim)? != ClaimBranch::UnboundClaimWaitForFirstConsumer {
        return None;
    }
    let pod = past_the_scheduler(case, claim)?;
    if case.always_ends("Bound")? {
        return None;
    }
    let (name, node) = (&pod.meta.name, &pod.node_name);
    let (risk, message) = if had_an_earlier_claim(claim, pod) {
        let message = format!(
            "pod {name} got its node {node} with an earlier claim of this name. So nobody binds this new claim: the \
             scheduler does not schedule that pod again. The pod writes to the volume of the earlier claim"
        );
        (Risk::Possible, message)
    } else {
        let misleading = if case.has_event("WaitForFirstConsumer") {
            ". The event \"waiting for first consumer\" does not name this cause"
        } else {
            ""
        };
        let message = format!(
            "{} bypasses the scheduler, so no node is selected for {}. Pod {name} has node {node} without the scheduler. \
             Only the scheduler can select a node for the claim, so both wait without end{misleading}",
            part_of(&key(Kind::Pod, &pod.meta.namespace, name), "spec.nodeName"),
            mention(&case.object())
        );
        (Risk::None, message)
    };
    let pod_key = key(Kind::Pod, &pod.meta.namespace, name);
    Some(
        Detection::new(message)
            .risk(risk)
            .evidence(&case.object(), super::SELECTED_NODE, "")
            .evidence(&pod_key, "spec.nodeName", node.as_str())
            .remedies(ways_out(case, claim, pod)),
    )
}

/// Returns a pod that uses the claim and has a node. The callers have checked that the claim has no selected node. A
/// pod that is being deleted is ignored, because another pod may replace it.
pub(super) fn past_the_scheduler<'a>(case: &Case<'a>, claim: &PersistentVolumeClaim) -> Option<&'a Pod> {
    users(case, claim).find(|pod| !pod.node_name.is_empty() && pod.meta.deleted.is_none())
}

/// Returns whether the pod was scheduled with an earlier claim of the same name. This is so if the pod is older than
/// the claim. It is also so if one of its containers runs, because a kubelet starts no container before the claim is
/// bound.
fn had_an_earlier_claim(claim: &PersistentVolumeClaim, pod: &Pod) -> bool {
    let is_older = pod.meta.created.zip(claim.meta.created).is_some_and(|(pod, claim)| pod < claim);
    pod.running_container || is_older
}

fn ways_out(case: &Case<'_>, claim: &PersistentVolumeClaim, pod: &Pod) -> Vec<Remedy> {
    let (name, node) = (&pod.meta.name, &pod.node_name);
    if had_an_earlier_claim(claim, pod) {
        let earlier = format!("get pod {} -n {} -o yaml", quoted(name), quoted(&pod.meta.namespace));
        return vec![
            kubectl(earlier, "look at the pod, and save what it has written before it stops"),
            by_hand(
                "find the volume of the earlier claim, set its policy to Retain, and decide whether this claim should \
                 have it; only then create the pod again",
            ),
        ];
    }
    let mut ways = vec![by_hand(format!(
        "create pod {name} again without spec.nodeName, and with nodeSelector kubernetes.io/hostname instead, in the \
         workload that creates it"
    ))];
    let class = case.class(claim.class());
    let driver = class
        .filter(|class| find_provisionable_plugin(case.behavior(), class) == Provider::External)
        .map(|class| driver_of(case, class));
    // No driver provisions a volume for a node that does not exist.
    if let Some(driver) = driver.filter(|_| case.snapshot().node(node).is_some()) {
        let selected = AnnotationKey::SelectedNode.as_str();
        let patch = json!({ "metadata": { "uid": claim.meta.uid, "annotations": { selected: node } } });
        let does = format!(
            "write the annotation that selects node {node}, as the scheduler would: then {driver} provisions a volume \
             that this node can reach, and perhaps no other node"
        );
        ways.push(merge_claim(claim, &patch, does));
    }
    ways
}
