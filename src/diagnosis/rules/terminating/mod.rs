//! Volumes and claims whose deletion has not finished. A deletion cannot be undone. A person can only decide who has to
//! remove a finalizer, and what happens to the data then.

crate::diagnosis::rules::section! {
    pv_terminating_bound,
    pv_terminating_provisioner_finalizer,
    pv_terminating_intree_finalizer,
    pv_terminating_attacher,
    pv_terminating_leak,
    pvc_terminating_controller_dead,
    pvc_terminating_in_use,
    pvc_terminating_completed_pod,
    pvc_terminating_snapshot_source,
    pvc_terminating_clone_source,
    pvc_terminating_unknown_finalizer,
    snap_finalizer_orphan,
}

use crate::controllers::VolumeBranch;
use crate::controllers::persistent_volume::reclaim::{DataFate, data_fate, leaves_storage_behind, migrated_to};
use crate::controllers::persistent_volume::volume::IN_TREE_FINALIZER;
use crate::controllers::pvc_protection::pod_uses_claim;
use crate::diagnosis::facts::has_uid_of;
use crate::diagnosis::mention::{elsewhere, mention};
use crate::diagnosis::pod::facts::{gone_node, pod_key};
use crate::diagnosis::remedy::{by_hand, quoted, remove_finalizer, retain};
use crate::diagnosis::{Act, Case, Detection, Remedy, Risk, key};
use crate::model::{
    AnnotationKey, Kind, ObjectMeta, PersistentVolume, PersistentVolumeClaim, Pod, PodPhase, SourceKind, Timestamp,
    VolumePhase,
};
use crate::simulate::Outcome;

/// States that the finding follows from the VolumeAttachments that are attached or are being deleted. Any other
/// VolumeAttachment only waits for the volume.
fn held_by_attachments(found: Detection, case: &Case<'_>, volume: &PersistentVolume) -> Detection {
    let attachments = case.snapshot().attachments_of(&volume.meta.name);
    attachments
        .filter(|attachment| attachment.attached || attachment.meta.deleted.is_some())
        .fold(found, |found, attachment| {
            found.follows_from(key(Kind::VolumeAttachment, "", &attachment.meta.name), Act::Detach)
        })
}

/// The prefix of the finalizer by which an attacher keeps a volume while it is attached. The driver's name follows.
const ATTACHER_PREFIX: &str = "external-attacher/";
/// The finalizer by which the snapshot controller keeps a claim while a snapshot of it is being taken.
const SNAPSHOT_FINALIZER: &str = "snapshot.storage.kubernetes.io/pvc-as-source-protection";
/// The finalizer by which a provisioner keeps a claim while it is being cloned.
const CLONE_FINALIZER: &str = "provisioner.storage.kubernetes.io/cloning-protection";

/// Returns the leaf of a volume that is being deleted and that no claim has kept for at least
/// [`PATIENCE`](crate::diagnosis::case::PATIENCE) seconds. Returns None for any other volume.
fn unheld_leaf(case: &Case<'_>, volume: &PersistentVolume) -> Option<VolumeBranch> {
    if volume.status.phase == VolumePhase::Bound || case.lasts(unheld_since(volume)).is_none() {
        return None;
    }
    let branch = case.volume_branch()?;
    match branch {
        VolumeBranch::VolumeUnclaimed
        | VolumeBranch::VolumeReserved
        | VolumeBranch::VolumeClaimMissing
        | VolumeBranch::VolumeClaimReplaced
        | VolumeBranch::VolumeSurplusDynamic => Some(branch),
        VolumeBranch::VolumeMigrationUpdateFailed
        | VolumeBranch::VolumeClaimLookupFailed
        | VolumeBranch::VolumeClaimModeMismatch
        | VolumeBranch::VolumeAwaitsClaim
        | VolumeBranch::VolumeDanglingAwaitsClaim
        | VolumeBranch::VolumeBound
        | VolumeBranch::VolumeSurplusUnbindController
        | VolumeBranch::VolumeSurplusUnbindUser => None,
    }
}

/// Returns the moment since which no claim has kept the volume: its deletion or its last change of phase, whichever is
/// later.
fn unheld_since(volume: &PersistentVolume) -> Option<Timestamp> {
    volume.meta.deleted.max(volume.status.last_phase_transition)
}

