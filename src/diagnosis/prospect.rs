//! The volumes that a claim may get in the end, and what has to happen first.

use super::misfit::claim_name;
use crate::controllers::persistent_volume::Candidates;
use crate::model::{ObjectId, PersistentVolume, PersistentVolumeClaim, VolumePhase};
use crate::simulate::{Outcome, Simulation};
use crate::snapshot::{ClaimId, VolumeId};
use std::collections::BTreeMap;

/// When a claim may get a volume.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Prospect {
    /// The next sync of the claim may bind it to the volume.
    Now,
    /// The claim may be bound to the volume later. The text says what has to happen first.
    Later(String),
}

/// Returns the volumes that the claim may get in the end. The value is `None` if the ends of the claim are unknown. The
/// simulation has to list all outcomes. `candidates` is the result of matching for the claim.
pub fn prospects(
    simulation: &Simulation<'_>,
    claim: ClaimId,
    candidates: &Candidates,
) -> Option<BTreeMap<VolumeId, Prospect>> {
    let snapshot = simulation.snapshot();
    let prediction = simulation.predict_folded(ObjectId::from(claim));
    let outcomes = prediction.outcomes.as_ref()?;
    let claim = snapshot.claim(claim);
    let ends = outcomes.listed.iter().filter_map(|end| match end {
        Outcome::Claim { volume_name, .. } => snapshot.volume_id(volume_name),
        Outcome::Volume { .. } | Outcome::Pod { .. } | Outcome::Gone { .. } => None,
    });
    let is_chosen = |volume: VolumeId| {
        candidates.listed.iter().any(|candidate| candidate.volume == volume && candidate.may_be_chosen())
    };
    let prospect = |id: VolumeId| {
        if is_chosen(id) { Prospect::Now } else { Prospect::Later(first(claim, snapshot.volume(id))) }
    };
    Some(ends.map(|id| (id, prospect(id))).collect())
}

/// Says what has to happen before the claim may get the volume.
fn first(claim: &PersistentVolumeClaim, volume: &PersistentVolume) -> String {
    match &volume.claim_ref {
        Some(named) if named.name != claim.meta.name || named.namespace != claim.meta.namespace => {
            format!("the controller unbinds the volume from {}", claim_name(named))
        }
        _ if volume.status.phase != VolumePhase::Available => "the controller makes the volume Available".to_owned(),
        _ if !claim.has_class() => "the claim gets the default class".to_owned(),
        _ => "other claims are bound first, or the claim is synced in another order".to_owned(),
    }
}
