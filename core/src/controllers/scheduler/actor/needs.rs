//! The reads on which the outcomes of a component with waiting pods depend.

use super::super::cluster::{Cluster, pod_claims, scheduling};
use super::super::reads::Reads;
use super::super::{inter_pod_affinity, volume_binding, volume_limits};
use crate::controllers::KubernetesBehavior;
use crate::controllers::Settings;
use crate::controllers::persistent_volume::links::own_classes;
use crate::controllers::scheduler::handles;
use crate::controllers::spec::{Needs, note_gap};
use crate::model::{
    AnnotationKey, CsiDriver, CsiNode, Id, Kind, Node, ObjectId, PersistentVolume, PersistentVolumeClaim, Pod,
    ReclaimPolicy, StorageCapacity, StorageClass, Str, VolumeAttachment,
};
use crate::snapshot::{Absence, Snapshot};
use crate::world::View;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::OnceLock;

/// Prepares the function that returns the uncertain reads of a component. The function records the reads of all
/// plugins, also of plugins that the scheduler does not reach now. During the simulation, another plugin may be the
/// first that rejects a node.
pub(super) fn needs<'a>(snapshot: &'a Snapshot, settings: &Settings<'a>) -> Needs<'a> {
    let behavior = settings.behavior.clone();
    let (of_nodes, waiting) = (OnceLock::new(), OnceLock::new());
    let is_waiting = |id: &ObjectId| id.of().filter(|pod: &Id<Pod>| handles(snapshot.get(*pod)));
    Box::new(move |objects| {
        let mut pods = objects.iter().filter_map(is_waiting).map(|pod| snapshot.get(pod)).peekable();
        let mut found = Vec::new();
        if pods.peek().is_none() {
            // A pod that was not read could use a claim that waits for its first consumer, and the claim could get a
            // free volume of the component.
            let waiting = waiting.get_or_init(|| Waiting::new(snapshot, &behavior));
            let claims = objects.iter().filter_map(|id| id.of()).map(|id| snapshot.claim(id));
            let own = claims.filter(|claim| waits(snapshot, &behavior, claim)).map(|claim| &claim.meta.namespace);
            let volumes = objects.iter().filter_map(|id| id.of()).map(|id| snapshot.volume(id));
            let free = volumes.filter(|volume| may_be_free(snapshot, volume));
            let others = free.filter_map(|volume| waiting.0.get(volume.class())).flatten().copied();
            for namespace in own.chain(others).map(Str::as_str).collect::<BTreeSet<&str>>() {
                note_gap(&mut found, Kind::Pod, namespace, snapshot.coverage().absence(Kind::Pod, namespace));
            }
            return found;
        }
        let OfNodes { cluster, doubts, some_keep_away } = of_nodes.get_or_init(|| OfNodes::new(snapshot, &behavior));
        let mut reads = Reads::new(View::Snapshot(snapshot));
        for pod in pods {
            let stated = scheduling(pod);
            if *some_keep_away || !stated.affinity.is_empty() || !stated.anti_affinity.is_empty() {
                // This call only records the reads of the plugin. The simulation runs the plugin again.
                drop(inter_pod_affinity::pre_filter(&mut reads, &behavior, cluster, pod));
            }
            read_claims(&mut reads, snapshot, &behavior, pod);
        }
        for (kind, absence) in doubts.clone().into_iter().chain(reads.into_doubts()) {
            note_gap(&mut found, kind, "", absence);
        }
        found
    })
}

/// Returns whether a claim can get the volume, now or after the controller has removed its `claimRef`: the controller
/// has set it for a claim that does not have the volume, or the volume is recycled.
fn may_be_free(snapshot: &Snapshot, volume: &PersistentVolume) -> bool {
    let Some(named) = &volume.claim_ref else { return true };
    let claim = snapshot.claim_id(&named.namespace, &named.name).map(|id| snapshot.claim(id));
    let has_it = claim.is_some_and(|claim| claim.volume_name == volume.meta.name && claim.meta.uid == named.uid);
    let is_removed = volume.meta.annotations.has(AnnotationKey::BoundByController)
        || volume.reclaim_policy == ReclaimPolicy::Recycle;
    !has_it && is_removed
}

