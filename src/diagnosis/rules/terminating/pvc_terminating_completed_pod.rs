//! This rule reports a claim that is being deleted and that only finished pods keep.

use super::{aftermath, are_leaving, being_deleted, held_by_pods, is_finished, is_recent, some_pods, subject, users};
use crate::controllers::pvc_protection::FINALIZER as CLAIM_FINALIZER;
use crate::diagnosis::remedy::{by_hand, kubectl, quoted};
use crate::diagnosis::{Act, Case, Detect, Detection, Page, Repair, Risk, Rule, Severity, key};
use crate::model::{Kind, PersistentVolumeClaim, Pod, PodPhase};

/// The maximum number of pods for which the finding has a command.
const NAMED: usize = 10;

pub(super) static RULE: Rule = Rule {
    id: "pvc-terminating-completed-pod",
    title: "finished pods keep the claim from being deleted",
    severity: Severity::Warning,
    risk: Risk::Imminent,
    reads: &[Kind::Pod, Kind::Node, Kind::PersistentVolume],
    hinders: &[Act::Delete],
    repairs: &[Repair::Retain],
    page: Page {
        seen: "The claim is Terminating, and everything that uses it is Completed or Failed, such as the pods of a Job \
               that has ended. Nothing happens, and no event says why.",
        why: "pvc-protection keeps a claim as long as a pod with a node refers to it. It checks neither the phase nor \
              the containers of the pod. So a pod that has ended keeps the claim until the pod object is deleted.",
        confirm: "kubectl describe pvc NAME -n NAMESPACE\nkubectl get pods -n NAMESPACE",
        repair: "Delete the finished pods, or the Jobs that they belong to. Do not remove the finalizer: the \
                 controller removes it, and then the claim is gone. If the data are needed, set the policy of the \
                 volume to Retain first.",
        prevention: "Give Jobs `ttlSecondsAfterFinished`, so that their pods do not stay.",
        hazard: "When the last finished pod is deleted, the claim is deleted, and with policy Delete the data are \
                 destroyed. The logs of a pod are deleted with the pod.",
        sources: &[
            "pvcprotection podUsesPVCForDeletion, Kubernetes 1.36 (X3)",
            "kubernetes/kubernetes#92598",
            "kubernetes/kubernetes#120756",
            "kubernetes/kubernetes#123320",
        ],
    },
    detect: Detect::Claim(detect),
};

fn detect(case: &Case<'_>, claim: &PersistentVolumeClaim) -> Option<Detection> {
    if !claim.terminating() || !claim.meta.has_finalizer(CLAIM_FINALIZER) {
        return None;
    }
    let users = users(case, claim);
    let first = users.first().filter(|_| users.iter().all(|pod| is_finished(pod)))?;
    // A pod that runs may be among the pods that were not read.
    if !case.knows_all(Kind::Pod, &claim.meta.namespace) {
        return None;
    }
    let is_left = are_leaving(case, &users);
    let after = aftermath(case, claim);
    if is_left && after.risk == Risk::None && is_recent(case, &users) {
        return None;
    }
    let are_deleted = users.iter().all(|pod| pod.meta.deleted.is_some());
    let verb = if users.len() == 1 { "is" } else { "are" };
    let state = if are_deleted { "Those pods have ended and are being deleted. " } else { "" };
    let message = format!(
        "{} waits until {} {verb} deleted. {state}When those pods are gone, the claim is deleted{}",
        subject(case),
        some_pods(&users),
        after.words
    );
    let pod = key(Kind::Pod, &first.meta.namespace, &first.meta.name);
    let found = being_deleted(message, case, claim).evidence(&pod, "spec.nodeName", first.node_name.as_str());
    let found = held_by_pods(found, &users);
    // The selector with the phase excludes a pod of the same name that runs by now.
    let delete = |pod: &&Pod| {
        let phase = if pod.phase == PodPhase::Failed { "Failed" } else { "Succeeded" };
        let selector = format!("metadata.name={},status.phase={phase}", pod.meta.name);
        let command =
            format!("delete pods -n {} --field-selector {}", quoted(&claim.meta.namespace), quoted(&selector));
        kubectl(command, format!("delete the finished pod {}; its logs are deleted, too", pod.meta.name))
    };
    let left: Vec<_> = users.iter().copied().filter(|pod| pod.meta.deleted.is_none()).collect();
    let more = left.len().saturating_sub(NAMED);
    let rest = (more > 0).then(|| by_hand(format!("delete {more} more finished pods in the same way")));
    Some(after.soon(is_left).told(found).remedies(left.iter().take(NAMED).map(delete)).remedies(rest).remedy(by_hand(
        if are_deleted {
            "find out why the pods are not removed: the kubelet of their node, or the server of a volume, may not \
             answer"
        } else {
            "if a Job or a workflow created the pods, delete the Job or the workflow instead, because it may create \
             new pods"
        },
    )))
}
