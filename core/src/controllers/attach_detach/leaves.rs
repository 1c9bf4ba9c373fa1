//! The leaves of the attach/detach controller.

use crate::controllers::branch::leaves;

leaves! {
    /// What a loop does with a volume that is or may be attached to a node on which no pod needs it. Upstream: the
    /// first part of `reconcile`, 1.36.
    DetachBranch {
        "AD1" DetachBusy
            "An operation of the volume runs, or its last detach failed a short time ago: nothing happens.",
        "AD2" DetachWaitsForUnmount "The node may have the volume mounted: nothing happens.",
        "AD3" DetachTimedOut "Six minutes have passed: the volume is detached without a check.",
        "AD4" DetachOutOfService "The node is out of service: the volume is detached without a check.",
        "AD6" DetachStarted "The volume is detached, if the node does not have it mounted.",
        "AD8" DetachUnknownPlugin "The controller does not have the plugin of the volume: the entry of the node stays.",
    }
    /// What a loop does with a volume that a pod on the node needs. Upstream: `attachDesiredVolumes`, 1.36.
    AttachBranch {
        "AA1" AttachBusy "An operation of the volume runs: nothing happens.",
        "AA2" AttachDone "The volume is attached: nothing happens.",
        "AA3" AttachBlocked
            "The volume is attached to another node, and only one node can have it. When this began, an event said so.",
        "AA4" AttachStarted "The volume is attached.",
        "AA7" AttachBackingOff "The last attach failed a short time ago: nothing happens.",
    }
    /// What else the controller does: how it learns what should be attached, how operations go on and end, what it
    /// writes to nodes, and the check of attached volumes. Upstream: `attach_detach_controller.go`, `populator`,
    /// `statusupdater`, `operationexecutor` and `pkg/volume/csi`, 1.36.
    AttachStep {
        "AW1" AttachWanted
            "A pod is created or changed: its volumes should be attached to its node, if the controller manages the \
             node.",
        "AW2" AttachNotNeeded "The volume needs no attaching any more: no pod needs it on a node.",
        "AW3" AttachNotWanted "A pod was deleted or has terminated: its volumes are not needed any more.",
        "AW4" AttachClaimBound "A claim was changed: if it is bound, the volumes of its pods should be attached.",
        "AW5" AttachPodGone "The controller looks for pods that are gone, and removes a volume of each of them.",
        "AW6" AttachPodsListed "The controller looks at all pods: their volumes should be attached.",
        "AW7" AttachNodeKept
            "A node was deleted: the controller manages it as long as volumes should be attached to it.",
        "AW8" AttachNodeSeen
            "A node is created or changed: it may have the volumes mounted that its status lists as in use.",
        "AS1" AttachStartAttached
            "The controller starts: what the status of nodes lists as attached counts as attached.",
        "AS2" AttachStartUncertain
            "The controller starts: the volume of a VolumeAttachment that is not attached counts as uncertain.",
        "AS4" AttachStartEarly
            "The controller is told of a pod before it knows the driver, so that the volume counts as one to attach.",
        "AD5" DetachNotReported "The status of the node cannot be written: the volume is not detached.",
        "AD7" DetachFailed "The volume could not be detached: it is uncertain.",
        "AD9" DetachSucceeded "The volume is detached.",
        "AA5" AttachSucceeded "The volume is attached: an event says so.",
        "AA6" AttachFailedUncertain "The volume could not be attached: it is uncertain, and an event says so.",
        "AO1" OperationCreates "The operation creates the VolumeAttachment.",
        "AO2" OperationReadsNode "The operation reads the node, to find out whether the node still uses the volume.",
        "AO3" OperationDeletes "The operation deletes the VolumeAttachment.",
        "AO4" OperationLooks "The operation looks at the VolumeAttachment, or has waited for too long.",
        "AO5" OperationFailed "The operation has failed: the same operation waits before it is started again.",
        "AN1" NodeReported "The volumes that are attached to a node are written to its status.",
        "AN2" NodeNotReported "The status of a node cannot be written: the next loop tries again.",
        "AN3" NodeMissing "The node does not exist: nothing is written.",
        "AV1" AttachVerified "The controller checks whether attached volumes are still attached.",
        "AV2" AttachNotVerified "The check of attached volumes is switched off.",
    }
}
