//! The volumes of a node: which ones its pods use, which could be used nowhere else, and the limits of drivers.

use super::pod::facts::bound;
use crate::controllers::KubernetesBehavior;
use crate::controllers::scheduler::{DriverUse, Scheduler, nodes_of_volume};
use crate::model::{Kind, Node, PersistentVolume, Pod, Str};
use crate::snapshot::{Absence, Snapshot};
use std::collections::BTreeMap;

/// The volumes of a node.
#[derive(Clone, Debug)]
pub struct NodeVolumes<'s> {
    /// The volumes that pods on the node use, and those that can be used on no other node, sorted by name.
    pub volumes: Vec<NodeVolume<'s>>,
    /// The volumes that count for the limits, by driver.
    pub drivers: Vec<DriverUse<'s>>,
    /// Whether all pods and nodes are known, so that nothing is missing.
    pub is_complete: bool,
}

/// A volume of a node.
#[derive(Clone, Debug)]
pub struct NodeVolume<'s> {
    /// The volume.
    pub volume: &'s PersistentVolume,
    /// The namespace and name of its claim, if it has one.
    pub claim: Option<(Str, Str)>,
    /// The pods on the node that use it.
    pub pods: Vec<&'s Pod>,
    /// The number of other nodes on which it can be used.
    pub other_nodes: usize,
}

impl<'s> NodeVolumes<'s> {
    /// Finds the volumes of a node.
    pub fn of(snapshot: &'s Snapshot, behavior: &'s KubernetesBehavior, node: &'s Node) -> Self {
        let name = &node.meta.name;
        let mut used: BTreeMap<&str, Vec<&Pod>> = BTreeMap::new();
        for pod in snapshot.pods().iter().filter(|pod| pod.node_name == *name && !pod.terminated()) {
            for claim in pod.claim_names() {
                if let Some((_, volume)) = bound(snapshot, &pod.meta.namespace, claim) {
                    used.entry(&volume.meta.name).or_default().push(pod);
                }
            }
        }
        let of_node = |volume: &'s PersistentVolume| {
            let pods = used.get(volume.meta.name.as_str()).cloned().unwrap_or_default();
            // A volume without a node affinity and without labels can be used everywhere.
            if pods.is_empty() && volume.node_affinity.is_none() {
                return None;
            }
            let nodes: Vec<&Str> = nodes_of_volume(snapshot, volume).map(|node| &node.meta.name).collect();
            let is_tied = nodes == [name];
            let claim = volume.claim_ref.as_ref().map(|named| (named.namespace.clone(), named.name.clone()));
            let other_nodes = nodes.iter().filter(|other| **other != name).count();
            (is_tied || !pods.is_empty()).then_some(NodeVolume { volume, claim, pods, other_nodes })
        };
        let coverage = snapshot.coverage();
        let is_known = |kind| !matches!(coverage.absence(kind, ""), Absence::Unknown(_));
        Self {
            volumes: snapshot.volumes().iter().filter_map(of_node).collect(),
            drivers: Scheduler::new(snapshot, behavior).driver_uses(node),
            is_complete: is_known(Kind::Pod) && is_known(Kind::Node),
        }
    }
}
