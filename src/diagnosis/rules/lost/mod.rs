//! Claims that are Lost, or will be with the next sync. What is Lost is the binding and not the data, whatever the
//! event says: no controller touches storage for this.

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

/// The volume of a claim whose binding was completed and which that volume does not name with its uid.
fn misbound<'a>(case: &Case<'a>, claim: &PersistentVolumeClaim) -> Option<(&'a PersistentVolume, &'a ClaimRef)> {
    if claim.terminating() || case.claim_branch()? != ClaimBranch::BoundClaimMisbound {
        return None;
    }
    let volume = case.volume(&claim.volume_name)?;
    Some((volume, volume.claim_ref.as_ref()?))
}
