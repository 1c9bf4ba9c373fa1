//! When two versions of a volume or a claim are alike in all that decides.

use super::links::may_search;
use super::matching::Query;
use crate::controllers::spec::Step;
use crate::model::{
    AnnotationKey, HeldObject, PersistentVolume, PersistentVolumeClaim, ReclaimPolicy, TypedId, VolumePhase,
};
use crate::snapshot::Snapshot;

/// Whether two versions of an object are alike in all that decides.
pub fn same(a: &HeldObject<'_>, b: &HeldObject<'_>) -> bool {
    match (a, b) {
        (HeldObject::PersistentVolume(a), HeldObject::PersistentVolume(b)) => a.is(b) || same_volume(a, b),
        (HeldObject::PersistentVolumeClaim(a), HeldObject::PersistentVolumeClaim(b)) => a.is(b) || same_claim(a, b),
        _ => a == b,
    }
}

/// Whether two versions of a volume are alike in all that decides. The name and the uid tell a volume that was created
/// from another one, also from a recorded one of its name that is gone; all that never changes follows from them.
pub fn same_volume(a: &PersistentVolume, b: &PersistentVolume) -> bool {
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

/// Whether two versions of a claim are alike in all that decides. The uid tells a claim that was created from a
/// recorded one of its name that is gone.
pub fn same_claim(a: &PersistentVolumeClaim, b: &PersistentVolumeClaim) -> bool {
    a.meta.uid == b.meta.uid
        && a.volume_name == b.volume_name
        && a.class_name == b.class_name
        && a.status.phase == b.status.phase
        && a.meta.deleted.is_some() == b.meta.deleted.is_some()
        && a.meta.finalizers == b.meta.finalizers
        && a.meta.annotations == b.meta.annotations
}

/// Whether a step of a volume or a claim can be seen by nobody else, and no other step can take its place.
pub fn is_hidden(step: &Step<'_, '_>) -> bool {
    match (step.before, step.after) {
        (HeldObject::PersistentVolume(before), HeldObject::PersistentVolume(after)) => {
            private_volume_step(step.snapshot, before, after)
        }
        (HeldObject::PersistentVolumeClaim(before), HeldObject::PersistentVolumeClaim(after)) => {
            private_claim_step(step, before, after)
        }
        _ => false,
    }
}

/// Whether a step from one version of a volume to another can be seen by nobody else, and is taken in whatever order:
/// the claimRef stays, the object stays, and the phase moves in the one direction in which it always moves. Recycling
/// is no such step while pods name the claim: whether they count depends on whether a claim of that name is there.
fn private_volume_step(snapshot: &Snapshot, before: &PersistentVolume, after: &PersistentVolume) -> bool {
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
fn private_claim_step(step: &Step<'_, '_>, before: &PersistentVolumeClaim, after: &PersistentVolumeClaim) -> bool {
    let behavior = &step.settings.behavior;
    let same = |key| before.meta.annotations.has(key) == after.meta.annotations.has(key);
    let may_stay_unwritten = || {
        !capacities_stated(step)
            || (before.meta.annotations.has(AnnotationKey::BoundByController)
                && !before.meta.annotations.has(AnnotationKey::BindCompleted)
                && !before.volume_name.is_empty())
            || (behavior.hostpath_provisioning && may_search(before) && Query::new(behavior, before, false).is_err())
    };
    before.volume_name == after.volume_name
        && before.class_name == after.class_name
        && same(AnnotationKey::BindCompleted)
        && same(AnnotationKey::SelectedNode)
        && (before.status.phase == after.status.phase || !may_stay_unwritten())
}

/// Whether no volume of the component that is there or may be created lacks its capacity.
fn capacities_stated(step: &Step<'_, '_>) -> bool {
    step.component.iter().all(|id| match id.typed() {
        TypedId::PersistentVolume(id) => step.snapshot.volume(id).storage().is_some(),
        TypedId::PersistentVolumeClaim(id) => {
            !step.settings.behavior.hostpath_provisioning || step.snapshot.claim(id).request.is_some()
        }
        _ => true,
    })
}
