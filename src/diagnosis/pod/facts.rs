//! Facts about a pod and the volumes that it uses, as objects record them.

use crate::controllers::KubernetesBehavior;
use crate::controllers::attach_detach;
use crate::controllers::persistent_volume::reclaim::migrated_to;
use crate::diagnosis::key;
use crate::diagnosis::mention::volume_of;
use crate::model::surroundings::Event;
use crate::model::{
    ContainerState, CsiDriver, Kind, ObjectKey, PersistentVolume, PersistentVolumeClaim, Pod, PodPhase, SourceKind,
    Str, Timestamp, VolumeAttachment, VolumePhase, VolumeUse,
};
use crate::snapshot::{Absence, Snapshot};

/// The types of in-tree volumes that are attached to a node although no CSI driver handles them. Upstream:
/// `FindAttachablePluginBySpec`, 1.36.
const ATTACHED_IN_TREE: [&str; 3] = ["fc", "flexVolume", "iscsi"];

/// A volume of a pod that uses a claim.
#[derive(Clone, Copy, Debug)]
pub struct UsedClaim<'p> {
    /// The name of the volume in the pod.
    pub volume: &'p Str,
    /// The name of the claim.
    pub claim: &'p Str,
    /// How the containers use the volume.
    pub used: VolumeUse,
    /// Whether this is a generic ephemeral volume. Kubernetes creates the claim of such a volume for the pod.
    pub is_ephemeral: bool,
}

impl UsedClaim<'_> {
    /// Mentions the volume by the name of its claim, because people know the claim better.
    pub fn volume_words(&self, snapshot: &Snapshot, pod: &Pod) -> String {
        let claim = key(Kind::PersistentVolumeClaim, &pod.meta.namespace, self.claim);
        let volume = bound(snapshot, &pod.meta.namespace, self.claim).map(|(_, volume)| volume.meta.name.as_str());
        volume_of(&claim, volume.unwrap_or_default())
    }
}

/// Whether a volume has to be attached to a node before it can be mounted there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Attaching {
    /// The volume needs no attachment.
    NotNeeded,
    /// An attacher has to attach the volume, and a VolumeAttachment records it.
    Recorded,
    /// kube-controller-manager attaches the volume, and only the status of the node records it.
    OnNode,
    /// It is unknown, because the CSIDriver was not read.
    Unknown,
}

/// Returns the volumes of the pod that use claims.
pub fn used_claims(pod: &Pod) -> impl Iterator<Item = UsedClaim<'_>> + Clone {
    let named = pod.claims.iter().map(|volume| UsedClaim {
        volume: &volume.name,
        claim: &volume.claim,
        used: volume.used,
        is_ephemeral: false,
    });
    let ephemeral = pod.ephemeral.iter().map(|volume| UsedClaim {
        volume: &volume.name,
        claim: &volume.template.meta.name,
        used: volume.used,
        is_ephemeral: true,
    });
    named.chain(ephemeral)
}

/// Returns the key of a pod.
pub fn pod_key(pod: &Pod) -> ObjectKey {
    key(Kind::Pod, &pod.meta.namespace, &pod.meta.name)
}

/// Returns whether the scheduler still has to select a node for the pod.
pub fn is_unscheduled(pod: &Pod) -> bool {
    pod.node_name.is_empty() && pod.meta.deleted.is_none() && !pod.terminated()
}

/// Returns whether the pod has a node, has not ended, and does not show yet that its volumes have been mounted.
/// [`has_mounted`] says how a pod shows this.
pub fn is_starting(pod: &Pod) -> bool {
    !pod.node_name.is_empty() && !pod.terminated() && !has_mounted(pod)
}

/// Returns the node of the pod if this node certainly does not exist. Then nothing reports any more what the pod does.
pub fn gone_node<'p>(snapshot: &Snapshot, pod: &'p Pod) -> Option<&'p str> {
    let node = pod.node_name.as_str();
    let is_absent = || snapshot.coverage().absence_of(Kind::Node, "", node) == Absence::Certain;
    (!node.is_empty() && snapshot.node(node).is_none() && is_absent()).then_some(node)
}

