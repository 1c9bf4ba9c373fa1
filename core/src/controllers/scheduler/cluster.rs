//! The scheduler's list of the nodes, each with the pods on it. Upstream: `NodeInfo`, `pkg/scheduler/framework`, 1.36.

use super::groups::{NodeGroup, NodeGroups};
use super::reservation::Reservation;
use crate::model::{Id, Node, Pod, PodPhase, PodScheduling, Str, VolumeAttachment};
use crate::world::View;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// A node with the pods on it.
#[derive(Clone, Debug)]
pub(super) struct NodeInfo<'s> {
    /// The node.
    pub(super) node: &'s Node,
    /// The number of nodes in its group. It is 1 if the nodes are not grouped.
    pub(super) count: usize,
    /// The pods on the node that have not ended, sorted by namespace and name.
    pub(super) pods: Vec<&'s Pod>,
    /// The sums of the resources that these pods request.
    pub(super) requested: BTreeMap<&'s str, i64>,
    /// The VolumeAttachments of the node. The list is empty if the nodes are grouped.
    pub(super) attachments: Vec<&'s VolumeAttachment>,
}

impl<'s> NodeInfo<'s> {
    fn add(&mut self, pod: &'s Pod) {
        self.pods.push(pod);
        for (name, amount) in &scheduling(pod).requests {
            let sum = self.requested.entry(name).or_default();
            *sum = sum.saturating_add(*amount);
        }
    }
}

/// The nodes with their pods, as the scheduler sees them.
#[derive(Clone, Debug)]
pub(super) struct Cluster<'s> {
    /// The nodes, sorted by name: all of them, or one for each group.
    pub(super) nodes: Vec<NodeInfo<'s>>,
    view: View<'s>,
}

/// Returns whether the scheduler sees the pod. Its informer leaves out pods that have ended.
pub(super) fn is_seen(pod: &Pod) -> bool {
    !matches!(pod.phase, PodPhase::Succeeded | PodPhase::Failed)
}

/// Returns the fields of a pod that the scheduler reads, besides its claims.
pub(super) fn scheduling(pod: &Pod) -> &PodScheduling {
    static NONE: std::sync::LazyLock<PodScheduling> = std::sync::LazyLock::new(PodScheduling::default);
    pod.scheduling.as_deref().unwrap_or(&NONE)
}

/// Returns the name of the node of a pod. A pod whose volumes are being bound is treated as a pod of the node that was
/// chosen for it.
fn node_of<'v>(view: View<'v>, id: Id<Pod>, pod: &'v Pod) -> Option<&'v str> {
    let chosen = || Some(Reservation::of(view.memory_of(id)?)?.node_name(view)?.as_str());
    Some(pod.node_name.as_str()).filter(|name| !name.is_empty()).or_else(chosen)
}

impl<'s> Cluster<'s> {
    pub(super) fn new(view: View<'s>) -> Self {
        let info =
            |node| NodeInfo { node, count: 1, pods: Vec::new(), requested: BTreeMap::new(), attachments: Vec::new() };
        let mut nodes: Vec<NodeInfo<'s>> = view.all::<Node>().map(info).collect();
        let places: FxHashMap<&str, usize> =
            nodes.iter().enumerate().map(|(place, info)| (info.node.meta.name.as_str(), place)).collect();
        for (id, pod) in view.with_ids::<Pod>().filter(|(_, pod)| is_seen(pod)) {
            let node = node_of(view, id, pod);
            // Pods on nodes that do not exist are ignored.
            let Some(info) = node.and_then(|name| places.get(name)).and_then(|place| nodes.get_mut(*place)) else {
                continue;
            };
            info.add(pod);
        }
        for attachment in view.all::<VolumeAttachment>() {
            let place = places.get(attachment.node_name.as_str());
            if let Some(info) = place.and_then(|place| nodes.get_mut(*place)) {
                info.attachments.push(attachment);
            }
        }
        Self { nodes, view }
    }

    /// Returns the nodes that represent the groups, each with the pods on it. The other nodes of a group are like its
    /// representative for every pod that the scheduler has to schedule.
    pub(super) fn of_groups(view: View<'s>, groups: &NodeGroups) -> Self {
        let of_group = |group: &NodeGroup| {
            let node = view.get(group.node())?;
            let mut info = NodeInfo {
                node,
                count: group.members.len(),
                pods: Vec::new(),
                requested: BTreeMap::new(),
                attachments: Vec::new(),
            };
            let pods = group.pods.iter().filter_map(|id| view.get(*id)).filter(|pod| is_seen(pod));
            pods.for_each(|pod| info.add(pod));
            Some(info)
        };
        Self { nodes: groups.groups.iter().filter_map(of_group).collect(), view }
    }

    /// Returns the number of all nodes. If the nodes are grouped, every node of each group is counted.
    pub(super) fn count(&self) -> usize {
        self.nodes.iter().map(|info| info.count).sum()
    }

    /// Returns the node of this name.
    pub(super) fn node(&self, name: &str) -> Option<&NodeInfo<'s>> {
        let place = self.nodes.binary_search_by(|info| info.node.meta.name.as_str().cmp(name)).ok()?;
        self.nodes.get(place)
    }

    /// Returns whether a pod on one of the nodes names the claim in a `persistentVolumeClaim` volume.
    pub(super) fn is_claim_used(&self, namespace: &str, claim: &str) -> bool {
        let mut users = self.view.pods_of(namespace, claim);
        users.any(|(id, pod)| {
            is_seen(pod)
                && pod.named_claims().any(|named| named == claim)
                && node_of(self.view, id, pod).is_some_and(|node| self.view.find::<Node>("", node).is_some())
        })
    }
}

/// A volume of a pod, if the volume uses a claim.
#[derive(Clone, Copy, Debug)]
pub(super) struct PodClaim<'p> {
    /// The name of the claim.
    pub(super) name: &'p Str,
    /// Whether the volume is ephemeral. Then the claim must have been created for the pod.
    pub(super) ephemeral: bool,
}

/// Returns the volumes of a pod that use a claim, in the order of the pod's volumes.
pub(super) fn pod_claims(pod: &Pod) -> Vec<PodClaim<'_>> {
    let named = pod.claims.iter().map(|volume| (volume.place, PodClaim { name: &volume.claim, ephemeral: false }));
    let own = pod.ephemeral.iter();
    let own = own.map(|volume| (volume.place, PodClaim { name: &volume.template.meta.name, ephemeral: true }));
    let mut all: Vec<(u16, PodClaim<'_>)> = named.chain(own).collect();
    all.sort_by_key(|(place, _)| *place);
    all.into_iter().map(|(_, claim)| claim).collect()
}
