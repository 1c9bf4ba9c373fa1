//! This rule reports a StatefulSet whose claims are deleted when the StatefulSet is scaled down or deleted.

use super::{ORPHAN_FINALIZER, claims_of, doomed, some};
use crate::diagnosis::case::{key_of_claim, volume_key};
use crate::diagnosis::remedy::{by_hand, kubectl, quoted, retain};
use crate::diagnosis::{Act, Case, Detect, Detection, Page, Remedy, Repair, Risk, Rule, Severity};
use crate::model::surroundings::StatefulSet;
use crate::model::{Kind, PersistentVolume, PersistentVolumeClaim};
use serde_json::json;

/// The maximum number of volumes for which the finding has the command that keeps the data.
const COMMANDS: usize = 5;
/// The value of the retention policy that deletes claims.
const DELETE: &str = "Delete";
/// The field that holds the retention policy.
const POLICY: &str = "spec.persistentVolumeClaimRetentionPolicy";

pub(super) static RULE: Rule = Rule {
    id: "sts-retention-delete",
    title: "the set deletes its claims, and with them the data",
    severity: Severity::Error,
    risk: Risk::Imminent,
    reads: &[Kind::PersistentVolumeClaim, Kind::PersistentVolume],
    hinders: &[Act::Outlive],
    repairs: &[Repair::Retain],
    page: Page {
        seen: "There is nothing to see until the set is scaled down or deleted. Then its claims are Terminating or \
               gone.",
        why: "`spec.persistentVolumeClaimRetentionPolicy` of the set says Delete. With `whenDeleted` the set is the \
              owner of its claims; with `whenScaled` the pod of a member beyond `spec.replicas` becomes the owner of \
              that member's claims before the pod is deleted. The garbage collector deletes claims whose owners are \
              gone. If the volumes have policy Delete, their storage is then deleted, too.",
        confirm: "kubectl get sts NAME -n NAMESPACE -o jsonpath='{.spec.persistentVolumeClaimRetentionPolicy}'\n\
                  kubectl get pvc -n NAMESPACE -o \
                  custom-columns=NAME:.metadata.name,OWNERS:.metadata.ownerReferences[*].name,\
                  VOLUME:.spec.volumeName",
        repair: "If the data are needed longer than the members, set both retention policies to Retain. This is \
                 possible at any time: the controller then removes the owner references from the claims. Or set policy \
                 Retain on the volumes. This keeps the data, but not the claims. If the set is already being deleted, \
                 only policy Retain on the volumes helps.",
        prevention: "Use Delete only for members whose data can be created again, such as caches and replicas.",
        hazard: "Scaling to 0 for maintenance with `whenScaled: Delete` destroys the data of all members. With \
                 `whenDeleted: Delete`, the same happens if you delete the set to change its template, unless you use \
                 `--cascade=orphan`.",
        sources: &[
            "updateClaimOwnerRefForSetAndPod, pkg/controller/statefulset, Kubernetes 1.36 (J17)",
            "attemptToDeleteItem, pkg/controller/garbagecollector, Kubernetes 1.36 (J19)",
            "https://kubernetes.io/docs/concepts/workloads/controllers/statefulset/\
             #persistentvolumeclaim-retention",
        ],
    },
    detect: Detect::StatefulSet(detect),
};

