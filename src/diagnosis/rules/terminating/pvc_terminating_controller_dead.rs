//! This rule reports a claim that is being deleted and still exists although no pod uses it.

use super::{aftermath, being_deleted, users};
use crate::controllers::pvc_protection::FINALIZER as CLAIM_FINALIZER;
use crate::diagnosis::mention::{elsewhere, mention};
use crate::diagnosis::remedy::{by_hand, look_at_manager};
use crate::diagnosis::{Act, Case, Detect, Detection, Page, Risk, Rule, Severity, key};
use crate::model::{Kind, Lease, PersistentVolumeClaim};

pub(super) static RULE: Rule = Rule {
    id: "pvc-terminating-controller-dead",
    title: "no pod uses the claim, but its deletion does not end",
    severity: Severity::Warning,
    risk: Risk::Possible,
    reads: &[Kind::Pod, Kind::PersistentVolume],
    hinders: &[Act::Delete],
    repairs: &[],
    page: Page {
        seen: "The claim is Terminating for minutes. `kubectl describe pvc` shows `Used By: <none>`, and \
               `kubernetes.io/pvc-protection` is its only finalizer.",
        why: "No pod with a node refers to the claim, so pvc-protection has to remove its finalizer, which takes only \
              moments. The finalizer is still there. So kube-controller-manager does not run, this controller is \
              switched off, or it has no permission to list pods or update claims.",
        confirm: "kubectl describe pvc NAME -n NAMESPACE\n\
                  kubectl get lease kube-controller-manager -n kube-system -o jsonpath='{.spec.holderIdentity} \
                  {.spec.renewTime}'\n\
                  kubectl get pods -n NAMESPACE",
        repair: "Repair kube-controller-manager: its other controllers may not work either. Remove this one finalizer \
                 by hand only if this is impossible now, no pod uses the claim, the volume is attached to no node, and \
                 its policy is Retain.",
        prevention: "Monitor whether kube-controller-manager renews its Lease.",
        hazard: "With policy Delete the data are destroyed soon after the controller runs again. A pod that was just \
                 created may be missing from the list of pods.",
        sources: &["pvcprotection processPVC, Kubernetes 1.36 (X5, X6)", "kubernetes/kubernetes#61214"],
    },
    detect: Detect::Claim(detect),
};

fn detect(case: &Case<'_>, claim: &PersistentVolumeClaim) -> Option<Detection> {
    if !claim.terminating() || claim.meta.finalizers.iter().any(|finalizer| finalizer != CLAIM_FINALIZER) {
        return None;
    }
    let is_kept = claim.meta.has_finalizer(CLAIM_FINALIZER) && case.lasts(claim.meta.deleted).is_some();
    if !is_kept || !users(case, claim).is_empty() || !case.knows_all(Kind::Pod, &claim.meta.namespace) {
        return None;
    }
    let after = aftermath(case, claim);
    let message = format!(
        "no pod uses {}{}, but kube-controller-manager has not removed the finalizer of the claim. Unless the last pod has \
         just ended, the pvc-protection controller does not run, or has no permission to list pods or update claims. \
         Once the finalizer is removed, the claim is deleted{}",
        mention(&case.object()),
        elsewhere(&case.object(), ", which is being deleted"),
        after.words
    );
    let found = being_deleted(message, case, claim);
    let found = match case.snapshot().lease() {
        None => found,
        Some(lease) => {
            let object = key(Kind::Lease, Lease::MANAGER_NAMESPACE, Lease::MANAGER_NAME);
            found.evidence(&object, "spec.holderIdentity", lease.holder.as_str()).moment(
                &object,
                "spec.renewTime",
                lease.renewed,
            )
        }
    };
    Some(
        after
            .told(found)
            .remedy(look_at_manager("see whether kube-controller-manager renews its Lease"))
            .remedy(by_hand("repair kube-controller-manager; then Kubernetes deletes the claim")),
    )
}
