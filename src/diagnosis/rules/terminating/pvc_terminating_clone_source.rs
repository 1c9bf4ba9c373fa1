//! This rule reports a claim that is being deleted while it is being cloned.

use super::{CLONE_FINALIZER, aftermath, being_deleted, subject};
use crate::diagnosis::case::key_of_claim;
use crate::diagnosis::remedy::{by_hand, describe};
use crate::diagnosis::{Act, Case, Detect, Detection, Page, Risk, Rule, Severity};
use crate::model::{Kind, PersistentVolumeClaim};

pub(super) static RULE: Rule = Rule {
    id: "pvc-terminating-clone-source",
    title: "a clone keeps the claim from being deleted",
    severity: Severity::Warning,
    risk: Risk::Possible,
    reads: &[Kind::PersistentVolume],
    hinders: &[Act::Delete],
    repairs: &[],
    page: Page {
        seen: "The claim is Terminating for minutes, and `provisioner.storage.kubernetes.io/cloning-protection` is \
               among its finalizers.",
        why: "The provisioner keeps a claim as long as a Pending claim names it as its data source: the driver may \
              still copy the data. If the clone can never be provisioned, or if the provisioner is gone, nobody \
              removes the finalizer.",
        confirm: "kubectl get pvc NAME -n NAMESPACE -o jsonpath='{.metadata.finalizers}'\n\
                  kubectl get pvc -n NAMESPACE -o \
                  custom-columns=NAME:.metadata.name,PHASE:.status.phase,SOURCE:.spec.dataSource.name",
        repair: "Let the clone become Bound, or delete it if nobody needs it. If there is no clone, run the \
                 provisioner.",
        prevention: "Delete the source of a clone only after the clone is Bound.",
        hazard: "If you remove the finalizer while the clone is being made, the copy can be inconsistent. When the \
                 claim is deleted, the policy of its volume decides about the data.",
        sources: &["external-provisioner clone_controller.go", "pvcprotection processPVC, Kubernetes 1.36 (X6)"],
    },
    detect: Detect::Claim(detect),
};

fn detect(case: &Case<'_>, claim: &PersistentVolumeClaim) -> Option<Detection> {
    if !claim.terminating() || !claim.meta.has_finalizer(CLONE_FINALIZER) || case.lasts(claim.meta.deleted).is_none() {
        return None;
    }
    let after = aftermath(case, claim);
    // Every Pending claim of the namespace with a data source is listed, whatever its source is.
    let clones: Vec<&PersistentVolumeClaim> =
        case.survey().copying(&claim.meta.namespace).iter().map(|id| case.snapshot().claim(*id)).collect();
    let holder = match clones.as_slice() {
        [] => "A clone of the claim is Pending, or nobody removes the finalizer".to_owned(),
        [only] => format!("Claim {} has a data source and is Pending", only.meta.name),
        [first, more @ ..] => {
            format!("Claim {} and {} more have a data source and are Pending", first.meta.name, more.len())
        }
    };
    let message = format!(
        "{} waits until finalizer {CLONE_FINALIZER}, set for a clone, is removed. {holder}. Once the finalizer is \
         removed, the claim is deleted{}",
        subject(case),
        after.words
    );
    let found = being_deleted(message, case, claim);
    let found = clones.iter().take(3).fold(found, |found, clone| {
        found.evidence(&key_of_claim(&clone.meta), "status.phase", clone.status.phase.as_str())
    });
    let mut found = after.told(found);
    if let Some(clone) = clones.first() {
        found =
            found.remedy(describe(&key_of_claim(&clone.meta), "see whether this is the clone, and what it waits for"));
    }
    Some(found.remedy(by_hand(
        "let the clone become Bound, or delete it if nobody needs it, and check that the provisioner runs; then the \
         provisioner removes the finalizer",
    )))
}