fn detect(case: &Case<'_>, set: &StatefulSet) -> Option<Detection> {
    let (on_deletion, on_scaling) = (set.when_deleted == DELETE, set.deletes_when_scaled());
    if (!on_deletion && !on_scaling) || set.meta.has_finalizer(ORPHAN_FINALIZER) {
        return None;
    }
    let claims = claims_of(case, set);
    // This policy does not delete a claim that neither the StatefulSet nor one of its pods owns.
    let doomed_of = |of: &dyn Fn(i64, &PersistentVolumeClaim) -> bool| {
        let such = claims.iter().filter(|(ordinal, claim)| !claim.terminating() && of(*ordinal, claim));
        such.filter_map(|(_, claim)| Some((*claim, doomed(case, claim)?))).collect::<Vec<_>>()
    };
    let of_set = |claim: &PersistentVolumeClaim| {
        !set.meta.uid.is_empty() && claim.owners().iter().any(|owner| owner.uid == set.meta.uid)
    };
    let of_pod = |claim: &PersistentVolumeClaim| claim.owners().iter().any(|owner| owner.kind == Kind::Pod.as_str());
    if set.meta.deleted.is_some() {
        let lost = doomed_of(&|_, claim| of_set(claim));
        if on_deletion && !lost.is_empty() {
            let message = format!(
                "it is being deleted, and its claims ({}) will be deleted with it (whenDeleted: Delete). The data of {} \
                 are deleted, too",
                named(&lost),
                volumes(&lost)
            );
            let found = Detection::new(message).since(set.meta.deleted);
            return Some(told(case, set, &lost, found));
        }
        return None;
    }
    let leaving =
        if on_scaling { doomed_of(&|ordinal, claim| !set.has_member(ordinal) && of_pod(claim)) } else { Vec::new() };
    if !leaving.is_empty() {
        let message = format!(
            "it was scaled to {}, and the claims of the removed replicas ({}) will be deleted (whenScaled: Delete). The \
             data of {} are deleted, too",
            set.replicas,
            named(&leaving),
            volumes(&leaving)
        );
        let found = Detection::new(message).severity(Severity::Warning);
        return Some(told(case, set, &leaving, found).remedy(keep_claims(set)));
    }
    let exposed =
        doomed_of(&|ordinal, claim| (on_scaling && set.has_member(ordinal)) || (on_deletion && of_set(claim)));
    if exposed.is_empty() {
        return None;
    }
    let when = match (on_deletion, on_scaling) {
        (true, true) => "when it is deleted or scaled down (whenDeleted and whenScaled: Delete)",
        (true, false) => "when it is deleted (whenDeleted: Delete)",
        (false, _) => "when it is scaled down, even for maintenance (whenScaled: Delete)",
    };
    let message = format!(
        "its claims ({}) are deleted {when}. The data of {} are deleted, too",
        named(&exposed),
        volumes(&exposed)
    );
    let found = Detection::new(message).severity(Severity::Info).risk(Risk::Possible);
    let found = with_policy(case, set, found).remedy(keep_claims(set));
    Some(found.remedy(by_hand("set policy Retain on the volumes: this keeps the data, but not the claims")))
}

/// Returns the names of the claims.
fn named(lost: &[(&PersistentVolumeClaim, &PersistentVolume)]) -> String {
    some(lost.iter().map(|(claim, _)| claim.meta.name.as_str()))
}

/// Returns words that name the volumes, as the object of a sentence.
fn volumes(lost: &[(&PersistentVolumeClaim, &PersistentVolume)]) -> String {
    match lost {
        [(_, one)] => format!("volume {} (policy {})", one.meta.name, one.reclaim_policy.as_str()),
        several => format!("{} volumes (by their reclaim policies)", several.len()),
    }
}

/// Adds the retention policy as evidence.
fn with_policy(case: &Case<'_>, set: &StatefulSet, found: Detection) -> Detection {
    let shown = |value: &str| if value.is_empty() { "Retain".to_owned() } else { value.to_owned() };
    let value = format!("whenDeleted: {}, whenScaled: {}", shown(&set.when_deleted), shown(&set.when_scaled));
    found.evidence(&case.object(), POLICY, value)
}

/// Adds which data will be destroyed, and how to keep them, to the detection.
fn told(
    case: &Case<'_>,
    set: &StatefulSet,
    lost: &[(&PersistentVolumeClaim, &PersistentVolume)],
    found: Detection,
) -> Detection {
    let found = lost.iter().fold(found, |found, (claim, volume)| {
        found.affects(key_of_claim(&claim.meta)).affects(volume_key(&volume.meta.name))
    });
    let found = lost.iter().take(COMMANDS).fold(with_policy(case, set, found), |found, (claim, volume)| {
        let owners: Vec<String> = claim.owners().iter().map(super::shown).collect();
        found
            .evidence(&key_of_claim(&claim.meta), super::OWNERS, owners.join(", "))
            .evidence(
                &volume_key(&volume.meta.name),
                "spec.persistentVolumeReclaimPolicy",
                volume.reclaim_policy.as_str(),
            )
            .remedies(retain(volume))
    });
    match lost.len().saturating_sub(COMMANDS) {
        0 => found,
        more => found.remedy(by_hand(format!("do the same for {more} more volumes of the set"))),
    }
}

/// Creates a remedy that makes the StatefulSet keep its claims.
fn keep_claims(set: &StatefulSet) -> Remedy {
    let patch = json!({
        "metadata": { "uid": set.meta.uid },
        "spec": { "persistentVolumeClaimRetentionPolicy": { "whenDeleted": "Retain", "whenScaled": "Retain" } },
    });
    let (name, namespace) = (quoted(&set.meta.name), quoted(&set.meta.namespace));
    kubectl(
        format!("patch sts {name} -n {namespace} --type=merge -p {}", quoted(&patch.to_string())),
        "make the set keep its claims from now on",
    )
}
