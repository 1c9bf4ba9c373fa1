//! The number of volumes of each driver on a node. Upstream: `csi.go` of `nodevolumelimits`, 1.36. The gate
//! `VolumeLimitScaling` is off by default, and is not modelled.

use super::SchedulerReason;
use super::cluster::{NodeInfo, pod_claims, scheduling};
use super::migration::InTree;
use super::reads::Reads;
use super::verdict::{Plugin, Reason, Status};
use super::volume_binding::{is_for_pod, is_fully_bound};
use crate::controllers::KubernetesBehavior;
use crate::controllers::persistent_volume::plugins::migrated_driver;
use crate::model::{
    CsiNode, PersistentVolume, PersistentVolumeClaim, Pod, SourceKind, StorageClass, Str, VolumeAttachment,
};
use crate::world::View;
use std::collections::{BTreeMap, BTreeSet};

/// A volume that is counted for a driver. A claim that has no volume is counted as one volume.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Counted {
    driver: String,
    volume: Identity,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Identity {
    Handle(String),
    Claim(String),
}

/// A driver whose limit on a node is reached.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct FullDriver {
    /// The driver.
    pub(super) driver: String,
    /// The limit that the CSINode or the Node states.
    pub(super) limit: i64,
    /// The number of volumes that are already counted.
    pub(super) used: usize,
    /// The number of volumes that the pod would add.
    pub(super) new: usize,
}

/// Rejects a node if the volumes of the pod exceed the limit of a driver. Upstream: `Filter`, 1.36.
pub(super) fn filter(
    reads: &mut Reads<'_>,
    behavior: &KubernetesBehavior,
    pod: &Pod,
    info: &NodeInfo<'_>,
) -> Option<Status> {
    match full_drivers(reads, behavior, pod, info) {
        Ok(full) if full.is_empty() => None,
        Ok(_) => Some(exceeded(Plugin::NodeVolumeLimits)),
        Err(error) => Some(Status::filter_error(Plugin::NodeVolumeLimits, &error)),
    }
}

/// Returns the status of a node whose limit is reached, from one of the plugins that count volumes.
pub(super) fn exceeded(plugin: Plugin) -> Status {
    Status::unschedulable(plugin, Reason::of(SchedulerReason::NodeVolumeLimit, "node(s) exceed max volume count"))
}

/// Returns the drivers whose limits would be exceeded if the pod were on the node.
///
/// # Errors
/// Returns upstream's words if a claim or a disk of a pod cannot be used.
pub(super) fn full_drivers(
    reads: &mut Reads<'_>,
    behavior: &KubernetesBehavior,
    pod: &Pod,
    info: &NodeInfo<'_>,
) -> Result<Vec<FullDriver>, String> {
    let needs = |pod: &Pod| {
        !pod.claims.is_empty()
            || !pod.ephemeral.is_empty()
            || scheduling(pod).disks.iter().any(|disk| InTree::of_disk(disk).is_some())
    };
    if !needs(pod) {
        return Ok(Vec::new());
    }
    let node = reads.find::<CsiNode>("", &info.node.meta.name);
    let mut new = BTreeSet::new();
    add_volumes(reads, behavior, pod, node, true, &mut new)?;
    if new.is_empty() || !has_limits(behavior, node, info) {
        return Ok(Vec::new());
    }
    let mut attached = BTreeSet::new();
    for other in info.pods.iter().filter(|other| needs(other)) {
        add_volumes(reads, behavior, other, node, false, &mut attached)?;
    }
    // A volume that a pod on the node already uses is not new. A volume that is attached, but that no pod on the node
    // uses, is counted twice: as an attachment and as a new volume.
    let new: BTreeSet<Counted> = new.difference(&attached).cloned().collect();
    let by_attachments = attachments(reads, behavior, info);
    let all: Vec<&Counted> = attached.union(&by_attachments).collect();
    let count = |driver: &str, of: &mut dyn Iterator<Item = &Counted>| of.filter(|one| one.driver == driver).count();
    let asked: BTreeSet<&str> = new.iter().map(|counted| counted.driver.as_str()).collect();
    let full = |driver: &str| {
        let limit = limit(behavior, node, info, driver)?;
        let (used, new) = (count(driver, &mut all.iter().copied()), count(driver, &mut new.iter()));
        let is_full = i64::try_from(used + new).unwrap_or(i64::MAX) > limit;
        is_full.then(|| FullDriver { driver: driver.to_owned(), limit, used, new })
    };
    Ok(asked.into_iter().filter_map(full).collect())
}

/// The prefix of the limits of CSI drivers in the `status.allocatable` of a Node.
const LIMIT_OF_DRIVER: &str = "attachable-volumes-csi-";

/// If the name of a limit has at least this length, upstream replaces its end by a part of a hash. Then only the first
/// `KEPT_OF_DRIVER` bytes of the driver's name stay.
const LONGEST_LIMIT: usize = 63;
const KEPT_OF_DRIVER: usize = 23;

