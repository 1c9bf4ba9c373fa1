//! The leaves of the controller that protects volumes. Each leaf is named after what upstream does there.

use crate::controllers::branch::leaves;

leaves! {
    /// Where the protection controller's sync of a volume ends. Upstream: `pkg/controller/volume/pvprotection`, 1.36.
    VolumeProtectionBranch {
        "X9" VolumeProtectionAdded "The volume gets its finalizer.",
        "X10" VolumeKeptBound "The volume is being deleted and Bound: it is kept.",
        "X11" VolumeProtectionRemoved "The volume is being deleted and not Bound: its finalizer is removed.",
        "X12" VolumeProtectionUnchanged "The volume needs no change, or does not exist.",
    }
}
