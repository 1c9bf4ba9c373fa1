//! The messages that the controller that protects claims logs. Upstream: `pvc_protection_controller.go`,
//! `pkg/controller/volume/pvcprotection`, 1.36.

#![expect(clippy::unnested_or_patterns, reason = "a group of leaves is a pattern of its own")]

use super::leaves::ClaimProtectionBranch as Leaf;
use crate::controllers::Branch::ClaimProtectionBranch as C;
use crate::controllers::log::messages;

/// The claims whose pods were asked for.
macro_rules! asked {
    () => {
        C(Leaf::ClaimKeptUsedByCachedPod
            | Leaf::ClaimKeptUsedByLivePod
            | Leaf::ClaimLiveListFailed
            | Leaf::ClaimProtectionRemoved)
    };
}

/// The claims whose condition `Unused` was compared.
macro_rules! unused {
    () => {
        C(Leaf::ClaimUnusedConditionSet | Leaf::ClaimProtectionUnchanged | Leaf::ClaimProtectionAdded)
    };
}

messages! {
    "Run" {
        STARTING: Info0, "Starting PVC protection controller", [], _ if false,
        SHUTTING_DOWN: Info0, "Shutting down PVC protection controller", [], _ if false,
    }
    "processPVCsByNamespace" {
        FAILED: Error, "Unhandled Error", ["err"],
            C(Leaf::ClaimProtectionAdded | Leaf::ClaimProtectionRemoved | Leaf::ClaimLiveListFailed
                | Leaf::ClaimUnusedConditionSet),
    }
    "processPVC" {
        PROCESSING: Info4 (begins 1), "Processing PVC", ["PVC"], C(_),
        FINISHED: Info4 (last), "Finished processing PVC", ["PVC", "duration"], C(_),
        MISSING: Info4 (always), "PVC not found, ignoring", ["PVC"], C(Leaf::ClaimGone),
        KEEPING: Info2 (always), "Keeping PVC because it is being used", ["PVC"],
            C(Leaf::ClaimKeptUsedByCachedPod | Leaf::ClaimKeptUsedByLivePod),
    }
    "addFinalizer" {
        ADD_FAILED: Error (always), "Error adding protection finalizer to PVC", ["err", "PVC"],
            C(Leaf::ClaimProtectionAdded),
        ADDED: Info3 (always), "Added protection finalizer to PVC", ["PVC"], C(Leaf::ClaimProtectionAdded),
    }
    "removeFinalizer" {
        REMOVE_FAILED: Error (always), "Error removing protection finalizer from PVC", ["err", "PVC"],
            C(Leaf::ClaimProtectionRemoved),
        REMOVED: Info3 (always), "Removed protection finalizer from PVC", ["PVC"], C(Leaf::ClaimProtectionRemoved),
    }
    "setUnusedCondition" {
        UNUSED_FAILED: Error (always), "Error updating Unused condition in PVC status", ["err", "PVC"],
            C(Leaf::ClaimUnusedConditionSet),
        UNUSED_SET: Info3, "Updated Unused condition in PVC status", ["PVC", "status"], unused!(),
    }
    "askInformer" {
        ASKING_INFORMER: Info4 (always), "Looking for Pods using PVC in the Informer's cache", ["PVC"], asked!(),
        ASKING_INFORMER_UNUSED: Info4, "Looking for Pods using PVC in the Informer's cache", ["PVC"], unused!(),
        INFORMER_HAS_NONE: Info4, "No Pod using PVC was found in the Informer's cache", ["PVC"],
            C(Leaf::ClaimKeptUsedByLivePod | Leaf::ClaimLiveListFailed | Leaf::ClaimProtectionRemoved) | unused!(),
    }
    "askAPIServer" {
        ASKING_SERVER: Info4, "Looking for Pods using PVC", ["PVC"],
            C(Leaf::ClaimKeptUsedByLivePod | Leaf::ClaimLiveListFailed | Leaf::ClaimProtectionRemoved) | unused!(),
        LISTING: Info4, "Live listing Pods in namespace", ["namespace"],
            C(Leaf::ClaimKeptUsedByLivePod | Leaf::ClaimLiveListFailed | Leaf::ClaimProtectionRemoved) | unused!(),
        UNUSED: Info2, "PVC is unused", ["PVC"], C(Leaf::ClaimProtectionRemoved) | unused!(),
    }
    "podUsesPVCForDeletion" {
        USES: Info2 (always), "Pod uses PVC", ["pod", "PVC"],
            C(Leaf::ClaimKeptUsedByCachedPod | Leaf::ClaimKeptUsedByLivePod),
    }
    "podUsesPVCForUnusedSince" {
        REFERENCES: Info4, "Pod references PVC for unused tracking", ["pod", "PVC"], unused!(),
    }
    "pvcAddedUpdated" {
        EVENT: Info4, "Got event on PVC", ["pvc"], _ if false,
    }
    "enqueuePVCs" {
        ENQUEUING: Info4, "Enqueuing PVCs for Pod", ["pod", "podUID"], _ if false,
    }
}
