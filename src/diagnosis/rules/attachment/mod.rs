//! Attachments of volumes to nodes, and volumes that wait for them.

crate::diagnosis::rules::section! {
    va_pv_missing,
    va_node_gone,
    va_attach_pv_deleting,
    attacher_refused,
    attach_silent,
    va_detach_error_backend,
    va_stale_no_pod,
    va_double,
    pv_released_delete_stuck_attached,
    pv_released_delete_backend_error,
}

use crate::controllers::VolumeBranch;
use crate::controllers::persistent_volume::reclaim::{DataFate, data_fate};
use crate::diagnosis::case::PATIENCE;
use crate::diagnosis::remedy::{kubectl, quoted};
use crate::diagnosis::{Case, Detection, Remedy, Severity, key};
use crate::model::surroundings::{AttachError, Event, VolumeAttachment};
use crate::model::{
    AccessMode, Kind, ObjectKey, PersistentVolume, Pod, PodPhase, ReclaimPolicy, Str, Timestamp, VolumePhase,
};
use crate::text::{human_age, truncate};
use serde_json::{Value, json};

/// The start of the finalizer by which an attacher keeps an attachment until it is detached; the driver's name follows.
const ATTACHER_PREFIX: &str = "external-attacher/";
/// For so many seconds a volume may stay attached to a node that no longer needs it: kube-controller-manager waits for
/// six minutes until it takes a volume away from a node that does not answer.
const DRAIN: i64 = 600;
/// For so many seconds a call to a driver may last: some attachers are told to wait for twenty minutes.
const LONGEST_CALL: i64 = 1800;
/// How much of what a driver says is shown.
const SHOWN: usize = 200;

/// Whether that moment has passed for so many seconds; where nobody can tell, it has not.
fn lasts(case: &Case<'_>, since: Option<Timestamp>, seconds: i64) -> bool {
    case.seconds_since(since).is_some_and(|passed| passed >= seconds)
}

/// How long ago that was, in words.
fn age(case: &Case<'_>, since: Option<Timestamp>) -> String {
    case.seconds_since(since).map_or_else(|| "some time".to_owned(), human_age)
}

/// The key of an attachment.
fn attachment_key(attachment: &VolumeAttachment) -> ObjectKey {
    key(Kind::VolumeAttachment, "", &attachment.meta.name)
}

/// The finalizer by which its attacher keeps it, if one has taken it on.
fn attachers_finalizer(attachment: &VolumeAttachment) -> Option<&str> {
    attachment.meta.finalizers.iter().map(Str::as_str).find(|name| name.starts_with(ATTACHER_PREFIX))
}

/// The volume that it attaches, as far as that is known.
fn volume_of<'a>(case: &Case<'a>, attachment: &VolumeAttachment) -> Option<&'a PersistentVolume> {
    case.volume(&attachment.volume_name)
}

/// What it attaches, in words.
fn volume_words(attachment: &VolumeAttachment) -> String {
    match attachment.volume_name.as_str() {
        "" => "an inline volume".to_owned(),
        name => format!("volume {name}"),
    }
}

/// The volume that it names and that does not exist.
fn lacks_volume(case: &Case<'_>, attachment: &VolumeAttachment) -> bool {
    !attachment.volume_name.is_empty() && case.lacks(Kind::PersistentVolume, "", &attachment.volume_name)
}

/// The volume for whose deletion the attacher refuses to attach it. An attacher that began before the volume was
/// deleted may still come to an end, so that only its word counts then. Upstream: `csiAttach`, external-attacher.
fn refused_for_deletion<'a>(case: &Case<'a>, attachment: &VolumeAttachment) -> Option<&'a PersistentVolume> {
    if attachment.attached || attachment.meta.deleted.is_some() {
        return None;
    }
    let volume = volume_of(case, attachment).filter(|volume| volume.terminating())?;
    let said = |error: &AttachError| error.message.contains("marked for deletion");
    let came_later = attachment.meta.created.is_some_and(|created| Some(created) > volume.meta.deleted);
    (attachment.attach_error.as_ref().is_some_and(said) || came_later).then_some(volume)
}

/// Whether the attacher says that the API server refuses what it writes. Upstream: `csiAttach` and `csiDetach`,
/// external-attacher; with whatever else it cannot do, the driver is concerned.
fn is_refusal(error: &AttachError) -> bool {
    let writes = ["could not add PersistentVolume finalizer", "could not save VolumeAttachment", "could not mark as"];
    writes.iter().any(|write| error.message.starts_with(*write)) && error.message.contains("forbidden")
}

