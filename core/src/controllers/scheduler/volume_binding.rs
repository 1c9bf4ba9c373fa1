//! The tests of the claims of a pod, and of their volumes. Upstream: `volumebinding`, 1.36.
//!
//! The order of the volumes in the scheduler's cache is not defined. If several volumes are reserved for a claim, or if
//! several volumes of the smallest size fit, this order decides which volume is chosen. So the answer for a node is a
//! list of branches, each with the orders that lead to it.

use super::SchedulerReason;
use super::cluster::{PodClaim, pod_claims};
use super::migration;
use super::orders::Order;
use super::reads::Reads;
use super::verdict::{Binding, Code, Plugin, Reason, Status, Verdict};
use crate::controllers::persistent_volume::binding::is_volume_bound_to_claim;
use crate::controllers::persistent_volume::matching::{Fit, Query};
use crate::controllers::{CandidateVerdict, KubernetesBehavior};
use crate::model::{
    AnnotationKey, ClaimPhase, CsiDriver, CsiNode, NO_PROVISIONER, Node, PersistentVolume, PersistentVolumeClaim, Pod,
    Quantity, StorageCapacity, StorageClass, Str,
};
use crate::snapshot::Snapshot;
use std::cmp::Ordering;
use std::collections::BTreeMap;

/// The number of branches of one node after which the search for more branches ends.
const MOST_BRANCHES: usize = 1000;

/// The claims of a pod, by what has to be done for them. Upstream: `PodVolumeClaims`, 1.36.
#[derive(Clone, Debug, Default)]
pub(super) struct PodVolumeClaims<'s> {
    pub(super) bound: Vec<&'s PersistentVolumeClaim>,
    waiting: Vec<Waiting<'s>>,
}

impl<'s> PodVolumeClaims<'s> {
    fn of(&self, claim: &PersistentVolumeClaim) -> Option<&Waiting<'s>> {
        self.waiting.iter().find(|waiting| waiting.claim.meta.name == claim.meta.name)
    }
}

/// A claim that waits for its first consumer, with the volumes that it could get on some node.
#[derive(Clone, Debug)]
struct Waiting<'s> {
    claim: &'s PersistentVolumeClaim,
    /// The volumes of the claim's class that fit before the node is tested, each with whether it is reserved for the
    /// claim. If the search fails, this is the error of the search.
    volumes: Result<Vec<(&'s PersistentVolume, bool)>, String>,
}

impl<'s> Waiting<'s> {
    /// Finds the volumes. They are the same for all nodes.
    fn new(reads: &mut Reads<'s>, behavior: &KubernetesBehavior, claim: &'s PersistentVolumeClaim) -> Self {
        let all = reads.list::<PersistentVolume>();
        let volumes = Query::new(behavior, claim, false).map(|query| {
            let of_class = all.filter(|volume| volume.class() == claim.class());
            let fitting = |volume: &'s PersistentVolume| match verdict_before_node(&query, claim, volume) {
                CandidateVerdict::CandidateReserved => Some((volume, true)),
                CandidateVerdict::CandidateChosen => Some((volume, false)),
                _ => None,
            };
            of_class.filter_map(fitting).collect()
        });
        Self { claim, volumes }
    }
}

/// Tests one volume of the claim's class, without the node and before it is compared with other volumes. A volume that
/// is free and fits is `CandidateChosen`. Upstream: `FindMatchingVolume`, component-helpers, 1.36.
fn verdict_before_node(
    query: &Query<'_>,
    claim: &PersistentVolumeClaim,
    volume: &PersistentVolume,
) -> CandidateVerdict {
    match query.fit(volume) {
        Fit::No(verdict) => verdict,
        Fit::Reserved => CandidateVerdict::CandidateReserved,
        Fit::Free if volume.access_modes.contains_all(&claim.access_modes) => CandidateVerdict::CandidateChosen,
        Fit::Free => CandidateVerdict::CandidateAccessModes,
    }
}

