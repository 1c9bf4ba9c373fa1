//! Runs of a sync that need not be computed, because each equals a computed run with another volume in place of the
//! chosen one.
//!
//! A claim may be able to take any of several volumes. Two of them may be equal in every field that the sync reads
//! after it has picked one. Then the sync does the same with both volumes. So the run that picks the second volume
//! equals the run that picks the first volume, with the two volumes exchanged.

use crate::controllers::{Branch, InterchangeableChoices};
use crate::model::{Held, ObjectId, ObjectMeta, PersistentVolume, VolumeStatus};
use crate::world::{Choices, Record, World};

/// Returns the next choices of a sync, at most `most`, if their decisions are known to equal the recorded decision,
/// except that another volume is picked. After a sync has picked a volume, the sync binds it: it updates objects and
/// emits no event. A failed sync is excluded, because its error text may name the volume.
pub fn alike(
    world: &World<'_>,
    record: &Record<'_, Branch>,
    met: &Choices,
    most: usize,
) -> Option<InterchangeableChoices> {
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
    (!others.is_empty()).then_some(InterchangeableChoices { chosen, others })
}

/// Returns whether two volumes are equal in all fields that a claim's sync reads or writes after it has picked one of
/// them. The caller knows that neither volume is being deleted. Fields that only a search or reclaiming reads are left
/// out, and so are times. Name and uid only identify the volume, and the resourceVersion is compared only with that of
/// the same volume.
fn interchangeable(a: &PersistentVolume, b: &PersistentVolume) -> bool {
    // All fields are named, so that the compiler reports a new field here.
    let PersistentVolume {
        meta,
        capacity,
        access_modes,
        claim_ref,
        reclaim_policy: _,
        class_name: _,
        attributes_class,
        volume_mode: _,
        has_mount_options: _,
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
