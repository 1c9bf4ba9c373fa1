//! The messages that the controller logs. Upstream: `pkg/controller/volume/attachdetach`, and what of
//! `pkg/volume/util/operationexecutor`, `pkg/volume/util/nestedpendingoperations` and `pkg/volume/csi` runs in this
//! controller, 1.36.

#![expect(clippy::unnested_or_patterns, reason = "a group of leaves is a pattern of its own")]

use super::leaves::{AttachBranch, AttachStep, DetachBranch};
use crate::controllers::Branch::{AttachBranch as A, AttachStep as S, DetachBranch as D};
use crate::controllers::log::{EVENT, messages};

/// A loop comes so far with a volume that it wants to detach.
macro_rules! detaching {
    () => {
        D(DetachBranch::DetachTimedOut
            | DetachBranch::DetachOutOfService
            | DetachBranch::DetachStarted
            | DetachBranch::DetachUnknownPlugin)
    };
}

/// A loop looks at a volume that no pod on the node needs.
macro_rules! unwanted {
    () => {
        detaching!() | D(DetachBranch::DetachWaitsForUnmount) | S(AttachStep::DetachNotReported)
    };
}

/// A volume becomes attached or uncertain.
macro_rules! stored {
    () => {
        S(AttachStep::AttachStartAttached
            | AttachStep::AttachStartUncertain
            | AttachStep::AttachSucceeded
            | AttachStep::AttachFailedUncertain
            | AttachStep::DetachFailed)
    };
}

/// A volume is listed as attached in the status of a node.
macro_rules! reported {
    () => {
        S(AttachStep::AttachStartAttached | AttachStep::AttachSucceeded | AttachStep::DetachNotReported)
            | D(DetachBranch::DetachUnknownPlugin)
    };
}

/// The volumes of a pod are looked at.
macro_rules! of_pod {
    () => {
        S(AttachStep::AttachWanted
            | AttachStep::AttachNotWanted
            | AttachStep::AttachClaimBound
            | AttachStep::AttachPodsListed)
    };
}

/// Returns what is logged when an operation has failed with an error.
macro_rules! failed {
    ($error:literal) => {
        concat!(
            "Operation for \"{volumeName:{volumeName} podName:{} nodeName:{nodeName}}\" failed. ",
            "No retries permitted until {} (durationBeforeRetry {}). Error: ",
            $error
        )
    };
}

