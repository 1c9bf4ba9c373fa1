//! This rule reports a claim that names a volume, if the volume belongs to another claim or other claims also name it.

use super::super::volume::RELEASED_RETAIN;
use super::recreate;
use crate::controllers::ClaimBranch;
use crate::diagnosis::case::{key_of_claim, volume_key};
use crate::diagnosis::facts::{is_complete, names};
use crate::diagnosis::mention::mention;
use crate::diagnosis::misfit::claim_name;
use crate::diagnosis::remedy::{describe, hand_over, reserve, retain};
use crate::diagnosis::{Act, Case, Detect, Detection, Holder, Page, Risk, Rule, Severity};
use crate::model::{ClaimRef, Kind, PersistentVolume, PersistentVolumeClaim};

pub(super) static RULE: Rule = Rule {
    id: "bind-named-pv-taken",
    title: "the named volume belongs to another claim",
    severity: Severity::Error,
    risk: Risk::Imminent,
    reads: &[Kind::PersistentVolume, Kind::PersistentVolumeClaim],
    hinders: &[Act::Bind],
    repairs: &[],
    page: Page {
        seen: "The claim is Pending although VOLUME is filled; CAPACITY is 0. An event `FailedBinding` says that the \
               volume is already bound to a different claim, and does not say to which.",
        why: "`spec.claimRef` of the volume decides which claim has it, and this field names another claim. A claim \
              that names a volume gets this volume or none. If two claims name one free volume, the claim that is \
              synced first gets it. If the claim in the `claimRef` is deleted, the volume becomes Released. It does \
              not become free.",
        confirm: "kubectl get pv VOLUME -o jsonpath='{.spec.claimRef} {.status.phase}'\n\
                  kubectl get pvc CLAIM -n NAMESPACE",
        repair: "Decide whose data they are. If the other claim exists and should keep the volume, create this claim \
                 again with another volume, or without `spec.volumeName`. If the other claim is gone, set the policy \
                 to Retain and reserve the volume for this claim.",
        prevention: "Name a volume in only one claim, and reserve it for that claim with a `claimRef` that has a \
                     namespace and a name.",
        hazard: "If you change the `claimRef` of a volume whose claim exists, that claim loses a disk that is in use. \
                 If you reserve a released volume for this claim, its pods can read the data of the earlier claim.",
        sources: &[
            "syncUnboundClaim, Kubernetes 1.36 (C19, C21, C22)",
            "kubernetes/kubernetes#91847",
            "https://kubernetes.io/docs/concepts/storage/persistent-volumes/#reserving-a-persistentvolume",
        ],
    },
    detect: Detect::Claim(detect),
};

fn detect(case: &Case<'_>, claim: &PersistentVolumeClaim) -> Option<Detection> {
    if claim.volume_name.is_empty() {
        return None;
    }
    let branch = case.unbound_branch(claim)?;
    let volume = case.volume(&claim.volume_name)?;
    match (branch, &volume.claim_ref) {
        (ClaimBranch::UnboundClaimNamedVolumeFree, None) => contended(case, claim, volume),
        (
            ClaimBranch::UnboundClaimNamedVolumeTaken | ClaimBranch::UnboundClaimNamedVolumeTakenByController,
            Some(named),
        ) if !names(named, claim) => Some(taken(case, claim, volume, named)),
        _ => None,
    }
}

fn taken(case: &Case<'_>, claim: &PersistentVolumeClaim, volume: &PersistentVolume, named: &ClaimRef) -> Detection {
    let (name, owner) = (&volume.meta.name, claim_name(named));
    let is_complete = is_complete(named);
    let holder = if is_complete { case.holder(volume) } else { Holder::Nobody };
    let relation = match holder {
        Holder::ReservedFor(_) | Holder::ReservedForMissing => "is reserved for",
        Holder::Lives(_) | Holder::Replaced(_) | Holder::Gone | Holder::Nobody | Holder::Unknown => "belongs to",
    };
    let (life, anew) = match holder {
        Holder::Lives(_) | Holder::ReservedFor(_) => ("the existing claim ", ""),
        Holder::ReservedForMissing => ("the missing claim ", ""),
        Holder::Replaced(_) => ("the deleted claim ", ". A new claim has that name"),
        Holder::Gone => ("the deleted claim ", ""),
        Holder::Nobody | Holder::Unknown => ("claim ", ""),
    };
    // Whether the volume is or will be in phase Released because its claim is gone.
    let released = matches!(holder, Holder::Replaced(_) | Holder::Gone);
    let destroyed = released && case.destroys(volume);
    let fate = if released { format!("; {}", case.prospect(volume)) } else { String::new() };
    let me = mention(&case.object());
    let message = if is_complete {
        format!("{me} names {}, which {relation} {life}{owner}{fate}{anew}", mention(&volume_key(name)))
    } else {
        format!(
            "{me} names {}, which has {owner} in spec.claimRef. No claim can match that",
            mention(&volume_key(name))
        )
    };
    let mut found = Detection::new(message)
        .risk(if destroyed { Risk::Imminent } else { Risk::None })
        .evidence(&case.object(), "spec.volumeName", name.as_str())
        .evidence(&volume_key(name), "spec.claimRef", owner.as_str())
        .evidence(&volume_key(name), "status.phase", volume.status.phase.as_str());
    match holder {
        Holder::Lives(other) | Holder::ReservedFor(other) => {
            found = found.remedy(describe(&key_of_claim(&other.meta), "see who uses the volume"));
        }
        Holder::Gone | Holder::Replaced(_) | Holder::ReservedForMissing => {
            let does = format!(
                "if the volume is meant for {}, reserve it for that claim, which may then read the data of {owner}",
                claim.key()
            );
            let ways = retain(volume).into_iter().chain(hand_over(volume, claim, does));
            found = found
                .remedies(ways)
                .follows_from(volume_key(name), Act::Offer)
                .settles(&RELEASED_RETAIN, volume_key(name));
        }
        // The problem is the `claimRef`, and the finding on the volume says how to repair it.
        Holder::Nobody => return found.follows_from(volume_key(name), Act::Offer),
        Holder::Unknown => {}
    }
    let how = "with another volume or without spec.volumeName, if the data are not meant for this claim";
    found.remedy(recreate(claim, how))
}

/// Reports that the volume is free and fits, and that other claims also name it.
fn contended(case: &Case<'_>, claim: &PersistentVolumeClaim, volume: &PersistentVolume) -> Option<Detection> {
    let name = &volume.meta.name;
    let (rivals, count) = case.survey().rivals(claim);
    let first = rivals.first()?;
    if case.ends()?.representatives().all(|end| end.phase() == "Bound") {
        return None;
    }
    let others = match count {
        1 => format!("claim {}", first.key()),
        several => format!("{several} other claims, such as {},", first.key()),
    };
    let mut found = Detection::new(format!(
        "{} is free, and {} and {others} name it. The claim that is synced first gets the volume, and the order is not \
         known",
        mention(&volume_key(name)),
        mention(&case.object())
    ))
    .severity(Severity::Warning)
    .risk(Risk::None)
    .evidence(&case.object(), "spec.volumeName", name.as_str());
    for other in &rivals {
        found = found.evidence(&key_of_claim(&other.meta), "spec.volumeName", name.as_str());
    }
    let does = format!("if the volume is meant for {}, reserve it before another claim gets it", claim.key());
    Some(found.remedies(reserve(volume, claim, Vec::new(), does)))
}