/// Returns whether the node affinity of the volume matches the node. Upstream: `CheckNodeAffinity`, component-helpers,
/// 1.36.
fn is_near(volume: &PersistentVolume, node: &Node) -> bool {
    volume.node_affinity.as_deref().is_none_or(|affinity| affinity.matches(&node.meta.labels))
}

/// Checks that the claim of an ephemeral volume was created for the pod. Upstream: `VolumeIsForPod`, component-helpers,
/// 1.36.
///
/// # Errors
/// Returns upstream's words if the claim was not created for the pod.
pub(super) fn is_for_pod(pod: &Pod, claim: &PersistentVolumeClaim) -> Result<(), String> {
    if claim.meta.controller_owner.as_ref() == Some(&pod.meta.uid) {
        return Ok(());
    }
    let (namespace, name) = (pod.meta.namespace.as_str(), pod.meta.name.as_str());
    let claim = claim.key();
    Err(format!("PVC {claim} was not created for pod {namespace}/{name} (pod is not owner)"))
}

/// Returns whether the scheduler treats the claim as bound: it names a volume and has the annotation bind-completed.
/// Upstream: `isPVCFullyBound`, 1.36.
pub(super) fn is_fully_bound(claim: &PersistentVolumeClaim) -> bool {
    !claim.volume_name.is_empty() && claim.meta.annotations.has(AnnotationKey::BindCompleted)
}

fn reject(leaf: SchedulerReason, text: String) -> Status {
    Status::unresolvable(Plugin::VolumeBinding, Reason::of(leaf, text))
}

/// Returns the claims of the pod. Upstream: `PreFilter`, `podHasPVCs` and `GetPodVolumeClaims`, 1.36.
///
/// # Errors
/// Returns the status with which `PreFilter` rejects the pod.
pub(super) fn pre_filter<'s>(
    reads: &mut Reads<'s>,
    behavior: &KubernetesBehavior,
    pod: &Pod,
) -> Result<PodVolumeClaims<'s>, Status> {
    let mut claims = Vec::new();
    for volume in pod_claims(pod) {
        claims.push(usable_claim(reads, pod, &volume)?);
    }
    sort(reads, behavior, claims)
}

/// Returns the claim of one volume of the pod. Upstream: `podHasPVCs`, 1.36.
///
/// # Errors
/// Returns the status with which `PreFilter` rejects the pod because of this claim.
pub(super) fn usable_claim<'s>(
    reads: &mut Reads<'s>,
    pod: &Pod,
    volume: &PodClaim<'_>,
) -> Result<&'s PersistentVolumeClaim, Status> {
    let name = volume.name.as_str();
    let Some(claim) = reads.find::<PersistentVolumeClaim>(&pod.meta.namespace, name) else {
        return Err(if volume.ephemeral {
            reject(
                SchedulerReason::PodEphemeralClaimPending,
                format!("waiting for ephemeral volume controller to create the persistentvolumeclaim {name:?}"),
            )
        } else {
            reject(SchedulerReason::PodClaimMissing, format!("persistentvolumeclaim {name:?} not found"))
        });
    };
    check_state(claim)?;
    if volume.ephemeral {
        is_for_pod(pod, claim).map_err(|error| reject(SchedulerReason::PodEphemeralClaimForeign, error))?;
    }
    Ok(claim)
}

/// Checks that the claim is neither Lost nor being deleted. Upstream: `podHasPVCs`, 1.36.
///
/// # Errors
/// Returns the status with which `PreFilter` rejects the pod.
pub(super) fn check_state(claim: &PersistentVolumeClaim) -> Result<(), Status> {
    let name = claim.meta.name.as_str();
    if claim.status.phase == ClaimPhase::Lost {
        let volume = claim.volume_name.as_str();
        return Err(reject(
            SchedulerReason::PodClaimLost,
            format!("persistentvolumeclaim {name:?} bound to non-existent persistentvolume {volume:?}"),
        ));
    }
    if claim.terminating() {
        let text = format!("persistentvolumeclaim {name:?} is being deleted");
        return Err(reject(SchedulerReason::PodClaimDeleting, text));
    }
    Ok(())
}

