//! This rule reports a released volume if a new claim has the namespace and name in its `claimRef`.

use super::{released, trouble, ways_back, with_state, with_storage};
use crate::controllers::VolumeBranch;
use crate::diagnosis::case::key_of_claim;
use crate::diagnosis::facts::is_bound;
use crate::diagnosis::mention::part_of;
use crate::diagnosis::misfit::claim_name;
use crate::diagnosis::{Act, Case, Detect, Detection, Holder, Page, Repair, Risk, Rule, Severity, key};
use crate::model::{Kind, PersistentVolume, PersistentVolumeClaim};

pub(super) static RULE: Rule = Rule {
    id: "pv-released-claim-recreated",
    title: "released, and a new claim has the name of the old one",
    severity: Severity::Error,
    risk: Risk::Imminent,
    reads: &[Kind::PersistentVolumeClaim, Kind::Pod],
    hinders: &[Act::GiveBack],
    repairs: &[Repair::Restore, Repair::Retain],
    page: Page {
        seen: "The volume is Released. The claim in the column CLAIM exists, and is Pending, Lost, or Bound to another \
               volume, which is often new and empty.",
        why: "A volume belongs to the claim with the uid in its `claimRef`. A claim with the same name but another uid \
              is another claim. Here the claim was deleted and created again, by a new installation, a StatefulSet or \
              a restore, and has a new uid. So for the controller the claim of the volume is gone: the volume stays \
              Released, and its reclaim policy applies. The new claim cannot get the volume as long as `spec.claimRef` \
              has the old uid.",
        confirm: "kubectl get pv VOLUME -o jsonpath='{.spec.claimRef.uid} {.spec.persistentVolumeReclaimPolicy}'\n\
                  kubectl get pvc NAME -n NAMESPACE -o jsonpath='{.metadata.uid} {.spec.volumeName} {.status.phase}'",
        repair: "Set the policy to Retain. If the new claim should have the old data and has no volume yet, remove the \
                 uid from the `claimRef` of the volume: then the volume is reserved for that name, and the claim gets \
                 it. If the claim says that it is bound to this volume, write the uid of the claim into the `claimRef` \
                 instead. If the claim is bound to another volume, create the claim again: stop its pods, keep both \
                 volumes with Retain, delete the claim, reserve this volume, and create the claim with \
                 `spec.volumeName`.",
        prevention: "Use policy Retain for important volumes, and reserve the old volume before the claim is created \
                     again.",
        hazard: "With policy Delete or Recycle, the old data are destroyed while the application starts with an empty \
                 volume. If you give the old volume to the application again, it no longer has the data that it wrote \
                 to the new volume. If you remove the whole `claimRef`, claims of every namespace can get the data.",
        sources: &[
            "syncVolume, Kubernetes 1.36 (V6)",
            "FindMatchingVolume, Kubernetes 1.36 (M2, M7)",
            "kubernetes/kubernetes#65581",
            "openebs-archive/openebs-docs#569",
        ],
    },
    detect: Detect::Volume(detect),
};

fn detect(case: &Case<'_>, volume: &PersistentVolume) -> Option<Detection> {
    let gone = released(case, volume)?;
    // If the volume cannot be reclaimed, another rule gives the reason and has the same remedies.
    if gone.branch != VolumeBranch::VolumeClaimReplaced || trouble(case, volume, gone).is_some() {
        return None;
    }
    let named = volume.claim_ref.as_ref()?;
    let Holder::Replaced(claim) = case.holder(volume) else { return None };
    let has_other = !claim.volume_name.is_empty() && claim.volume_name != volume.meta.name;
    let destroys = gone.reclaim.destroys();
    let (severity, risk) = match (destroys, has_other) {
        (true, false) => (Severity::Error, Risk::Imminent),
        // A person who deletes a claim and creates it again may want the old data to be deleted.
        (true, true) => (Severity::Warning, Risk::Imminent),
        (false, false) => (Severity::Error, Risk::Possible),
        (false, true) => (Severity::Warning, Risk::Possible),
    };
    let found = Detection::new(format!(
        "{} has the uid of an earlier claim {}. {}. The earlier claim is gone, and the new claim of \
         that name {}",
        part_of(&case.object(), "spec.claimRef"),
        claim_name(named),
        gone.reclaim.prospect(&volume.reclaim_policy),
        state(claim, volume)
    ));
    // If the claim names this volume, the finding on the claim says what is wrong.
    let found = if claim.volume_name == volume.meta.name {
        found.follows_from(key_of_claim(&claim.meta), Act::NameOwner)
    } else {
        found
    };
    Some(
        with_state(with_storage(found, case, volume), case, volume)
            .severity(severity)
            // After a restore, all claims of a namespace have this problem.
            .follows_from(key(Kind::Namespace, "", &claim.meta.namespace), Act::NameOwner)
            .risk(risk)
            .since(volume.status.last_phase_transition)
            .evidence(&key_of_claim(&claim.meta), "metadata.uid", claim.meta.uid.as_str())
            .evidence(&key_of_claim(&claim.meta), "spec.volumeName", claim.volume_name.as_str())
            .remedies(ways_back(case, volume)),
    )
}

/// Returns words that describe the state of the new claim.
fn state(claim: &PersistentVolumeClaim, volume: &PersistentVolume) -> String {
    if claim.volume_name.is_empty() {
        "has no volume yet".to_owned()
    } else if claim.volume_name != volume.meta.name {
        format!("has volume {}", claim.volume_name)
    } else if is_bound(claim) {
        "says that it is bound to this volume, so it is Lost".to_owned()
    } else {
        "waits for this volume but does not get it".to_owned()
    }
}
