//! Canonical states of a few objects: what distinguishes one state of the world from another for all that follows.
//!
//! Versions, messages and the parts of a claim's status that no controller reads are left out, so that the number of
//! states is finite and small.

use super::component::may_search;
use super::decide::Target;
use crate::controllers::Rules;
use crate::controllers::persistent_volume::matching::Query;
use crate::model::{AnnotationKey, PersistentVolume, PersistentVolumeClaim, ReclaimPolicy, VolumePhase};
use crate::snapshot::{Snapshot, VolumeId};
use crate::world::World;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// The number of a variant of an object; 0 is the object as recorded.
pub(super) type Variant = u32;

/// A state: the objects that are not as recorded, in order, with their variants.
pub(super) type State = Box<[(Target, Variant)]>;

/// What the controller has begun with the data of a volume.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Data {
    destroyed: bool,
    scrubbing: bool,
}

impl Data {
    fn of(world: &World<'_>, id: VolumeId) -> Self {
        Self {
            destroyed: world.destroyed().binary_search(&id).is_ok(),
            scrubbing: world.scrubbing().binary_search(&id).is_ok(),
        }
    }
}

#[derive(Clone, Debug)]
enum Stored {
    /// A volume, if it is there, and what was begun with its data.
    Volume(Option<Arc<PersistentVolume>>, Data),
    Claim(Option<Arc<PersistentVolumeClaim>>),
}

/// All variants of objects that were met, so that a state is a short list of numbers.
#[derive(Debug)]
pub(super) struct Variants<'s> {
    snapshot: &'s Snapshot,
    known: FxHashMap<Target, Vec<Stored>>,
}

impl<'s> Variants<'s> {
    pub(super) fn new(snapshot: &'s Snapshot) -> Self {
        Self { snapshot, known: FxHashMap::default() }
    }

    /// The state that a world is in.
    pub(super) fn state_of(&mut self, world: &World<'s>) -> State {
        let mut state = Vec::with_capacity(world.changed_volumes().len() + world.changed_claims().len());
        for (id, volume) in world.changed_volumes() {
            let recorded = self.snapshot.volumes().get(id.0 as usize);
            let data = Data::of(world, *id);
            if data == Data::default()
                && volume.as_deref().is_some_and(|volume| recorded.is_some_and(|base| same_volume(base, volume)))
            {
                continue;
            }
            let target = Target::Volume(*id);
            let known = self.known.entry(target).or_default();
            let at = known.iter().position(|stored| match (stored, volume) {
                (Stored::Volume(None, known), None) => *known == data,
                (Stored::Volume(Some(a), known), Some(b)) => *known == data && (Arc::ptr_eq(a, b) || same_volume(a, b)),
                _ => false,
            });
            let at = at.unwrap_or_else(|| {
                known.push(Stored::Volume(volume.clone(), data));
                known.len() - 1
            });
            state.push((target, number(at)));
        }
        for (id, claim) in world.changed_claims() {
            let target = Target::Claim(*id);
            let base = self.snapshot.claim(*id);
            if claim.as_deref().is_some_and(|claim| same_claim(base, claim)) {
                continue;
            }
            let known = self.known.entry(target).or_default();
            let at = known.iter().position(|stored| match (stored, claim) {
                (Stored::Claim(None), None) => true,
                (Stored::Claim(Some(a)), Some(b)) => Arc::ptr_eq(a, b) || same_claim(a, b),
                _ => false,
            });
            let at = at.unwrap_or_else(|| {
                known.push(Stored::Claim(claim.clone()));
                known.len() - 1
            });
            state.push((target, number(at)));
        }
        state.into()
    }

    /// A world in that state.
    pub(super) fn world_of(&self, state: &[(Target, Variant)]) -> World<'s> {
        let mut world = World::new(self.snapshot);
        for (target, variant) in state {
            let stored = self.known.get(target).and_then(|known| known.get(*variant as usize - 1));
            match (target, stored) {
                (Target::Volume(id), Some(Stored::Volume(volume, data))) => {
                    world.set_volume(*id, volume.clone());
                    if data.destroyed {
                        world.destroy_storage(*id);
                    }
                    if data.scrubbing {
                        world.scrub_storage(*id);
                    }
                }
                (Target::Claim(id), Some(Stored::Claim(claim))) => world.set_claim(*id, claim.clone()),
                _ => {}
            }
        }
        world
    }
}