/// Sorts the claims of a pod by what has to be done for them. Upstream: `GetPodVolumeClaims`, 1.36.
///
/// # Errors
/// Returns the status with which `PreFilter` rejects the pod.
pub(super) fn sort<'s>(
    reads: &mut Reads<'s>,
    behavior: &KubernetesBehavior,
    claims: Vec<&'s PersistentVolumeClaim>,
) -> Result<PodVolumeClaims<'s>, Status> {
    let (mut sorted, mut waiting) = (PodVolumeClaims::default(), Vec::new());
    for claim in claims {
        if claim.volume_name.is_empty() {
            // A missing class does not delay the binding.
            let class = Some(claim.class()).filter(|name| !name.is_empty());
            let class = class.and_then(|name| reads.find::<StorageClass>("", name));
            if class.is_some_and(StorageClass::waits_for_first_consumer) {
                waiting.push(claim);
                continue;
            }
        } else if is_fully_bound(claim) {
            sorted.bound.push(claim);
            continue;
        }
        let text = "pod has unbound immediate PersistentVolumeClaims".to_owned();
        return Err(reject(SchedulerReason::PodClaimImmediateUnbound, text));
    }
    sorted.waiting = waiting.into_iter().map(|claim| Waiting::new(reads, behavior, claim)).collect();
    Ok(sorted)
}

/// What the plugin decides about a node, for some orders of the volumes.
#[derive(Clone, Debug)]
pub(super) struct Branch<'s> {
    /// The orders of the volumes that lead to this branch.
    pub(super) order: Order<'s>,
    /// The verdict. It is `Success` if this plugin does not reject the node. Other plugins may still reject it.
    pub(super) verdict: Verdict,
    /// The waiting claim because of which the node is rejected, if there is one. There is at most one, because the
    /// first claim that does not fit ends the test.
    pub(super) unfit: Vec<&'s PersistentVolumeClaim>,
}

/// The branches of a node.
#[derive(Clone, Debug)]
pub(super) struct Branches<'s> {
    /// The branches. There is at least one.
    pub(super) all: Vec<Branch<'s>>,
    /// Whether there may be more branches.
    pub(super) limited: bool,
}

/// One way in which the waiting claims find volumes.
#[derive(Clone, Debug, Default)]
struct Matched<'s> {
    order: Order<'s>,
    chosen: Vec<(&'s PersistentVolumeClaim, &'s PersistentVolume)>,
    without: Vec<&'s PersistentVolumeClaim>,
}

