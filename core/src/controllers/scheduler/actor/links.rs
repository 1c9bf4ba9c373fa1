//! The objects that influence each other through the scheduler.

use super::super::cluster::pod_claims;
use super::super::groups::{NodeGroups, waiting};
use super::CONTROLLER;
use crate::controllers::persistent_volume::links::{may_become_free, own_classes};
use crate::controllers::{Links, Settings};
use crate::model::{Id, ObjectId, PersistentVolume, PersistentVolumeClaim, Str};
use crate::snapshot::Snapshot;
use std::collections::BTreeMap;

/// Joins each waiting pod with its claims and with the volumes that these claims can get. Pods that can take room on a
/// node from each other are joined as well.
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
            let stated: Option<&PersistentVolumeClaim> = known.map(|claim| snapshot.claim(claim)).or_else(template);
            for class in stated.into_iter().flat_map(|claim| own_classes(snapshot, &settings.behavior, claim)) {
                let volumes = free.get(class.as_str()).map(Vec::as_slice).unwrap_or_default();
                if volumes.is_empty() {
                    continue;
                }
                let first = *first_of_class.entry(class).or_insert_with(|| id.into());
                if first == ObjectId::from(id) {
                    volumes.iter().for_each(|volume| links.join(id, *volume));
                }
                links.join(id, first);
            }
        }
    }
    if NodeGroups::of(snapshot, &settings.behavior).is_none() {
        let mut pods = waiting(snapshot).map(|(id, _)| id);
        if let Some(first) = pods.next() {
            pods.for_each(|pod| links.join(first, pod));
        }
    }
}