/// Returns whether the object still exists at every end, with a finalizer that satisfies the condition.
fn stays_with(case: &Case<'_>, is_such: impl Fn(&str) -> bool) -> bool {
    let keeps = |end: &Outcome| match end {
        Outcome::Claim { terminating: Some(left), .. } | Outcome::Volume { terminating: Some(left), .. } => {
            left.iter().any(|finalizer| is_such(finalizer))
        }
        Outcome::Claim { .. } | Outcome::Volume { .. } | Outcome::Pod { .. } | Outcome::Gone { .. } => false,
    };
    case.ends().is_some_and(|ends| ends.representatives().all(keeps))
}

/// Returns the driver of the volume's storage, or words that stand for an unknown driver.
pub(super) fn driver_of(case: &Case<'_>, volume: &PersistentVolume) -> String {
    let of_source = if volume.source.kind == SourceKind::Csi { volume.source.detail.as_str() } else { "" };
    [migrated_to(case.behavior(), volume), volume.meta.annotations.get(AnnotationKey::ProvisionedBy)]
        .into_iter()
        .flatten()
        .chain([of_source])
        .find(|name| !name.is_empty())
        .map_or_else(|| "its driver".to_owned(), str::to_owned)
}

/// What happens to the data of a claim after the claim is deleted.
struct Aftermath {
    /// The end of a sentence. It is empty if the claim has no known volume.
    words: String,
    /// The risk to data.
    risk: Risk,
    /// The remedy that keeps the data.
    retain: Option<Remedy>,
}

/// Returns what happens to the data of the claim after the claim is deleted.
fn aftermath(case: &Case<'_>, claim: &PersistentVolumeClaim) -> Aftermath {
    let nothing = |risk: Risk| Aftermath { words: String::new(), risk, retain: None };
    if claim.volume_name.is_empty() {
        return nothing(Risk::None);
    }
    // The policy of a volume that was not read is unknown.
    let Some(volume) = case.volume(&claim.volume_name) else { return nothing(Risk::Possible) };
    if !has_uid_of(volume, claim) {
        return nothing(Risk::None);
    }
    let (name, policy) = (&volume.meta.name, volume.reclaim_policy.as_str());
    let (words, risk) = match data_fate(case.behavior(), volume) {
        DataFate::Kept => (format!(". The data stay on volume {name} (policy {policy})"), Risk::None),
        DataFate::HandedToDriver | DataFate::Destroyed
            if volume.terminating() && leaves_storage_behind(case.behavior(), volume) =>
        {
            (format!(". Volume {name} is deleted, too, and its storage is left behind"), Risk::None)
        }
        DataFate::HandedToDriver => {
            let driver = driver_of(case, volume);
            (format!(", and {driver} deletes volume {name} with its data (policy {policy})"), Risk::Possible)
        }
        DataFate::Destroyed => {
            (format!(", and volume {name} is deleted with its data (policy {policy})"), Risk::Possible)
        }
        DataFate::Scrubbed => {
            (format!(", and the data of volume {name} are scrubbed (policy {policy})"), Risk::Possible)
        }
    };
    Aftermath { words, risk, retain: retain(volume) }
}

impl Aftermath {
    /// Raises the risk from possible to imminent if the condition is true, because then no further action by a person
    /// is needed.
    fn soon(self, soon: bool) -> Self {
        let risk = if soon && self.risk == Risk::Possible { Risk::Imminent } else { self.risk };
        Self { risk, ..self }
    }

    /// Adds the risk to data, and the remedy that keeps the data, to the detection.
    fn told(self, found: Detection) -> Detection {
        found.risk(self.risk).remedies(self.retain)
    }
}

/// Returns the pods that keep the claim. These are pods with a node, whatever their phase.
fn users<'a>(case: &Case<'a>, claim: &PersistentVolumeClaim) -> Vec<&'a Pod> {
    let pods = case.snapshot().pods_of(&claim.meta.namespace, &claim.meta.name);
    pods.filter(|pod| pod_uses_claim(pod, claim)).collect()
}

