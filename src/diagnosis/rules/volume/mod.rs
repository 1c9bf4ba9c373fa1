//! Volumes that are not being deleted. These rules say what happens to volumes whose claim is gone, and what prevents
//! the reclaiming of such volumes. They also report settings that can destroy data unexpectedly. Another section has
//! the rules about volumes that are being deleted.

crate::diagnosis::rules::section! {
    pv_released_but_claim_alive,
    pv_bound_claim_missing,
    pv_released_claim_recreated,
    pv_failed_recycle,
    pv_failed_delete,
    pv_failed_no_deleter_static,
    pv_unknown_policy,
    pv_pending_phase,
    pv_duplicate_backing,
    pv_released_delete_no_deleter,
    pv_recycle_policy,
    pv_delete_static_surprise,
    pv_available_with_data,
    pv_available_claim_bound_elsewhere,
    pv_hostpath_multinode,
    rwx_on_block,
    pv_released_retain,
    pv_reserved_namespace_anew,
    pv_available_reserved_waiting,
    pv_available_unmatchable,
    data_about_to_go,
}

pub(in crate::diagnosis) use data_about_to_go::drop_general_findings;
pub(in crate::diagnosis) use pv_released_retain::RULE as RELEASED_RETAIN;

use crate::controllers::persistent_volume::plugins::{Provider, find_deletable_plugin};
use crate::controllers::{Branch, DeleteStep, ReclaimStep, RecycleStep, VolumeBranch};
use crate::diagnosis::facts::is_complete;
use crate::diagnosis::remedy::{rebind, release, restore, retain};
use crate::diagnosis::{Case, Detection, Holder, Remedy};
use crate::model::{PersistentVolume, ReclaimPolicy, SourceKind, VolumePhase};
use crate::simulate::Decision;
use crate::text::truncate;

/// The number of seconds that a driver, a pod or a person may need before a rule reports a delay.
const PATIENCE: i64 = 600;

/// What the next sync does to a volume whose claim is gone.
#[derive(Clone, Copy, Debug)]
enum Reclaim<'a> {
    /// The sync does nothing to the volume.
    Left,
    /// The driver with this name has to delete the storage. The name may be empty.
    Driver(&'a str),
    /// The controller itself deletes the storage.
    Deleted,
    /// The controller itself tries to delete the storage and fails.
    DeleteFails,
    /// Nobody can delete the storage of the volume.
    NoDeleter,
    /// A recycler pod erases the data.
    Scrubbed,
    /// A recycler pod will erase the data when the pods with these names end.
    InUse(&'a str),
    /// Nobody can erase the data of the volume.
    NoRecycler,
}

impl Reclaim<'_> {
    /// Returns whether the data are destroyed without any further action by a person.
    fn destroys(self) -> bool {
        match self {
            Self::Driver(_) | Self::Deleted | Self::Scrubbed | Self::InUse(_) => true,
            Self::Left | Self::DeleteFails | Self::NoDeleter | Self::NoRecycler => false,
        }
    }

    /// Returns the fate of the data, as a sentence without a full stop.
    fn prospect(self, policy: &ReclaimPolicy) -> String {
        let policy = policy.as_str();
        match self {
            Self::Left => format!("Policy {policy} keeps its data"),
            Self::Driver(driver) => {
                format!(
                    "With policy {policy}, {} deletes its data, unless the policy is set to Retain in time",
                    called(driver)
                )
            }
            Self::Deleted => {
                format!(
                    "With policy {policy}, the controller deletes its data, unless the policy is set to Retain in \
                         time"
                )
            }
            Self::DeleteFails | Self::NoDeleter | Self::NoRecycler => {
                format!("Policy {policy} cannot be carried out, so its data stay")
            }
            Self::Scrubbed => {
                format!("With policy {policy}, a pod scrubs its data, unless the policy is set to Retain in time")
            }
            Self::InUse(pods) => format!("With policy {policy}, its data are scrubbed as soon as pods {pods} end"),
        }
    }
}

/// A volume whose claim is gone or has another volume: the leaf of its next sync, and what the sync does to the volume.
#[derive(Clone, Copy, Debug)]
struct Gone<'a> {
    branch: VolumeBranch,
    reclaim: Reclaim<'a>,
}

/// Returns whether the phase of the volume says that its claim is gone.
fn recorded_released(volume: &PersistentVolume) -> bool {
    matches!(volume.status.phase, VolumePhase::Released | VolumePhase::Failed)
}

