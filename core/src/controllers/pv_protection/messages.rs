//! The messages that the controller that protects volumes logs. Upstream: `pv_protection_controller.go`,
//! `pkg/controller/volume/pvprotection`, 1.36.

use super::leaves::VolumeProtectionBranch as Leaf;
use crate::controllers::Branch::VolumeProtectionBranch as V;
use crate::controllers::log::messages;

messages! {
    "Run" {
        STARTING: Info0, "Starting PV protection controller", [], _ if false,
        SHUTTING_DOWN: Info0, "Shutting down PV protection controller", [], _ if false,
    }
    "processNextWorkItem" {
        FAILED: Error, "Unhandled Error", ["err"], V(Leaf::VolumeProtectionAdded | Leaf::VolumeProtectionRemoved),
    }
    "processPV" {
        PROCESSING: Info4 (begins 1), "Processing PV", ["PV"], V(_),
        FINISHED: Info4 (last), "Finished processing PV", ["PV", "cost"], V(_),
        MISSING: Info4, "PV not found, ignoring", ["PV"], V(Leaf::VolumeProtectionUnchanged),
        KEEPING: Info4 (always), "Keeping PV because it is being used", ["PV"], V(Leaf::VolumeKeptBound),
    }
    "addFinalizer" {
        ADD_FAILED: Info3 (always), "Error adding protection finalizer to PV", ["PV", "err"],
            V(Leaf::VolumeProtectionAdded),
        ADDED: Info3 (always), "Added protection finalizer to PV", ["PV"], V(Leaf::VolumeProtectionAdded),
    }
    "removeFinalizer" {
        REMOVE_FAILED: Info3 (always), "Error removing protection finalizer from PV", ["PV", "err"],
            V(Leaf::VolumeProtectionRemoved),
        REMOVED: Info3 (always), "Removed protection finalizer from PV", ["PV"], V(Leaf::VolumeProtectionRemoved),
    }
    "pvAddedUpdated" {
        EVENT: Info4, "Got event on PV", ["PV"], _ if false,
    }
}