/// Returns whether all these pods will be deleted without any further action by a person. Either they are being
/// deleted, or their node is certainly gone and the pod garbage collector deletes them. Upstream: `gcOrphaned`,
/// `pkg/controller/podgc`, 1.36.
fn are_leaving(case: &Case<'_>, users: &[&Pod]) -> bool {
    users.iter().all(|pod| pod.meta.deleted.is_some() || gone_node(case.snapshot(), pod).is_some())
}

/// States that the finding follows from the pods that are being deleted and are not removed.
fn held_by_pods(found: Detection, users: &[&Pod]) -> Detection {
    let going = users.iter().filter(|pod| pod.meta.deleted.is_some());
    going.fold(found, |found, pod| found.follows_from(pod_key(pod), Act::Delete))
}

/// Returns whether the latest deletion among these pods is too recent for a finding.
fn is_recent(case: &Case<'_>, users: &[&Pod]) -> bool {
    case.lasts(users.iter().filter_map(|pod| pod.meta.deleted).max()).is_none()
}

/// Returns whether the pod has ended. Then none of its containers runs.
fn is_finished(pod: &Pod) -> bool {
    matches!(pod.phase, PodPhase::Succeeded | PodPhase::Failed)
}

/// Returns the name and phase of the first pod, and how many more there are.
fn some_pods(pods: &[&Pod]) -> String {
    let Some(first) = pods.first() else { return "no pod".to_owned() };
    let name = &first.meta.name;
    let phase = match &first.phase {
        PodPhase::Empty | PodPhase::Other(_) => "phase unknown",
        PodPhase::Pending => "Pending",
        PodPhase::Running => "Running",
        PodPhase::Succeeded => "Succeeded",
        PodPhase::Failed => "Failed",
    };
    match pods.len() - 1 {
        0 => format!("pod {name} ({phase})"),
        more => format!("pod {name} ({phase}) and {more} more"),
    }
}

/// Returns the claim as the subject of a sentence that says what its deletion waits for.
fn subject(case: &Case<'_>) -> String {
    format!("{}{}", mention(&case.object()), elsewhere(&case.object(), " is being deleted and"))
}

/// Creates a detection for a claim that is being deleted. Its evidence has the deletion timestamp and the finalizers.
fn being_deleted(message: String, case: &Case<'_>, claim: &PersistentVolumeClaim) -> Detection {
    let object = case.object();
    Detection::new(message)
        .since(claim.meta.deleted)
        .moment(&object, "metadata.deletionTimestamp", claim.meta.deleted)
        .evidence(&object, "metadata.finalizers", listed(&claim.meta))
}

/// Returns the finalizers as evidence shows them.
fn listed(meta: &ObjectMeta) -> String {
    meta.finalizers.join(", ")
}

/// Says how a person stops the pods. The owner of a pod creates a deleted pod again.
fn stopping(pods: &[&Pod]) -> String {
    let named = some_pods(pods);
    let owner = pods.first().map_or("", |pod| pod.owner_kind.as_str());
    match owner {
        "" => format!("delete {named}"),
        "StatefulSet" => format!("scale down the StatefulSet of {named} first: it creates a deleted pod again"),
        "ReplicaSet" => format!("scale down the Deployment of {named} first: it creates a deleted pod again"),
        other => format!("stop the {other} of {named} first: it may create a deleted pod again"),
    }
}

/// Creates a remedy that binds a new claim to the same data. No claim can be created in a namespace that is being
/// deleted, so the remedy then uses a claim of another namespace.
fn bring_back(claim: &PersistentVolumeClaim) -> Option<Remedy> {
    let volume = &claim.volume_name;
    (!volume.is_empty()).then(|| {
        by_hand(format!(
            "to use the same data again: 1. set policy Retain, and let the claim be deleted; 2. remove uid and \
             resourceVersion from spec.claimRef of volume {volume}; 3. create the claim again with spec.volumeName \
             {volume}; if its namespace is being deleted, name a claim of another namespace in spec.claimRef"
        ))
    })
}

/// Creates a remedy that removes one finalizer, if it is still at the same index.
fn take_away(volume: &PersistentVolume, finalizer: &str, does: &str) -> Option<Remedy> {
    remove_finalizer(&format!("pv {}", quoted(&volume.meta.name)), &volume.meta, finalizer, does)
}
