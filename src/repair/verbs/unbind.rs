//! The verb `unbind`: it undoes a binding that was never completed, as the controller's own `unbindVolume` does.

use super::build::{Builder, Planned, has_ended, stays, volume};
use super::release::{has_it, named_elsewhere, offer, recipient, waits_for};
use crate::controllers::persistent_volume::{Candidates, match_claim};
use crate::model::{AnnotationKey, PersistentVolume, PersistentVolumeClaim, Str, VolumePhase};
use crate::repair::identity::VolumeIdentity;
use crate::repair::plan::{Carried, GivenUp, Proposed, Refusal};
use crate::repair::request::{Recipient, Request};
use crate::repair::situation::{Known, Situation};
use crate::repair::wait::Wait;
use crate::repair::write::Expect;

pub(super) fn plan(situation: &Situation<'_>, request: &Request, name: &str, to: &Recipient) -> Planned {
    let volume = volume(situation, name)?;
    if let Some(done) = has_it(situation, volume, to) {
        return Ok(done);
    }
    stays(volume)?;
    let Some(named) = &volume.claim_ref else {
        if let Recipient::Claim { namespace, name: claim } = to {
            return Err(Refusal::new(
                "phase",
                format!(
                    "volume {name} names no claim: there is no binding to undo, and the volume is free for any \
                         claim"
                ),
            )
            .hint(format!(
                "kubectl pvctl rebind pvc/{claim} -n {namespace} --to pv/{name} gives it to that claim, if the claim \
                 exists"
            ))
            .into());
        }
        return Ok(Proposed::Nothing(format!("volume {name} names no claim")));
    };
    if has_ended(volume) {
        return Err(Refusal::new(
            "phase",
            format!("volume {name} is {}: its claim had it and is gone", volume.status.phase.as_str()),
        )
        .hint(format!("kubectl pvctl release pv/{name} offers it again"))
        .into());
    }
    if named.uid.is_empty() && *to == Recipient::LastClaim {
        return Ok(Proposed::Nothing(format!(
            "volume {name} is only reserved for claim {}/{}: use --reserve-for or --to-anyone to change this",
            named.namespace, named.name
        )));
    }
    if let Some(done) = waits_for(situation, volume, to)? {
        return Ok(done);
    }
    match situation.claim(&named.namespace, &named.name) {
        Known::Unknown => {
            return Err(Refusal::new(
                "unknown",
                format!("whether claim {}/{} has volume {name} could not be read", named.namespace, named.name),
            )
            .into());
        }
        Known::There(claim) if claim.volume_name == *name && (named.uid.is_empty() || claim.meta.uid == named.uid) => {
            let key = claim.key();
            let bound = claim.meta.annotations.has(AnnotationKey::BindCompleted);
            let how = if bound { "is bound to it" } else { "names it, and the controller completes this binding" };
            return Err(Refusal::new(
                "held",
                format!("claim {key} exists and {how}: unbind does not undo such a binding"),
            )
            .hint(format!(
                "kubectl pvctl move pvc/{} -n {} --to-namespace NAMESPACE gives the volume to a claim elsewhere",
                claim.meta.name, claim.meta.namespace
            ))
            .hint(format!(
                "kubectl pvctl rebind pvc/{} -n {} --to pv/OTHER gives that claim another volume",
                claim.meta.name, claim.meta.namespace
            ))
            .into());
        }
        // The controller writes the volume's phase before it writes the claim. So a volume that is Bound shows that a
        // binding is under way.
        Known::There(claim)
            if claim.meta.uid == named.uid
                && volume.status.phase == VolumePhase::Bound
                && ends_bound(situation, volume, claim) =>
        {
            return Err(Refusal::new(
                "held",
                format!("claim {} exists, and the controller is about to complete this binding", claim.key()),
            )
            .hint(format!("kubectl pvctl explain pv/{name} --recheck says whether the controller acts"))
            .into());
        }
        Known::There(_) | Known::Absent => {}
    }
    if *to == Recipient::LastClaim && begun_in_vain(situation, volume) {
        named_elsewhere(situation, volume, None)?;
        return Ok(free(situation, request, volume));
    }
    named_elsewhere(situation, volume, recipient(volume, to).as_ref())?;
    offer(situation, request, volume, to, &format!("volume {name} is unbound and offered"))
}

/// Returns whether the controller itself has begun to bind the volume for a claim that cannot take it any more. Such a
/// claim is gone, or names another volume.
///
/// Any claim could have got such a volume before, because the controller sets the annotation bound-by-controller only
/// on a volume that was not reserved for a claim. The volume was not Bound since then, so no pod wrote to it. A volume
/// that was provisioned for its claim was never free, so the result is false for it.
fn begun_in_vain(situation: &Situation<'_>, volume: &PersistentVolume) -> bool {
    let annotations = &volume.meta.annotations;
    let Some(named) = volume.claim_ref.as_ref().filter(|named| !named.uid.is_empty()) else { return false };
    let never_bound = matches!(volume.status.phase, VolumePhase::Available | VolumePhase::Pending | VolumePhase::Empty);
    let in_vain = match situation.claim(&named.namespace, &named.name) {
        Known::There(claim) if claim.meta.uid == named.uid => {
            !claim.volume_name.is_empty() && claim.volume_name != volume.meta.name
        }
        Known::There(_) | Known::Absent => true,
        Known::Unknown => false,
    };
    never_bound
        && in_vain
        && annotations.has(AnnotationKey::BoundByController)
        && !annotations.has(AnnotationKey::ProvisionedBy)
}

/// Frees the volume as the controller itself does. After this, the volume names no claim. Upstream: `unbindVolume`,
/// 1.36.
fn free(situation: &Situation<'_>, request: &Request, volume: &PersistentVolume) -> Proposed {
    let name = &volume.meta.name;
    let mut plan = Builder::new(request);
    let given_up = vec![GivenUp::Privacy];
    plan.carry(volume, Carried { volume: name.clone(), for_claims: Vec::new(), given_up });
    plan.note("the volume was free before the controller chose a claim for it, and no claim has had it since then");
    plan.note("the next claim that fits gets it, as before");
    plan.refer(
        situation,
        format!("volume {name} names no claim any more: the claim that the controller chose cannot take it"),
        volume,
        None,
        vec![
            Expect::Annotation {
                key: AnnotationKey::BoundByController.as_str().into(),
                is: annotation(volume).map(Str::from),
            },
            Expect::VolumePhase { any_of: vec![volume.status.phase.as_str().into()] },
            Expect::Terminating { is: false },
        ],
        Some(Wait::Available { volume: VolumeIdentity::of(volume) }),
    );
    plan.finish(format!("volume {name} is unbound, and free as before"))
}

fn annotation(volume: &PersistentVolume) -> Option<&str> {
    volume.meta.annotations.get(AnnotationKey::BoundByController)
}

/// Returns whether the controller may choose that volume for the claim. Returns false if the claim already names a
/// volume.
fn ends_bound(situation: &Situation<'_>, volume: &PersistentVolume, claim: &PersistentVolumeClaim) -> bool {
    let snapshot = situation.snapshot;
    let taken = |candidates: Candidates| {
        let mut listed = candidates.listed.iter().filter(|one| one.may_be_chosen());
        listed.any(|one| snapshot.volume(one.volume).meta.name == volume.meta.name)
    };
    claim.volume_name.is_empty() && match_claim(snapshot, &situation.settings.behavior, claim).is_ok_and(taken)
}
