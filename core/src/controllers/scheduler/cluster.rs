//! The scheduler's list of the nodes, each with the pods on it. Upstream: `NodeInfo`, `pkg/scheduler/framework`, 1.36.

use crate::model::{Node, Pod, PodPhase, PodScheduling, Str, VolumeAttachment};
use crate::world::View;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;

/// A node with the pods on it.
#[derive(Clone, Debug)]
pub(super) struct NodeInfo<'s> {
    /// The node.
    pub(super) node: &'s Node,
    /// The pods on the node that have not ended, sorted by namespace and name.
    pub(super) pods: Vec<&'s Pod>,
    /// The sums of the resources that these pods request.
    pub(super) requested: BTreeMap<&'s str, i64>,
    /// The VolumeAttachments of the node.
    pub(super) attachments: Vec<&'s VolumeAttachment>,
}

/// All nodes, sorted by name.
#[derive(Clone, Debug)]
pub(super) struct Cluster<'s> {
    /// The nodes.
    pub(super) nodes: Vec<NodeInfo<'s>>,
    /// The claims that pods on these nodes name in `persistentVolumeClaim` volumes, by namespace and name.
    used_claims: FxHashSet<(&'s str, &'s str)>,
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

impl<'s> Cluster<'s> {
    pub(super) fn new(view: View<'s>) -> Self {
        let info = |node| NodeInfo { node, pods: Vec::new(), requested: BTreeMap::new(), attachments: Vec::new() };
        let mut nodes: Vec<NodeInfo<'s>> = view.all::<Node>().map(info).collect();
        let places: FxHashMap<&str, usize> =
            nodes.iter().enumerate().map(|(place, info)| (info.node.meta.name.as_str(), place)).collect();
        let mut used_claims = FxHashSet::default();
        for pod in view.all::<Pod>().filter(|pod| is_seen(pod)) {
            // Pods on nodes that do not exist are ignored.
            let Some(info) = places.get(pod.node_name.as_str()).and_then(|place| nodes.get_mut(*place)) else {
                continue;
            };
            info.pods.push(pod);
            for (name, amount) in &scheduling(pod).requests {
                let sum = info.requested.entry(name).or_default();
                *sum = sum.saturating_add(*amount);
            }
            used_claims.extend(pod.named_claims().map(|claim| (pod.meta.namespace.as_str(), claim.as_str())));
        }
        for attachment in view.all::<VolumeAttachment>() {
            let place = places.get(attachment.node_name.as_str());
            if let Some(info) = place.and_then(|place| nodes.get_mut(*place)) {
                info.attachments.push(attachment);
            }
        }
        Self { nodes, used_claims }
    }

    /// Returns the node of this name.
    pub(super) fn node(&self, name: &str) -> Option<&NodeInfo<'s>> {
        let place = self.nodes.binary_search_by(|info| info.node.meta.name.as_str().cmp(name)).ok()?;
        self.nodes.get(place)
    }

    /// Returns whether a pod on one of the nodes names the claim in a `persistentVolumeClaim` volume.
    pub(super) fn is_claim_used(&self, namespace: &str, claim: &str) -> bool {
        self.used_claims.contains(&(namespace, claim))
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
