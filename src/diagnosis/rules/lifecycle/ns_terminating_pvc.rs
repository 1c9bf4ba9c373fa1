//! This rule reports a namespace that is being deleted and still has claims.

use super::{doomed, some};
use crate::diagnosis::case::{PATIENCE, key_of_claim, volume_key};
use crate::diagnosis::mention::mention;
use crate::diagnosis::remedy::{by_hand, describe, kubectl, quoted, retain};
use crate::diagnosis::{Act, Case, Detect, Detection, Page, Repair, Risk, Rule, Severity};
use crate::model::surroundings::Namespace;
use crate::model::{Kind, PersistentVolume, PersistentVolumeClaim, Str};
use crate::text::human_age;
use std::collections::BTreeSet;

/// The maximum number of volumes for which the finding has the command that keeps the data.
const COMMANDS: usize = 5;

pub(super) static RULE: Rule = Rule {
    id: "ns-terminating-pvc",
    title: "the namespace is being deleted and its claims still exist",
    severity: Severity::Warning,
    risk: Risk::Imminent,
    reads: &[Kind::PersistentVolumeClaim, Kind::PersistentVolume],
    hinders: &[],
    repairs: &[Repair::Retain],
    page: Page {
        seen: "The namespace is Terminating for minutes, and `kubectl get pvc` still lists claims in it, most of them \
               Terminating, too. Nothing can be created there.",
        why: "The namespace controller first deletes the pods of the namespace, and all other objects only after the \
              pods are gone. The namespace itself stays until it is empty. A claim stays as long as it has a \
              finalizer. `kubernetes.io/pvc-protection` stays while a pod with a node uses the claim. Any other \
              finalizer stays until the component that set it removes it. Claims that are not Terminating wait for the \
              pods, or for a controller that fails. The conditions of the namespace report such a failure. When a \
              claim is gone, the policy of its volume decides about the data.",
        confirm: "kubectl get ns NAME -o jsonpath='{.status.conditions}'\n\
                  kubectl get pvc,pod -n NAME\n\
                  kubectl get pv -o custom-columns=NAME:.metadata.name,POLICY:.spec.persistentVolumeReclaimPolicy,\
                  NS:.spec.claimRef.namespace,CLAIM:.spec.claimRef.name",
        repair: "First set policy Retain on every volume whose data have to stay: the deletion cannot be undone. Then \
                 remove what keeps the claims, in most cases pods that do not end. Afterwards you can reserve a \
                 Released volume with its data for a claim in another namespace.",
        prevention: "Set policy Retain for important data. Stop workloads before their namespace is deleted.",
        hazard: "With policy Delete each volume is destroyed as soon as its claim is gone. If you remove finalizers, \
                 or finalize the namespace by force, storage can be deleted while pods still use it.",
        sources: &[
            "deleteAllContent, pkg/controller/namespace/deletion, Kubernetes 1.36 (pods first: gate \
             OrderedNamespaceDeletion, on from 1.33)",
            "pvcprotection processPVC, Kubernetes 1.36 (X5, X6)",
            "kubernetes/kubernetes#65581",
            "kubernetes/kubernetes#92023",
            "helm/helm#10820",
        ],
    },
    detect: Detect::Namespace(detect),
};

fn detect(case: &Case<'_>, namespace: &Namespace) -> Option<Detection> {
    let deleted = namespace.meta.deleted?;
    let name = namespace.meta.name.as_str();
    let claims = case.snapshot().claims_in(name);
    let going: Vec<&PersistentVolumeClaim> = claims.iter().filter(|claim| claim.terminating()).collect();
    let first = going.first().copied().or(claims.first())?;
    let passed = case.seconds_since(Some(deleted))?;
    // Deleting a namespace takes some time, and somebody requested it.
    let is_normal = passed < PATIENCE;
    let unseen =
        |claim: &&PersistentVolumeClaim| !claim.volume_name.is_empty() && case.volume(&claim.volume_name).is_none();
    let lost: Vec<&PersistentVolume> = claims.iter().filter_map(|claim| doomed(case, claim)).collect();
    let risk = match lost.is_empty() {
        // No further action by a person is needed, so the risk is imminent even if the problem is new.
        false => Risk::Imminent,
        true if claims.iter().any(|claim| unseen(&claim)) => Risk::Possible,
        true => Risk::None,
    };
    let kept: BTreeSet<&str> = going.iter().flat_map(|claim| claim.meta.finalizers.iter().map(Str::as_str)).collect();
    let kept: Vec<&str> = kept.into_iter().collect();
    let (all, held) = if going.is_empty() {
        (existing(claims.iter()), "No claim is deleted before the pods are gone".to_owned())
    } else {
        (existing(going.iter().copied()), format!("Finalizers keep a claim: {}", kept.join(", ")))
    };
    let data = match lost.as_slice() {
        [] => String::new(),
        [one] => format!(
            ". The data of volume {} will be destroyed when its claim is gone (policy {})",
            one.meta.name,
            one.reclaim_policy.as_str()
        ),
        several => format!(
            ". The data of {} volumes ({}) will be destroyed by their reclaim policies when their claims are gone",
            several.len(),
            some(several.iter().map(|volume| volume.meta.name.as_str()))
        ),
    };
    let found = Detection::new(format!(
        "{} has been Terminating for {}, and {all}{data}. {held}",
        mention(&case.object()),
        human_age(passed)
    ))
    .info_if(is_normal)
    .risk(risk)
    .since(Some(deleted))
    .evidence(&case.object(), "metadata.deletionTimestamp", deleted.to_string())
    .evidence(&key_of_claim(&first.meta), "metadata.finalizers", first.meta.finalizers.join(", "));
    let failing = namespace.conditions.iter().filter(|one| one.status == "True" && one.kind.ends_with("Failure"));
    let found = failing.fold(found, |found, one| {
        found.evidence(&case.object(), "status.conditions", format!("{}: {}", one.kind, one.reason))
    });
    let found = lost.iter().take(COMMANDS).fold(found, |found, volume| {
        let policy = volume.reclaim_policy.as_str();
        found
            .evidence(&volume_key(&volume.meta.name), "spec.persistentVolumeReclaimPolicy", policy)
            .remedies(retain(volume))
    });
    let found = lost.iter().fold(found, |found, volume| found.affects(volume_key(&volume.meta.name)));
    let found = if lost.len() > COMMANDS {
        found.remedy(by_hand(format!("do the same for {} more volumes of the namespace", lost.len() - COMMANDS)))
    } else {
        found
    };
    // What keeps a claim also keeps the namespace. So this finding follows from findings that hinder the deletion of
    // the claims in the namespace.
    let found = going.iter().fold(found, |found, claim| found.follows_from(key_of_claim(&claim.meta), Act::Delete));
    let pods = format!("get pods -n {} -o wide", quoted(name));
    let detect = if going.is_empty() {
        kubectl(pods, "see which pods are left: nothing else is deleted before they are gone")
    } else {
        describe(&key_of_claim(&first.meta), "see who still uses the claim, and what keeps it")
    };
    Some(found.remedy(detect))
}

/// Returns which claims still exist, in words.
fn existing<'c>(claims: impl ExactSizeIterator<Item = &'c PersistentVolumeClaim>) -> String {
    let still = if claims.len() == 1 { "its claim still exists" } else { "its claims still exist" };
    format!("{still} ({})", some(claims.map(|claim| claim.meta.name.as_str())))
}
