//! The leaves of the PersistentVolume controller. Each leaf is named after what upstream does there.

use crate::controllers::branch::leaves;

leaves! {
    /// Where the handling of a key of a work queue ends. Upstream: `syncVolumeByKey`, `syncClaimByKey`, 1.36.
    DispatchBranch {
        "D1" KeyUnparsable "The key has more than one `/`: nothing happens.",
        "D2" ListerFailed "The informer returns an error other than \"not found\": the sync ends with this error.",
        "D3" StaleVersionIgnored "The informer's object is older than the cached one: nothing happens.",
        "D4" VolumeDeletedClaimEnqueued
            "The volume is gone and was cached with a claimRef: it is removed from the cache, and its claim is \
            enqueued.",
        "D5" VolumeDeletedUnclaimed
            "The volume is gone and was cached without a claimRef: it is removed from the cache.",
        "D6" DeletionAlreadyProcessed
            "Neither the informer nor the controller's cache has the object: nothing happens.",
        "D7" ClaimDeletedVolumeEnqueued
            "The claim is gone and was cached with a volumeName: it is removed from the cache, and its volume is \
            enqueued.",
        "D8" ClaimDeletedUnbound "The claim is gone and was cached without a volumeName: it is removed from the cache.",
        "D9" VersionUnparsable "A resourceVersion is not a number: the sync ends with an error.",
        "D10" ObjectSynced "The object exists: it is synced.",
    }
    /// Where a claim's sync ends. Upstream: `syncClaim`, `syncUnboundClaim`, `syncBoundClaim`, `provisionClaim`, 1.36.
    ClaimBranch {
        "C1" ClaimMigrationUpdateFailed "The migration annotation could not be written: the sync ends with an error.",
        "C2" UnboundClaimBindingModeUnset "The class has no volumeBindingMode: the sync ends with an error.",
        "C3" UnboundClaimMatchFailed
            "The selector is invalid, or the claim has an attributes class while the gate is off: the sync ends with \
            an error.",
        "C4" UnboundClaimVolumeFound "A volume matches: it is bound to the claim.",
        "C5" UnboundClaimDefaultClassAssigned
            "No volume matches and the claim has no class at all: the claim gets the default class.",
        "C6" UnboundClaimDefaultClassFailed
            "The default class could not be found or written: the sync ends with an error.",
        "C7" UnboundClaimWaitForFirstConsumer
            "The class delays binding, and no pod that uses the claim waits for a node: the claim waits for such a \
            pod.",
        "C8" UnboundClaimWaitForPodScheduled
            "The class delays binding, and pods that use the claim wait for a node: the claim waits until they have \
            nodes.",
        "C9" UnboundClaimProvisioningDisabled "Dynamic provisioning is switched off: nothing happens.",
        "C10" UnboundClaimClassMissing "The class does not exist: an event says so.",
        "C11" UnboundClaimInTreeProvisionerUnknown
            "The class names an in-tree provisioner that does not exist: an event says so.",
        "C12" UnboundClaimProvisionExternal "The controller asks an external provisioner for a volume.",
        "C13" UnboundClaimProvisionInTree "An in-tree plugin provisions a volume.",
        "C14" UnboundClaimProvisionRunning "Provisioning is already running: nothing happens.",
        "C15" UnboundClaimProvisionBackoff "Provisioning failed a short while ago: nothing happens yet.",
        "C16" UnboundClaimNoVolumeNoClass "No volume matches and there is no class: an event says so.",
        "C17" UnboundClaimVolumeNameMissing "The named volume does not exist: the claim waits without an event.",
        "C18a" UnboundClaimVolumeMismatchDeleting "The named volume is being deleted: an event says so.",
        "C18b" UnboundClaimVolumeMismatchTooSmall "The named volume is too small: an event says so.",
        "C18c" UnboundClaimVolumeMismatchClass "The named volume has another class: an event says so.",
        "C18d" UnboundClaimVolumeMismatchAttributesClass
            "The named volume has another attributes class: an event says so.",
        "C18e" UnboundClaimVolumeMismatchAttributesClassUnsupported
            "An attributes class is set while the gate is off: an event says so.",
        "C18f" UnboundClaimVolumeMismatchMode "The named volume has another volume mode: an event says so.",
        "C18g" UnboundClaimVolumeMismatchAccessMode
            "The named volume does not have every requested access mode: an event says so.",
        "C19" UnboundClaimNamedVolumeFree "The named volume is free and fits: it is bound to the claim.",
        "C20" UnboundClaimNamedVolumeReserved
            "The named volume is reserved for this claim: it is bound to the claim without any test.",
        "C21" UnboundClaimNamedVolumeTaken "The named volume belongs to another claim: an event says so.",
        "C22" UnboundClaimNamedVolumeTakenByController
            "The named volume belongs to another claim, and this claim has the annotation bound-by-controller: the \
            sync ends with an error.",
        "C23" BoundClaimVolumeNameCleared
            "The claim has the annotation bind-completed and no volumeName: it becomes Lost.",
        "C24" BoundClaimVolumeMissing "The volume of the bound claim does not exist: the claim becomes Lost.",
        "C25" BoundClaimVolumeUnbound
            "The volume of the bound claim has no claimRef: it is bound to the claim again, without any test.",
        "C26" BoundClaimVolumeOurs
            "The claimRef of the bound volume has the claim's uid: missing parts of the binding are written.",
        "C27" BoundClaimMisbound "The claimRef of the bound volume has another uid, or none: the claim becomes Lost.",
    }
    /// Where a volume's sync ends. Upstream: `syncVolume`, 1.36.
    VolumeBranch {
        "V1" VolumeMigrationUpdateFailed
            "The migration annotation or the finalizers could not be written: the sync ends with an error.",
        "V2" VolumeUnclaimed "There is no claimRef: the volume is Available.",
        "V3" VolumeReserved "The claimRef has no uid: the volume is Available and reserved.",
        "V4" VolumeClaimLookupFailed "The claim could not be looked up: the sync ends with an error.",
        "V5" VolumeClaimMissing "The claim is not found: the volume becomes Released and is reclaimed.",
        "V6" VolumeClaimReplaced
            "The claim of that name has another uid: the volume becomes Released and is reclaimed.",
        "V7" VolumeClaimModeMismatch
            "The claim names no volume, and its volume mode differs from that of this volume: events say so.",
        "V8" VolumeAwaitsClaim
            "The claim names no volume yet, and the controller made this binding: the claim is enqueued.",
        "V9" VolumeDanglingAwaitsClaim
            "The claim names no volume yet, and a person or a provisioner made this binding: the claim is enqueued.",
        "V10" VolumeBound "The claim names this volume: it is Bound.",
        "V11" VolumeSurplusDynamic
            "The claim names another volume, and this volume was provisioned and has the policy Delete: it becomes \
            Released and is reclaimed.",
        "V12" VolumeSurplusUnbindController
            "The claim names another volume, and the controller made this binding: the claimRef is removed.",
        "V13" VolumeSurplusUnbindUser
            "The claim names another volume, and a person or a provisioner made this binding: only the uid of the \
            claimRef is removed.",
    }
    /// The results of matching for one volume. Upstream: `FindMatchingVolume`, component-helpers, 1.36.
    CandidateVerdict {
        "M1" CandidateExcluded "The volume is already chosen for another claim of the pod (scheduler only).",
        "M2" CandidateClaimedByOther "The claimRef of the volume names another claim.",
        "M3" CandidateTooSmall "The capacity of the volume is below the request.",
        "M4" CandidateVolumeMode "The volume has another volume mode.",
        "M5" CandidateAttributesClass "The volume has another attributes class.",
        "M6" CandidateDeleting "The volume is being deleted.",
        "M7" CandidateReserved "The volume is reserved for this claim: it is chosen without more tests.",
        "M8" CandidateReservedWrongNode
            "The volume is reserved for this claim and does not fit the node (scheduler only).",
        "M9" CandidateDelayed "The volume is free, and the class delays binding.",
        "M10" CandidatePhase "The phase of the volume is not Available.",
        "M11" CandidateSelector "The labels of the volume do not match the selector.",
        "M12" CandidateClass "The volume has another class.",
        "M13" CandidateNodeAffinity "The node affinity of the volume does not fit the node (scheduler only).",
        "M14" CandidateAccessModes
            "The volume does not have every requested access mode (scheduler only; the controller selects by access \
            modes first).",
        "M15" CandidateNotSmaller "The volume fits, and another volume that fits is smaller or has the same size.",
        "M16" CandidateChosen "The volume fits and is chosen.",
    }
    /// The writes of a binding. Upstream: `bind`, 1.36.
    BindStep {
        "B0" BindNothingToDo "The volume and the claim are bound to each other already: nothing is written.",
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
    /// The results of unbinding a volume. Upstream: `unbindVolume`, 1.36.
    UnbindStep {
        "U1" UnbindControllerBound "The controller made the binding: the claimRef and the annotation are removed.",
        "U2" UnbindUserBound "The controller did not make the binding: only the uid of the claimRef is removed.",
        "U3" UnbindFailed "The volume could not be written.",
    }
    /// Where the reclaiming of a volume ends. Upstream: `reclaimVolume`, 1.36.
    ReclaimStep {
        "R1" ReclaimMigrated "The volume is migrated to CSI: the driver reclaims the volume.",
        "R2" ReclaimRetain "Policy Retain: nothing happens.",
        "R3" ReclaimRecycle "Policy Recycle: a recycle operation is started.",
        "R4" ReclaimDelete "Policy Delete: a delete operation is started.",
        "R5" ReclaimUnknownPolicy "The policy is unknown: the volume becomes Failed.",
        "R6" ReclaimRunning "The operation is already running.",
        "R7" ReclaimBackoff "The operation failed a short while ago.",
    }
    /// Where a delete operation ends. Upstream: `deleteVolumeOperation`, 1.36.
    DeleteStep {
        "DO1" DeletePluginMissing "No plugin can delete the volume: it becomes Failed.",
        "DO2" DeleteMarkFailed "The API server refused to set the phase Failed.",
        "DO3" DeleteExternal "An external driver has to delete the volume.",
        "DO4" DeleteVolumeGone "The volume could not be read again.",
        "DO5" DeleteNotReleased "The volume is not released any more.",
        "DO6" DeleteFailed "The plugin failed: the volume becomes Failed.",
        "DO7" DeleteInUse "The storage is in use: an event says so.",
        "DO8" DeleteSucceeded "The storage is deleted, and then the volume.",
        "DO9" DeleteObjectRefused "The storage is deleted, and the API server refused to delete the volume.",
    }
    /// Where a recycle operation ends. Upstream: `recycleVolumeOperation`, 1.36.
    RecycleStep {
        "RO1" RecycleVolumeGone "The volume could not be read again.",
        "RO2" RecycleNotReleased "The volume is not released any more.",
        "RO3" RecycleVolumeUsed "Pods still use the volume: an event names them.",
        "RO4" RecyclePluginMissing "No plugin can recycle the volume: it becomes Failed.",
        "RO5" RecycleFailed "The plugin failed: the volume becomes Failed.",
        "RO6" RecycleSucceeded "The data are erased, and the volume is Available again.",
    }
    /// Where a provisioning operation ends. Upstream: `provisionClaimOperationExternal`, `provisionClaimOperation`,
    /// 1.36.
    ProvisionStep {
        "PE1" ExternalProvisionerUntranslatable "No CSI driver is known for this in-tree provisioner.",
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
        "PI8" InTreeProvisionFailed
            "The plugin failed: the annotation of the selected node is removed, so that the scheduler selects a node \
            again.",
        "PI9" InTreeVolumeSaveFailedCleaned "The volume could not be created; its storage was cleaned up.",
        "PI10" InTreeVolumeOrphaned "The volume could not be created, and its storage could not be cleaned up.",
        "PI11" InTreeProvisioned "The volume is created.",
    }
}
