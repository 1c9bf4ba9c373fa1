//! What happens to the data of a volume or claim.

pub use crate::controllers::persistent_volume::reclaim::DataFate as Fate;

use crate::controllers::persistent_volume::reclaim::{data_fate, leaves_storage_behind};
use crate::model::{ObjectKey, PersistentVolume, TypedId};
use crate::simulate::Simulation;

/// What happens to the data, and when.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DataProspect {
    /// What happens to the data.
    pub fate: Fate,
    /// When it happens.
    pub when: &'static str,
}

/// Returns what happens to the data of the volume, or of the volume that the claim is bound to.
pub(super) fn of_object(simulation: &Simulation<'_>, object: &ObjectKey) -> Option<DataProspect> {
    let snapshot = simulation.snapshot();
    let behavior = &simulation.settings().behavior;
    let fate = |volume: &PersistentVolume| {
        if volume.terminating() && leaves_storage_behind(behavior, volume) {
            Fate::Kept
        } else {
            data_fate(behavior, volume)
        }
    };
    match snapshot.object_id(object)?.typed() {
        TypedId::PersistentVolume(id) => {
            let volume = snapshot.volume(id);
            let named = volume.claim_ref.as_ref();
            let claim = named.and_then(|named| snapshot.claim_id(&named.namespace, &named.name));
            let claim = claim.map(|id| snapshot.claim(id));
            let lives = claim.filter(|claim| named.is_some_and(|named| named.uid == claim.meta.uid));
            let when = match lives {
                Some(claim) if claim.terminating() => "when its claim is gone",
                Some(_) => "when its claim is deleted",
                None if named.is_some_and(|named| !named.uid.is_empty()) => "now",
                None => "when a claim that had it is deleted",
            };
            Some(DataProspect { fate: fate(volume), when })
        }
        TypedId::PersistentVolumeClaim(id) => {
            let claim = snapshot.claim(id);
            let volume = snapshot.volume(snapshot.volume_id(&claim.volume_name)?);
            let is_own = volume.claim_ref.as_ref().is_some_and(|named| named.uid == claim.meta.uid);
            let when = if claim.terminating() { "when the claim is gone" } else { "when the claim is deleted" };
            is_own.then(|| DataProspect { fate: fate(volume), when })
        }
        _ => None,
    }
}
