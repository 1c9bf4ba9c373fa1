//! Every place where a sync of the protection of volumes ends, under the names of upstream's behaviour.

use crate::controllers::branch::leaves;

leaves! {
    /// Where a sync of a volume's protection ends. Upstream: `pkg/controller/volume/pvprotection`, 1.36.
    VolumeProtectionBranch {
        "X9" VolumeProtectionAdded "The volume gets its finalizer.",
        "X10" VolumeKeptBound "The volume is being deleted and Bound: it is kept.",
        "X11" VolumeProtectionRemoved "The volume is being deleted and not Bound: its finalizer is removed.",
        "X12" VolumeProtectionUnchanged "Nothing is due on the volume.",
    }
}
