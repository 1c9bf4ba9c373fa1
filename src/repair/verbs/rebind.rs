//! `rebind`: a claim gets another volume, that very one.

use super::build::{Builder, Planned, claim, has_ended, manifest, stays, volume};
use super::recreate::idle;
use super::release::held;
use crate::model::{AnnotationKey, ObjectKey, PersistentVolume, PersistentVolumeClaim, VolumePhase};
use crate::repair::manifest::like;
use crate::repair::plan::{Carried, Proposed, Refusal, Request, Undo};
use crate::repair::situation::{Known, Situation};
use crate::repair::write::{Change, Expect, Reference, Wait, Write};
use serde_json::json;

pub(super) fn plan(situation: &Situation<'_>, request: &Request, key: &ObjectKey, to: &str) -> Planned {
    let old = claim(situation, key)?;
    let target = volume(situation, to)?;
    if old.terminating() {
        return Err(Refusal::new("deletion", format!("claim {} is being deleted already", old.key())).into());
    }
    stays(target)?;
    match situation.holder(target) {
        Known::There(holder) if holder.meta.uid == old.meta.uid && old.volume_name == to => {
            return Ok(Proposed::Nothing(format!("claim {} has volume {to} already", old.key())));
        }
        Known::There(holder) if holder.meta.uid == old.meta.uid => {}
        _ => held(situation, target)?,
    }
    if target.status.phase == VolumePhase::Bound
        && target.claim_ref.as_ref().is_none_or(|named| named.uid != old.meta.uid)
    {
        return Err(Refusal::new(
            "phase",
            format!("volume {to} is still Bound on record: the controller has not seen yet that its claim is gone"),
        )
        .into());
    }
    let bound = old.meta.annotations.has(AnnotationKey::BindCompleted);
    if old.volume_name.is_empty() && !bound && fits(target, old) {
        idle(situation, old, false)?;
        return name_it(request, key, old, target);
    }
    if old.volume_name.is_empty() && !bound {
        idle(situation, old, false)?;
    }
    replace(situation, request, key, old, target)
}

/// Whether the claim as it is can have the volume.
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

/// A claim that names no volume can be made to name one, once: it stays the same claim.
pub(super) fn name_it(
    request: &Request,
    key: &ObjectKey,
    old: &PersistentVolumeClaim,
    target: &PersistentVolume,
) -> Planned {
    let name = &target.meta.name;
    let mut plan = Builder::new(request);
    plan.save_claim(old);
    let for_claims = vec![(key.namespace.clone(), key.name.clone())];
    plan.carry(target, Carried { volume: name.clone(), for_claims, given_up: Vec::new() });
    if has_ended(target) {
        plan.retain(target, "before anything else is done with it");
    }
    reserve(&mut plan, key, old, target);
    let write = Write {
        object: key.clone(),
        uid: old.meta.uid.clone(),
        expect: vec![Expect::VolumeName { is: "".into() }, Expect::Terminating { is: false }],
        change: Change::NameVolume { volume: name.clone() },
    };
    let bound = Wait::Bound { namespace: key.namespace.clone(), name: key.name.clone(), volume: name.clone() };
    plan.step(
        format!("claim {} names volume {name}, so that it gets no other", old.key()),
        Some(write),
        Vec::new(),
        Some(bound),
        Undo::Impossible { why: "a claim that names a volume names it for good: recreate the claim".to_owned() },
    );
    plan.finish(format!("claim {} gets volume {name} and stays the same claim", old.key()))
}

/// Makes a volume wait for the claim, unless it does so.
fn reserve(plan: &mut Builder, key: &ObjectKey, old: &PersistentVolumeClaim, target: &PersistentVolume) {
    let name = &target.meta.name;
    let waits = target.claim_ref.as_ref().is_some_and(|named| {
        named.namespace == key.namespace
            && named.name == key.name
            && (named.uid.is_empty() || named.uid == old.meta.uid)
    });
    if waits {
        return;
    }
    let mut expect = vec![Expect::Terminating { is: false }];
    if has_ended(target) {
        expect.push(Expect::ReclaimPolicy { is: "Retain".into() });
    }
    plan.refer(
        format!("reserve volume {name} for claim {}/{}, and for nobody else", key.namespace, key.name),
        target,
        Some(Reference::reservation(&key.namespace, &key.name)),
        expect,
        Some(Wait::Available { volume: name.clone() }),
    );
}

/// A claim that has a volume, or asks for something that the volume does not have, is replaced.
fn replace(
    situation: &Situation<'_>,
    request: &Request,
    key: &ObjectKey,
    old: &PersistentVolumeClaim,
    target: &PersistentVolume,
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
    if let Some(current) = current {
        let carried = Carried { volume: current.meta.name.clone(), for_claims: Vec::new(), given_up: Vec::new() };
        plan.carry(current, carried);
        plan.retain(current, "before its claim goes");
        plan.note(format!(
            "volume {} stays, Released, with its data: kubectl pvctl release pv/{} offers it again",
            current.meta.name, current.meta.name
        ));
    }
    plan.carry(target, Carried { volume: to.clone(), for_claims, given_up: Vec::new() });
    if has_ended(target) || target.claim_ref.is_some() {
        plan.retain(target, "before anything else is done with it");
    }
    let mut back = like(raw, key, current, situation.snapshot).manifest;
    if current.is_none() && !old.volume_name.is_empty() {
        back["spec"]["volumeName"] = json!(old.volume_name);
    }
    plan.delete_claim(
        format!("claim {} makes room: the volume of a claim cannot be changed", old.key()),
        old,
        current,
        back,
    );
    if let Some(current) = current {
        plan.await_released(current);
    }
    reserve(&mut plan, key, old, target);
    let new = like(raw, key, Some(target), situation.snapshot);
    plan.create_claim(format!("claim {} takes volume {to}", old.key()), key, new.manifest, Some(target), Vec::new());
    for dropped in new.dropped {
        plan.note(format!("the new claim does not carry {dropped}"));
    }
    plan.finish(format!("claim {} is replaced by one that has volume {to}", old.key()))
}