/// Tests a node for the claims of a pod. Upstream: `FindPodVolumes`, 1.36.
pub(super) fn filter<'s>(
    reads: &mut Reads<'s>,
    behavior: &KubernetesBehavior,
    claims: &PodVolumeClaims<'s>,
    node: &Node,
) -> Branches<'s> {
    let because_of = |status: Status, unfit: Vec<&'s PersistentVolumeClaim>| Branches {
        all: vec![Branch { order: Order::default(), verdict: status.into(), unfit }],
        limited: false,
    };
    let always = |status: Status| because_of(status, Vec::new());
    let (mut affinity, mut missing) = (false, false);
    match check_bound_claims(reads, &claims.bound, node) {
        Ok(Bound::Fit) => {}
        Ok(Bound::Affinity) => affinity = true,
        Ok(Bound::Missing) => missing = true,
        Err(error) => return always(Status::filter_error(Plugin::VolumeBinding, &error)),
    }
    let status = |unbound: bool, full: bool| {
        let reasons = [
            (affinity, SchedulerReason::NodeBoundVolumeAffinity, behavior.scheduler.volume_affinity_conflict),
            (unbound, SchedulerReason::NodeNoVolumeToBind, "node(s) didn't find available persistent volumes to bind"),
            (full, SchedulerReason::NodeNotEnoughStorage, "node(s) did not have enough free storage"),
            (
                missing,
                SchedulerReason::NodeBoundVolumeMissing,
                "node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)",
            ),
        ];
        let given = reasons.into_iter().filter(|(given, ..)| *given);
        let reasons: Vec<Reason> = given.map(|(_, leaf, text)| Reason::of(leaf, text)).collect();
        if reasons.is_empty() {
            return Status::SUCCESS;
        }
        Status { code: Code::UnschedulableAndUnresolvable, plugin: Some(Plugin::VolumeBinding), reasons }
    };
    let (mut selected, mut to_match) = (Vec::new(), Vec::new());
    for waiting in &claims.waiting {
        match waiting.claim.meta.annotations.get(AnnotationKey::SelectedNode) {
            // Nothing else is tested then, not even the storage.
            Some(other) if other != node.meta.name => return because_of(status(true, false), vec![waiting.claim]),
            Some(_) => selected.push(waiting.claim),
            None => to_match.push(waiting),
        }
    }
    let found = match find_matching_volumes(to_match, node) {
        Ok(found) => found,
        Err(error) => return always(Status::filter_error(Plugin::VolumeBinding, &error)),
    };
    let limited = found.len() >= MOST_BRANCHES;
    let all = found.into_iter().map(|found| {
        let to_provision: Vec<_> = selected.iter().chain(&found.without).copied().collect();
        let mut unfit = Vec::new();
        let verdict = match check_volume_provisions(reads, &to_provision, node) {
            Provisions::Error(error) => Status::filter_error(Plugin::VolumeBinding, &error).into(),
            Provisions::None(claim) => {
                unfit.push(claim);
                status(true, false).into()
            }
            Provisions::Full(claim) => {
                unfit.push(claim);
                status(false, true).into()
            }
            Provisions::Fit => {
                let mut verdict = Verdict::from(status(false, false));
                if verdict.status.code == Code::Success {
                    verdict.bindings = found.chosen.iter().map(|(claim, volume)| binding(claim, volume)).collect();
                    sort_of_claims(&mut verdict.bindings);
                    verdict.provisions = to_provision.iter().map(|claim| claim.meta.name.clone()).collect();
                }
                verdict
            }
        };
        Branch { order: found.order, verdict, unfit }
    });
    Branches { all: all.collect(), limited }
}

/// Sorts the volumes that are chosen for the same claim, if the pod mounts the claim several times. The order of these
/// volumes makes no difference. A volume loses its claimRef only when the claim has another volume, and until then the
/// scheduler waits, no matter which of these volumes it checks first.
fn sort_of_claims(bindings: &mut [Binding]) {
    let mut of_claims: BTreeMap<Str, BTreeMap<Str, Binding>> = BTreeMap::new();
    for binding in &*bindings {
        of_claims.entry(binding.claim.clone()).or_default().insert(binding.volume.clone(), binding.clone());
    }
    for binding in bindings {
        if let Some((_, next)) = of_claims.get_mut(&binding.claim).and_then(BTreeMap::pop_first) {
            *binding = next;
        }
    }
}

/// Returns how the scheduler binds the volume to the claim. Upstream: `GetBindVolumeToClaim`, component-helpers, 1.36.
fn binding(claim: &PersistentVolumeClaim, volume: &PersistentVolume) -> Binding {
    let is_complete = volume.claim_ref.as_ref().is_some_and(|named| {
        named.name == claim.meta.name && named.namespace == claim.meta.namespace && named.uid == claim.meta.uid
    });
    let bound_by_controller =
        !is_volume_bound_to_claim(volume, claim) && !volume.meta.annotations.has(AnnotationKey::BoundByController);
    Binding {
        claim: claim.meta.name.clone(),
        volume: volume.meta.name.clone(),
        assumed: !is_complete || bound_by_controller,
        bound_by_controller,
    }
}

