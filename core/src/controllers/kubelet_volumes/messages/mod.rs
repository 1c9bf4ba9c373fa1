//! The messages that the volume manager logs. Upstream: `pkg/kubelet/volumemanager`, and what of
//! `pkg/volume/util/operationexecutor`, `pkg/volume/util/nestedpendingoperations` and
//! `pkg/volume/util/volumepathhandler` runs in the kubelet, 1.36.

#![expect(clippy::unnested_or_patterns, reason = "a group of leaves is a pattern of its own")]

mod csi;

use super::leaves::{
    ExpandBranch as Expand, MountBranch as Mount, PopulatorBranch as Populator, VolumeStep as Step, WaitBranch,
};
use crate::controllers::Branch::{
    ExpandBranch as E, MountBranch as M, PopulatorBranch as P, VolumeStep as S, WaitBranch as W,
};
use crate::controllers::log::{EVENT, Message, messages};

/// All messages of the component.
pub(super) const ALL: &[&[&Message]] = &[MESSAGES, csi::MESSAGES];

/// The claim of a volume is read.
macro_rules! read {
    () => {
        P(Populator::VolumeUnread | Populator::VolumeNamesNone | Populator::VolumeNamesOther) | usable!()
    };
}

/// The claim of a volume and its PersistentVolume are read.
macro_rules! usable {
    () => {
        P(Populator::VolumeUntranslated
            | Populator::VolumeMountedAsFiles
            | Populator::VolumeMappedAsBlock
            | Populator::VolumeWithoutPlugin
            | Populator::VolumeWanted)
    };
}

/// A volume could not be expanded.
macro_rules! expand_failed {
    () => {
        E(Expand::ExpandClaimUnread
            | Expand::ExpandFailed
            | Expand::ExpandInfeasible
            | Expand::ExpandUncertain
            | Expand::ExpandNotStored)
    };
}

/// Returns a message about a volume of a pod.
macro_rules! to_mount {
    ($text:literal) => {
        concat!($text, " for volume \"{specName}\" (UniqueName: \"{uniqueName}\") pod \"{}\" (UID: \"{podUID}\"){}")
    };
}

/// Returns a message about a volume that is mounted for a pod. Upstream has the unique name twice.
macro_rules! mounted {
    ($text:literal) => {
        concat!($text, " for volume \"{uniqueName}\" (UniqueName: \"{}\") pod \"{}\" (UID: \"{podUID}\"){}")
    };
}

/// Returns a message about a volume of the node.
macro_rules! attached {
    ($text:literal) => {
        concat!($text, " for volume \"{specName}\" (UniqueName: \"{uniqueName}\") on node \"{node}\"{}")
    };
}

/// Returns what is logged when an operation has failed with an error.
macro_rules! failed {
    ($error:literal) => {
        concat!(
            "Operation for \"{volumeName:{uniqueName} podName:{podName} nodeName:{}}\" failed. ",
            "No retries permitted until {} (durationBeforeRetry {}). Error: ",
            $error
        )
    };
    ($error:literal mount) => {
        failed_with!($error, " for volume \"{specName}\" (UniqueName: \"{}\") pod \"{}\" (UID: \"{podUID}\"){}")
    };
}

/// Returns what is logged when an operation has failed with an error about a volume of a pod.
macro_rules! failed_with {
    ($error:literal, $volume:literal) => {
        concat!(
            "Operation for \"{volumeName:{uniqueName} podName:{podName} nodeName:{}}\" failed. ",
            "No retries permitted until {} (durationBeforeRetry {}). Error: ",
            $error,
            $volume
        )
    };
}

/// Returns the error about a claim.
macro_rules! claim {
    ($error:literal) => {
        concat!("error processing PVC {PVC}: ", $error)
    };
}

