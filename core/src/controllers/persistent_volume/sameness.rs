//! The comparison of two versions of a volume or a claim in all fields that influence decisions.

use super::links::may_search;
use super::matching::Query;
use crate::controllers::spec::Step;
use crate::model::{
    AnnotationKey, HeldObject, PersistentVolume, PersistentVolumeClaim, ReclaimPolicy, TypedId, VolumePhase,
};
use crate::snapshot::Snapshot;

/// Returns whether two versions of an object are equal in all fields that influence decisions.
pub fn same(a: &HeldObject<'_>, b: &HeldObject<'_>) -> bool {
    match (a, b) {
        (HeldObject::PersistentVolume(a), HeldObject::PersistentVolume(b)) => a.is(b) || same_volume(a, b),
        (HeldObject::PersistentVolumeClaim(a), HeldObject::PersistentVolumeClaim(b)) => a.is(b) || same_claim(a, b),
        _ => a == b,
    }
}

/// Returns whether two versions of a volume are equal in all fields that influence decisions. The uid distinguishes a
/// created volume from a deleted volume of the same name. Fields that never change are not compared: they are equal if
/// name and uid are equal.
pub fn same_volume(a: &PersistentVolume, b: &PersistentVolume) -> bool {
    let same_ref = || match (&a.claim_ref, &b.claim_ref) {
        (None, None) => true,
        (Some(a), Some(b)) => a.namespace == b.namespace && a.name == b.name && a.uid == b.uid,
        _ => false,
    };
    // The cheapest comparisons come first.
    a.status.phase == b.status.phase
        && a.meta.deleted.is_some() == b.meta.deleted.is_some()
        && same_ref()
        && a.meta.name == b.meta.name
        && a.meta.uid == b.meta.uid
        && a.meta.finalizers == b.meta.finalizers
        && a.meta.annotations == b.meta.annotations
}

/// Returns whether two versions of a claim are equal in all fields that influence decisions. The uid distinguishes a
/// created claim from a deleted claim of the same name.
pub fn same_claim(a: &PersistentVolumeClaim, b: &PersistentVolumeClaim) -> bool {
    a.status.phase == b.status.phase
        && a.meta.deleted.is_some() == b.meta.deleted.is_some()
        && a.meta.uid == b.meta.uid
        && a.volume_name == b.volume_name
        && a.class_name == b.class_name
        && a.meta.finalizers == b.meta.finalizers
        && a.meta.annotations == b.meta.annotations
}

/// Returns whether a step of a volume or a claim is hidden: no other sync can observe it, and the change happens in
/// every order of syncs.
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

/// Returns whether no other sync can observe this step of a volume, and the step happens in every order of syncs. The
/// result can be true only if the volume has a claimRef with a uid, the claimRef and the annotation bound-by-controller
/// do not change, the volume is not being deleted, and a Released or Failed volume stays Released or Failed.
///
/// If the policy is Recycle and pods name the claim, a step to Released or Failed does not qualify. Such pods prevent
/// the recycling only while no claim of this name exists, so the order of syncs matters.
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

/// Returns whether no other sync can observe this step of a claim, and the change happens in every order of syncs. The
/// step must not bind the claim, change its class or select a node.
///
/// If another step happens first, this step may end without writing the phase. Then a later step must write the phase.
/// Every later step does so, with three exceptions:
/// - The volume has no capacity, so binding ends before the status is written (`capacities_stated`).
/// - The claim has the annotation bound-by-controller, and another claim took its volume.
/// - The controller cannot search for the claim, for example because its selector is invalid. The error appears only
///   when a volume with the requested access modes exists, so it can appear after a provisioning.
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

/// Returns whether every volume of the component, recorded or still to be created, states its capacity.
fn capacities_stated(step: &Step<'_, '_>) -> bool {
    step.component.iter().all(|id| match id.typed() {
        TypedId::PersistentVolume(id) => step.snapshot.volume(id).storage().is_some(),
        TypedId::PersistentVolumeClaim(id) => {
            !step.settings.behavior.hostpath_provisioning || step.snapshot.claim(id).request.is_some()
        }
        _ => true,
    })
}
