//! Attachments of volumes to nodes, and volumes that wait for an attachment or a detachment.

crate::diagnosis::rules::section! {
    va_pv_missing,
    va_node_gone,
    va_attach_pv_deleting,
    attacher_refused,
    attach_silent,
    attach_backend_missing,
    attach_limit,
    csi_driver_not_on_node,
    node_replaced_same_name,
    va_attach_error_backend,
    va_detach_error_backend,
    va_stale_no_pod,
    va_double,
    node_out_of_service_ready,
    node_shutdown_fencing,
    multi_attach,
    pv_released_delete_stuck_attached,
    pv_released_delete_backend_error,
}

pub(super) use csi_driver_not_on_node::missing_driver;

use crate::controllers::VolumeBranch;
use crate::controllers::persistent_volume::reclaim::{DataFate, data_fate};
use crate::diagnosis::case::PATIENCE;
use crate::diagnosis::case::volume_key;
use crate::diagnosis::mention::mention;
use crate::diagnosis::pod::facts::is_exclusive;
use crate::diagnosis::remedy::{kubectl, quoted, remove_finalizer};
use crate::diagnosis::{Case, Detection, Remedy, Severity, key};
use crate::model::surroundings::{AttachError, Event, VolumeAttachment};
use crate::model::{Kind, ObjectKey, PersistentVolume, Pod, PodPhase, ReclaimPolicy, Str, Timestamp, VolumePhase};
use crate::text::{human_age, truncate};
use serde_json::json;

/// The prefix of the finalizer by which an attacher keeps an attachment until the volume is detached. The driver's name
/// follows.
const ATTACHER_PREFIX: &str = "external-attacher/";
/// The number of seconds for which a volume may stay attached to a node that no longer needs it.
/// kube-controller-manager waits for six minutes before it detaches a volume from a node that does not answer.
const DRAIN: i64 = 600;
/// The number of seconds that a call to a driver may last. Some attachers are configured to wait for 20 minutes.
const LONGEST_CALL: i64 = 1800;
/// The maximum length of a driver's message that is shown, in terminal columns.
const SHOWN: usize = 200;

/// Returns whether at least that number of seconds has passed since the moment. The answer is false if the time is
/// unknown.
fn lasts(case: &Case<'_>, since: Option<Timestamp>, seconds: i64) -> bool {
    case.seconds_since(since).is_some_and(|passed| passed >= seconds)
}

/// Returns in words how long ago the moment was, or `some time` if this is unknown.
fn age(case: &Case<'_>, since: Option<Timestamp>) -> String {
    case.seconds_since(since).map_or_else(|| "some time".to_owned(), human_age)
}

/// Returns the remedy for a node whose machine is off: a taint that lets its volumes be detached.
fn out_of_service(node: &str) -> Remedy {
    kubectl(
        format!("taint nodes {} node.kubernetes.io/out-of-service=nodeshutdown:NoExecute", quoted(node)),
        format!(
            "if the machine of {node} is certainly off: this taint lets its pods be deleted and its volumes be detached; \
             remove the taint when the node is back; if the machine still runs, data can be destroyed"
        ),
    )
}

/// Returns the key of an attachment.
fn attachment_key(attachment: &VolumeAttachment) -> ObjectKey {
    key(Kind::VolumeAttachment, "", &attachment.meta.name)
}

/// Returns the attacher's finalizer, if the attachment has it.
fn attachers_finalizer(attachment: &VolumeAttachment) -> Option<&str> {
    attachment.meta.finalizers.iter().map(Str::as_str).find(|name| name.starts_with(ATTACHER_PREFIX))
}

/// Returns the volume that the attachment names, if it is known.
fn volume_of<'a>(case: &Case<'a>, attachment: &VolumeAttachment) -> Option<&'a PersistentVolume> {
    case.volume(&attachment.volume_name)
}

/// Returns words that name the volume of the attachment.
fn volume_words(attachment: &VolumeAttachment) -> String {
    match attachment.volume_name.as_str() {
        "" => "an inline volume".to_owned(),
        name => mention(&volume_key(name)),
    }
}

/// Returns whether the attachment names a volume that does not exist.
fn lacks_volume(case: &Case<'_>, attachment: &VolumeAttachment) -> bool {
    !attachment.volume_name.is_empty() && case.lacks(Kind::PersistentVolume, "", &attachment.volume_name)
}

/// Returns the volume if the attacher refuses to attach it because it is being deleted. If the attachment is older than
/// the deletion, the attacher may still succeed. Then only its error message proves that it refuses. Upstream:
/// `csiAttach`, external-attacher.
fn refused_for_deletion<'a>(case: &Case<'a>, attachment: &VolumeAttachment) -> Option<&'a PersistentVolume> {
    if attachment.attached || attachment.meta.deleted.is_some() {
        return None;
    }
    let volume = volume_of(case, attachment).filter(|volume| volume.terminating())?;
    let said = |error: &AttachError| error.message.contains("marked for deletion");
    let came_later = attachment.meta.created.is_some_and(|created| Some(created) > volume.meta.deleted);
    (attachment.attach_error.as_ref().is_some_and(said) || came_later).then_some(volume)
}

