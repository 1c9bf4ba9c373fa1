//! The leaves of the external attacher: the ends of one sync of a VolumeAttachment and of a volume, and of the
//! comparison with the volumes of the driver.

use crate::controllers::branch::leaves;

leaves! {
    /// The end of a sync of a VolumeAttachment that is not being deleted, or that the attacher does not handle by calls
    /// of the driver. Upstream: `syncVA`, `trivialHandler` and `syncAttach`, v4.13.0.
    AttachmentBranch {
        "AT1" AttachmentOfOtherAttacher "Another attacher is responsible for the attachment: nothing happens.",
        "AT2" DriverNeedsNoCall
            "The driver attaches no volumes, and the attachment is marked as attached: nothing happens.",
        "AT3" MarkedWithoutCall "The driver attaches no volumes: the attachment is only marked as attached.",
        "AT4" MarkWithoutCallFailed "The attachment cannot be marked as attached: the sync is repeated.",
        "AT5" AttachedAlready "The volume is attached: nothing happens.",
        "AT6" AttachSourceUnusable "The attachment names no volume that the attacher can use: it gets an error.",
        "AT7" AttachVolumeMissing "The volume of the attachment does not exist: the attachment gets an error.",
        "AT8" AttachVolumeDeleting "The volume is being deleted: the attachment gets an error.",
        "AT9" VolumeFinalizerFailed "The finalizer cannot be added to the volume: the attachment gets an error.",
        "AT10" AttachVolumeUntranslatable
            "The volume of an in-tree plugin cannot be translated to CSI: the attachment gets an error.",
        "AT11" AttachVolumeNotCsi "The volume is not a CSI volume: the attachment gets an error.",
        "AT12" AttachModesUnsupported
            "CSI has no access mode for the access modes of the volume: the attachment gets an error.",
        "AT13" AttachSecretMissing "The Secret for the call does not exist: the attachment gets an error.",
        "AT14" AttachNodeUnknown "The driver is not registered on the node: the attachment gets an error.",
        "AT15" AttachmentPatchFailed
            "The finalizer and the id of the node cannot be stored in the attachment: the attachment gets an error.",
        "AT16" PublishRequested "The driver is asked to attach the volume.",
        "AT17" PublishFailed "The driver does not attach the volume: the attachment gets an error.",
        "AT18" MarkAttachedFailed "The volume is attached, and this cannot be stored: the sync is repeated.",
        "AT19" VolumeAttachedToNode "The volume is attached, and the attachment says so.",
    }
    /// The end of a sync of a VolumeAttachment that is being deleted. Upstream: `syncDetach`, v4.13.0.
    DetachmentBranch {
        "DT1" DetachedAlready "The attachment does not have the finalizer of the attacher: nothing happens.",
        "DT2" DetachSourceUnusable "The attachment names no volume that the attacher can use: it gets an error.",
        "DT3" DetachVolumeMissing "The volume of the attachment does not exist: the attachment gets an error.",
        "DT4" DetachVolumeUntranslatable
            "The volume of an in-tree plugin cannot be translated to CSI: the attachment gets an error.",
        "DT5" DetachVolumeNotCsi "The volume is not a CSI volume: the attachment gets an error.",
        "DT6" DetachSecretMissing "The Secret for the call does not exist: the attachment gets an error.",
        "DT7" DetachNodeUnknown "Nothing says how the driver names the node: the attachment gets an error.",
        "DT8" UnpublishRequested "The driver is asked to detach the volume.",
        "DT9" UnpublishFailed "The driver does not detach the volume: the attachment gets an error.",
        "DT10" DetachedWithoutMark "The volume is detached, and the attachment said so before.",
        "DT11" MarkDetachedFailed "The volume is detached, and this cannot be stored: the attachment gets an error.",
        "DT12" VolumeDetachedFromNode "The volume is detached: the attachment loses the finalizer.",
    }
    /// The end of a sync of a volume. Upstream: `SyncNewOrUpdatedPersistentVolume`, v4.13.0.
    VolumeFinalizerBranch {
        "AF1" VolumeNotHandled "The driver attaches no volumes: nothing happens.",
        "AF2" VolumeStays "The volume is not being deleted: nothing happens.",
        "AF3" VolumeHasNoFinalizer "The volume does not have the finalizer of the attacher: nothing happens.",
        "AF4" VolumeHasAttachment "A VolumeAttachment names the volume: nothing happens.",
        "AF5" VolumeFinalizerKept "The finalizer cannot be removed: the sync is repeated.",
        "AF6" VolumeFinalizerRemoved "The finalizer of the attacher is removed.",
    }
    /// What the comparison with the volumes of the driver finds about an attachment. Upstream: `ReconcileVA`, v4.13.0.
    ReconcileBranch {
        "AR1" ReconcileOtherAttacher "Another attacher is responsible for the attachment.",
        "AR2" ReconcileNodeUnknown "Nothing says how the driver names the node: the attachment is skipped.",
        "AR3" ReconcileVolumeUnusable "The volume is missing or is not a CSI volume: the attachment is skipped.",
        "AR4" ReconcileHandleUnusable
            "The volume is inline, and its driver replaces no in-tree plugin: the attachment is skipped.",
        "AR5" ReconcileAgrees "The driver and the attachment agree.",
        "AR6" ReconcileForced "The driver and the attachment disagree: the attachment is synced as if it were new.",
    }
}
