//! This module finds the claims that may be created for pods, and the objects that these claims and their pods
//! influence.

use super::CONTROLLER;
use crate::controllers::persistent_volume::links::{NewClaim, join_with, may_have_no_claim};
use crate::controllers::persistent_volume::needs::{Gaps, needs_of_new};
use crate::controllers::spec::{Needs, note_gap};
use crate::controllers::{KubernetesBehavior, Links, Settings};
use crate::model::{EphemeralVolume, Id, Kind, Object, ObjectId, Owner, PersistentVolumeClaim, Pod, Resource, Str};
use crate::snapshot::{Absence, CoverageState, Snapshot};
use crate::world::stored;
use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

/// Returns the claim that the controller sends for an ephemeral volume.
pub(super) fn claim_for(pod: &Pod, volume: &EphemeralVolume) -> PersistentVolumeClaim {
    let mut claim = volume.template.clone();
    // The template was decoded before the pod got its namespace. So the namespace is copied from the pod.
    claim.meta.namespace.clone_from(&pod.meta.namespace);
    claim.meta.controller_owner = Some(pod.meta.uid.clone());
    let mut details = claim.details.as_deref().cloned().unwrap_or_default();
    details.owners = Box::new([Owner {
        api_version: Str::const_new("v1"),
        kind: Str::const_new("Pod"),
        name: pod.meta.name.clone(),
        uid: pod.meta.uid.clone(),
        controller: true,
    }]);
    claim.details = Some(Arc::new(details));
    claim
}

/// Returns whether the claim was created for the pod. Only the uid of the controlling owner is compared. Upstream:
/// `VolumeIsForPod`, `k8s.io/component-helpers/storage/ephemeral`, 1.36.
pub(super) fn is_owner(pod: &Pod, claim: &PersistentVolumeClaim) -> bool {
    claim.meta.controller_owner.as_ref() == Some(&pod.meta.uid)
}

/// Returns the claims that may be created for a pod: those that do not exist or are being deleted. The list is empty if
/// the pod or its namespace is being deleted. The controller stops with an error at a claim that does not belong to the
/// pod, so the list ends there. A claim that is being deleted does not end the list, because its name becomes free.
fn new_claims(snapshot: &Snapshot, behavior: &KubernetesBehavior, pod: &Pod) -> Vec<PersistentVolumeClaim> {
    let mut new = Vec::new();
    if pod.meta.deleted.is_some() || snapshot.namespace_deletion(&pod.meta.namespace).is_some() {
        return new;
    }
    for volume in &pod.ephemeral {
        let known = snapshot.claim_id(&pod.meta.namespace, &volume.template.meta.name).map(|id| snapshot.claim(id));
        match known.filter(|claim| !claim.terminating()) {
            Some(claim) if is_owner(pod, claim) => {}
            Some(_) => break,
            None => new.push(stored(snapshot, behavior.api_gates(), claim_for(pod, volume))),
        }
    }
    new
}

/// Returns the objects that may be created for a pod.
pub(super) fn created_objects(snapshot: &Snapshot, behavior: &KubernetesBehavior, id: ObjectId) -> Vec<Object> {
    let new = id.of().map(|pod: Id<Pod>| new_claims(snapshot, behavior, snapshot.get(pod)));
    new.into_iter().flatten().map(Resource::wrap).collect()
}

/// Joins pods with the objects that their new claims influence or depend on. A pod is joined with no object if all its
/// claims exist, belong to the pod and are not being deleted.
pub(super) fn join(snapshot: &Snapshot, settings: &Settings<'_>, links: &mut Links<'_>) {
    if !settings.controllers.contains(&CONTROLLER) {
        return;
    }
    let mut new = Vec::new();
    for (id, pod) in snapshot.with_ids::<Pod>().filter(|(_, pod)| !pod.ephemeral.is_empty()) {
        new.extend(
            new_claims(snapshot, &settings.behavior, pod).into_iter().map(|claim| NewClaim { maker: id.into(), claim }),
        );
    }
    if new.is_empty() {
        return;
    }
    let mut first: BTreeMap<(&Str, &Str), ObjectId> = BTreeMap::new();
    for NewClaim { maker, claim } in &new {
        let (namespace, name) = (&claim.meta.namespace, &claim.meta.name);
        if let Some(known) = snapshot.claim_id(namespace, name) {
            links.join(*maker, known);
        }
        // Several pods may want a claim of this name. The first pod whose claim is created gets the name.
        let other = *first.entry((namespace, name)).or_insert(*maker);
        links.join(*maker, other);
    }
    join_with(snapshot, settings, &new, links);
}

