//! This rule reports a VolumeAttachment whose volume no longer exists.

use super::{PATIENCE, age, attachers_finalizer, give_up, lasts, with_error, with_state};
use crate::diagnosis::case::volume_key;
use crate::diagnosis::mention::mention;
use crate::diagnosis::remedy::{by_hand, describe};
use crate::diagnosis::{Case, Detect, Detection, Page, Risk, Rule, Severity};
use crate::model::Kind;
use crate::model::surroundings::VolumeAttachment;

pub(super) static RULE: Rule = Rule {
    id: "va-pv-missing",
    title: "the attached volume does not exist any more",
    severity: Severity::Error,
    risk: Risk::Possible,
    reads: &[Kind::PersistentVolume],
    hinders: &[],
    repairs: &[],
    page: Page {
        seen: "A VolumeAttachment names a PersistentVolume that does not exist. After the VolumeAttachment is deleted, \
               it stays Terminating, and `status.detachError` says that the persistentvolume was not found.",
        why: "To attach and to detach a disk, the attacher reads the driver and the handle from the PersistentVolume. \
              The finalizer of the attacher keeps the PersistentVolume until the disk is detached. Somebody removed \
              that finalizer, or the PersistentVolume was lost. So every attempt of the attacher fails, and the disk \
              stays attached to its node. After a restart, kube-controller-manager ignores such a VolumeAttachment, \
              too.",
        confirm: "kubectl get volumeattachment NAME -o yaml\n\
                  kubectl get pv VOLUME",
        repair: "Create the PersistentVolume again, and keep it until the disk is detached. Give it the same name, the \
                 attacher's name as `spec.csi.driver`, the old handle, policy Retain, and the old `claimRef` with its \
                 uid, so that no other claim gets the volume. The attacher then detaches the disk, and you can delete \
                 the PersistentVolume again. The handle is right if the SHA-256 sum of handle, driver and node name, \
                 written one after the other, is the part after `csi-` in the VolumeAttachment's name. If the handle \
                 is lost, detach the disk at the storage system, and then remove the attacher's finalizer from the \
                 VolumeAttachment.",
        prevention: "Do not remove finalizers from volumes in order to delete the volumes. Wait until the volumes are \
                     detached.",
        hazard: "If the new PersistentVolume has policy Delete, the driver can delete the disk. If you remove the \
                 finalizer without a proof that the disk is detached, the disk can be attached to two machines.",
        sources: &[
            "csiDetach, getProcessedPVSpec, external-attacher 4.12",
            "processVolumeAttachments, attach/detach controller, Kubernetes 1.36",
            "getAttachmentName, pkg/volume/csi, Kubernetes 1.36",
            "kubernetes-csi/external-attacher#235",
        ],
    },
    detect: Detect::Attachment(detect),
};

fn detect(case: &Case<'_>, attachment: &VolumeAttachment) -> Option<Detection> {
    let (name, driver) = (&attachment.volume_name, &attachment.attacher);
    let deleted = attachment.meta.deleted;
    let since = deleted.or(attachment.meta.created);
    // A VolumeAttachment that no attacher has worked on disappears by itself.
    let is_kept = attachment.attached || attachers_finalizer(attachment).is_some();
    if name.is_empty() || !is_kept || !lasts(case, since, PATIENCE) {
        return None;
    }
    if !case.lacks(Kind::PersistentVolume, "", name) {
        return None;
    }
    let node = &attachment.node_name;
    let message = if deleted.is_some() {
        format!(
            "{} does not exist, but {driver} needs it to detach the disk from node {node}. Detaching has failed for {} \
             and cannot succeed",
            mention(&volume_key(name)),
            age(case, deleted)
        )
    } else {
        format!(
            "{} does not exist, but {driver} needs it to detach the disk from node {node}. The disk stays attached, even \
             when no pod uses it there any more",
            mention(&volume_key(name))
        )
    };
    let again = format!(
        "create PersistentVolume {name} again from a backup, with driver {driver}, the old volumeHandle, the old \
         claimRef with its uid and policy Retain; once the VolumeAttachment is gone, delete the volume again; with \
         policy Delete the disk could be destroyed"
    );
    let found = with_error(with_state(Detection::new(message), attachment), attachment)
        .since(since)
        .severity(if deleted.is_some() { Severity::Error } else { Severity::Warning })
        .evidence(&volume_key(name), "metadata.name", "")
        .remedy(by_hand(again))
        .remedy(describe(&case.object(), "see what the attacher says"));
    Some(if deleted.is_some() {
        found.remedies(give_up(
            attachment,
            "as the last resort, once the storage system shows that the disk is attached nowhere: give up the \
             detachment and remove the finalizer of the attacher",
        ))
    } else {
        found
    })
}