/// Returns whether the node has a limit of some driver. Upstream: `getVolumeLimits`, 1.31 and 1.36.
pub(super) fn has_limits(behavior: &KubernetesBehavior, node: Option<&CsiNode>, info: &NodeInfo<'_>) -> bool {
    let states = |(name, _): &(Str, i64)| name.starts_with("attachable-volumes-");
    node.is_some_and(|node| node.drivers.iter().any(|driver| driver.limit.is_some()))
        || behavior.scheduler.node_states_limits && info.node.allocatable.iter().any(states)
}

/// Returns the limit of a driver on a node. A limit of the CSINode takes precedence over a limit of the Node. Upstream:
/// `getVolumeLimits` and `GetCSIAttachLimitKey`, 1.31. Here, only the part of a long name before the hash is compared.
fn limit(behavior: &KubernetesBehavior, node: Option<&CsiNode>, info: &NodeInfo<'_>, driver: &str) -> Option<i64> {
    let states = |(name, _): &&(Str, i64)| {
        name.strip_prefix(LIMIT_OF_DRIVER).is_some_and(|named| {
            if LIMIT_OF_DRIVER.len() + driver.len() < LONGEST_LIMIT {
                named == driver
            } else {
                driver.get(..KEPT_OF_DRIVER).is_some_and(|kept| named.starts_with(kept))
            }
        })
    };
    let of_csi_node =
        node.and_then(|node| node.drivers.iter().rev().find(|stated| stated.name == driver && stated.limit.is_some()));
    let of_node = || info.node.allocatable.iter().find(states).map(|(_, limit)| *limit);
    of_csi_node
        .and_then(|stated| stated.limit)
        .or_else(|| behavior.scheduler.node_states_limits.then(of_node).flatten())
}

/// The volumes of one driver on a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DriverUse<'s> {
    /// The driver.
    pub driver: String,
    /// The limit that the CSINode or the Node states. It is `None` if neither states a limit.
    pub limit: Option<i64>,
    /// The number of volumes that are counted.
    pub volumes: usize,
    /// The pods that use volumes of the driver, each with the number of these volumes.
    pub users: Vec<(&'s Pod, usize)>,
    /// The number of volumes that are attached and that no pod on the node uses.
    pub unused: usize,
}

/// Returns whether the node certainly has room for this number of further volumes, no matter to which drivers they
/// belong.
pub(super) fn has_room_for(view: View<'_>, behavior: &KubernetesBehavior, info: &NodeInfo<'_>, volumes: usize) -> bool {
    let mut reads = Reads::new(view);
    if volumes == 0 || !has_limits(behavior, reads.find::<CsiNode>("", &info.node.meta.name), info) {
        return true;
    }
    if behavior.scheduler.node_states_limits {
        // The Node can also limit drivers that have no volumes on the node yet. `uses` does not list these drivers.
        return false;
    }
    // Claims of the pods on the node can get volumes later.
    let is_open = |claim: Option<&PersistentVolumeClaim>| claim.is_none_or(|claim| !is_fully_bound(claim));
    let open = info.pods.iter().map(|pod| {
        let claims = pod_claims(pod).into_iter();
        claims.filter(|used| is_open(view.find(&pod.meta.namespace, used.name))).count()
    });
    let volumes = volumes.saturating_add(open.sum());
    uses(&mut reads, behavior, info).iter().all(|uses| {
        let limit = uses.limit.and_then(|limit| usize::try_from(limit).ok());
        // If a new pod uses a volume that is attached and that no pod on the node uses, this volume is counted twice.
        let most = uses.volumes.saturating_add(uses.unused).saturating_add(volumes.saturating_mul(2));
        limit.is_none_or(|limit| most <= limit)
    })
}

/// The volumes of one driver on a node, while they are counted.
#[derive(Default)]
struct DriverVolumes<'s> {
    /// The volumes that pods on the node use.
    used: BTreeSet<Counted>,
    /// The pods, each with the number of its volumes.
    users: Vec<(&'s Pod, usize)>,
    /// The number of attached volumes that no pod on the node uses.
    unused: usize,
}

/// Returns the volumes on a node by driver, as the scheduler counts them. Drivers with a limit and without volumes are
/// included.
pub(super) fn uses<'s>(
    reads: &mut Reads<'s>,
    behavior: &KubernetesBehavior,
    info: &NodeInfo<'s>,
) -> Vec<DriverUse<'s>> {
    let node = reads.find::<CsiNode>("", &info.node.meta.name);
    let mut by_driver: BTreeMap<String, DriverVolumes<'s>> = BTreeMap::new();
    for pod in &info.pods {
        let mut own = BTreeSet::new();
        // If a claim or a disk of the pod cannot be used, only the volumes of this pod are left out.
        if add_volumes(reads, behavior, pod, node, false, &mut own).is_err() {
            continue;
        }
        for counted in own {
            let of_driver = by_driver.entry(counted.driver.clone()).or_default();
            match of_driver.users.last_mut().filter(|(last, _)| std::ptr::eq(*last, *pod)) {
                Some((_, count)) => *count += 1,
                None => of_driver.users.push((pod, 1)),
            }
            of_driver.used.insert(counted);
        }
    }
    for counted in attachments(reads, behavior, info) {
        let of_driver = by_driver.entry(counted.driver.clone()).or_default();
        of_driver.unused += usize::from(!of_driver.used.contains(&counted));
    }
    for driver in node.map_or(&[] as &[_], |node| &node.drivers).iter().filter(|driver| driver.limit.is_some()) {
        by_driver.entry(driver.name.to_string()).or_default();
    }
    let of_driver = |(driver, DriverVolumes { used, users, unused }): (String, DriverVolumes<'s>)| {
        let limit = limit(behavior, node, info, &driver);
        DriverUse { limit, volumes: used.len() + unused, users, unused, driver }
    };
    by_driver.into_iter().map(of_driver).collect()
}

