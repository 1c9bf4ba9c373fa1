//! The objects that influence each other through the scheduler.

use super::super::cluster::{Cluster, pod_claims, scheduling};
use super::super::nodes::stated_amount;
use super::super::reads::Reads;
use super::CONTROLLER;
use crate::controllers::persistent_volume::links::{may_become_free, own_classes};
use crate::controllers::scheduler::{handles, volume_binding, volume_limits};
use crate::controllers::{Links, Settings};
use crate::model::{Id, ObjectId, PersistentVolume, Pod, Str};
use crate::snapshot::Snapshot;
use crate::world::View;
use std::collections::BTreeMap;

/// Returns the pods for which the scheduler has to find a node, and that nothing holds back.
fn waiting(snapshot: &Snapshot) -> impl Iterator<Item = (Id<Pod>, &Pod)> {
    snapshot.with_ids::<Pod>().filter(|(_, pod)| handles(pod) && pod.meta.deleted.is_none() && !pod.gated)
}

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
            // A claim that is being deleted may be followed by one of the template, which can have another class.
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
    if compete(snapshot, settings) {
        let mut pods = waiting(snapshot).map(|(id, _)| id);
        if let Some(first) = pods.next() {
            pods.for_each(|pod| links.join(first, pod));
        }
    }
}

/// Joins the waiting pods with the objects whose change can change how many volumes count on a node with limits. These
/// are volumes that are being deleted and that are attached or used there. They are also claims that pods on the node
/// use and that are not bound.
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

/// Returns whether the place of one waiting pod can decide about another one. It cannot if every node has room for all
/// of them, and no rule about other pods exists.
fn compete(snapshot: &Snapshot, settings: &Settings<'_>) -> bool {
    let mut requests: BTreeMap<&str, i64> = BTreeMap::new();
    let (mut pods, mut volumes) = (0_i64, 0_usize);
    for (_, pod) in waiting(snapshot) {
        let stated = scheduling(pod);
        let heeds_others = !stated.host_ports.is_empty()
            || !stated.spread.is_empty()
            || !stated.affinity.is_empty()
            || !stated.anti_affinity.is_empty()
            || !stated.disks.is_empty();
        if heeds_others {
            return true;
        }
        pods = pods.saturating_add(1);
        volumes = volumes.saturating_add(pod.claims.len() + pod.ephemeral.len());
        for (name, amount) in &stated.requests {
            let sum = requests.entry(name).or_default();
            *sum = sum.saturating_add(*amount);
        }
    }
    if pods < 2 {
        return false;
    }
    let cluster = Cluster::new(View::Snapshot(snapshot));
    cluster.nodes.iter().any(|info| {
        let allocatable = |name: &str| stated_amount(&info.node.allocatable, name).unwrap_or_default();
        let on_node = i64::try_from(info.pods.len()).unwrap_or(i64::MAX);
        let is_short = |(name, wanted): (&&str, &i64)| {
            let used = info.requested.get(name).copied().unwrap_or_default();
            *wanted > 0 && *wanted > allocatable(name).saturating_sub(used)
        };
        let full = |uses: &volume_limits::DriverUse<'_>| {
            let limit = uses.limit.and_then(|limit| usize::try_from(limit).ok());
            // A volume that is attached and that no pod on the node uses counts twice for a new pod.
            let most = uses.volumes.saturating_add(uses.unused).saturating_add(volumes.saturating_mul(2));
            limit.is_some_and(|limit| most > limit)
        };
        let uses = || volume_limits::uses(&mut Reads::new(View::Snapshot(snapshot)), &settings.behavior, info);
        pods.saturating_add(on_node) > allocatable("pods")
            || requests.iter().any(is_short)
            || (volumes > 0 && (settings.behavior.scheduler.in_tree_limits || uses().iter().any(full)))
    })
}
