//! Every place where the functions of the PersistentVolume controller end, under the names of upstream's behaviour.

use crate::controllers::branch::leaves;

leaves! {
    /// Where the handling of a queue's key ends. Upstream: `syncVolumeByKey`, `syncClaimByKey`, 1.36.
    DispatchBranch {
        "D1" KeyUnparsable "The key has more than one `/`: nothing happens.",
        "D2" ListerFailed "The informer fails with something else than \"not found\": the sync ends with that error.",
        "D3" StaleVersionIgnored "The informer's object is older than the cached one: nothing happens.",
        "D4" VolumeDeletedClaimEnqueued "The volume is gone and was cached with a claimRef: the cache forgets it and its claim is enqueued.",
        "D5" VolumeDeletedUnclaimed "The volume is gone and was cached without a claimRef: the cache forgets it.",
        "D6" DeletionAlreadyProcessed "The object is in neither cache: nothing happens.",
        "D7" ClaimDeletedVolumeEnqueued "The claim is gone and was cached with a volumeName: the cache forgets it and its volume is enqueued.",
        "D8" ClaimDeletedUnbound "The claim is gone and was cached without a volumeName: the cache forgets it.",
        "D9" VersionUnparsable "A resourceVersion is not a number: the sync ends with an error.",
        "D10" ObjectSynced "The object exists: it is synced.",
    }
    /// Where a claim's sync ends. Upstream: `syncClaim`, `syncUnboundClaim`, `syncBoundClaim`, `provisionClaim`, 1.36.
    ClaimBranch {
        "C1" ClaimMigrationUpdateFailed "The migration annotation could not be written: the sync ends with an error.",
        "C2" UnboundClaimBindingModeUnset "The class has no volumeBindingMode: the sync ends with an error.",
        "C3" UnboundClaimMatchFailed "The selector cannot be used, or attributes classes are off: the sync ends with an error.",
        "C4" UnboundClaimVolumeFound "A volume matches: it is bound.",
        "C5" UnboundClaimDefaultClassAssigned "No volume matches and the claim has no class at all: it gets the default class.",
        "C6" UnboundClaimDefaultClassFailed "The default class could not be found or written: the sync ends with an error.",
        "C7" UnboundClaimWaitForFirstConsumer "The class delays binding and no pod that could be scheduled uses the claim: it waits.",
        "C8" UnboundClaimWaitForPodScheduled "The class delays binding and unscheduled pods use the claim: it waits for them.",
        "C9" UnboundClaimProvisioningDisabled "Dynamic provisioning is switched off: nothing happens.",
        "C10" UnboundClaimClassMissing "The class does not exist: an event says so.",
        "C11" UnboundClaimInTreeProvisionerUnknown "The class names an in-tree provisioner that does not exist: an event says so.",
        "C12" UnboundClaimProvisionExternal "An external provisioner is asked for a volume.",
        "C13" UnboundClaimProvisionInTree "An in-tree plugin provisions a volume.",
        "C14" UnboundClaimProvisionRunning "Provisioning is already under way: nothing happens.",
        "C15" UnboundClaimProvisionBackoff "Provisioning failed a short while ago: nothing happens yet.",
        "C16" UnboundClaimNoVolumeNoClass "No volume matches and there is no class: an event says so.",
        "C17" UnboundClaimVolumeNameMissing "The named volume does not exist: the claim waits without an event.",
        "C18a" UnboundClaimVolumeMismatchDeleting "The named volume is being deleted: an event says so.",
        "C18b" UnboundClaimVolumeMismatchTooSmall "The named volume is too small: an event says so.",
        "C18c" UnboundClaimVolumeMismatchClass "The named volume has another class: an event says so.",
        "C18d" UnboundClaimVolumeMismatchAttributesClass "The named volume has another attributes class: an event says so.",
        "C18e" UnboundClaimVolumeMismatchAttributesClassUnsupported "An attributes class is set while the gate is off: an event says so.",
        "C18f" UnboundClaimVolumeMismatchMode "The named volume has another volume mode: an event says so.",
        "C18g" UnboundClaimVolumeMismatchAccessMode "The named volume lacks a requested access mode: an event says so.",
        "C19" UnboundClaimNamedVolumeFree "The named volume is free and fits: it is bound.",
        "C20" UnboundClaimNamedVolumeReserved "The named volume is reserved for this claim: it is bound without any test.",
        "C21" UnboundClaimNamedVolumeTaken "The named volume belongs to another claim: an event says so.",
        "C22" UnboundClaimNamedVolumeTakenByController "The same, on a claim that the controller marked: the sync ends with an error.",
        "C23" BoundClaimVolumeNameCleared "A completed binding has no volumeName: the claim is Lost.",
        "C24" BoundClaimVolumeMissing "The bound volume does not exist: the claim is Lost.",
        "C25" BoundClaimVolumeUnbound "The bound volume has no claimRef: it is taken back without any test.",
        "C26" BoundClaimVolumeOurs "The bound volume has the claim's uid: the binding is completed where something lacks.",
        "C27" BoundClaimMisbound "The bound volume has another uid, or none: the claim is Lost.",
    }
    /// Where a volume's sync ends. Upstream: `syncVolume`, 1.36.
    VolumeBranch {
        "V1" VolumeMigrationUpdateFailed "The migration annotation or the finalizers could not be written: the sync ends with an error.",
        "V2" VolumeUnclaimed "There is no claimRef: the volume is Available.",
        "V3" VolumeReserved "The claimRef has no uid: the volume is Available and reserved.",
        "V4" VolumeClaimLookupFailed "The claim could not be looked up: the sync ends with an error.",
        "V5" VolumeClaimMissing "The claim is not found: the volume is Released and reclaimed.",
        "V6" VolumeClaimReplaced "A claim of that name has another uid: the volume is Released and reclaimed.",
        "V7" VolumeClaimModeMismatch "The claim names no volume and has another volume mode: events say so.",
        "V8" VolumeAwaitsClaim "The claim names no volume; the controller made this binding: the claim is enqueued.",
        "V9" VolumeDanglingAwaitsClaim "The claim names no volume; the controller did not make this binding (a person or a provisioner did): the claim is enqueued.",
        "V10" VolumeBound "The claim names this volume: it is Bound.",
        "V11" VolumeSurplusDynamic "The claim names another volume, and this one was provisioned for it with policy Delete: it is deleted.",
        "V12" VolumeSurplusUnbindController "The claim names another volume; the controller made this binding: the claimRef is removed.",
        "V13" VolumeSurplusUnbindUser "The claim names another volume; the controller did not make this binding (a person or a provisioner did): the claimRef keeps its name and loses its uid.",
    }
    /// What matching says of one volume. Upstream: `FindMatchingVolume`, component-helpers, 1.36.
    CandidateVerdict {
        "M1" CandidateExcluded "Already chosen for another claim of the pod (scheduler only).",
        "M2" CandidateClaimedByOther "Its claimRef names another claim.",
        "M3" CandidateTooSmall "Its capacity is below the request.",
        "M4" CandidateVolumeMode "It has another volume mode.",
        "M5" CandidateAttributesClass "It has another attributes class.",
        "M6" CandidateDeleting "It is being deleted.",
        "M7" CandidateReserved "It is reserved for this claim: taken at once.",
        "M8" CandidateReservedWrongNode "It is reserved for this claim and does not fit the node (scheduler only).",
        "M9" CandidateDelayed "It is free, and the class delays binding.",
        "M10" CandidatePhase "Its phase is not Available.",
        "M11" CandidateSelector "Its labels do not match the selector.",
        "M12" CandidateClass "It has another class.",
        "M13" CandidateNodeAffinity "Its node affinity does not fit the node (scheduler only).",
        "M14" CandidateAccessModes "It lacks a requested access mode (scheduler only; the controller picks by access modes first).",
        "M15" CandidateNotSmaller "It fits, and another one that fits is smaller or equal.",
        "M16" CandidateChosen "It fits and is chosen.",
    }
    /// The writes of a binding. Upstream: `bind`, 1.36.
    BindStep {
        "B0" BindNothingToDo "Both sides are bound already.",
        "B1" BindVolumeSaved "The volume's claimRef is written.",
        "B2" BindVolumeStatusSaved "The volume's phase is written.",
        "B3" BindClaimSaved "The claim's volumeName and annotations are written.",
        "B4" BindClaimStatusSaved "The claim's status is written.",
        "B5" BindVolumeWithoutCapacity "The volume states no storage capacity: the sync ends with an error.",
        "B6" BindVolumeSaveFailed "The volume could not be written.",
        "B7" BindVolumeStatusFailed "The volume's status could not be written.",
        "B8" BindClaimSaveFailed "The claim could not be written.",
        "B9" BindClaimStatusFailed "The claim's status could not be written.",
    }
    /// The ways to roll a binding back. Upstream: `unbindVolume`, 1.36.
    UnbindStep {
        "U1" UnbindControllerBound "The controller made it: claimRef and annotation are removed.",
        "U2" UnbindUserBound "The controller did not make it: the claimRef loses its uid.",
        "U3" UnbindFailed "It could not be written.",
    }
    /// The dispatch of reclaiming. Upstream: `reclaimVolume`, 1.36.
    ReclaimStep {
        "R1" ReclaimMigrated "The volume is migrated to CSI: its driver reclaims it.",
        "R2" ReclaimRetain "Policy Retain: nothing happens.",
        "R3" ReclaimRecycle "Policy Recycle: a recycle operation is started.",
        "R4" ReclaimDelete "Policy Delete: a delete operation is started.",
        "R5" ReclaimUnknownPolicy "An unknown policy: the volume is Failed.",
        "R6" ReclaimRunning "The operation is already under way.",
        "R7" ReclaimBackoff "The operation failed a short while ago.",
    }
    /// Where a delete operation ends. Upstream: `deleteVolumeOperation`, 1.36.
    DeleteStep {
        "DO1" DeletePluginMissing "No plugin can delete the volume: it is Failed.",
        "DO2" DeleteMarkFailed "Marking the volume Failed was refused.",
        "DO3" DeleteExternal "An external driver has to delete it.",
        "DO4" DeleteVolumeGone "The volume could not be read again.",
        "DO5" DeleteNotReleased "The volume is not released any more.",
        "DO6" DeleteFailed "The plugin failed: the volume is Failed.",
        "DO7" DeleteInUse "The storage is in use: an event says so.",
        "DO8" DeleteSucceeded "The storage is gone, and the volume is deleted.",
        "DO9" DeleteObjectRefused "The storage is gone, and deleting the volume was refused.",
    }
    /// Where a recycle operation ends. Upstream: `recycleVolumeOperation`, 1.36.
    RecycleStep {
        "RO1" RecycleVolumeGone "The volume could not be read again.",
        "RO2" RecycleNotReleased "The volume is not released any more.",
        "RO3" RecycleVolumeUsed "Pods still use the volume: an event names them.",
        "RO4" RecyclePluginMissing "No plugin can recycle it: the volume is Failed.",
        "RO5" RecycleFailed "The plugin failed: the volume is Failed.",
        "RO6" RecycleSucceeded "The data are scrubbed, and the volume is offered again.",
    }
    /// Where a provisioning operation ends. Upstream: `provisionClaimOperationExternal`, `provisionClaimOperation`,
    /// 1.36.
    ProvisionStep {
        "PE1" ExternalProvisionerUntranslatable "The in-tree name has no CSI name.",
        "PE2" ExternalProvisionerSaveFailed "The provisioner's name could not be written to the claim.",
        "PE3" ExternalProvisionerRequested "The provisioner's name is written to the claim.",
        "PE4" ExternalProvisionerAlreadyRequested "The claim names the provisioner already.",
        "PI1" InTreeDataSourceUnsupported "The claim has a data source, which no in-tree plugin can use.",
        "PI2" InTreeClaimSaveFailed "The provisioner's name could not be written to the claim.",
        "PI3" InTreeVolumeReadFailed "The volume could not be looked up.",
        "PI4" InTreeVolumeExists "The volume exists already.",
        "PI5" InTreeMountOptionsUnsupported "The class has mount options, which the plugin cannot use.",
        "PI6" InTreeProvisionerDisabled "Host-path provisioning is switched off.",
        "PI7" InTreeSelectedNodeMissing "The selected node does not exist.",
        "PI8" InTreeProvisionFailed "The plugin failed; the claim is rescheduled.",
        "PI9" InTreeVolumeSaveFailedCleaned "The volume could not be created; its storage was cleaned up.",
        "PI10" InTreeVolumeOrphaned "The volume could not be created, and its storage could not be cleaned up.",
        "PI11" InTreeProvisioned "The volume is created.",
    }
}