messages! {
    "Run" {
        STARTING: Info0, "Starting Kubelet Volume Manager", [], _ if false,
        SHUTTING_DOWN: Info0, "Shutting down Kubelet Volume Manager", [], _ if false,
        POPULATOR: Info2, "The desired_state_of_world populator starts", [], _ if false,
        POPULATOR_RUNS: Info0, "Desired state populator starts to run", [], _ if false,
        POPULATED: Info0, "Finished populating initial desired state of world", [], _ if false,
        RECONCILER: Info0, "Reconciler: start to sync state", [], S(Step::StartLooks),
    }
    "WaitForAttachAndMount" {
        WAITING: Info3, "Waiting for volumes to attach and mount for pod", ["pod"], W(_),
        WAITED: Info3, "All volumes are attached and mounted for pod", ["pod"], W(WaitBranch::WaitDone),
    }
    "WaitForUnmount" {
        WAITING_UNMOUNT: Info3, "Waiting for volumes to unmount for pod", ["pod"], _ if false,
        WAITED_UNMOUNT: Info3, "All volumes are unmounted for pod", ["pod"], _ if false,
    }
    "findAndRemoveDeletedPods" {
        NOT_ATTACHABLE: Info0, "Volume changes from attachable to non-attachable", ["volumeName"],
            S(Step::VolumeUnattached),
        STILL_RUNS: Info4,
            "Pod still has one or more containers in the non-exited state and will not be removed from desired state",
            ["pod"], S(Step::VolumeStillNeeded),
        STILL_EXISTS: Info4, "Actual state does not yet have volume mount information and pod still exists in pod \
            manager, skip removing volume from desired state", ["pod", "podUID", "volumeName"],
            S(Step::VolumeStillNeeded),
        REMOVING: Info4, "Removing volume from desired state", ["pod", "podUID", "volumeName"],
            S(Step::VolumeNotNeeded),
    }
    "processPodVolumes" {
        UNUSED: Info4, "Skipping unused volume", ["pod", "volumeName"], P(Populator::VolumeUnused),
        FAILED: Error, "Error processing volume", ["err", "pod", "volumeName"], _ if false,
        CLAIM_UNREAD: Error, "Error processing volume",
            ["err" = claim!("failed to fetch PVC from API server: {}"), "pod", "volumeName"],
            P(Populator::VolumeClaimUnread),
        CLAIM_GOING: Error, "Error processing volume", ["err" = claim!("PVC is being deleted"), "pod", "volumeName"],
            P(Populator::VolumeClaimGoing),
        CLAIM_UNBOUND: Error, "Error processing volume", ["err" = claim!("PVC is not bound"), "pod", "volumeName"],
            P(Populator::VolumeClaimUnbound),
        CLAIM_NAMES_NONE: Error, "Error processing volume",
            ["err" = claim!("PVC has empty pvc.Spec.VolumeName"), "pod", "volumeName"],
            P(Populator::VolumeClaimNamesNone),
        CLAIM_OF_OTHER: Error, "Error processing volume",
            ["err" = "PVC {PVC} was not created for pod {} (pod is not owner)", "pod", "volumeName"],
            P(Populator::VolumeClaimOfOther),
        UNREAD: Error, "Error processing volume",
            ["err" = claim!("failed to fetch PV {PVName} from API server: {}"), "pod", "volumeName"],
            P(Populator::VolumeUnread),
        NAMES_NONE: Error, "Error processing volume",
            ["err" = claim!("found PV object {PVName} but it has a nil pv.Spec.ClaimRef indicating it is not yet \
                bound to the claim"), "pod", "volumeName"], P(Populator::VolumeNamesNone),
        NAMES_OTHER: Error, "Error processing volume",
            ["err" = claim!("found PV object {PVName} but its pv.Spec.ClaimRef.UID {} does not point to claim.UID {}"),
            "pod", "volumeName"], P(Populator::VolumeNamesOther),
        UNTRANSLATED: Error, "Error processing volume",
            ["err" = "failed to translate in-tree pv to CSI: {}", "pod", "volumeName"],
            P(Populator::VolumeUntranslated),
        MOUNTED_AS_FILES: Error, "Error processing volume",
            ["err" = "volume {} has volumeMode {}, but is specified in volumeMounts", "pod", "volumeName"],
            P(Populator::VolumeMountedAsFiles),
        MAPPED_AS_BLOCK: Error, "Error processing volume",
            ["err" = "volume {} has volumeMode {}, but is specified in volumeDevices", "pod", "volumeName"],
            P(Populator::VolumeMappedAsBlock),
        NOT_ADDED: Error, "Failed to add volume to desiredStateOfWorld",
            ["err", "pod", "volumeName", "volumeSpecName"], P(Populator::VolumeWithoutPlugin),
        ADDED: Info4, "Added volume to desired state", ["pod", "volumeName", "volumeSpecName"],
            P(Populator::VolumeWanted),
    }
    "checkVolumeFSResize" {
        READ_ONLY: Info5, "Skip file system resize check for the volume, as the volume is mounted as readonly",
            ["pod", "volumeName"], P(Populator::VolumeWanted),
        SIZE: Info5, "NodeExpandVolume updating size", ["actualSize", "desiredSize", "volumeName"],
            P(Populator::VolumeWanted),
    }
    "createVolumeSpec" {
        FOUND_CLAIM: Info5, "Found PVC", ["PVC"],
            P(Populator::VolumeClaimUnread | Populator::VolumeClaimGoing | Populator::VolumeClaimUnbound
                | Populator::VolumeClaimNamesNone | Populator::VolumeClaimOfOther) | read!(),
        FOUND_BOUND: Info5, "Found bound PV for PVC", ["PVC", "PVCUID", "PVName"], read!(),
        EXTRACTED: Info5, "Extracted volumeSpec from bound PV and PVC", ["PVC", "PVCUID", "PVName", "volumeSpecName"],
            usable!(),
    }
    "AddPodToVolume" {
        SELINUX: Info4, "expected volume SELinux label context", ["volume", "label"], P(Populator::VolumeWanted),
        NO_SELINUX: Info4, "volume does not support SELinux context mount, clearing the expected label", ["volume"],
            P(Populator::VolumeWanted),
    }
    "handleSELinuxMetricError" {
        SELINUX_DIFFERS: Info4, "Please report this error in https://github.com/kubernetes/enhancements/issues/1710, \
            together with full Pod yaml file", ["err"], P(Populator::VolumeWanted),
    }
    "getVolumePluginNameWithDriver" {
        NO_DRIVER: Info4, "failed to get CSI driver name from volume spec", ["err"], P(Populator::VolumeWanted),
    }
    "addVolume" {
        ATTACHED_AGAIN: Info2, "Volume is already added to attachedVolume list, update device path",
            ["volumeName", "path"], S(Step::VerifySucceeded | Step::StartFound),
    }
    "MarkRemountRequired" {
        NO_REMOUNT: Error, "MarkRemountRequired failed to FindPluginBySpec for volume",
            ["uniquePodName", "podUID", "volumeName", "volumeSpecName"], P(Populator::VolumeWanted),
    }
    "volumeNeedsExpansion" {
        CHECKING_SIZE: Info5, "NodeExpandVolume checking size", ["actualSize", "desiredSize", "volume"],
            M(Mount::MountDone | Mount::MountExpands),
        NOT_EXPANDABLE: Info0, "PodExistsInVolume failed to find expandable plugin", ["volume", "volumeSpecName"],
            M(Mount::MountDone),
    }
    "reconstructVolumes" {
        NO_DISK: Error, "Cannot get volumes from disk, skip sync states for volume reconstruction", ["err"],
            S(Step::StartLooks),
        KNOWN: Info4, "Volume exists in actual state, skip cleaning up mounts", ["podName", "volumeSpecName"],
            S(Step::StartLooks),
        UNREADABLE: Info0, "Could not construct volume information", ["podName", "volumeSpecName", "err"],
            S(Step::StartUnreadable),
        FOUND: Info4, "Adding reconstructed volume to actual state and node status", ["podName", "volumeSpecName"],
            S(Step::StartFound),
        RECONSTRUCTED: Info2, "Volume reconstruction finished", [], S(Step::StartLooks),
    }
    "updateStates" {
        FOUND_NOT_ADDED: Error, "Could not add volume information to actual state of world", ["err", "volumeName"],
            S(Step::StartFound),
        FOUND_POD_NOT_ADDED: Error, "Could not add pod to volume information to actual state of world", ["err", "pod"],
            S(Step::StartFound),
        FOUND_ADDED: Info2, "Volume is marked as uncertain and added into the actual state",
            ["pod", "podName", "volumeName", "seLinuxMountContext"], S(Step::StartFound),
        FOUND_NO_PATH: Error, "Could not find device mount path for volume", ["err", "volumeName"],
            S(Step::StartFound),
        FOUND_DEVICE_NOT_ADDED: Error, "Could not mark device is uncertain to actual state of world",
            ["err", "volumeName", "deviceMountPath"], S(Step::StartFound),
        FOUND_DEVICE_ADDED: Info2, "Volume is marked device as uncertain and added into the actual state",
            ["volumeName", "deviceMountPath"], S(Step::StartFound),
    }
    "cleanOrphanVolumes" {
        ORPHAN_NEEDED: Info4, "Volume exists in desired state, skip cleaning up mounts", ["podName", "volumeSpecName"],
            S(Step::StartCleansUp),
        ORPHAN: Info0, "Cleaning up mounts for volume that could not be reconstructed", ["podName", "volumeSpecName"],
            S(Step::StartCleansUp),
        ORPHANS_CLEANED: Info2, "Orphan volume cleanup finished", [], S(Step::StartCleansUp),
    }
    "cleanupMounts" {
        CLEANING: Info2, "Reconciler sync states: could not find volume information in desired state, clean up the \
            mount points", ["podName", "volumeSpecName"], S(Step::StartCleansUp),
        NOT_CLEANED: Error, mounted!("volumeHandler.UnmountVolumeHandler for UnmountVolume failed"), ["err"],
            S(Step::StartCleansUp),
    }
    "updateReconstructedFromNodeStatus" {
        NODE_READ: Info4, "Updating reconstructed devicePaths", [], S(Step::StartReadsNode),
        NODE_NONE: Info2, "Skipped reconstruction of DevicePaths from node.status in standalone mode", [],
            S(Step::StartReadsNode),
        NODE_UNREAD: Info4, "Failed to get Node status to reconstruct device paths", ["err"], S(Step::StartReadsNode),
        NODE_PATH: Info4, "Updated devicePath from node status for volume", ["volumeName", "path"],
            S(Step::StartReadsNode),
        NODE_DONE: Info2, "DevicePaths of reconstructed volumes updated", [], S(Step::StartReadsNode),
    }
    "getVolumesFromPodDir" {
        NO_DIRECTORY: Error, "Could not read volume plugin directory", ["err", "volumePluginPath"],
            S(Step::StartLooks),
        DIRECTORY: Info5, "Volume path from volume plugin directory", ["podName", "volumePath"], S(Step::StartLooks),
        DIRECTORY_OF_POD: Info4, "Get volume from pod directory", ["path", "volume"], S(Step::StartLooks),
    }
    "unmountVolumes" {
        UNMOUNTING: Info5, mounted!("Starting operationExecutor.UnmountVolume"), [],
            M(Mount::UnmountStarted | Mount::UnmountBackingOff),
        UNMOUNT_NOT_STARTED: Error,
            mounted!("operationExecutor.UnmountVolume failed (controllerAttachDetachEnabled {})"), ["err"],
            M(Mount::UnmountStarted),
        UNMOUNT_STARTED: Info0, mounted!("operationExecutor.UnmountVolume started"), [], M(Mount::UnmountStarted),
    }
    "expandVolume" {
        EXPANDING: Info4, to_mount!("Starting operationExecutor.ExpandInUseVolume"), ["pod"], M(Mount::MountExpands),
        EXPAND_NOT_STARTED: Error, to_mount!("operationExecutor.ExpandInUseVolume failed"), ["err", "pod"],
            M(Mount::MountExpands),
        EXPAND_STARTED: Info4, to_mount!("operationExecutor.ExpandInUseVolume started"), ["pod"],
            M(Mount::MountExpands),
    }
    "GenerateExpandInUseVolumeFunc" {
        EXPAND_WAITS: Info0, "Waiting for volume to be expandable on the node", ["volumeName"],
            E(Expand::ExpandWaits | Expand::ExpandInUse),
    }
    "doOnlineExpansion" {
        ONLINE_EXPANSION_FAILED: Error, to_mount!("NodeExpandVolume.NodeExpandVolume failed"), [], expand_failed!(),
    }
    "nodeExpandVolume" {
        EXPAND_READ_ONLY: Warning, to_mount!("MountVolume.NodeExpandVolume failed"), [], E(Expand::ExpandReadOnly),
    }
    "checkForRecoveryFromExpansion" {
        EXPAND_OLD_RESIZER: Warning, to_mount!("MountVolume.NodeExpandVolume running with"), [],
            E(Expand::ExpandWithoutProgress),
    }
    "legacyCallNodeExpandOnPlugin" {
        EXPAND_ENTERING: Info4, to_mount!("MountVolume.NodeExpandVolume entering"), ["pod"],
            E(Expand::ExpandWithoutProgress),
        EXPAND_LEGACY_IN_USE: Error, to_mount!("MountVolume.NodeExapndVolume failed"), [], E(Expand::ExpandInUse),
    }
    "expandOnPlugin" {
        EXPAND_NOT_ALLOWED: Info3,
            "NodeExpandVolume is not allowed to proceed for volume {uniqueName} with resizeStatus{}", [],
            E(Expand::ExpandWaits),
        EXPAND_NOT_MARKED: Error,
            to_mount!("MountVolume.NodeExpandVolume failed to mark node expansion in progress: %v"), [], _ if false,
        EXPAND_UNSUPPORTED: Info4, to_mount!("MountVolume.NodeExpandVolume failed"), ["pod"],
            E(Expand::ExpandUnsupported),
        EXPAND_FAILURE_NOT_MARKED: Error,
            to_mount!("MountMount.NodeExpandVolume failed to mark node expansion as failed: %v"), [],
            E(Expand::ExpandFailed | Expand::ExpandInfeasible),
        EXPAND_IN_USE: Error, to_mount!("MountVolume.NodeExapndVolume failed with %v"), [], E(Expand::ExpandInUse),
        EXPANDED: Info0, to_mount!("MountVolume.NodeExpandVolume succeeded"), ["pod"],
            E(Expand::ExpandSucceeded | Expand::ExpandNotStored),
    }
    "mountAttachedVolumes" {
        MOUNTING: Info4, to_mount!("Starting operationExecutor.MountVolume"), ["pod"], M(Mount::MountStarted),
        MOUNT_NOT_STARTED: Error,
            to_mount!("operationExecutor.MountVolume failed (controllerAttachDetachEnabled {})"), ["err", "pod"],
            M(Mount::MountOnWrongNode | Mount::MapWithoutPlugin),
        MOUNT_STARTED: Info1, to_mount!("operationExecutor.MountVolume started"), ["pod"], M(Mount::MountStarted),
    }
    "waitForVolumeAttach" {
        NOT_REPORTED: Info5, to_mount!("operationExecutor.VerifyControllerAttachedVolume failed"), ["pod"],
            M(Mount::MountWaitsForReport),
        VERIFYING: Info5, to_mount!("Starting operationExecutor.VerifyControllerAttachedVolume"), ["pod"],
            M(Mount::MountVerifies | Mount::MountWaitsForAttach),
        VERIFY_NOT_STARTED: Error, to_mount!("operationExecutor.VerifyControllerAttachedVolume failed \
            (controllerAttachDetachEnabled {})"), ["err", "pod"], M(Mount::MountVerifies),
        VERIFY_STARTED: Info0, to_mount!("operationExecutor.VerifyControllerAttachedVolume started"), ["pod"],
            M(Mount::MountVerifies),
        ATTACHING: Info5, "Starting operationExecutor.AttachVolume for volume {}", ["pod"], _ if false,
        ATTACH_NOT_STARTED: Error, to_mount!("operationExecutor.AttachVolume failed (controllerAttachDetachEnabled \
            {})"), ["err", "pod"], _ if false,
        ATTACH_STARTED: Info0, to_mount!("operationExecutor.AttachVolume started"), ["pod"], _ if false,
    }
    "unmountDetachDevices" {
        UNMOUNTING_DEVICE: Info5, attached!("Starting operationExecutor.UnmountDevice"), [],
            M(Mount::UnmountDeviceStarted | Mount::UnmountBackingOff),
        UNMOUNT_DEVICE_NOT_STARTED: Error,
            attached!("operationExecutor.UnmountDevice failed (controllerAttachDetachEnabled {})"), ["err"],
            M(Mount::UnmountDeviceStarted),
        UNMOUNT_DEVICE_STARTED: Info0, attached!("operationExecutor.UnmountDevice started"), [],
            M(Mount::UnmountDeviceStarted),
        FORGOTTEN: Info0, attached!("Volume detached"), [], M(Mount::VolumeForgotten),
        DETACHING: Info5, attached!("Starting operationExecutor.DetachVolume"), [], _ if false,
        DETACH_NOT_STARTED: Error,
            attached!("operationExecutor.DetachVolume failed (controllerAttachDetachEnabled {})"), ["err"], _ if false,
        DETACH_STARTED: Info0, attached!("operationExecutor.DetachVolume started"), [], _ if false,
    }
    "ReconstructVolumeOperation" {
        CONSTRUCTING: Info5, "Starting operationExecutor.ReconstructVolume for file volume on pod \"{podUID}\"", [],
            S(Step::StartLooks),
        CONSTRUCTING_BLOCK: Info5,
            "Starting operationExecutor.ReconstructVolume for block volume on pod \"{podUID}\"", [],
            S(Step::StartLooks),
    }
    "GenerateMountVolumeFunc" {
        WAITS_FOR_DEVICE: Info0, to_mount!("MountVolume.WaitForAttach entering"), ["pod"], M(Mount::MountStarted),
        HAS_DEVICE: Info0, to_mount!("MountVolume.WaitForAttach succeeded"), ["pod"], M(Mount::MountAttached),
        DEVICE_MOUNTED: Info0, to_mount!("MountVolume.MountDevice succeeded"), ["pod"], M(Mount::MountDeviceMounted),
        MOUNTED: Info1, to_mount!("MountVolume.SetUp succeeded"), ["pod"], M(Mount::MountPublished),
        NOT_EXPANDED: Error, "MountVolume.NodeExpandVolume failed with {}", [], M(Mount::MountNotExpanded),
        MOUNT_NOT_MARKED: Error, to_mount!("MountVolume.MarkVolumeMountAsUncertain failed"), [], _ if false,
    }
    "markDeviceErrorState" {
        DEVICE_STAYS: Info2, "MountVolume.markDeviceErrorState leaving volume uncertain", ["volumeName"],
            M(Mount::MountDeviceFailed),
        DEVICE_NOT_UNMOUNTED: Error, to_mount!("MountDevice.MarkDeviceAsUnmounted failed"), [],
            M(Mount::MountDeviceFailed),
        DEVICE_NOT_UNCERTAIN: Error, to_mount!("MountDevice.MarkDeviceAsUncertain failed"), [],
            M(Mount::MountDeviceFailed),
    }
    "markVolumeErrorState" {
        MOUNT_STAYS: Info3, "MountVolume.markVolumeErrorState leaving volume uncertain", ["volumeName"],
            M(Mount::MountSetUpFailed),
        MOUNT_NOT_UNMOUNTED: Error, to_mount!("MountVolume.MarkVolumeAsUnmounted failed"), [],
            M(Mount::MountSetUpFailed),
    }
    "GenerateUnmountVolumeFunc" {
        UNMOUNTED: Info0, "UnmountVolume.TearDown succeeded for volume \"{uniqueName}\" pod \"{}\" (UID: \
            \"{podUID}\"). InnerVolumeSpecName \"{specName}\". PluginName \"{}\", VolumeGIDValue \"{}\"", [],
            S(Step::UnmountSucceeded),
        UNMOUNT_NOT_UNCERTAIN: Error, mounted!("UnmountVolume.MarkVolumeMountAsUncertain failed"), [],
            S(Step::UnmountFailed),
        UNMOUNT_NOT_MARKED: Error, mounted!("UnmountVolume.MarkVolumeAsUnmounted failed"), [],
            S(Step::UnmountSucceeded),
    }
    "GenerateUnmountDeviceFunc" {
        DEVICE_NO_PATH: Warning,
            attached!("GetDeviceMountPath failed, but unmount operation will proceed using deviceMountPath={}: {}"), [],
            M(Mount::UnmountDeviceStarted),
        UNMOUNT_DEVICE_NOT_UNCERTAIN: Error, attached!("UnmountDevice.MarkDeviceAsUncertain failed"), [],
            S(Step::UnmountFailed),
        DEVICE_UNMOUNTED: Info0, attached!("UnmountDevice succeeded"), [], S(Step::UnmountSucceeded),
    }
    "GenerateMapVolumeFunc" {
        MAP_WAITS_FOR_DEVICE: Info0, to_mount!("MapVolume.WaitForAttach entering"), ["pod"], M(Mount::MountStarted),
        MAP_HAS_DEVICE: Info0, to_mount!("MapVolume.WaitForAttach succeeded"), ["pod"], M(Mount::MountAttached),
        MAPPED: Info1, to_mount!("MapVolume.MapPodDevice succeeded"), ["pod"], M(Mount::MountPublished),
        MAP_NOT_EXPANDED: Error, "MapVolume.NodeExpandVolume failed with {}", [], M(Mount::MountNotExpanded),
    }
    "GenerateUnmapVolumeFunc" {
        UNMAPPED: Info0, "UnmapVolume succeeded for volume \"{uniqueName}\" pod \"{}\" (UID: \"{podUID}\"). \
            InnerVolumeSpecName \"{specName}\". PluginName \"{}\", VolumeGIDValue \"{}\"", [],
            S(Step::UnmountSucceeded),
        UNMAP_NOT_MARKED: Error, mounted!("UnmapVolume.MarkVolumeAsUnmounted failed"), [], S(Step::UnmountSucceeded),
    }
    "GenerateUnmapDeviceFunc" {
        DEVICE_UNMAPPED: Info0, attached!("UnmapDevice succeeded"), [], S(Step::UnmountSucceeded),
    }
    "GenerateVerifyControllerAttachedVolumeFunc" {
        VERIFIED: Info0, to_mount!("Controller attach succeeded"), ["pod"], S(Step::VerifySucceeded),
    }
    "isDeviceOpened" {
        NO_DEVICE: Info3, "The path isn't device path or doesn't exist. Skip checking device path: {}", [],
            S(Step::UnmountSucceeded | Step::UnmountFailed),
    }
    "operationComplete" {
        OPERATION_FAILED: Error, failed!("{}"), [], S(Step::VolumeOperationFailed),
        WRONG_NODE: Error, failed!("MountVolume.NodeAffinity check failed" mount), [], M(Mount::MountOnWrongNode),
        OPTIONS_UNSUPPORTED: Error, failed!("MountVolume.MountOptionSupport check failed" mount), [],
            M(Mount::MountOptionsUnsupported),
        NOT_ATTACHED: Error, failed!("MountVolume.WaitForAttach failed" mount), [], M(Mount::MountNotAttached),
        MAP_NOT_ATTACHED: Error, failed!("MapVolume.WaitForAttach failed" mount), [], M(Mount::MountNotAttached),
        DEVICE_FAILED: Error, failed!("MountVolume.MountDevice failed" mount), [], M(Mount::MountDeviceFailed),
        MAP_DEVICE_FAILED: Error, failed!("MapVolume.SetUpDevice failed" mount), [], M(Mount::MountDeviceFailed),
        EXCLUSIVE: Error, failed_with!("MountVolume.SetUp failed", " for volume \"{specName}\" (UniqueName: \"{}\") \
            pod \"{}\" (UID: \"{podUID}\") : volume uses the ReadWriteOncePod access mode and is already in use by \
            another pod"), [], M(Mount::MountExclusive),
        MAP_EXCLUSIVE: Error, failed_with!("MapVolume.SetUpDevice failed", " for volume \"{specName}\" (UniqueName: \
            \"{}\") pod \"{}\" (UID: \"{podUID}\") : volume uses the ReadWriteOncePod access mode and is already in \
            use by another pod"), [], M(Mount::MountExclusive),
        SET_UP_FAILED: Error, failed!("MountVolume.SetUp failed" mount), [], M(Mount::MountSetUpFailed),
        MOUNT_NOT_EXPANDED: Error, failed!("MountVolume.Setup failed while expanding volume" mount), [],
            M(Mount::MountNotExpanded),
        DEVICE_NOT_EXPANDED: Error, failed!("MapVolume.MarkVolumeAsMounted failed while expanding volume" mount), [],
            M(Mount::MountNotExpanded),
        EXPAND_FAILED: Error, failed!("NodeExpandVolume.NodeExpandVolume failed" mount), [], expand_failed!(),
        MAP_FAILED: Error, failed!("MapVolume.MapPodDevice failed" mount), [], M(Mount::MountSetUpFailed),
        TEAR_DOWN_FAILED: Error, failed!("UnmountVolume.{}"), [], S(Step::UnmountFailed),
        UNMAP_FAILED: Error, failed!("UnmapVolume.{}"), [], S(Step::UnmountFailed),
        UNMOUNT_DEVICE_FAILED: Error, failed!("UnmountDevice{}"), [], S(Step::UnmountFailed),
        UNMAP_DEVICE_FAILED: Error, failed!("UnmapDevice{}"), [], S(Step::UnmountFailed),
        VERIFY_FAILED: Error, failed!("VerifyControllerAttachedVolume{}"), [], S(Step::VerifyFailed),
        VERIFY_NOT_ATTACHED: Error, failed!("Volume not attached according to node status" mount), [],
            S(Step::VerifyFailed),
        VERIFY_NOT_REPORTED: Error, failed!("Volume has not been added to the list of VolumesInUse in the node's \
            volume status" mount), [], S(Step::VerifyFailed),
    }
    "MapDevice" {
        MAP_DEVICE: Info5, "MapDevice: {} {}", [],
            M(Mount::MountStarted | Mount::MountAttached | Mount::MountDeviceMounted | Mount::MountPublished),
    }
    "UnmapDevice" {
        UNMAP_DEVICE: Info5, "UnmapDevice: {} {}", [], M(Mount::UnmountStarted),
    }
    "RemoveMapPath" {
        REMOVE_MAP: Info5, "RemoveMapPath: mapPath {}", [], S(Step::UnmountSucceeded | Step::UnmountFailed),
    }
    "GetDeviceBindMountRefs" {
        MAP_REFERENCES: Info5, "GetDeviceBindMountRefs: refs {}", [], M(Mount::UnmountDeviceStarted),
    }
    "InitPlugins" {
        NO_PROBER: Error, "Error initializing dynamic plugin prober", ["err"], _ if false,
        PLUGIN_NOT_LOADED: Error, "Failed to load volume plugin", ["err", "pluginName"], _ if false,
        PLUGIN_LOADED: Info1, "Loaded volume plugin", ["pluginName"], _ if false,
    }
    "StartStructuredLogging" {
        EVENT_WRONG_NODE: Info3, EVENT,
            ["object", "fieldPath", "kind", "apiVersion", "type", "reason" = "FailedMount",
            "message" = "MountVolume.NodeAffinity check failed for volume {}"], M(Mount::MountOnWrongNode),
        EVENT_MAP_WRONG_NODE: Info3, EVENT,
            ["object", "fieldPath", "kind", "apiVersion", "type", "reason" = "FailedMount",
            "message" = "MapVolume.NodeAffinity check failed for volume {}"], M(Mount::MountOnWrongNode),
        EVENT_OPTIONS_UNSUPPORTED: Info3, EVENT,
            ["object", "fieldPath", "kind", "apiVersion", "type", "reason" = "FailedMount",
            "message" = "MountVolume.MountOptionSupport check failed for volume {}"],
                M(Mount::MountOptionsUnsupported),
        EVENT_EXCLUSIVE: Info3, EVENT,
            ["object", "fieldPath", "kind", "apiVersion", "type", "reason" = "FailedMount",
            "message" = "MountVolume.SetUp failed for volume \"{}\" : volume uses the ReadWriteOncePod {}"],
                M(Mount::MountExclusive),
        EVENT_MAP_EXCLUSIVE: Info3, EVENT,
            ["object", "fieldPath", "kind", "apiVersion", "type", "reason" = "FailedMapVolume",
            "message" = "MapVolume.SetUpDevice failed for volume \"{}\" : volume uses the ReadWriteOncePod {}"],
                M(Mount::MountExclusive),
        EVENT_NOT_ATTACHED: Info3, EVENT,
            ["object", "fieldPath", "kind", "apiVersion", "type", "reason" = "FailedMount",
            "message" = "MountVolume.WaitForAttach failed for volume {}"], M(Mount::MountNotAttached),
        EVENT_MAP_NOT_ATTACHED: Info3, EVENT,
            ["object", "fieldPath", "kind", "apiVersion", "type", "reason" = "FailedMapVolume",
            "message" = "MapVolume.WaitForAttach failed for volume {}"], M(Mount::MountNotAttached),
        EVENT_DEVICE_FAILED: Info3, EVENT,
            ["object", "fieldPath", "kind", "apiVersion", "type", "reason" = "FailedMount",
            "message" = "MountVolume.MountDevice failed for volume {}"], M(Mount::MountDeviceFailed),
        EVENT_MAP_DEVICE_FAILED: Info3, EVENT,
            ["object", "fieldPath", "kind", "apiVersion", "type", "reason" = "FailedMapVolume",
            "message" = "MapVolume.SetUpDevice failed for volume {}"], M(Mount::MountDeviceFailed),
        EVENT_SET_UP_FAILED: Info3, EVENT,
            ["object", "fieldPath", "kind", "apiVersion", "type", "reason" = "FailedMount",
            "message" = "MountVolume.SetUp failed for volume {}"], M(Mount::MountSetUpFailed),
        EVENT_MAP_FAILED: Info3, EVENT,
            ["object", "fieldPath", "kind", "apiVersion", "type", "reason" = "FailedMapVolume",
            "message" = "MapVolume.MapPodDevice failed for volume {}"], M(Mount::MountSetUpFailed),
        EVENT_MAPPED: Info3, EVENT,
            ["object", "fieldPath", "kind", "apiVersion", "type", "reason" = "SuccessfulMountVolume",
            "message"], M(Mount::MountPublished),
        EVENT_NOT_EXPANDED: Info3, EVENT,
            ["object", "fieldPath", "kind", "apiVersion", "type", "reason" = "FailedMount",
            "message" = "MountVolume.Setup failed while expanding volume for volume {}"], M(Mount::MountNotExpanded),
        EVENT_MAP_NOT_EXPANDED: Info3, EVENT,
            ["object", "fieldPath", "kind", "apiVersion", "type", "reason" = "FailedMapVolume",
            "message" = "MapVolume.MarkVolumeAsMounted failed while expanding volume for volume {}"],
                M(Mount::MountNotExpanded),
        EVENT_EXPAND_FAILED: Info3, EVENT,
            ["object", "fieldPath", "kind", "apiVersion", "type", "reason" = "VolumeResizeFailed",
            "message" = "NodeExpandVolume.NodeExpandVolume failed for volume {}"], expand_failed!(),
        EVENT_EXPAND_READ_ONLY: Info3, EVENT,
            ["object", "fieldPath", "kind", "apiVersion", "type", "reason" = "FileSystemResizeFailed",
            "message"], E(Expand::ExpandReadOnly),
        EVENT_EXPANDED: Info3, EVENT,
            ["object", "fieldPath", "kind", "apiVersion", "type", "reason" = "FileSystemResizeSuccessful",
            "message"],
                E(Expand::ExpandSucceeded | Expand::ExpandNotStored),
        EVENT_WAIT_FAILED: Info3, EVENT,
            ["object", "fieldPath", "kind", "apiVersion", "type", "reason" = "FailedMount",
            "message" = "Unable to attach or mount volumes: {}"], W(WaitBranch::WaitFailed),
    }
}
