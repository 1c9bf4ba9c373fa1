//! What happens to the data of a volume or claim.

pub use crate::controllers::persistent_volume::reclaim::DataFate as Fate;

use crate::controllers::persistent_volume::reclaim::{data_fate, leaves_storage_behind};
use crate::model::{ObjectKey, PersistentVolume, TypedId, VolumePhase};
use crate::simulate::Simulation;

/// What happens to the data, and when.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DataProspect {
    /// What happens to the data.
    pub fate: Fate,
    /// When it happens.
    pub when: &'static str,
}

/// When something happens that nobody has asked for yet.
const IF_DELETED: [&str; 3] =
    ["when its claim is deleted", "when the claim is deleted", "when a claim that had it is deleted"];

impl DataProspect {
    /// Whether it happens only if somebody deletes the claim.
    pub fn is_hypothetical(self) -> bool {
        IF_DELETED.contains(&self.when)
    }
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
            // Drivers delete only volumes that are Released.
            if volume.status.phase == VolumePhase::Failed && fate(volume) == Fate::HandedToDriver {
                return Some(DataProspect { fate: Fate::Kept, when: "as long as it is Failed" });
            }
            let named = volume.claim_ref.as_ref();
            let claim = named.and_then(|named| snapshot.claim_id(&named.namespace, &named.name));
            let claim = claim.map(|id| snapshot.claim(id));
            let lives = claim.filter(|claim| named.is_some_and(|named| named.uid == claim.meta.uid));
            let when = match lives {
                // A volume that is being deleted goes with its claim.
                Some(claim) if claim.terminating() || volume.terminating() => "when its claim is gone",
                Some(_) => IF_DELETED[0],
                None if named.is_some_and(|named| !named.uid.is_empty()) => "now",
                None => IF_DELETED[2],
            };
            Some(DataProspect { fate: fate(volume), when })
        }
        TypedId::PersistentVolumeClaim(id) => {
            let claim = snapshot.claim(id);
            let volume = snapshot.volume(snapshot.volume_id(&claim.volume_name)?);
            let is_own = volume.claim_ref.as_ref().is_some_and(|named| named.uid == claim.meta.uid);
            let when = if claim.terminating() { "when the claim is gone" } else { IF_DELETED[1] };
            is_own.then(|| DataProspect { fate: fate(volume), when })
        }
        _ => None,
    }
}
