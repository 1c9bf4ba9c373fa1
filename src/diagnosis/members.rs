//! The pods that belong to an object: to a workload, a node, a Service, or the volume of a VolumeAttachment.

use super::case::{key_of_claim, volume_key};
use super::pod::facts::pod_key;
use super::{State, key};
use crate::model::surroundings::StatefulSet;
use crate::model::{
    DaemonSet, Deployment, Job, Kind, Node, ObjectKey, ObjectMeta, PersistentVolume, Pod, PodPhase, ReplicaSet,
    Service, VolumeAttachment, label,
};
use crate::snapshot::Snapshot;
use std::collections::BTreeSet;

/// A pod that belongs to the object that was asked about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Member {
    /// The pod.
    pub object: ObjectKey,
    /// The state of the pod.
    pub state: State,
    /// The state and its cause in one sentence.
    pub headline: String,
    /// The object and the rule of the cause, if there is one. Pods with the same cause are one group.
    pub root: Option<(ObjectKey, &'static str)>,
}

/// Returns the pods of the object, in the order of names. For a node, these are the pods on it that use claims.
pub(super) fn pods_of<'s>(snapshot: &'s Snapshot, object: &ObjectKey) -> Vec<&'s Pod> {
    let ObjectKey { kind, namespace, name } = object;
    match kind {
        Kind::StatefulSet => {
            controlled(snapshot, *kind, snapshot.find::<StatefulSet>(namespace, name).map(|set| &set.meta))
        }
        Kind::ReplicaSet => {
            controlled(snapshot, *kind, snapshot.find::<ReplicaSet>(namespace, name).map(|set| &set.meta))
        }
        Kind::DaemonSet => {
            controlled(snapshot, *kind, snapshot.find::<DaemonSet>(namespace, name).map(|set| &set.meta))
        }
        Kind::Job => controlled(snapshot, *kind, snapshot.find::<Job>(namespace, name).map(|job| &job.meta)),
        Kind::Deployment => {
            let Some(deployment) = snapshot.find::<Deployment>(namespace, name) else { return Vec::new() };
            let sets = sets_of(snapshot, deployment);
            sets.flat_map(|set| controlled(snapshot, Kind::ReplicaSet, Some(&set.meta))).collect()
        }
        Kind::Node => {
            let on_node = |pod: &&Pod| pod.node_name == *name && pod.claim_names().next().is_some();
            snapshot
                .find::<Node>("", name)
                .map(|_| snapshot.pods().iter().filter(on_node).collect())
                .unwrap_or_default()
        }
        Kind::Service => {
            let Some(service) = snapshot.find::<Service>(namespace, name) else { return Vec::new() };
            selected_by(snapshot, service).collect()
        }
        Kind::VolumeAttachment => {
            let attachment = snapshot.find::<VolumeAttachment>("", name);
            let volume = attachment.and_then(|attachment| snapshot.volume_id(&attachment.volume_name));
            let named = volume.and_then(|id| snapshot.volume(id).claim_ref.as_ref());
            named.map(|named| snapshot.pods_of(&named.namespace, &named.name).collect()).unwrap_or_default()
        }
        _ => Vec::new(),
    }
}

/// Returns the pods that the Service selects. A Service without a selector selects no pods.
pub(super) fn selected_by<'s>(snapshot: &'s Snapshot, service: &'s Service) -> impl Iterator<Item = &'s Pod> {
    let selects = |pod: &&Pod| {
        !service.selector.is_empty()
            && service.selector.iter().all(|(key, value)| label(&pod.meta.labels, key) == Some(value.as_str()))
    };
    snapshot.in_namespace::<Pod>(&service.meta.namespace).iter().filter(selects)
}

/// Returns the objects that create the pods of a workload: its ReplicaSets for a Deployment, and otherwise the workload
/// itself.
pub(super) fn makers_of(snapshot: &Snapshot, object: &ObjectKey) -> Vec<ObjectKey> {
    let deployment = snapshot.find::<Deployment>(&object.namespace, &object.name);
    match deployment.filter(|_| object.kind == Kind::Deployment) {
        Some(deployment) => sets_of(snapshot, deployment)
            .map(|set| key(Kind::ReplicaSet, &set.meta.namespace, &set.meta.name))
            .collect(),
        None => vec![object.clone()],
    }
}