/// The result for the bound claims.
enum Bound {
    Fit,
    Affinity,
    Missing,
}

/// Tests whether the volumes of the bound claims can be used on the node. The first claim that does not fit ends the
/// test. Upstream: `checkBoundClaims`, 1.36.
fn check_bound_claims(reads: &mut Reads<'_>, claims: &[&PersistentVolumeClaim], node: &Node) -> Result<Bound, String> {
    for claim in claims {
        let Some(volume) = reads.find::<PersistentVolume>("", &claim.volume_name) else {
            return Ok(Bound::Missing);
        };
        // Upstream always reads the CSINode. The CSINode matters only for volumes of in-tree plugins.
        let is_in_tree = migration::InTree::of(volume).is_some();
        let csi_node = if is_in_tree { reads.find::<CsiNode>("", &node.meta.name) } else { None };
        let affinity = migration::node_affinity(volume, csi_node)?;
        if affinity.is_some_and(|affinity| !affinity.matches(&node.meta.labels)) {
            return Ok(Bound::Affinity);
        }
    }
    Ok(Bound::Fit)
}

/// Finds volumes for the claims, the smallest request first, in every way that the order of the volumes allows.
/// Upstream: `findMatchingVolumes`, 1.36. If there are more than twelve claims, upstream's order of claims with equal
/// requests is not defined. Here, such claims keep the order of the pod.
fn find_matching_volumes<'s>(mut to_match: Vec<&Waiting<'s>>, node: &Node) -> Result<Vec<Matched<'s>>, String> {
    let request = |waiting: &Waiting<'_>| waiting.claim.requested().unwrap_or(Quantity::ZERO);
    to_match.sort_by(|a, b| request(a).compare(&request(b)));
    let mut all = vec![Matched::default()];
    for Waiting { claim, volumes } in to_match {
        let volumes = volumes.as_ref().map_err(Clone::clone)?;
        let mut next = Vec::new();
        for before in all {
            for (volume, rest) in possible_volumes(volumes, &before.chosen, node) {
                let mut found = before.clone();
                if !found.order.begin(&rest) {
                    continue;
                }
                match volume {
                    Some(volume) => found.chosen.push((*claim, volume)),
                    None => found.without.push(*claim),
                }
                next.push(found);
                if next.len() >= MOST_BRANCHES {
                    break;
                }
            }
            if next.len() >= MOST_BRANCHES {
                break;
            }
        }
        all = next;
    }
    Ok(all)
}

/// Returns a volume that is reserved for the claim and whose node affinity does not match the node. Such a volume ends
/// the search for the claim.
pub(super) fn reserved_elsewhere<'s>(
    claims: &PodVolumeClaims<'s>,
    claim: &PersistentVolumeClaim,
    node: &Node,
) -> Option<&'s PersistentVolume> {
    let waiting = claims.of(claim)?;
    let mut reserved = waiting.volumes.iter().flatten().filter(|(_, is_reserved)| *is_reserved);
    reserved.find(|(volume, _)| !is_near(volume, node)).map(|(volume, _)| *volume)
}

