//! What the status of a claim says about the expansion of its volume. The resizer and the kubelet write it.

use crate::model::surroundings::Condition;
use crate::model::{PersistentVolumeClaim, Quantity};

/// The type of the condition that reports that a resizer has begun. Upstream of the four types:
/// `knownResizeConditions`, external-resizer v2.3.0, and `pkg/volume/util`, 1.36.
pub const RESIZING: &str = "Resizing";
/// The type of the condition that reports that a node has to expand the volume.
pub const FILE_SYSTEM_PENDING: &str = "FileSystemResizePending";
/// The type of the condition that reports that the driver could not expand the volume.
pub const CONTROLLER_ERROR: &str = "ControllerResizeError";
/// The type of the condition that reports that a node could not expand the volume.
pub const NODE_ERROR: &str = "NodeResizeError";

/// The value of `status.allocatedResourceStatuses.storage` while the driver expands the volume.
pub(super) const CONTROLLER_IN_PROGRESS: &str = "ControllerResizeInProgress";
/// The value of the same field after the driver has refused the size.
pub(super) const CONTROLLER_INFEASIBLE: &str = "ControllerResizeInfeasible";
/// The value of the same field while a node has to expand the volume.
pub(super) const NODE_PENDING: &str = "NodeResizePending";
/// The value of the same field while a node expands the volume.
pub(super) const NODE_IN_PROGRESS: &str = "NodeResizeInProgress";
/// The value of the same field after a node has refused to expand the volume.
pub(super) const NODE_INFEASIBLE: &str = "NodeResizeInfeasible";

/// Returns `status.allocatedResourceStatuses.storage`. It is empty if the field is absent.
pub fn progress(claim: &PersistentVolumeClaim) -> &str {
    claim.details.as_ref().map_or("", |details| &details.allocated_status)
}

/// Returns `status.allocatedResources.storage`.
pub(super) fn allocated(claim: &PersistentVolumeClaim) -> Option<Quantity> {
    claim.details.as_ref().and_then(|details| details.allocated)
}

/// Returns the condition of that type, if its status is True.
pub fn true_condition<'c>(claim: &'c PersistentVolumeClaim, kind: &str) -> Option<&'c Condition> {
    claim.condition(kind).filter(|condition| condition.status == "True")
}
