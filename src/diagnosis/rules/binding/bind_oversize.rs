//! This rule reports a claim that got a volume of at least twice the requested size.

use super::bound_volume;
use crate::controllers::ClaimBranch;
use crate::diagnosis::case::volume_key;
use crate::diagnosis::mention::mention;
use crate::diagnosis::remedy::by_hand;
use crate::diagnosis::{Case, Detect, Detection, Page, Risk, Rule, Severity};
use crate::model::{AnnotationKey, Kind, PersistentVolumeClaim};

pub(super) static RULE: Rule = Rule {
    id: "bind-oversize",
    title: "the claim got at least twice what it requests",
    severity: Severity::Info,
    risk: Risk::None,
    reads: &[Kind::PersistentVolume],
    hinders: &[],
    repairs: &[],
    page: Page {
        seen: "The claim is Bound, and its CAPACITY is at least twice what its manifest requests.",
        why: "The controller gave the claim the smallest volume that was free and large enough. If a person creates \
              the volumes, even the smallest one may be much too large, and may be meant for another claim.",
        confirm: "kubectl get pvc NAME -n NAMESPACE -o jsonpath='{.spec.resources.requests} {.status.capacity}'",
        repair: "No repair is needed. If the volume was meant for another claim, see `bind-foreign-grab`.",
        prevention: "Reserve volumes for their claims by a `claimRef`, or create volumes of several sizes.",
        hazard: "None, as long as nobody moves the volume while it is in use.",
        sources: &[
            "FindMatchingVolume, component-helpers, Kubernetes 1.36 (M15, M16)",
            "https://kubernetes.io/docs/concepts/storage/persistent-volumes/#binding",
        ],
    },
    detect: Detect::Claim(detect),
};

fn detect(case: &Case<'_>, claim: &PersistentVolumeClaim) -> Option<Detection> {
    // A person who chose the volume also chose its size. A driver provisions volumes in sizes of its own.
    if !claim.meta.annotations.has(AnnotationKey::BoundByController) {
        return None;
    }
    let volume = bound_volume(case, claim)?;
    let annotations = &volume.meta.annotations;
    if annotations.has(AnnotationKey::ProvisionedBy) || !annotations.has(AnnotationKey::BoundByController) {
        return None;
    }
    let (has, wants) = (volume.storage()?, claim.requested()?);
    if wants.value() <= 0 || has.value() / 2 < wants.value() {
        return None;
    }
    if case.claim_branch()? != ClaimBranch::BoundClaimVolumeOurs {
        return None;
    }
    let name = &volume.meta.name;
    Some(
        Detection::new(format!(
            "{} requests {wants} and got {} with {has}, the smallest free volume that fitted",
            mention(&case.object()),
            mention(&volume_key(name))
        ))
        .evidence(&case.object(), "spec.resources.requests.storage", wants.to_string())
        .evidence(&volume_key(name), "spec.capacity.storage", has.to_string())
        .remedy(by_hand("do nothing; if sizes matter, reserve volumes for their claims")),
    )
}
