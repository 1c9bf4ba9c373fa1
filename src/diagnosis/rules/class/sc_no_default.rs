//! This rule reports a claim that states no class while no class is the default class.

use crate::controllers::ClaimBranch;
use crate::controllers::persistent_volume::plugins::{Provider, find_provisionable_plugin};
use crate::diagnosis::mention::mention;
use crate::diagnosis::remedy::{by_hand, merge_class, set_class};
use crate::diagnosis::rules::pending::pool::{Unmade, taken};
use crate::diagnosis::rules::pending::wanted;
use crate::diagnosis::{Act, Case, Detect, Detection, Page, Remedy, Risk, Rule, Severity};
use crate::model::{Kind, PersistentVolumeClaim, StorageClass};
use serde_json::json;

pub(super) static RULE: Rule = Rule {
    id: "sc-no-default",
    title: "the claim states no class, and no class is the default class",
    severity: Severity::Error,
    risk: Risk::None,
    reads: &[Kind::StorageClass, Kind::PersistentVolume],
    hinders: &[Act::Bind],
    repairs: &[],
    page: Page {
        seen: "The claim is Pending with an event that no volume is available and no storage class is set, its \
               STORAGECLASS is empty, and `kubectl get sc` shows no `(default)`.",
        why: "A claim without the field `spec.storageClassName` first looks for volumes without a class. If none fits, \
              it gets the default class, even long after it was created. Here no class is marked as default. So the \
              claim gets no class, and nobody provisions a volume for it.",
        confirm: "kubectl get sc\n\
                  kubectl get pvc NAME -n NAMESPACE -o jsonpath='{.spec.storageClassName}'",
        repair: "If a person has to create the volume, create a volume that fits the claim and has no class. If a \
                 driver should provision the volume, set `spec.storageClassName` of the claim. This is possible as \
                 long as the claim has no class. Or mark a class as default: then all claims that wait for this reason \
                 get that class.",
        prevention: "State the class in every claim and template, or make sure that exactly one class is the default \
                     class.",
        hazard: "If you mark a class as default, all waiting claims that state no class get it within a minute, in all \
                 namespaces. Then each of them gets a new, empty volume, even a claim that was meant for a volume \
                 created by a person.",
        sources: &[
            "assignDefaultStorageClass, syncUnboundClaim, Kubernetes 1.36 (C5, C16)",
            "https://kubernetes.io/docs/concepts/storage/persistent-volumes/, retroactive default class",
        ],
    },
    detect: Detect::Claim(detect),
};

fn detect(case: &Case<'_>, claim: &PersistentVolumeClaim) -> Option<Detection> {
    if claim.terminating() || claim.has_class() {
        return None;
    }
    if case.claim_branch()? != ClaimBranch::UnboundClaimNoVolumeNoClass || case.always_ends("Bound")? {
        return None;
    }
    let classes = case.snapshot().classes();
    let there = match classes {
        [] => "no class exists".to_owned(),
        [only] => format!("the only class, {}, is not marked as default", only.meta.name),
        [first, ..] => format!("none of {} classes, such as {}, is marked as default", classes.len(), first.meta.name),
    };
    // Other rules report two cases. In one, other claims have the volumes without a class. In the other, a volume fails
    // only one test.
    let is_told =
        taken(case, claim, Unmade::NoClass).is_none_or(|pool| pool.count > 0) || case.nearest(claim).nearly_fits;
    let none = if is_told { "" } else { ". No volume without a class fits it either" };
    let found = Detection::new(format!(
        "{} states no class, and {there}. So nobody provisions a volume for it{none}",
        mention(&case.object())
    ))
    .severity(if is_told { Severity::Warning } else { Severity::Error })
    .early_if(case.is_young(claim.meta.created))
    .evidence(&case.object(), "spec.storageClassName", "")
    .remedy(by_hand(format!("if no driver should provision the volume, create {}", wanted(claim))));
    let makes = |class: &&StorageClass| find_provisionable_plugin(case.behavior(), class) == Provider::External;
    let making: Vec<&StorageClass> = classes.iter().filter(makes).collect();
    Some(match making.as_slice() {
        [] => found.remedy(by_hand("install a driver with a class, and mark that class as default")),
        [only] => {
            let name = &only.meta.name;
            let does = format!(
                "set class {name} for this claim only: then a new and empty volume is provisioned; the class cannot be \
                 changed afterwards"
            );
            found.remedy(set_class(claim, name, does)).remedy(mark(only))
        }
        several => {
            let names: Vec<&str> = several.iter().take(5).map(|class| class.meta.name.as_str()).collect();
            let more = if several.len() > names.len() { ", …" } else { "" };
            let names = names.join(", ");
            found
                .remedy(by_hand(format!(
                    "set the claim's spec.storageClassName to the class that should provision a new and empty volume: \
                     one of {names}{more}"
                )))
                .remedy(by_hand(
                    "mark one class as default: then all waiting claims that state no class, in all namespaces, get \
                     it",
                ))
        }
    })
}

/// Creates a remedy that makes the class the default class.
fn mark(class: &StorageClass) -> Remedy {
    let patch = json!({ "metadata": {
        "uid": class.meta.uid,
        "annotations": { "storageclass.kubernetes.io/is-default-class": "true" },
    } });
    merge_class(
        class,
        &patch,
        "mark this class as default: then all waiting claims that state no class, in all namespaces, get it",
    )
}
