//! The engine for volumes and claims: it finds their outcomes without exploring every state.

mod fixpoint;
mod nested;
mod recycling;

use crate::controllers::persistent_volume::links::may_search;
use crate::controllers::persistent_volume::{BOUND_KINDS, CONTROLLER};
use crate::controllers::{self, DecidedBy, Settings};
use crate::model::{
    AnnotationKey, Object, ObjectId, ObjectMeta, PersistentVolume, PersistentVolumeClaim, Resource, Str, VolumePhase,
};
use crate::simulate::engine::{Engine, Exact};
use crate::simulate::explore::JOINT_LIMIT;
use crate::simulate::settle::SMALL;
use crate::simulate::{Component, decide_folded};
use crate::snapshot::{ClaimId, Snapshot, VolumeId};
use crate::world::World;
use std::sync::Arc;

/// The engine of the PersistentVolume controller.
pub static ENGINE: Engine = Engine {
    kinds: &BOUND_KINDS,
    knows_actors: false,
    exact,
    bounds: fixpoint::fixpoint,
    changes_before_gone,
    decided_by,
    between: recycling::add_disturbed_outcomes,
    under_way: recycling::with_existing_recycler,
};

fn exact(snapshot: &Snapshot, settings: &Settings<'_>, component: &Component) -> Option<Exact> {
    if !settings.controllers.contains(&CONTROLLER) || !settings.starts_in_step() || settings.failures {
        return None;
    }
    let sets = nested::nested(snapshot, settings, component)?;
    // Exploring adds only the joint outcomes. If there are few enough joint outcomes to list them, there are also few
    // states. Each state has a part of the bindings of one end. There are at most eight ends, and each end has at most
    // eight bindings. Volumes that become Available later add further states, so the number of states has no limit if
    // there are such volumes.
    let at_first = component.of().all(|id| nested::is_found_at_first(snapshot.volume(id)));
    Some(Exact { sets, most_states: if at_first { JOINT_LIMIT << (SMALL / 2) } else { usize::MAX } })
}

/// Returns the changes that a claim may cause, before it is deleted, in the volumes that name it. A volume that is
/// reserved for the claim may get bound to the claim. The `claimRef` of this volume then keeps the claim's uid. If the
/// claim has another volume, a `claimRef` with the claim's uid may lose the uid. The volume is then reserved for the
/// next claim of this name.
fn changes_before_gone(snapshot: &Snapshot, earlier: ObjectId) -> Vec<Vec<Object>> {
    let Some(claim) = earlier.of().map(|id| snapshot.claim(id)) else { return Vec::new() };
    let ObjectMeta { namespace, name, uid, .. } = &claim.meta;
    let naming = || snapshot.volumes_naming(namespace, name).iter().map(|id| snapshot.volume(*id));
    let with_uid = |volume: &PersistentVolume, uid: &Str| {
        let mut left = volume.clone();
        if let Some(named) = &mut left.claim_ref {
            named.uid.clone_from(uid);
        }
        left.wrap()
    };
    let loses_uid = |volume: &&PersistentVolume| {
        volume.claim_ref.as_ref().is_some_and(|named| named.uid == *uid)
            && !volume.meta.annotations.has(AnnotationKey::BoundByController)
    };
    let unbound: Vec<Object> = naming().filter(loses_uid).map(|volume| with_uid(volume, &Str::default())).collect();
    let awaiting = naming().filter(|volume| volume.is_reserved_for(namespace, name));
    // A claim has at most one volume.
    let bound = awaiting.map(|volume| vec![with_uid(volume, uid)]);
    let mut ways: Vec<Vec<Object>> = bound.collect();
    if !unbound.is_empty() {
        let beside = ways.iter().map(|bound| [bound.as_slice(), &unbound].concat());
        let beside: Vec<Vec<Object>> = beside.collect();
        ways.extend(beside);
        ways.push(unbound);
    }
    ways
}

/// Returns what decides between the outcomes of a component that has several outcomes.
fn decided_by(snapshot: &Snapshot, settings: &Settings<'_>, component: &Component) -> Vec<DecidedBy> {
    let mut world = World::new(snapshot);
    let made = component.objects.iter().flat_map(|id| controllers::made(snapshot, settings, *id));
    let new: Vec<ClaimId> =
        made.filter_map(Resource::of).map(|claim: PersistentVolumeClaim| world.add(Arc::new(claim), None)).collect();
    let alone = Settings { controllers: vec![CONTROLLER], ..settings.clone() };
    let searches = |id: ClaimId| world.get(id).is_some_and(|claim| may_search(&claim));
    let ties = component
        .of()
        .chain(new.iter().copied())
        .any(|id| searches(id) && decide_folded(&world, &alone, id.into()).count > 1);
    // If only one claim picks among free volumes, the order of syncs has no influence.
    let free = |id: VolumeId| {
        let volume = snapshot.volume(id);
        volume.claim_ref.is_none() && volume.status.phase == VolumePhase::Available && !volume.terminating()
    };
    let mut claims = component.of().chain(new.iter().copied()).filter_map(|id: ClaimId| world.get(id));
    let alone = claims.next().is_some_and(|only| !only.terminating()) && claims.next().is_none();
    let mut decided_by = Vec::new();
    if ties {
        decided_by.push(DecidedBy::EqualCandidates);
    }
    if !ties || !alone || !component.of().all(free) {
        decided_by.push(DecidedBy::OrderOfSyncs);
    }
    decided_by
}