/// Variants are numbered from 1. More of one object than 32 bits can number do not fit into memory.
fn number(at: usize) -> Variant {
    Variant::try_from(at + 1).unwrap_or(Variant::MAX)
}

/// Whether two versions of a volume are alike in all that decides. The name and the uid tell a volume that was created
/// from another one, also from a recorded one of its name that is gone; all that never changes follows from them.
pub(super) fn same_volume(a: &PersistentVolume, b: &PersistentVolume) -> bool {
    let same_ref = match (&a.claim_ref, &b.claim_ref) {
        (None, None) => true,
        (Some(a), Some(b)) => a.namespace == b.namespace && a.name == b.name && a.uid == b.uid,
        _ => false,
    };
    same_ref
        && a.meta.name == b.meta.name
        && a.meta.uid == b.meta.uid
        && a.status.phase == b.status.phase
        && a.meta.deleted.is_some() == b.meta.deleted.is_some()
        && a.meta.finalizers == b.meta.finalizers
        && a.meta.annotations == b.meta.annotations
}

/// Whether two versions of a claim are alike in all that decides.
pub(super) fn same_claim(a: &PersistentVolumeClaim, b: &PersistentVolumeClaim) -> bool {
    a.volume_name == b.volume_name
        && a.class_name == b.class_name
        && a.status.phase == b.status.phase
        && a.meta.deleted.is_some() == b.meta.deleted.is_some()
        && a.meta.finalizers == b.meta.finalizers
        && a.meta.annotations == b.meta.annotations
}

/// Whether a step from one version of a volume to another can be seen by nobody else, and is taken in whatever order:
/// the claimRef stays, the object stays, and the phase moves in the one direction in which it always moves. Recycling
/// is no such step while pods name the claim: whether they count depends on whether a claim of that name is there.
pub(super) fn private_volume_step(snapshot: &Snapshot, before: &PersistentVolume, after: &PersistentVolume) -> bool {
    let recycled = before.reclaim_policy == ReclaimPolicy::Recycle
        && before
            .claim_ref
            .as_ref()
            .is_some_and(|named| snapshot.pods_of(&named.namespace, &named.name).next().is_some());
    let same_ref = match (&before.claim_ref, &after.claim_ref) {
        (Some(a), Some(b)) => a.namespace == b.namespace && a.name == b.name && a.uid == b.uid && !b.uid.is_empty(),
        _ => false,
    };
    let ended = |phase: &VolumePhase| matches!(phase, VolumePhase::Released | VolumePhase::Failed);
    same_ref
        && (!recycled || !ended(&after.status.phase))
        && !before.terminating()
        && !after.terminating()
        && (!ended(&before.status.phase) || ended(&after.status.phase))
        && before.meta.annotations.has(AnnotationKey::BoundByController)
            == after.meta.annotations.has(AnnotationKey::BoundByController)
}

/// Whether a step from one version of a claim to another can be seen by nobody else, and no other step can take its
/// place: no binding, no class, no end.
///
/// A phase that is not written because something else happened first must be put right by what happened: every way on
/// writes the phase, but for a volume without a capacity, where binding ends before that (`capacities_stated`), for a
/// claim that the controller marked and whose volume another claim took, and for a search that cannot be used, which
/// fails as such from the moment on in which a volume with the access modes is provisioned.
pub(super) fn private_claim_step(
    rules: &Rules,
    before: &PersistentVolumeClaim,
    after: &PersistentVolumeClaim,
    capacities_stated: bool,
) -> bool {
    let same = |key| before.meta.annotations.has(key) == after.meta.annotations.has(key);
    let may_stay_unwritten = !capacities_stated
        || (before.meta.annotations.has(AnnotationKey::BoundByController)
            && !before.meta.annotations.has(AnnotationKey::BindCompleted)
            && !before.volume_name.is_empty())
        || (rules.hostpath_provisioning && may_search(before) && Query::new(rules, before, false).is_err());
    before.volume_name == after.volume_name
        && before.class_name == after.class_name
        && same(AnnotationKey::BindCompleted)
        && same(AnnotationKey::SelectedNode)
        && (before.status.phase == after.status.phase || !may_stay_unwritten)
}
