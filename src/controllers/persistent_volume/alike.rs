//! Runs of one sync that need not be made, because they are a run that was made with another volume in its place.
//!
//! Where a claim may have any of several volumes, and two of these differ in nothing that is read once one of them is
//! picked, then exchanging the two in the world leaves the world as it is. The run that picks the one is thus the run
//! that picks the other, exchanged: the same in all but the name.

use crate::controllers::{Alike, Branch};
use crate::model::{Held, ObjectId, ObjectMeta, PersistentVolume, VolumeStatus};
use crate::world::{Choices, Record, World};

/// How the next choices of a sync are the one that was made, as far as that can be told without making them: at most so
/// many of them, and none where they are not alike. A sync that picks a volume goes on with the binding, which updates
/// objects and says nothing to anybody, unless it fails: the text of an error may name the volume.
pub fn alike(world: &World<'_>, record: &Record<'_, Branch>, met: &Choices, most: usize) -> Option<Alike> {
    let (chosen, others) = met.only_search()?;
    let as_read = |id: ObjectId| match world.get(id.of()?) {
        Some(Held::Base(volume)) => Some(volume),
        _ => None,
    };
    let volume: &PersistentVolume = as_read(chosen)?;
    if record.error.is_some() {
        return None;
    }
    let is_alike = |id: &ObjectId| as_read(*id).is_some_and(|other| interchangeable(volume, other));
    let others: Vec<ObjectId> = others.take(most).take_while(is_alike).collect();
    (!others.is_empty()).then_some(Alike { chosen, others })
}

/// Whether two volumes, neither of them being deleted, differ in nothing that a claim's sync reads or writes after it
/// has picked one of them. Not read are the name and the uid but to tell volumes apart, the version but to compare it
/// with itself, what only a search looks at, what only reclaiming looks at, and times.
fn interchangeable(a: &PersistentVolume, b: &PersistentVolume) -> bool {
    // All fields are named, so that a new one is thought about here.
    let PersistentVolume {
        meta,
        capacity,
        access_modes,
        claim_ref,
        reclaim_policy: _,
        class_name: _,
        attributes_class,
        volume_mode: _,
        source: _,
        node_affinity: _,
        status,
    } = a;
    let ObjectMeta {
        name: _,
        namespace: _,
        uid: _,
        resource_version: _,
        created: _,
        deleted: _,
        deletion_grace_seconds: _,
        annotations,
        labels: _,
        finalizers: _,
        controller_owner: _,
    } = meta;
    let VolumeStatus { phase, message, last_phase_transition: _ } = status;
    *annotations == b.meta.annotations
        && *capacity == b.capacity
        && *access_modes == b.access_modes
        && *claim_ref == b.claim_ref
        && *attributes_class == b.attributes_class
        && *phase == b.status.phase
        && *message == b.status.message
}