/// Returns the verdict on each volume for a claim that waits, in the order of the snapshot's volumes. Several volumes
/// are chosen if the order of the volumes in the scheduler's cache decides. Returns None if the scheduler cannot
/// search.
pub(super) fn verdicts_on(
    snapshot: &Snapshot,
    behavior: &KubernetesBehavior,
    claims: &PodVolumeClaims<'_>,
    claim: &PersistentVolumeClaim,
    node: &Node,
) -> Option<Vec<CandidateVerdict>> {
    let query = Query::new(behavior, claim, false).ok()?;
    let ends = ends(claims.of(claim)?.volumes.as_ref().ok()?, &[], node);
    let smallest = ends.smallest.first().filter(|_| ends.reserved.is_empty()).map(|volume| size(volume));
    let is_end = |volume: &PersistentVolume| smallest.is_some_and(|smallest| smallest.compare(&size(volume)).is_eq());
    let verdict = |volume: &PersistentVolume| {
        // The scheduler searches only the volumes of the claim's class.
        if volume.class() != claim.class() {
            return CandidateVerdict::CandidateClass;
        }
        match verdict_before_node(&query, claim, volume) {
            CandidateVerdict::CandidateReserved if !is_near(volume, node) => {
                CandidateVerdict::CandidateReservedWrongNode
            }
            CandidateVerdict::CandidateChosen | CandidateVerdict::CandidateAccessModes if !is_near(volume, node) => {
                CandidateVerdict::CandidateNodeAffinity
            }
            CandidateVerdict::CandidateChosen if !is_end(volume) => CandidateVerdict::CandidateNotSmaller,
            verdict => verdict,
        }
    };
    Some(snapshot.volumes().iter().map(verdict).collect())
}

/// The volumes with which the search for one claim can end.
struct Ends<'s> {
    /// The volumes that are reserved for the claim. If there are any, the search ends with one of them.
    reserved: Vec<&'s PersistentVolume>,
    /// The smallest volumes that fit.
    smallest: Vec<&'s PersistentVolume>,
}

fn size(volume: &PersistentVolume) -> Quantity {
    volume.storage().copied().unwrap_or(Quantity::ZERO)
}

/// Returns the volumes with which the search for a claim can end. `volumes` has the volumes that fit the claim, each
/// with whether it is reserved for the claim. `chosen` has the volumes that are chosen for other claims of the pod.
fn ends<'s>(
    volumes: &[(&'s PersistentVolume, bool)],
    chosen: &[(&PersistentVolumeClaim, &PersistentVolume)],
    node: &Node,
) -> Ends<'s> {
    let mut ends = Ends { reserved: Vec::new(), smallest: Vec::new() };
    for (volume, is_reserved) in volumes {
        if chosen.iter().any(|(_, chosen)| chosen.meta.name == volume.meta.name) {
            continue;
        }
        if *is_reserved {
            ends.reserved.push(volume);
        } else if is_near(volume, node) {
            let order = ends.smallest.first().map_or(Ordering::Less, |best| size(volume).compare(&size(best)));
            if order.is_lt() {
                ends.smallest.clear();
            }
            if order.is_le() {
                ends.smallest.push(volume);
            }
        }
    }
    ends
}

