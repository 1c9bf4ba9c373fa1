//! The leaves of the ephemeral-volume controller. Each leaf is named after what upstream does there.

use crate::controllers::branch::leaves;

leaves! {
    /// Where a sync of a pod ends. Upstream: `syncHandler`, `pkg/controller/volume/ephemeral`, 1.36.
    EphemeralPodBranch {
        "E1" PodGone "The pod does not exist: nothing happens.",
        "E2" PodTerminating "The pod is being deleted: nothing happens.",
        "E3" PodVolumesHandled "Every ephemeral volume of the pod has its claim.",
        "E4" PodVolumeFailed
            "The claim of an ephemeral volume exists but does not belong to the pod, or the API server refused to \
            create the claim: the sync ends with an error, and the next volumes are not handled.",
    }

    /// Where the handling of one ephemeral volume ends. Upstream: `handleVolume`, `pkg/controller/volume/ephemeral`,
    /// 1.36.
    EphemeralVolumeStep {
        "EV1" ClaimNotOwned
            "A claim with this name exists but does not belong to the pod: the sync ends with an error.",
        "EV2" ClaimExists "The claim exists and belongs to the pod: nothing is changed.",
        "EV3" ClaimCreated "The claim is created from the template of the volume.",
        "EV4" ClaimCreateRefused "The API server refuses the claim: the sync ends with an error.",
    }
}
