//! `unbind`: a binding that was never finished is rolled back, as the controller's own `unbindVolume` does it.

use super::build::{Planned, has_ended, stays, volume};
use super::release::offer;
use crate::model::AnnotationKey;
use crate::repair::plan::{Proposed, Recipient, Refusal, Request};
use crate::repair::situation::{Known, Situation};

pub(super) fn plan(situation: &Situation<'_>, request: &Request, name: &str, to: &Recipient) -> Planned {
    let volume = volume(situation, name)?;
    stays(volume)?;
    let Some(named) = &volume.claim_ref else {
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
        Known::There(_) | Known::Absent => {}
    }
    offer(
        situation,
        request,
        volume,
        to,
        &format!("the half-made binding of volume {name} is rolled back, and it is offered"),
    )
}
