//! What other components have said about an object and the objects around it: events, and messages in a status.

use crate::diagnosis::case::volume_key;
use crate::diagnosis::{key, members};
use crate::model::surroundings::{AttachError, Event};
use crate::model::{
    ClaimPhase, ContainerState, Kind, Node, ObjectId, ObjectKey, PersistentVolumeClaim, Pod, PodPhase, Timestamp,
    TypedId, VolumeAttachment, VolumePhase,
};
use crate::snapshot::Snapshot;
use crate::text::sanitize;
use std::collections::BTreeSet;

/// Something that a component has said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Said {
    /// The object that the message is about.
    pub about: ObjectKey,
    /// The component. It is empty if the object does not state it.
    pub source: String,
    /// The reason of the event, or the field that has the message.
    pub reason: String,
    /// The whole message on one line, without control characters.
    pub message: String,
    /// How often it was said.
    pub count: u64,
    /// When it was said the last time.
    pub last: Option<Timestamp>,
    /// Whether a later change shows that the message does not hold any more. Such a message is not the cause.
    pub is_void: bool,
}

/// Returns the newest warning of each source about the object and the objects around it, and the messages in the status
/// of these objects. Messages that still hold come first. Otherwise newer messages come before older ones.
pub(super) fn about(snapshot: &Snapshot, object: &ObjectKey) -> Vec<Said> {
    let mut all: Vec<Said> = Vec::new();
    for related in around(snapshot, object) {
        let uid = snapshot.object_id(&related).map(|id| snapshot.meta(id).uid.clone()).unwrap_or_default();
        for event in snapshot.events_about(&related, &uid).filter(|event| is_warning(event)) {
            let is_known = |said: &Said| said.about == related && said.source == event.source.as_str();
            // The events are sorted, the newest first.
            if !all.iter().any(is_known) {
                all.push(of_event(snapshot, event));
            }
        }
        // The scheduler writes the same message into a condition and an event.
        let is_new = |said: &Said| !all.iter().any(|known| known.message.contains(said.message.trim_end_matches('.')));
        let of_status: Vec<Said> = of_status(snapshot, &related).into_iter().filter(is_new).collect();
        all.extend(of_status);
    }
    all.sort_by_key(|said| (said.is_void, std::cmp::Reverse(said.last)));
    all
}

/// Returns the object, the claims and volumes that belong to it, the pods that use them, and the StatefulSets, nodes
/// and VolumeAttachments of these.
fn around(snapshot: &Snapshot, object: &ObjectKey) -> BTreeSet<ObjectKey> {
    let mut found = BTreeSet::from([object.clone()]);
    let pair = |claim: &PersistentVolumeClaim, found: &mut BTreeSet<ObjectKey>| {
        found.insert(key(Kind::PersistentVolumeClaim, &claim.meta.namespace, &claim.meta.name));
        for pod in snapshot.pods_of(&claim.meta.namespace, &claim.meta.name) {
            found.extend(around_pod(pod));
        }
        let sets = snapshot.sets_making(&claim.meta.namespace, &claim.meta.name);
        found.extend(sets.map(|set| key(Kind::StatefulSet, &set.meta.namespace, &set.meta.name)));
        if snapshot.volume_id(&claim.volume_name).is_some() {
            found.insert(volume_key(&claim.volume_name));
        }
    };
    match snapshot.object_id(object).map(ObjectId::typed) {
        Some(TypedId::PersistentVolumeClaim(id)) => pair(snapshot.claim(id), &mut found),
        Some(TypedId::PersistentVolume(id)) => {
            let named = snapshot.volume(id).claim_ref.as_ref();
            let claim = named.and_then(|named| {
                let claim = snapshot.claim(snapshot.claim_id(&named.namespace, &named.name)?);
                (named.uid.is_empty() || named.uid == claim.meta.uid).then_some(claim)
            });
            if let Some(claim) = claim {
                pair(claim, &mut found);
            }
        }
        Some(TypedId::Pod(id)) => {
            let pod: &Pod = snapshot.get(id);
            found.extend(around_pod(pod));
            for claim in pod.claim_names().filter_map(|name| snapshot.claim_id(&pod.meta.namespace, name)) {
                let claim = snapshot.claim(claim);
                found.insert(key(Kind::PersistentVolumeClaim, &claim.meta.namespace, &claim.meta.name));
                if snapshot.volume_id(&claim.volume_name).is_some() {
                    found.insert(volume_key(&claim.volume_name));
                }
            }
        }
        _ => found.extend(members::keys_of(snapshot, object)),
    }
    let volumes: Vec<ObjectKey> =
        found.iter().filter(|object| object.kind == Kind::PersistentVolume).cloned().collect();
    for volume in volumes {
        let attachments = snapshot.attachments_of(&volume.name);
        found.extend(attachments.map(|attachment| key(Kind::VolumeAttachment, "", &attachment.meta.name)));
    }
    found
}

