//! The verb `rebind`: it gives a claim another volume. The person names this volume.

use super::build::{Builder, Planned, as_reviewed, claim, has_ended, manifest, not_recycled, stays, volume};
use super::recreate::idle;
use super::release::held;
use crate::model::{AnnotationKey, ObjectKey, PersistentVolume, PersistentVolumeClaim, VolumePhase};
use crate::repair::identity::VolumeIdentity;
use crate::repair::manifest::like;
use crate::repair::plan::{Carried, Proposed, Recheck, Refusal, Undo};
use crate::repair::request::Request;
use crate::repair::situation::{Known, Situation};
use crate::repair::wait::Wait;
use crate::repair::write::{Change, Expect, Reference, Write};
use serde_json::json;

pub(super) fn plan(
    situation: &Situation<'_>,
    request: &Request,
    key: &ObjectKey,
    to: &str,
    provisioner_stopped: bool,
) -> Planned {
    let old = claim(situation, key)?;
    let target = volume(situation, to)?;
    if old.terminating() {
        return Err(Refusal::new("deletion", format!("claim {} is being deleted already", old.key())).into());
    }
    stays(target)?;
    if old.volume_name == to {
        return Err(already_named(situation, old, target));
    }
    let holds = matches!(situation.holder(target), Known::There(holder) if holder.meta.uid == old.meta.uid);
    if !holds {
        held(situation, target, Some(key))?;
    }
    if target.status.phase == VolumePhase::Bound
        && target.claim_ref.as_ref().is_none_or(|named| named.uid != old.meta.uid)
    {
        return Err(Refusal::new(
            "phase",
            format!("volume {to} still has phase Bound: the controller has not seen yet that its claim is gone"),
        )
        .into());
    }
    let bound = old.meta.annotations.has(AnnotationKey::BindCompleted);
    if old.volume_name.is_empty() && !bound {
        idle(situation, old, provisioner_stopped)?;
    }
    if old.volume_name.is_empty() && (holds || !bound && fits(target, old)) {
        return Ok(name_it(situation, request, key, old, target));
    }
    replace(situation, request, key, old, target, holds)
}

/// Handles a claim that already names this volume: there is nothing to change, or another verb is needed.
fn already_named(situation: &Situation<'_>, old: &PersistentVolumeClaim, target: &PersistentVolume) -> Proposed {
    let (key, to) = (old.key(), &target.meta.name);
    match situation.holder(target) {
        Known::There(holder) if holder.meta.uid == old.meta.uid => {
            Proposed::Nothing(format!("claim {key} already has volume {to}"))
        }
        _ => Refusal::new(
            "named",
            format!("claim {key} already names volume {to}, but the volume does not name the claim"),
        )
        .hint(format!(
            "kubectl pvctl restore pvc/{} -n {} makes the volume name the claim",
            old.meta.name, old.meta.namespace
        ))
        .into(),
    }
}

/// Returns whether the claim can have the volume without a change of its spec.
pub(super) fn fits(volume: &PersistentVolume, claim: &PersistentVolumeClaim) -> bool {
    let large = match (volume.storage(), claim.requested()) {
        (Some(has), Some(needs)) => needs.compare(has).is_le(),
        (_, None) => true,
        (None, Some(_)) => false,
    };
    large
        && volume.mode() == claim.mode()
        && volume.class() == claim.class()
        && volume.attributes_class() == claim.attributes_class()
        && volume.access_modes.contains_all(&claim.access_modes)
}

