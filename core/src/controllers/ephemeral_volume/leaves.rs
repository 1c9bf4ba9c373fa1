//! Every place where a sync of a pod by the ephemeral-volume controller ends, under the names of upstream's behaviour.

use crate::controllers::branch::leaves;

leaves! {
    /// Where a sync of a pod ends. Upstream: `syncHandler`, `pkg/controller/volume/ephemeral`, 1.36.
    EphemeralPodBranch {
        "E1" PodGone "The pod does not exist: nothing happens.",
        "E2" PodTerminating "The pod is being deleted: nothing happens.",
        "E3" PodVolumesHandled "Every ephemeral volume of the pod has its claim.",
        "E4" PodVolumeFailed "The claim of an ephemeral volume is not the pod's own or was refused: the sync ends with an error, before the next volume.",
    }

    /// What is done for one ephemeral volume. Upstream: `handleVolume`, `pkg/controller/volume/ephemeral`, 1.36.
    EphemeralVolumeStep {
        "EV1" ClaimNotOwned "The claim of that name was not made for the pod: an error.",
        "EV2" ClaimExists "The claim is there and the pod's own: nothing is due.",
        "EV3" ClaimCreated "The claim is made by the volume's template.",
        "EV4" ClaimCreateRefused "The API server refuses the claim: an error.",
    }
}
