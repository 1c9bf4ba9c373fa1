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
        seen: "The volume is Released with policy Retain, and the claim in the column CLAIM does not exist. No claim \
               binds to the volume, though it would fit.",
        why: "This is what Retain is for: when the claim goes, controller and drivers leave volume and storage alone, \
              and a person decides. The uid of the old claim stays in `spec.claimRef`, so that nobody gets the old \
              data by accident, also not a new claim of the same name.",
        confirm: "kubectl get pv VOLUME -o jsonpath='{.status.phase} {.spec.persistentVolumeReclaimPolicy} \
                  {.spec.claimRef}'\n\
                  kubectl get pvc NAME -n NAMESPACE",
        repair: "To use the data again, take the uid out of `claimRef` (for another claim: write its namespace and \
                 name in, without a uid), and create that claim with `spec.volumeName`. To give the volume to anybody, \
                 erase its data first, and then remove the `claimRef`. To be rid of it, write down where its storage \
                 is, delete the volume, and then the storage by hand. If the namespace is gone, too, it has to be made \
                 again before a claim of the old name can be.",
        prevention: "None is needed. Decide regularly about released volumes, since their storage costs money.",
        hazard: "Removing the `claimRef` without erasing the data discloses them to the next claim of any namespace \
                 that fits. Deleting the volume loses the only note of where its storage is.",
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
    // The finding on a claim that names the volume says how the claim gets it. The volume can be reserved for only one
    // of the two claims.
    let other = case.snapshot().claims_naming(&volume.meta.name).iter().map(|id| case.snapshot().claim(*id));
    let other = other.filter(|other| is_unbound(other)).min_by_key(|other| other.key());
    let is_homeless = other.is_none() && case.lacks(Kind::Namespace, "", namespace);
    let home = if is_homeless { format!(", and so is namespace {namespace}") } else { String::new() };
    let wanted =
        other.map(|other| format!(". Claim {} names this volume in spec.volumeName", other.key())).unwrap_or_default();
    let found = Detection::new(format!(
        "{} is gone{home}. Policy Retain keeps its data. To use the data, reserve the volume for a claim; to give them \
         up, delete the volume and then the storage{wanted}",
        part_of(&case.object(), &format!("claim {claim}"))
    ));
    let mut found = with_state(with_storage(found, case, volume), case, volume)
        .since(volume.status.last_phase_transition)
        .remedy(save_volume(volume, "only it says where the storage is"));
    if let Some(other) = other {
        let key = key_of_claim(&other.meta);
        return Some(found.evidence(&key, "spec.volumeName", volume.meta.name.as_str()).remedy(describe(
            &key,
            "decide whether this claim may have the data; the finding on it says how it \
                                        gets them",
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
