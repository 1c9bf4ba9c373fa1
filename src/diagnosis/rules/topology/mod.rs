//! Classes, drivers and nodes that do not fit together. They decide where volumes can be provisioned and used.

crate::diagnosis::rules::section! {
    pvc_selected_node_no_csinode,
    pvc_selected_node_unfit,
    sc_allowed_topologies_impossible,
    sc_provisioner_absent,
    capacity_not_published,
    affinity_hostname_label,
    sc_immediate_topology,
    nfs_cluster_dns_name,
}

use crate::controllers::ClaimBranch;
use crate::controllers::persistent_volume::plugins::{Provider, find_provisionable_plugin, migrated_driver};
use crate::diagnosis::case::key_of_claim;
use crate::diagnosis::facts::is_open;
use crate::diagnosis::remedy::{expect, patch_claim};
use crate::diagnosis::{Case, Detection, Remedy};
use crate::model::surroundings::StorageCapacity;
use crate::model::{
    AnnotationKey, CsiNode, Kind, NO_PROVISIONER, Node, PersistentVolume, PersistentVolumeClaim, Pod, Quantity,
    StorageClass, Str, VolumePhase,
};
use crate::snapshot::Absence;
use serde_json::json;

/// The label that identifies the node in the node affinity of a volume that only one node can use.
const HOSTNAME: &str = "kubernetes.io/hostname";

/// The annotation with the node that the scheduler selected.
const SELECTED_NODE: &str = "metadata.annotations[volume.kubernetes.io/selected-node]";

/// Returns whether a provisioner outside of kube-controller-manager makes the volumes of the class.
fn made_outside(case: &Case<'_>, class: &StorageClass) -> bool {
    class.provisioner != NO_PROVISIONER
        && !class.provisioner.is_empty()
        && matches!(find_provisionable_plugin(case.behavior(), class), Provider::External)
}

/// Returns the driver that provisions volumes of the class. For a migrated plugin this is the CSI driver that replaced
/// it.
fn driver_of<'c>(case: &Case<'_>, class: &'c StorageClass) -> &'c str {
    migrated_driver(case.behavior(), &class.provisioner).unwrap_or(&class.provisioner)
}

/// Returns whether any node has registered the driver.
fn registered(case: &Case<'_>, driver: &str) -> bool {
    case.snapshot().all::<CsiNode>().iter().any(|node| node.driver(driver).is_some())
}

/// Returns whether the driver reports a topology for any node. Only for such drivers it matters where a volume is
/// created.
fn tells_topology(case: &Case<'_>, driver: &str) -> bool {
    let mut nodes = case.snapshot().all::<CsiNode>().iter().filter_map(|node| node.driver(driver));
    nodes.any(|driver| !driver.topology_keys.is_empty())
}

/// Returns whether objects of that kind may exist although they were not read. This function does not record a missing
/// read. [`Case::knows_all`] records a missing read, and a rule calls it if such an object could have led to a finding.
fn may_be_unread(case: &Case<'_>, kind: Kind, namespace: &str) -> bool {
    matches!(case.snapshot().coverage().absence(kind, namespace), Absence::Unknown(_))
}

/// Returns the pods that use the claim and that the default scheduler has to place, in the order of their names. How
/// other schedulers select nodes is not known.
fn unplaced<'a>(case: &Case<'a>, claim: &PersistentVolumeClaim) -> impl Iterator<Item = &'a Pod> {
    let is_default = |pod: &Pod| !pod.has_own_scheduler();
    let is_unplaced = move |pod: &&Pod| {
        !pod.terminated() && pod.meta.deleted.is_none() && pod.node_name.is_empty() && !pod.gated && is_default(pod)
    };
    case.snapshot().pods_of(&claim.meta.namespace, &claim.meta.name).filter(is_unplaced)
}

/// Returns whether a pod that uses the claim has waited for a node for at least
/// [`PATIENCE`](crate::diagnosis::case::PATIENCE) seconds.
fn waits_for_a_node(case: &Case<'_>, claim: &PersistentVolumeClaim) -> bool {
    unplaced(case, claim).any(|pod| case.lasts(pod.meta.created).is_some())
}

/// Claims of one class that have waited for longer than usual.
#[derive(Clone, Copy, Debug)]
struct Waiting<'a> {
    first: &'a PersistentVolumeClaim,
    others: usize,
}

impl Waiting<'_> {
    /// Names the waiting claims, with the verb.
    fn words(&self) -> String {
        let name = self.first.key();
        match self.others {
            0 => format!("claim {name} waits"),
            others => format!("claim {name} and {others} more wait"),
        }
    }

    /// Adds the phase of the first waiting claim as evidence.
    fn shown_in(&self, found: Detection) -> Detection {
        let phase = self.first.status.phase.as_str();
        found.evidence(&key_of_claim(&self.first.meta), "status.phase", phase)
    }
}

