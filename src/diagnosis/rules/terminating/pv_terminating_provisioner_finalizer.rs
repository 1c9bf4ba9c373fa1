//! This rule reports a volume that is being deleted and that the provisioner's finalizer keeps.

use super::{ATTACHER_PREFIX, driver_of, held_by_attachments, listed, stays_with, unheld_leaf, unheld_since};
use crate::controllers::VolumeBranch;
use crate::diagnosis::facts::DRIVER_FINALIZER;
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
        seen: "The volume is Terminating for minutes, no claim has it, and \
               `external-provisioner.volume.kubernetes.io/finalizer` is among its finalizers. The phase behind \
               Terminating stands in the YAML only.",
        why: "The finalizer says that the storage is not deleted yet. The provisioner takes it away in two cases: \
              after it has deleted the storage of a volume in phase Released with policy Delete, or when the policy is \
              Retain or Recycle. A volume in phase Failed or Available it does not touch, so that such a one waits for \
              ever. In the other cases the deletion fails, or the provisioner does not run.",
        confirm: "kubectl get pv VOLUME -o jsonpath='{.status.phase} {.spec.persistentVolumeReclaimPolicy} \
                  {.metadata.finalizers}'\n\
                  kubectl describe pv VOLUME",
        repair: "If it is Released with policy Delete, look at the events and at the provisioner's log for what keeps \
                 the storage from being deleted, mostly that it is still attached. If it is Failed or Available, set \
                 policy Retain: a provisioner that runs then drops the finalizer, and the storage is left to you. If \
                 the policy is Retain already, the provisioner does not run: start it.",
        prevention: "Uninstall a driver only after its volumes are gone.",
        hazard: "Removing the finalizer by hand leaves the storage behind without a name. Once the provisioner works \
                 again it deletes the storage of a Released volume with policy Delete at once.",
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
    let (message, risk) = match &volume.reclaim_policy {
        ReclaimPolicy::Retain | ReclaimPolicy::Recycle => (
            format!(
                "its provisioner {driver} has not removed the finalizer that blocks the deletion. That provisioner \
                 does not run or lacks the rights. With policy {policy} it removes the finalizer without changing the \
                 data"
            ),
            Risk::None,
        ),
        ReclaimPolicy::Delete if available || volume.status.phase == VolumePhase::Failed => {
            let phase = if available { "Available" } else { phase };
            (
                format!(
                    "{driver} deletes only volumes in phase Released, and this volume is {phase}. So its finalizer \
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
                    "{driver} has not deleted its storage (policy Delete), so its finalizer blocks the deletion. The \
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
    let look = describe(&case.object(), format!("see what {driver} says about it; its log says more"));
    // A driver that deletes only volumes in phase Released does nothing more. With policy Retain it removes its
    // finalizer.
    let found = if volume.status.phase == VolumePhase::Failed {
        found.remedies(retain(volume)).remedy(look)
    } else {
        found.remedy(look).remedies(retain(volume))
    };
    Some(match &volume.reclaim_policy {
        ReclaimPolicy::Retain | ReclaimPolicy::Recycle => {
            found.remedy(by_hand(format!("run the provisioner of {driver} again, if only for this")))
        }
        ReclaimPolicy::Delete | ReclaimPolicy::Other(_) => found.remedy(by_hand(
            "with policy Retain the volume is deleted and the storage stays: note its handle, and delete the storage \
             by hand if nobody needs the data",
        )),
    })
}
