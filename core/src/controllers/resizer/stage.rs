//! The stage of an expansion and of a modification, as the claim records it. [`Resizer`](super::Resizer) says what
//! follows from it.

use super::modify::{IN_PROGRESS, INFEASIBLE, MODIFY_ERROR, PENDING};
use crate::controllers::resizing::{
    CONTROLLER_ERROR, CONTROLLER_IN_PROGRESS, CONTROLLER_INFEASIBLE, FILE_SYSTEM_PENDING, NODE_ERROR, NODE_IN_PROGRESS,
    NODE_INFEASIBLE, NODE_PENDING, RESIZING, allocated, progress, true_condition,
};
use crate::model::{ClaimPhase, PersistentVolumeClaim, Quantity};

/// The stage of the expansion of a claim's volume.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ResizeStage {
    /// The claim requests more than it has, and no resizer has begun.
    Requested,
    /// The resizer has begun, and the driver has not reported an error.
    ControllerInProgress,
    /// The driver has failed, and the resizer tries again.
    ControllerFailing,
    /// The driver has refused the size.
    ControllerInfeasible,
    /// The volume is expanded, and a node has to expand it.
    NodePending,
    /// A node has begun.
    NodeInProgress,
    /// A node has failed, and it tries again.
    NodeFailing,
    /// A node has failed, and it does not try again before the resizer has acted.
    NodeInfeasible,
}

impl ResizeStage {
    /// Every stage, in order.
    pub const ALL: [Self; 8] = [
        Self::Requested,
        Self::ControllerInProgress,
        Self::ControllerFailing,
        Self::ControllerInfeasible,
        Self::NodePending,
        Self::NodeInProgress,
        Self::NodeFailing,
        Self::NodeInfeasible,
    ];

    /// Returns the stage of a claim. It is `None` if no expansion is requested or going on: if there was one, it is
    /// done.
    ///
    /// `status.allocatedResourceStatuses` names the stage. Resizers and kubelets before Kubernetes 1.28 do not write
    /// this field, but some of the conditions. Kubernetes 1.28 to 1.30 writes other words for the two stages at which
    /// an expansion was refused.
    /// Upstream: `PersistentVolumeClaimStatus`, `k8s.io/api/core/v1`, 0.27 to 0.36.
    pub fn of(claim: &PersistentVolumeClaim) -> Option<Self> {
        let has = |kind| true_condition(claim, kind).is_some();
        let by_controller = if has(CONTROLLER_ERROR) { Self::ControllerFailing } else { Self::ControllerInProgress };
        match progress(claim) {
            CONTROLLER_IN_PROGRESS => Some(by_controller),
            CONTROLLER_INFEASIBLE | "ControllerResizeFailed" => Some(Self::ControllerInfeasible),
            NODE_PENDING => Some(Self::NodePending),
            NODE_IN_PROGRESS if has(NODE_ERROR) => Some(Self::NodeFailing),
            NODE_IN_PROGRESS => Some(Self::NodeInProgress),
            NODE_INFEASIBLE | "NodeResizeFailed" => Some(Self::NodeInfeasible),
            _ if has(NODE_ERROR) => Some(Self::NodeFailing),
            _ if has(FILE_SYSTEM_PENDING) => Some(Self::NodePending),
            _ if has(RESIZING) || has(CONTROLLER_ERROR) => Some(by_controller),
            _ => {
                let (wants, has) = (claim.requested()?, claim.status.storage()?);
                let grows = claim.status.phase == ClaimPhase::Bound && wants.compare(has).is_gt();
                grows.then_some(Self::Requested)
            }
        }
    }

    /// Returns the words for people.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Requested => "requested",
            Self::ControllerInProgress => "controller in progress",
            Self::ControllerFailing => "controller failing",
            Self::ControllerInfeasible => "controller infeasible",
            Self::NodePending => "node pending",
            Self::NodeInProgress => "node in progress",
            Self::NodeFailing => "node failing",
            Self::NodeInfeasible => "node infeasible",
        }
    }

    /// Returns whether the volume is expanded, and only a node has to act.
    pub fn is_on_node(self) -> bool {
        matches!(self, Self::NodePending | Self::NodeInProgress | Self::NodeFailing | Self::NodeInfeasible)
    }
}

