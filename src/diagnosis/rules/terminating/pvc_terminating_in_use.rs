//! This rule reports a claim that is being deleted while pods use it.

use super::{
    aftermath, are_leaving, being_deleted, bring_back, held_by_pods, is_finished, is_recent, some_pods, stopping,
    subject, users,
};
use crate::controllers::pvc_protection::FINALIZER as CLAIM_FINALIZER;
use crate::diagnosis::pod::facts::gone_node;
use crate::diagnosis::remedy::{by_hand, save_claim};
use crate::diagnosis::{Act, Case, Detect, Detection, Page, Repair, Risk, Rule, Severity, key};
use crate::model::{Kind, PersistentVolumeClaim};

pub(super) static RULE: Rule = Rule {
    id: "pvc-terminating-in-use",
    title: "the claim is being deleted while pods use it",
    severity: Severity::Warning,
    risk: Risk::Imminent,
    reads: &[Kind::Pod, Kind::Node, Kind::PersistentVolume],
    hinders: &[Act::Delete],
    repairs: &[Repair::Retain],
    page: Page {
        seen: "The claim is Terminating, and the pods that use it still run. New pods stay Pending with an event that \
               the claim is being deleted.",
        why: "Somebody deleted the claim. pvc-protection keeps it as long as a pod with a node refers to it, and the \
              deletion cannot be undone. When the last of these pods is gone, the claim is deleted, and nobody is \
              asked again. Then its volume is Released, and the reclaim policy decides about the data.",
        confirm: "kubectl describe pvc NAME -n NAMESPACE\n\
                  kubectl get pvc NAME -n NAMESPACE -o jsonpath='{.metadata.deletionTimestamp} {.metadata.finalizers}'",
        repair: "If the deletion was intended, scale down the StatefulSet or Deployment of the pods. Otherwise the \
                 deletion cannot be stopped, but the data can be kept. Set the policy of the volume to Retain now, and \
                 save the manifest of the claim. Stop the pods at a suitable time: then the claim is deleted, and the \
                 volume is Released. Then remove the uid from `spec.claimRef` of the volume, and create the claim \
                 again with `spec.volumeName`.",
        prevention: "Set policy Retain for volumes with important data. Then a deleted claim causes an outage, but no \
                     loss of data.",
        hazard: "With policy Delete a restart of the pod is enough to destroy the data. If you remove the finalizer, \
                 the data are destroyed at once, while the pod still runs.",
        sources: &[
            "pvcprotection processPVC, podUsesPVCForDeletion, Kubernetes 1.36 (X3)",
            "https://kubernetes.io/docs/concepts/storage/persistent-volumes/",
            "kubernetes/kubernetes#69980",
        ],
    },
    detect: Detect::Claim(detect),
};

fn detect(case: &Case<'_>, claim: &PersistentVolumeClaim) -> Option<Detection> {
    if !claim.terminating() || !claim.meta.has_finalizer(CLAIM_FINALIZER) {
        return None;
    }
    let users = users(case, claim);
    let active: Vec<_> = users.iter().copied().filter(|pod| !is_finished(pod)).collect();
    let first = active.first()?;
    let is_left = are_leaving(case, &users);
    let after = aftermath(case, claim);
    // It is normal that pods need time to end. This is reported only if data will be destroyed with the claim.
    if is_left && after.risk == Risk::None && is_recent(case, &users) {
        return None;
    }
    let pods = some_pods(&active);
    let uses = if active.len() == 1 { "uses" } else { "use" };
    let rest = if !is_left {
        "The deletion cannot be undone, and new pods cannot use the claim"
    } else if users.iter().any(|pod| gone_node(case.snapshot(), pod).is_some()) {
        "The deletion cannot be undone. Pods are deleted as well, because their node does not exist"
    } else {
        "The deletion cannot be undone. The pods are being deleted as well"
    };
    let message = format!(
        "{} waits for {pods}, which still {uses} it. After that, the claim is deleted{}. {rest}",
        subject(case),
        after.words
    );
    let pod = key(Kind::Pod, &first.meta.namespace, &first.meta.name);
    let found = being_deleted(message, case, claim).evidence(&pod, "spec.nodeName", first.node_name.as_str());
    let found = held_by_pods(found, &users);
    Some(
        after
            .soon(is_left)
            .told(found)
            .remedy(save_claim(claim, "save the manifest of the claim; its deletion cannot be stopped"))
            .remedies(bring_back(claim))
            .remedy(by_hand(format!(
                "if the deletion was intended, {}; then Kubernetes deletes the claim",
                stopping(&active)
            ))),
    )
}
