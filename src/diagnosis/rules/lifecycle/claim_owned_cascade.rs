//! This rule reports a claim that is deleted together with its owner. Its data can be deleted as well.

use super::{
    ORPHAN_FINALIZER, OWNER_KINDS, OWNERS, OwnerState, called, doomed, fate, is_gone, kind_of, owner_key, shown,
    standing,
};
use crate::diagnosis::case::volume_key;
use crate::diagnosis::mention::{mention, part_of};
use crate::diagnosis::remedy::{by_hand, retain};
use crate::diagnosis::{Act, Case, Detect, Detection, Page, Repair, Risk, Rule, Severity};
use crate::model::{Kind, ObjectMeta, Owner, PersistentVolumeClaim};

pub(super) static RULE: Rule = Rule {
    id: "claim-owned-cascade",
    title: "the claim and its data are deleted together with the owner of the claim",
    severity: Severity::Error,
    risk: Risk::Imminent,
    reads: &OWNER_KINDS,
    hinders: &[],
    repairs: &[Repair::Retain],
    page: Page {
        seen: "As long as the owner exists, there is nothing to see. When the owner is deleted, the claim becomes \
               Terminating, too.",
        why: "The claim has an `ownerReference`, in most cases to an object of an operator, or to a StatefulSet with a \
              retention policy. The garbage collector deletes the claim as soon as none of its owners exists any more. \
              If the last owner is deleted in the foreground, the claim can be deleted before it. If the volume has \
              policy Delete, its storage is then deleted, too.",
        confirm: "kubectl get pvc NAME -n NAMESPACE -o jsonpath='{.metadata.ownerReferences}'\n\
                  kubectl get pv VOLUME -o jsonpath='{.spec.persistentVolumeReclaimPolicy}'",
        repair: "If the data are needed longer than the owner, set policy Retain on the volume. Many operators have a \
                 setting for this, which also keeps the claim. If the owner is already being deleted, set policy \
                 Retain at once: the deletion of the owner cannot be undone.",
        prevention: "Use a class with `reclaimPolicy: Retain` for important data. If the claims of an owner have to \
                     stay, delete the owner with `--cascade=orphan`.",
        hazard: "Uninstalling an operator together with its custom resource definitions deletes all its objects, their \
                 claims and, with policy Delete, all data.",
        sources: &[
            "attemptToDeleteItem and classifyReferences, pkg/controller/garbagecollector, Kubernetes 1.36 (J19)",
            "https://kubernetes.io/docs/concepts/architecture/garbage-collection/#cascading-deletion",
            "velero-io/velero#5141",
        ],
    },
    detect: Detect::Claim(detect),
};

fn detect(case: &Case<'_>, claim: &PersistentVolumeClaim) -> Option<Detection> {
    let owners = claim.owners();
    if owners.is_empty() || claim.terminating() {
        return None;
    }
    // A claim that a pod owns is meant to be deleted with the pod.
    if owners.iter().any(|owner| kind_of(owner) == Some(Kind::Pod)) {
        return None;
    }
    let standings = || owners.iter().map(|owner| (owner, standing(case, claim, owner)));
    if let Some((owner, _)) = standings().find(|(_, standing)| matches!(standing, OwnerState::Present)) {
        return owned(case, claim, owner);
    }
    let going = standings().find_map(|(owner, standing)| match standing {
        OwnerState::Going(meta) if !meta.has_finalizer(ORPHAN_FINALIZER) => Some((owner, meta)),
        OwnerState::Going(_) | OwnerState::Present | OwnerState::Replaced(_) | OwnerState::NotSeen => None,
    });
    let (owner, meta) = going?;
    // An owner whose dependents are orphaned does not cause the claim's deletion. An owner that exists and is not being
    // deleted prevents the deletion.
    let goes = |(owner, standing): (&Owner, OwnerState<'_>)| match standing {
        OwnerState::Present => false,
        OwnerState::Going(meta) => !meta.has_finalizer(ORPHAN_FINALIZER),
        OwnerState::Replaced(_) => true,
        OwnerState::NotSeen => is_gone(case, claim, owner),
    };
    standings().all(goes).then(|| taken_along(case, claim, owner, meta))
}

/// Reports that the claim will be deleted because its owner is being deleted.
fn taken_along(case: &Case<'_>, claim: &PersistentVolumeClaim, owner: &Owner, meta: &ObjectMeta) -> Detection {
    let after = fate(case, claim);
    let found = Detection::new(format!(
        "{} is being deleted, and the garbage collector deletes {} with it{}",
        part_of(&case.object(), &format!("the owner {}", called(owner))),
        mention(&case.object()),
        after.words
    ));
    let severity = if after.risk == Risk::None { Severity::Warning } else { Severity::Error };
    let found = found.severity(severity).since(meta.deleted).evidence(&case.object(), OWNERS, shown(owner));
    let deleted = meta.deleted.map_or_else(String::new, |moment| moment.to_string());
    let found = match owner_key(claim, owner) {
        Some(key) => {
            found.follows_from(key.clone(), Act::Outlive).evidence(&key, "metadata.deletionTimestamp", deleted)
        }
        None => found,
    };
    after.told(found).remedy(by_hand(
        "to use the data again under the same name: make sure that the volume has policy Retain, let the claim be \
         deleted, and then reserve the volume for a new claim of that name",
    ))
}

/// Reports that the claim will be deleted if its existing owner is deleted. For StatefulSets with a retention policy
/// another rule reports this on the StatefulSet.
fn owned(case: &Case<'_>, claim: &PersistentVolumeClaim, owner: &Owner) -> Option<Detection> {
    let by_policy = kind_of(owner) == Some(Kind::StatefulSet);
    let volume = doomed(case, claim).filter(|_| !by_policy)?;
    let (name, policy) = (&volume.meta.name, volume.reclaim_policy.as_str());
    let others = match claim.owners().len() - 1 {
        0 => "is deleted",
        _ => "and all its other owners are deleted",
    };
    let found = Detection::new(format!(
        "{} is deleted when its owner {} {others}. Then the data of volume {name} are deleted, too (policy {policy})",
        mention(&case.object()),
        called(owner)
    ));
    Some(
        found
            .severity(Severity::Info)
            .risk(Risk::Possible)
            .evidence(&case.object(), OWNERS, shown(owner))
            .evidence(&volume_key(name), "spec.persistentVolumeReclaimPolicy", policy)
            .remedies(retain(volume)),
    )
}
