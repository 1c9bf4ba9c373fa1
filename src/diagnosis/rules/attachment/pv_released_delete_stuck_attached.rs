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
        seen: "The volume stays Released with policy Delete. Its events say `VolumeFailedDelete` and that it is still \
               attached to a node.",
        why: "The provisioner does not delete a volume as long as a VolumeAttachment names it, even if the \
              VolumeAttachment says `attached: false`. The VolumeAttachment stays because the node still has the \
              volume mounted, or because its attacher cannot detach it.",
        confirm: "kubectl describe pv VOLUME\n\
                  kubectl get volumeattachments -o \
                  custom-columns='NAME:.metadata.name,VOLUME:.spec.source.persistentVolumeName,NODE:.spec.nodeName' | \
                  grep VOLUME",
        repair: "If you need the data, set the policy to Retain now. Otherwise remove the problem of the \
                 VolumeAttachment, and do not change the volume. Once the volume is detached, the driver deletes it.",
        prevention: "Let a node unmount its volumes before you remove the node, and keep the attacher of the driver \
                     running.",
        hazard: "As soon as the volume is detached, the driver deletes its storage, and nobody is asked again. If you \
                 delete the volume and remove its finalizers, the storage stays, and the VolumeAttachment can never be \
                 detached.",
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
    let state = if first.meta.deleted.is_some() {
        "That VolumeAttachment is being deleted, but is not gone yet"
    } else {
        "Nobody deletes that VolumeAttachment"
    };
    let message = format!(
        "the driver cannot delete {}, because a VolumeAttachment for node {} still exists. {state}: {}{more}. The \
         volume has been Released for {}, with policy Delete. Once it is detached, its data are deleted at once",
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
            .remedy(describe(
                &attachment_key(first),
                "see why the volume is not detached: the status has the error, if there is one",
            ))
            .remedy(by_hand(
                "if nobody needs the data, detach the volume and change nothing else: then the driver deletes it",
            )),
    )
}
