//! This rule reports a class that does not allow expansion while some of its claims request more than they have.

use crate::diagnosis::case::key_of_claim;
use crate::diagnosis::remedy::merge_class;
use crate::diagnosis::{Act, Case, Detect, Detection, Page, Risk, Rule, Severity};
use crate::model::{ClaimPhase, Kind, PersistentVolumeClaim, Quantity, StorageClass};
use serde_json::json;

pub(super) static RULE: Rule = Rule {
    id: "sc-expansion-off",
    title: "claims request expansion, and the class does not allow it",
    severity: Severity::Info,
    risk: Risk::None,
    reads: &[Kind::PersistentVolumeClaim],
    hinders: &[Act::Expand],
    repairs: &[],
    page: Page {
        seen: "`kubectl get sc` shows ALLOWVOLUMEEXPANSION false, and claims of the class request more than their \
               capacity.",
        why: "Only the API server reads `allowVolumeExpansion`: without it, a larger request is refused. A resizer \
              does not check the class. If a request was accepted before the class was changed, a resizer that runs \
              still expands the volume.",
        confirm: "kubectl get sc NAME -o jsonpath='{.allowVolumeExpansion}'\n\
                  kubectl get pvc -A -o custom-columns=NAME:.metadata.name,CLASS:.spec.storageClassName,\
                  WANTS:.spec.resources.requests.storage,HAS:.status.capacity.storage",
        repair: "If the driver can expand volumes, set `allowVolumeExpansion: true`: this field can be changed at any \
                 time. The driver also needs its resizer.",
        prevention: "Allow expansion in classes whose driver can do it.",
        hazard: "None. This setting never makes a volume smaller.",
        sources: &[
            "PersistentVolumeClaimResize admission, Kubernetes 1.36",
            "https://kubernetes.io/docs/concepts/storage/persistent-volumes/#expanding-persistent-volumes-claims",
        ],
    },
    detect: Detect::Class(detect),
};

fn detect(case: &Case<'_>, class: &StorageClass) -> Option<Detection> {
    if class.allow_expansion {
        return None;
    }
    // There are few classes, so one pass over all claims for each class without expansion is acceptable.
    let is_growing = |claim: &&PersistentVolumeClaim| claim.class() == class.meta.name && wants_more(claim);
    let mut growing = case.snapshot().claims().iter().filter(is_growing);
    let first = growing.next()?;
    let has = first.status.storage().map_or_else(String::new, Quantity::to_string);
    let wants = first.requested().map_or_else(String::new, |wants| wants.to_string());
    let more = match growing.count() {
        0 => String::new(),
        more => format!(". {more} more claims request expansion, too"),
    };
    let found = Detection::new(format!(
        "the class does not allow expansion (allowVolumeExpansion false), but claim {} with {has} requests \
         {wants}{more}",
        first.key()
    ));
    let patch = json!({ "metadata": { "uid": class.meta.uid }, "allowVolumeExpansion": true });
    Some(
        found
            .evidence(&case.object(), "allowVolumeExpansion", "false")
            .evidence(&key_of_claim(&first.meta), "spec.resources.requests.storage", wants)
            .evidence(&key_of_claim(&first.meta), "status.capacity.storage", has)
            .remedy(merge_class(
                class,
                &patch,
                "allow expansion, if the driver supports it; this alone does not expand any volume",
            )),
    )
}

/// Returns whether the claim is Bound and requests more than its capacity. In most cases the request was raised after
/// the binding. A claim that names its volume can also be bound to a smaller one.
fn wants_more(claim: &PersistentVolumeClaim) -> bool {
    if claim.terminating() || claim.status.phase != ClaimPhase::Bound {
        return false;
    }
    match (claim.requested(), claim.status.storage()) {
        (Some(wants), Some(has)) => wants.compare(has).is_gt(),
        _ => false,
    }
}
