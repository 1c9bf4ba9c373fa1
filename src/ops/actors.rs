//! The actors that take part besides the controllers: what they read, and whether the scheduler takes part although
//! nobody named it.

use super::model::{ModelOptions, Modelled};
use crate::controllers::scheduler;
use crate::model::{Kind, ObjectId, Pod};
use crate::parallel::in_parallel;
use crate::simulate::Simulation;
use crate::snapshot::{Absence, CoverageState, Parts};

/// The number of pods that one thread processes at a time.
const BATCH: usize = 64;

/// The kinds of which the scheduler reads all objects, besides those that every verb reads.
pub(super) const READ_BY_SCHEDULER: [Kind; 6] =
    [Kind::Pod, Kind::Node, Kind::VolumeAttachment, Kind::CsiDriver, Kind::CsiNode, Kind::CsiStorageCapacity];

/// The surrounding kinds that drivers read, besides those that the scheduler reads.
const READ_BY_DRIVERS: [Kind; 4] =
    [Kind::VolumeSnapshot, Kind::VolumeSnapshotContent, Kind::VolumeSnapshotClass, Kind::VolumeAttributesClass];

/// Returns the surrounding kinds that the actors read. The list is empty if a person names no actor.
pub(super) fn read_by_actors(model: &ModelOptions) -> Vec<Kind> {
    if model.actors.iter().all(|actor| actor == "none") {
        return Vec::new();
    }
    READ_BY_SCHEDULER.into_iter().filter(|kind| kind.is_surrounding()).chain(READ_BY_DRIVERS).collect()
}

/// Returns whether some pod waits for the scheduler, and everything that the scheduler reads was read.
pub(super) fn needs_scheduler(parts: &Parts) -> bool {
    let is_complete = |kind: &Kind| {
        let mut entries = parts.coverage.entries().iter().filter(|entry| entry.kind == *kind);
        parts.coverage.absence(*kind, "") == Absence::Certain
            && entries.all(|entry| entry.state == CoverageState::Complete)
    };
    READ_BY_SCHEDULER.iter().all(is_complete) && parts.objects.pods.iter().any(scheduler::handles)
}

/// Returns whether the ends of all waiting pods are known. Otherwise some component is too large to be explored, and
/// the scheduler does not take part by default.
pub(super) fn ends_are_known(simulation: &Simulation<'_>, threads: usize) -> bool {
    let pods = simulation.snapshot().with_ids::<Pod>().filter(|(_, pod)| scheduler::handles(pod));
    let pods: Vec<ObjectId> = pods.map(|(id, _)| id.into()).collect();
    let batches: Vec<&[ObjectId]> = pods.chunks(BATCH).collect();
    let is_known = |number: usize| batches[number].iter().all(|id| !simulation.outcomes(*id).is_unknown());
    in_parallel(threads, batches.len(), is_known).into_iter().all(|known| known)
}

/// Decides about the scheduler if it was added although nobody named it: removes it unless `takes_part` is true. Adds a
/// note that says whether the scheduler takes part.
pub(super) fn decide_on_scheduler(modelled: &mut Modelled, notes: &mut Vec<String>, takes_part: bool) {
    let note = if takes_part {
        "note: the scheduler takes part, because the files have everything that it reads; --actors none leaves it out"
    } else {
        modelled.remove_scheduler();
        "note: the scheduler does not take part, because with it some ends could not be found; --actors scheduler \
         shows the other ends"
    };
    notes.push(note.to_owned());
}
