//! Groups of leaves at which the same messages are written, as patterns.

/// The claims that name no volume and that no volume matched.
macro_rules! unmatched {
    () => {
        C(ClaimBranch::UnboundClaimDefaultClassAssigned
            | ClaimBranch::UnboundClaimDefaultClassFailed
            | ClaimBranch::UnboundClaimWaitForFirstConsumer
            | ClaimBranch::UnboundClaimWaitForPodScheduled
            | ClaimBranch::UnboundClaimProvisioningDisabled
            | ClaimBranch::UnboundClaimClassMissing
            | ClaimBranch::UnboundClaimInTreeProvisionerUnknown
            | ClaimBranch::UnboundClaimProvisionExternal
            | ClaimBranch::UnboundClaimProvisionInTree
            | ClaimBranch::UnboundClaimProvisionRunning
            | ClaimBranch::UnboundClaimProvisionBackoff
            | ClaimBranch::UnboundClaimNoVolumeNoClass)
    };
}
pub(super) use unmatched;

/// The free volumes that do not fit the claim that names them.
macro_rules! mismatch {
    () => {
        C(ClaimBranch::UnboundClaimVolumeMismatchDeleting
            | ClaimBranch::UnboundClaimVolumeMismatchTooSmall
            | ClaimBranch::UnboundClaimVolumeMismatchClass
            | ClaimBranch::UnboundClaimVolumeMismatchAttributesClass
            | ClaimBranch::UnboundClaimVolumeMismatchAttributesClassUnsupported
            | ClaimBranch::UnboundClaimVolumeMismatchMode
            | ClaimBranch::UnboundClaimVolumeMismatchAccessMode)
    };
}
pub(super) use mismatch;

/// The existing volumes that a claim names.
macro_rules! requested {
    () => {
        mismatch!()
            | C(ClaimBranch::UnboundClaimNamedVolumeFree
                | ClaimBranch::UnboundClaimNamedVolumeReserved
                | ClaimBranch::UnboundClaimNamedVolumeTaken
                | ClaimBranch::UnboundClaimNamedVolumeTakenByController)
    };
}
pub(super) use requested;

/// The claims that are bound to a volume.
macro_rules! binding {
    () => {
        C(ClaimBranch::UnboundClaimVolumeFound
            | ClaimBranch::UnboundClaimNamedVolumeFree
            | ClaimBranch::UnboundClaimNamedVolumeReserved
            | ClaimBranch::BoundClaimVolumeUnbound
            | ClaimBranch::BoundClaimVolumeOurs)
    };
}
pub(super) use binding;

/// The claims that become Lost.
macro_rules! losing {
    () => {
        C(ClaimBranch::BoundClaimVolumeNameCleared
            | ClaimBranch::BoundClaimVolumeMissing
            | ClaimBranch::BoundClaimMisbound)
    };
}
pub(super) use losing;

/// The claims that become or stay Pending.
macro_rules! pending {
    () => {
        mismatch!()
            | C(ClaimBranch::UnboundClaimWaitForFirstConsumer
                | ClaimBranch::UnboundClaimWaitForPodScheduled
                | ClaimBranch::UnboundClaimNoVolumeNoClass
                | ClaimBranch::UnboundClaimVolumeNameMissing
                | ClaimBranch::UnboundClaimNamedVolumeTaken)
    };
}
pub(super) use pending;

/// The claims whose provisioning is started, runs already or backs off.
macro_rules! provisioning {
    () => {
        C(ClaimBranch::UnboundClaimProvisionExternal
            | ClaimBranch::UnboundClaimProvisionInTree
            | ClaimBranch::UnboundClaimProvisionRunning
            | ClaimBranch::UnboundClaimProvisionBackoff)
    };
}
pub(super) use provisioning;

/// The volumes that are reclaimed.
macro_rules! released {
    () => {
        V(VolumeBranch::VolumeClaimMissing | VolumeBranch::VolumeClaimReplaced | VolumeBranch::VolumeSurplusDynamic)
    };
}
pub(super) use released;

/// The volumes whose binding is rolled back.
macro_rules! surplus {
    () => {
        V(VolumeBranch::VolumeSurplusUnbindController | VolumeBranch::VolumeSurplusUnbindUser)
    };
}
pub(super) use surplus;

/// The volumes whose phase is written.
macro_rules! phase {
    () => {
        V(VolumeBranch::VolumeUnclaimed
            | VolumeBranch::VolumeReserved
            | VolumeBranch::VolumeBound
            | VolumeBranch::VolumeSurplusUnbindController
            | VolumeBranch::VolumeSurplusUnbindUser
            | VolumeBranch::VolumeClaimMissing
            | VolumeBranch::VolumeClaimReplaced
            | VolumeBranch::VolumeSurplusDynamic)
            | binding!()
    };
}
pub(super) use phase;

/// The volumes whose claim is looked up.
macro_rules! claimed {
    () => {
        V(VolumeBranch::VolumeClaimLookupFailed
            | VolumeBranch::VolumeClaimMissing
            | VolumeBranch::VolumeClaimReplaced
            | VolumeBranch::VolumeClaimModeMismatch
            | VolumeBranch::VolumeAwaitsClaim
            | VolumeBranch::VolumeDanglingAwaitsClaim
            | VolumeBranch::VolumeBound
            | VolumeBranch::VolumeSurplusDynamic
            | VolumeBranch::VolumeSurplusUnbindController
            | VolumeBranch::VolumeSurplusUnbindUser)
    };
}
pub(super) use claimed;

/// The deletions of storage that have begun.
macro_rules! deleting {
    () => {
        D(DeleteStep::DeleteFailed
            | DeleteStep::DeleteMarkFailed
            | DeleteStep::DeleteInUse
            | DeleteStep::DeleteSucceeded
            | DeleteStep::DeleteObjectRefused)
            | R(ReclaimStep::ReclaimRunning)
            | released!()
    };
}
pub(super) use deleting;

/// The clean-up after a provisioning whose volume could not be created.
macro_rules! cleaning {
    () => {
        P(ProvisionStep::InTreeVolumeSaveFailedCleaned | ProvisionStep::InTreeVolumeOrphaned)
            | C(ClaimBranch::UnboundClaimProvisionInTree)
    };
}
pub(super) use cleaning;
