//! This rule reports a pod if the claim for its ephemeral volume already exists and belongs to another owner.

use super::is_unscheduled;
use crate::diagnosis::case::key_of_claim;
use crate::diagnosis::remedy::{by_hand, describe};
use crate::diagnosis::{Act, Case, Detect, Detection, Page, Risk, Rule, Severity};
use crate::model::{Kind, PersistentVolumeClaim, Pod};

pub(super) static RULE: Rule = Rule {
    id: "pod-ephemeral-name-conflict",
    title: "the name of the pod's ephemeral claim is taken",
    severity: Severity::Error,
    risk: Risk::None,
    reads: &[Kind::PersistentVolumeClaim],
    hinders: &[Act::Schedule],
    repairs: &[],
    page: Page {
        seen: "The pod is Pending without a node; an event `FailedScheduling` says that a claim was not created for \
               the pod, because the pod is not its owner.",
        why: "The name of the claim of a generic ephemeral volume is the name of the pod, a dash, and the name of the \
              volume. The controller of ephemeral volumes creates the claim and writes the pod, with its uid, into the \
              `ownerReferences` of the claim. Here a claim of that name already exists, and has no owner or another \
              owner. The controller does not change it, and the scheduler does not place the pod, so that no pod reads \
              the data of another owner.",
        confirm: "kubectl describe pod NAME -n NAMESPACE\n\
                  kubectl get pvc CLAIM -n NAMESPACE -o jsonpath='{.metadata.ownerReferences}'",
        repair: "Find out who uses the claim. If somebody needs it, give the pod or its volume another name. If nobody \
                 needs its data, delete the claim: then the controller creates a new claim for the pod. If the claim \
                 is already being deleted, there is no finding: after its deletion, the controller creates a new claim \
                 for the pod.",
        prevention: "Do not give a claim a name that a pod and its volume have together. Two pods can also need the \
                     same name: pod `a-b` with volume `c`, and pod `a` with volume `b-c`.",
        hazard: "If you delete a claim, the policy of its volume decides whether its data are deleted. If you write \
                 the pod into the owners of a claim, the claim is deleted with the pod.",
        sources: &[
            "VolumeIsForPod, component-helpers storage/ephemeral, Kubernetes 1.36",
            "handleVolume, pkg/controller/volume/ephemeral, Kubernetes 1.36",
            "https://kubernetes.io/docs/concepts/storage/ephemeral-volumes/#persistentvolumeclaim-naming",
        ],
    },
    detect: Detect::Pod(detect),
};

fn detect(case: &Case<'_>, pod: &Pod) -> Option<Detection> {
    if !is_unscheduled(pod) {
        return None;
    }
    let namespace = &pod.meta.namespace;
    // A claim that is being deleted blocks the pod only for a short time: after its deletion, a new claim is created
    // for the pod.
    let is_foreign = |claim: &&PersistentVolumeClaim| {
        claim.meta.controller_owner.as_ref() != Some(&pod.meta.uid) && !claim.terminating()
    };
    let claim = pod.ephemeral_claims().filter_map(|claim| case.claim(namespace, claim)).find(is_foreign)?;
    let name = &claim.meta.name;
    let whose = if claim.meta.controller_owner.is_some() {
        "belongs to another owner"
    } else {
        "does not belong to the \
                                                                                                pod"
    };
    let key = key_of_claim(&claim.meta);
    Some(
        Detection::new(format!(
            "it is not scheduled, because claim {name} for its ephemeral volume exists already and {whose}"
        ))
        .early_if(case.is_young(pod.meta.created))
        .evidence(&case.object(), "metadata.uid", pod.meta.uid.as_str())
        .evidence(
            &key,
            "metadata.ownerReferences[controller].uid",
            claim.meta.controller_owner.as_deref().unwrap_or_default(),
        )
        .remedy(describe(&key, format!("see who owns claim {name}")))
        .remedy(by_hand(format!(
            "give the pod or its volume another name; or, if nobody needs the data of claim {namespace}/{name}, delete \
             the claim: then a new claim is created for the pod"
        ))),
    )
}
