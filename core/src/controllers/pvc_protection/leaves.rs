//! Every place where a sync of the protection of claims ends, under the names of upstream's behaviour.

use crate::controllers::branch::leaves;

leaves! {
    /// Where a sync of a claim's protection ends. Upstream: `pkg/controller/volume/pvcprotection`, 1.36.
    ClaimProtectionBranch {
        "X1" ClaimGone "The claim does not exist: nothing happens.",
        "X2" ClaimProtectionAdded "The claim gets its finalizer.",
        "X3" ClaimKeptUsedByCachedPod "The claim is being deleted and a pod uses it: it is kept.",
        "X4" ClaimKeptUsedByLivePod "The same, seen only by asking the API server.",
        "X5" ClaimLiveListFailed "The live list of pods failed: the sync ends with an error.",
        "X6" ClaimProtectionRemoved "The claim is being deleted and unused: its finalizer is removed.",
        "X7" ClaimProtectionUnchanged "Nothing is due on the claim.",
        "X8" ClaimUnusedConditionSet "The alpha condition `Unused` is written.",
    }
}
