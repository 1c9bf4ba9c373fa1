//! This rule reports a claim and a volume that are bound but would not be bound again with their present fields.

use super::{bound_volume, misfit_words, with_fields};
use crate::controllers::{CandidateVerdict, ClaimBranch};
use crate::diagnosis::case::volume_key;
use crate::diagnosis::mention::mention;
use crate::diagnosis::misfit::{class_words, misfit};
use crate::diagnosis::remedy::by_hand;
use crate::diagnosis::{Case, Detect, Detection, Page, Risk, Rule, Severity};
use crate::model::{AnnotationKey, Kind, PersistentVolume, PersistentVolumeClaim};

pub(super) static RULE: Rule = Rule {
    id: "bind-reserved-bypass",
    title: "claim and volume are bound and do not fit each other",
    severity: Severity::Warning,
    risk: Risk::None,
    reads: &[Kind::PersistentVolume, Kind::StorageClass],
    hinders: &[],
    repairs: &[],
    page: Page {
        seen: "The claim and the volume are Bound, and kubectl shows no problem. But the two differ in STORAGECLASS, \
               ACCESS MODES, CAPACITY or another field.",
        why: "If a volume is reserved for a claim, its class and labels are not compared. If the claim also names the \
              volume, no field is compared. Some fields can also be changed after binding. The difference has no \
              effect at first. Later steps, such as a resize, use the class of the claim. If the volume modes differ, \
              the volume cannot be mounted.",
        confirm: "kubectl get pvc NAME -n NAMESPACE -o wide\nkubectl get pv VOLUME --show-labels -o wide",
        repair: "Change the class, the labels, the access modes and the capacity of the volume to those of the claim, \
                 if the storage really has these properties. If the volume modes differ, the claim or the volume has \
                 to be created again: set policy Retain first.",
        prevention: "Copy the fields of a claim into the volume that is reserved for it.",
        hazard: "If the claim is deleted and created again without the reservation, it does not get this volume again, \
                 but another volume, or a new and empty volume.",
        sources: &[
            "syncUnboundClaim, Kubernetes 1.36 (C20)",
            "FindMatchingVolume, component-helpers, Kubernetes 1.36 (M7)",
        ],
    },
    detect: Detect::Claim(detect),
};

fn detect(case: &Case<'_>, claim: &PersistentVolumeClaim) -> Option<Detection> {
    let volume = bound_volume(case, claim)?;
    let verdicts = misfits(case, volume, claim);
    if verdicts.is_empty() || case.claim_branch()? != ClaimBranch::BoundClaimVolumeOurs {
        return None;
    }
    let name = &volume.meta.name;
    let words: Vec<String> = verdicts
        .iter()
        .filter_map(|verdict| match verdict {
            CandidateVerdict::CandidateClass => Some(format!(
                "the volume has {}, and the claim has {}",
                class_words(volume.class()),
                class_words(claim.class())
            )),
            other => misfit_words(volume, claim, *other),
        })
        .collect();
    // Labels and class are compared only for binding. Many people reserve a volume of another class on purpose.
    let is_harmless = verdicts
        .iter()
        .all(|verdict| matches!(verdict, CandidateVerdict::CandidateSelector | CandidateVerdict::CandidateClass));
    let first = words.first().map(String::as_str).unwrap_or_default();
    let more = match words.get(1..) {
        None | Some([]) => String::new(),
        Some(more) => format!(". Other fields do not fit either: {}", more.join("; ")),
    };
    let mut found = Detection::new(format!(
        "{} does not fit {}: {first}{more}. Without a reservation the controller would not bind them again. \
         The data are not affected",
        mention(&volume_key(name)),
        mention(&case.object())
    ))
    .severity(if is_harmless { Severity::Info } else { Severity::Warning });
    for misfit in verdicts.iter().filter_map(|verdict| misfit(volume, claim, *verdict)) {
        found = with_fields(found, case, volume, claim, &misfit);
    }
    Some(found.remedy(by_hand(format!(
        "change the fields of volume {name} to those of the claim, if its storage really has these properties; do not \
         change its claimRef"
    ))))
}

/// Returns the tests that the volume would fail today. Differences that are normal while a claim is being changed are
/// left out: a raised request that the class permits, and an attributes class.
fn misfits(case: &Case<'_>, volume: &PersistentVolume, claim: &PersistentVolumeClaim) -> Vec<CandidateVerdict> {
    let class = claim.class();
    // When a driver creates a volume, the volume has the requested size. If it is too small now, somebody raised the
    // request, and the rules about resizing report what prevents the expansion.
    let is_made_to_size = volume.meta.annotations.has(AnnotationKey::ProvisionedBy);
    let is_resized =
        || is_made_to_size || !class.is_empty() && case.class(class).is_none_or(|class| class.allow_expansion);
    let is_small = || volume.storage().zip(claim.requested()).is_some_and(|(has, wants)| has.compare(&wants).is_lt());
    let has_labels = |volume: &PersistentVolume| {
        let selector = claim.selector.as_ref().and_then(|selector| selector.compile().ok());
        selector.is_none_or(|selector| selector.matches(&volume.meta.labels))
    };
    let tests = [
        (CandidateVerdict::CandidateVolumeMode, volume.mode() != claim.mode()),
        (CandidateVerdict::CandidateAccessModes, !volume.access_modes.set().contains_all(&claim.access_modes)),
        (CandidateVerdict::CandidateTooSmall, is_small() && !is_resized()),
        (CandidateVerdict::CandidateClass, volume.class() != class),
        (CandidateVerdict::CandidateSelector, !has_labels(volume)),
    ];
    tests.into_iter().filter(|(_, fails)| *fails).map(|(verdict, _)| verdict).collect()
}