/// What keeps a storage system from doing what it is told, by what is well known of its words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Obstacle {
    /// Snapshots or clones rest on it.
    Dependents,
    /// The driver may not.
    Denied,
    /// Somebody uses it.
    InUse,
    /// It does not answer in time.
    Unreachable,
    /// It knows nothing of it.
    Unknown,
    /// Something else.
    Other,
}

impl Obstacle {
    fn of(message: &str) -> Self {
        let message = message.to_ascii_lowercase();
        let says = |words: &[&str]| words.iter().any(|word| message.contains(word));
        if says(&["snapshots", "has snapshot", "dependent", "depends on", "children", "clones"]) {
            Self::Dependents
        } else if says(&[
            "permissiondenied",
            "permission denied",
            "unauthorized",
            "unauthenticated",
            "access denied",
            "accessdenied",
            "not authorized",
            "forbidden",
        ]) {
            Self::Denied
        } else if says(&["in use", "in-use", "inuse", "watchers", "busy", "still attached", "is attached"]) {
            Self::InUse
        } else if says(&["deadline", "timed out", "timeout", "unavailable", "connection refused", "no route to host"]) {
            Self::Unreachable
        } else if says(&["not found", "notfound", "error 404", "code 404", "status 404", "does not exist"]) {
            Self::Unknown
        } else {
            Self::Other
        }
    }
}

/// Whether only one node at a time can have the volume. Upstream: `IsMultiAttachAllowed`, `pkg/volume/util`, 1.36.
fn is_exclusive(volume: &PersistentVolume) -> bool {
    let shared = |mode: &AccessMode| matches!(mode, AccessMode::ReadWriteMany | AccessMode::ReadOnlyMany);
    !volume.access_modes.is_empty() && !volume.access_modes.0.iter().any(shared)
}

/// The pods that name the volume's claim, as far as they are known.
fn pods_of<'a>(case: &Case<'a>, volume: &PersistentVolume) -> Vec<&'a Pod> {
    let Some(named) = &volume.claim_ref else { return Vec::new() };
    case.snapshot().pods_of(&named.namespace, &named.name).collect()
}

/// Whether the claim that the volume names lives, as far as that is known.
fn is_held(case: &Case<'_>, volume: &PersistentVolume) -> bool {
    let Some(named) = &volume.claim_ref else { return false };
    case.claim(&named.namespace, &named.name).is_some_and(|claim| claim.meta.uid == named.uid)
}

/// Why an attachment to a node is more than what remains for a moment.
#[derive(Clone, Copy, Debug)]
enum Overdue<'a> {
    /// This pod was put on another node and waits for the volume.
    Awaited(&'a Pod),
    /// The volume has been in its phase, in which no pod can use it, for so many seconds.
    Unused(i64),
}

/// Whether a volume should have left that node long ago, where something tells that.
fn overdue<'a>(case: &Case<'a>, volume: &PersistentVolume, node: &str) -> Option<Overdue<'a>> {
    match volume.status.phase {
        VolumePhase::Bound => {
            if !is_exclusive(volume) || !is_held(case, volume) {
                return None;
            }
            let has = |node: &str| {
                let mut attachments = case.snapshot().attachments_of(&volume.meta.name);
                attachments.any(|attachment| attachment.attached && attachment.node_name == node)
            };
            let waits = |pod: &&Pod| {
                !pod.node_name.is_empty()
                    && pod.node_name != node
                    && pod.phase == PodPhase::Pending
                    && pod.meta.deleted.is_none()
                    && lasts(case, pod.meta.created, DRAIN)
                    && !has(&pod.node_name)
            };
            pods_of(case, volume).into_iter().find(waits).map(Overdue::Awaited)
        }
        VolumePhase::Released | VolumePhase::Failed | VolumePhase::Available => {
            if is_held(case, volume) {
                return None;
            }
            let seconds = case.seconds_since(volume.status.last_phase_transition)?;
            (seconds >= DRAIN).then_some(Overdue::Unused(seconds))
        }
        VolumePhase::Empty | VolumePhase::Pending | VolumePhase::Other(_) => None,
    }
}

