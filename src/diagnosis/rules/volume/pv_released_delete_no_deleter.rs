//! This rule reports a released volume that its driver has not deleted.

use super::{PATIENCE, Reclaim, called, released, released_for, with_state, with_storage};
use crate::controllers::VolumeBranch;
use crate::diagnosis::mention::mention;
use crate::diagnosis::misfit::claim_name;
use crate::diagnosis::remedy::{by_hand, describe, kubectl, retain};
use crate::diagnosis::rules::attachment::deletion_failure;
use crate::diagnosis::{Case, Detect, Detection, Page, Repair, Risk, Rule, Severity};
use crate::model::{Kind, PersistentVolume, ReclaimPolicy, VolumePhase};
use crate::text::human_age;

pub(super) static RULE: Rule = Rule {
    id: "pv-released-delete-no-deleter",
    title: "the driver has not deleted the volume",
    severity: Severity::Warning,
    risk: Risk::Possible,
    reads: &[Kind::PersistentVolumeClaim, Kind::VolumeAttachment, Kind::Event],
    hinders: &[],
    repairs: &[Repair::Retain],
    page: Page {
        seen: "The volume has policy Delete, and has been Released for a long time. Often there is no event about the \
               volume.",
        why: "The claim is gone. For a volume of a CSI driver or of another external provisioner, \
              kube-controller-manager only sets the phase Released. The provisioner has to delete the storage and then \
              the object. There are three usual reasons why this does not happen. The provisioner does not run, was \
              removed, or has another name than the provisioner that created the volume. Or a VolumeAttachment still \
              names the volume, and provisioners do not delete attached volumes. Or the storage system refuses: the \
              disk is in use or has snapshots, or the credentials for the deletion are gone.",
        confirm: "kubectl describe pv VOLUME\n\
                  kubectl get volumeattachments -o \
                  custom-columns='NAME:.metadata.name,VOLUME:.spec.source.persistentVolumeName,NODE:.spec.nodeName' | \
                  grep VOLUME\n\
                  kubectl get csidrivers\n\
                  kubectl get pods -A | grep -i provisioner",
        repair: "If you need the data, set the policy to Retain now. Otherwise remove the obstacle: start the driver's \
                 provisioner, detach the volume, or read in the event `VolumeFailedDelete` why the storage system \
                 refuses. If the driver will not run again, set the policy to Retain, write down the handle, and \
                 delete the PersistentVolume. If it stays Terminating, remove its finalizer \
                 `external-provisioner.volume.kubernetes.io/finalizer`. Then delete the storage yourself.",
        prevention: "Before you remove a driver, copy the data that you need to volumes of another driver. Then delete \
                     the claims: with policy Delete, this deletes their data. Wait until the volumes are gone.",
        hazard: "The deletion is only delayed: as soon as the driver runs again or the obstacle is gone, the storage \
                 is deleted without a warning. If you delete the volume and remove its finalizers, the storage stays, \
                 and no object in the cluster names it.",
        sources: &[
            "reclaimVolume, deleteVolumeOperation, Kubernetes 1.36 (R1, DO3)",
            "shouldDelete, sig-storage-lib-external-provisioner",
            "kubernetes-sigs/vsphere-csi-driver#502",
            "IBM/ibm-block-csi-driver#800",
        ],
    },
    detect: Detect::Volume(detect),
};

fn detect(case: &Case<'_>, volume: &PersistentVolume) -> Option<Detection> {
    if volume.reclaim_policy != ReclaimPolicy::Delete || volume.status.phase != VolumePhase::Released {
        return None;
    }
    let lasted = released_for(case, volume).filter(|seconds| *seconds > PATIENCE)?;
    let gone = released(case, volume)?;
    let Reclaim::Driver(driver) = gone.reclaim else { return None };
    // If a new claim of the same name exists, the new claim is more important, and another rule reports the volume.
    if gone.branch == VolumeBranch::VolumeClaimReplaced {
        return None;
    }
    // If an attachment blocks the deletion, or the driver has reported an error, other rules report the volume.
    let is_attached = case.snapshot().attachments_of(&volume.meta.name).next().is_some();
    if is_attached || deletion_failure(case, volume).is_some() {
        return None;
    }
    let claim = volume.claim_ref.as_ref().map(claim_name).unwrap_or_default();
    let cause = if gone.branch == VolumeBranch::VolumeSurplusDynamic {
        format!("Its claim {claim} has another volume")
    } else {
        format!("Its claim {claim} is gone")
    };
    let driver = called(driver);
    let found = Detection::new(format!(
        "{driver} has still not deleted {} after {}. {cause} (policy Delete). Whether the driver runs cannot \
         be seen here. Usual reasons: the driver is gone, a VolumeAttachment holds the volume, or the storage system \
         refuses",
        mention(&case.object()),
        human_age(lasted)
    ));
    Some(
        with_state(with_storage(found, case, volume), case, volume)
            .since(volume.status.last_phase_transition)
            .moment(&case.object(), "status.lastPhaseTransitionTime", volume.status.last_phase_transition)
            .remedies(retain(volume))
            .remedy(describe(&case.object(), "see whether its events have a message of the driver"))
            .remedy(kubectl("get volumeattachments", format!("see whether {} is still attached", volume.meta.name)))
            .remedy(by_hand(format!(
                "see whether the provisioner of {driver} runs; as soon as it runs, it deletes the storage"
            ))),
    )
}
