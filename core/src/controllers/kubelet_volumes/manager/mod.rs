//! The volume manager in time: what it has in its memory, what its loops start, which calls of drivers it makes, and
//! how long it waits after a failure. Upstream: `populator`, `reconciler` and `cache` of
//! `pkg/kubelet/volumemanager`, and `pkg/volume/util/operationexecutor`, 1.36.
//!
//! The model is the memory ([`VolumeManager`]) with functions for what happens: a loop is due, a driver answers, the
//! kubelet waits for the volumes of a pod. Time is an argument. How long a call takes, and its answer, is not decided
//! here.
//!
//! Not modelled, besides what is not modelled in the folder above:
//! - all volumes without a claim: a wait does not see them;
//! - failures on the node outside of a driver: subPaths, links of block devices, devices that something else uses;
//! - sources of pods that are not ready at the start, and a node that cannot be read then;
//! - the wait for the unmounting of a pod's volumes.

mod actual;
mod call;
mod desired;
mod expanding;
mod mounting;
mod reconcile;
mod start;
mod unmounting;
mod wait;

pub use call::{CallName, DriverCall, DriverError, ErrorKind, KubeletAction};
pub use desired::{KnownPod, PodState};
pub use expanding::ClaimPatch;
pub use start::{Directory, VolumeOnDisk};
pub use wait::WaitLimit;

pub(super) use desired::MOST_ERRORS;
pub(super) use wait::wait_error;

use crate::controllers::pending_operations::{PendingOperations, SECOND};
use crate::model::Str;
use actual::Actual;
use call::Running;
use desired::Desired;
use std::collections::BTreeSet;

/// The time between two loops of the reconciler, in nanoseconds. Upstream: `reconcilerLoopSleepPeriod`, 1.36.
pub const LOOP_PERIOD: u64 = SECOND / 10;
/// The time between two looks at the volumes of a pod, in nanoseconds. Upstream: `podAttachAndMountRetryInterval`,
/// 1.36.
pub const WAIT_PERIOD: u64 = 3 * SECOND / 10;
/// The longest wait for the volumes of a pod, in nanoseconds. Upstream: `podAttachAndMountTimeout`, 1.36.
pub const LONGEST_WAIT: u64 = 123 * SECOND;

/// The memory of the volume manager.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct VolumeManager {
    desired: Desired,
    actual: Actual,
    operations: PendingOperations<Work, Running>,
    /// Whether the populator has looked at all pods once. Before that, nothing is unmounted.
    has_added_pods: bool,
    /// The volumes that were found on the disk. The kubelet does not know yet whether they have to be attached.
    attachability_unknown: Vec<Str>,
    /// The volumes that could not be expanded for certain, by their unique names. Upstream:
    /// `volumesWithFinalExpansionErrors`, 1.36.
    failed_expansions: BTreeSet<Str>,
    /// The directories that do not tell which volume they are of.
    unknown_directories: Vec<VolumeOnDisk>,
    /// Whether a pod has a volume with a claim that is not modelled.
    has_unmodelled: bool,
}

impl VolumeManager {
    /// Returns whether all volumes with a claim that the manager has seen are modelled.
    pub fn is_modelled(&self) -> bool {
        !self.has_unmodelled
    }

    /// Returns the volumes that the kubelet reports in `status.volumesInUse`. Upstream: `GetVolumesInUse`, 1.36.
    pub fn in_use(&self) -> BTreeSet<Str> {
        self.desired.attachable().chain(self.actual.attachable()).cloned().collect()
    }

    /// The kubelet has written these volumes to `status.volumesInUse`. Upstream: `MarkVolumesAsReportedInUse`, 1.36.
    pub fn report(&mut self, in_use: &BTreeSet<Str>) {
        self.desired.report(in_use);
    }
}

/// The kinds of operations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Work {
    /// The kubelet finds out whether the volume is attached.
    Verify,
    Mount,
    Map,
    Unmount,
    Unmap,
    UnmountDevice,
    UnmapDevice,
    Expand,
}
