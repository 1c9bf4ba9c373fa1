//! The leaves of the controller that protects claims. Each leaf is named after what upstream does there.

use crate::controllers::branch::leaves;

leaves! {
    /// Where the protection controller's sync of a claim ends. Upstream: `pkg/controller/volume/pvcprotection`, 1.36.
    ClaimProtectionBranch {
        "X1" ClaimGone "The claim does not exist: nothing happens.",
        "X2" ClaimProtectionAdded "The claim gets its finalizer.",
        "X3" ClaimKeptUsedByCachedPod
            "The claim is being deleted, and a scheduled pod in the cache uses the claim: the claim is kept.",
        "X4" ClaimKeptUsedByLivePod
            "The claim is being deleted, and a list from the API server shows that a scheduled pod uses it: the \
            claim is kept.",
        "X5" ClaimLiveListFailed "The API server did not return the list of pods: the sync ends with an error.",
        "X6" ClaimProtectionRemoved
            "The claim is being deleted, and no scheduled pod uses it: its finalizer is removed.",
        "X7" ClaimProtectionUnchanged "The claim needs no change.",
        "X8" ClaimUnusedConditionSet
            "The alpha condition `Unused` of the claim is missing or wrong: the controller writes it.",
    }
}