/// Returns whether the status of the pod shows that all its volumes have been mounted: a container has started or waits
/// for its image, or the pod has a sandbox. The kubelet makes the sandbox after it has mounted all volumes, and pulls
/// the images then. After a restart of the node, the pod has no sandbox, and the kubelet mounts the volumes again. The
/// phase stays Running, and the containers are shown as ended. Upstream: `SyncPod` and `getPhase`, `pkg/kubelet`, 1.36.
pub fn has_mounted(pod: &Pod) -> bool {
    let has_ended = |status: &crate::model::ContainerStatus| matches!(status.state, ContainerState::Terminated { .. });
    if pod.phase == PodPhase::Succeeded || pod.running_container {
        return true;
    }
    if pod.terminated() {
        return pod.containers.iter().any(has_ended);
    }
    match pod.condition("PodReadyToStartContainers").map(|condition| condition.status.as_str()) {
        Some("True") => true,
        Some("False") => false,
        _ => pod.phase == PodPhase::Running || pod.containers.iter().any(has_ended) || blocked_container(pod).is_some(),
    }
}

/// Returns the claim and the volume that it is bound to. Returns None if one of them was not read, or if they are not
/// bound to each other.
pub fn bound<'s>(
    snapshot: &'s Snapshot,
    namespace: &str,
    claim: &str,
) -> Option<(&'s PersistentVolumeClaim, &'s PersistentVolume)> {
    let claim = snapshot.claim(snapshot.claim_id(namespace, claim)?);
    let volume = snapshot.volume(snapshot.volume_id(&claim.volume_name)?);
    let is_named = volume.claim_ref.as_ref().is_some_and(|named| named.uid == claim.meta.uid);
    (is_named && volume.status.phase == VolumePhase::Bound).then_some((claim, volume))
}

/// Returns whether the volume can be attached to only one node at a time.
pub fn is_exclusive(volume: &PersistentVolume) -> bool {
    attach_detach::is_exclusive(&volume.access_modes)
}

/// Returns the CSI driver that mounts the volume: the one that the volume names, or the one to which the volume is
/// migrated. Returns None for a volume of any other kind.
pub fn driver<'v>(behavior: &KubernetesBehavior, volume: &'v PersistentVolume) -> Option<&'v str> {
    match volume.source.kind {
        SourceKind::Csi => Some(volume.source.detail.as_str()),
        _ => migrated_to(behavior, volume).or_else(|| attach_detach::migrated_driver(behavior, volume)),
    }
}

/// Returns whether the volume has to be attached. If the driver has no CSIDriver object, its volumes have to be
/// attached. Upstream: `skipAttach`, `pkg/volume/csi`, 1.36.
pub fn attaching(snapshot: &Snapshot, behavior: &KubernetesBehavior, volume: &PersistentVolume) -> Attaching {
    if let Some(driver) = driver(behavior, volume) {
        return match snapshot.find::<CsiDriver>("", driver) {
            Some(driver) if driver.attach_required => Attaching::Recorded,
            Some(_) => Attaching::NotNeeded,
            None if snapshot.attachments_of(&volume.meta.name).next().is_some() => Attaching::Recorded,
            None => match snapshot.coverage().absence_of(Kind::CsiDriver, "", driver) {
                Absence::Certain | Absence::Assumed => Attaching::Recorded,
                Absence::Unknown(_) => Attaching::Unknown,
            },
        };
    }
    if ATTACHED_IN_TREE.contains(&volume.source.kind.as_str()) { Attaching::OnNode } else { Attaching::NotNeeded }
}

/// Returns the VolumeAttachment of the volume to the node.
pub fn attachment<'s>(snapshot: &'s Snapshot, volume: &str, node: &str) -> Option<&'s VolumeAttachment> {
    snapshot.attachments_of(volume).find(|attachment| attachment.node_name == node)
}

