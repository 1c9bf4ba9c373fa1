//! The leaves of the attach/detach controller: what a loop does with one volume and one node.

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
        "AA3" AttachBlocked "The volume is attached to another node, and only one node can have it. When this began, an event said so.",
        "AA4" AttachStarted "The volume is attached.",
        "AA7" AttachBackingOff "The last attach failed a short time ago: nothing happens.",
    }
}
