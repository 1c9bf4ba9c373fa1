//! `unbind`: a binding that was never finished is rolled back, as the controller's own `unbindVolume` does it.

use super::build::{Planned, has_ended, stays, volume};
use super::release::{has_it, named_elsewhere, offer, recipient, waits_for};
use crate::model::{AnnotationKey, PersistentVolume, PersistentVolumeClaim, VolumePhase};
use crate::repair::plan::{Proposed, Recipient, Refusal, Request};
use crate::repair::situation::{Known, Situation};
use crate::simulate::{Candidates, match_claim};

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
                format!("volume {name} names no claim: there is no binding to roll back, and it is free for anyone"),
            )
            .hint(format!(
                "kubectl pvctl rebind pvc/{claim} -n {namespace} --to pv/{name} gives it to that claim, where it is there"
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
            "volume {name} is only reserved for claim {}/{}: say --reserve-for or --to-anyone to change for whom",
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
            let how = if bound { "is bound to it" } else { "names it, and the controller finishes that binding" };
            return Err(Refusal::new("held", format!("claim {key} lives and {how}: this binding is not half made"))
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
        // The last thing that tells whether the claim has the volume already is its phase.
        Known::There(claim)
            if claim.meta.uid == named.uid
                && volume.status.phase == VolumePhase::Bound
                && ends_bound(situation, volume, claim) =>
        {
            return Err(Refusal::new(
                "held",
                format!("claim {} lives, and the controller is about to finish that binding", claim.key()),
            )
            .hint(format!("kubectl pvctl explain pv/{name} --recheck tells whether the controller acts"))
            .into());
        }
        Known::There(_) | Known::Absent => {}
    }
    named_elsewhere(situation, volume, recipient(volume, to).as_ref())?;
    offer(
        situation,
        request,
        volume,
        to,
        &format!("the half-made binding of volume {name} is rolled back, and it is offered"),
    )
}

/// Whether the controller gives the claim, which names no volume yet, that volume.
fn ends_bound(situation: &Situation<'_>, volume: &PersistentVolume, claim: &PersistentVolumeClaim) -> bool {
    let snapshot = situation.snapshot;
    let taken = |candidates: Candidates| {
        let mut listed = candidates.listed.iter().filter(|one| one.may_be_chosen());
        listed.any(|one| snapshot.volume(one.volume).meta.name == volume.meta.name)
    };
    claim.volume_name.is_empty() && match_claim(snapshot, &situation.settings.rules, claim).is_ok_and(taken)
}
