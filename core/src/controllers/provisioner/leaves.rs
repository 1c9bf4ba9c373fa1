//! The leaves of the external provisioner.

use crate::controllers::branch::leaves;

leaves! {
    /// Where the sync of a claim ends. Upstream: `syncClaim` of sig-storage-lib-external-provisioner v13.1.0, and
    /// `Provision` of external-provisioner v6.4.0.
    ProvisionBranch {
        "EP1" ClaimNamesVolume "The claim names a volume, so nothing has to be provisioned.",
        "EP2" ClaimOfOtherProvisioner "No annotation of the claim names this provisioner.",
        "EP3" ClassNotFound "The class of the claim does not exist: the claim is tried again.",
        "EP4" NodeNotSelected "The class delays binding, and no node is selected for the claim yet.",
        "EP5" VolumeExists "The volume of the claim exists already.",
        "EP6" ClassOfOtherProvisioner "The class of the claim names another provisioner.",
        "EP7" SourceInOtherNamespace
            "The `dataSourceRef` of the claim has a namespace: the provisioner refuses such a source.",
        "EP8" SourceWithoutName "The source of the claim has no name.",
        "EP9" SourceOfOtherGroup "The source is a VolumeSnapshot of another API group.",
        "EP10" SourceIgnored "The source is of another kind: a volume populator has to create the volume.",
        "EP11" DriverLacksCapability "The driver lacks a capability that the request needs.",
        "EP12" SelectorUnsupported "The claim has a selector, which the provisioner does not support.",
        "EP13" FsTypeTwice "Two parameters of the class state the type of the file system.",
        "EP14" AccessModeUnsupported "There is no CSI access mode for an access mode of the claim.",
        "EP15" CloneSourceUnusable "The source claim cannot be cloned now: the claim is tried again.",
        "EP16" SnapshotSourceUnusable "The VolumeSnapshot cannot be used now: the claim is tried again.",
        "EP17" SelectedNodeMissing "The selected node has no CSINode: another node has to be selected.",
        "EP18" TopologyUnusable
            "No topology for the volume can be determined from the nodes and the class: the claim is tried again.",
        "EP19" SecretUnresolvable
            "The parameters of the class for a Secret are wrong or cannot be resolved: the claim is tried again.",
        "EP20" SecretNotFound "The Secret for the request does not exist: the claim is tried again.",
        "EP21" ParameterUnknown "A parameter of the class has the reserved prefix and is not known.",
        "EP22" AttributesClassNotFound "The VolumeAttributesClass of the claim does not exist.",
        "EP23" AttributesClassOfOtherDriver "The VolumeAttributesClass of the claim is for another driver.",
        "EP24" CreateRequested "The driver is asked to create a volume.",
        "EP25" CreateInfeasible
            "The driver finds the request invalid: the claim is tried again only after the longest delay.",
        "EP26" CreateRescheduled
            "The driver has too little storage for the selected node: another node has to be selected.",
        "EP27" CreateUnfinished "The driver may still be creating the volume: the same request is sent again.",
        "EP28" CreateFailed "The driver refused the request: the claim is tried again.",
        "EP29" CreatedTooSmall
            "The created volume is too small: the provisioner asks the driver to delete it.",
        "EP30" CreatedWithoutSource
            "The driver did not fill the volume from its source: the provisioner asks the driver to delete the volume.",
        "EP31" VolumeProvisioned
            "The driver created the volume, and the PersistentVolume is created for the claim.",
    }
    /// Where the sync of a volume ends. Upstream: `syncVolume` of sig-storage-lib-external-provisioner v13.1.0, and
    /// `Delete` of external-provisioner v6.4.0.
    DeletionBranch {
        "ED1" VolumeOfOtherProvisioner "The volume belongs to another provisioner.",
        "ED2" VolumeAlreadyDeleted "The volume is being deleted and has no finalizer of the provisioner any more.",
        "ED3" VolumeNotReleased "The volume is not Released.",
        "ED4" VolumeIsKept "The reclaim policy of the volume is not Delete.",
        "ED5" VolumeUntranslatable "The in-tree volume cannot be translated to CSI.",
        "ED6" VolumeNotCsi "The volume is not a CSI volume.",
        "ED7" DeleteUnsupported "The driver cannot delete volumes.",
        "ED8" DeletionSecretUnresolvable
            "The parameters of the class for a Secret are wrong or cannot be resolved: the deletion is tried again.",
        "ED9" VolumeAttached "A VolumeAttachment still names the volume: the deletion waits.",
        "ED10" DeleteRequested "The driver is asked to delete the volume.",
        "ED11" DeleteFailed "The driver did not delete the volume: the deletion is tried again.",
        "ED12" VolumeDeleted "The driver deleted the storage, and the provisioner deletes the PersistentVolume.",
    }
    /// What the sync of a volume does with the finalizer of the provisioner. Upstream: `handleProtectionFinalizer` of
    /// sig-storage-lib-external-provisioner v13.1.0.
    FinalizerBranch {
        "EF1" FinalizerUnchanged "The finalizer does not have to be added or removed.",
        "EF2" FinalizerAdded "A bound volume with the policy Delete gets the finalizer.",
        "EF3" FinalizerRemoved "A volume with the policy Retain or Recycle loses the finalizer.",
    }
    /// What the controller for cloning protection does with a claim. Upstream: `CloningProtectionController` of
    /// external-provisioner v6.4.0.
    CloneBranch {
        "ES1" SourceUntouched
            "The claim is not being deleted, has no cloning-protection finalizer, or the driver cannot clone.",
        "ES2" SourceStillCloned "A Pending claim names the claim as its source: the finalizer stays.",
        "ES3" SourceReleased "No Pending claim names the claim as its source: the finalizer is removed.",
    }
}
