//! This rule reports a claim whose owners are all gone, so that the garbage collector deletes the claim.

use super::{OWNER_KINDS, OWNERS, OwnerState, called, fate, is_ephemeral, is_gone, owner_key, shown, standing};
use crate::diagnosis::mention::{mention, part_of};
use crate::diagnosis::remedy::{by_hand, kubectl, quoted};
use crate::diagnosis::{Case, Detect, Detection, Page, Remedy, Risk, Rule, Severity};
use crate::model::{Kind, Owner, PersistentVolumeClaim};
use serde_json::{Value, json};

pub(super) static RULE: Rule = Rule {
    id: "claim-owner-dead",
    title: "the claim's owner does not exist, so the claim is deleted",
    severity: Severity::Error,
    risk: Risk::Imminent,
    reads: &OWNER_KINDS,
    hinders: &[],
    repairs: &[],
    page: Page {
        seen: "Everything looks fine: the claim is Bound and a pod may use it. Shortly after it is Terminating, or \
               gone, though nobody has deleted it.",
        why: "An `ownerReference` names its owner by kind, name and uid. The garbage collector looks the owner up by \
              its name, in the namespace of the claim, and takes it for gone where there is none, or one with another \
              uid. A claim all of whose owners are gone is deleted. That is meant for claims that go with their \
              owner; it hits claims that were restored, or applied from a saved manifest, together with their old \
              references: what owned them was created anew and has another uid. An owner in another namespace counts \
              as gone, too.",
        confirm: "kubectl get pvc NAME -n NAMESPACE -o jsonpath='{.metadata.ownerReferences}'\n\
                  kubectl get OWNERKIND OWNER -n NAMESPACE -o jsonpath='{.metadata.uid}'",
        repair: "At once: set policy Retain on the volume, and take the dead references from the claim. If the owner \
                 exists under another uid, whatever manages the claim writes the right one afterwards. Once the claim \
                 is Terminating nothing stops that any more: the volume is then Released with its data, and can be \
                 reserved for a new claim of that name.",
        prevention: "Leave `ownerReferences` out of manifests that are saved or copied. Restore with tools that drop \
                     them, and with policy Retain.",
        hazard: "With policy Delete the data are destroyed as soon as no pod uses the claim any more. Removing the \
                 reference of a claim that is meant to go with its owner leaves storage behind that nobody removes.",
        sources: &[
            "attemptToDeleteItem, classifyReferences and isDangling, pkg/controller/garbagecollector, Kubernetes 1.36 \
             (J19)",
            "hasStaleOwnerRef, pkg/controller/statefulset, Kubernetes 1.36 (J17, J18)",
            "https://kubernetes.io/docs/concepts/architecture/garbage-collection/#owners-dependents",
        ],
    },
    detect: Detect::Claim(detect),
};

fn detect(case: &Case<'_>, claim: &PersistentVolumeClaim) -> Option<Detection> {
    let owners = claim.owners();
    if owners.is_empty() || claim.terminating() {
        return None;
    }
    // One existing owner keeps the claim. An owner that cannot be looked up may also keep it.
    let may_be_dead = |owner: &Owner| match standing(case, claim, owner) {
        OwnerState::Replaced(_) | OwnerState::NotSeen => !is_ephemeral(claim, owner),
        OwnerState::Present | OwnerState::Going(_) => false,
    };
    if !owners.iter().all(may_be_dead) {
        return None;
    }
    let is_dead = |owner: &Owner| match standing(case, claim, owner) {
        OwnerState::NotSeen => is_gone(case, claim, owner),
        OwnerState::Present | OwnerState::Going(_) | OwnerState::Replaced(_) => true,
    };
    if !owners.iter().all(is_dead) {
        return None;
    }
    let first = owners.first()?;
    let replaced = |owner: &Owner| match standing(case, claim, owner) {
        OwnerState::Replaced(uid) => Some(uid),
        OwnerState::Present | OwnerState::Going(_) | OwnerState::NotSeen => None,
    };
    let how = match replaced(first) {
        Some(_) => "has a new uid".to_owned(),
        None => format!("does not exist (uid {})", first.uid),
    };
    let others = match owners.len() - 1 {
        0 => String::new(),
        more => format!(" (and {more} more, gone as well)"),
    };
    let after = fate(case, claim);
    let found = Detection::new(format!(
        "the garbage collector will delete {}, because {}{others} {how}{}",
        mention(&case.object()),
        part_of(&case.object(), &format!("the owner {}", called(first))),
        after.words
    ));
    let found = owners.iter().fold(found, |found, owner| {
        let found = found.evidence(&case.object(), OWNERS, shown(owner));
        match owner_key(claim, owner) {
            Some(key) => found.evidence(&key, "metadata.uid", replaced(owner).unwrap_or_default()),
            None => found,
        }
    });
    // A claim that a pod owns is usually meant to be deleted with the pod.
    let on_purpose = owners.iter().all(|owner| owner.kind == Kind::Pod.as_str() && replaced(owner).is_none());
    let found = if on_purpose { found.severity(Severity::Warning) } else { found };
    Some(after.told(found).remedy(remove_owners(claim)).remedy(by_hand(
        "if the claim should be deleted with its owner, do nothing; once it is Terminating, only policy Retain keeps \
         its data",
    )))
}

/// Creates a remedy that removes all owners from the claim, if they have not changed.
fn remove_owners(claim: &PersistentVolumeClaim) -> Remedy {
    let owners = claim.owners();
    let test = |path: String, value: &str| json!({ "op": "test", "path": path, "value": value });
    let uid = (!claim.meta.uid.is_empty()).then(|| test("/metadata/uid".to_owned(), &claim.meta.uid));
    let place_of = |place: usize| format!("/metadata/ownerReferences/{place}");
    let tests = owners.iter().enumerate().map(|(place, owner)| test(format!("{}/uid", place_of(place)), &owner.uid));
    // The last entry is removed first, so that the indexes of the others stay valid.
    let removals = (0..owners.len()).rev().map(|place| json!({ "op": "remove", "path": place_of(place) }));
    let steps = Value::Array(uid.into_iter().chain(tests).chain(removals).collect()).to_string();
    let (name, namespace) = (quoted(&claim.meta.name), quoted(&claim.meta.namespace));
    kubectl(
        format!("patch pvc {name} -n {namespace} --type=json -p {}", quoted(&steps)),
        "remove the owners that do not exist from the claim, so that the garbage collector does not delete it",
    )
}