/// How bad it is that a volume that no pod can use stays attached: one that is being deleted cannot go.
fn unused_severity(volume: &PersistentVolume) -> Severity {
    if volume.terminating() { Severity::Error } else { Severity::Warning }
}

/// For how many seconds a volume whose claim is gone has waited for its driver to delete it. Beside a new claim of the
/// same name it is that claim which matters, and a volume that is being deleted is another section's.
fn awaits_deletion(case: &Case<'_>, volume: &PersistentVolume, seconds: i64) -> Option<i64> {
    if volume.reclaim_policy != ReclaimPolicy::Delete
        || volume.status.phase != VolumePhase::Released
        || volume.terminating()
    {
        return None;
    }
    let lasted = case.seconds_since(volume.status.last_phase_transition).filter(|passed| *passed >= seconds)?;
    if data_fate(case.behavior(), volume) != DataFate::HandedToDriver {
        return None;
    }
    let gone = matches!(case.volume_branch()?, VolumeBranch::VolumeClaimMissing | VolumeBranch::VolumeSurplusDynamic);
    gone.then_some(lasted)
}

/// What the attachment says of itself.
fn with_state(found: Detection, attachment: &VolumeAttachment) -> Detection {
    let object = attachment_key(attachment);
    let found = found
        .evidence(&object, "spec.nodeName", attachment.node_name.as_str())
        .evidence(&object, "spec.source.persistentVolumeName", attachment.volume_name.as_str())
        .evidence(&object, "status.attached", attachment.attached.to_string());
    match attachment.meta.deleted {
        Some(deleted) => found.evidence(&object, "metadata.deletionTimestamp", deleted.to_string()),
        None => found,
    }
}

/// What the attacher says.
fn with_error(found: Detection, attachment: &VolumeAttachment) -> Detection {
    let object = attachment_key(attachment);
    let shown = |error: &AttachError| truncate(&error.message, SHOWN).into_owned();
    match (&attachment.detach_error, &attachment.attach_error) {
        (Some(error), _) if attachment.meta.deleted.is_some() => {
            found.evidence(&object, "status.detachError.message", shown(error))
        }
        (_, Some(error)) => found.evidence(&object, "status.attachError.message", shown(error)),
        (_, None) => found,
    }
}

/// The newest event that says that deleting this volume failed, since its claim is gone.
pub(super) fn deletion_failure<'a>(case: &Case<'a>, volume: &PersistentVolume) -> Option<&'a Event> {
    let mut events = case.snapshot().events_about(&case.object(), &volume.meta.uid);
    events.find(|event| event.reason == "VolumeFailedDelete" && event.last_seen >= volume.status.last_phase_transition)
}

/// Deletes an attachment, which has the attacher detach the volume, if it is still this one: a volume that comes back
/// to the node gets an attachment of the same name. Upstream: `getAttachmentName`, `pkg/volume/csi`, 1.36.
fn detach(attachment: &VolumeAttachment, does: impl Into<String>) -> Remedy {
    let body = json!({
        "apiVersion": "v1", "kind": "DeleteOptions", "preconditions": { "uid": attachment.meta.uid },
    });
    let path = quoted(&format!("/apis/storage.k8s.io/v1/volumeattachments/{}", attachment.meta.name));
    let deletes = kubectl(format!("delete --raw {path} -f -"), does);
    Remedy { command: format!("echo {} | {}", quoted(&body.to_string()), deletes.command), ..deletes }
}

/// Takes the attacher's finalizer away, if it is still at its place.
fn give_up(attachment: &VolumeAttachment, does: impl Into<String>) -> Option<Remedy> {
    let finalizer = attachers_finalizer(attachment)?;
    let place = attachment.meta.finalizers.iter().position(|present| present == finalizer)?;
    let path = format!("/metadata/finalizers/{place}");
    let steps: Vec<Value> = [("/metadata/uid", attachment.meta.uid.as_str()), (path.as_str(), finalizer)]
        .into_iter()
        .filter(|(_, value)| !value.is_empty())
        .map(|(path, value)| json!({ "op": "test", "path": path, "value": value }))
        .chain([json!({ "op": "remove", "path": path })])
        .collect();
    let steps = Value::Array(steps).to_string();
    let name = quoted(&attachment.meta.name);
    Some(kubectl(format!("patch volumeattachment {name} --type=json -p {}", quoted(&steps)), does))
}