/// Returns whether the attacher's error says that the API server refuses what the attacher writes. An error of the
/// driver can contain the word `forbidden` as well, so the beginning of the message is compared, too. Upstream:
/// `csiAttach` and `csiDetach`, external-attacher.
fn is_refusal(error: &AttachError) -> bool {
    let writes = ["could not add PersistentVolume finalizer", "could not save VolumeAttachment", "could not mark as"];
    writes.iter().any(|write| error.message.starts_with(*write)) && error.message.contains("forbidden")
}

/// The reason why a storage system does not do what is requested, recognized by well-known words in its message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Obstacle {
    /// Snapshots or clones depend on the storage.
    Dependents,
    /// The driver does not have the permission.
    Denied,
    /// The storage is in use.
    InUse,
    /// The storage system does not answer in time.
    Unreachable,
    /// The storage system does not know the storage.
    Unknown,
    /// The message has no well-known words.
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
        } else if says(&[
            "in use",
            "in-use",
            "in_use",
            "inuse",
            "being used",
            "watchers",
            "busy",
            "still attached",
            "is attached",
        ]) {
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

/// Returns the known pods that use the claim in the volume's `claimRef`.
fn pods_of<'a>(case: &Case<'a>, volume: &PersistentVolume) -> Vec<&'a Pod> {
    let Some(named) = &volume.claim_ref else { return Vec::new() };
    case.snapshot().pods_of(&named.namespace, &named.name).collect()
}

/// Returns whether the claim with the uid in the volume's `claimRef` is known to exist.
fn is_held(case: &Case<'_>, volume: &PersistentVolume) -> bool {
    let Some(named) = &volume.claim_ref else { return false };
    case.claim(&named.namespace, &named.name).is_some_and(|claim| claim.meta.uid == named.uid)
}

/// The reason why an attachment should have ended long ago.
#[derive(Clone, Copy, Debug)]
enum Overdue<'a> {
    /// This pod was scheduled to another node and waits for the volume.
    Awaited(&'a Pod),
    /// No pod can use the volume in its phase, and it has had this phase for this number of seconds.
    Unused(i64),
}

/// Returns why the volume should have been detached from that node long ago. Returns None if nothing proves this.
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

/// Returns the severity of a finding about a volume that no pod can use and that is still attached. If the volume is
/// being deleted, the attachment blocks the deletion.
fn unused_severity(volume: &PersistentVolume) -> Severity {
    if volume.terminating() { Severity::Error } else { Severity::Warning }
}

/// Returns for how many seconds a volume whose claim is gone, or has another volume, has waited for its driver to
/// delete it. Returns None if this is less than the given number. Returns None if a new claim of the same name exists,
/// or if the volume is being deleted, because rules of other sections report these volumes.
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

/// Adds the state of the attachment as evidence.
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

/// Adds the error of the attacher as evidence.
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

/// Returns the newest event that reports a failed deletion of this volume since its last change of phase.
pub(super) fn deletion_failure<'a>(case: &Case<'a>, volume: &PersistentVolume) -> Option<&'a Event> {
    let mut events = case.snapshot().events_about(&case.object(), &volume.meta.uid);
    events.find(|event| event.reason == "VolumeFailedDelete" && event.last_seen >= volume.status.last_phase_transition)
}

/// Creates a remedy that deletes an attachment, so that the attacher detaches the volume. The command has the uid as a
/// precondition, because a volume that is attached to the node again gets an attachment of the same name. Upstream:
/// `getAttachmentName`, `pkg/volume/csi`, 1.36.
fn detach(attachment: &VolumeAttachment, does: impl Into<String>) -> Remedy {
    let body = json!({
        "apiVersion": "v1", "kind": "DeleteOptions", "preconditions": { "uid": attachment.meta.uid },
    });
    let path = quoted(&format!("/apis/storage.k8s.io/v1/volumeattachments/{}", attachment.meta.name));
    let deletes = kubectl(format!("delete --raw {path} -f -"), does);
    Remedy { command: format!("echo {} | {}", quoted(&body.to_string()), deletes.command), ..deletes }
}

/// Creates a remedy that removes the attacher's finalizer, if the finalizer is still at the same index.
fn give_up(attachment: &VolumeAttachment, does: impl Into<String>) -> Option<Remedy> {
    let finalizer = attachers_finalizer(attachment)?;
    let target = format!("volumeattachment {}", quoted(&attachment.meta.name));
    remove_finalizer(&target, &attachment.meta, finalizer, does)
}