/// Plans to make a claim name a volume. The API server allows this once, for a claim that names no volume. The claim is
/// not replaced.
pub(super) fn name_it(
    situation: &Situation<'_>,
    request: &Request,
    key: &ObjectKey,
    old: &PersistentVolumeClaim,
    target: &PersistentVolume,
) -> Proposed {
    let name = &target.meta.name;
    let mut plan = Builder::new(request);
    let waits = target.claim_ref.as_ref().is_some_and(|named| named.uid == old.meta.uid);
    let was_bound = old.meta.annotations.has(AnnotationKey::BindCompleted);
    let is_its_own = waits && was_bound;
    // A claimRef with a uid identifies the claim. So it does not matter to whom the namespace belongs now.
    if !is_its_own {
        plan.leave_if_strange(situation, &key.namespace, target);
    }
    plan.save_claim(old);
    let for_claims = vec![(key.namespace.clone(), key.name.clone())];
    plan.carry(target, Carried { volume: name.clone(), for_claims, given_up: Vec::new() });
    if has_ended(target) || is_its_own {
        plan.retain(target, "before any other step");
    }
    plan.retain_all_of(situation, old, "because the claim will not get this volume");
    if !waits && was_bound {
        // A claim that was bound becomes Lost if the claimRef of its volume does not have the uid of the claim.
        plan.refer(
            situation,
            format!("volume {name} names claim {}, with its present uid", old.key()),
            target,
            Some(Reference::of(old)),
            vec![Expect::Terminating { is: false }],
            None,
        );
    } else if !waits {
        reserve(situation, &mut plan, key, target);
    }
    let write = Write {
        object: key.clone(),
        uid: old.meta.uid.clone(),
        expect: as_reviewed(old),
        change: Change::NameVolume { volume: name.clone() },
    };
    let bound = Wait::Bound {
        namespace: key.namespace.clone(),
        name: key.name.clone(),
        uid: old.meta.uid.clone(),
        volume: VolumeIdentity::of(target),
    };
    let (why, mut recheck) = if is_its_own {
        // The volume name of the claim cannot be changed later.
        let (namespace, claim) = (key.namespace.clone(), key.name.clone());
        let lives = Recheck::Lives { namespace, name: claim, volume: VolumeIdentity::of(target) };
        (format!("claim {} names volume {name} again; the volume names the claim by its uid", old.key()), vec![lives])
    } else {
        (format!("claim {} names volume {name}, so that it gets no other volume", old.key()), Vec::new())
    };
    recheck.extend(not_recycled(target));
    plan.step(
        why,
        Some(write),
        recheck,
        Some(bound),
        Undo::Impossible {
            why: "the volume of a claim cannot be changed once it is set: recreate the claim".to_owned(),
        },
    );
    plan.finish(format!("claim {} gets volume {name} and stays the same claim", old.key()))
}

/// Reserves a volume for the claim, unless it is reserved already.
pub(super) fn reserve(situation: &Situation<'_>, plan: &mut Builder, key: &ObjectKey, target: &PersistentVolume) {
    let name = &target.meta.name;
    if target.is_reserved_for(&key.namespace, &key.name) {
        return;
    }
    plan.refer(
        situation,
        format!("reserve volume {name} for claim {}/{}, and for nobody else", key.namespace, key.name),
        target,
        Some(Reference::reservation(&key.namespace, &key.name)),
        vec![Expect::Terminating { is: false }],
        Some(Wait::Available { volume: VolumeIdentity::of(target) }),
    );
}

/// Plans to replace a claim that cannot be made to name the target: it names another volume, it was bound, or it
/// requests something that the target does not have. The claimRef of the target may already have the uid of the claim.
fn replace(
    situation: &Situation<'_>,
    request: &Request,
    key: &ObjectKey,
    old: &PersistentVolumeClaim,
    target: &PersistentVolume,
    holds: bool,
) -> Planned {
    let raw = manifest(situation, key)?;
    let to = &target.meta.name;
    let mut plan = Builder::new(request);
    plan.save_claim(old);
    let for_claims = vec![(key.namespace.clone(), key.name.clone())];
    let current = match situation.volume(&old.volume_name) {
        Known::There(volume) => match situation.holder(volume) {
            Known::There(holder) if holder.meta.uid == old.meta.uid => Some(volume),
            _ => None,
        },
        Known::Absent | Known::Unknown => None,
    };
    plan.carry(target, Carried { volume: to.clone(), for_claims, given_up: Vec::new() });
    plan.retain_all_of(situation, old, "before its claim is deleted");
    if has_ended(target) || target.claim_ref.is_some() {
        plan.retain(target, "before any other step");
    }
    if let Some(current) = current {
        let name = &current.meta.name;
        plan.note(format!(
            "volume {name} stays, Released, with its data: kubectl pvctl release pv/{name} --reserve-for {}/OTHER \
             keeps it for a claim with another name",
            key.namespace
        ));
    }
    let mut back = like(raw, key, current, situation.snapshot).manifest;
    if current.is_none() && !old.volume_name.is_empty() {
        back["spec"]["volumeName"] = json!(old.volume_name);
    }
    plan.delete_claim(
        format!("delete claim {}, because the volume of a claim cannot be changed", old.key()),
        old,
        current,
        back,
    );
    if let Some(current) = current {
        plan.await_released(current);
    }
    if holds {
        plan.await_released(target);
    }
    reserve(situation, &mut plan, key, target);
    let new = like(raw, key, Some(target), situation.snapshot);
    plan.create_claim(format!("claim {} takes volume {to}", old.key()), key, new.manifest, Some(target), Vec::new());
    for dropped in new.dropped {
        plan.note(format!("the new claim does not have {dropped}"));
    }
    Ok(plan.finish(format!("claim {} is replaced by a claim that has volume {to}", old.key())))
}
