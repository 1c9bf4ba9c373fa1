//! The messages that the PersistentVolume controller logs. Upstream: `pv_controller.go` and `pv_controller_base.go`,
//! `pkg/controller/volume/persistentvolume`, 1.36.

#![expect(clippy::unnested_or_patterns, reason = "a group of leaves is a pattern of its own")]

mod groups;

use super::leaves::{
    BindStep, ClaimBranch, DeleteStep, DispatchBranch, ProvisionStep, ReclaimStep, RecycleStep, UnbindStep,
    VolumeBranch,
};
use crate::controllers::Branch::{
    BindStep as B, ClaimBranch as C, DeleteStep as D, DispatchBranch as Key, ProvisionStep as P, ReclaimStep as R,
    RecycleStep as Y, UnbindStep as U, VolumeBranch as V,
};
use crate::controllers::log::{EVENT, messages};
use groups::{
    binding, claimed, cleaning, deleting, losing, mismatch, pending, phase, provisioning, released, requested, surplus,
    unmatched,
};

messages! {
    "initializeCaches" {
        CACHES_VOLUMES_FAILED: Error, "PersistentVolumeController can't initialize caches", ["err"], _ if false,
        CACHES_VOLUME_FAILED: Error, "Error updating volume cache", ["err"], _ if false,
        CACHES_CLAIM_FAILED: Error, "Error updating claim cache", ["err"], _ if false,
        INITIALIZED: Info4, "Controller initialized", [], _ if false,
    }
    "enqueueWork" {
        NO_KEY: Error, "Failed to get key from object", ["err"], _ if false,
        ENQUEUED: Info5, "Enqueued for sync", ["objName"], _ if false,
    }
    "Run" {
        STARTING: Info0, "Starting persistent volume controller", [], _ if false,
        SHUTTING_DOWN: Info0, "Shutting down persistent volume controller", [], _ if false,
    }
    "resync" {
        RESYNCING: Info4, "Resyncing PV controller", [], _ if false,
        CLAIMS_UNLISTED: Info0, "Cannot list claims", ["err"], _ if false,
        VOLUMES_UNLISTED: Info0, "Cannot list persistent volumes", ["err"], _ if false,
    }
    "syncVolumeByKey" {
        VOLUME_KEY: Info5 (begins 1), "syncVolumeByKey", ["volumeKey"],
            V(_) | Key(DispatchBranch::KeyUnparsable | DispatchBranch::ListerFailed
                | DispatchBranch::StaleVersionIgnored | DispatchBranch::VolumeDeletedClaimEnqueued
                | DispatchBranch::VolumeDeletedUnclaimed | DispatchBranch::DeletionAlreadyProcessed
                | DispatchBranch::VersionUnparsable),
        VOLUME_KEY_UNPARSABLE: Info4 (always), "Error getting name of volume to get volume from informer",
            ["volumeKey", "err"],
            Key(DispatchBranch::KeyUnparsable),
        VOLUME_UNREAD: Info2 (always), "Error getting volume from informer", ["volumeKey", "err"],
            Key(DispatchBranch::ListerFailed),
        VOLUME_UNCACHED: Info2, "Error getting volume from cache", ["volumeKey", "err"], _ if false,
        VOLUME_ALREADY_DELETED: Info2 (always), "Deletion of volume was already processed", ["volumeKey"],
            Key(DispatchBranch::DeletionAlreadyProcessed),
        NO_VOLUME: Error, "Expected volume, got", ["obj"], _ if false,
    }
    "syncClaimByKey" {
        CLAIM_KEY: Info5 (begins 1), "syncClaimByKey", ["claimKey"],
            C(_) | Key(DispatchBranch::KeyUnparsable | DispatchBranch::ListerFailed
                | DispatchBranch::StaleVersionIgnored | DispatchBranch::ClaimDeletedVolumeEnqueued
                | DispatchBranch::ClaimDeletedUnbound | DispatchBranch::DeletionAlreadyProcessed
                | DispatchBranch::VersionUnparsable),
        CLAIM_KEY_UNPARSABLE: Info4 (always), "Error getting namespace & name of claim to get claim from informer",
            ["claimKey", "err"], Key(DispatchBranch::KeyUnparsable),
        CLAIM_UNREAD: Info2 (always), "Error getting claim from informer", ["claimKey", "err"],
            Key(DispatchBranch::ListerFailed),
        CLAIM_UNCACHED: Info2, "Error getting claim from cache", ["claimKey", "err"], _ if false,
        CLAIM_ALREADY_DELETED: Info2 (always), "Deletion of claim was already processed", ["claimKey"],
            Key(DispatchBranch::DeletionAlreadyProcessed),
        NO_CLAIM: Error, "Expected claim, got", ["obj"], _ if false,
    }
    "updateVolume" {
        VOLUME_UNSTORED: Error (always), "Error storing volume update", ["err"], Key(DispatchBranch::VersionUnparsable),
        VOLUME_CONFLICT: Info3, "Could not sync volume", ["volumeName", "err"], V(_),
        VOLUME_FAILED: Error, "Could not sync volume", ["err", "volumeName"], V(_),
    }
    "deleteVolume" {
        VOLUME_UNDELETED: Error, "Volume deletion encountered", ["err", "volumeName"],
            Key(DispatchBranch::VolumeDeletedClaimEnqueued | DispatchBranch::VolumeDeletedUnclaimed),
        VOLUME_DELETED: Info4 (always), "volume deleted", ["volumeName"],
            Key(DispatchBranch::VolumeDeletedClaimEnqueued | DispatchBranch::VolumeDeletedUnclaimed),
        CLAIM_SCHEDULED: Info5 (always), "deleteVolume: scheduling sync of claim", ["PVC", "volumeName"],
            Key(DispatchBranch::VolumeDeletedClaimEnqueued),
    }
    "updateClaim" {
        CLAIM_UNSTORED: Error (always), "Error storing claim update", ["err"], Key(DispatchBranch::VersionUnparsable),
        CLAIM_CONFLICT: Info3, "Could not sync claim", ["PVC", "err"], C(_),
        CLAIM_FAILED: Error, "Could not sync claim", ["err", "PVC"], C(_),
    }
    "deleteClaim" {
        CLAIM_UNDELETED: Error, "Claim deletion encountered", ["err", "PVC"],
            Key(DispatchBranch::ClaimDeletedVolumeEnqueued | DispatchBranch::ClaimDeletedUnbound),
        CLAIM_DELETED: Info4 (always), "Claim deleted", ["PVC"],
            Key(DispatchBranch::ClaimDeletedVolumeEnqueued | DispatchBranch::ClaimDeletedUnbound),
        NOTHING_SCHEDULED: Info5 (always), "deleteClaim: volume not bound", ["PVC"],
            Key(DispatchBranch::ClaimDeletedUnbound),
        VOLUME_SCHEDULED: Info5 (always), "deleteClaim: scheduling sync of volume", ["PVC", "volumeName"],
            Key(DispatchBranch::ClaimDeletedVolumeEnqueued),
    }
    "storeObjectUpdate" {
        STORE_ADDING: Info4, "storeObjectUpdate, adding obj", ["storageClassName", "objName", "resourceVersion"],
            C(_) | V(_),
        STORE_IGNORING: Info4, "storeObjectUpdate: ignoring obj", ["storageClassName", "objName", "resourceVersion"],
            C(_) | V(_) | Key(DispatchBranch::StaleVersionIgnored),
        STORE_UPDATING: Info4, "storeObjectUpdate updating obj with version",
            ["storageClassName", "objName", "resourceVersion"], C(_) | V(_),
    }
    "modifyDeletionFinalizers" {
        FINALIZER_ADDING: Info4, "Adding in-tree pv deletion protection finalizer on volume", ["volumeName"], V(_),
        FINALIZER_REMOVING: Info4, "Removing in-tree pv deletion protection finalizer on volume", ["volumeName"], V(_),
        EXTERNAL_FINALIZER_REMOVING: Info4, "Removing external pv deletion protection finalizer on volume",
            ["volumeName"], V(_),
    }
    "updateMigrationAnnotations" {
        NO_DRIVER: Error, "Could not update volume migration annotations. Migration enabled for plugin but could not \
            find corresponding driver name", ["err", "plugin"], C(_) | V(_),
    }
    "syncClaim" {
        CLAIM: Info4 (begins 2), "Synchronizing PersistentVolumeClaim", ["PVC", "claimStatus"], C(_),
    }
    "syncUnboundClaim" {
        MATCH_FAILED: Info2 (always), "Synchronizing unbound PersistentVolumeClaim, Error finding PV for claim",
            ["PVC", "err"],
            C(ClaimBranch::UnboundClaimMatchFailed),
        NO_MATCH: Info4 (always), "Synchronizing unbound PersistentVolumeClaim, no volume found", ["PVC"], unmatched!(),
        ASSIGNING: Info4, "Attempting to assign storage class to unbound PersistentVolumeClaim", ["PVC"], unmatched!(),
        ASSIGNED_RESTART: Info4 (always), "PersistentVolumeClaim update successful, restarting claim sync", ["PVC"],
            C(ClaimBranch::UnboundClaimDefaultClassAssigned),
        MATCH: Info4 (always), "Synchronizing unbound PersistentVolumeClaim, volume found",
            ["PVC", "volumeName", "volumeStatus"], C(ClaimBranch::UnboundClaimVolumeFound),
        REQUESTED: Info4 (always), "Synchronizing unbound PersistentVolumeClaim, volume requested", ["PVC",
            "volumeName"],
            requested!() | C(ClaimBranch::UnboundClaimVolumeNameMissing),
        REQUESTED_MISSING: Info4 (always),
            "Synchronizing unbound PersistentVolumeClaim， volume requested and not found, will try again next time",
            ["PVC", "volumeName"], C(ClaimBranch::UnboundClaimVolumeNameMissing),
        REQUESTED_FOUND: Info4 (always), "Synchronizing unbound PersistentVolumeClaim, volume requested and found",
            ["PVC", "volumeName", "volumeStatus"], requested!(),
        REQUESTED_FREE: Info4 (always), "Synchronizing unbound PersistentVolumeClaim, volume is unbound, binding",
            ["PVC"],
            mismatch!() | C(ClaimBranch::UnboundClaimNamedVolumeFree),
        REQUESTED_UNFIT: Info4 (always), "Can't bind the claim to volume", ["volumeName", "err"], mismatch!(),
        REQUESTED_RESERVED: Info4 (always),
            "Synchronizing unbound PersistentVolumeClaim, volume already bound, finishing the binding", ["PVC"],
            C(ClaimBranch::UnboundClaimNamedVolumeReserved),
        REQUESTED_TAKEN: Info4 (always),
            "Synchronizing unbound PersistentVolumeClaim, volume already bound to different claim by user, will retry \
             later", ["PVC"], C(ClaimBranch::UnboundClaimNamedVolumeTaken),
        REQUESTED_TAKEN_BY_CONTROLLER: Info4 (always),
            "Synchronizing unbound PersistentVolumeClaim, volume already bound to different claim by controller, THIS \
             SHOULD NEVER HAPPEN", ["PVC", "boundClaim"], C(ClaimBranch::UnboundClaimNamedVolumeTakenByController),
    }
    "syncBoundClaim" {
        BOUND: Info4 (always), "Synchronizing bound PersistentVolumeClaim, volume found", ["PVC", "volumeName",
            "volumeStatus"],
            C(ClaimBranch::BoundClaimVolumeUnbound | ClaimBranch::BoundClaimVolumeOurs
                | ClaimBranch::BoundClaimMisbound),
        BOUND_FIXING: Info4 (always), "Synchronizing bound PersistentVolumeClaim, volume is unbound, fixing", ["PVC"],
            C(ClaimBranch::BoundClaimVolumeUnbound),
        BOUND_OURS: Info4 (always), "Synchronizing bound PersistentVolumeClaim, claim is already correctly bound",
            ["PVC"],
            C(ClaimBranch::BoundClaimVolumeOurs),
    }
    "syncVolume" {
        VOLUME: Info4 (begins 2), "Synchronizing PersistentVolume", ["volumeName", "volumeStatus"], V(_),
        UNUSED: Info4 (always), "Synchronizing PersistentVolume, volume is unused", ["volumeName"],
            V(VolumeBranch::VolumeUnclaimed),
        RESERVED: Info4 (always), "Synchronizing PersistentVolume, volume is pre-bound to claim", ["PVC", "volumeName"],
            V(VolumeBranch::VolumeReserved),
        CLAIMED: Info4 (always), "Synchronizing PersistentVolume, volume is bound to claim", ["PVC", "volumeName"],
            claimed!(),
        CLAIM_MISSING: Info4 (always), "Synchronizing PersistentVolume, claim not found", ["PVC", "volumeName"],
            V(VolumeBranch::VolumeClaimMissing),
        CLAIM_FOUND: Info4, "Synchronizing PersistentVolume, claim found", ["PVC", "claimStatus", "volumeName"],
            V(VolumeBranch::VolumeClaimLookupFailed | VolumeBranch::VolumeClaimModeMismatch
                | VolumeBranch::VolumeAwaitsClaim | VolumeBranch::VolumeDanglingAwaitsClaim
                | VolumeBranch::VolumeBound) | released!() | surplus!(),
        CLAIM_REREAD: Info4, "Maybe cached claim is not the newest one, we should fetch it from apiserver", ["PVC"],
            claimed!(),
        CLAIM_REPLACED: Info4 (always),
            "Synchronizing PersistentVolume, claim has a newer UID than pv.ClaimRef, the old one must have been \
             deleted", ["PVC", "volumeName"], V(VolumeBranch::VolumeClaimReplaced),
        CLAIM_SAME: Info4, "Synchronizing PersistentVolume, claim has a same UID with pv.ClaimRef",
            ["PVC", "volumeName"],
            V(VolumeBranch::VolumeClaimModeMismatch | VolumeBranch::VolumeAwaitsClaim
                | VolumeBranch::VolumeDanglingAwaitsClaim | VolumeBranch::VolumeBound
                | VolumeBranch::VolumeSurplusDynamic) | surplus!(),
        RELEASED: Info2, "Volume is released and reclaim policy will be executed", ["volumeName", "reclaimPolicy"],
            V(VolumeBranch::VolumeClaimMissing | VolumeBranch::VolumeClaimReplaced),
        RETAINED: Info4, "PersistentVolume references a claim that is not found", ["PVC", "claimUID", "volumeName"],
            R(ReclaimStep::ReclaimRetain | ReclaimStep::ReclaimMigrated)
                | V(VolumeBranch::VolumeClaimMissing | VolumeBranch::VolumeClaimReplaced),
        AWAITS_CLAIM: Info4 (always),
            "Synchronizing PersistentVolume, volume not bound yet, waiting for syncClaim to fix it",
            ["volumeName"], V(VolumeBranch::VolumeAwaitsClaim),
        DANGLING: Info4 (always),
            "Synchronizing PersistentVolume, volume was bound and got unbound (by user?), waiting for syncClaim to fix \
             it", ["volumeName"], V(VolumeBranch::VolumeDanglingAwaitsClaim),
        ALL_BOUND: Info4 (always), "Synchronizing PersistentVolume, all is bound", ["volumeName"],
            V(VolumeBranch::VolumeBound),
        SURPLUS_DYNAMIC: Info2, "Dynamically provisioned volume is released and it will be deleted", ["volumeName"],
            V(VolumeBranch::VolumeSurplusDynamic),
        SURPLUS_CONTROLLER: Info4 (always),
            "Synchronizing PersistentVolume, volume is bound by controller to a claim that is bound to another volume, \
             unbinding", ["volumeName"], V(VolumeBranch::VolumeSurplusUnbindController),
        SURPLUS_USER: Info4 (always),
            "Synchronizing PersistentVolume, volume is bound by user to a claim that is bound to another volume, \
             waiting for the claim to get unbound", ["volumeName"], V(VolumeBranch::VolumeSurplusUnbindUser),
    }
    "updateClaimStatus" {
        CLAIM_STATUS: Info4, "Updating PersistentVolumeClaim status", ["PVC", "setPhase"],
            binding!() | pending!() | losing!(),
        RESIZE: Info2, "Volume requires filesystem resize: setting pvc status capacity",
            ["PVC", "volumeName", "statusCapacity"],
            B(BindStep::BindClaimStatusSaved | BindStep::BindClaimStatusFailed) | binding!(),
        RESIZE_UNPARSABLE: Info0, "Parsing pre-resize-capacity from PV failed", ["volumeName", "err"],
            B(BindStep::BindClaimStatusSaved | BindStep::BindClaimStatusFailed) | binding!(),
        CLAIM_STATUS_KEPT: Info4, "Updating PersistentVolumeClaim status, phase already set", ["PVC", "phase"],
            binding!() | pending!() | losing!(),
        CLAIM_STATUS_FAILED: Info4, "Updating PersistentVolumeClaim status, set phase failed", ["PVC", "phase", "err"],
            pending!() | losing!(),
        BOUND_STATUS_FAILED: Info4, "Updating PersistentVolumeClaim status, set phase failed", ["PVC", "phase", "err"],
            B(BindStep::BindClaimStatusFailed) | binding!(),
        CLAIM_STATUS_UNSTORED: Info4, "Updating PersistentVolumeClaim status: cannot update internal cache",
            ["PVC", "err"], _ if false,
        CLAIM_ENTERED: Info2, "Claim entered phase", ["PVC", "phase"], pending!() | losing!(),
        BOUND_ENTERED: Info2, "Claim entered phase", ["PVC", "phase"],
            B(BindStep::BindClaimStatusSaved) | binding!(),
    }
    "updateClaimStatusWithEvent" {
        CLAIM_EVENT: Info4 (always), "Updating updateClaimStatusWithEvent", ["PVC", "setPhase"], losing!(),
        CLAIM_EVENT_KEPT: Info4, "Updating updateClaimStatusWithEvent, phase already set", ["PVC", "phase"], losing!(),
        CLAIM_CHANGED: Info3, "Claim changed status", ["PVC", "phase", "message"], losing!(),
    }
    "updateVolumePhase" {
        PHASE: Info4, "Updating PersistentVolume", ["volumeName", "setPhase"], phase!(),
        PHASE_KEPT: Info4, "Updating PersistentVolume: phase already set", ["volumeName", "phase"], phase!(),
        PHASE_FAILED: Info4, "Updating PersistentVolume: set phase failed", ["volumeName", "phase", "err"], phase!(),
        PHASE_UNSTORED: Info4, "Updating PersistentVolume: cannot update internal cache", ["volumeName", "err"],
            _ if false,
        PHASE_ENTERED: Info2, "Volume entered phase", ["volumeName", "phase"], phase!(),
    }
    "updateVolumePhaseWithEvent" {
        PHASE_EVENT: Info4, "Updating updateVolumePhaseWithEvent", ["volumeName", "setPhase"], released!(),
        PHASE_EVENT_KEPT: Info4, "Updating updateVolumePhaseWithEvent: phase already set", ["volumeName", "phase"],
            released!(),
        PHASE_CHANGED: Info3, "Volume changed status", ["volumeName", "changedPhase", "message"], released!(),
    }
    "assignDefaultStorageClass" {
        NO_DEFAULT_CLASS: Info4,
            "Can not assign storage class to PersistentVolumeClaim: default storage class not found", ["PVC"],
            unmatched!(),
        CLASS_ASSIGNING: Info4, "Assigning StorageClass to PersistentVolumeClaim", ["PVC", "storageClassName"],
            C(ClaimBranch::UnboundClaimDefaultClassAssigned | ClaimBranch::UnboundClaimDefaultClassFailed),
        CLASS_ASSIGNED: Info4, "Successfully assigned StorageClass to PersistentVolumeClaim",
            ["PVC", "storageClassName"], C(ClaimBranch::UnboundClaimDefaultClassAssigned),
    }
    "bindVolumeToClaim" {
        BIND_VOLUME: Info4, "Updating PersistentVolume: binding to claim", ["PVC", "volumeName"], B(_) | binding!(),
        BIND_VOLUME_KEPT: Info4, "Updating PersistentVolume: already bound to claim", ["PVC", "volumeName"],
            B(BindStep::BindNothingToDo | BindStep::BindVolumeStatusSaved | BindStep::BindClaimSaved
                | BindStep::BindClaimStatusSaved | BindStep::BindVolumeWithoutCapacity
                | BindStep::BindVolumeStatusFailed | BindStep::BindClaimSaveFailed
                | BindStep::BindClaimStatusFailed) | binding!(),
    }
    "updateBindVolumeToClaim" {
        BIND_VOLUME_SAVING: Info2, "Claim bound to volume", ["PVC", "volumeName"],
            B(BindStep::BindVolumeSaved | BindStep::BindVolumeSaveFailed) | binding!(),
        BIND_VOLUME_FAILED: Info4, "Updating PersistentVolume: binding to claim failed", ["PVC", "volumeName", "err"],
            B(BindStep::BindVolumeSaveFailed) | binding!(),
        BIND_VOLUME_UNSTORED: Info4, "Updating PersistentVolume: cannot update internal cache", ["volumeName", "err"],
            _ if false,
        BIND_VOLUME_SAVED: Info4, "Updating PersistentVolume: bound to claim", ["PVC", "volumeName"],
            B(BindStep::BindVolumeSaved) | binding!(),
    }
    "bindClaimToVolume" {
        BIND_CLAIM: Info4, "Updating PersistentVolumeClaim: binding to volume", ["PVC", "volumeName"],
            B(BindStep::BindNothingToDo | BindStep::BindVolumeSaved | BindStep::BindVolumeStatusSaved
                | BindStep::BindClaimSaved | BindStep::BindClaimStatusSaved | BindStep::BindVolumeWithoutCapacity
                | BindStep::BindClaimSaveFailed | BindStep::BindClaimStatusFailed) | binding!(),
        BIND_CLAIM_SAVING: Info2, "Volume bound to claim", ["PVC", "volumeName"],
            B(BindStep::BindClaimSaved | BindStep::BindClaimSaveFailed) | binding!(),
        BIND_CLAIM_FAILED: Info4, "Updating PersistentVolumeClaim: binding to volume failed",
            ["PVC", "volumeName", "err"], B(BindStep::BindClaimSaveFailed) | binding!(),
        BIND_CLAIM_UNSTORED: Info4, "Updating PersistentVolumeClaim: cannot update internal cache", ["PVC", "err"],
            _ if false,
        BIND_CLAIM_SAVED: Info4, "Updating PersistentVolumeClaim: bound to volume", ["PVC", "volumeName"],
            B(BindStep::BindClaimSaved) | binding!(),
        BIND_CLAIM_KEPT: Info4, "Updating PersistentVolumeClaim: already bound to volume", ["PVC", "volumeName"],
            B(BindStep::BindNothingToDo | BindStep::BindVolumeSaved | BindStep::BindVolumeStatusSaved
                | BindStep::BindClaimStatusSaved | BindStep::BindVolumeWithoutCapacity
                | BindStep::BindClaimStatusFailed) | binding!(),
    }
    "bind" {
        BINDING: Info4, "Binding volume to claim", ["PVC", "volumeName"], B(_) | binding!(),
        BINDING_VOLUME_FAILED: Info3, "Error binding volume to claim: failed saving the volume",
            ["PVC", "volumeName", "err"], B(BindStep::BindVolumeSaveFailed) | binding!(),
        BINDING_VOLUME_STATUS_FAILED: Info3, "Error binding volume to claim: failed saving the volume status",
            ["PVC", "volumeName", "err"], B(BindStep::BindVolumeStatusFailed) | binding!(),
        BINDING_CLAIM_FAILED: Info3, "Error binding volume to claim: failed saving the claim",
            ["PVC", "volumeName", "err"], B(BindStep::BindClaimSaveFailed) | binding!(),
        BINDING_CLAIM_STATUS_FAILED: Info3, "Error binding volume to claim: failed saving the claim status",
            ["PVC", "volumeName", "err"],
            B(BindStep::BindClaimStatusFailed | BindStep::BindVolumeWithoutCapacity) | binding!(),
        BINDING_DONE: Info4, "Volume bound to claim", ["PVC", "volumeName"],
            B(BindStep::BindNothingToDo | BindStep::BindVolumeSaved | BindStep::BindVolumeStatusSaved
                | BindStep::BindClaimSaved | BindStep::BindClaimStatusSaved) | binding!(),
        BINDING_VOLUME: Info4, "Volume status after binding", ["volumeName", "volumeStatus"],
            B(BindStep::BindNothingToDo | BindStep::BindVolumeSaved | BindStep::BindVolumeStatusSaved
                | BindStep::BindClaimSaved | BindStep::BindClaimStatusSaved) | binding!(),
        BINDING_CLAIM: Info4, "Claim status after binding", ["PVC", "claimStatus"],
            B(BindStep::BindNothingToDo | BindStep::BindVolumeSaved | BindStep::BindVolumeStatusSaved
                | BindStep::BindClaimSaved | BindStep::BindClaimStatusSaved) | binding!(),
    }
    "unbindVolume" {
        UNBINDING: Info4, "Updating PersistentVolume: rolling back binding from claim", ["PVC", "volumeName"],
            U(_) | surplus!() | released!(),
        UNBIND_FAILED: Info4, "Updating PersistentVolume: rollback failed", ["volumeName", "err"],
            U(UnbindStep::UnbindFailed) | surplus!() | released!(),
        UNBIND_UNSTORED: Info4, "Updating PersistentVolume: cannot update internal cache", ["volumeName", "err"],
            _ if false,
        UNBOUND: Info4, "Updating PersistentVolume: rolled back", ["volumeName"], U(_) | surplus!() | released!(),
    }
    "reclaimVolume" {
        RETAIN: Info4, "ReclaimVolume: policy is Retain, nothing to do", ["volumeName"],
            R(ReclaimStep::ReclaimRetain) | released!(),
        RECYCLE: Info4, "ReclaimVolume: policy is Recycle", ["volumeName"],
            R(ReclaimStep::ReclaimRecycle | ReclaimStep::ReclaimRunning | ReclaimStep::ReclaimBackoff) | released!(),
        DELETE: Info4, "ReclaimVolume: policy is Delete", ["volumeName"],
            R(ReclaimStep::ReclaimDelete | ReclaimStep::ReclaimRunning | ReclaimStep::ReclaimBackoff) | released!(),
    }
    "recycleVolumeOperation" {
        RECYCLING: Info4, "RecycleVolumeOperation started", ["volumeName"],
            R(ReclaimStep::ReclaimRecycle) | Y(_) | released!(),
        RECYCLE_UNREAD: Info3, "Error reading persistent volume", ["volumeName", "err"],
            Y(RecycleStep::RecycleVolumeGone) | released!(),
        RECYCLE_CLAIM_UNREAD: Info3, "Error reading claim for volume", ["volumeName", "err"], _ if false,
        RECYCLE_NOT_RELEASED: Info3, "Volume no longer needs recycling, skipping", ["volumeName"],
            Y(RecycleStep::RecycleNotReleased) | released!(),
        RECYCLE_USED: Info3, "Can't recycle volume", ["volumeName", "msg"],
            Y(RecycleStep::RecycleVolumeUsed) | released!(),
        RECYCLE_USE_UNKNOWN: Info3, "Can't recycle volume", ["volumeName", "err"], _ if false,
        RECYCLE_UNCACHED: Info3, "Error getting the claim from cache", ["PVC"], _ if false,
        RECYCLE_UNMARKED: Info4, "RecycleVolumeOperation: failed to mark volume as failed", ["volumeName", "err"],
            Y(RecycleStep::RecyclePluginMissing | RecycleStep::RecycleFailed) | released!(),
        RECYCLED: Info2, "Volume recycled", ["volumeName"], Y(RecycleStep::RecycleSucceeded) | released!(),
        RECYCLED_NOT_AVAILABLE: Info3,
            "RecycleVolumeOperation: failed to make recycled volume 'Available', we will recycle the volume again",
            ["volumeName", "err"], Y(RecycleStep::RecycleSucceeded) | released!(),
    }
    "deleteVolumeOperation" {
        DELETING: Info4, "DeleteVolumeOperation started", ["volumeName"],
            R(ReclaimStep::ReclaimDelete) | D(_) | released!(),
        DELETE_UNMARKED: Info4, "DeleteVolumeOperation: failed to mark volume as failed", ["volumeName", "err"],
            D(DeleteStep::DeleteMarkFailed) | released!(),
        DELETE_EXTERNAL: Info3, "External deleter for volume requested, ignoring", ["volumeName"],
            D(DeleteStep::DeleteExternal | DeleteStep::DeletePluginMissing) | released!(),
        DELETER: Info5, "Found a deleter plugin for volume", ["pluginName", "volumeName"],
            D(DeleteStep::DeleteVolumeGone | DeleteStep::DeleteNotReleased) | deleting!(),
        DELETE_UNREAD: Info3, "Error reading persistent volume", ["volumeName", "err"],
            D(DeleteStep::DeleteVolumeGone) | released!(),
        DELETE_CLAIM_UNREAD: Info3, "Error reading claim for volume", ["volumeName", "err"], _ if false,
        DELETE_NOT_RELEASED: Info3, "Volume no longer needs deletion, skipping", ["volumeName"],
            D(DeleteStep::DeleteNotReleased) | released!(),
        DELETE_FAILED: Info3, "Deletion of volume failed", ["volumeName", "err"],
            D(DeleteStep::DeleteFailed | DeleteStep::DeleteMarkFailed | DeleteStep::DeleteInUse) | released!(),
        DELETE_SUCCEEDED: Info4, "DeleteVolumeOperation: success", ["volumeName"],
            D(DeleteStep::DeleteSucceeded | DeleteStep::DeleteObjectRefused) | released!(),
        DELETE_REFUSED: Info3, "Failed to delete volume from database", ["volumeName", "err"],
            D(DeleteStep::DeleteObjectRefused) | released!(),
    }
    "isVolumeReleased" {
        NO_CLAIM_REF: Info4, "isVolumeReleased: ClaimRef is nil", ["volumeName"],
            D(DeleteStep::DeleteNotReleased) | Y(RecycleStep::RecycleNotReleased) | released!(),
        NO_CLAIM_UID: Info4, "isVolumeReleased: ClaimRef is not bound", ["volumeName"],
            D(DeleteStep::DeleteNotReleased) | Y(RecycleStep::RecycleNotReleased) | released!(),
        CLAIM_VALID: Info4, "isVolumeReleased: ClaimRef is still valid, volume is not released", ["volumeName"],
            D(DeleteStep::DeleteNotReleased) | Y(RecycleStep::RecycleNotReleased) | released!(),
        IS_RELEASED: Info2, "isVolumeReleased: volume is released", ["volumeName"],
            Y(RecycleStep::RecycleVolumeUsed | RecycleStep::RecyclePluginMissing | RecycleStep::RecycleFailed
                | RecycleStep::RecycleSucceeded) | R(ReclaimStep::ReclaimRecycle) | deleting!(),
    }
    "doDeleteVolume" {
        STORAGE_DELETING: Info4, "doDeleteVolume", ["volumeName"], cleaning!() | deleting!(),
        STORAGE_DELETED: Info2, "Volume deleted", ["volumeName"], cleaning!() | deleting!(),
    }
    "removeDeletionProtectionFinalizer" {
        FINALIZER_UNREAD: Error, "Error reading persistent volume", ["err", "volumeName"], cleaning!() | deleting!(),
        FINALIZER_REMOVED: Info2, "PV in-tree protection finalizer removed from volume", ["volumeName"], deleting!(),
    }
    "provisionClaim" {
        PROVISION: Info4 (always), "provisionClaim: started", ["PVC"],
            C(ClaimBranch::UnboundClaimClassMissing | ClaimBranch::UnboundClaimInTreeProvisionerUnknown)
                | provisioning!(),
        NO_PROVISIONER: Error (always), "Error finding provisioning plugin for claim", ["err", "PVC"],
            C(ClaimBranch::UnboundClaimClassMissing | ClaimBranch::UnboundClaimInTreeProvisionerUnknown),
    }
    "provisionClaimOperation" {
        IN_TREE: Info4, "provisionClaimOperation started", ["PVC", "storageClassName"],
            P(_) | C(ClaimBranch::UnboundClaimProvisionInTree),
        IN_TREE_DATA_SOURCE: Info2,
            "plugin \"{}\" is not a CSI plugin. Only CSI plugin can provision a claim with a datasource", [],
            P(ProvisionStep::InTreeDataSourceUnsupported) | C(ClaimBranch::UnboundClaimProvisionInTree),
        IN_TREE_PLUGIN: Info4, "provisionClaimOperation", ["PVC", "pluginName", "provisionerName"],
            P(_) | C(ClaimBranch::UnboundClaimProvisionInTree),
        IN_TREE_UNSAVED: Info2, "Error saving claim", ["PVC", "err"],
            P(ProvisionStep::InTreeClaimSaveFailed) | C(ClaimBranch::UnboundClaimProvisionInTree),
        IN_TREE_UNREAD: Info3, "Error reading persistent volume", ["PV", "err"],
            P(ProvisionStep::InTreeVolumeReadFailed) | C(ClaimBranch::UnboundClaimProvisionInTree),
        IN_TREE_EXISTS: Info4, "provisionClaimOperation: volume already exists, skipping", ["PVC"],
            P(ProvisionStep::InTreeVolumeExists) | C(ClaimBranch::UnboundClaimProvisionInTree),
        IN_TREE_NO_REFERENCE: Info3, "Unexpected error getting claim reference", ["err"], _ if false,
        IN_TREE_MOUNT_OPTIONS: Info2,
            "Mount options are not supported by the provisioner but claim's StorageClass has mount options",
            ["PVC", "storageClassName", "options"],
            P(ProvisionStep::InTreeMountOptionsUnsupported) | C(ClaimBranch::UnboundClaimProvisionInTree),
        IN_TREE_DISABLED: Info2, "Failed to create provisioner for claim with StorageClass",
            ["PVC", "storageClassName", "err"],
            P(ProvisionStep::InTreeProvisionerDisabled) | C(ClaimBranch::UnboundClaimProvisionInTree),
        IN_TREE_NO_NODE: Info3, "Unexpected error getting target node for claim", ["node", "PVC", "err"],
            P(ProvisionStep::InTreeSelectedNodeMissing) | C(ClaimBranch::UnboundClaimProvisionInTree),
        IN_TREE_FAILED: Info2, "Failed to provision volume for claim with StorageClass",
            ["PVC", "storageClassName", "err"],
            P(ProvisionStep::InTreeProvisionFailed) | C(ClaimBranch::UnboundClaimProvisionInTree),
        IN_TREE_CREATED: Info3, "Volume for claim created", ["PVC", "volumeName"],
            P(ProvisionStep::InTreeProvisioned) | cleaning!(),
        IN_TREE_SAVING: Info4, "provisionClaimOperation: trying to save volume", ["PVC", "volumeName"],
            P(ProvisionStep::InTreeProvisioned) | cleaning!(),
        IN_TREE_REUSING: Info3, "Volume for claim already exists, reusing", ["PVC", "volumeName"],
            P(ProvisionStep::InTreeProvisioned) | C(ClaimBranch::UnboundClaimProvisionInTree),
        IN_TREE_SAVED: Info3, "Volume for claim saved", ["PVC", "volumeName"],
            P(ProvisionStep::InTreeProvisioned) | C(ClaimBranch::UnboundClaimProvisionInTree),
        IN_TREE_UNSTORED: Info4, "provisionClaimOperation: cannot update internal cache", ["volumeName", "err"],
            _ if false,
        IN_TREE_REFUSED: Info3, "Failed to save volume for claim", ["PVC", "volumeName", "err"],
            P(ProvisionStep::InTreeProvisioned) | cleaning!(),
        IN_TREE_CLEANING: Info3, "Error creating provisioned PV object for claim {}. Deleting the volume.", [],
            cleaning!(),
        IN_TREE_NO_DELETER: Error, "Error finding internal deleter for volume plugin", ["plugin"], _ if false,
        IN_TREE_CLEANED: Info4, "provisionClaimOperation: cleaning volume succeeded", ["PVC", "volumeName"],
            P(ProvisionStep::InTreeVolumeSaveFailedCleaned) | C(ClaimBranch::UnboundClaimProvisionInTree),
        IN_TREE_UNCLEANED: Info3, "Failed to delete volume", ["volumeName", "err"], cleaning!(),
        IN_TREE_ORPHANED: Info2, "Error cleaning provisioned volume for claim {}. Please delete manually.", [],
            P(ProvisionStep::InTreeVolumeOrphaned) | C(ClaimBranch::UnboundClaimProvisionInTree),
        IN_TREE_PROVISIONED: Info2, "Volume provisioned for claim", ["PVC", "volumeName"],
            P(ProvisionStep::InTreeProvisioned) | C(ClaimBranch::UnboundClaimProvisionInTree),
    }
    "provisionClaimOperationExternal" {
        EXTERNAL: Info4, "provisionClaimOperationExternal started", ["PVC", "storageClassName"],
            P(_) | C(ClaimBranch::UnboundClaimProvisionExternal),
        EXTERNAL_UNTRANSLATABLE: Info2, "error getting CSI name for In tree plugin {}", [],
            P(ProvisionStep::ExternalProvisionerUntranslatable) | C(ClaimBranch::UnboundClaimProvisionExternal),
        EXTERNAL_UNSAVED: Info2, "Error saving claim", ["PVC", "err"],
            P(ProvisionStep::ExternalProvisionerSaveFailed) | C(ClaimBranch::UnboundClaimProvisionExternal),
        EXTERNAL_REQUESTED: Info3, "provisionClaimOperationExternal provisioning claim", ["PVC", "msg"],
            P(ProvisionStep::ExternalProvisionerRequested | ProvisionStep::ExternalProvisionerAlreadyRequested)
                | C(ClaimBranch::UnboundClaimProvisionExternal),
    }
    "rescheduleProvisioning" {
        NODE_KEPT: Info4,
            "Failed to delete annotation 'storagehelpers.AnnSelectedNode' for PersistentVolumeClaim", ["PVC", "err"],
            P(ProvisionStep::InTreeProvisionFailed) | C(ClaimBranch::UnboundClaimProvisionInTree),
        NODE_UNSTORED: Info4, "Updating PersistentVolumeClaim: cannot update internal cache", ["PVC", "err"],
            _ if false,
    }
    "scheduleOperation" {
        OPERATION: Info4 (always), "scheduleOperation", ["operationName"], provisioning!(),
        RECLAIMING: Info4, "scheduleOperation", ["operationName"],
            R(ReclaimStep::ReclaimRecycle | ReclaimStep::ReclaimDelete | ReclaimStep::ReclaimRunning
                | ReclaimStep::ReclaimBackoff) | released!(),
        OPERATION_RUNNING: Info4 (always), "Operation is already running, skipping", ["operationName"],
            C(ClaimBranch::UnboundClaimProvisionRunning),
        RECLAIMING_RUNNING: Info4, "Operation is already running, skipping", ["operationName"],
            R(ReclaimStep::ReclaimRunning) | released!(),
        OPERATION_BACKOFF: Info4 (always), "Operation postponed due to exponential backoff", ["operationName"],
            C(ClaimBranch::UnboundClaimProvisionBackoff),
        RECLAIMING_BACKOFF: Info4, "Operation postponed due to exponential backoff", ["operationName"],
            R(ReclaimStep::ReclaimBackoff) | released!(),
        OPERATION_FAILED: Error, "Error scheduling operation", ["err", "operationName"], _ if false,
    }
    "StartStructuredLogging" {
        EVENT_FIRST_CONSUMER: Info3, EVENT,
            ["object", "fieldPath", "kind", "apiVersion", "type", "reason" = "WaitForFirstConsumer",
            "message"], C(ClaimBranch::UnboundClaimWaitForFirstConsumer),
        EVENT_POD_SCHEDULED: Info3, EVENT,
            ["object", "fieldPath", "kind", "apiVersion", "type", "reason" = "WaitForPodScheduled",
            "message"], C(ClaimBranch::UnboundClaimWaitForPodScheduled),
        EVENT_NO_CLASS: Info3, EVENT,
            ["object", "fieldPath", "kind", "apiVersion", "type", "reason" = "FailedBinding",
            "message" = "no persistent volumes available for this claim and no storage class is set"],
                C(ClaimBranch::UnboundClaimNoVolumeNoClass),
        EVENT_TAKEN: Info3, EVENT,
            ["object", "fieldPath", "kind", "apiVersion", "type", "reason" = "FailedBinding",
            "message" = "volume \"{volumeName}\" already bound to a different claim."],
                C(ClaimBranch::UnboundClaimNamedVolumeTaken | ClaimBranch::UnboundClaimNamedVolumeTakenByController),
        EVENT_MISMATCH: Info3, EVENT,
            ["object", "fieldPath", "kind", "apiVersion", "type", "reason" = "VolumeMismatch",
            "message" = "Cannot bind to requested volume \"{volumeName}\": {}"], mismatch!(),
        EVENT_MODE_OF_VOLUME: Info3, EVENT,
            ["object", "fieldPath", "kind", "apiVersion", "type", "reason" = "VolumeMismatch",
            "message" = "Cannot bind PersistentVolume to requested PersistentVolumeClaim {}"],
                V(VolumeBranch::VolumeClaimModeMismatch),
        EVENT_MODE_OF_CLAIM: Info3, EVENT,
            ["object", "fieldPath", "kind", "apiVersion", "type", "reason" = "VolumeMismatch",
            "message" = "Cannot bind PersistentVolume \"{volumeName}\" to requested PersistentVolumeClaim {}"],
                V(VolumeBranch::VolumeClaimModeMismatch),
        EVENT_NAME_CLEARED: Info3, EVENT,
            ["object", "fieldPath", "kind", "apiVersion", "type", "reason" = "ClaimLost",
            "message" = "Bound claim has lost reference to PersistentVolume. {}"],
                C(ClaimBranch::BoundClaimVolumeNameCleared),
        EVENT_LOST: Info3, EVENT,
            ["object", "fieldPath", "kind", "apiVersion", "type", "reason" = "ClaimLost",
            "message" = "Bound claim has lost its PersistentVolume. {}"], C(ClaimBranch::BoundClaimVolumeMissing),
        EVENT_MISBOUND: Info3, EVENT,
            ["object", "fieldPath", "kind", "apiVersion", "type", "reason" = "ClaimMisbound",
            "message"], C(ClaimBranch::BoundClaimMisbound),
        EVENT_POLICY: Info3, EVENT,
            ["object", "fieldPath", "kind", "apiVersion", "type", "reason" = "VolumeUnknownReclaimPolicy",
            "message"], R(ReclaimStep::ReclaimUnknownPolicy) | released!(),
        EVENT_NOT_RECYCLED: Info3, EVENT,
            ["object", "fieldPath", "kind", "apiVersion", "type", "reason" = "VolumeFailedRecycle",
            "message"],
                Y(RecycleStep::RecycleVolumeUsed | RecycleStep::RecyclePluginMissing | RecycleStep::RecycleFailed)
                | released!(),
        EVENT_RECYCLED: Info3, EVENT,
            ["object", "fieldPath", "kind", "apiVersion", "type", "reason" = "VolumeRecycled",
            "message"], Y(RecycleStep::RecycleSucceeded) | released!(),
        EVENT_RECYCLER: Info3, EVENT,
            ["object", "fieldPath", "kind", "apiVersion", "type", "reason" = "RecyclerPod",
            "message"], Y(RecycleStep::RecycleFailed | RecycleStep::RecycleSucceeded) | released!(),
        EVENT_NOT_DELETED: Info3, EVENT,
            ["object", "fieldPath", "kind", "apiVersion", "type", "reason" = "VolumeFailedDelete",
            "message"], D(DeleteStep::DeletePluginMissing | DeleteStep::DeleteFailed) | released!(),
        EVENT_DELETE_IN_USE: Info3, EVENT,
            ["object", "fieldPath", "kind", "apiVersion", "type", "reason" = "VolumeDelete",
            "message"], D(DeleteStep::DeleteInUse) | released!(),
        EVENT_NOT_PROVISIONED: Info3, EVENT,
            ["object", "fieldPath", "kind", "apiVersion", "type", "reason" = "ProvisioningFailed",
            "message"], C(ClaimBranch::UnboundClaimClassMissing | ClaimBranch::UnboundClaimInTreeProvisionerUnknown
                | ClaimBranch::UnboundClaimProvisionInTree | ClaimBranch::UnboundClaimProvisionExternal)
                | P(ProvisionStep::ExternalProvisionerUntranslatable | ProvisionStep::ExternalProvisionerSaveFailed
                | ProvisionStep::InTreeDataSourceUnsupported | ProvisionStep::InTreeMountOptionsUnsupported
                | ProvisionStep::InTreeProvisionerDisabled | ProvisionStep::InTreeSelectedNodeMissing
                | ProvisionStep::InTreeProvisionFailed | ProvisionStep::InTreeVolumeSaveFailedCleaned
                | ProvisionStep::InTreeVolumeOrphaned),
        EVENT_PROVISIONED: Info3, EVENT,
            ["object", "fieldPath", "kind", "apiVersion", "type", "reason" = "ProvisioningSucceeded",
            "message"], P(ProvisionStep::InTreeProvisioned) | C(ClaimBranch::UnboundClaimProvisionInTree),
        EVENT_NOT_CLEANED: Info3, EVENT,
            ["object", "fieldPath", "kind", "apiVersion", "type", "reason" = "ProvisioningCleanupFailed",
            "message"], P(ProvisionStep::InTreeVolumeOrphaned) | C(ClaimBranch::UnboundClaimProvisionInTree),
        EVENT_EXTERNAL: Info3, EVENT,
            ["object", "fieldPath", "kind", "apiVersion", "type", "reason" = "ExternalProvisioning",
            "message"],
                P(ProvisionStep::ExternalProvisionerRequested | ProvisionStep::ExternalProvisionerAlreadyRequested)
                | C(ClaimBranch::UnboundClaimProvisionExternal),
    }
}
