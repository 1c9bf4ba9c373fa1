//! This rule reports a released volume that cannot be deleted because it is attached.

use super::{DRAIN, attachment_key, awaits_deletion};
use crate::diagnosis::mention::mention;
use crate::diagnosis::remedy::{by_hand, describe, retain};
use crate::diagnosis::{Act, Case, Detect, Detection, Page, Risk, Rule, Severity};
use crate::model::surroundings::VolumeAttachment;
use crate::model::{Kind, PersistentVolume};
use crate::text::human_age;

pub(super) static RULE: Rule = Rule {
    id: "pv-released-delete-stuck-attached",
    title: "the driver cannot delete the volume because it is attached",
    severity: Severity::Warning,
    risk: Risk::Possible,
    reads: &[Kind::PersistentVolumeClaim, Kind::VolumeAttachment],
    hinders: &[],
    repairs: &[],
    page: Page {
        seen: "The volume is Released with policy Delete and stays. Its events say `VolumeFailedDelete` and that it is \
               still attached to a node.",
        why: "The provisioner deletes no volume that some VolumeAttachment names, whatever that says of itself. The \
              VolumeAttachment stays because the node still has the volume mounted, or because its attacher cannot \
              detach it.",
        confirm: "kubectl describe pv VOLUME\n\
                  kubectl get volumeattachments -o \
                  custom-columns='NAME:.metadata.name,VOLUME:.spec.source.persistentVolumeName,NODE:.spec.nodeName' | \
                  grep VOLUME",
        repair: "If the data are wanted, set the policy to Retain now. Otherwise see to the VolumeAttachment, and \
                 leave the volume alone: once it is detached, the driver deletes it.",
        prevention: "Let nodes unmount before they are taken away, and keep the driver's attacher running.",
        hazard: "As soon as the volume is detached, its storage is deleted without another question. If you delete the \
                 volume and remove its finalizers, the storage stays, and the VolumeAttachment can never be detached.",
        sources: &[
            "canDeleteVolume, external-provisioner",
            "reclaimVolume, deleteVolumeOperation, Kubernetes 1.36 (R1, DO3)",
            "kubernetes-sigs/vsphere-csi-driver#502",
        ],
    },
    detect: Detect::Volume(detect),
};

fn detect(case: &Case<'_>, volume: &PersistentVolume) -> Option<Detection> {
    let attachments: Vec<&VolumeAttachment> = case.snapshot().attachments_of(&volume.meta.name).collect();
    let lasted = awaits_deletion(case, volume, DRAIN)?;
    let Some(first) = attachments.first() else {
        // A user who may not list VolumeAttachments cannot know whether one prevents the deletion.
        case.knows_all(Kind::VolumeAttachment, "");
        return None;
    };
    let more = match attachments.len() {
        1 => String::new(),
        many => format!(" and {} more", many - 1),
    };
    let state =
        if first.meta.deleted.is_some() { "It is being deleted, but still exists" } else { "Nobody deletes it" };
    let message = format!(
        "the driver cannot delete {}, because a VolumeAttachment still holds it on node {}. {state}: {}{more}. The volume \
         has been Released for {}, with policy Delete. Once it is detached, its data are deleted at once",
        mention(&case.object()),
        first.node_name,
        first.meta.name,
        human_age(lasted)
    );
    let mut found = Detection::new(message)
        .since(volume.status.last_phase_transition)
        .evidence(&case.object(), "status.phase", volume.status.phase.as_str())
        .evidence(&case.object(), "spec.persistentVolumeReclaimPolicy", volume.reclaim_policy.as_str());
    for attachment in &attachments {
        let object = attachment_key(attachment);
        found = found
            .evidence(&object, "spec.nodeName", attachment.node_name.as_str())
            .evidence(&object, "status.attached", attachment.attached.to_string())
            .follows_from(object, Act::Detach);
    }
    Some(
        found
            .remedies(retain(volume))
            .remedy(describe(&attachment_key(first), "see why it is not detached: its status has the error, if any"))
            .remedy(by_hand(
                "if nobody needs the data, detach the volume and change nothing else: then the driver deletes it",
            )),
    )
}