/// Returns the pod, its node, and the workload that has the pod.
fn around_pod(pod: &Pod) -> impl Iterator<Item = ObjectKey> {
    let node = (!pod.node_name.is_empty()).then(|| key(Kind::Node, "", &pod.node_name));
    let owner = Kind::from_manifest(&pod.owner_kind).map(|kind| key(kind, &pod.meta.namespace, &pod.owner_name));
    [Some(key(Kind::Pod, &pod.meta.namespace, &pod.meta.name)), node, owner].into_iter().flatten()
}

/// Returns whether the event reports a problem. The event `FailedBinding` reports a problem even if its type is Normal.
/// Its type is Normal if the controller finds no volume. Upstream: `syncUnboundClaim`, 1.36.
fn is_warning(event: &Event) -> bool {
    event.kind == "Warning" || event.reason == "FailedBinding"
}

fn of_event(snapshot: &Snapshot, event: &Event) -> Said {
    Said {
        about: event.about.clone(),
        source: one_line(&event.source),
        reason: one_line(&event.reason),
        message: one_line(&event.message),
        count: event.count,
        last: event.last_seen,
        is_void: is_over(snapshot, event),
    }
}

/// Returns whether a later change of the object shows that the warning is over: the claim is Bound, the pod runs or has
/// ended, the pod that could not be scheduled has a node, or the volume changed its phase after the event.
fn is_over(snapshot: &Snapshot, event: &Event) -> bool {
    // Events about a change of the size or the attributes are about a volume that is in use.
    let is_of_change = event.reason.contains("Resize") || event.reason.contains("Modify");
    match snapshot.object_id(&event.about).map(ObjectId::typed) {
        _ if is_of_change => false,
        Some(TypedId::PersistentVolumeClaim(id)) => snapshot.claim(id).status.phase == ClaimPhase::Bound,
        Some(TypedId::PersistentVolume(id)) => {
            let changed = snapshot.volume(id).status.last_phase_transition;
            changed.zip(event.last_seen).is_some_and(|(changed, said)| said < changed)
        }
        Some(TypedId::Pod(id)) => {
            let pod: &Pod = snapshot.get(id);
            let is_placed = event.reason == "FailedScheduling" && !pod.node_name.is_empty();
            is_placed || matches!(pod.phase, PodPhase::Running | PodPhase::Succeeded | PodPhase::Failed)
        }
        _ => false,
    }
}

/// Returns the messages in the status of an object: errors, all conditions of a claim, conditions that show a problem
/// of a node or a pod, and what containers wait for.
fn of_status(snapshot: &Snapshot, object: &ObjectKey) -> Vec<Said> {
    let said = |source: &str, reason: &str, message: &str, last: Option<Timestamp>, is_void: bool| Said {
        about: object.clone(),
        source: one_line(source),
        reason: reason.to_owned(),
        message: one_line(message),
        count: 1,
        last,
        is_void,
    };
    match snapshot.object_id(object).map(ObjectId::typed) {
        Some(TypedId::PersistentVolume(id)) => {
            let status = &snapshot.volume(id).status;
            let is_void = status.phase != VolumePhase::Failed;
            let failed = || said("", "status.message", &status.message, status.last_phase_transition, is_void);
            (!status.message.is_empty()).then(failed).into_iter().collect()
        }
        Some(TypedId::VolumeAttachment(id)) => {
            let attachment: &VolumeAttachment = snapshot.get(id);
            let error = |field: &str, error: &AttachError, is_void: bool| {
                said(&attachment.attacher, field, &error.message, error.time, is_void)
            };
            let attach =
                attachment.attach_error.iter().map(|one| error("status.attachError", one, attachment.attached));
            let detach = attachment.detach_error.iter().map(|one| error("status.detachError", one, false));
            attach.chain(detach).collect()
        }
        Some(TypedId::PersistentVolumeClaim(id)) => {
            let conditions = snapshot.claim(id).details.iter().flat_map(|details| &details.conditions);
            let told = conditions.filter(|condition| !condition.message.is_empty());
            told.map(|one| said("", &format!("condition {}", one.kind), &one.message, one.since, false)).collect()
        }
        Some(TypedId::Node(id)) => {
            let ready = snapshot.get::<Node>(id).readiness().filter(|ready| ready.status != "True");
            ready.map(|one| said("", "condition Ready", &one.message, one.since, false)).into_iter().collect()
        }
        Some(TypedId::Pod(id)) => of_pod(snapshot.get(id), said),
        _ => Vec::new(),
    }
}

/// Returns the message of the scheduler in the condition of a pod, and what its containers wait for.
fn of_pod(pod: &Pod, said: impl Fn(&str, &str, &str, Option<Timestamp>, bool) -> Said) -> Vec<Said> {
    let condition = pod.condition("PodScheduled").filter(|one| one.status == "False" && !one.message.is_empty());
    let scheduled = condition.map(|one| said("", "condition PodScheduled", &one.message, one.since, false));
    let waiting = pod.containers.iter().filter_map(|container| match &container.state {
        ContainerState::Waiting { reason, message } if !message.is_empty() => {
            Some(said("", &format!("{reason}, container {}", container.name), message, None, false))
        }
        _ => None,
    });
    scheduled.into_iter().chain(waiting).collect()
}

/// Returns the text on one line, without control characters.
fn one_line(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    sanitize(&words.join(" ")).into_owned()
}
