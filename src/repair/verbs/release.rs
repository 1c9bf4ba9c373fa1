//! The verb `release`: it offers a volume again after its claim is gone. The data stay on the volume. By default, the
//! volume is reserved for a claim with the name of the last claim.

use super::build::{Builder, Planned, has_ended, stays, volume};
use crate::model::{AnnotationKey, ClaimPhase, ObjectKey, PersistentVolume, Str, VolumePhase};
use crate::repair::identity::VolumeIdentity;
use crate::repair::plan::{Carried, GivenUp, Proposed, Refusal};
use crate::repair::request::{Recipient, Request};
use crate::repair::situation::{Known, Situation, claim_key};
use crate::repair::wait::Wait;
use crate::repair::write::{Expect, Reference};

pub(super) fn plan(situation: &Situation<'_>, request: &Request, name: &str, to: &Recipient) -> Planned {
    let volume = volume(situation, name)?;
    if let Some(done) = has_it(situation, volume, to) {
        return Ok(done);
    }
    stays(volume)?;
    held(situation, volume, recipient(volume, to).as_ref()).map_err(Proposed::from)?;
    if !has_ended(volume) {
        return waits_for(situation, volume, to)?.map_or_else(|| not_ended(volume, to), Ok);
    }
    offer(situation, request, volume, to, &format!("volume {name} is offered again"))
}

/// Returns the claim that is to have the volume, or None if any claim may have it.
pub(super) fn recipient(volume: &PersistentVolume, to: &Recipient) -> Option<ObjectKey> {
    match to {
        Recipient::LastClaim => volume.claim_ref.as_ref().map(|named| claim_key(&named.namespace, &named.name)),
        Recipient::Claim { namespace, name } => Some(claim_key(namespace, name)),
        Recipient::Anyone => None,
    }
}

/// Returns that there is nothing to do, if the claim that the person named has the volume. Otherwise returns `None`.
/// Also returns `None` if the person named no claim, because the person may want to take the volume from its last
/// claim.
pub(super) fn has_it(situation: &Situation<'_>, volume: &PersistentVolume, to: &Recipient) -> Option<Proposed> {
    let Recipient::Claim { namespace, name } = to else { return None };
    let Known::There(claim) = situation.holder(volume) else { return None };
    let named = claim.meta.namespace == *namespace && claim.meta.name == *name;
    let bound = claim.volume_name == volume.meta.name
        && claim.status.phase == ClaimPhase::Bound
        && volume.status.phase == VolumePhase::Bound;
    (named && bound && !claim.terminating() && !volume.terminating()).then(|| {
        Proposed::Nothing(format!("claim {namespace}/{name} has volume {} and is bound to it", volume.meta.name))
    })
}

/// Returns that there is nothing to do if the volume is already reserved for the claim that the person named.
///
/// # Errors
/// Returns an error if that claim has another volume, because it would never take this one.
pub(super) fn waits_for(
    situation: &Situation<'_>,
    volume: &PersistentVolume,
    to: &Recipient,
) -> Result<Option<Proposed>, Refusal> {
    let Recipient::Claim { namespace, name } = to else { return Ok(None) };
    if volume.status.phase != VolumePhase::Available || !volume.is_reserved_for(namespace, name) {
        return Ok(None);
    }
    without_volume(situation, volume, &claim_key(namespace, name))?;
    let said = format!("volume {} is already Available, and reserved for claim {namespace}/{name}", volume.meta.name);
    Ok(Some(Proposed::Nothing(said)))
}

