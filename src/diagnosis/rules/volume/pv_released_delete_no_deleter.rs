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
        seen: "The volume has policy Delete, and has been Released for a long time. Often there is no event about it.",
        why: "The claim is gone. For a volume of a CSI driver or of another external provisioner, \
              kube-controller-manager only sets the phase Released. The provisioner has to delete the storage and then \
              the object. There are three usual reasons why it does not. It does not run, was removed, or has another \
              name than the one that made the volume. A VolumeAttachment still names the volume, and provisioners \
              refuse to delete what is attached. Or the storage system refuses: the disk is in use, has snapshots, or \
              the credentials for deleting it are gone.",
        confirm: "kubectl describe pv VOLUME\n\
                  kubectl get volumeattachments -o \
                  custom-columns='NAME:.metadata.name,VOLUME:.spec.source.persistentVolumeName,NODE:.spec.nodeName' | \
                  grep VOLUME\n\
                  kubectl get csidrivers\n\
                  kubectl get pods -A | grep -i provisioner",
        repair: "If the data are wanted, set the policy to Retain now. Otherwise remove what is in the way: start the \
                 driver's provisioner, let the volume be detached, or look at what the storage system says in the \
                 event `VolumeFailedDelete`. If the driver will not run again, set the policy to Retain, write the \
                 handle down, delete the volume, and delete the storage yourself.",
        prevention: "Delete claims before the driver that serves them is removed, and wait until their volumes are \
                     gone.",
        hazard: "The deletion is only delayed: as soon as the driver runs again or the obstacle is gone, the storage \
                 is deleted without another question. If you delete the volume and remove its finalizers, the storage \
                 stays, and no object in the cluster names it.",
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
    // If a new claim of the same name exists, that claim is more important, and another rule reports it.
    if gone.branch == VolumeBranch::VolumeClaimReplaced {
        return None;
    }
    // If an attachment keeps the volume, or the driver has reported an error, other rules report this.
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
            .remedy(describe(&case.object(), "see in its events what the driver says, if it says anything"))
            .remedy(kubectl("get volumeattachments", format!("see whether {} is still attached", volume.meta.name)))
            .remedy(by_hand(format!(
                "see whether the provisioner of {driver} runs; as soon as it runs, it deletes the storage"
            ))),
    )
}