/// Returns the message of the scheduler about a pod that it could not place, and the moment since which the pod waits.
/// If only an event has the message, this moment is the creation of the pod. Returns None if the pod does not wait for
/// a node, or if no message is known.
pub fn unschedulable<'s>(snapshot: &'s Snapshot, pod: &'s Pod) -> Option<(&'s str, Option<Timestamp>)> {
    if !is_unscheduled(pod) {
        return None;
    }
    let condition = pod.condition("PodScheduled").filter(|condition| condition.status == "False");
    if let Some(condition) = condition.filter(|condition| !condition.message.is_empty()) {
        return Some((&condition.message, condition.since));
    }
    newest(snapshot, pod, |event| event.reason == "FailedScheduling")
        .map(|event| (event.message.as_str(), pod.meta.created))
}

/// Returns the newest event in which the kubelet says that a volume of the pod could not be mounted. Returns None
/// unless the pod is starting.
pub fn mount_failure<'s>(snapshot: &'s Snapshot, pod: &Pod) -> Option<&'s Event> {
    const REASONS: [&str; 4] =
        ["FailedMount", "FailedMapVolume", "VolumePermissionChangeInProgress", "FailedMountOnFilesystemMismatch"];
    if !is_starting(pod) {
        return None;
    }
    // A message with the cause is better than a message that only lists the volumes that are not mounted.
    let is_cause = |event: &Event| !is_summary(&event.message);
    let is_mount = |event: &Event| REASONS.contains(&event.reason.as_str());
    newest(snapshot, pod, |event| is_mount(event) && is_cause(event)).or_else(|| newest(snapshot, pod, is_mount))
}

/// Returns whether the message only lists the volumes that are not mounted yet. Upstream: `WaitForAttachAndMount`,
/// `pkg/kubelet/volumemanager`, 1.36.
pub fn is_summary(message: &str) -> bool {
    message.contains("unmounted volumes=")
}

/// Returns the newest event in which the attach/detach controller says that a volume of the pod could not be attached.
/// Returns None unless the pod is starting.
pub fn attach_failure<'s>(snapshot: &'s Snapshot, pod: &Pod) -> Option<&'s Event> {
    if !is_starting(pod) {
        return None;
    }
    newest(snapshot, pod, |event| event.reason == "FailedAttachVolume")
}

/// Returns whether an event of the kubelet or the attach/detach controller is about this volume of the pod. The kubelet
/// names the volume of the pod or the PersistentVolume in quotation marks. A summary lists the names.
pub fn is_about_volume(message: &str, volume: &str, persistent: &str) -> bool {
    let is_quoted = |name: &str| !name.is_empty() && message.contains(&format!("\"{name}\""));
    let listed = message.split_once("unmounted volumes=[").and_then(|(_, rest)| rest.split_once(']'));
    is_quoted(volume)
        || is_quoted(persistent)
        || listed.is_some_and(|(names, _)| names.split([' ', ',']).any(|name| name == volume))
}

/// Returns the newest matching event about the pod.
pub fn newest<'s>(snapshot: &'s Snapshot, pod: &Pod, matches: impl Fn(&Event) -> bool) -> Option<&'s Event> {
    newest_about(snapshot, &pod_key(pod), matches)
}

/// Returns the newest matching event about the object.
pub fn newest_about<'s>(
    snapshot: &'s Snapshot,
    object: &ObjectKey,
    matches: impl Fn(&Event) -> bool,
) -> Option<&'s Event> {
    let uid = snapshot.object_id(object).map(|id| snapshot.meta(id).uid.clone()).unwrap_or_default();
    // The events are sorted, the newest first.
    snapshot.events_about(object, &uid).find(|event| matches(event))
}

/// Returns a container that waits until a person acts, with the reason and the message.
pub fn blocked_container(pod: &Pod) -> Option<(&Str, &str, &str)> {
    const BY_PERSON: [&str; 8] = [
        "CrashLoopBackOff",
        "CreateContainerConfigError",
        "CreateContainerError",
        "ErrImageNeverPull",
        "ErrImagePull",
        "ImagePullBackOff",
        "InvalidImageName",
        "RunContainerError",
    ];
    pod.containers.iter().find_map(|status| match &status.state {
        ContainerState::Waiting { reason, message } if BY_PERSON.contains(&reason.as_str()) => {
            Some((&status.name, reason.as_str(), message.as_str()))
        }
        _ => None,
    })
}
