//! `release`: a volume whose claim is gone is offered again, with its data: to a claim of a certain name, unless the
//! person says otherwise.

use super::build::{Builder, Planned, has_ended, stays, volume};
use crate::model::{PersistentVolume, VolumePhase};
use crate::repair::plan::{Carried, GivenUp, Proposed, Recipient, Refusal, Request};
use crate::repair::situation::{Known, Situation};
use crate::repair::wait::Wait;
use crate::repair::write::{Expect, Reference};

pub(super) fn plan(situation: &Situation<'_>, request: &Request, name: &str, to: &Recipient) -> Planned {
    let volume = volume(situation, name)?;
    stays(volume)?;
    let held = held(situation, volume);
    if let Err(refusal) = held {
        return Err(refusal.into());
    }
    if !has_ended(volume) {
        return not_ended(volume, to);
    }
    offer(request, volume, to, format!("volume {name} is offered again"))
}

/// Whether a live claim has the volume.
///
/// # Errors
/// It does, or nobody can tell.
pub(super) fn held(situation: &Situation<'_>, volume: &PersistentVolume) -> Result<(), Refusal> {
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
            Err(Refusal::new("unknown", format!("whether the claim of volume {name} lives could not be read")))
        }
        Known::Absent => Ok(()),
    }
}

fn not_ended(volume: &PersistentVolume, to: &Recipient) -> Planned {
    let name = &volume.meta.name;
    match (&volume.status.phase, to) {
        (VolumePhase::Available, Recipient::LastClaim) => {
            Ok(Proposed::Nothing(format!("volume {name} is Available already")))
        }
        (VolumePhase::Bound, _) => Err(Refusal::new(
            "phase",
            format!("volume {name} is still Bound on record, though no live claim holds it: the controller has not seen that yet"),
        )
        .hint(format!("kubectl pvctl explain pv/{name} --recheck tells whether the controller acts"))
        .hint(format!("kubectl pvctl retain pv/{name} keeps the data in the meantime"))
        .into()),
        (phase, _) => Err(Refusal::new(
            "phase",
            format!("volume {name} is {}, not Released or Failed: there is nothing to release", phase.as_str()),
        )
        .hint(format!("kubectl pvctl unbind pv/{name} rolls a binding back that was never finished"))
        .into()),
    }
}

/// Offers a volume that no live claim holds.
pub(super) fn offer(request: &Request, volume: &PersistentVolume, to: &Recipient, goal: String) -> Planned {
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
        return Err(Refusal::new("usage", format!("volume {name} does not say whose it was"))
            .hint("say --reserve-for NAMESPACE/NAME")
            .into());
    }
    let for_claims = reserved.iter().map(|named| (named.namespace.clone(), named.name.clone())).collect();
    let given_up = if reserved.is_none() { vec![GivenUp::Privacy] } else { Vec::new() };
    plan.carry(volume, Carried { volume: name.clone(), for_claims, given_up });
    plan.retain(volume, "before anything else is done with it");
    let phase = volume.status.phase.as_str().into();
    let expect = vec![Expect::VolumePhase { any_of: vec![phase] }, Expect::Terminating { is: false }];
    let wait = Some(Wait::Available { volume: name.clone() });
    let (why, goal) = match &reserved {
        Some(named) => {
            let whom = format!("{}/{}", named.namespace, named.name);
            plan.note(format!("whoever may create claim {whom} can read what is on the volume"));
            (
                format!("reserve volume {name} for claim {whom}, and for nobody else"),
                format!("{goal}, to claim {whom} alone"),
            )
        }
        None => {
            plan.ask_for(name);
            plan.note("the next claim that fits gets the volume with all that is on it, in whatever namespace it is");
            (format!("offer volume {name} to anyone"), format!("{goal}, to anyone, with the data on it"))
        }
    };
    plan.refer(why, volume, reserved, expect, wait);
    plan.finish(goal)
}