/// Checks that no existing claim holds the volume, and that no claim other than the recipient names it.
///
/// # Errors
/// Returns an error if a claim holds or names the volume, or if this is unknown.
pub(super) fn held(
    situation: &Situation<'_>,
    volume: &PersistentVolume,
    recipient: Option<&ObjectKey>,
) -> Result<(), Refusal> {
    let name = &volume.meta.name;
    match situation.holder(volume) {
        Known::There(claim) if claim.terminating() => Err(Refusal::new(
            "held",
            format!("volume {name} is held by claim {}, which is being deleted and is not gone yet", claim.key()),
        )
        .hint(format!("kubectl pvctl retain pv/{name} keeps the data now; release it when the claim is gone"))),
        Known::There(claim) => Err(Refusal::new(
            "held",
            format!("volume {name} is held by claim {}: taking it away would make that claim Lost", claim.key()),
        )
        .hint(format!(
            "kubectl pvctl move pvc/{} -n {} --to-namespace NAMESPACE gives the volume to a claim elsewhere",
            claim.meta.name, claim.meta.namespace
        ))
        .hint(format!(
            "kubectl pvctl rebind pvc/{} -n {} --to pv/OTHER gives that claim another volume",
            claim.meta.name, claim.meta.namespace
        ))),
        Known::Unknown => {
            Err(Refusal::new("unknown", format!("whether the claim of volume {name} exists could not be read")))
        }
        Known::Absent => Ok(()),
    }?;
    named_elsewhere(situation, volume, recipient)
}

/// Checks that no claim other than the recipient names the volume. Otherwise that claim would become Lost, or would
/// never be bound.
///
/// # Errors
/// Returns an error if another claim names the volume.
pub(super) fn named_elsewhere(
    situation: &Situation<'_>,
    volume: &PersistentVolume,
    recipient: Option<&ObjectKey>,
) -> Result<(), Refusal> {
    let snapshot = situation.snapshot;
    let naming = snapshot.claims_naming(&volume.meta.name).iter().map(|id| snapshot.claim(*id));
    let others = naming.filter(|claim| {
        recipient.is_none_or(|key| claim.meta.namespace != key.namespace || claim.meta.name != key.name)
    });
    if let Some(claim) = others.into_iter().next() {
        let name = &volume.meta.name;
        let bound = claim.meta.annotations.has(AnnotationKey::BindCompleted);
        let how = if bound { "was bound to it, and its pods may still use it" } else { "waits for it" };
        return Err(Refusal::new("held", format!("claim {} names volume {name}: it {how}", claim.key())).hint(
            format!(
                "kubectl pvctl restore pvc/{} -n {} gives the volume back to that claim; or delete that claim first",
                claim.meta.name, claim.meta.namespace
            ),
        ));
    }
    Ok(())
}

/// Checks that the recipient does not have another volume. A claim that has a volume never takes another one, so the
/// reservation would wait for the next claim of that name.
///
/// # Errors
/// Returns an error if the claim has another volume.
fn without_volume(situation: &Situation<'_>, volume: &PersistentVolume, key: &ObjectKey) -> Result<(), Refusal> {
    let Known::There(claim) = situation.claim(&key.namespace, &key.name) else { return Ok(()) };
    let snapshot = situation.snapshot;
    let name = &volume.meta.name;
    let mut naming = snapshot.volumes_naming(&key.namespace, &key.name).iter().map(|id| snapshot.volume(*id));
    let on_its_way = || {
        let by_uid = |other: &&PersistentVolume| {
            other.claim_ref.as_ref().is_some_and(|named| named.uid == claim.meta.uid) && other.meta.name != *name
        };
        naming.find(by_uid).map(|other| &other.meta.name)
    };
    let named = Some(&claim.volume_name).filter(|named| !named.is_empty());
    let Some(other) = named.or_else(on_its_way).filter(|other| *other != name) else { return Ok(()) };
    Err(Refusal::new("bound", format!("claim {} has volume {other} already: it does not take {name}", claim.key()))
        .hint(format!(
            "kubectl pvctl rebind pvc/{} -n {} --to pv/{name} replaces that claim by a claim that has this volume",
            key.name, key.namespace
        ))
        .hint(format!("--reserve-for {}/OTHER keeps the volume for a claim with another name", key.namespace)))
}

