//! What happens to the data of a volume or claim.

pub use crate::controllers::persistent_volume::reclaim::DataFate as Fate;

use crate::controllers::persistent_volume::reclaim::{data_fate, leaves_storage_behind, migrated_to};
use crate::diagnosis::case::volume_key;
use crate::diagnosis::facts::names;
use crate::model::{
    CsiDriver, CsiNode, Kind, ObjectKey, PersistentVolume, PersistentVolumeClaim, TypedId, VolumePhase,
};
use crate::simulate::Simulation;
use crate::snapshot::Absence;

/// What happens to the data, and when.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DataProspect {
    /// What happens to the data.
    pub fate: Fate,
    /// When it happens.
    pub when: &'static str,
}

/// The value of [`DataProspect::when`] if nothing has to happen first.
const NOW: &str = "now";

/// The values of [`DataProspect::when`] if nobody has requested the deletion of the claim yet.
const IF_DELETED: [&str; 2] = ["when its claim is deleted", "when a claim gets the volume and is deleted"];

impl DataProspect {
    /// Returns whether the data will be lost even if nobody deletes anything more.
    pub fn is_danger(self) -> bool {
        self.fate != Fate::Kept && !IF_DELETED.contains(&self.when)
    }

    /// Says what happens to the data, without a full stop.
    pub(super) fn words(self) -> String {
        let does = if self.fate == Fate::Scrubbed { "scrubbed" } else { "deleted" };
        let when = if self.when == NOW { "as soon as the controller or driver acts" } else { self.when };
        format!("the data are {does} {when}")
    }
}

/// Returns what happens to the data of the volume, or of the volume of the claim.
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
            // A volume that is Released waits for the driver, which deletes the data as soon as it is installed.
            if volume.status.phase != VolumePhase::Released && lacks_driver(simulation, volume) {
                return Some(DataProspect { fate: Fate::Kept, when: "as long as its driver is not installed" });
            }
            let named = volume.claim_ref.as_ref();
            let claim = named.and_then(|named| snapshot.claim_id(&named.namespace, &named.name));
            let claim = claim.map(|id| snapshot.claim(id));
            let has_it = |claim: &&PersistentVolumeClaim| {
                let is_named = named.is_some_and(|named| named.uid == claim.meta.uid);
                is_named && (claim.volume_name.is_empty() || claim.volume_name == volume.meta.name)
            };
            let lives = claim.filter(has_it);
            let when = match lives {
                // A volume that is being deleted is removed after its claim.
                Some(claim) if claim.terminating() || volume.terminating() => "when its claim is gone",
                Some(_) => IF_DELETED[0],
                None if named.is_some_and(|named| !named.uid.is_empty()) => NOW,
                None => IF_DELETED[1],
            };
            Some(DataProspect { fate: fate(volume), when })
        }
        TypedId::PersistentVolumeClaim(id) => {
            // The data of a claim are those of the volume that names it.
            let claim = snapshot.claim(id);
            let naming = snapshot.volumes_naming(&claim.meta.namespace, &claim.meta.name).iter().copied();
            let of_claim = snapshot.volume_id(&claim.volume_name).into_iter().chain(naming).find(|id| {
                let named = snapshot.volume(*id).claim_ref.as_ref();
                named.is_some_and(|named| names(named, claim) || named.uid == claim.meta.uid)
            })?;
            of_object(simulation, &volume_key(&snapshot.volume(of_claim).meta.name))
        }
        _ => None,
    }
}

/// Returns whether the CSI driver to which an in-tree volume is migrated is not installed. Nobody else deletes the
/// storage.
fn lacks_driver(simulation: &Simulation<'_>, volume: &PersistentVolume) -> bool {
    let snapshot = simulation.snapshot();
    let Some(driver) = migrated_to(&simulation.settings().behavior, volume) else { return false };
    let is_known = |kind: Kind| !matches!(snapshot.coverage().absence(kind, ""), Absence::Unknown(_));
    let is_registered = || snapshot.all::<CsiNode>().iter().any(|node| node.driver(driver).is_some());
    is_known(Kind::CsiDriver)
        && is_known(Kind::CsiNode)
        && snapshot.find::<CsiDriver>("", driver).is_none()
        && !is_registered()
}
