//! The leaves of the kubelet's volume manager that are modelled.

use crate::controllers::branch::leaves;

leaves! {
    /// What the populator decides about one volume of a pod. Upstream: `createVolumeSpec` and `AddPodToVolume`,
    /// `pkg/kubelet/volumemanager`, 1.36.
    PopulatorBranch {
        "KP1" VolumeUnused "No container uses the volume: it is ignored.",
        "KP2" VolumeClaimUnread "The claim does not exist: this is an error of the pod.",
        "KP3" VolumeClaimGoing
            "The claim is being deleted and does not have pvc-protection: this is an error of the pod.",
        "KP4" VolumeClaimUnbound "The claim is not Bound: this is an error of the pod.",
        "KP5" VolumeClaimNamesNone "The claim names no volume: this is an error of the pod.",
        "KP6" VolumeClaimOfOther
            "The volume is ephemeral, and its claim does not belong to the pod: this is an error of the pod.",
        "KP7" VolumeUnread "The PersistentVolume does not exist: this is an error of the pod.",
        "KP8" VolumeNamesNone "The PersistentVolume names no claim: this is an error of the pod.",
        "KP9" VolumeNamesOther
            "The claimRef of the PersistentVolume has another uid than the claim: this is an error of the pod.",
        "KP10" VolumeUntranslated
            "The volume of an in-tree plugin cannot be translated to CSI: this is an error of the pod.",
        "KP11" VolumeMountedAsFiles
            "A container mounts the volume, and its volumeMode is not Filesystem: this is an error of the pod.",
        "KP12" VolumeMappedAsBlock
            "A container uses the volume as a device, and its volumeMode is not Block: this is an error of the pod.",
        "KP13" VolumeWithoutPlugin "The kubelet has no plugin for the volume: this is an error of the pod.",
        "KP14" VolumeWanted "The kubelet has to mount the volume.",
    }
    /// What the reconciler does with a volume, and how far a mount comes. Upstream: `reconcile`,
    /// `GenerateMountVolumeFunc` and `GenerateMapVolumeFunc`, 1.36.
    MountBranch {
        "KR1" MountBusy "An operation with the volume runs: nothing is started.",
        "KR2" MountWaitsForReport
            "The volume has to be attached, and the kubelet has not reported it in status.volumesInUse: nothing is \
             started.",
        "KR3" MountWaitsForAttach "The node does not list the volume as attached: nothing is started.",
        "KR4" MountVerifies "The kubelet reads the claim and the node, and then takes the volume as attached.",
        "KR5" MountStarted "The volume is attached: it is mounted, or mounted again, unless this failed a short time ago.",
        "KR6" MountExpands
            "The volume is mounted and has grown: it is expanded on the node, unless this failed a short time ago.",
        "KR7" MountDone "The volume is mounted: nothing is started.",
        "KR8" UnmountStarted "The pod does not need the volume any more: it is unmounted.",
        "KR9" UnmountDeviceStarted "No pod needs the volume any more: its device is unmounted.",
        "KR10" VolumeForgotten "No pod needs the volume any more, and it is not mounted: the kubelet forgets it.",
        "KR11" UnmountBackingOff
            "The volume or its device is not needed any more, but unmounting failed a short time ago: nothing is \
             started.",
        "KM2" MountOnWrongNode "The node affinity of the volume does not match the node: the mount fails.",
        "KM4" MountOptionsUnsupported
            "The volume has mount options, and its plugin does not support any: the mount fails.",
        "KM5" MountExclusive
            "The only access mode allows one pod, and the volume is mounted for another one: the mount fails.",
        "KM6" MountNotAttached "The driver does not find the attached volume: the mount fails.",
        "KM7" MountDeviceFailed "The driver does not mount the device: the mount fails.",
        "KM8" MountSetUpFailed "The driver does not mount the volume for the pod: the mount fails.",
        "KM9" MountNotExpanded "The volume is mounted and cannot be expanded: the mount fails.",
        "KM10" MountSucceeded "The volume is mounted.",
        "KM11" MapWithoutPlugin "The plugin of the volume cannot map block devices: nothing is started.",
        "KM12" MountAttached "The device of the attached volume is there: the mount goes on.",
        "KM13" MountDeviceMounted "The device is mounted: the mount goes on.",
        "KM14" MountPublished "The driver has mounted the volume for the pod: if the volume has grown, it is expanded.",
    }
    /// What the kubelet does with a volume that has grown. Upstream: `node_expander.go`, `nodeExpandVolume` and
    /// `expandVolumeDuringMount`, 1.36.
    ExpandBranch {
        "KE1" ExpandClaimUnread "The claim does not exist: the expansion fails.",
        "KE2" ExpandReadOnly "The pod only reads the volume: it is not expanded.",
        "KE3" ExpandWithoutProgress
            "The claim does not say how far the expansion is, because the resizer is old: the driver is asked.",
        "KE4" ExpandDone "The status of the claim has the size already: the volume counts as expanded.",
        "KE5" ExpandWaits "The node does not have to expand the volume yet, or never: the driver is not asked.",
        "KE6" ExpandOnFurtherNode
            "Another node has expanded the volume, and several nodes may write to it: the driver is asked.",
        "KE7" ExpandStarted "The node has to expand the volume: the driver is asked.",
        "KE8" ExpandSucceeded "The driver has expanded the volume: the status of the claim has its size.",
        "KE9" ExpandUnsupported "The driver cannot expand volumes on the node: the volume counts as expanded.",
        "KE10" ExpandInUse "The driver does not expand a volume that is in use: only the next mount asks it again.",
        "KE11" ExpandInfeasible "The driver will never expand the volume: the status of the claim says so.",
        "KE12" ExpandFailed "The driver has not expanded the volume: a condition of the claim says so.",
        "KE13" ExpandUncertain
            "The driver may go on, or it was not reached, or the resizer is old: the status of the claim does not change.",
        "KE14" ExpandNotStored "The claim has changed in the meantime: its status is not stored, and the expansion fails.",
    }
    /// How the kubelet's wait for the volumes of a pod ends. Upstream: `WaitForAttachAndMount`, 1.36.
    WaitBranch {
        "KW1" WaitFailed "There are errors of the pod: the wait ends with them.",
        "KW2" WaitDone "All volumes that containers use are mounted.",
        "KW3" WaitGoesOn "Some volumes are not mounted: the wait ends with an error after 2 min 3 s.",
    }
    /// What else the volume manager does with a volume. Upstream: `findAndRemoveDeletedPods`, `reconstructVolumes` and
    /// the operations of `operationexecutor`, 1.36.
    VolumeStep {
        "KP15" VolumeNotNeeded "All containers of the pod have ended: the pod does not need the volume any more.",
        "KP16" VolumeStillNeeded
            "The pod ends or is gone, but the volume stays for now: a container may run, or the volume is not mounted.",
        "KP17" VolumeUnattached "The driver attaches no volumes any more: the volume does not have to be attached.",
        "KV1" VerifySucceeded "The volume counts as attached.",
        "KV2" VerifyFailed "The claim cannot be read, or the node does not list the volume as attached.",
        "KU1" UnmountSucceeded "The volume or its device is unmounted.",
        "KU2" UnmountFailed "The volume or its device could not be unmounted: it is uncertain.",
        "KO1" VolumeOperationFailed "An operation has failed: the same operation waits before it is started again.",
        "KS1" StartLooks "The kubelet starts: it looks for volumes on its disk.",
        "KS2" StartFound "The kubelet finds a volume on its disk: the volume is uncertain.",
        "KS3" StartUnreadable "A directory does not tell which volume it has.",
        "KS4" StartReadsNode
            "The kubelet reads which of the volumes on its disk are attached. It unmounts nothing before that.",
        "KS5" StartCleansUp "All pods are known: what could not be described is unmounted, unless a pod needs it.",
    }
}
