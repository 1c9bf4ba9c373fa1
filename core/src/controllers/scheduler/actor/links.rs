//! The objects that influence each other through the scheduler.

use super::super::cluster::{Cluster, pod_claims, scheduling};
use super::super::groups::{NodeGroups, waiting};
use super::CONTROLLER;
use crate::controllers::persistent_volume::links::{may_become_free, own_classes};
use crate::controllers::scheduler::{volume_binding, volume_limits};
use crate::controllers::{Links, Settings};
use crate::model::{Id, ObjectId, PersistentVolume, Pod, Str};
use crate::snapshot::Snapshot;
use crate::world::View;
use std::collections::BTreeMap;

/// Joins each waiting pod with its claims and with the volumes that these claims can get. If the node of one waiting
/// pod can influence another waiting pod, all waiting pods are joined as well.
pub(super) fn join(snapshot: &Snapshot, settings: &Settings<'_>, links: &mut Links<'_>) {
    if !settings.controllers.contains(&CONTROLLER) {
        return;
    }
    let mut free: BTreeMap<&str, Vec<Id<PersistentVolume>>> = BTreeMap::new();
    for (id, volume) in snapshot.with_ids::<PersistentVolume>() {
        if may_become_free(snapshot, settings, volume) {
            free.entry(volume.class()).or_default().push(id);
        }
    }
    let mut first_of_class: BTreeMap<Str, ObjectId> = BTreeMap::new();
    let mut first_of_claim: BTreeMap<(&str, &str), ObjectId> = BTreeMap::new();
    for (id, pod) in waiting(snapshot) {
        for used in pod_claims(pod) {
            let namespace = pod.meta.namespace.as_str();
            links.join(id, *first_of_claim.entry((namespace, used.name)).or_insert_with(|| id.into()));
            let known = snapshot.claim_id(namespace, used.name);
            if let Some(claim) = known {
                links.join(id, claim);
            }
            for volume in snapshot.volumes_naming(namespace, used.name) {
                links.join(id, *volume);
            }
            let template = || {
                let own = pod.ephemeral.iter().find(|volume| volume.template.meta.name == *used.name);
                own.map(|volume| &volume.template)
            };
            // After a claim is deleted, a claim may be created from the template. The new claim can have another class.
            let stated = known.map(|claim| snapshot.claim(claim)).into_iter().chain(template());
            for class in stated.flat_map(|claim| own_classes(snapshot, &settings.behavior, claim)) {
                let volumes = free.get(class.as_str()).map(Vec::as_slice).unwrap_or_default();
                if volumes.is_empty() {
                    continue;
                }
                let first = *first_of_class.entry(class).or_insert_with(|| id.into());
                if first == ObjectId::from(id) {
                    for volume in volumes {
                        links.join(id, *volume);
                    }
                }
                links.join(id, first);
            }
        }
    }
    join_counted(snapshot, settings, links);
    if NodeGroups::of(snapshot, &settings.behavior).is_none() {
        let mut pods = waiting(snapshot).map(|(id, _)| id);
        if let Some(first) = pods.next() {
            pods.for_each(|pod| links.join(first, pod));
        }
    }
}

/// Joins the waiting pods with objects whose change can change the number of volumes on a node with limits. The objects
/// are volumes that are being deleted and that are attached to the node or used there, claims that pods on the node use
/// and that are not bound or are being deleted, and pods on the node whose ephemeral claims do not exist yet.
fn join_counted(snapshot: &Snapshot, settings: &Settings<'_>, links: &mut Links<'_>) {
    let has_volumes = |pod: &Pod| {
        let disks = !scheduling(pod).disks.is_empty();
        disks || !pod.claims.is_empty() || !pod.ephemeral.is_empty()
    };
    let pods: Vec<Id<Pod>> = waiting(snapshot).filter(|(_, pod)| has_volumes(pod)).map(|(id, _)| id).collect();
    let Some(first) = pods.first().copied() else { return };
    let mut counted: Vec<ObjectId> = Vec::new();
    let terminating = |name: &str| {
        let volume = snapshot.id::<PersistentVolume>("", name);
        volume.filter(|id| snapshot.get(*id).meta.deleted.is_some()).map(ObjectId::from)
    };
    for info in Cluster::new(View::Snapshot(snapshot)).nodes {
        let node = snapshot.find("", &info.node.meta.name);
        if !volume_limits::has_limits(&settings.behavior, node, &info) {
            continue;
        }
        counted.extend(info.attachments.iter().filter_map(|attachment| terminating(&attachment.volume_name)));
        for pod in info.pods {
            let namespace = pod.meta.namespace.as_str();
            for used in pod_claims(pod) {
                let Some(id) = snapshot.claim_id(namespace, used.name) else {
                    // The claim may still be created for the pod.
                    let pod = snapshot.id::<Pod>(namespace, &pod.meta.name).filter(|_| used.ephemeral);
                    counted.extend(pod.map(ObjectId::from));
                    continue;
                };
                let claim = snapshot.claim(id);
                if !volume_binding::is_fully_bound(claim) || claim.meta.deleted.is_some() {
                    counted.push(id.into());
                }
                counted.extend(terminating(&claim.volume_name));
            }
        }
    }
    if !counted.is_empty() {
        pods.into_iter().map(ObjectId::from).chain(counted).for_each(|id| links.join(first, id));
    }
}
