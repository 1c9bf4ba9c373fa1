//! The free volume that differs least from what a claim requests, if nobody provisions another volume.

use super::reserved_volumes;
use crate::controllers::{CandidateVerdict, ClaimBranch};
use crate::diagnosis::Case;
use crate::model::{NO_PROVISIONER, PersistentVolume, PersistentVolumeClaim};

/// A free volume that a claim cannot have because the volume fails exactly one test.
#[derive(Clone, Copy, Debug)]
pub(super) struct NearMiss<'a> {
    /// The volume.
    pub(super) volume: &'a PersistentVolume,
    /// The test that the volume fails.
    pub(super) verdict: CandidateVerdict,
    /// Whether no pod needs the claim yet.
    pub(super) is_early: bool,
}

/// Returns the nearest volume that fails exactly one test, for a claim that names no volume and for which nobody
/// provisions one. Returns None if some volume fits, if no volume fails exactly one test, or if [`waits_in_vain`]
/// returns None.
pub(super) fn near_miss<'a>(case: &Case<'a>, claim: &PersistentVolumeClaim) -> Option<NearMiss<'a>> {
    let is_early = waits_in_vain(case, claim)?;
    let (id, verdict) = case.nearest(claim).miss?;
    Some(NearMiss { volume: case.snapshot().volume(id), verdict, is_early })
}

/// Returns Some if nobody will provision a volume for a claim that names none. The value says whether no pod needs the
/// claim yet. Returns None for all other claims. Returns None if the claim may become Bound, or if its ends are
/// unknown. Also returns None if a volume is reserved for the claim, because then only that volume matters.
pub(super) fn waits_in_vain(case: &Case<'_>, claim: &PersistentVolumeClaim) -> Option<bool> {
    if !claim.volume_name.is_empty() {
        return None;
    }
    let is_early = match case.unbound_branch(claim)? {
        ClaimBranch::UnboundClaimProvisioningDisabled
        | ClaimBranch::UnboundClaimClassMissing
        | ClaimBranch::UnboundClaimInTreeProvisionerUnknown
        | ClaimBranch::UnboundClaimNoVolumeNoClass => false,
        ClaimBranch::UnboundClaimWaitForFirstConsumer if is_made_by_hand(case, claim) => true,
        ClaimBranch::UnboundClaimWaitForPodScheduled if is_made_by_hand(case, claim) => false,
        _ => return None,
    };
    if reserved_volumes(case, claim).next().is_some()
        || case.ends()?.representatives().any(|end| end.phase() == "Bound")
    {
        return None;
    }
    Some(is_early)
}

/// Returns whether volumes of the claim's class are created by hand.
fn is_made_by_hand(case: &Case<'_>, claim: &PersistentVolumeClaim) -> bool {
    case.class(claim.class()).is_some_and(|class| class.provisioner == NO_PROVISIONER)
}
