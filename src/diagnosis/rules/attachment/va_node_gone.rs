//! This rule reports a volume that is still attached to a node that no longer exists.

use super::{
    DRAIN, Overdue, PATIENCE, age, detach, give_up, lacks_volume, lasts, overdue, unused_severity, volume_of,
    volume_words, with_error, with_state,
};
use crate::diagnosis::remedy::{self, by_hand, describe};
use crate::diagnosis::{Act, Case, Detect, Detection, Page, Risk, Rule, Severity};
use crate::model::Kind;
use crate::model::surroundings::VolumeAttachment;
use crate::snapshot::Absence;
use crate::text::human_age;

pub(super) static RULE: Rule = Rule {
    id: "va-node-gone",
    title: "the volume is attached to a node that no longer exists",
    severity: Severity::Error,
    risk: Risk::Possible,
    reads: &[Kind::Node, Kind::PersistentVolume, Kind::PersistentVolumeClaim, Kind::Pod],
    hinders: &[Act::Detach],
    repairs: &[],
    page: Page {
        seen: "A VolumeAttachment names a node that does not exist. It may be Terminating, with an error in \
               `status.detachError`. Pods that need the volume on other nodes stay in ContainerCreating. Their event \
               `FailedAttachVolume` reports a Multi-Attach error.",
        why: "After a node and its pods are deleted, kube-controller-manager deletes the VolumeAttachments of the \
              node. If the node had reported the volume as in use, kube-controller-manager waits for six minutes \
              first. With `--disable-force-detach-on-timeout` it never detaches such a volume. Then the attacher of \
              the driver has to detach the disk. The attacher takes the id of the machine from the CSINode or from an \
              annotation of the VolumeAttachment, and the driver may fail for a machine that is gone. As long as the \
              VolumeAttachment exists, kube-controller-manager regards the volume as attached, or as perhaps attached \
              if `status.attached` is not true or the controller was started again. A volume that is perhaps attached \
              is given to another node: then only the storage can keep two machines from using the disk.",
        confirm: "kubectl get volumeattachment NAME -o yaml\n\
                  kubectl get node NODE\n\
                  kubectl get csinode NODE",
        repair: "First make sure in the infrastructure that the machine is off or destroyed, and that the disk is \
                 attached to no machine. Then use `kubectl pvctl detach`: it checks that no pod on the node needs the \
                 volume, and deletes the VolumeAttachment, so that the attacher detaches the disk. Remove the \
                 attacher's finalizer only if the VolumeAttachment stays although the disk is detached.",
        prevention: "Drain a node before it is deleted, and stop its machine before the Node object is deleted.",
        hazard: "A machine without a Node object may still run and write. If the disk is then attached to a second \
                 machine, the file system is destroyed.",
        sources: &[
            "nodeDelete and reconcile, attach/detach controller, Kubernetes 1.36",
            "verifyVolumeIsSafeToDetach, operationexecutor, Kubernetes 1.36",
            "csiDetach and getNodeID, external-attacher 4.12",
            "kubernetes/kubernetes#72335",
            "kubernetes-csi/external-attacher#83",
            "kubernetes-csi/external-attacher#215",
        ],
    },
    detect: Detect::Attachment(detect),
};

/// The progress of the detachment.
enum DetachState {
    /// The VolumeAttachment was deleted, and the attacher has not finished.
    Detaching,
    /// The pod with this name waits for the volume on another node.
    Awaited(String),
    /// No pod has been able to use the volume for this number of seconds. The finding has this severity.
    Unused(i64, Severity),
    /// The controller may be about to delete the VolumeAttachment.
    Fresh,
}

fn detect(case: &Case<'_>, attachment: &VolumeAttachment) -> Option<Detection> {
    let node = &attachment.node_name;
    let deleted = attachment.meta.deleted;
    if node.is_empty() || (deleted.is_some() && !lasts(case, deleted, PATIENCE)) {
        return None;
    }
    // If a file has no nodes at all, nodes were probably not saved to it.
    let knows_nodes =
        !case.snapshot().nodes().is_empty() || case.snapshot().coverage().absence(Kind::Node, "") == Absence::Certain;
    if !knows_nodes || !case.lacks(Kind::Node, "", node) || lacks_volume(case, attachment) {
        return None;
    }
    let late = volume_of(case, attachment).and_then(|volume| Some((overdue(case, volume, node)?, volume)));
    let stage = match late {
        _ if deleted.is_some() => DetachState::Detaching,
        Some((Overdue::Awaited(pod), _)) => DetachState::Awaited(format!("{}/{}", pod.meta.namespace, pod.meta.name)),
        Some((Overdue::Unused(seconds), volume)) => DetachState::Unused(seconds, unused_severity(volume)),
        None => DetachState::Fresh,
    };
    let volume = volume_words(attachment);
    let driver = &attachment.attacher;
    let is = if attachment.attached { "is still attached" } else { "may still be attached" };
    let since = match late {
        Some((Overdue::Awaited(pod), _)) if deleted.is_none() => pod.meta.created,
        _ => deleted.or(attachment.meta.created),
    };
    let (message, severity) = match &stage {
        DetachState::Detaching => {
            let said = if attachment.detach_error.is_some() { "reports an error" } else { "has not finished" };
            (
                format!(
                    "{volume} {is} to node {node}, which no longer exists. The detachment was requested \
                     {} ago, and driver {driver} {said}. As long as the VolumeAttachment exists, it can keep the \
                     volume from another node",
                    age(case, deleted)
                ),
                Severity::Error,
            )
        }
        DetachState::Awaited(pod) => (
            format!(
                "{volume} {is} to node {node}, which no longer exists. Pod {pod} waits for that volume \
                 on another node. Nobody has begun to detach it"
            ),
            Severity::Error,
        ),
        DetachState::Unused(seconds, severity) => (
            format!(
                "{volume} {is} to node {node}, which no longer exists. No pod can have used the volume \
                 for {}. Nobody has begun to detach it",
                human_age(*seconds)
            ),
            *severity,
        ),
        DetachState::Fresh => (
            format!(
                "{volume} {is} to node {node}, which no longer exists. This is normal for up to {} after \
                 a node was deleted. If it stays, it can keep the volume from another node",
                human_age(DRAIN)
            ),
            Severity::Info,
        ),
    };
    let found = with_error(with_state(Detection::new(message), attachment), attachment)
        .severity(severity)
        .since(since)
        .remedy(by_hand(format!(
            "first check in the console of the cloud or the storage that machine {node} is off or destroyed, and that the \
             disk is attached to no machine; do not delete the VolumeAttachment before"
        )))
        .remedy(describe(&case.object(), "see what the driver says"));
    Some(if deleted.is_some() {
        found.remedies(give_up(
            attachment,
            format!(
                "as the last resort, once the disk is shown as detached: give up the detachment by {driver} and \
                     remove its finalizer"
            ),
        ))
    } else {
        let does = format!("once you know that the machine is off: let {driver} detach the disk");
        // The verb cannot see which pods need an inline volume.
        let is_inline = attachment.volume_name.is_empty();
        found.remedy(if is_inline { detach(attachment, does) } else { remedy::detach(attachment, does) })
    })
}
