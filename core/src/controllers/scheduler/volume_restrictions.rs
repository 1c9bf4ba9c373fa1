//! Disks and claims that only one pod may use. Upstream: `volumerestrictions`, 1.36.

use super::SchedulerReason;
use super::cluster::{Cluster, NodeInfo, scheduling};
use super::reads::Reads;
use super::verdict::{Plugin, Reason, Status};
use crate::controllers::KubernetesBehavior;
use crate::model::{AccessMode, Disk, DiskKind, PersistentVolumeClaim, Pod};

/// Returns whether another pod uses a claim with `ReadWriteOncePod` that this pod uses as well. If there is such a pod
/// on any node, all nodes are rejected.
///
/// # Errors
/// Returns the status with which `PreFilter` rejects the pod, if one of its claims does not exist.
pub(super) fn pre_filter(reads: &mut Reads<'_>, cluster: &Cluster<'_>, pod: &Pod) -> Result<bool, Status> {
    let namespace = pod.meta.namespace.as_str();
    let mut in_use = false;
    let mut volumes: Vec<_> = pod.claims.iter().collect();
    volumes.sort_by_key(|volume| volume.place);
    for volume in volumes {
        let Some(claim) = reads.find::<PersistentVolumeClaim>(namespace, &volume.claim) else {
            let text = format!("persistentvolumeclaim {:?} not found", volume.claim.as_str());
            let reason = Reason::of(SchedulerReason::PodClaimMissing, text);
            return Err(Status::unresolvable(Plugin::VolumeRestrictions, reason));
        };
        in_use |= claim.access_modes.0.contains(&AccessMode::ReadWriteOncePod)
            && cluster.is_claim_used(namespace, &claim.meta.name);
    }
    Ok(in_use)
}

/// Rejects a node if a pod on it uses a disk of the new pod, or if `in_use` is true. `in_use` is the answer of
/// [`pre_filter`]. Disks are tested first. Upstream: `Filter` of `volumerestrictions`, 1.36.
pub(super) fn filter(behavior: &KubernetesBehavior, pod: &Pod, in_use: bool, info: &NodeInfo<'_>) -> Option<Status> {
    let disks = &scheduling(pod).disks;
    let conflicts = |disk| info.pods.iter().flat_map(|other| &scheduling(other).disks).any(|used| conflict(disk, used));
    if disks.iter().any(conflicts) {
        let reason = Reason::of(SchedulerReason::NodeDiskConflict, "node(s) had no available disk");
        return Some(Status::unschedulable(Plugin::VolumeRestrictions, reason));
    }
    in_use.then(|| {
        let reason = Reason::of(SchedulerReason::NodeRwopInUse, behavior.scheduler.claim_in_use);
        Status::unschedulable(Plugin::VolumeRestrictions, reason)
    })
}

/// Returns whether two pods cannot use these disks on one node. Upstream: `isVolumeConflict`, 1.36.
fn conflict(disk: &Disk, used: &Disk) -> bool {
    let writes = !(disk.read_only && used.read_only);
    disk.kind == used.kind
        && disk.id == used.id
        && match disk.kind {
            DiskKind::AwsElasticBlockStore => true,
            DiskKind::GcePersistentDisk | DiskKind::Iscsi => writes,
            DiskKind::Rbd => {
                writes && disk.pool == used.pool && disk.monitors.iter().any(|each| used.monitors.contains(each))
            }
            DiskKind::AzureDisk | DiskKind::Cinder | DiskKind::Portworx => false,
        }
}