/// Returns the ReplicaSets of a Deployment.
fn sets_of<'s>(snapshot: &'s Snapshot, deployment: &'s Deployment) -> impl Iterator<Item = &'s ReplicaSet> {
    let owned = |set: &&ReplicaSet| set.owners.iter().any(|owner| owner.controller && owner.uid == deployment.meta.uid);
    snapshot.in_namespace::<ReplicaSet>(&deployment.meta.namespace).iter().filter(owned)
}

/// Returns the pods of a workload. If the file has no uids, the kind and name of the owner are compared.
fn controlled<'s>(snapshot: &'s Snapshot, kind: Kind, owner: Option<&ObjectMeta>) -> Vec<&'s Pod> {
    let Some(owner) = owner else { return Vec::new() };
    let is_owned = |pod: &&Pod| match &pod.meta.controller_owner {
        Some(uid) if !uid.is_empty() && !owner.uid.is_empty() => *uid == owner.uid,
        _ => pod.owner_kind == kind.as_str() && pod.owner_name == owner.name,
    };
    snapshot.in_namespace::<Pod>(&owner.namespace).iter().filter(is_owned).collect()
}

/// How many pods a workload wants, and how many it has. Pods that have ended or are being deleted are not counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Count {
    /// The number of pods that the workload wants now.
    pub(super) wanted: i64,
    /// The number of its pods that have not ended and are not being deleted.
    pub(super) existing: i64,
}

/// Returns how many pods the workload wants and has. Returns None for a kind of object that does not create pods, and
/// for an object that does not exist.
pub(super) fn count(snapshot: &Snapshot, object: &ObjectKey) -> Option<Count> {
    let ObjectKey { kind, namespace, name } = object;
    let wanted = match kind {
        Kind::StatefulSet => snapshot.find::<StatefulSet>(namespace, name)?.replicas,
        Kind::ReplicaSet => snapshot.find::<ReplicaSet>(namespace, name)?.replicas,
        Kind::Deployment => snapshot.find::<Deployment>(namespace, name)?.replicas,
        Kind::DaemonSet => snapshot.find::<DaemonSet>(namespace, name)?.desired,
        Kind::Job => {
            let job = snapshot.find::<Job>(namespace, name)?;
            let has_ended = job.completed.is_some()
                || job.suspended
                || job.conditions.iter().any(|one| one.kind == "Failed" && one.status == "True");
            let left = job.completions.map_or(job.parallelism, |all| all.saturating_sub(job.succeeded));
            if has_ended { 0 } else { job.parallelism.min(left).max(0) }
        }
        _ => return None,
    };
    let exists =
        |pod: &&Pod| pod.meta.deleted.is_none() && !matches!(pod.phase, PodPhase::Succeeded | PodPhase::Failed);
    let existing = pods_of(snapshot, object).into_iter().filter(exists).count();
    Some(Count { wanted, existing: i64::try_from(existing).unwrap_or(i64::MAX) })
}

/// Returns the objects whose diagnoses are part of the answer about the object: its pods, the claims of its templates,
/// the objects of a namespace, or the volume of a VolumeAttachment.
pub(super) fn keys_of(snapshot: &Snapshot, object: &ObjectKey) -> BTreeSet<ObjectKey> {
    let mut keys: BTreeSet<ObjectKey> = pods_of(snapshot, object).into_iter().map(pod_key).collect();
    if object.kind == Kind::Namespace {
        keys.extend(snapshot.claims_in(&object.name).iter().map(|claim| key_of_claim(&claim.meta)));
        keys.extend(snapshot.in_namespace::<Pod>(&object.name).iter().map(pod_key));
        let named =
            |volume: &&PersistentVolume| volume.claim_ref.as_ref().is_some_and(|named| named.namespace == object.name);
        keys.extend(snapshot.volumes().iter().filter(named).map(|volume| volume_key(&volume.meta.name)));
    }
    if let Some(set) =
        snapshot.find::<StatefulSet>(&object.namespace, &object.name).filter(|_| object.kind == Kind::StatefulSet)
    {
        let claims = snapshot.claims_in(&set.meta.namespace).iter();
        let made = claims.filter(|claim| set.makes(&claim.meta.name));
        keys.extend(made.map(|claim| key(Kind::PersistentVolumeClaim, &claim.meta.namespace, &claim.meta.name)));
    }
    if object.kind == Kind::VolumeAttachment
        && let Some(attachment) = snapshot.find::<VolumeAttachment>("", &object.name)
        && snapshot.volume_id(&attachment.volume_name).is_some()
    {
        keys.insert(key(Kind::PersistentVolume, "", &attachment.volume_name));
    }
    keys
}