/// Adds the volumes of a pod that the scheduler counts. Upstream: `filterAttachableVolumes`, 1.36.
fn add_volumes(
    reads: &mut Reads<'_>,
    behavior: &KubernetesBehavior,
    pod: &Pod,
    node: Option<&CsiNode>,
    is_new: bool,
    into: &mut BTreeSet<Counted>,
) -> Result<(), String> {
    let namespace = pod.meta.namespace.as_str();
    for volume in pod_claims(pod) {
        let Some(claim) = reads.find::<PersistentVolumeClaim>(namespace, volume.name) else {
            if is_new {
                let name = volume.name.as_str();
                return Err(format!("looking up PVC {namespace}/{name}: persistentvolumeclaim {name:?} not found"));
            }
            continue;
        };
        if volume.ephemeral {
            is_for_pod(pod, claim)?;
        }
        into.extend(counted(reads, behavior, node, claim));
    }
    for disk in &scheduling(pod).disks {
        let Some(plugin) = InTree::of_disk(disk).filter(|_| node.is_some()) else { continue };
        let handle = plugin.disk_handle(disk);
        let handle =
            handle.map_err(|error| format!("converting volume({}) from inline to csi: {error}", disk.name.as_str()))?;
        into.insert(Counted { driver: plugin.driver().to_owned(), volume: Identity::Handle(handle) });
    }
    Ok(())
}

/// Returns the volume that the scheduler counts for a claim. Upstream: `getCSIDriverInfo`, 1.36. The volumes of
/// migrated plugins are counted on every node that has a CSINode, whatever the annotation of the CSINode says.
fn counted(
    reads: &mut Reads<'_>,
    behavior: &KubernetesBehavior,
    node: Option<&CsiNode>,
    claim: &PersistentVolumeClaim,
) -> Option<Counted> {
    let named = Some(claim.volume_name.as_str()).filter(|name| !name.is_empty());
    let Some(volume) = named.and_then(|name| reads.find::<PersistentVolume>("", name)) else {
        return counted_by_class(reads, behavior, node, claim);
    };
    let (driver, handle) = if volume.source.kind == SourceKind::Csi {
        (volume.source.detail.to_string(), volume.source.handle.to_string())
    } else {
        let plugin = InTree::of(volume).filter(|_| node.is_some())?;
        (plugin.driver().to_owned(), plugin.handle(volume).ok()?)
    };
    let is_complete = !driver.is_empty() && !handle.is_empty();
    is_complete.then_some(Counted { driver, volume: Identity::Handle(handle) })
}

/// Returns what the scheduler counts for a claim that has no volume. Upstream: `getCSIDriverInfoFromSC`, 1.36.
fn counted_by_class(
    reads: &mut Reads<'_>,
    behavior: &KubernetesBehavior,
    node: Option<&CsiNode>,
    claim: &PersistentVolumeClaim,
) -> Option<Counted> {
    let name = Some(claim.class()).filter(|name| !name.is_empty())?;
    let provisioner = reads.find::<StorageClass>("", name)?.provisioner.as_str();
    let driver = match InTree::named(provisioner) {
        Some(plugin) => {
            node?;
            plugin.driver()
        }
        None if migrated_driver(behavior, provisioner).is_some() => return None,
        None => provisioner,
    };
    let volume = Identity::Claim(claim.key().to_string());
    (!driver.is_empty()).then(|| Counted { driver: driver.to_owned(), volume })
}

/// Returns the volumes that are attached to the node. Upstream: `getNodeVolumeAttachmentInfo`, 1.36.
fn attachments(reads: &mut Reads<'_>, behavior: &KubernetesBehavior, info: &NodeInfo<'_>) -> BTreeSet<Counted> {
    if !behavior.scheduler.attachments_count {
        return BTreeSet::new();
    }
    reads.need_all::<VolumeAttachment>();
    let mut found = BTreeSet::new();
    for attachment in &info.attachments {
        let volume = reads.find::<PersistentVolume>("", &attachment.volume_name);
        if let Some(volume) = volume.filter(|volume| volume.source.kind == SourceKind::Csi) {
            let handle = Identity::Handle(volume.source.handle.to_string());
            found.insert(Counted { driver: attachment.attacher.to_string(), volume: handle });
        }
    }
    found
}
