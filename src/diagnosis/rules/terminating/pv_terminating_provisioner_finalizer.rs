//! This rule reports a volume whose deletion waits for the finalizer of the provisioner.

use super::{ATTACHER_PREFIX, driver_of, held_by_attachments, listed, stays_with, unheld_leaf, unheld_since};
use crate::controllers::VolumeBranch;
use crate::diagnosis::facts::DRIVER_FINALIZER;
use crate::diagnosis::mention::{mention, part_of};
use crate::diagnosis::remedy::{by_hand, describe, retain};
use crate::diagnosis::{Act, Case, Detect, Detection, Page, Repair, Risk, Rule, Severity};
use crate::model::{Kind, PersistentVolume, ReclaimPolicy, SourceKind, VolumePhase};

pub(super) static RULE: Rule = Rule {
    id: "pv-terminating-provisioner-finalizer",
    title: "the provisioner's finalizer keeps the volume from being deleted",
    severity: Severity::Error,
    risk: Risk::Possible,
    reads: &[Kind::PersistentVolumeClaim, Kind::VolumeAttachment],
    hinders: &[Act::Delete],
    repairs: &[Repair::Retain],
    page: Page {
        seen: "The volume has been Terminating for minutes, no claim has it, and \
               `external-provisioner.volume.kubernetes.io/finalizer` is among its finalizers. kubectl shows \
               Terminating instead of the phase. To see the phase, read `status.phase` in the YAML.",
        why: "The finalizer means that the storage is not deleted yet. The provisioner removes the finalizer in two \
              cases: after it has deleted the storage of a Released volume with policy Delete, or when the policy is \
              Retain or Recycle. If a volume with policy Delete is Failed or Available, the provisioner does nothing, \
              and the volume stays Terminating until its policy is changed. If the volume is Released with policy \
              Delete and the finalizer stays, the deletion of the storage fails, or the provisioner does not run.",
        confirm: "kubectl get pv VOLUME -o jsonpath='{.status.phase} {.spec.persistentVolumeReclaimPolicy} \
                  {.metadata.finalizers}'\n\
                  kubectl describe pv VOLUME",
        repair: "If the volume is Released with policy Delete, look in the events and in the log of the provisioner \
                 for the reason why the storage is not deleted. Most often the volume is still attached. If the volume \
                 is Failed or Available, set policy Retain: a running provisioner then removes the finalizer. The \
                 storage stays, and you have to delete it yourself. If the policy is Retain already, the provisioner \
                 does not run: start it.",
        prevention: "Uninstall a driver only after its volumes are gone.",
        hazard: "If you remove the finalizer by hand, the storage stays, and no object in the cluster names it. If the \
                 volume is Released with policy Delete, the provisioner deletes the storage as soon as the provisioner \
                 runs again.",
        sources: &[
            "shouldDelete and handleProtectionFinalizer, sig-storage-lib-external-provisioner",
            "reclaimVolume, Kubernetes 1.36 (DO3)",
            "kubernetes/kubernetes#121799",
            "kubernetes/kubernetes#125767",
        ],
    },
    detect: Detect::Volume(detect),
};

fn detect(case: &Case<'_>, volume: &PersistentVolume) -> Option<Detection> {
    if !volume.terminating() || !volume.meta.has_finalizer(DRIVER_FINALIZER) {
        return None;
    }
    let branch = unheld_leaf(case, volume)?;
    if !stays_with(case, |finalizer| finalizer == DRIVER_FINALIZER) {
        return None;
    }
    let driver = driver_of(case, volume);
    let (policy, phase) = (volume.reclaim_policy.as_str(), volume.status.phase.as_str());
    let available = matches!(branch, VolumeBranch::VolumeUnclaimed | VolumeBranch::VolumeReserved);
    let attached = volume.meta.finalizers.iter().any(|finalizer| finalizer.starts_with(ATTACHER_PREFIX));
    let (me, deletion) = (mention(&case.object()), part_of(&case.object(), "the deletion"));
    let storage = part_of(&case.object(), "the storage");
    let (message, risk) = match &volume.reclaim_policy {
        ReclaimPolicy::Retain | ReclaimPolicy::Recycle => (
            format!(
                "provisioner {driver} has not removed the finalizer that blocks {deletion}. The provisioner does \
                 not run, or it has no permission to change volumes. With policy {policy} it removes the finalizer \
                 without changing the data"
            ),
            Risk::None,
        ),
        ReclaimPolicy::Delete if available || volume.status.phase == VolumePhase::Failed => {
            let phase = if available { "Available" } else { phase };
            (
                format!(
                    "{driver} deletes only volumes in phase Released, and {me} is {phase}. So its finalizer \
                     blocks the deletion of the volume, and waiting does not help. With policy Retain, the volume is \
                     deleted and its storage stays"
                ),
                Risk::None,
            )
        }
        ReclaimPolicy::Delete => {
            let attached =
                if attached { ". The volume has an attacher's finalizer, so it may still be attached" } else { "" };
            (
                format!(
                    "{driver} has not deleted {storage} (policy Delete), so its finalizer blocks the deletion. The \
                     driver does not run, or the deletion fails{attached}"
                ),
                Risk::Possible,
            )
        }
        ReclaimPolicy::Other(_) => return None,
    };
    let found = held_by_attachments(Detection::new(message), case, volume)
        .risk(risk)
        .since(unheld_since(volume))
        .evidence(&case.object(), "metadata.finalizers", listed(&volume.meta))
        .evidence(&case.object(), "status.phase", phase)
        .evidence(&case.object(), "spec.persistentVolumeReclaimPolicy", policy);
    let found = if volume.source.kind == SourceKind::Csi {
        found.evidence(&case.object(), "spec.csi.volumeHandle", volume.source.handle.as_str())
    } else {
        found
    };
    let look =
        describe(&case.object(), format!("read the events of {driver} for this volume; the log of {driver} has more"));
    // The driver never deletes the storage of a volume that is Failed or Available. With policy Retain it removes its
    // finalizer, so this remedy is the first one.
    let found = if available || volume.status.phase == VolumePhase::Failed {
        found.remedies(retain(volume)).remedy(look)
    } else {
        found.remedy(look).remedies(retain(volume))
    };
    Some(match &volume.reclaim_policy {
        ReclaimPolicy::Retain | ReclaimPolicy::Recycle => found.remedy(by_hand(format!(
            "run the provisioner of {driver}, with permission to change volumes, until it has removed the finalizer"
        ))),
        ReclaimPolicy::Delete | ReclaimPolicy::Other(_) => found.remedy(by_hand(
            "with policy Retain the volume is deleted and the storage stays: write down the handle of the storage, and \
             delete the storage by hand if nobody needs the data",
        )),
    })
}
