//! This rule reports a claim that requests more than its volume has.

use super::bind_foreign_grab::grab;
use super::{Difference, recreate, refused};
use crate::controllers::{CandidateVerdict, ClaimBranch};
use crate::diagnosis::remedy::by_hand;
use crate::diagnosis::{Act, Case, Detect, Detection, Page, Risk, Rule, Severity};
use crate::model::{Kind, PersistentVolumeClaim};

pub(super) static RULE: Rule = Rule {
    id: "bind-size-too-small",
    title: "the volume is smaller than the claim requests",
    severity: Severity::Error,
    risk: Risk::None,
    reads: &[Kind::PersistentVolume, Kind::StorageClass],
    hinders: &[Act::Bind],
    repairs: &[],
    page: Page {
        seen: "The claim is Pending. If it names the volume, an event `VolumeMismatch` says that the requested PV is \
               too small; otherwise no event says which field differs.",
        why: "A claim may get more than it requests, and never less. Sizes are compared as numbers: `1Gi` is 7% more \
              than `1G`, and even a small difference is too much.",
        confirm: "kubectl get pvc NAME -n NAMESPACE -o jsonpath='{.spec.resources.requests.storage}'\n\
                  kubectl get pv VOLUME -o jsonpath='{.spec.capacity.storage}'",
        repair: "Create the claim again with a smaller request, or make a larger volume. If the storage behind the \
                 volume really is larger than its `spec.capacity` says, correct this field: it can be changed.",
        prevention: "Write the sizes of claims and volumes in the same unit, either with the `i` or without it.",
        hazard: "If a volume states more capacity than its storage has, the application fails when the disk is full.",
        sources: &[
            "checkVolumeSatisfyClaim, Kubernetes 1.36 (C18b)",
            "FindMatchingVolume, component-helpers, Kubernetes 1.36 (M3)",
            "kubernetes/kubernetes#58655",
            "IBM/core-dump-handler#78",
        ],
    },
    detect: Detect::Claim(detect),
};

fn detect(case: &Case<'_>, claim: &PersistentVolumeClaim) -> Option<Detection> {
    let leaf = Some(ClaimBranch::UnboundClaimVolumeMismatchTooSmall);
    let refused = refused(case, claim, CandidateVerdict::CandidateTooSmall, leaf)?;
    let (has, wants) = (&refused.misfit.has, &refused.misfit.wants);
    let difference = Difference {
        has: &format!("has {has}"),
        wants: &format!("requests {wants}"),
        advice: "A volume may be larger than the request, but never smaller",
    };
    // If `grab` finds a volume, this volume has exactly the requested size, and a claim with a smaller request is bound
    // to it. Then a smaller request is no remedy.
    let asks_for_less = grab(case, claim).is_none();
    let less = asks_for_less.then(|| recreate(claim, &format!("with a request of at most {has}, if that is enough")));
    let found = refused.found_for_want_of_a_provisioner(case, claim, difference);
    Some(found.remedies(less).remedy(by_hand(format!(
        "create a volume of at least {wants}; if the storage behind volume {} is that large, correct its \
         spec.capacity.storage",
        refused.volume.meta.name
    ))))
}
