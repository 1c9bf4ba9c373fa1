//! What the status of a claim says about the expansion of its volume. The resizer and the kubelet write it.

use crate::model::{PersistentVolumeClaim, Quantity};

/// The types of the conditions about an expansion. Upstream: `knownResizeConditions`, external-resizer v2.3.0, and
/// `pkg/volume/util`, 1.36.
pub(super) const RESIZING: &str = "Resizing";
pub(super) const FILE_SYSTEM_PENDING: &str = "FileSystemResizePending";
pub(super) const CONTROLLER_ERROR: &str = "ControllerResizeError";
pub(super) const NODE_ERROR: &str = "NodeResizeError";

/// The values of `status.allocatedResourceStatuses.storage`.
pub(super) const CONTROLLER_IN_PROGRESS: &str = "ControllerResizeInProgress";
pub(super) const CONTROLLER_INFEASIBLE: &str = "ControllerResizeInfeasible";
pub(super) const NODE_PENDING: &str = "NodeResizePending";
pub(super) const NODE_IN_PROGRESS: &str = "NodeResizeInProgress";
pub(super) const NODE_INFEASIBLE: &str = "NodeResizeInfeasible";

/// Returns `status.allocatedResourceStatuses.storage`. It is empty if the field is absent.
pub(super) fn progress(claim: &PersistentVolumeClaim) -> &str {
    claim.details.as_ref().map_or("", |details| &details.allocated_status)
}

/// Returns `status.allocatedResources.storage`.
pub(super) fn allocated(claim: &PersistentVolumeClaim) -> Option<Quantity> {
    claim.details.as_ref().and_then(|details| details.allocated)
}
