//! This rule reports a pod of a `StatefulSet` whose claim was deleted before the pod could use it.

use super::super::volume::RELEASED_RETAIN;
use super::{blame, is_of_set, is_unscheduled, some_claims};
use crate::controllers::persistent_volume::reclaim::{DataFate, data_fate};
use crate::diagnosis::case::{claim_key, volume_key};
use crate::diagnosis::remedy::{by_hand, describe, release, retain};
use crate::diagnosis::{Act, Case, Detect, Detection, Page, Risk, Rule, Severity};
use crate::model::{Kind, PersistentVolume, Pod, Str};

pub(super) static RULE: Rule = Rule {
    id: "sts-pvc-deleted-race",
    title: "the pod's claim was deleted, and the new claim is empty",
    severity: Severity::Error,
    risk: Risk::Possible,
    reads: &[Kind::PersistentVolumeClaim, Kind::PersistentVolume],
    hinders: &[Act::Schedule],
    repairs: &[],
    page: Page {
        seen: "A pod of a StatefulSet is Pending without a node; `FailedScheduling` says that its claim is being \
               deleted, then that it is not found.",
        why: "The claim and its pod were deleted together, and the StatefulSet created the pod again while the old \
              claim was still being deleted. A pod without a node does not prevent the deletion of a claim. Since \
              Kubernetes 1.28, the StatefulSet creates a missing claim of its Pending pod again, as soon as the old \
              claim is gone. The new claim has the old name and another uid, and gets an empty volume. If no new claim \
              appears, something prevents the StatefulSet from creating claims.",
        confirm: "kubectl describe pod NAME -n NAMESPACE\n\
                  kubectl get pvc -n NAMESPACE\n\
                  kubectl get pv -o custom-columns=NAME:.metadata.name,PHASE:.status.phase,\
                  NS:.spec.claimRef.namespace,CLAIM:.spec.claimRef.name",
        repair: "If an empty disk is right, because the application copies its data from other members, do nothing: \
                 the StatefulSet creates the claim. If you need the old data, set policy Retain on the old volume \
                 before the claim is gone. Scale the StatefulSet down, so that it creates no new claim. When the \
                 volume is Released, remove the uid from its `spec.claimRef`, and create the claim yourself with \
                 `spec.volumeName`. Then scale up again.",
        prevention: "To replace the disk of a member, delete the claim first, and then the pod. Use policy Retain for \
                     important volumes.",
        hazard: "If a member starts with an empty disk and its old name, the other members may not notice that its \
                 data are lost. With policy Delete, the old data are deleted with the old claim.",
        sources: &[
            "StatefulSet createPersistentVolumeClaims, Kubernetes 1.36 (J15, J16)",
            "VolumeBinding PreFilter, kube-scheduler 1.36 (S1, S4)",
            "kubernetes/kubernetes#74374",
            "kubernetes/kubernetes#89910",
            "digitalocean/csi-digitalocean#296",
        ],
    },
    detect: Detect::Pod(detect),
};

fn detect(case: &Case<'_>, pod: &Pod) -> Option<Detection> {
    if !is_unscheduled(pod) {
        return None;
    }
    let namespace = &pod.meta.namespace;
    let is_going = |claim: &&str| match case.claim(namespace, claim) {
        Some(there) => there.terminating(),
        None => case.lacks(Kind::PersistentVolumeClaim, namespace, claim),
    };
    let of_set = pod.named_claims().map(Str::as_str).filter(|claim| is_of_set(pod, claim));
    let going: Vec<&str> = of_set.filter(is_going).collect();
    let name = *going.first()?;
    let old = case.claim(namespace, name);
    // The old data are on the volume of the old claim.
    let volume = if let Some(claim) = old {
        case.volume(&claim.volume_name)
    } else {
        let naming = || case.volumes(case.snapshot().volumes_naming(namespace, name));
        naming().find(|volume| is_reserved(volume)).or_else(|| naming().next())
    };
    let state = if old.is_some() { "is being deleted" } else { "does not exist any more" };
    let (data, risk) = match volume {
        None if case.knows_all(Kind::PersistentVolume, "") => (", which gets an empty volume".to_owned(), Risk::None),
        None => (". The volume of the old claim cannot be seen".to_owned(), Risk::Possible),
        Some(volume) if old.is_none() && is_reserved(volume) => {
            (format!(". Volume {} is reserved for the new claim", volume.meta.name), Risk::None)
        }
        Some(volume) => {
            let (name, policy) = (&volume.meta.name, volume.reclaim_policy.as_str());
            match data_fate(case.behavior(), volume) {
                DataFate::Kept => (
                    format!(", which gets an empty volume. The old data stay on volume {name} (policy {policy})"),
                    Risk::Possible,
                ),
                DataFate::HandedToDriver | DataFate::Destroyed | DataFate::Scrubbed => (
                    format!(
                        ", which gets an empty volume. The old data are deleted with volume {name} (policy \
                             {policy})"
                    ),
                    Risk::Possible,
                ),
            }
        }
    };
    let found = Detection::new(format!(
        "it is not scheduled, because {} {state}. Its StatefulSet creates a new claim of that name{data}",
        some_claims(name, going.len() - 1)
    ))
    .risk(risk)
    .early_if(case.is_young(pod.meta.created))
    .evidence(&case.object(), "spec.nodeName", "")
    .evidence(&case.object(), "spec.volumes[].persistentVolumeClaim.claimName", name);
    let found = match old.and_then(|claim| claim.meta.deleted) {
        Some(deleted) => found.since(Some(deleted)).evidence(
            &claim_key(namespace, name),
            "metadata.deletionTimestamp",
            deleted.to_string(),
        ),
        None => found.evidence(&claim_key(namespace, name), "metadata.name", ""),
    };
    let found = match volume {
        None => found,
        Some(volume) => {
            let found = found.evidence(
                &volume_key(&volume.meta.name),
                "spec.persistentVolumeReclaimPolicy",
                volume.reclaim_policy.as_str(),
            );
            let found = found.remedies(retain(volume)).settles(&RELEASED_RETAIN, volume_key(&volume.meta.name));
            // While the claim exists, the uid in the `claimRef` must not be removed, because the claim would become
            // Lost.
            match old {
                None if is_reserved(volume) => found,
                None => found.remedies(release(volume)),
                Some(_) => found.remedy(by_hand(format!(
                    "if the old data are needed: scale the StatefulSet down, wait until the claim is deleted, and \
                     reserve volume {} for the new claim before you scale up again",
                    volume.meta.name
                ))),
            }
        }
    };
    let found = found.remedy(describe(
        &claim_key(namespace, name),
        if old.is_some() {
            "see what still prevents the deletion of the old claim"
        } else {
            "see whether the new claim already exists"
        },
    ));
    Some(blame(found, pod, &going))
}

/// Returns whether the `claimRef` of the volume has no uid. Then any claim of that name gets the volume.
fn is_reserved(volume: &PersistentVolume) -> bool {
    volume.claim_ref.as_ref().is_some_and(|named| named.uid.is_empty())
}