fn not_ended(volume: &PersistentVolume, to: &Recipient) -> Planned {
    let name = &volume.meta.name;
    match (&volume.status.phase, to) {
        (VolumePhase::Available, Recipient::LastClaim) => {
            Ok(Proposed::Nothing(format!("volume {name} is Available already")))
        }
        (VolumePhase::Available, Recipient::Anyone) if volume.claim_ref.is_none() => {
            Ok(Proposed::Nothing(format!("volume {name} is Available already, for any claim")))
        }
        (VolumePhase::Bound, _) => Err(Refusal::new(
            "phase",
            format!(
                "volume {name} still has phase Bound, although no existing claim holds it: the controller has not \
                     seen this yet"
            ),
        )
        .hint(format!("kubectl pvctl explain pv/{name} --recheck says whether the controller acts"))
        .hint(format!("kubectl pvctl retain pv/{name} keeps the data in the meantime"))
        .into()),
        (phase, _) => Err(Refusal::new(
            "phase",
            format!("volume {name} is {}, not Released or Failed: there is nothing to release", phase.as_str()),
        )
        .hint(format!("kubectl pvctl unbind pv/{name} undoes a binding that was never completed"))
        .into()),
    }
}

/// The note on how to end a reservation that no claim has used. The namespace of the claim may be deleted in the
/// meantime, and another tenant may create it again.
const END_OF_RESERVATION: &str = "the reservation lasts until such a claim exists; `undo` ends it";

/// Plans to offer a volume that no existing claim holds.
pub(super) fn offer(
    situation: &Situation<'_>,
    request: &Request,
    volume: &PersistentVolume,
    to: &Recipient,
    goal: &str,
) -> Planned {
    let name = &volume.meta.name;
    let mut plan = Builder::new(request);
    let reserved = match to {
        Recipient::LastClaim => volume
            .claim_ref
            .as_ref()
            .filter(|named| !named.namespace.is_empty() && !named.name.is_empty())
            .map(|named| Reference::reservation(&named.namespace, &named.name)),
        Recipient::Claim { namespace, name } => Some(Reference::reservation(namespace, name)),
        Recipient::Anyone => None,
    };
    if reserved.is_none() && *to != Recipient::Anyone {
        return Err(Refusal::new("usage", format!("volume {name} does not state which claim it had"))
            .hint("say --reserve-for NAMESPACE/NAME")
            .into());
    }
    if let Some(named) = &reserved {
        without_volume(situation, volume, &claim_key(&named.namespace, &named.name))?;
    }
    let for_claims = reserved.iter().map(|named| (named.namespace.clone(), named.name.clone())).collect();
    let given_up = if reserved.is_none() { vec![GivenUp::Privacy] } else { Vec::new() };
    plan.carry(volume, Carried { volume: name.clone(), for_claims, given_up });
    plan.retain(volume, "before any other step");
    // In the meantime, the controller may see that the claim is gone.
    let mut phases: Vec<Str> = vec!["Released".into(), "Failed".into()];
    if !has_ended(volume) {
        phases.insert(0, volume.status.phase.as_str().into());
    }
    let expect = vec![Expect::VolumePhase { any_of: phases }, Expect::Terminating { is: false }];
    let wait = Some(Wait::Available { volume: VolumeIdentity::of(volume) });
    let (why, goal) = if let Some(named) = &reserved {
        let whom = format!("{}/{}", named.namespace, named.name);
        plan.note(END_OF_RESERVATION);
        if !plan.leave_if_strange(situation, &named.namespace, volume) {
            plan.note(format!("whoever may create claim {whom} can read what is on the volume"));
        }
        (
            format!("reserve volume {name} for claim {whom}, and for nobody else"),
            format!("{goal}, to claim {whom} alone"),
        )
    } else {
        plan.ask_for(name);
        (format!("offer volume {name} to anyone"), format!("{goal}, to anyone, with the data on it"))
    };
    plan.refer(situation, why, volume, reserved, expect, wait);
    Ok(plan.finish(goal))
}