/// Returns the claims of the class that have waited for longer than usual, have neither a volume nor a selector, and
/// satisfy the condition. Returns None if there are none. This reads all claims, so call it only for a class that has a
/// problem.
fn waiting<'a>(
    case: &Case<'a>,
    class: &StorageClass,
    holds: impl Fn(&PersistentVolumeClaim) -> bool,
) -> Option<Waiting<'a>> {
    let is_late = |claim: &&PersistentVolumeClaim| {
        let since = claim.meta.created.map(|created| class.meta.created.map_or(created, |class| class.max(created)));
        claim.class() == class.meta.name
            && is_open(claim)
            && claim.selector.is_none()
            && case.lasts(since).is_some()
            && holds(claim)
    };
    let mut late = case.snapshot().claims().iter().filter(is_late);
    let first = late.next()?;
    Some(Waiting { first, others: late.count() })
}

/// Returns whether a driver has been asked to provision the claim's volume and the volume does not exist.
fn is_asked_for(case: &Case<'_>, claim: &PersistentVolumeClaim) -> bool {
    let asked = claim.meta.annotations.has(AnnotationKey::StorageProvisioner)
        || claim.meta.annotations.has(AnnotationKey::BetaStorageProvisioner);
    // Provisioners give the volume this name. If such a volume exists, the driver has created it, and something else
    // prevents the binding.
    asked && case.lacks(Kind::PersistentVolume, "", &format!("pvc-{}", claim.meta.uid))
}

/// The node that the scheduler selected for a claim, and the claim's class. The claim waits for its driver to provision
/// a volume for this node. If the node does not exist, another rule reports that.
struct Chosen<'a> {
    node: &'a Node,
    class: &'a StorageClass,
}

fn chosen<'a>(case: &Case<'a>, claim: &PersistentVolumeClaim) -> Option<Chosen<'a>> {
    let name = claim.meta.annotations.get(AnnotationKey::SelectedNode).filter(|node| !node.is_empty())?;
    if !is_open(claim) || claim.selector.is_some() {
        return None;
    }
    let class = case.class(claim.class()).filter(|class| class.waits_for_first_consumer())?;
    let Some(node) = case.snapshot().node(name) else {
        // If nodes were not read, the node may exist. This matters only if the claim waits.
        if case.lasts(claim.meta.created).is_some() && is_asked_for(case, claim) {
            case.lacks(Kind::Node, "", name);
        }
        return None;
    };
    Some(Chosen { node, class })
}

/// Returns whether the claim keeps waiting for its driver in every sync.
fn stays_with_its_driver(case: &Case<'_>, claim: &PersistentVolumeClaim) -> Option<bool> {
    let branch = case.claim_branch()?;
    let waits = branch == ClaimBranch::UnboundClaimProvisionExternal && is_asked_for(case, claim);
    Some(waits && !case.always_ends("Bound")?)
}

/// Creates a remedy that removes the selected node from the claim, if it is still that node.
fn unselect(claim: &PersistentVolumeClaim, node: &str, does: &str) -> Remedy {
    let path = "/metadata/annotations/volume.kubernetes.io~1selected-node";
    patch_claim(claim, vec![expect(path, node), json!({ "op": "remove", "path": path })], does)
}

/// Returns one term of `allowedTopologies` in the syntax of `kubectl -l`.
fn term_words(term: &[(Str, Box<[Str]>)]) -> String {
    let words = term.iter().map(|(key, values)| match &**values {
        [one] => format!("{key}={one}"),
        several => format!("{key} in ({})", several.join(",")),
    });
    words.collect::<Vec<_>>().join(",")
}

/// Returns the terms of `allowedTopologies`. If there are more than two, the first two are shown.
fn topologies(class: &StorageClass) -> String {
    let terms: Vec<String> = class.allowed_topologies.iter().take(2).map(|term| term_words(term)).collect();
    let more = if class.allowed_topologies.len() > 2 { ", or others" } else { "" };
    format!("{}{more}", terms.join(", or "))
}

/// Returns the maximum size of a volume that this object states. Returns None if it states none. Upstream:
/// `volumeLimit`, scheduler, 1.36.
fn room(capacity: &StorageCapacity) -> Option<&Quantity> {
    capacity.maximum.as_ref().or(capacity.capacity.as_ref())
}

/// Returns whether the object states a size and a topology. The scheduler ignores any other CSIStorageCapacity.
fn is_usable(capacity: &StorageCapacity) -> bool {
    capacity.topology.is_some() && room(capacity).is_some()
}

/// Returns whether the phase of the volume says that its claim is gone.
fn is_released(volume: &PersistentVolume) -> bool {
    matches!(volume.status.phase, VolumePhase::Released | VolumePhase::Failed)
}
