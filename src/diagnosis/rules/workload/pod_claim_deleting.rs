//! This rule reports a pod that waits for a claim that is being deleted.

use super::{is_unscheduled, some_claims};
use crate::diagnosis::case::claim_key;
use crate::diagnosis::remedy::{by_hand, describe};
use crate::diagnosis::{Act, Case, Detect, Detection, Page, Risk, Rule, Severity};
use crate::model::{Kind, Pod, Str};

pub(super) static RULE: Rule = Rule {
    id: "pod-claim-deleting",
    title: "the pod's claim is being deleted",
    severity: Severity::Error,
    risk: Risk::Possible,
    reads: &[Kind::PersistentVolumeClaim, Kind::PersistentVolume],
    hinders: &[Act::Schedule],
    repairs: &[],
    page: Page {
        seen: "The pod is Pending without a node; an event `FailedScheduling` says that the claim is being deleted. The \
               claim is Terminating.",
        why: "Somebody deleted the claim while other pods use it. The claim is deleted when the last of these pods \
              ends. Until then, the scheduler places no new pod that uses the claim. A deletion cannot be undone.",
        confirm: "kubectl get pvc NAME -n NAMESPACE -o jsonpath='{.metadata.deletionTimestamp}'\n\
                  kubectl describe pvc NAME -n NAMESPACE",
        repair: "If you need the data, set the policy of the volume to Retain before the last pod ends. After the \
                 claim is deleted, create it again and reserve the volume for it. `kubectl pvctl explain` of the claim \
                 shows how.",
        prevention: "Delete a workload before its claims.",
        hazard: "With policy Delete, the data are deleted with the claim when its last pod ends.",
        sources: &[
            "VolumeBinding PreFilter, kube-scheduler 1.36 (S4)",
            "pvcprotection processPVC, Kubernetes 1.36 (X6)",
        ],
    },
    detect: Detect::Pod(detect),
};

fn detect(case: &Case<'_>, pod: &Pod) -> Option<Detection> {
    if !is_unscheduled(pod) {
        return None;
    }
    let namespace = &pod.meta.namespace;
    let going: Vec<&str> = pod
        .claim_names()
        .map(Str::as_str)
        .filter(|claim| case.claim(namespace, claim).is_some_and(crate::model::PersistentVolumeClaim::terminating))
        .collect();
    let name = *going.first()?;
    let claim = claim_key(namespace, name);
    let deleted = case.claim(namespace, name).and_then(|claim| claim.meta.deleted);
    // A claim without users is deleted at once.
    let is_early = case.may_heal(deleted)?;
    let found = Detection::new(format!(
        "it is not scheduled, because {} is being deleted. The scheduler places no pod with such a claim",
        some_claims(name, going.len() - 1)
    ))
    .early_if(is_early)
    .since(deleted)
    .moment(&claim, "metadata.deletionTimestamp", deleted)
    .remedy(describe(&claim, "see which pods still use the claim"))
    .remedy(by_hand(
        "if the data are needed, set the policy of the volume to Retain before the last pod that uses the claim ends",
    ));
    let going = going.into_iter();
    Some(going.fold(found, |found, claim| found.follows_from(claim_key(namespace, claim), Act::Delete)))
}
