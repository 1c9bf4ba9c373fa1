//! The objects because of which a volume plugin of the scheduler, such as `VolumeBinding`, rejects a node. The
//! messages of the scheduler do not name these objects.

use super::cluster::{PodClaim, pod_claims};
use super::reads::Reads;
use super::volume_binding::{Branch, PodVolumeClaims};
use super::{Scheduler, SchedulerReason, in_tree_limits, migration, volume_binding, volume_limits, volume_zone};
use crate::model::{
    AccessMode, AnnotationKey, CsiNode, Node, NodeSelector, PersistentVolume, PersistentVolumeClaim, Pod,
    StorageCapacity, StorageClass,
};
use crate::snapshot::Snapshot;
use crate::world::View;
use std::borrow::Cow;
use std::cell::OnceCell;

/// An object that leads to a reason.
#[derive(Clone, Debug, PartialEq)]
pub enum Cause<'s> {
    /// The claim does not exist, is Lost, is being deleted, is not bound, names a volume that does not exist, or is the
    /// claim of an ephemeral volume and does not belong to the pod.
    Claim(&'s str),
    /// The node affinity of the claim's volume does not match the node.
    VolumeAffinity {
        /// The name of the claim.
        claim: &'s str,
        /// The volume.
        volume: &'s PersistentVolume,
        /// The node affinity. If the plugin of the volume is migrated on the node, the affinity is translated to CSI.
        affinity: Cow<'s, NodeSelector>,
    },
    /// The node is not in the zone or region of the claim's volume.
    VolumeZone {
        /// The name of the claim.
        claim: &'s str,
        /// The volume.
        volume: &'s PersistentVolume,
        /// The label of the volume.
        key: &'static str,
    },
    /// An earlier attempt has selected another node for the claim.
    SelectedNode {
        /// The name of the claim.
        claim: &'s str,
        /// The name of the selected node.
        node: &'s str,
    },
    /// A volume is reserved for the claim, and its node affinity does not match the node. The scheduler does not search
    /// for another volume.
    ReservedElsewhere {
        /// The name of the claim.
        claim: &'s str,
        /// The name of the volume.
        volume: &'s str,
    },
    /// An earlier attempt has selected this node for the claim, so the scheduler does not search for a volume any more.
    /// But the class of the claim does not provision volumes.
    NothingProvisions {
        /// The name of the claim.
        claim: &'s str,
        /// The name of its class.
        class: &'s str,
        /// The name of the node.
        node: &'s str,
    },
    /// No volume fits both the claim and the node, and the class does not provision volumes.
    NoVolume {
        /// The name of the claim.
        claim: &'s str,
        /// The name of its class.
        class: &'s str,
    },
    /// Volumes fit the claim on the node, but other claims of the pod take them. The class does not provision volumes.
    TooFewVolumes {
        /// The name of the claim.
        claim: &'s str,
        /// The name of its class.
        class: &'s str,
    },
    /// `allowedTopologies` of the class of the claim does not match the node.
    AllowedTopologies {
        /// The name of the claim.
        claim: &'s str,
        /// The name of its class.
        class: &'s str,
    },
    /// No CSIStorageCapacity for the node is large enough for the claim.
    Capacity {
        /// The claim.
        claim: &'s PersistentVolumeClaim,
        /// The CSIStorageCapacity that accepts the largest claims there. It is `None` if there is none for the node.
        largest: Option<&'s StorageCapacity>,
    },
    /// The volume of the claim does not exist.
    VolumeMissing {
        /// The name of the claim.
        claim: &'s str,
        /// The name of the volume.
        volume: &'s str,
    },
    /// The limit of a driver on the node is reached.
    Limit {
        /// The driver.
        driver: String,
        /// The limit that the CSINode or the Node states.
        limit: i64,
        /// The number of volumes that are already counted.
        used: usize,
        /// The number of volumes that the pod would add.
        new: usize,
    },
    /// Another pod uses a claim that only one pod may use.
    ClaimInUse {
        /// The name of the claim.
        claim: &'s str,
        /// The pods that use it.
        pods: Vec<&'s Pod>,
    },
}

/// Returns whether the volume can be used only on some nodes.
pub fn is_tied(volume: &PersistentVolume) -> bool {
    volume.node_affinity.is_some() || volume_zone::states_zone(volume) || migration::has_affinity_in_csi(volume)
}

