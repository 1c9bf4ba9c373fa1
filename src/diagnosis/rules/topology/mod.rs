//! Where volumes can be made and used: classes, drivers and nodes that do not fit together.

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
    StorageClass, Str, VolumePhase, label,
};
use crate::snapshot::Absence;
use serde_json::json;

/// The label by which volumes of one node name it.
const HOSTNAME: &str = "kubernetes.io/hostname";

/// Where the node stands that the scheduler chose.
const SELECTED_NODE: &str = "metadata.annotations[volume.kubernetes.io/selected-node]";

/// Whether somebody outside of kube-controller-manager makes the volumes of the class.
fn made_outside(case: &Case<'_>, class: &StorageClass) -> bool {
    class.provisioner != NO_PROVISIONER
        && !class.provisioner.is_empty()
        && matches!(find_provisionable_plugin(case.behavior(), class), Provider::External)
}

/// The driver that has to make the volumes of a class, by the name that it has today.
fn driver_of<'c>(case: &Case<'_>, class: &'c StorageClass) -> &'c str {
    migrated_driver(case.behavior(), &class.provisioner).unwrap_or(&class.provisioner)
}

/// Whether some node has registered the driver.
fn registered(case: &Case<'_>, driver: &str) -> bool {
    case.snapshot().all::<CsiNode>().iter().any(|node| node.driver(driver).is_some())
}

/// Whether the driver tells of some node where it lies: only for such drivers it matters where the volume is made.
fn tells_topology(case: &Case<'_>, driver: &str) -> bool {
    let mut nodes = case.snapshot().all::<CsiNode>().iter().filter_map(|node| node.driver(driver));
    nodes.any(|driver| !driver.topology_keys.is_empty())
}

/// Whether there may be objects of that kind that nobody read. To ask this makes no rule unjudged: [`Case::knows_all`]
/// does, once it is clear that such an object could have made a finding.
fn may_be_unread(case: &Case<'_>, kind: Kind, namespace: &str) -> bool {
    matches!(case.snapshot().coverage().absence(kind, namespace), Absence::Unknown(_))
}

/// The pods that use the claim and that the scheduler is to place, in the order of their names. How other schedulers
/// choose nobody knows here.
fn unplaced<'a>(case: &Case<'a>, claim: &PersistentVolumeClaim) -> impl Iterator<Item = &'a Pod> {
    let is_default = |pod: &Pod| !pod.has_own_scheduler();
    let is_unplaced = move |pod: &&Pod| {
        !pod.terminated() && pod.meta.deleted.is_none() && pod.node_name.is_empty() && !pod.gated && is_default(pod)
    };
    case.snapshot().pods_of(&claim.meta.namespace, &claim.meta.name).filter(is_unplaced)
}

/// Whether some pod that uses the claim has waited for a node for longer than is usual.
fn waits_for_a_node(case: &Case<'_>, claim: &PersistentVolumeClaim) -> bool {
    unplaced(case, claim).any(|pod| case.lasts(pod.meta.created).is_some())
}

/// Claims of one class that have waited for longer than is usual.
#[derive(Clone, Copy, Debug)]
struct Waiting<'a> {
    first: &'a PersistentVolumeClaim,
    others: usize,
}

impl Waiting<'_> {
    /// Who waits, with its verb.
    fn words(&self) -> String {
        let name = self.first.key();
        match self.others {
            0 => format!("claim {name} waits"),
            others => format!("claim {name} and {others} more wait"),
        }
    }

    /// The first of them, as it stands.
    fn shown_in(&self, found: Detection) -> Detection {
        let phase = self.first.status.phase.as_str();
        found.evidence(&key_of_claim(&self.first.meta), "status.phase", phase)
    }
}

/// The claims of the class that have been there for longer than is usual, have no volume, and for which that holds. All
/// claims are looked through: to be asked only of a class with which something is wrong.
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

/// Whether a driver is asked for the claim's volume, and has not made it.
fn is_asked_for(case: &Case<'_>, claim: &PersistentVolumeClaim) -> bool {
    let asked = claim.meta.annotations.has(AnnotationKey::StorageProvisioner)
        || claim.meta.annotations.has(AnnotationKey::BetaStorageProvisioner);
    // Under this name provisioners make the volume; one that is there and is not taken has a reason of its own.
    asked && case.lacks(Kind::PersistentVolume, "", &format!("pvc-{}", claim.meta.uid))
}

/// The node that the scheduler chose for a claim that waits for its driver to make a volume there. Where the node does
/// not exist, another rule speaks.
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
        // Where nodes were not read it may be there, which matters only if the claim waits.
        if case.lasts(claim.meta.created).is_some() && is_asked_for(case, claim) {
            case.lacks(Kind::Node, "", name);
        }
        return None;
    };
    Some(Chosen { node, class })
}

/// Whether the next sync of the claim leaves it to a driver, as often as it comes.
fn stays_with_its_driver(case: &Case<'_>, claim: &PersistentVolumeClaim) -> Option<bool> {
    let branch = case.claim_branch()?;
    let waits = branch == ClaimBranch::UnboundClaimProvisionExternal && is_asked_for(case, claim);
    Some(waits && !case.always_ends("Bound")?)
}

/// Takes the chosen node from a claim, if it is still that one.
fn unselect(claim: &PersistentVolumeClaim, node: &str, does: &str) -> Remedy {
    let path = "/metadata/annotations/volume.kubernetes.io~1selected-node";
    patch_claim(claim, vec![expect(path, node), json!({ "op": "remove", "path": path })], does)
}

/// Whether nodes with these labels are among those that the class allows. An empty term allows none. Upstream:
/// `MatchTopologySelectorTerms`, `pkg/apis/core/v1/helper`, 1.36.
fn allows(class: &StorageClass, labels: &[(Str, Str)]) -> bool {
    let has = |(key, values): &(Str, Box<[Str]>)| label(labels, key).is_some_and(|has| values.iter().any(|v| v == has));
    class.allowed_topologies.is_empty()
        || class.allowed_topologies.iter().any(|term| !term.is_empty() && term.iter().all(has))
}

/// What one term of `allowedTopologies` asks for, in the syntax of `kubectl -l`.
fn term_words(term: &[(Str, Box<[Str]>)]) -> String {
    let words = term.iter().map(|(key, values)| match &**values {
        [one] => format!("{key}={one}"),
        several => format!("{key} in ({})", several.join(",")),
    });
    words.collect::<Vec<_>>().join(",")
}

/// All that `allowedTopologies` asks for; of many terms the first two.
fn topologies(class: &StorageClass) -> String {
    let terms: Vec<String> = class.allowed_topologies.iter().take(2).map(|term| term_words(term)).collect();
    let more = if class.allowed_topologies.len() > 2 { ", or others" } else { "" };
    format!("{}{more}", terms.join(", or "))
}

/// How large a volume there may be at most; nothing where it does not say. Upstream: `volumeLimit`, scheduler, 1.36.
fn room(capacity: &StorageCapacity) -> Option<&Quantity> {
    capacity.maximum.as_ref().or(capacity.capacity.as_ref())
}

/// Whether some node can count on it: it says how much there is, and for whom.
fn is_usable(capacity: &StorageCapacity) -> bool {
    capacity.topology.is_some() && room(capacity).is_some()
}

/// Whether the volume is recorded as one whose claim is gone.
fn is_released(volume: &PersistentVolume) -> bool {
    matches!(volume.status.phase, VolumePhase::Released | VolumePhase::Failed)
}
