//! This rule reports a claim whose class does not exist.

use super::pool::{Unmade, taken};
use super::{wanted, with_class};
use crate::diagnosis::case::class_key;
use crate::diagnosis::mention::{elsewhere, on_own_page};
use crate::diagnosis::remedy::{by_hand, kubectl, recreate_with_class, save_claim};
use crate::diagnosis::{Act, Case, Detect, Detection, Page, Repair, Risk, Rule, Severity, meant_class};
use crate::model::{Kind, PersistentVolumeClaim};
use crate::text::nearest;

pub(super) static RULE: Rule = Rule {
    id: "pvc-class-not-found",
    title: "the claim's class does not exist",
    severity: Severity::Error,
    risk: Risk::None,
    reads: &[Kind::PersistentVolume, Kind::StorageClass],
    hinders: &[Act::Bind],
    repairs: &[Repair::Reclass],
    page: Page {
        seen: "The claim is Pending, and STORAGECLASS names a class that `kubectl get sc` does not show. An event \
               `ProvisioningFailed` says that the StorageClass is not found.",
        why: "No volume with that class fits the claim, so the controller tries to have a volume provisioned. For this \
              it needs the StorageClass, which does not exist. Perhaps the name is misspelt, the manifest is from \
              another cluster, or the class was deleted. To be bound to an existing volume, a claim needs no \
              StorageClass: only the names of the classes are compared.",
        confirm: "kubectl get pvc NAME -n NAMESPACE -o jsonpath='{.spec.storageClassName}'\n\
                  kubectl get sc\n\
                  kubectl get pv",
        repair: "If another class is meant, create the claim again with that class: the field cannot be changed, and \
                 the claim has no volume that could be lost. `kubectl pvctl recreate pvc/NAME -n NAMESPACE --set \
                 class=CLASS` does this. If the class is missing, create it with this name: then the claim continues \
                 by itself. If a person has to create the volume, give the volume this class.",
        prevention: "Install classes before the claims that use them. If you create a class again, keep its name.",
        hazard: "A new class decides whether the data of its volumes are kept: without a `reclaimPolicy`, the policy \
                 is Delete. A class of the same name with another provisioner also serves all other claims that wait \
                 for that name.",
        sources: &[
            "provisionClaim, Kubernetes 1.36 (C10)",
            "IsDelayBindingMode, Kubernetes 1.36",
            "wunderio/csi-rclone#25",
        ],
    },
    detect: Detect::Claim(detect),
};

fn detect(case: &Case<'_>, claim: &PersistentVolumeClaim) -> Option<Detection> {
    let why = Unmade::of(case, claim).filter(|why| *why == Unmade::NoSuchClass)?;
    // If volumes of that class exist but belong to other claims, another rule reports the claim. If volumes could not
    // be read, nobody knows whether such volumes exist. Then this rule reports the claim.
    let is_pool_empty = case.waited_in_vain() || taken(case, claim, why).is_some_and(|pool| pool.count == 0);
    if !is_pool_empty || case.always_ends("Bound")? {
        return None;
    }
    let class = claim.class();
    let classes = case.snapshot().classes();
    let near = nearest(class, classes.iter().map(|class| class.meta.name.as_str()), 1).first().copied();
    let hint = near.map(|meant| format!(". Perhaps class \"{meant}\" is meant")).unwrap_or_default();
    let found = Detection::new(format!(
        "{}class \"{class}\" does not exist{}{hint}. No driver is asked for a volume, and no volume of that class fits",
        on_own_page(&case.object(), "its "),
        elsewhere(&case.object(), &format!(", but claim {} requests it", claim.key()))
    ));
    let does = |meant: &str| {
        format!(
            "if class {meant} is meant, create the claim again with it; the claim has no \
                                      volume yet"
        )
    };
    let again = meant_class(case.snapshot(), class)
        .and_then(|meant| recreate_with_class(case.snapshot(), claim, meant, does(meant)));
    let by_hand_again = [
        save_claim(claim, "save the manifest of the claim before you delete it"),
        by_hand(
            "if another class is meant, delete the claim, which has no volume, and create it again with that class",
        ),
    ];
    // The verb of pvctl keeps the manifest by itself.
    let by_hand_again = again.is_none().then_some(by_hand_again).into_iter().flatten();
    Some(
        with_class(found, case, claim)
            .early_if(case.is_young(claim.meta.created))
            .evidence(&class_key(class), "metadata.name", "does not exist")
            .remedies(again)
            .remedy(kubectl("get sc", "list the classes"))
            .remedies(by_hand_again)
            .remedy(by_hand(format!(
                "if the class is missing, create StorageClass {class}, with a reclaimPolicy that suits the data; or \
                 create {}",
                wanted(claim)
            ))),
    )
}
