//! This rule reports a claim with a selector for which a driver is asked to provision the volume.

use super::{asked_since, driver_of, with_class};
use crate::controllers::ClaimBranch;
use crate::diagnosis::mention::part_of;
use crate::diagnosis::remedy::{by_hand, describe, save_claim};
use crate::diagnosis::{Act, Case, Detect, Detection, Page, Risk, Rule, Severity};
use crate::model::{Kind, LabelSelector, PersistentVolumeClaim, Str};

pub(super) static RULE: Rule = Rule {
    id: "pvc-selector-blocks-provisioning",
    title: "no driver provisions a volume for a claim with a selector",
    severity: Severity::Error,
    risk: Risk::None,
    reads: &[Kind::PersistentVolume, Kind::StorageClass],
    hinders: &[Act::Bind],
    repairs: &[],
    page: Page {
        seen: "The claim is Pending, although its class has a provisioner. There are events `ExternalProvisioning`. \
               Most drivers also write an event `ProvisioningFailed`, which says that a selector is not supported.",
        why: "`spec.selector` requests the labels of an existing volume. No free volume of the class has these labels, \
              so the controller asks the driver, as for every claim of the class. Drivers refuse such a claim, because \
              they cannot promise that a new volume gets these labels. Often nobody chose the class: the claim stated \
              no class and got the default class, but the volume with the labels has no class.",
        confirm: "kubectl get pvc NAME -n NAMESPACE -o jsonpath='{.spec.selector} {.spec.storageClassName}'\n\
                  kubectl get pv --show-labels\n\
                  kubectl describe pvc NAME -n NAMESPACE",
        repair: "If an existing volume is meant, give it the class of the claim, the labels, and the requested size \
                 and access modes, if its storage really has them. If a new volume is meant, create the claim again \
                 without a selector. The claim has no volume yet, so nothing is lost.",
        prevention: "Use selectors only with volumes created by a person, and state `storageClassName: \"\"` with \
                     them, or the class of those volumes. To get one certain volume, name it in `spec.volumeName`.",
        hazard: "Perhaps the selector prevents the application from getting a wrong disk. Without it, the claim gets \
                 any volume that fits, or a new and empty volume. If you add the label to a volume, every claim with \
                 that selector can get the volume.",
        sources: &[
            "provisionClaim, Kubernetes 1.36 (C12)",
            "prepareProvision, external-provisioner (`claim Selector is not supported`)",
            "https://kubernetes.io/docs/concepts/storage/persistent-volumes/#selector",
            "kubernetes/kubernetes#94592",
        ],
    },
    detect: Detect::Claim(detect),
};

fn detect(case: &Case<'_>, claim: &PersistentVolumeClaim) -> Option<Detection> {
    let selector = claim.selector.as_deref()?;
    if case.waiting_branch(claim)? != ClaimBranch::UnboundClaimProvisionExternal || case.always_ends("Bound")? {
        return None;
    }
    let class = case.class(claim.class())?;
    let (driver, labels) = (driver_of(case, class), labels(selector));
    // An unknown provisioner may accept a selector, although all known provisioners refuse it.
    let waited = case.lasts(asked_since(case, claim, class));
    let found = Detection::new(format!(
        "no free volume fits {}, and driver {driver} refuses claims with a selector. The class is \"{}\", \
         and the selector is: {labels}. Waiting does not help",
        part_of(&case.object(), "the selector"),
        class.meta.name
    ));
    let found = found.severity(if waited.is_some() { Severity::Error } else { Severity::Info });
    Some(
        with_class(found, case, claim)
            .evidence(&case.object(), "spec.selector", labels.as_str())
            .remedy(describe(&case.object(), format!("see what {driver} says about the claim")))
            .remedy(save_claim(claim, "save the manifest of the claim before you delete it"))
            .remedy(by_hand(format!(
                "if an existing volume is meant, give it class {}, these labels, and the requested size and access \
                 modes",
                class.meta.name
            )))
            .remedy(by_hand(
                "if a new and empty volume is meant, delete the claim, which has no volume, and create it again \
                 without spec.selector",
            )),
    )
}

/// Returns the requirements of the selector in the syntax of `kubectl get -l`. Returns `empty` for a selector without
/// requirements, which drivers also refuse.
fn labels(selector: &LabelSelector) -> String {
    let equal = selector.match_labels.iter().map(|(key, value)| format!("{key}={value}"));
    let others = selector.expressions.iter().map(|requirement| {
        let (key, operator) = (&requirement.key, requirement.operator.as_str());
        let values: Vec<&str> = requirement.values.iter().map(Str::as_str).collect();
        if values.is_empty() { format!("{key} {operator}") } else { format!("{key} {operator} {}", values.join("|")) }
    });
    let all: Vec<String> = equal.chain(others).collect();
    if all.is_empty() { "empty".to_owned() } else { all.join(", ") }
}
