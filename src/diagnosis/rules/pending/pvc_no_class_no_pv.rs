//! This rule reports a claim that requests no class and for which no volume fits.

use super::pool::{Unmade, taken};
use super::{wanted, with_class};
use crate::diagnosis::mention::part_of;
use crate::diagnosis::remedy::{by_hand, recreate_with_class, save_claim};
use crate::diagnosis::{Act, Case, Detect, Detection, Page, Risk, Rule, Severity};
use crate::model::{Kind, PersistentVolumeClaim, newest_default};

pub(super) static RULE: Rule = Rule {
    id: "pvc-no-class-no-pv",
    title: "the claim wants no class, and no volume fits it",
    severity: Severity::Error,
    risk: Risk::None,
    reads: &[Kind::PersistentVolume, Kind::StorageClass],
    hinders: &[Act::Bind],
    repairs: &[],
    page: Page {
        seen: "The claim is Pending, and STORAGECLASS is empty. An event `FailedBinding` says that no volume is \
               available and no storage class is set.",
        why: "Without a class, no driver is asked for a volume. So the claim waits for a volume that has no class \
              either. A claim that states `storageClassName: \"\"` never gets a default class. (Before 1.30 the \
              controller tries to set it in each sync, without success.) A claim that states nothing waits for a \
              default class instead: see `sc-no-default`.",
        confirm: "kubectl get pvc NAME -n NAMESPACE -o jsonpath='{.spec.storageClassName}'\n\
                  kubectl get pvc NAME -n NAMESPACE -o yaml\n\
                  kubectl get sc\n\
                  kubectl get pv",
        repair: "If a person has to create the volume, create a volume without a class that is large enough and has \
                 the requested access modes. If a driver should provision the volume, create the claim again with a \
                 class: an empty class cannot be changed. The claim has no volume, so nothing is lost.",
        prevention: "Write `storageClassName: \"\"` only if the claim is meant for a volume created by a person. \
                     Charts often have a value for this field: an empty value and a missing value are different.",
        hazard: "A provisioned volume is empty. If the claim should get existing data, give it the volume with these \
                 data instead.",
        sources: &[
            "syncUnboundClaim and assignDefaultStorageClass, Kubernetes 1.36 (C5, C16)",
            "https://kubernetes.io/docs/concepts/storage/persistent-volumes/#class-1",
            "kubero-dev/kubero#699",
            "goharbor/harbor-helm#88",
        ],
    },
    detect: Detect::Claim(detect),
};

fn detect(case: &Case<'_>, claim: &PersistentVolumeClaim) -> Option<Detection> {
    // For a claim that states nothing, the missing default class is the root, and another rule reports it.
    let why = Unmade::of(case, claim).filter(|why| *why == Unmade::NoClass && claim.has_class())?;
    // If volumes without a class exist but belong to other claims, another rule reports this.
    if taken(case, claim, why).is_none_or(|pool| pool.count > 0) || case.always_ends("Bound")? {
        return None;
    }
    let default_class = newest_default(case.snapshot().classes());
    let with_default = default_class.and_then(|class| {
        let does =
            format!("if a driver should provision the volume, create the claim again with class {}", class.meta.name);
        recreate_with_class(case.snapshot(), claim, &class.meta.name, does)
    });
    let default = default_class
        .map(|class| format!(". The default class \"{}\" does not apply to such a claim", class.meta.name))
        .unwrap_or_default();
    let found = Detection::new(format!(
        "{} is \"\", no volume without a class fits, and nobody provisions one{default}",
        part_of(&case.object(), "storageClassName")
    ));
    Some(
        with_class(found, case, claim)
            .early_if(case.is_young(claim.meta.created))
            .remedies(with_default)
            .remedy(by_hand(format!("if no driver should provision the volume, create {}", wanted(claim))))
            .remedy(save_claim(claim, "save the manifest of the claim before you delete it"))
            .remedy(by_hand(
                "if a driver should provision the volume, delete the claim, which has no volume, and create it again with a \
                 class",
            )),
    )
}
