//! The attach/detach controller of kube-controller-manager: which volumes it attaches to which nodes, which volumes it
//! detaches, and when. Upstream: `pkg/controller/volume/attachdetach`, and the part of `pkg/volume/csi` that runs in
//! this controller, 1.36.
//!
//! The other controllers handle one key in one sync. This controller keeps a desired and an actual state in memory, and
//! compares them every 100 ms. So the model is the memory ([`AttachDetach`]) with functions for what the controller is
//! told: an object has changed, a loop is due, an operation goes on. Time is an argument.
//!
//! Not modelled:
//! - `FlexVolume`, and Azure files and vSphere volumes of the in-tree plugins;
//! - iSCSI and Fibre Channel volumes that the spec of a pod names without a claim;
//! - changes of the informers' objects that arrive late.

mod actual;
mod attachment;
mod change;
mod desired;
mod ends;
mod leaves;
mod log;
mod messages;
mod operations;
mod orders;
mod outlook;
mod reconcile;
mod request;
mod verify;
mod volume;

pub use actual::AttachState;
pub use attachment::attachment_name;
pub use ends::{Attachers, AttachmentComponent, AttachmentEnd, AttachmentEnds, RecordEnd, Situation};
pub use leaves::{AttachBranch, AttachStep, DetachBranch};
pub use log::{LOG, loop_entries};
pub use request::{Action, ApiAnswers, Force, PodName, Refusal};
pub use volume::{AttachableVolume, CSI_PREFIX, Plugin, is_exclusive, migrated_driver};

pub use super::pending_operations::{LONGEST_BACKOFF, Moment};

use super::KubernetesBehavior;
use super::pending_operations::SECOND;
use crate::model::Str;
use actual::Actual;
use desired::Desired;
use operations::Operations;
use verify::Check;
use volume::Migration;

/// The name of the controller.
pub const NAME: &str = "persistentvolume-attach-detach-controller";

/// The time between two loops of the reconciler, in nanoseconds. Upstream: `reconcilerLoopPeriod`, 1.36.
pub const LOOP_PERIOD: u64 = SECOND / 10;
/// How long a volume that a node may have mounted is not detached, in nanoseconds. Upstream:
/// `reconcilerMaxWaitForUnmountDuration`, 1.36.
pub const MAX_WAIT_FOR_UNMOUNT: u64 = 360 * SECOND;
/// The shortest time between two lists of all pods, in nanoseconds. Upstream:
/// `desiredStateOfWorldPopulatorListPodsRetryDuration`, 1.36.
const LIST_PODS_PERIOD: u64 = 180 * SECOND;
/// How long an operation waits for the attacher, in nanoseconds. Upstream: `csiTimeout`, `pkg/volume/csi`, 1.36.
const ATTACHER_TIMEOUT: u64 = 120 * SECOND;

/// How the controller was started.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Flags {
    /// How often the controller checks whether attached volumes are still attached, in nanoseconds. The value is `None`
    /// if it never does: with `--disable-attach-detach-reconcile-sync`, or with a period of less than a second.
    pub verify_period: Option<u64>,
    /// Whether a volume is detached from a node that is not ready after six minutes, although the node may have it
    /// mounted. `--disable-force-detach-on-timeout` turns this off.
    pub force_detach_on_timeout: bool,
    /// How long a request of an operation takes, in nanoseconds.
    pub latency: u64,
    migration: Migration,
    /// Whether the plugin of a volume is looked for again when the volume is attached.
    looks_again: bool,
}

impl Flags {
    /// Returns the flags for the version and the flags of kube-controller-manager. Requests take no time.
    pub fn of(behavior: &KubernetesBehavior) -> Self {
        let period = behavior.attachment_check_seconds.saturating_mul(SECOND);
        Self {
            verify_period: (!behavior.disable_attachment_check && period >= SECOND).then_some(period),
            force_detach_on_timeout: !behavior.disable_force_detach,
            latency: 0,
            migration: Migration { asks_node: behavior.attaching_asks_node, portworx: behavior.portworx_migrated },
            looks_again: behavior.attaching_looks_again,
        }
    }
}

/// The controller with what it has in its memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AttachDetach {
    flags: Flags,
    desired: Desired,
    actual: Actual,
    operations: Operations,
    /// When the controller checked for the last time whether attached volumes are still attached.
    verified: Moment,
    /// The checks of nodes that wait for the API server.
    checks: Vec<Check>,
    /// When the controller listed all pods for the last time.
    listed_pods: Option<Moment>,
}

/// A volume and a node, by their names in the controller: the unique name of the volume and the name of the node.
type VolumeOnNode = (Str, Str);
