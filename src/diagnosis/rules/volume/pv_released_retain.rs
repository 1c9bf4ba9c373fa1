//! This rule reports a released volume with policy Retain, whose data are kept until a person decides.

use super::{Reclaim, released, with_state, with_storage};
use crate::controllers::VolumeBranch;
use crate::diagnosis::case::key_of_claim;
use crate::diagnosis::facts::{is_complete, is_unbound};
use crate::diagnosis::mention::part_of;
use crate::diagnosis::misfit::claim_name;
use crate::diagnosis::remedy::{by_hand, describe, kubectl, quoted, release, save_volume};
use crate::diagnosis::{Case, Detect, Detection, Page, Repair, Risk, Rule, Severity, key};
use crate::model::{Kind, PersistentVolume, ReclaimPolicy};

pub(in crate::diagnosis) static RULE: Rule = Rule {
    id: "pv-released-retain",
    title: "released, and kept by policy Retain",
    severity: Severity::Warning,
    risk: Risk::Possible,
    reads: &[Kind::PersistentVolumeClaim, Kind::Namespace],
    hinders: &[],
    repairs: &[Repair::Release],
    page: Page {
        seen: "The volume is Released with policy Retain, and the claim in the column CLAIM does not exist. The volume \
               is not bound to any claim, even if a claim would fit.",
        why: "This is the purpose of Retain: when the claim is deleted, the controller and the drivers delete neither \
              the volume nor the storage, and a person decides. The uid of the old claim stays in `spec.claimRef`, so \
              that no claim gets the old data by accident, not even a new claim of the same name.",
        confirm: "kubectl get pv VOLUME -o jsonpath='{.status.phase} {.spec.persistentVolumeReclaimPolicy} \
                  {.spec.claimRef}'\n\
                  kubectl get pvc NAME -n NAMESPACE",
        repair: "To use the data again, remove the uid from `claimRef`. For another claim, write its namespace and \
                 name into `claimRef`, without a uid. Then create that claim with `spec.volumeName`. To make the \
                 volume free for every claim, erase its data first, and then remove the `claimRef`. To give up the \
                 data, write down where the storage is, delete the volume, and then delete the storage by hand. If the \
                 namespace is gone, too, create it again before you create a claim with the old name.",
        prevention: "None is needed. Check released volumes regularly, because their storage costs money.",
        hazard: "If you remove the `claimRef` and do not erase the data, the next claim that fits, in any namespace, \
                 can get them. If you delete the volume, no object says where its storage is.",
        sources: &[
            "syncVolume, reclaimVolume, Kubernetes 1.36 (V5, R2)",
            "https://kubernetes.io/docs/concepts/storage/persistent-volumes/#retain",
            "kubernetes/kubernetes#48609",
            "kubernetes/kubernetes#65581",
        ],
    },
    detect: Detect::Volume(detect),
};

fn detect(case: &Case<'_>, volume: &PersistentVolume) -> Option<Detection> {
    if volume.reclaim_policy != ReclaimPolicy::Retain {
        return None;
    }
    // Another rule reports a `claimRef` without namespace or name.
    let named = volume.claim_ref.as_ref().filter(|named| is_complete(named))?;
    let gone = released(case, volume)?;
    if gone.branch != VolumeBranch::VolumeClaimMissing || !matches!(gone.reclaim, Reclaim::Left) {
        return None;
    }
    let (claim, namespace) = (claim_name(named), &named.namespace);
    // If a claim names the volume, the finding on that claim says how the claim gets the volume. The volume can be
    // reserved for only one of the two claims.
    let other = case.snapshot().claims_naming(&volume.meta.name).iter().map(|id| case.snapshot().claim(*id));
    let other = other.filter(|other| is_unbound(other)).min_by_key(|other| other.key());
    let is_homeless = other.is_none() && case.lacks(Kind::Namespace, "", namespace);
    let home = if is_homeless { format!(", and so is namespace {namespace}") } else { String::new() };
    let wanted =
        other.map(|other| format!(". Claim {} names this volume in spec.volumeName", other.key())).unwrap_or_default();
    let found = Detection::new(format!(
        "{} is gone{home}. Policy Retain keeps the data. To use the data, reserve the volume for a claim; to give them \
         up, delete the volume and then the storage{wanted}",
        part_of(&case.object(), &format!("claim {claim}"))
    ));
    let mut found = with_state(with_storage(found, case, volume), case, volume)
        .since(volume.status.last_phase_transition)
        .remedy(save_volume(volume, "only this manifest says where the storage is"));
    if let Some(other) = other {
        let key = key_of_claim(&other.meta);
        return Some(found.evidence(&key, "spec.volumeName", volume.meta.name.as_str()).remedy(describe(
            &key,
            "decide whether this claim may have the data; the finding on the claim says how the claim gets them",
        )));
    }
    if is_homeless {
        found = found.evidence(&key(Kind::Namespace, "", namespace), "metadata.name", "").remedy(kubectl(
            format!("create namespace {}", quoted(namespace)),
            "if the data are needed under the old name: create the namespace again first",
        ));
    }
    Some(
        found
            .remedies(release(volume))
            .remedy(by_hand("if nobody needs the data: delete the volume, and then its storage by hand")),
    )
}