/// Returns the nodes on which a bound volume can be used: the node affinity of the volume matches the node, and the
/// zone and region labels of the volume do not exclude the node.
pub fn nodes_of_volume<'s>(snapshot: &'s Snapshot, volume: &'s PersistentVolume) -> impl Iterator<Item = &'s Node> {
    snapshot.nodes().iter().filter(|node| fits_node(snapshot, volume, node))
}

/// Returns whether the zone and region labels of the volume do not exclude the node.
pub fn is_in_zone(volume: &PersistentVolume, node: &Node) -> bool {
    !volume_zone::rejects(volume, node)
}

/// Returns whether a bound volume can be used on the node.
pub fn fits_node(snapshot: &Snapshot, volume: &PersistentVolume, node: &Node) -> bool {
    // A CSINode matters only for volumes of in-tree plugins.
    let is_in_tree = migration::InTree::of(volume).is_some();
    let csi_node = if is_in_tree { snapshot.find::<CsiNode>("", &node.meta.name) } else { None };
    unmatched_affinity(volume, csi_node, node).is_none() && !volume_zone::rejects(volume, node)
}

/// Returns the node affinity of the volume, if it does not match the node.
fn unmatched_affinity<'s>(
    volume: &'s PersistentVolume,
    csi_node: Option<&CsiNode>,
    node: &Node,
) -> Option<Cow<'s, NodeSelector>> {
    let affinity = migration::node_affinity(volume, csi_node).ok().flatten()?;
    (!affinity.matches(&node.meta.labels)).then_some(affinity)
}

/// Returns the object that leads to a reason about one claim on a node. `claims` is the result of `PreFilter`.
pub(super) fn of_claim<'s>(
    view: View<'s>,
    claims: Option<&PodVolumeClaims<'s>>,
    leaf: SchedulerReason,
    claim: &'s PersistentVolumeClaim,
    node: &Node,
) -> Option<Cause<'s>> {
    match leaf {
        SchedulerReason::NodeBoundVolumeAffinity => affinity(view, claim, node),
        SchedulerReason::NodeNoVolumeToBind => without_volume(view, claims, claim, node),
        SchedulerReason::NodeNotEnoughStorage => Some(without_capacity(view, claim, node)),
        SchedulerReason::NodeBoundVolumeMissing => missing_volume(view, claim),
        _ => None,
    }
}

fn affinity<'s>(view: View<'s>, claim: &'s PersistentVolumeClaim, node: &Node) -> Option<Cause<'s>> {
    let volume: &PersistentVolume = view.find("", &claim.volume_name)?;
    let affinity = unmatched_affinity(volume, view.find("", &node.meta.name), node)?;
    Some(Cause::VolumeAffinity { claim: &claim.meta.name, volume, affinity })
}

fn without_volume<'s>(
    view: View<'s>,
    claims: Option<&PodVolumeClaims<'s>>,
    claim: &'s PersistentVolumeClaim,
    node: &Node,
) -> Option<Cause<'s>> {
    let name = claim.meta.name.as_str();
    let selected = claim.meta.annotations.get(AnnotationKey::SelectedNode);
    if let Some(selected) = selected.filter(|selected| *selected != node.meta.name) {
        return Some(Cause::SelectedNode { claim: name, node: selected });
    }
    // If a node is selected, the scheduler does not search for a volume, not even for a reserved one.
    let searched = claims.filter(|_| selected.is_none());
    if let Some(volume) = searched.and_then(|claims| volume_binding::reserved_elsewhere(claims, claim, node)) {
        return Some(Cause::ReservedElsewhere { claim: name, volume: &volume.meta.name });
    }
    let class: &StorageClass = view.find("", claim.class())?;
    let class_name = class.meta.name.as_str();
    Some(match selected {
        _ if volume_binding::provisions(class) => Cause::AllowedTopologies { claim: name, class: class_name },
        Some(node) => Cause::NothingProvisions { claim: name, class: class_name, node },
        None if claims.is_some_and(|claims| volume_binding::fits_alone(claims, claim, node)) => {
            Cause::TooFewVolumes { claim: name, class: class_name }
        }
        None => Cause::NoVolume { claim: name, class: class_name },
    })
}

fn without_capacity<'s>(view: View<'s>, claim: &'s PersistentVolumeClaim, node: &Node) -> Cause<'s> {
    let class: Option<&StorageClass> = view.find("", claim.class());
    let largest = class.and_then(|class| volume_binding::largest_capacity(&mut Reads::new(view), class, node));
    Cause::Capacity { claim, largest }
}

