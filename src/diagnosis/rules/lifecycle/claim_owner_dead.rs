//! This rule reports a claim whose owners are all gone. The garbage collector deletes such a claim.

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
        seen: "At first everything looks right: the claim is Bound, and a pod may use it. Shortly afterwards the claim \
               is Terminating or gone, although nobody has deleted it.",
        why: "An `ownerReference` has the kind, the name and the uid of the owner. The garbage collector searches for \
              an object of this name in the namespace of the claim. If there is no such object, or if it has another \
              uid, the owner is treated as gone. If all owners of a claim are gone, the claim is deleted. This is \
              right for a claim that should be deleted with its owner. It also happens to a claim that was restored, \
              or applied from a saved manifest, with its old references: the owner was created again, and has another \
              uid. An owner in another namespace is treated as gone, too.",
        confirm: "kubectl get pvc NAME -n NAMESPACE -o jsonpath='{.metadata.ownerReferences}'\n\
                  kubectl get OWNERKIND OWNER -n NAMESPACE -o jsonpath='{.metadata.uid}'",
        repair: "Act at once: set policy Retain on the volume, and remove the references to missing owners from the \
                 claim. If the owner exists with another uid, the controller of the owner may then write the right \
                 reference. Once the claim is Terminating, its deletion cannot be stopped. With policy Retain, the \
                 volume is then Released with its data, and you can reserve it for a new claim of that name.",
        prevention: "Leave `ownerReferences` out of manifests that are saved or copied. Restore with tools that remove \
                     these references, and with policy Retain.",
        hazard: "With policy Delete the data are destroyed as soon as no pod uses the claim any more. If the claim \
                 should be deleted with its owner and you remove the reference, the claim and its storage are left \
                 behind.",
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
