//! The leaves of the external resizer: the ends of one sync of a claim by its resize controller and by its modify
//! controller.

use crate::controllers::branch::leaves;

leaves! {
    /// The end of a sync of the resize controller. Upstream: `syncPVC`, `expandAndRecover` and `callResizeOnPlugin` of
    /// `pkg/controller`, v2.3.0.
    ResizeBranch {
        "RZ1" ResizeNotOffered "The driver expands no volumes: nothing happens.",
        "RZ2" ResizeUnbound "The claim names no volume: nothing happens.",
        "RZ3" ResizeVolumeMissing "The volume of the claim does not exist: the sync is repeated.",
        "RZ4" PreResizeCapacityKept
            "The expansion is finished, but the annotation with the old capacity cannot be removed from the volume: the \
            sync is repeated.",
        "RZ5" ResizeNotWanted "The claim is not bound, or it requests no more than it has: nothing happens.",
        "RZ6" ResizeOfOtherDriver "The volume belongs to another driver: nothing happens.",
        "RZ7" ResizeVolumeOfOtherClaim "The volume belongs to another claim: nothing happens.",
        "RZ8" ResizeLeftToNode "The volume is large enough, and the node has to expand it: nothing happens.",
        "RZ9" ResizeLeftToFileSystem
            "The volume is large enough, and its file system has to be expanded: nothing happens.",
        "RZ10" ResizeDelayed "The driver has refused this size: it is asked again later.",
        "RZ11" ResizeMarkFailed "The begin of the expansion cannot be stored in the claim: the sync is repeated.",
        "RZ12" ResizeWaitsForPods
            "The driver expands the volume only if no pod uses it, and a pod uses it: the sync is repeated.",
        "RZ13" ExpandVolumeUntranslatable
            "The volume of an in-tree plugin cannot be translated to CSI: the sync is repeated.",
        "RZ14" ExpandHandleMissing "The volume has no handle: the sync is repeated.",
        "RZ15" ExpandSecretMissing "The Secret for the call does not exist: the sync is repeated.",
        "RZ16" ExpandModesUnsupported
            "CSI has no access mode for the access modes of the volume: the sync is repeated.",
        "RZ17" ExpandRequested "The driver is asked to expand the volume.",
        "RZ18" ExpandUncertain
            "The call fails, and the expansion may still go on: the sync is repeated with the same size.",
        "RZ19" ExpandRefused "The driver refuses the size: the claim is marked as infeasible.",
        "RZ20" ExpandFailed "The driver does not expand the volume: the claim gets the error.",
        "RZ21" ExpandErrorNotStored
            "The driver does not expand the volume, and this cannot be stored in the claim: the sync is repeated.",
        "RZ22" ExpandCapacityNotStored
            "The volume is expanded, but its new capacity cannot be stored: the sync is repeated.",
        "RZ23" NodeExpansionNotStored
            "The volume is expanded, but it cannot be stored that the node has to expand it: the sync is repeated.",
        "RZ24" NodeExpansionRequired "The volume is expanded, and now the node has to expand it.",
        "RZ25" ResizeEndNotStored "The volume is expanded, but the claim cannot be changed: the sync is repeated.",
        "RZ26" ResizeFinished "The volume is expanded, and the node has nothing to do.",
        "RZ27" ResizerCrashed "The volume is expanded, and the resizer crashes, because an object states no capacity.",
    }
    /// The end of a sync of the modify controller. Upstream: `syncPVC`, `modify` and `controllerModifyVolumeWithTarget`
    /// of `pkg/modifycontroller`, v2.3.0.
    ModifyBranch {
        "MV1" ModifyNotOffered "The driver modifies no volumes: nothing happens.",
        "MV2" ModifyUnbound "The claim names no volume: nothing happens.",
        "MV3" ModifyVolumeMissing "The volume of the claim does not exist: the sync is repeated.",
        "MV4" ModifyOfOtherDriver "The volume belongs to another driver: nothing happens.",
        "MV5" ModifyClaimNotBound "The claim is not bound: nothing happens.",
        "MV6" ModifyDelayed "The driver has refused this class: the sync is repeated, without a call.",
        "MV7" ModifyNotWanted "The volume has the class that the claim names: nothing happens.",
        "MV8" ModifyStaysAsItIs "The claim names no class, and no modification goes on: nothing happens.",
        "MV9" ModifyCancelled "The claim names no class any more: the condition of the modification is removed.",
        "MV10" ModifyCancelNotStored "The condition of the modification cannot be removed: the sync is repeated.",
        "MV11" ModifyTargetMissing "The class of the modification that goes on does not exist: the sync is repeated.",
        "MV12" ModifyClassMissing "The class does not exist: the modification is marked as pending.",
        "MV13" ModifyPendingNotStored
            "The class does not exist, and this cannot be stored in the claim: the sync is repeated.",
        "MV14" ModifyMarkFailed "The begin of the modification cannot be stored in the claim: the sync is repeated.",
        "MV15" ModifyHandleMissing "The volume has no handle: the sync is repeated.",
        "MV16" ModifySecretMissing "The Secret for the call does not exist: the sync is repeated.",
        "MV17" ModifyRequested "The driver is asked to modify the volume.",
        "MV18" ModifyUncertain
            "The call fails, and the modification may still go on: the sync is repeated with the same class.",
        "MV19" ModifyRefused "The driver refuses the class: the modification is marked as infeasible.",
        "MV20" ModifyFailed "The driver does not modify the volume: the claim gets the error.",
        "MV21" ModifyErrorNotStored
            "The driver does not modify the volume, and this cannot be stored in the claim: the sync is repeated.",
        "MV22" ModifyVolumeNotStored
            "The volume is modified, but its new class cannot be stored in the volume: the sync is repeated.",
        "MV23" ModifyEndNotStored
            "The volume is modified, but its new class cannot be stored in the claim: the sync is repeated.",
        "MV24" ModifyFinished "The volume is modified, and the volume and the claim say so.",
    }
}