/// Returns whether the next sync finds that the volume's claim is gone.
fn claim_is_gone(branch: VolumeBranch) -> bool {
    matches!(branch, VolumeBranch::VolumeClaimMissing | VolumeBranch::VolumeClaimReplaced)
}

/// Returns the leaf and the reclaiming of a volume whose claim is gone or has another volume. Returns None for a volume
/// that is being deleted.
fn gone<'a>(case: &Case<'a>, volume: &PersistentVolume) -> Option<Gone<'a>> {
    if volume.terminating() {
        return None;
    }
    let decision = case.decision()?;
    let Branch::VolumeBranch(branch) = decision.branch else { return None };
    let is_gone = claim_is_gone(branch) || branch == VolumeBranch::VolumeSurplusDynamic;
    is_gone.then(|| Gone { branch, reclaim: reclaim(case, volume, decision) })
}

/// Returns the same as [`gone`] for a volume whose phase is Released or Failed. Returns None for other phases.
fn released<'a>(case: &Case<'a>, volume: &PersistentVolume) -> Option<Gone<'a>> {
    if recorded_released(volume) { gone(case, volume) } else { None }
}

fn reclaim<'a>(case: &Case<'a>, volume: &PersistentVolume, decision: &'a Decision<'a>) -> Reclaim<'a> {
    let steps = &decision.record.steps;
    let waits_for = |component: &str| {
        let mut waiting = decision.record.waiting.iter().filter(|waiting| waiting.component == component);
        waiting.next().map_or("", |waiting| waiting.name.as_str())
    };
    let first = steps.iter().find_map(|step| if let Branch::ReclaimStep(step) = step { Some(*step) } else { None });
    let deletion = steps.iter().find_map(|step| if let Branch::DeleteStep(step) = step { Some(*step) } else { None });
    let recycling = steps.iter().find_map(|step| if let Branch::RecycleStep(step) = step { Some(*step) } else { None });
    match first {
        Some(ReclaimStep::ReclaimMigrated) if volume.reclaim_policy == ReclaimPolicy::Delete => {
            Reclaim::Driver(waits_for("external-provisioner"))
        }
        None | Some(ReclaimStep::ReclaimMigrated | ReclaimStep::ReclaimRetain | ReclaimStep::ReclaimUnknownPolicy) => {
            Reclaim::Left
        }
        Some(_) if volume.reclaim_policy == ReclaimPolicy::Recycle => match recycling {
            None | Some(RecycleStep::RecycleFailed | RecycleStep::RecycleSucceeded) => Reclaim::Scrubbed,
            Some(RecycleStep::RecycleVolumeUsed) => Reclaim::InUse(waits_for("user")),
            Some(RecycleStep::RecyclePluginMissing) => Reclaim::NoRecycler,
            Some(RecycleStep::RecycleVolumeGone | RecycleStep::RecycleNotReleased) => Reclaim::Left,
        },
        Some(_) => match deletion {
            Some(DeleteStep::DeleteExternal) => Reclaim::Driver(waits_for("external-provisioner")),
            Some(DeleteStep::DeletePluginMissing) => Reclaim::NoDeleter,
            // Before 1.36 the controller reported a missing plugin like any other failure.
            Some(DeleteStep::DeleteFailed | DeleteStep::DeleteMarkFailed) => {
                match find_deletable_plugin(case.behavior(), volume) {
                    Provider::Nobody(_) => Reclaim::NoDeleter,
                    Provider::InTree(_) | Provider::External => Reclaim::DeleteFails,
                }
            }
            Some(DeleteStep::DeleteVolumeGone | DeleteStep::DeleteNotReleased) => Reclaim::Left,
            // A plugin of an older release may be working, but no object shows this.
            None | Some(DeleteStep::DeleteInUse | DeleteStep::DeleteSucceeded | DeleteStep::DeleteObjectRefused) => {
                Reclaim::Deleted
            }
        },
    }
}