/// Returns whether the claim waits for its first consumer.
fn waits(snapshot: &Snapshot, behavior: &KubernetesBehavior, claim: &PersistentVolumeClaim) -> bool {
    let waits = |name: &Str| snapshot.class(name).is_some_and(StorageClass::waits_for_first_consumer);
    claim.volume_name.is_empty() && own_classes(snapshot, behavior, claim).iter().any(waits)
}

/// The namespaces of the claims that wait for their first consumer, by class.
struct Waiting<'s>(BTreeMap<Str, BTreeSet<&'s Str>>);

impl<'s> Waiting<'s> {
    fn new(snapshot: &'s Snapshot, behavior: &KubernetesBehavior) -> Self {
        let mut namespaces: BTreeMap<Str, BTreeSet<&Str>> = BTreeMap::new();
        for claim in snapshot.claims().iter().filter(|claim| waits(snapshot, behavior, claim)) {
            for class in own_classes(snapshot, behavior, claim) {
                namespaces.entry(class).or_default().insert(&claim.meta.namespace);
            }
        }
        Self(namespaces)
    }
}

/// What is computed once and used for all pods.
struct OfNodes<'s> {
    cluster: Cluster<'s>,
    /// The kinds that the decision about every pod needs and that may not have been read completely.
    doubts: BTreeMap<Kind, Absence>,
    /// Whether some pod with a node keeps other pods away.
    some_keep_away: bool,
}

impl<'s> OfNodes<'s> {
    fn new(snapshot: &'s Snapshot, behavior: &KubernetesBehavior) -> Self {
        let cluster = Cluster::new(View::Snapshot(snapshot));
        let mut reads = Reads::new(View::Snapshot(snapshot));
        reads.need_all::<Node>();
        reads.need_all::<Pod>();
        for info in &cluster.nodes {
            let node = reads.find::<CsiNode>("", &info.node.meta.name);
            if behavior.scheduler.attachments_count && volume_limits::has_limits(behavior, node, info) {
                reads.need_all::<VolumeAttachment>();
            }
        }
        let mut pods = cluster.nodes.iter().flat_map(|info| &info.pods);
        let some_keep_away = pods.any(|pod| !scheduling(pod).anti_affinity.is_empty());
        Self { doubts: reads.into_doubts(), some_keep_away, cluster }
    }
}

/// Reads what decides about the claims of a pod.
fn read_claims(reads: &mut Reads<'_>, snapshot: &Snapshot, behavior: &KubernetesBehavior, pod: &Pod) {
    for used in pod_claims(pod) {
        reads.need_all::<PersistentVolume>();
        let claim = reads.find::<PersistentVolumeClaim>(&pod.meta.namespace, used.name);
        if let Some(claim) = claim.filter(|claim| !claim.volume_name.is_empty()) {
            reads.find::<PersistentVolume>("", &claim.volume_name);
        }
        // A claim may still be created from the template.
        let own = pod.ephemeral.iter().find(|volume| volume.template.meta.name == *used.name);
        let stated = claim.into_iter().chain(own.map(|volume| &volume.template));
        let classes: Vec<Str> = stated.flat_map(|claim| own_classes(snapshot, behavior, claim)).collect();
        for name in classes.iter().filter(|name| !name.is_empty()) {
            let class = reads.find::<StorageClass>("", name).filter(|class| volume_binding::provisions(class));
            let driver = class.and_then(|class| reads.find::<CsiDriver>("", &class.provisioner));
            if driver.is_some_and(|driver| driver.storage_capacity) {
                reads.need_all::<StorageCapacity>();
            }
        }
    }
}