/// The sizes of an expansion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ResizeSizes {
    /// The size to which the volume is being expanded.
    pub target: Quantity,
    /// The size that the claim requests, if it is another one.
    pub requested: Option<Quantity>,
    /// Whether a quota counts the target, because it is larger than the request. Upstream: `getStorageUsage`,
    /// `pkg/quota/v1/evaluator/core`, 1.36.
    pub target_is_counted: bool,
}

impl ResizeSizes {
    /// Returns the sizes of the expansion of a claim that is at this stage. It is `None` if the claim requests nothing.
    pub fn of(claim: &PersistentVolumeClaim, stage: ResizeStage) -> Option<Self> {
        let requested = claim.requested()?;
        // What was allocated for an earlier expansion stays in the status.
        let target = allocated(claim).filter(|_| stage != ResizeStage::Requested).unwrap_or(requested);
        let order = target.compare(&requested);
        Some(Self { target, requested: order.is_ne().then_some(requested), target_is_counted: order.is_gt() })
    }
}

/// The stage of the change of a claim's volume to another VolumeAttributesClass.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ModifyStage {
    /// The claim names another class than its volume has, and no resizer has begun.
    Requested,
    /// The class did not exist when the resizer looked for it.
    Pending,
    /// The resizer has begun, and the driver has not reported an error.
    InProgress,
    /// The driver has failed, and the resizer tries again.
    Failing,
    /// The driver has refused the class.
    Infeasible,
    /// The claim names no class any more, and nothing goes on.
    Cancelled,
}

impl ModifyStage {
    /// Every stage, in order.
    pub const ALL: [Self; 6] =
        [Self::Requested, Self::Pending, Self::InProgress, Self::Failing, Self::Infeasible, Self::Cancelled];

    /// Returns the stage of a claim. It is `None` if no change is requested or going on: if there was one, it is done.
    pub fn of(claim: &PersistentVolumeClaim) -> Option<Self> {
        let wanted = claim.attributes_class();
        let Some(modify) = claim.details.as_ref().and_then(|details| details.modify.as_ref()) else {
            let current = claim.status.current_attributes_class.as_deref().unwrap_or_default();
            let is_open = claim.status.phase == ClaimPhase::Bound && !wanted.is_empty() && wanted != current;
            return is_open.then_some(Self::Requested);
        };
        match modify.status.as_str() {
            IN_PROGRESS if true_condition(claim, MODIFY_ERROR).is_some() => Some(Self::Failing),
            IN_PROGRESS => Some(Self::InProgress),
            _ if wanted.is_empty() => Some(Self::Cancelled),
            // The claim has named another class since then. The resizer has not yet begun with it.
            _ if !modify.target.is_empty() && modify.target != wanted => Some(Self::Requested),
            PENDING => Some(Self::Pending),
            INFEASIBLE => Some(Self::Infeasible),
            _ => None,
        }
    }

    /// Returns the class to which the volume of a claim at this stage is being changed. Only a change that the driver
    /// was asked for keeps its class if the claim names another one.
    pub fn target(self, claim: &PersistentVolumeClaim) -> &str {
        let status = claim.details.as_ref().and_then(|details| details.modify.as_ref());
        let is_tried = matches!(self, Self::InProgress | Self::Failing | Self::Cancelled);
        let target = status.filter(|_| is_tried).map(|modify| modify.target.as_str());
        target.filter(|target| !target.is_empty()).unwrap_or_else(|| claim.attributes_class())
    }

    /// Returns the words for people.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Requested => "requested",
            Self::Pending => "pending",
            Self::InProgress => "in progress",
            Self::Failing => "failing",
            Self::Infeasible => "infeasible",
            Self::Cancelled => "cancelled",
        }
    }
}