fn missing_volume<'s>(view: View<'_>, claim: &'s PersistentVolumeClaim) -> Option<Cause<'s>> {
    let is_missing = !claim.volume_name.is_empty() && view.find::<PersistentVolume>("", &claim.volume_name).is_none();
    is_missing.then(|| Cause::VolumeMissing { claim: &claim.meta.name, volume: &claim.volume_name })
}

/// The search for the objects that lead to the reasons about a pod.
#[derive(Debug)]
pub struct Causes<'a, 's> {
    scheduler: &'a Scheduler<'s>,
    view: View<'s>,
    pod: &'s Pod,
    /// The claims of the pod, as `PreFilter` finds them. They are the same for all nodes.
    claims: OnceCell<Option<PodVolumeClaims<'s>>>,
    /// The causes of `NodeRwopInUse`. They are the same for all nodes.
    in_use: OnceCell<Vec<Cause<'s>>>,
}

impl<'a, 's> Causes<'a, 's> {
    /// Makes the search for a pod.
    pub fn new(scheduler: &'a Scheduler<'s>, pod: &'s Pod) -> Self {
        Self { scheduler, view: scheduler.view, pod, claims: OnceCell::new(), in_use: OnceCell::new() }
    }

    /// Returns the objects that lead to the reason on the node. The node is `None` if the pod was rejected before any
    /// node was tested.
    pub fn of(&self, leaf: SchedulerReason, node: Option<&'s Node>) -> Vec<Cause<'s>> {
        let mut causes: Vec<Cause<'s>> = Vec::new();
        // A pod can mount a claim twice. Then the same cause is found twice.
        for cause in self.all(leaf, node) {
            if !causes.contains(&cause) {
                causes.push(cause);
            }
        }
        causes
    }

    fn all(&self, leaf: SchedulerReason, node: Option<&'s Node>) -> Vec<Cause<'s>> {
        match (leaf, node) {
            (SchedulerReason::NodeBoundVolumeAffinity, Some(node)) => self.affinities(node),
            (SchedulerReason::NodeZoneConflict, Some(node)) => self.zones(node),
            (SchedulerReason::NodeNoVolumeToBind, Some(node)) => self.without_volume(node),
            (SchedulerReason::NodeNotEnoughStorage, Some(node)) => self.without_capacity(node),
            (SchedulerReason::NodeBoundVolumeMissing, _) => self.missing_volumes(),
            (SchedulerReason::NodeVolumeLimit, Some(node)) => self.limits(node),
            (SchedulerReason::NodeRwopInUse, _) => self.in_use.get_or_init(|| self.claims_in_use()).clone(),
            (
                SchedulerReason::PodClaimMissing
                | SchedulerReason::PodEphemeralClaimPending
                | SchedulerReason::PodClaimLost
                | SchedulerReason::PodClaimDeleting
                | SchedulerReason::PodEphemeralClaimForeign
                | SchedulerReason::PodClaimImmediateUnbound
                | SchedulerReason::PodClaimWithoutVolumeOrClass,
                _,
            ) => self.unready_claims(leaf),
            _ => Vec::new(),
        }
    }

    fn claim(&self, name: &str) -> Option<&'s PersistentVolumeClaim> {
        self.view.find(&self.pod.meta.namespace, name)
    }

    /// Returns the claims of the pod that exist.
    fn claims(&self) -> impl Iterator<Item = &'s PersistentVolumeClaim> {
        self.pod.claim_names().filter_map(|name| self.claim(name))
    }

