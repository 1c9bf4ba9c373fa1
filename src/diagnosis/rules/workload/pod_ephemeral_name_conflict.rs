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
        why: "The claim of a generic ephemeral volume is called after the pod and the volume, with a dash between \
              them. The controller of ephemeral volumes makes it and writes the pod into its `ownerReferences`, with \
              its uid. A claim of that name that is there already, and is of nobody or of another pod, is left as it \
              is: neither the controller nor the scheduler lets the pod have it, so that nobody reads foreign data.",
        confirm: "kubectl describe pod NAME -n NAMESPACE\n\
                  kubectl get pvc CLAIM -n NAMESPACE -o jsonpath='{.metadata.ownerReferences}'",
        repair: "See whose claim it is. If it is wanted, give the pod or its volume another name. If it is a claim \
                 that somebody left, and nobody wants its data, delete it: the controller makes a new one for the pod. \
                 A claim that is being deleted is not reported: once it is gone, one is made for the pod.",
        prevention: "Give claims names that no pod and volume together have: `a-b` with volume `c` and `a` with volume \
                     `b-c` are the same.",
        hazard: "Deleting a claim deletes its data by the policy of its volume. Writing the pod into the owners of a \
                 claim makes its data go with the pod.",
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
    // A claim that is being deleted is in nobody's way for long: once it is gone, one is made for the pod.
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
             it: then a new one is made for the pod"
        ))),
    )
}