/// Returns the possible results of the search for one claim: a volume, or `None` if the search ends without a volume.
/// Each result has a list of volumes. The search has this result if the first volume of the list comes before the
/// others. Upstream: `FindMatchingVolume`, component-helpers, 1.36.
fn possible_volumes<'s>(
    volumes: &[(&'s PersistentVolume, bool)],
    chosen: &[(&PersistentVolumeClaim, &PersistentVolume)],
    node: &Node,
) -> Vec<(Option<&'s PersistentVolume>, Vec<&'s str>)> {
    let Ends { reserved, smallest } = ends(volumes, chosen, node);
    let first = |of: &[&'s PersistentVolume], volume: &'s PersistentVolume| {
        let others = of.iter().map(|other| other.meta.name.as_str()).filter(|other| *other != volume.meta.name);
        [volume.meta.name.as_str()].into_iter().chain(others).collect()
    };
    if !reserved.is_empty() {
        // A reserved volume whose node affinity does not match the node ends the search as well, without a volume.
        let result = |volume: &&'s PersistentVolume| {
            (Some(*volume).filter(|volume| is_near(volume, node)), first(&reserved, volume))
        };
        return reserved.iter().take(MOST_BRANCHES).map(result).collect();
    }
    if smallest.is_empty() {
        return vec![(None, Vec::new())];
    }
    smallest.iter().take(MOST_BRANCHES).map(|volume| (Some(*volume), first(&smallest, volume))).collect()
}

/// The result for the claims that have to be provisioned.
enum Provisions<'s> {
    Fit,
    /// Nothing can be provisioned for this claim.
    None(&'s PersistentVolumeClaim),
    /// There is not enough storage for this claim.
    Full(&'s PersistentVolumeClaim),
    Error(String),
}

/// Tests whether volumes for the claims can be provisioned on the node. The first claim that does not fit ends the
/// test. Upstream: `checkVolumeProvisions`, 1.36.
fn check_volume_provisions<'s>(
    reads: &mut Reads<'_>,
    claims: &[&'s PersistentVolumeClaim],
    node: &Node,
) -> Provisions<'s> {
    for claim in claims {
        let name = claim.class();
        let Some(class) = reads.find::<StorageClass>("", name) else {
            return Provisions::Error(format!("failed to find storage class {name:?}"));
        };
        if !provisions(class) || !class.allows(&node.meta.labels) {
            return Provisions::None(claim);
        }
        if !has_enough_capacity(reads, class, claim, node) {
            return Provisions::Full(claim);
        }
    }
    Provisions::Fit
}

/// Returns whether the class names a provisioner.
pub(super) fn provisions(class: &StorageClass) -> bool {
    !class.provisioner.is_empty() && class.provisioner != NO_PROVISIONER
}

/// Returns whether some CSIStorageCapacity for the node is large enough for the claim. Returns true also if the claim
/// requests no size, or if the driver does not report capacities. Upstream: `hasEnoughCapacity`, 1.36.
pub(super) fn has_enough_capacity(
    reads: &mut Reads<'_>,
    class: &StorageClass,
    claim: &PersistentVolumeClaim,
    node: &Node,
) -> bool {
    let Some(request) = claim.requested() else { return true };
    // In-tree names are not translated, so no CSIDriver is found for them.
    if !reads.find::<CsiDriver>("", &class.provisioner).is_some_and(|driver| driver.storage_capacity) {
        return true;
    }
    // Comparing the sizes first is quick. Compiling the selectors is not.
    let suffices = |capacity: &&StorageCapacity| {
        capacity.class_name == class.meta.name
            && largest_claim(capacity).is_some_and(|largest| largest.value() >= request.value())
    };
    reads.list::<StorageCapacity>().filter(suffices).any(|capacity| reaches(capacity, node))
}

/// Returns whether the topology of the CSIStorageCapacity includes the node.
fn reaches(capacity: &StorageCapacity, node: &Node) -> bool {
    let topology = capacity.topology.as_ref();
    topology.is_some_and(|topology| topology.compile().is_ok_and(|all| all.matches(&node.meta.labels)))
}

/// Returns the size of the largest claim for which the scheduler accepts this CSIStorageCapacity. Returns None if it
/// states no size.
fn largest_claim(capacity: &StorageCapacity) -> Option<&Quantity> {
    capacity.maximum.as_ref().or(capacity.capacity.as_ref())
}

/// Returns the CSIStorageCapacity of the class for the node that accepts the largest claims.
pub(super) fn largest_capacity<'s>(
    reads: &mut Reads<'s>,
    class: &StorageClass,
    node: &Node,
) -> Option<&'s StorageCapacity> {
    let of_node = |capacity: &&StorageCapacity| capacity.class_name == class.meta.name && reaches(capacity, node);
    reads.list::<StorageCapacity>().filter(of_node).max_by_key(|capacity| largest_claim(capacity).map(Quantity::value))
}

/// Returns whether some free volume of the class fits the claim alone on the node. If the claim gets no volume there,
/// other claims of the pod take such volumes.
pub(super) fn fits_alone(claims: &PodVolumeClaims<'_>, claim: &PersistentVolumeClaim, node: &Node) -> bool {
    let waiting = claims.of(claim);
    let mut volumes = waiting.into_iter().flat_map(|waiting| waiting.volumes.iter().flatten());
    volumes.any(|(volume, is_reserved)| !is_reserved && is_near(volume, node))
}
