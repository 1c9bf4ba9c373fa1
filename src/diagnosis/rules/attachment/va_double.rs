//! This rule reports a volume that is attached to two nodes although its access modes allow only one.

use super::{attachment_key, is_exclusive, pods_of};
use crate::diagnosis::mention::mention;
use crate::diagnosis::misfit::modes;
use crate::diagnosis::pod::facts::pod_key;
use crate::diagnosis::remedy::{by_hand, kubectl, quoted};
use crate::diagnosis::{Case, Detect, Detection, Page, Risk, Rule, Severity};
use crate::model::surroundings::VolumeAttachment;
use crate::model::{Kind, PersistentVolume, Pod, SourceKind, VolumePhase};

pub(super) static RULE: Rule = Rule {
    id: "va-double",
    title: "a volume for one node is attached to two nodes",
    severity: Severity::Error,
    risk: Risk::Possible,
    reads: &[Kind::VolumeAttachment, Kind::Pod],
    hinders: &[],
    repairs: &[],
    page: Page {
        seen: "Two VolumeAttachments of one volume say `attached: true` for different nodes, and the volume has no \
               other access modes than ReadWriteOnce and ReadWriteOncePod.",
        why: "kube-controller-manager attaches such a volume to a second node only when it does not know that the first \
              node has it: after a detachment that failed or timed out, or after a restart, if the first node is gone. \
              There are other causes, too: a person created a VolumeAttachment or removed its finalizer, the driver \
              reported a wrong state of the disk, or the access modes of the volume were changed while it was \
              attached.",
        confirm: "kubectl get volumeattachments -o \
                  custom-columns='NAME:.metadata.name,VOLUME:.spec.source.persistentVolumeName,NODE:.spec.nodeName,\
                  ATTACHED:.status.attached' | grep VOLUME\n\
                  kubectl get pods -n NAMESPACE -o wide",
        repair: "Find out at the storage system which node really has the disk, and which one writes. Stop the pods on \
                 the other node, and wait until its VolumeAttachment is gone. Then check the file system.",
        prevention: "If several nodes have to use a volume, give it the access mode ReadWriteMany, and choose a driver \
                     that supports this mode.",
        hazard: "Two nodes that write to one ordinary file system destroy it. Deleting pods or VolumeAttachments by \
                 force makes it worse, because the volume stays mounted.",
        sources: &[
            "IsMultiAttachAllowed, pkg/volume/util, Kubernetes 1.36",
            "attachDesiredVolumes, attach/detach controller, Kubernetes 1.36",
        ],
    },
    detect: Detect::Volume(detect),
};

fn detect(case: &Case<'_>, volume: &PersistentVolume) -> Option<Detection> {
    if !is_exclusive(volume) {
        return None;
    }
    let snapshot = case.snapshot();
    // The same storage can have several volumes. The first of them reports what is wrong.
    let shared = case.survey().sharing(volume).iter().map(|id| snapshot.volume(*id));
    let same: Vec<&PersistentVolume> = std::iter::once(volume)
        .chain(shared.filter(|other| other.meta.name != volume.meta.name && is_exclusive(other)))
        .collect();
    if same.iter().any(|other| other.meta.name < volume.meta.name) {
        return None;
    }
    let of_disk = same.iter().flat_map(|same| snapshot.attachments_of(&same.meta.name));
    let mut attached: Vec<&VolumeAttachment> = of_disk.filter(|attachment| attachment.attached).collect();
    attached.sort_by_key(|attachment| (attachment.meta.created, &attachment.node_name));
    let Some(first) = attached.first() else {
        if volume.source.kind == SourceKind::Csi && volume.status.phase == VolumePhase::Bound {
            case.knows_all(Kind::VolumeAttachment, "");
        }
        return None;
    };
    let second = attached.iter().find(|other| other.node_name != first.node_name)?;
    let pods: Vec<&Pod> = same.iter().flat_map(|same| pods_of(case, same)).collect();
    let users = |node: &str| {
        let here: Vec<&str> =
            pods.iter().filter(|pod| pod.node_name == node).map(|pod| pod.meta.name.as_str()).collect();
        match here.as_slice() {
            [] => format!("node {node} (no pod known there)"),
            [pod] => format!("node {node} (pod {pod})"),
            [pod, more @ ..] => format!("node {node} (pod {pod} and {} more)", more.len()),
        }
    };
    let message = format!(
        "{} is attached to two nodes at once, although its access modes ({}) allow only one. If both nodes write, its file \
         system is corrupted. It is attached to {} and {}",
        mention(&case.object()),
        modes(&volume.access_modes),
        users(&first.node_name),
        users(&second.node_name)
    );
    let mut found = Detection::new(message).since(second.meta.created).evidence(
        &case.object(),
        "spec.accessModes",
        modes(&volume.access_modes),
    );
    for attachment in &attached {
        let object = attachment_key(attachment);
        found = found.evidence(&object, "spec.nodeName", attachment.node_name.as_str()).evidence(
            &object,
            "status.attached",
            "true",
        );
    }
    // The pods run, and their data are in danger.
    let is_attached = |pod: &&&Pod| attached.iter().any(|attachment| attachment.node_name == pod.node_name);
    let found = pods.iter().filter(is_attached).fold(found, |found, pod| found.affects(pod_key(pod)));
    let namespace = volume.claim_ref.as_ref().map(|named| named.namespace.as_str()).unwrap_or_default();
    let found = if namespace.is_empty() {
        found
    } else {
        found.remedy(kubectl(
            format!("get pods -n {} -o wide", quoted(namespace)),
            "see which pods use the volume on which node, and which of them writes",
        ))
    };
    Some(
        found
            .remedy(by_hand(
                "see at the storage system which node really has the disk; stop the pods on the other node without \
                 force, and wait until its VolumeAttachment is gone",
            ))
            .remedy(by_hand("check the file system before anybody relies on it again")),
    )
}
