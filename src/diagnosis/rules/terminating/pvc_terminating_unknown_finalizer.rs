//! This rule reports a claim that is being deleted and that a finalizer unknown to Kubernetes keeps.

use super::{CLONE_FINALIZER, SNAPSHOT_FINALIZER, aftermath, being_deleted, subject};
use crate::controllers::pvc_protection::FINALIZER as CLAIM_FINALIZER;
use crate::diagnosis::remedy::{by_hand, kubectl, quoted, unfinalize};
use crate::diagnosis::{Act, Case, Detect, Detection, Page, Repair, Risk, Rule, Severity};
use crate::model::{Kind, PersistentVolumeClaim, Str};

pub(super) static RULE: Rule = Rule {
    id: "pvc-terminating-unknown-finalizer",
    title: "another finalizer keeps the claim from being deleted",
    severity: Severity::Warning,
    risk: Risk::Possible,
    reads: &[Kind::PersistentVolume],
    hinders: &[Act::Delete],
    repairs: &[Repair::Retain],
    page: Page {
        seen: "The claim is Terminating for minutes, and among its finalizers is one that neither Kubernetes nor the \
               CSI sidecars set. Usually it belongs to an operator or a driver.",
        why: "The component that added the finalizer removes it after its work for the claim is done. The work is not \
              done yet, or it fails, or the component was uninstalled before its objects were gone.",
        confirm: "kubectl get pvc NAME -n NAMESPACE -o jsonpath='{.metadata.finalizers}'\n\
                  kubectl get pvc NAME -n NAMESPACE --show-managed-fields -o yaml",
        repair: "The domain before the slash names the owner. Let its controller run, or install it again, and read \
                 its log. Remove this finalizer, and no other one, only if the documentation of the owner says that \
                 this is safe.",
        prevention: "Uninstall operators after their objects are gone.",
        hazard: "If you remove the finalizer, the work of its owner is not done. For example, a member is not removed \
                 from its cluster, or a disk is not detached. When the claim is deleted, the policy of its volume \
                 decides about the data.",
        sources: &[
            "pvcprotection processPVC, Kubernetes 1.36 (X6)",
            "arangodb/kube-arangodb#157",
            "kubernetes-sigs/vsphere-csi-driver#4128",
        ],
    },
    detect: Detect::Claim(detect),
};

fn detect(case: &Case<'_>, claim: &PersistentVolumeClaim) -> Option<Detection> {
    if !claim.terminating() {
        return None;
    }
    let is_foreign = |finalizer: &&str| ![CLAIM_FINALIZER, SNAPSHOT_FINALIZER, CLONE_FINALIZER].contains(finalizer);
    let foreign: Vec<&str> = claim.meta.finalizers.iter().map(Str::as_str).filter(is_foreign).collect();
    let first = *foreign.first()?;
    let after = aftermath(case, claim);
    // The owner of the finalizer may remove it at any moment. As long as the deletion is recent, this is reported only
    // if data will be destroyed with the claim.
    let early = match case.may_heal(claim.meta.deleted) {
        Some(early) => early,
        None if after.risk == Risk::None => return None,
        None => true,
    };
    let me = subject(case);
    let kept = match (foreign.as_slice(), first.split_once('/')) {
        // The garbage collector's own finalizers have no domain.
        ([_], None) if matches!(first, "foregroundDeletion" | "orphan") => {
            format!(
                "{me} waits until finalizer {first} is removed. The garbage collector removes that finalizer after it has \
                 handled the dependents of the claim"
            )
        }
        ([_], Some((domain, _))) => {
            format!(
                "{me} waits until finalizer {first} is removed. The controller of {domain} must remove that finalizer"
            )
        }
        ([_], None) => {
            format!(
                "{me} waits until finalizer {first} is removed. The component that set that finalizer must remove it"
            )
        }
        (several, _) => {
            format!(
                "{me} waits until finalizers {} are removed. The components that set them must remove them",
                several.join(", ")
            )
        }
    };
    let message = format!("{kept}. Then the claim is deleted{}", after.words);
    let found = being_deleted(message, case, claim).early_if(early);
    let fields = format!(
        "get pvc {} -n {} --show-managed-fields -o yaml",
        quoted(&claim.meta.name),
        quoted(&claim.meta.namespace)
    );
    let found = after.told(found).remedy(kubectl(fields, format!("see who set {first}")));
    Some(found.remedy(by_hand(format!("make sure that the owner of {first} runs"))).remedy(unfinalize(
        claim,
        first,
        format!(
            "only if the owner of {first} will not run again, or its documentation says that this is safe: remove the \
             finalizer, and keep the volumes of the claim"
        ),
    )))
}