messages! {
    "Run" {
        STARTING: Info0, "Starting attach detach controller", [], _ if false,
        SHUTTING_DOWN: Info0, "Shutting down attach detach controller", [], _ if false,
        NO_ACTUAL_STATE: Error, "Error populating the actual state of world", ["err"],
            S(AttachStep::AttachStartAttached),
        NO_DESIRED_STATE: Error, "Error populating the desired state of world", ["err"],
            S(AttachStep::AttachStartAttached),
    }
    "populateActualStateOfWorld" {
        POPULATING_ACTUAL: Info5, "Populating ActualStateOfworld", [], S(AttachStep::AttachStartAttached),
        START_NOT_MARKED: Error, "Failed to mark the volume as attached", ["err"], S(AttachStep::AttachStartAttached),
        NO_ATTACHMENTS: Error, "Failed to process volume attachments", ["err"], S(AttachStep::AttachStartUncertain),
    }
    "populateDesiredStateOfWorld" {
        POPULATING_DESIRED: Info5, "Populating DesiredStateOfworld", [], S(AttachStep::AttachStartAttached),
        START_NO_SPEC: Error, "Error creating spec for volume of pod", ["err", "pod", "volumeName"],
            S(AttachStep::AttachStartAttached),
        START_NO_NAME: Error, "Failed to find unique name for volume of pod", ["err", "pod", "volumeName"],
            S(AttachStep::AttachStartAttached),
        START_NO_PATH: Error, "Failed to find device path", ["err"], S(AttachStep::AttachStartAttached),
        START_NOT_UPDATED: Error, "Failed to update volume spec for node", ["err", "node"],
            S(AttachStep::AttachStartAttached),
    }
    "nodeDelete" {
        NODE_NOT_REMOVED: Info0, "Error removing node from desired-state-of-world", ["node", "err"],
            S(AttachStep::AttachNodeKept),
    }
    "processNextItem" {
        CLAIM_FAILED: Error, "Unhandled Error", ["err"], S(AttachStep::AttachClaimBound),
    }
    "syncPVCByKey" {
        CLAIM: Info5, "syncPVCByKey", ["pvcKey"], S(AttachStep::AttachClaimBound),
        CLAIM_UNPARSABLE: Info4, "Error getting namespace & name of pvc to get pvc from informer", ["pvcKey", "err"],
            S(AttachStep::AttachClaimBound),
        CLAIM_UNREAD: Info4, "Error getting pvc from informer", ["pvcKey", "err"], S(AttachStep::AttachClaimBound),
    }
    "processVolumesInUse" {
        IN_USE: Info4, "processVolumesInUse for node", ["node"],
            S(AttachStep::AttachNodeSeen | AttachStep::AttachNodeKept),
    }
    "processVolumeAttachments" {
        ATTACHMENTS_UNLISTED: Error, "Failed to list VolumeAttachment objects", ["err"],
            S(AttachStep::AttachStartUncertain),
        ATTACHMENT_INLINE: Info0, "Skipping the va as its pvName is nil", ["node", "vaName"],
            S(AttachStep::AttachStartUncertain),
        ATTACHMENT_NO_VOLUME: Error, "Unable to lookup pv object", ["err", "PV"], S(AttachStep::AttachStartUncertain),
        ATTACHMENT_UNTRANSLATED: Error, "Failed to translate intree volumeSpec to CSI volumeSpec for volume",
            ["err", "node", "inTreePluginName", "vaName", "PV"], S(AttachStep::AttachStartUncertain),
        ATTACHMENT_NO_PLUGIN: Info0, "Skipping processing the volume on node, no attacher interface found",
            ["node", "PV", "err"], S(AttachStep::AttachStartUncertain),
        ATTACHMENT_NO_NAME: Error, "Failed to find unique name for volume", ["err", "node", "vaName", "PV"],
            S(AttachStep::AttachStartUncertain),
        ATTACHMENT_UNCERTAIN: Info1, "Marking volume attachment as uncertain as volume is not attached",
            ["node", "volumeName", "attachState"], S(AttachStep::AttachStartUncertain),
        ATTACHMENT_NOT_MARKED: Error, "MarkVolumeAsUncertain fail to add the volume to ASW",
            ["err", "node", "volumeName"], S(AttachStep::AttachStartUncertain),
    }
    "DeleteServiceAccountTokenFunc" {
        NO_TOKENS: Error, "DeleteServiceAccountToken unsupported in attachDetachController", [], _ if false,
    }
    "ProcessPodVolumes" {
        NODE_NOT_MANAGED: Info4,
            "Skipping processing of pod, it is scheduled to node which is not managed by the controller",
            ["node", "pod"], of_pod!(),
    }
    "populatorLoopFunc" {
        LISTED_LATELY: Info5, "Skipping findAndAddActivePods(). Not permitted until the retry time is reached",
            ["retryTime", "retryDuration"], S(AttachStep::AttachPodGone),
    }
    "findAndRemoveDeletedPods" {
        POD_NO_KEY: Error, "MetaNamespaceKeyFunc failed for pod", ["err", "podName", "podUID"],
            S(AttachStep::AttachPodGone),
        POD_UNREAD: Error, "podLister Get failed for pod", ["err", "podName", "podUID"], S(AttachStep::AttachPodGone),
        POD_GONE: Info1, "Removing pod from dsw because it does not exist in pod informer", ["podName", "podUID"],
            S(AttachStep::AttachPodGone),
        NOT_ATTACHABLE: Info0, "Volume changes from attachable to non-attachable", ["volumeName"],
            S(AttachStep::AttachNotNeeded),
        NOT_ATTACHABLE_REMOVED: Info4,
            "Removing podUID and volume on node from desired state of world because of the change of volume \
             attachability", ["node", "podUID", "volumeName"], S(AttachStep::AttachNotNeeded),
    }
    "findAndAddActivePods" {
        PODS_UNLISTED: Error, "PodLister List failed", ["err"], S(AttachStep::AttachPodsListed),
    }
    "AddVolumeNode" {
        STORED_AGAIN: Info2, "Volume is already added to attachedVolume list to node, update device path",
            ["volumeName", "node", "devicePath"], stored!(),
        STORED_ON_NODE: Info5, "Volume is already added to attachedVolume list to the node",
            ["volumeName", "node", "currentAttachState"], stored!(),
    }
    "SetVolumesMountedByNode" {
        MOUNTED_BY_NODE: Info5, "SetVolumesMountedByNode volume to the node", ["node", "volumeNames"],
            S(AttachStep::AttachNodeSeen | AttachStep::AttachNodeKept | AttachStep::AttachStartAttached),
    }
    "ResetDetachRequestTime" {
        NOT_RESET: Error, "Failed to ResetDetachRequestTime with error", ["err"], A(AttachBranch::AttachDone),
    }
    "SetDetachRequestTime" {
        DETACH_REQUESTED: Info4, "Set detach request time to current time for volume on node", ["node", "volumeName"],
            unwanted!(),
    }
    "addVolumeToReportAsAttached" {
        REPORT_DETACHED: Info4, "Volume is no longer attached to node", ["node", "volumeName"],
            detaching!() | S(AttachStep::DetachNotReported),
        REPORT_NODE: Info4, "Add new node to nodesToUpdateStatusFor", ["node"], reported!(),
        REPORT: Info4, "Report volume as attached to node", ["node", "volumeName"], reported!(),
    }
    "SetNodeStatusUpdateNeeded" {
        NODE_NOT_NEEDED: Info0, "Failed to update statusUpdateNeeded field in actual state of world", ["err"],
            S(AttachStep::AttachNodeSeen | AttachStep::NodeNotReported),
    }
    "GetVolumesToReportAttached" {
        REPORTS_NOT_TAKEN: Error, "Failed to update statusUpdateNeeded field when getting volumes", ["err"], _ if false,
    }
    "getVolumeInUseCount" {
        PODS_NOT_COUNTED: Error, "Get pod list failed", ["err"], _ if false,
    }
    "processNodeVolumes" {
        NODE_MISSING: Info2, "Could not update node status. Failed to find node in NodeInformer cache",
            ["node", "err"], S(AttachStep::NodeMissing),
        NODE_UNREAD: Info2, "Error retrieving nodes from node lister", ["err"], S(AttachStep::NodeNotReported),
        NODE_GONE: Info2, "Could not update node status, node does not exist - skipping", ["node"],
            S(AttachStep::NodeNotReported),
        NODE_REFUSED: Info2, "Could not update node status; re-marking for update", ["node", "err"],
            S(AttachStep::NodeNotReported),
    }
    "updateNodeStatus" {
        NODE_UPDATED: Info4, "Updating status for node succeeded", ["node", "patchBytes", "attachedVolumes"],
            S(AttachStep::NodeReported),
    }
    "reconciliationLoopFunc" {
        VERIFY_DISABLED: Info5,
            "Skipping reconciling attached volumes still attached since it is disabled via the command line", [],
            S(AttachStep::AttachNotVerified),
        VERIFY_TOO_OFTEN: Info5,
            "Skipping reconciling attached volumes still attached since it is set to less than one second via the \
             command line", [], S(AttachStep::AttachNotVerified),
        VERIFYING: Info5, "Starting reconciling attached volumes still attached", [], S(AttachStep::AttachVerified),
    }
    "reconcile" {
        DETACHED: Info5, "Volume detached--skipping", ["node", "volumeName"], D(DetachBranch::DetachBusy),
        DETACH_NOT_REQUESTED: Error, "Cannot trigger detach because it fails to set detach request time with error",
            ["err"], D(DetachBranch::DetachBusy),
        DETACH_NO_HEALTH: Info5, "Failed to get health of node", ["node", "err"], unwanted!(),
        DETACH_NOT_FORCED: Info5, "Drain timeout expired for volume but disableForceDetachOnTimeout was set",
            ["node", "volumeName"], unwanted!(),
        DETACH_NO_TAINTS: Info5, "Failed to get taint specs for node", ["node", "err"], unwanted!(),
        DETACH_MOUNTED: Info5, "Cannot detach volume because it is still mounted", ["node", "volumeName"],
            D(DetachBranch::DetachWaitsForUnmount),
        DETACH_NOT_LISTED: Info5, "RemoveVolumeFromReportAsAttached failed while removing volume from node",
            ["node", "volumeName", "err"], detaching!() | S(AttachStep::DetachNotReported),
        DETACH_NOT_REPORTED: Error, "UpdateNodeStatusForNode failed while attempting to report volume as attached",
            ["err", "node", "volumeName"], S(AttachStep::DetachNotReported),
        DETACHING: Info5, "Starting attacherDetacher.DetachVolume", ["node", "volumeName"], detaching!(),
        DETACHING_OUT_OF_SERVICE: Info4, "node has out-of-service taint", ["node"],
            D(DetachBranch::DetachTimedOut | DetachBranch::DetachOutOfService | DetachBranch::DetachUnknownPlugin),
        DETACH_STARTED: Info0, "attacherDetacher.DetachVolume started", ["node", "volumeName"],
            D(DetachBranch::DetachStarted),
        DETACH_TIMED_OUT: Info0,
            "attacherDetacher.DetachVolume started: this volume is not safe to detach, but maxWaitForUnmountDuration \
             expired, force detaching", ["duration", "node", "volumeName"], D(DetachBranch::DetachTimedOut),
        DETACH_OUT_OF_SERVICE: Info0,
            "attacherDetacher.DetachVolume started: node has out-of-service taint, force detaching",
            ["node", "volumeName"], D(DetachBranch::DetachOutOfService),
        DETACH_NOT_STARTED: Error, "attacherDetacher.DetachVolume failed to start", ["err", "node", "volumeName"],
            D(DetachBranch::DetachUnknownPlugin),
        NODES_NOT_REPORTED: Info0, "UpdateNodeStatuses failed", ["err"], S(AttachStep::NodeNotReported),
    }
    "attachDesiredVolumes" {
        ATTACHING: Info5, "Starting attacherDetacher.AttachVolume", ["volume"],
            A(AttachBranch::AttachStarted | AttachBranch::AttachBackingOff),
        ATTACH_STARTED: Info0, "attacherDetacher.AttachVolume started", ["volumeName", "nodeName", "scheduledPods"],
            A(AttachBranch::AttachStarted),
        ATTACH_NOT_STARTED: Error, "attacherDetacher.AttachVolume failed to start",
            ["err", "volumeName", "nodeName", "scheduledPods"], A(AttachBranch::AttachBusy),
    }
    "reportMultiAttachError" {
        BLOCKED: Info0, "Multi-Attach error: volume is already exclusively attached and can't be attached to another \
            node", ["attachedTo", "volume"], A(AttachBranch::AttachBlocked),
        BLOCKED_BY_PODS: Info0, "Multi-Attach error: volume is already used by pods", ["pods", "attachedTo", "volume"],
            A(AttachBranch::AttachBlocked),
    }
    "VerifyVolumesAreAttached" {
        VERIFY_NOT_STARTED: Error, "VerifyVolumesAreAttached failed for volumes {}, node \"{node}\" with error {}", [],
            S(AttachStep::AttachVerified),
    }
    "GenerateVolumesAreAttachedFunc" {
        VERIFY_NO_SPEC: Error,
            "VerifyVolumesAreAttached.GenerateVolumesAreAttachedFunc: nil spec for volume {volumeName}", [],
            S(AttachStep::AttachVerified),
        VERIFY_NO_PLUGIN: Error, "VolumesAreAttached.FindPluginBySpec failed for volume \"{PV}\" \
            (UniqueName: \"{volumeName}\") on node \"{node}\"{}", [], S(AttachStep::AttachVerified),
        VERIFY_NO_ATTACHER: Error, "VolumeAreAttached.FindAttachablePluginBySpec failed for plugin \"{}\" with: {}", [],
            S(AttachStep::AttachVerified),
        VERIFY_NEW_ATTACHER: Error, "VolumesAreAttached.NewAttacher failed for getting plugin \"{}\" with: {}", [],
            S(AttachStep::AttachVerified),
        VERIFY_FAILED: Error, "VolumesAreAttached failed for checking on node \"{node}\" with: {}", [],
            S(AttachStep::AttachVerified),
        VERIFY_DETACHED: Info1, "VerifyVolumesAreAttached determined volume \"{volumeName}\" (spec.Name: \"{PV}\") is \
            no longer attached to node \"{node}\", therefore it was marked as detached.", [],
            S(AttachStep::AttachVerified),
    }
    "GenerateAttachVolumeFunc" {
        ATTACH_NOT_MARKED: Error, "AttachVolume.MarkVolumeAsUncertain fail to add the volume \"{volumeName}\" to \
            actual state with {}", [], S(AttachStep::AttachFailedUncertain),
        ATTACHED: Info0, "AttachVolume.Attach succeeded for volume \"{PV}\" (UniqueName: \"{volumeName}\") from node \
            \"{node}\"{}", [], S(AttachStep::AttachSucceeded),
    }
    "GenerateDetachVolumeFunc" {
        DETACH_NOT_MARKED: Error, "DetachVolume.MarkVolumeAsUncertain failed to add the volume \"{volumeName}\" to \
            actual state after detach error: {}", [], S(AttachStep::DetachFailed),
        DETACH_DONE: Info0, "DetachVolume.Detach succeeded for volume \"{PV}\" (UniqueName: \"{volumeName}\") on node \
            \"{node}\"{}", [], S(AttachStep::DetachSucceeded),
    }
    "verifyVolumeIsSafeToDetach" {
        SAFE_WITHOUT_NODE: Warning, "Node not found on API server. DetachVolume will skip safe to detach check for \
            volume \"{PV}\" (UniqueName: \"{volumeName}\") on node \"{node}\"{}", [],
            S(AttachStep::OperationReadsNode),
        SAFE: Info0, "Verified volume is safe to detach for volume \"{PV}\" (UniqueName: \"{volumeName}\") on node \
            \"{node}\"{}", [], S(AttachStep::OperationReadsNode),
    }
    "operationComplete" {
        ATTACH_FAILED: Error, failed!("AttachVolume.{} for volume \"{PV}\" (UniqueName: {}"), [],
            S(AttachStep::AttachFailedUncertain | AttachStep::OperationFailed),
        DETACH_FAILED: Error, failed!("DetachVolume.{} for volume \"{PV}\" (UniqueName: {}"), [],
            S(AttachStep::DetachFailed | AttachStep::OperationFailed),
    }
    "Attach" {
        CSI_NO_SPEC: Error, "kubernetes.io/csi: attacher.Attach missing volume.Spec", [],
            A(AttachBranch::AttachStarted),
        CSI_EXISTS: Info4,
            "kubernetes.io/csi: attachment [{attachment}] for volume [{}] already exists (will not be recreated)", [],
            S(AttachStep::OperationCreates),
        CSI_CREATED: Info4, "kubernetes.io/csi: attachment [{attachment}] for volume [{}] created successfully", [],
            S(AttachStep::OperationCreates),
        CSI_ATTACHED: Info4, "kubernetes.io/csi: attacher.Attach finished OK with VolumeAttachment object \
            [{attachment}]", [], S(AttachStep::OperationLooks | AttachStep::AttachSucceeded),
    }
    "waitForVolumeAttachmentWithLister" {
        CSI_ATTACH_WAITS: Info4, "kubernetes.io/csi: probing VolumeAttachment [id={attachment}]", [],
            S(AttachStep::OperationCreates) | A(AttachBranch::AttachStarted),
        CSI_ATTACH_UNREAD: Error, "kubernetes.io/csi: unexpected error waiting for volume attachment, {}", [],
            S(AttachStep::OperationLooks),
    }
    "VolumesAreAttached" {
        CSI_VERIFYING: Info4, "kubernetes.io/csi: probing attachment status for {} volume(s){}", [],
            S(AttachStep::AttachVerified),
        CSI_VERIFY_NO_SPEC: Error, "kubernetes.io/csi: attacher.VolumesAreAttached missing volume.Spec", [],
            S(AttachStep::AttachVerified),
        CSI_VERIFY_NO_SOURCE: Error,
            "kubernetes.io/csi: attacher.VolumesAreAttached failed to get CSIPersistentVolumeSource: {}", [],
            S(AttachStep::AttachVerified),
        CSI_VERIFY_NO_DRIVER: Error, "kubernetes.io/csi: Failed to check CSIDriver for {}: {}", [],
            S(AttachStep::AttachVerified),
        CSI_VERIFY_UNCACHED: Info4, "kubernetes.io/csi: attacher.VolumesAreAttached failed in AttachmentLister for \
            attach.ID={attachment}: {}. Probing the API server.", [], S(AttachStep::AttachVerified),
        CSI_VERIFY_READING: Info4,
            "kubernetes.io/csi: probing attachment status for VolumeAttachment {attachment}", [],
            S(AttachStep::AttachVerified),
        CSI_VERIFY_UNREAD: Error,
            "kubernetes.io/csi: attacher.VolumesAreAttached failed for attach.ID={attachment}: {}", [],
            S(AttachStep::AttachVerified),
        CSI_VERIFY_READ: Info4, "kubernetes.io/csi: attacher.VolumesAreAttached attachment [{attachment}] has \
            status.attached={}", [], S(AttachStep::AttachVerified),
    }
    "Detach" {
        CSI_NO_NAME: Error, "kubernetes.io/csi: detacher.Detach missing value for parameter volumeName", [],
            S(AttachStep::DetachFailed),
        CSI_BAD_NAME: Error, "kubernetes.io/csi: detacher.Detach insufficient info encoded in volumeName", [],
            S(AttachStep::DetachFailed),
        CSI_ABSENT: Info4,
            "kubernetes.io/csi: VolumeAttachment object [{attachment}] for volume [{}] not found, object deleted", [],
            S(AttachStep::OperationDeletes),
        CSI_DELETED: Info4, "kubernetes.io/csi: detacher deleted ok VolumeAttachment.ID={attachment}", [],
            S(AttachStep::OperationDeletes),
    }
    "waitForVolumeDetachmentWithLister" {
        CSI_DETACH_WAITS: Info4, "kubernetes.io/csi: probing VolumeAttachment [id={attachment}]", [],
            S(AttachStep::OperationDeletes),
        CSI_GONE: Info4,
            "kubernetes.io/csi: VolumeAttachment object [{attachment}] for volume [{}] not found, object deleted", [],
            S(AttachStep::OperationLooks),
    }
    "waitForVolumeAttachDetachStatusWithLister" {
        CSI_UNKNOWN_DRIVER: Info4, "kubernetes.io/csi: Could not find CSI driver name in spec for volume [{}]", [],
            S(AttachStep::OperationDeletes),
        CSI_TIMEOUT: Error,
            "kubernetes.io/csi: {} timeout after {} [volume={}; attachment.ID={attachment}]", [],
            S(AttachStep::OperationLooks),
    }
    "verifyAttachmentStatus" {
        CSI_NO_ATTACHMENT: Error, "kubernetes.io/csi: VolumeAttachment [{}] has been deleted, will not continue to \
            wait for attachment", [], S(AttachStep::OperationLooks),
        CSI_GOING: Error, "kubernetes.io/csi: VolumeAttachment [{attachment}] has deletion timestamp, will not \
            continue to wait for attachment", [], S(AttachStep::OperationLooks),
        CSI_ATTACH_ERROR: Error, "kubernetes.io/csi: attachment for {} failed: {}", [], S(AttachStep::OperationLooks),
    }
    "verifyDetachmentStatus" {
        CSI_DETACH_ERROR: Error, "kubernetes.io/csi: detachment for VolumeAttachment for volume [{}] failed: {}", [],
            S(AttachStep::OperationLooks),
    }
    "Init" {
        CSI_NO_DRIVERS: Error, "kubernetes.io/csi: CSIDriverLister not found on CSIDriverVolumeHost", [], _ if false,
        CSI_NO_ATTACHMENTS: Error, "kubernetes.io/csi: VolumeAttachmentLister not found on AttachDetachVolumeHost", [],
            _ if false,
    }
    "initializeCSINode" {
        CSI_NOT_KUBELET: Info4, "Cast from VolumeHost to KubeletVolumeHost failed. Skipping CSINode initialization, \
            not running on kubelet", [], _ if false,
    }
    "CanAttach" {
        CSI_EPHEMERAL: Info5, "kubernetes.io/csi: plugin.CanAttach = false, ephemeral mode detected for spec {}", [],
            of_pod!() | S(AttachStep::AttachStartAttached | AttachStep::AttachPodGone),
    }
    "InitPlugins" {
        NO_PROBER: Error, "Error initializing dynamic plugin prober", ["err"], _ if false,
        PLUGIN_NOT_LOADED: Error, "Failed to load volume plugin", ["err", "pluginName"], _ if false,
        PLUGIN_LOADED: Info1, "Loaded volume plugin", ["pluginName"], _ if false,
    }
    "refreshProbedPlugins" {
        PLUGINS_NOT_PROBED: Error, "Error dynamically probing plugins", ["err"], _ if false,
        PROBED_NOT_LOADED: Error, "Error initializing dynamically probed plugin", ["err", "pluginName"], _ if false,
        PROBED_UNKNOWN: Error, "Unknown Operation on PluginName.", ["pluginName"], _ if false,
    }
    "StartStructuredLogging" {
        EVENT_ATTACHED: Info3, EVENT,
            ["object", "fieldPath", "kind", "apiVersion", "type", "reason" = "SuccessfulAttachVolume",
            "message" = "AttachVolume.Attach succeeded for volume \"{PV}\"{}"], S(AttachStep::AttachSucceeded),
        EVENT_BLOCKED: Info3, EVENT,
            ["object", "fieldPath", "kind", "apiVersion", "type", "reason" = "FailedAttachVolume",
            "message" = "Multi-Attach error for volume \"{PV}\"{}"], A(AttachBranch::AttachBlocked),
        EVENT_NOT_ATTACHED: Info3, EVENT,
            ["object", "fieldPath", "kind", "apiVersion", "type", "reason" = "FailedAttachVolume",
            "message" = "AttachVolume.{} for volume \"{PV}\"{}"], S(AttachStep::AttachFailedUncertain),
    }
}