    fn affinities(&self, node: &Node) -> Vec<Cause<'s>> {
        self.claims().filter_map(|claim| affinity(self.view, claim, node)).collect()
    }

    fn zones(&self, node: &Node) -> Vec<Cause<'s>> {
        // The plugin ignores ephemeral volumes.
        let named = self.pod.named_claims().filter_map(|name| self.claim(name));
        let unfit = |claim: &'s PersistentVolumeClaim| {
            let volume: &PersistentVolume = self.view.find("", &claim.volume_name)?;
            let key = volume_zone::unfit_label(volume, node)?;
            Some(Cause::VolumeZone { claim: &claim.meta.name, volume, key })
        };
        named.filter_map(unfit).collect()
    }

    /// Returns the claims of the pod, as `PreFilter` finds them.
    fn pod_claims(&self) -> Option<&PodVolumeClaims<'s>> {
        let (view, behavior) = (self.view, self.scheduler.behavior);
        let find = || volume_binding::pre_filter(&mut Reads::new(view), behavior, self.pod).ok();
        self.claims.get_or_init(find).as_ref()
    }

    /// Returns the claims that wait for the scheduler and that lead to this reason on the node. A claim can be listed
    /// several times.
    fn unfit(&self, leaf: SchedulerReason, node: &Node) -> Vec<&'s PersistentVolumeClaim> {
        let Some(claims) = self.pod_claims() else { return Vec::new() };
        let branches = volume_binding::filter(&mut Reads::new(self.view), self.scheduler.behavior, claims, node);
        let has_leaf =
            |branch: &Branch<'_>| branch.verdict.status.reasons.iter().any(|reason| reason.leaf == Some(leaf));
        branches.all.into_iter().filter(has_leaf).flat_map(|branch| branch.unfit).collect()
    }

    fn without_volume(&self, node: &Node) -> Vec<Cause<'s>> {
        let unfit = self.unfit(SchedulerReason::NodeNoVolumeToBind, node);
        let cause = |claim| without_volume(self.view, self.pod_claims(), claim, node);
        unfit.into_iter().filter_map(cause).collect()
    }

    fn without_capacity(&self, node: &Node) -> Vec<Cause<'s>> {
        let unfit = self.unfit(SchedulerReason::NodeNotEnoughStorage, node);
        unfit.into_iter().map(|claim| without_capacity(self.view, claim, node)).collect()
    }

    fn missing_volumes(&self) -> Vec<Cause<'s>> {
        self.claims().filter_map(|claim| missing_volume(self.view, claim)).collect()
    }

    fn limits(&self, node: &Node) -> Vec<Cause<'s>> {
        let Some(info) = self.scheduler.cluster.node(&node.meta.name) else { return Vec::new() };
        let mut reads = Reads::new(self.view);
        let full = volume_limits::full_drivers(&mut reads, self.scheduler.behavior, self.pod, info);
        let full = full.unwrap_or_default().into_iter();
        let in_tree = in_tree_limits::full_plugins(&mut reads, self.scheduler.behavior, self.pod, info);
        let full = full.chain(in_tree);
        full.map(|full| Cause::Limit { driver: full.driver, limit: full.limit, used: full.used, new: full.new })
            .collect()
    }

    fn claims_in_use(&self) -> Vec<Cause<'s>> {
        // The plugin ignores pods on nodes that do not exist. It also ignores ephemeral volumes.
        let on_nodes = || self.scheduler.cluster.nodes.iter().flat_map(|info| &info.pods).copied();
        let claims = self.pod.named_claims().filter_map(|name| self.claim(name));
        let exclusive = claims.filter(|claim| claim.access_modes.0.contains(&AccessMode::ReadWriteOncePod));
        let users = |claim: &'s PersistentVolumeClaim| {
            let uses = |pod: &&Pod| {
                pod.meta.namespace == self.pod.meta.namespace && pod.named_claims().any(|name| *name == claim.meta.name)
            };
            Cause::ClaimInUse { claim: &claim.meta.name, pods: on_nodes().filter(uses).collect() }
        };
        let is_used = |cause: &Cause<'_>| !matches!(cause, Cause::ClaimInUse { pods, .. } if pods.is_empty());
        exclusive.map(users).filter(is_used).collect()
    }

    /// Returns the claims that lead to this reason before any node is tested.
    fn unready_claims(&self, leaf: SchedulerReason) -> Vec<Cause<'s>> {
        let is_it = |used: &PodClaim<'s>| self.reason_of(used) == Some(leaf);
        pod_claims(self.pod).into_iter().filter(is_it).map(|used| Cause::Claim(used.name)).collect()
    }

    /// Returns the reason for which the scheduler would reject the pod if the pod used only this claim.
    fn reason_of(&self, used: &PodClaim<'s>) -> Option<SchedulerReason> {
        let mut reads = Reads::new(self.view);
        let claims = volume_binding::usable_claim(&mut reads, self.pod, used)
            .and_then(|claim| volume_binding::sort(&mut reads, self.scheduler.behavior, vec![claim]));
        match claims {
            Err(status) => status.reasons.first().and_then(|reason| reason.leaf),
            // VolumeZone gives this reason, and it ignores ephemeral volumes.
            Ok(claims) => {
                let is_missing = |claim: &&PersistentVolumeClaim| missing_volume(self.view, claim).is_some();
                let is_without = !used.ephemeral && claims.bound.iter().any(is_missing);
                is_without.then_some(SchedulerReason::PodClaimWithoutVolumeOrClass)
            }
        }
    }
}