/// The reason why a volume in phase Released or Failed is not reclaimed.
#[derive(Clone, Copy, Debug)]
enum ReclaimObstacle<'a> {
    /// Nobody can delete the storage of the volume.
    NoDeleter,
    /// The driver with this name deletes only volumes in phase Released, and this volume is Failed.
    PassedOver(&'a str),
    /// The controller's deletion fails.
    DeleteFails,
    /// The controller's deletion has failed, and every sync tries again.
    DeleteRetried,
    /// Nobody can erase the data of the volume.
    NoRecycler,
    /// Erasing the data has failed, and every sync tries again.
    RecycleRetried,
    /// The data have not been erased although the volume was released this number of seconds ago.
    RecycleHangs(i64),
    /// The recycling waits for the pods with these names to end.
    RecycleWaits(&'a str),
}

fn trouble<'a>(case: &Case<'a>, volume: &PersistentVolume, gone: Gone<'a>) -> Option<ReclaimObstacle<'a>> {
    let failed = volume.status.phase == VolumePhase::Failed;
    match gone.reclaim {
        Reclaim::Left => None,
        Reclaim::Driver(name) => failed.then_some(ReclaimObstacle::PassedOver(name)),
        Reclaim::Deleted => failed.then_some(ReclaimObstacle::DeleteRetried),
        Reclaim::DeleteFails => Some(ReclaimObstacle::DeleteFails),
        Reclaim::NoDeleter => Some(ReclaimObstacle::NoDeleter),
        Reclaim::InUse(pods) => Some(ReclaimObstacle::RecycleWaits(pods)),
        Reclaim::NoRecycler => Some(ReclaimObstacle::NoRecycler),
        Reclaim::Scrubbed if failed => Some(ReclaimObstacle::RecycleRetried),
        Reclaim::Scrubbed => {
            released_for(case, volume).filter(|seconds| *seconds > PATIENCE).map(ReclaimObstacle::RecycleHangs)
        }
    }
}

/// Returns the number of seconds since the volume's last change of phase, if it is known.
fn released_for(case: &Case<'_>, volume: &PersistentVolume) -> Option<i64> {
    case.seconds_since(volume.status.last_phase_transition)
}

/// Returns the name of the driver. If the name is not known, returns "its driver".
fn called(driver: &str) -> &str {
    if driver.is_empty() { "its driver" } else { driver }
}

/// Returns a sentence, without a full stop, with the message that the controller wrote when the reclaiming failed.
fn said(volume: &PersistentVolume) -> String {
    match volume.status.message.as_str() {
        "" => "No message says why".to_owned(),
        message => format!("The message says \"{}\"", truncate(message, 160)),
    }
}

/// Returns remedies that keep the data of a volume whose claim is gone, and remedies that give the volume to a claim
/// again, if this is possible.
fn ways_back(case: &Case<'_>, volume: &PersistentVolume) -> Vec<Remedy> {
    let mut ways: Vec<Remedy> = retain(volume).into_iter().collect();
    let nameable = volume.claim_ref.as_ref().is_some_and(is_complete);
    match case.holder(volume) {
        Holder::Gone if nameable => ways.extend(release(volume)),
        Holder::Replaced(claim) if claim.terminating() => {}
        Holder::Replaced(claim) if claim.volume_name.is_empty() || claim.volume_name == volume.meta.name => {
            let does = format!(
                "check first that no other cluster, such as one that was restored from a backup, uses the disk; then \
                 reserve the volume for claim {}, which may then read the data",
                claim.key()
            );
            ways.push(restore(case.snapshot(), claim, does));
        }
        Holder::Replaced(claim) => ways.push(rebind(
            claim,
            volume,
            format!(
                "if claim {} should have these data, stop its pods and create it again with this volume; volume {} is \
                 kept",
                claim.key(),
                claim.volume_name
            ),
        )),
        Holder::Gone
        | Holder::Nobody
        | Holder::ReservedForMissing
        | Holder::ReservedFor(_)
        | Holder::Lives(_)
        | Holder::Unknown => {}
    }
    ways
}

/// Adds the field that names the storage as evidence, for CSI and hostPath volumes.
fn with_storage(found: Detection, case: &Case<'_>, volume: &PersistentVolume) -> Detection {
    let source = &volume.source;
    match source.kind {
        SourceKind::Csi => found.evidence(&case.object(), "spec.csi.volumeHandle", source.handle.as_str()),
        SourceKind::HostPath => found.evidence(&case.object(), "spec.hostPath.path", source.detail.as_str()),
        SourceKind::Nfs | SourceKind::Local | SourceKind::Other(_) | SourceKind::None => found,
    }
}

/// Adds the phase, the policy and the uid in the `claimRef` as evidence.
fn with_state(found: Detection, case: &Case<'_>, volume: &PersistentVolume) -> Detection {
    let uid = volume.claim_ref.as_ref().map(|named| named.uid.as_str()).unwrap_or_default();
    found
        .evidence(&case.object(), "status.phase", volume.status.phase.as_str())
        .evidence(&case.object(), "spec.persistentVolumeReclaimPolicy", volume.reclaim_policy.as_str())
        .evidence(&case.object(), "spec.claimRef.uid", uid)
}
