//! This rule reports a volume whose phase is Released or Failed although its claim exists.

use super::{recorded_released, with_storage};
use crate::controllers::VolumeBranch;
use crate::controllers::persistent_volume::reclaim::{DataFate, data_fate};
use crate::diagnosis::case::key_of_claim;
use crate::diagnosis::mention::{elsewhere, mention};
use crate::diagnosis::remedy::{by_hand, retain};
use crate::diagnosis::{Act, Case, Detect, Detection, Holder, Page, Repair, Risk, Rule, Severity};
use crate::model::{Kind, PersistentVolume, VolumePhase};

pub(super) static RULE: Rule = Rule {
    id: "pv-released-but-claim-alive",
    title: "the volume is Released or Failed although its claim exists",
    severity: Severity::Error,
    risk: Risk::Imminent,
    reads: &[Kind::PersistentVolumeClaim],
    hinders: &[Act::GiveBack],
    repairs: &[Repair::Restore, Repair::Retain],
    page: Page {
        seen: "The volume is Released or Failed, but its claim exists and has the uid in the `claimRef` of the volume. \
               Often the claim is Bound and in use.",
        why: "The phase is the result of an earlier sync, and here it is wrong: the controller had not yet read the \
              claim, etcd was restored from a backup, or the `claimRef` has just been repaired. If the controller \
              runs, its next sync corrects the phase. But the provisioners of drivers check only the phase, and not \
              the claim. They delete the storage of every volume of their driver that is Released and has policy \
              Delete.",
        confirm: "kubectl get pv VOLUME -o jsonpath='{.status.phase} {.spec.claimRef.uid} \
                  {.spec.persistentVolumeReclaimPolicy}'\n\
                  kubectl get pvc NAME -n NAMESPACE -o jsonpath='{.metadata.uid} {.spec.volumeName} {.status.phase}'",
        repair: "Set the policy to Retain first. Then check that kube-controller-manager runs: its next sync makes the \
                 volume Bound. When the volume is Bound, set the old policy again.",
        prevention: "After a restore of etcd, set volumes to Retain before controllers and drivers start. Use a \
                     release of Kubernetes that is still maintained.",
        hazard: "With policy Delete, the driver can destroy the data of a running pod as soon as the driver starts. Do \
                 not write the phase by hand, and do not delete the claim: both increase the danger.",
        sources: &[
            "syncVolume, Kubernetes 1.36 (V10)",
            "shouldDelete, sig-storage-lib-external-provisioner",
            "kubernetes/kubernetes#50521",
            "kubernetes/kubernetes#48081",
        ],
    },
    detect: Detect::Volume(detect),
};

fn detect(case: &Case<'_>, volume: &PersistentVolume) -> Option<Detection> {
    if volume.terminating() || !recorded_released(volume) {
        return None;
    }
    // The controller checks the claim. The drivers' provisioners check only the phase.
    let goes_by_phase = data_fate(case.behavior(), volume) == DataFate::HandedToDriver;
    let endangered = volume.status.phase == VolumePhase::Released && goes_by_phase;
    let is_bound = match case.volume_branch()? {
        VolumeBranch::VolumeBound => true,
        VolumeBranch::VolumeAwaitsClaim
        | VolumeBranch::VolumeDanglingAwaitsClaim
        | VolumeBranch::VolumeClaimModeMismatch
            if endangered =>
        {
            false
        }
        _ => return None,
    };
    let named = volume.claim_ref.as_ref()?;
    let Holder::Lives(claim) = case.holder(volume) else { return None };
    let phase = volume.status.phase.as_str();
    let relation = if is_bound { "is bound to it" } else { "has no other volume" };
    let consequence = if endangered {
        format!("The driver looks only at phase {phase} and policy Delete, and may delete the storage with its data")
    } else {
        format!("No data are at risk: the next sync changes phase {phase} to Bound")
    };
    let found = Detection::new(format!(
        "{}{} should be Bound, because {} {relation}. {consequence}",
        mention(&case.object()),
        elsewhere(&case.object(), &format!(" is {phase} and")),
        mention(&key_of_claim(&claim.meta))
    ));
    let wait = by_hand("check that kube-controller-manager runs: its next sync makes the volume Bound");
    Some(
        with_storage(found, case, volume)
            .severity(if endangered { Severity::Error } else { Severity::Info })
            .risk(if endangered { Risk::Imminent } else { Risk::None })
            .since(volume.status.last_phase_transition)
            .evidence(&case.object(), "status.phase", phase)
            .evidence(&case.object(), "spec.persistentVolumeReclaimPolicy", volume.reclaim_policy.as_str())
            .evidence(&case.object(), "spec.claimRef.uid", named.uid.as_str())
            .evidence(&key_of_claim(&claim.meta), "metadata.uid", claim.meta.uid.as_str())
            .evidence(&key_of_claim(&claim.meta), "spec.volumeName", claim.volume_name.as_str())
            .remedies(if endangered { retain(volume) } else { None })
            .remedies(is_bound.then_some(wait)),
    )
}
