//! A claim whose volume went to another claim that could have done with less.

use super::nearest::waits_in_vain;
use crate::controllers::CandidateVerdict;
use crate::controllers::persistent_volume::matching::Query;
use crate::diagnosis::case::{key_of_claim, volume_key};
use crate::diagnosis::remedy::{by_hand, describe, retain};
use crate::diagnosis::{Case, Detect, Found, Holder, Page, Risk, Rule, Severity};
use crate::model::{AnnotationKey, Kind, PersistentVolume, PersistentVolumeClaim, Quantity};

/// Volumes that are made by hand are few. Where there are more than so many, no claim is compared with all of them.
const MANY: usize = 5000;

pub(super) static RULE: Rule = Rule {
    id: "bind-foreign-grab",
    title: "a smaller claim has the volume that this one needs",
    severity: Severity::Warning,
    risk: Risk::Possible,
    reads: &[Kind::PersistentVolume, Kind::PersistentVolumeClaim, Kind::StorageClass],
    page: Page {
        seen: "The claim is Pending, and a volume of just its size is Bound to another claim that asks for much less.",
        why: "A volume that no `claimRef` reserves belongs to the first claim that it fits. The controller takes the \
              smallest volume that is large enough, of those that are there at that moment: if the small volume came \
              later than the small claim, that claim got the large one.",
        confirm: "kubectl get pv VOLUME -o jsonpath='{.spec.capacity.storage} {.spec.claimRef}'\n\
                  kubectl get pvc --all-namespaces",
        repair: "Best make another volume for this claim. If it has to be that one: stop both workloads, make sure \
                 that nothing on it is needed or that it is saved, set policy Retain, delete the claim that has it, \
                 reserve the volume for this one, and only then create the other claim again.",
        prevention: "Reserve every volume that is made for a certain claim by a `claimRef` with namespace and name.",
        hazard: "The claim that has the volume has used it: taking it away loses those data, or shows them to another \
                 application. Move one volume, look, and then the next.",
        sources: &[
            "findBestMatchForClaim, Kubernetes 1.36 (M15, M16)",
            "IBM/core-dump-handler#78",
            "https://kubernetes.io/docs/concepts/storage/persistent-volumes/#binding",
        ],
    },
    detect: Detect::Claim(look),
};

fn look(case: &Case<'_>, claim: &PersistentVolumeClaim) -> Option<Found> {
    let volumes = case.snapshot().volumes();
    if !claim.volume_name.is_empty() || claim.terminating() || volumes.len() > MANY {
        return None;
    }
    waits_in_vain(case, claim)?;
    let request = claim.requested()?;
    let query = Query::new(case.rules(), claim, false).ok()?;
    let (volume, holder, needs) = volumes.iter().find_map(|volume| {
        let (holder, needs) = grabbed(case, volume, claim, &request, &query)?;
        Some((volume, holder, needs))
    })?;
    let name = &volume.meta.name;
    Some(
        Found::new(format!(
            "volume {name} has just the {request} that it requests, and went to claim {}, which requests {needs}. No \
             claimRef had reserved it; its data now belong to that claim",
            holder.key()
        ))
        .evidence(&volume_key(name), "spec.claimRef", holder.key().to_string())
        .evidence(&volume_key(name), "spec.capacity.storage", request.to_string())
        .evidence(&key_of_claim(&holder.meta), "spec.resources.requests.storage", needs.to_string())
        .evidence(&case.object(), "spec.resources.requests.storage", request.to_string())
        .remedy(describe(&key_of_claim(&holder.meta), "see who uses that volume"))
        .remedy(by_hand(format!("make another volume of at least {request}, with a claimRef to {}", claim.key())))
        .remedies(retain(volume))
        .remedy(by_hand(format!(
            "only if {} is to give {name} up: stop both workloads, save what is on it, delete that claim, and reserve \
             the volume for {} before the other claim comes back",
            holder.key(),
            claim.key()
        ))),
    )
}

/// The claim that has a volume which would fit this one exactly, and how much less it needs: where the controller chose
/// the volume for it, and no person or driver did.
fn grabbed<'a>(
    case: &Case<'a>,
    volume: &PersistentVolume,
    claim: &PersistentVolumeClaim,
    request: &Quantity,
    query: &Query<'_>,
) -> Option<(&'a PersistentVolumeClaim, Quantity)> {
    let annotations = &volume.meta.annotations;
    if volume.claim_ref.is_none()
        || volume.class() != claim.class()
        || !volume.storage()?.compare(request).is_eq()
        || !annotations.has(AnnotationKey::BoundByController)
        || annotations.has(AnnotationKey::ProvisionedBy)
    {
        return None;
    }
    let is_taken = |verdict: &CandidateVerdict| {
        matches!(verdict, CandidateVerdict::CandidateClaimedByOther | CandidateVerdict::CandidatePhase)
    };
    if !query.misfits(volume).iter().all(is_taken) {
        return None;
    }
    let Holder::Lives(holder) = case.holder(volume) else { return None };
    let needs = holder.requested()?;
    let is_half = needs.value() <= request.value() / 2;
    (is_half && holder.meta.uid != claim.meta.uid).then_some((holder, needs))
}
