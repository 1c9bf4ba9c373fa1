//! The reasons for which the volume plugins of the scheduler reject a pod or a node.

use crate::controllers::branch::leaves;

leaves! {
    /// What the scheduler does with one pod. Upstream: `ScheduleOne` and `bindingCycle`, `pkg/scheduler`, and
    /// `checkBindings`, `volumebinding`, 1.36.
    SchedulerPodBranch {
        "S19" SchedulerBindWaits "The node is chosen, and the scheduler waits until the volumes of the pod are bound.",
        "S20" SchedulerBindAborted "The scheduler stops waiting for the volumes of the pod, and tries the pod again.",
        "S21" SchedulerBindsPod "All volumes of the pod are bound: the pod is bound to its node.",
        "S22" SchedulerFindsNoNode "No node takes the pod.",
        "S23" SchedulerSkipsPod "The scheduler does not handle the pod: it has a node, is being deleted, has a scheduling gate, or names another scheduler.",
    }
    /// What `PreBind` writes for the volumes of a pod. Upstream: `bindAPIUpdate`, `volumebinding`, 1.36.
    SchedulerVolumeStep {
        "S17" SchedulerPrebindsVolume "A volume is reserved for a claim of the pod.",
        "S18" SchedulerSelectsNode "The claim gets the annotation with the selected node.",
    }
    /// Why a volume plugin rejects a pod, or a node for a pod. Upstream: `volumebinding`, `volumerestrictions`,
    /// `volumezone` and `nodevolumelimits` of `pkg/scheduler/framework/plugins`, 1.36.
    SchedulerReason {
        "S1" PodClaimMissing "A claim of the pod does not exist.",
        "S2" PodEphemeralClaimPending "The claim of an ephemeral volume does not exist yet.",
        "S3" PodClaimLost "A claim of the pod is Lost.",
        "S4" PodClaimDeleting "A claim of the pod is being deleted.",
        "S5" PodEphemeralClaimForeign "The claim of an ephemeral volume exists but does not belong to the pod.",
        "S6" PodClaimImmediateUnbound "A claim of the pod is not bound, and its binding does not wait for the pod.",
        "S7" NodeBoundVolumeAffinity "The node affinity of a bound volume does not fit the node.",
        "S8" NodeNoVolumeToBind "A waiting claim can neither be bound nor provisioned on the node.",
        "S9" NodeNotEnoughStorage "No CSIStorageCapacity for the node is large enough for a waiting claim.",
        "S10" NodeBoundVolumeMissing "The volume of a bound claim does not exist.",
        "S11" NodeRwopInUse "Another pod uses a claim with `ReadWriteOncePod`.",
        "S12" NodeDiskConflict "A disk that the pod names without a claim is in use on the node.",
        "S13" NodeVolumeLimit "The driver's limit of volumes on the node is reached.",
        "S15" NodeZoneConflict "The node is not in the zone or region of a volume.",
        "S16" PodClaimWithoutVolumeOrClass "The volume or the class that a claim names does not exist.",
    }
}
