//! Claims that are Lost or will be Lost after the next sync. The event says that the data are lost, but only the
//! binding is lost. No controller deletes storage because a claim is Lost.

crate::diagnosis::rules::section! {
    lost_claimref_other_uid,
    lost_pv_missing,
    lost_claimref_uid_cleared,
    lost_pv_owned_by_other,
    lost_volumename_empty,
    lost_heals_itself,
}

use crate::controllers::ClaimBranch;
use crate::diagnosis::Case;
use crate::model::{ClaimRef, PersistentVolume, PersistentVolumeClaim};

/// Returns the volume that a claim with a completed binding names, if the `claimRef` of the volume does not have the
/// claim's uid.
fn misbound<'a>(case: &Case<'a>, claim: &PersistentVolumeClaim) -> Option<(&'a PersistentVolume, &'a ClaimRef)> {
    if claim.terminating() || case.claim_branch()? != ClaimBranch::BoundClaimMisbound {
        return None;
    }
    let volume = case.volume(&claim.volume_name)?;
    Some((volume, volume.claim_ref.as_ref()?))
}
