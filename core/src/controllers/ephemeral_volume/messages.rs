//! The messages that the ephemeral-volume controller logs. Upstream: `controller.go`,
//! `pkg/controller/volume/ephemeral`, 1.36.

use super::leaves::{EphemeralPodBranch, EphemeralVolumeStep};
use crate::controllers::Branch::{EphemeralPodBranch as Pod, EphemeralVolumeStep as Volume};
use crate::controllers::log::messages;

messages! {
    "Run" {
        STARTING: Info0, "Starting ephemeral volume controller", [], _ if false,
        SHUTTING_DOWN: Info0, "Shutting down ephemeral volume controller", [], _ if false,
    }
    "processNextWorkItem" {
        FAILED: Error, "Unhandled Error", ["err"], Pod(EphemeralPodBranch::PodVolumeFailed),
    }
    "syncHandler" {
        GONE: Info5 (begins 1), "Ephemeral: nothing to do for pod, it is gone", ["podKey"],
            Pod(EphemeralPodBranch::PodGone),
        UNREAD: Info5, "Error getting pod from informer", ["pod", "podUID", "err"], _ if false,
        TERMINATING: Info5 (begins 1), "Ephemeral: nothing to do for pod, it is marked for deletion", ["podKey"],
            Pod(EphemeralPodBranch::PodTerminating),
    }
    "handleVolume" {
        CHECKING: Info5, "Ephemeral: checking volume", ["volumeName"],
            Pod(EphemeralPodBranch::PodVolumesHandled | EphemeralPodBranch::PodVolumeFailed),
        CREATED_BEFORE: Info5, "Ephemeral: PVC already created", ["volumeName", "PVC"],
            Volume(EphemeralVolumeStep::ClaimExists)
                | Pod(EphemeralPodBranch::PodVolumesHandled | EphemeralPodBranch::PodVolumeFailed),
    }
    "StartLogging" {
        EVENT: Info0, "Event(v1.ObjectReference{Kind:\"Pod\", Namespace:\"{namespace}\", Name:\"{name}\", {}}): type: \
            'Warning' reason: 'FailedBinding' ephemeral volume {}", [], Pod(EphemeralPodBranch::PodVolumeFailed),
    }
}
