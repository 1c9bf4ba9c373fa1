//! The messages that the CSI plugin logs in the kubelet. Upstream: `pkg/volume/csi`, 1.36.

#![expect(clippy::unnested_or_patterns, reason = "a group of leaves is a pattern of its own")]

use crate::controllers::Branch::{MountBranch as M, PopulatorBranch as P, VolumeStep as S, WaitBranch as W};
use crate::controllers::kubelet_volumes::leaves::{
    MountBranch as Mount, PopulatorBranch as Populator, VolumeStep as Step,
};
use crate::controllers::log::messages;

/// A device is about to be mounted.
macro_rules! staging {
    () => {
        M(Mount::MountStarted | Mount::MountAttached)
    };
}

/// A volume is about to be mounted for a pod.
macro_rules! publishing {
    () => {
        M(Mount::MountStarted | Mount::MountAttached | Mount::MountDeviceMounted)
    };
}

messages! {
    "WaitForAttach" {
        CSI_UNREAD: Error,
            "kubernetes.io/csi: attacher.WaitForAttach failed for volume [{}] (will continue to try): {}", [],
            M(Mount::MountNotAttached),
        CSI_NOT_ATTACHED: Error,
            "kubernetes.io/csi: attacher.WaitForAttach failed for volume [{}] attached (will continue to try)", [],
            M(Mount::MountNotAttached),
    }
    "verifyAttachmentStatus" {
        CSI_GOING: Error, "kubernetes.io/csi: VolumeAttachment [{}] has deletion timestamp, will not continue to wait \
            for attachment", [], M(Mount::MountNotAttached),
        CSI_ATTACH_ERROR: Error, "kubernetes.io/csi: attachment for {} failed: {}", [], M(Mount::MountNotAttached),
    }
    "GetDeviceMountPath" {
        CSI_PATH: Info4, "kubernetes.io/csi: attacher.GetDeviceMountPath for volume({})", [],
            publishing!() | M(Mount::UnmountDeviceStarted) | S(Step::StartFound),
        CSI_PATH_FOUND: Info4, "attacher.GetDeviceMountPath succeeded, deviceMountPath: {}", [],
            publishing!() | M(Mount::UnmountDeviceStarted) | S(Step::StartFound),
    }
    "MountDevice" {
        CSI_STAGING: Info4, "kubernetes.io/csi: attacher.MountDevice({}, {})", [], staging!(),
        CSI_STAGE_FOLDER: Info4, "kubernetes.io/csi: created target path successfully [{directory}]", [],
            publishing!(),
        CSI_NO_STAGE: Info0, "kubernetes.io/csi: attacher.MountDevice STAGE_UNSTAGE_VOLUME capability not set. \
            Skipping MountDevice...", [], M(Mount::MountDeviceMounted),
        CSI_STAGE_GROUP: Info3, "Driver {} supports applying FSGroup (has VOLUME_MOUNT_GROUP node capability). \
            Delegating FSGroup application to the driver through NodeStageVolume.", [], staging!(),
        CSI_STAGE_UNSAVED: Error, "kubernetes.io/csi: failed to save volume info data: {}", [],
            M(Mount::MountDeviceFailed),
        CSI_STAGE_FAILED: Error, "kubernetes.io/csi: attacher.MountDevice failed: {}", [], M(Mount::MountDeviceFailed),
        CSI_STAGE_LEFT: Error,
            "kubernetes.io/csi: attacher.MountDevice failed to remove mount dir after error [{}]: {}", [],
            M(Mount::MountDeviceFailed),
        CSI_STAGED: Info4, "kubernetes.io/csi: attacher.MountDevice successfully requested NodeStageVolume [{}]", [],
            M(Mount::MountDeviceMounted),
    }
    "UnmountDevice" {
        CSI_UNSTAGING: Info4, "kubernetes.io/csi: attacher.UnmountDevice({})", [], M(Mount::UnmountDeviceStarted),
        CSI_UNSTAGE_NONE: Info4, "kubernetes.io/csi: attacher.UnmountDevice skipped because volume data file [{}] \
            does not exist", [], S(Step::UnmountSucceeded),
        CSI_UNSTAGE_UNKNOWN: Error, "kubernetes.io/csi: attacher.UnmountDevice failed to get driver and volume name \
            from device mount path: {}", [], S(Step::UnmountFailed),
        CSI_NO_UNSTAGE: Info0, "kubernetes.io/csi: attacher.UnmountDevice STAGE_UNSTAGE_VOLUME capability not set. \
            Skipping UnmountDevice...", [], S(Step::UnmountSucceeded),
        CSI_UNSTAGED: Info4, "kubernetes.io/csi: attacher.UnmountDevice successfully requested NodeUnStageVolume \
            [{}]", [], S(Step::UnmountSucceeded),
    }
    "NewMounter" {
        CSI_MOUNTER: Info4, "kubernetes.io/csi: mounter created successfully", [],
            M(Mount::MountStarted) | S(Step::StartFound),
    }
    "NewUnmounter" {
        CSI_UNMOUNTER: Info4, "kubernetes.io/csi: setting up unmounter for [name={specName}, podUID={podUID}]", [],
            M(Mount::UnmountStarted) | S(Step::StartCleansUp),
    }
    "GetPath" {
        CSI_MOUNT_PATH: Info4, "kubernetes.io/csi: mounter.GetPath generated [{directory}]", [],
            publishing!() | M(Mount::MountSucceeded | Mount::UnmountStarted) | S(Step::StartFound),
    }
    "SetUpAt" {
        CSI_PUBLISHING: Info4, "kubernetes.io/csi: Mounter.SetUpAt({directory})", [], publishing!(),
        CSI_PUBLISH_GROUP: Info3, "Driver {} supports applying FSGroup (has VOLUME_MOUNT_GROUP node capability). \
            Delegating FSGroup application to the driver through NodePublishVolume.", [], publishing!(),
        CSI_PUBLISH_UNSAVED: Error, "kubernetes.io/csi: mounter.SetUpAt failed to save volume info data: {}", [],
            M(Mount::MountSetUpFailed),
        CSI_PUBLISH_LEFT: Error,
            "kubernetes.io/csi: mounter.SetUpAt failed to remove mount dir after error [{directory}]: {}", [],
            M(Mount::MountSetUpFailed),
        CSI_PUBLISH_LEFT_BEHIND: Error, "kubernetes.io/csi: mounter.SetupAt failed to remove mount dir after a \
            NodePublish() error [{directory}]: {}", [], M(Mount::MountSetUpFailed),
        CSI_GROUP: Info4, "kubernetes.io/csi: mounter.SetupAt fsGroup [{}] applied successfully to {}", [],
            M(Mount::MountSucceeded),
        CSI_PUBLISHED: Info4, "kubernetes.io/csi: mounter.SetUp successfully requested NodePublish [{directory}]", [],
            M(Mount::MountSucceeded),
    }
    "supportsFSGroup" {
        CSI_NO_GROUP: Info4, "kubernetes.io/csi: mounter.SetupAt WARNING: skipping fsGroup, {}", [],
            M(Mount::MountSucceeded),
    }
    "podServiceAccountTokenAttrs" {
        CSI_NO_TOKENS: Info5,
            "kubernetes.io/csi: CSIDriver \"{}\" not found, not adding service account token information", [],
            publishing!(),
        CSI_TOKENS: Info4, "kubernetes.io/csi: Fetched service account token attrs for CSIDriver \"{}\"", [],
            publishing!(),
    }
    "podInfoEnabled" {
        CSI_UNKNOWN_DRIVER: Info4, "kubernetes.io/csi: CSIDriver \"{}\" not found, not adding pod information", [],
            publishing!(),
        CSI_NO_POD_INFO: Info4, "kubernetes.io/csi: CSIDriver \"{}\" does not require pod information", [],
            publishing!(),
    }
    "TearDownAt" {
        CSI_UNPUBLISHING: Info4, "kubernetes.io/csi: Unmounter.TearDownAt({directory})", [], M(Mount::UnmountStarted),
        CSI_UNPUBLISHED: Info4, "kubernetes.io/csi: Unmounter.TearDownAt successfully unmounted dir [{directory}]", [],
            S(Step::UnmountSucceeded),
    }
    "removeMountDir" {
        CSI_REMOVING: Info4, "kubernetes.io/csi: removing mount path [{directory}]", [],
            S(Step::UnmountSucceeded | Step::UnmountFailed) | M(Mount::MountSetUpFailed | Mount::MountDeviceFailed),
        CSI_REMOVED: Info4, "kubernetes.io/csi: dir not mounted, deleting it [{directory}]", [],
            S(Step::UnmountSucceeded | Step::UnmountFailed) | M(Mount::MountSetUpFailed | Mount::MountDeviceFailed),
        CSI_REMOVED_DATA: Info4, "kubernetes.io/csi: also deleting volume info data file [{directory}]", [],
            S(Step::UnmountSucceeded | Step::UnmountFailed) | M(Mount::MountSetUpFailed | Mount::MountDeviceFailed),
        CSI_REMOVED_PATH: Info4, "kubernetes.io/csi: deleting volume path [{directory}]", [],
            S(Step::UnmountSucceeded | Step::UnmountFailed) | M(Mount::MountSetUpFailed | Mount::MountDeviceFailed),
    }
    "saveVolumeData" {
        CSI_SAVING: Info4, "kubernetes.io/csi: saving volume data file [{directory}]", [], publishing!(),
        CSI_SAVED: Info4, "kubernetes.io/csi: volume data file saved successfully [{directory}]", [], publishing!(),
    }
    "loadVolumeData" {
        CSI_LOADING: Info4, "kubernetes.io/csi: loading volume data file [{directory}]", [],
            M(Mount::UnmountStarted | Mount::UnmountDeviceStarted) | S(Step::StartLooks),
    }
    "NewBlockVolumeMapper" {
        CSI_MAPPER: Info4, "kubernetes.io/csi: setting up block mapper for [volume={},driver={}]", [],
            M(Mount::MountStarted) | S(Step::StartFound),
        CSI_MAPPER_FOLDER: Info4, "kubernetes.io/csi: created path successfully [{directory}]", [],
            M(Mount::MountStarted) | S(Step::StartFound),
        CSI_MAPPER_UNSAVED: Error,
            "kubernetes.io/csi: csi.NewBlockVolumeMapper failed to save volume info data: {}", [],
            M(Mount::MountStarted),
    }
    "NewBlockVolumeUnmapper" {
        CSI_UNMAPPER: Info4, "kubernetes.io/csi: setting up block unmapper for [Spec={specName}, podUID={podUID}]", [],
            M(Mount::UnmountStarted | Mount::UnmountDeviceStarted),
    }
    "ConstructVolumeSpec" {
        CSI_CONSTRUCTING: Info4, "kubernetes.io/csi: plugin.ConstructVolumeSpec [pv.Name={}, path={directory}]", [],
            S(Step::StartLooks),
        CSI_CONSTRUCTED: Info4, "kubernetes.io/csi: plugin.ConstructVolumeSpec extracted [{}]", [],
            S(Step::StartFound | Step::StartUnreadable),
    }
    "ConstructBlockVolumeSpec" {
        CSI_CONSTRUCTING_BLOCK: Info4, "plugin.ConstructBlockVolumeSpec [podUID={podUID}, specVolName={}, path={}]",
            [], S(Step::StartLooks),
        CSI_CONSTRUCTED_BLOCK: Info4, "kubernetes.io/csi: plugin.ConstructBlockVolumeSpec extracted [{}]", [],
            S(Step::StartFound | Step::StartUnreadable),
    }
    "RequiresRemount" {
        CSI_NO_REPUBLISH: Info5, "kubernetes.io/csi: Failed to mark \"{}\" as republish required, err: {}", [],
            P(Populator::VolumeWanted),
    }
    "GetGlobalMapPath" {
        CSI_GLOBAL_PATH: Info4, "kubernetes.io/csi: blockMapper.GetGlobalMapPath = {}", [],
            M(Mount::MountStarted | Mount::UnmountStarted) | S(Step::StartFound),
    }
    "GetPodDeviceMapPath" {
        CSI_POD_PATH: Info4, "kubernetes.io/csi: blockMapper.GetPodDeviceMapPath [path={directory}; name={}]", [],
            M(Mount::MountSucceeded | Mount::UnmountStarted),
    }
    "SetUpDevice" {
        CSI_BLOCK_STAGING: Info4, "kubernetes.io/csi: blockMapper.SetUpDevice called", [], staging!(),
        CSI_BLOCK_LEFT: Info4, "Failed to clean up block volume directory {}", [],
            M(Mount::MountDeviceFailed) | S(Step::UnmountSucceeded),
    }
    "stageVolumeForBlock" {
        CSI_BLOCK_STAGE: Info4, "kubernetes.io/csi: blockMapper.stageVolumeForBlock called", [], staging!(),
        CSI_BLOCK_STAGE_PATH: Info4, "kubernetes.io/csi: blockMapper.stageVolumeForBlock stagingPath set [{}]", [],
            staging!(),
        CSI_BLOCK_NO_STAGE: Info0, "kubernetes.io/csi: blockMapper.stageVolumeForBlock STAGE_UNSTAGE_VOLUME capability \
            not set. Skipping MountDevice...", [], M(Mount::MountDeviceMounted),
        CSI_BLOCK_STAGE_FOLDER: Info4, "kubernetes.io/csi: blockMapper.stageVolumeForBlock created stagingPath \
            directory successfully [{}]", [], staging!(),
        CSI_BLOCK_STAGED: Info4, "kubernetes.io/csi: blockMapper.stageVolumeForBlock successfully requested \
            NodeStageVolume [{}]", [], M(Mount::MountDeviceMounted),
    }
    "MapPodDevice" {
        CSI_BLOCK_MAPPING: Info4, "kubernetes.io/csi: blockMapper.MapPodDevice called", [], publishing!(),
    }
    "publishVolumeForBlock" {
        CSI_BLOCK_PUBLISH: Info4, "kubernetes.io/csi: blockMapper.publishVolumeForBlock called", [], publishing!(),
        CSI_BLOCK_PUBLISH_FOLDER: Info4, "kubernetes.io/csi: blockMapper.publishVolumeForBlock created directory for \
            publishPath successfully [{}]", [], publishing!(),
    }
    "unpublishVolumeForBlock" {
        CSI_BLOCK_UNPUBLISHED: Info4, "kubernetes.io/csi: blockMapper.unpublishVolumeForBlock NodeUnpublished \
            successfully [{}]", [], S(Step::UnmountSucceeded),
    }
    "unstageVolumeForBlock" {
        CSI_BLOCK_NO_UNSTAGE: Info0, "kubernetes.io/csi: blockMapper.unstageVolumeForBlock STAGE_UNSTAGE_VOLUME \
            capability not set. Skipping unstageVolumeForBlock ...", [], S(Step::UnmountSucceeded),
        CSI_BLOCK_UNSTAGED: Info4, "kubernetes.io/csi: blockMapper.unstageVolumeForBlock NodeUnstageVolume \
            successfully [{}]", [], S(Step::UnmountSucceeded),
    }
    "TearDownDevice" {
        CSI_BLOCK_UNSTAGE_NONE: Info4, "kubernetes.io/csi: blockMapper.TearDownDevice stagingPath({}) has already been \
            deleted, skip calling NodeUnstageVolume", [], S(Step::UnmountSucceeded),
    }
    "NodeStageVolume" {
        CSI_STAGE: Info4, "kubernetes.io/csi: calling NodeStageVolume rpc", ["volID", "stagingTargetPath"], staging!(),
    }
    "NodePublishVolume" {
        CSI_PUBLISH: Info4, "kubernetes.io/csi: calling NodePublishVolume rpc", ["volID", "targetPath"],
            publishing!(),
    }
    "NodeUnpublishVolume" {
        CSI_UNPUBLISH: Info4, "kubernetes.io/csi: calling NodeUnpublishVolume rpc", ["volID", "targetPath"],
            M(Mount::UnmountStarted),
    }
    "NodeUnstageVolume" {
        CSI_UNSTAGE: Info4, "kubernetes.io/csi: calling NodeUnstageVolume rpc", ["volID", "stagingTargetPath"],
            M(Mount::UnmountDeviceStarted),
    }
    "nodeSupportsCapability" {
        CSI_CAPABILITY: Info4, "kubernetes.io/csi: calling NodeGetCapabilities rpc to determine if the node service has \
            {} capability", [], publishing!() | M(Mount::UnmountStarted | Mount::UnmountDeviceStarted),
    }
    "newGrpcConn" {
        CSI_CONNECTION: Info4, "kubernetes.io/csi: creating new gRPC connection", ["protocol", "endpoint"],
            publishing!() | M(Mount::UnmountStarted | Mount::UnmountDeviceStarted),
    }
    "CanDeviceMount" {
        CSI_EPHEMERAL: Info5, "kubernetes.io/csi: plugin.CanDeviceMount skipped ephemeral mode detected for spec {}",
            [], P(Populator::VolumeWanted),
    }
    "CanAttach" {
        CSI_EPHEMERAL_ATTACH: Info5,
            "kubernetes.io/csi: plugin.CanAttach = false, ephemeral mode detected for spec {}", [],
            P(Populator::VolumeWanted),
    }
    "VerifyExhaustedResource" {
        CSI_LIMIT_NO_SPEC: Error, "Invalid volume spec for CSI", [], W(_),
        CSI_LIMIT_NO_DRIVER: Error, "Failed to retrieve CSIDriver", ["err", "pluginName"], W(_),
        CSI_LIMIT_UNREAD: Error, "Failed to get volume attachment", ["err", "attachmentName"],
            W(_),
        CSI_LIMIT: Info4, "Detected ResourceExhausted error for volume", ["pluginName", "volumeHandle"],
            W(_),
        CSI_LIMIT_NOT_UPDATED: Error, "Failed to update CSIDriver", ["err", "pluginName"], W(_),
    }
    "ValidatePlugin" {
        CSI_VALIDATING: Info0, "kubernetes.io/csi: Trying to validate a new CSI Driver with name: {} endpoint: {} \
            versions: {}", [], _ if false,
    }
    "RegisterPlugin" {
        CSI_REGISTERED: Info0, "kubernetes.io/csi: Register new plugin with name: {} at endpoint: {}", [], _ if false,
        CSI_NOT_REGISTERED: Error, "kubernetes.io/csi: registrationHandler.RegisterPlugin failed to unregister plugin \
            due to previous error: {}", [], _ if false,
    }
    "DeRegisterPlugin" {
        CSI_DEREGISTERING: Info0, "kubernetes.io/csi: registrationHandler.DeRegisterPlugin request for plugin {}, \
            endpoint {}", [], _ if false,
        CSI_NOT_DEREGISTERED: Error, "kubernetes.io/csi: registrationHandler.DeRegisterPlugin failed: {}", [],
            _ if false,
    }
    "NodeGetInfo" {
        CSI_INFO: Info4, "kubernetes.io/csi: calling NodeGetInfo rpc", [], _ if false,
        CSI_NO_INFO: Info0, "Error calling CSI NodeGetInfo()", ["err"], _ if false,
    }
    "NodeGetVolumeStats" {
        CSI_STATS: Info4, "kubernetes.io/csi: calling NodeGetVolumeStats rpc", ["volID", "targetPath"], _ if false,
    }
    "initializeCSINode" {
        CSI_NODE: Info4, "Initializing migrated drivers on CSINode", [], _ if false,
        CSI_NODE_STANDALONE: Warning, "Skipping CSINode initialization, kubelet running in standalone mode", [],
            _ if false,
        CSI_NODE_FAILED: Error, "Failed to initialize CSINode: {}", [], _ if false,
        CSI_NODE_UPDATER: Error, "Failed to create CSINodeUpdater", ["err"], _ if false,
    }
}