/// Prepares the function that returns the uncertain reads of a component: the kinds that were not completely read and
/// that could change the outcomes.
pub(super) fn needs<'a>(snapshot: &'a Snapshot, settings: &Settings<'a>) -> Needs<'a> {
    let coverage = snapshot.coverage();
    let unseen_pods = unseen_pods(snapshot);
    let has_class = |pod: &Pod| pod.ephemeral.iter().all(|volume| volume.template.has_class());
    let makes = |pod: &Pod| !pod.ephemeral.is_empty() && !new_claims(snapshot, &settings.behavior, pod).is_empty();
    // If a claim may get a default class that was not read, it can take volumes of any class.
    let any_class = coverage.absence(Kind::StorageClass, "") != Absence::Certain
        && snapshot.pods().iter().any(|pod| !has_class(pod) && makes(pod));
    let (gaps, settings) = (OnceLock::new(), settings.clone());
    Box::new(move |objects| {
        let settings = &settings;
        let mut found = Vec::new();
        let mut need = |kind: Kind, namespace: &str, absence: Absence| note_gap(&mut found, kind, namespace, absence);
        for volume in objects.iter().filter_map(|id| id.of()).map(|id| snapshot.volume(id)) {
            let awaited = volume.claim_ref.as_ref().filter(|named| named.uid.is_empty());
            if let Some(named) = awaited {
                need(Kind::Pod, &named.namespace, unseen_pods_of(snapshot, &named.namespace));
            }
            if may_have_no_claim(snapshot, settings, volume) {
                need(Kind::Pod, "", unseen_pods.clone());
                if any_class {
                    need(Kind::StorageClass, "", coverage.absence(Kind::StorageClass, ""));
                }
            }
        }
        for claim in objects.iter().filter_map(|id| id.of()).map(|id| snapshot.claim(id)) {
            let namespace = claim.meta.namespace.as_str();
            let of_unseen_pod = |owner: &Owner| {
                owner.controller && owner.kind == "Pod" && snapshot.pod(namespace, &owner.name).is_none()
            };
            // A pod that was not read may own this claim. Then the controller creates the claim again.
            if claim.terminating() && claim.owners().iter().any(of_unseen_pod) {
                need(Kind::Pod, namespace, unseen_pods_of(snapshot, namespace));
            }
        }
        let pods = objects.iter().filter_map(|id| id.of()).map(|id: Id<Pod>| snapshot.get(id));
        let mut new = Vec::new();
        for pod in pods {
            let own = new_claims(snapshot, &settings.behavior, pod);
            if !own.is_empty() && !has_class(pod) {
                need(Kind::StorageClass, "", coverage.absence(Kind::StorageClass, ""));
            }
            new.extend(own);
        }
        for claim in &new {
            let (namespace, name) = (claim.meta.namespace.as_str(), claim.meta.name.as_str());
            if snapshot.claim_id(namespace, name).is_none() {
                let kind = Kind::PersistentVolumeClaim;
                need(kind, namespace, coverage.absence_of(kind, namespace, name));
            }
            need(Kind::Pod, namespace, unseen_pods_of(snapshot, namespace));
        }
        if !new.is_empty() {
            let gaps = gaps.get_or_init(|| Gaps::of(snapshot, settings));
            for (need, absence) in needs_of_new(snapshot, settings, (objects, &new), gaps) {
                note_gap(&mut found, need.kind, &need.namespace, absence);
            }
        }
        found
    })
}

/// Returns what an incomplete list of pods means for the claims of a namespace. Pods that were not read because no
/// decision needed them are treated as absent. A claim of such a pod is like a claim that somebody creates later, and
/// answers do not report that somebody may create a claim.
fn unseen_pods_of(snapshot: &Snapshot, namespace: &str) -> Absence {
    match snapshot.coverage().absence(Kind::Pod, namespace) {
        Absence::Unknown(CoverageState::NotNeeded) => Absence::Certain,
        other => other,
    }
}

/// Returns what an incomplete list of pods means for free volumes. The answer assumes that every pod has its claims
/// already, because on a healthy cluster a claim is created as soon as its pod exists. This is assumed even if pods
/// could not be read. Otherwise, nothing could be said of any free volume.
fn unseen_pods(snapshot: &Snapshot) -> Absence {
    let coverage = snapshot.coverage();
    let is_known = |state: CoverageState| matches!(state, CoverageState::Complete | CoverageState::NotNeeded);
    let mut of_pods = coverage.entries().iter().filter(|entry| entry.kind == Kind::Pod);
    let all = coverage.entry(Kind::Pod, None).is_some_and(|entry| is_known(entry.state));
    if all && of_pods.all(|entry| is_known(entry.state)) { Absence::Certain } else { Absence::Assumed }
}
