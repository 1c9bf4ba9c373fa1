//! Runs of one sync that need not be made, because they are a run that was made with another volume in its place.
//!
//! Where a claim may have any of several volumes, and two of these differ in nothing that is read once one of them is
//! picked, then exchanging the two in the world leaves the world as it is. The run that picks the one is thus the run
//! that picks the other, exchanged: the same in all but the name.

use crate::model::{ObjectMeta, PersistentVolume, VolumeStatus};
use crate::snapshot::VolumeId;
use crate::world::{Choices, Effect, Held, Record, World, WriteBody};

/// Decisions that are not listed one by one, because they are another one with a volume in the place of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Alike {
    /// The volume that was picked.
    pub chosen: VolumeId,
    /// The volumes for which the very same is done, in the order of the decisions. They come right after this one.
    pub others: Vec<VolumeId>,
}

/// How the next choices of a sync are the one that was made, as far as that can be told without making them: at most so
/// many of them, and none where they are not alike. What it takes beyond equal volumes is that the run did nothing but
/// update objects, without a refusal or a word to anybody: texts name volumes in ways of their own.
pub(super) fn alike<T>(world: &World<'_>, record: &Record<'_, T>, met: &Choices, most: usize) -> Option<Alike> {
    let (chosen, others) = met.only_search()?;
    let Some(Held::Base(volume)) = world.volume(chosen) else { return None };
    if most == 0 || volume.meta.name.is_empty() || !only_updates(record, volume) {
        return None;
    }
    let is_alike =
        |id: &&VolumeId| matches!(world.volume(**id), Some(Held::Base(other)) if interchangeable(volume, other));
    let others: Vec<VolumeId> = others.iter().take(most).take_while(is_alike).copied().collect();
    (!others.is_empty()).then_some(Alike { chosen, others })
}

/// Whether nothing came of a run but updates that succeed, and of volumes only updates of that one.
fn only_updates<T>(record: &Record<'_, T>, chosen: &PersistentVolume) -> bool {
    let Record { steps: _, effects, tests, needs: _, live_reads: _, waiting, error, operation_failed } = record;
    let plain = |effect: &Effect<'_>| match effect {
        Effect::Write(write) => match &write.body {
            WriteBody::UpdateVolume { after, .. } => write.refused.is_none() && after.meta.name == chosen.meta.name,
            WriteBody::UpdateClaim { .. } => write.refused.is_none(),
            WriteBody::CreateVolume(_) | WriteBody::DeleteVolume(_) => false,
        },
        Effect::Event(_) | Effect::Operation { .. } | Effect::Enqueue(_) => false,
    };
    tests.is_empty() && waiting.is_empty() && error.is_none() && !operation_failed && effects.iter().all(plain)
}

/// Whether two volumes differ in nothing that a claim's sync reads or writes after it has picked one of them. Not read
/// are the name and the uid but to tell volumes apart, the version but to compare it with itself, what only a search
/// looks at, and times.
fn interchangeable(a: &PersistentVolume, b: &PersistentVolume) -> bool {
    // All fields are named, so that a new one is thought about here.
    let PersistentVolume {
        meta,
        capacity,
        access_modes,
        claim_ref,
        reclaim_policy,
        class_name,
        attributes_class,
        volume_mode,
        source,
        node_affinity: _,
        status,
    } = a;
    let ObjectMeta {
        name: _,
        namespace,
        uid: _,
        resource_version: _,
        created: _,
        deleted,
        deletion_grace_seconds,
        annotations,
        labels: _,
        finalizers,
        controller_owner: _,
    } = meta;
    let VolumeStatus { phase, message, last_phase_transition: _ } = status;
    *namespace == b.meta.namespace
        && *deleted == b.meta.deleted
        && *deletion_grace_seconds == b.meta.deletion_grace_seconds
        && *annotations == b.meta.annotations
        && *finalizers == b.meta.finalizers
        && *capacity == b.capacity
        && *access_modes == b.access_modes
        && *claim_ref == b.claim_ref
        && *reclaim_policy == b.reclaim_policy
        && *class_name == b.class_name
        && *attributes_class == b.attributes_class
        && *volume_mode == b.volume_mode
        && source.kind == b.source.kind
        && source.detail == b.source.detail
        && *phase == b.status.phase
        && *message == b.status.message
}
