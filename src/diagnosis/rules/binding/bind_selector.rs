//! This rule reports a claim whose selector excludes the only volume that would fit.

use super::{Difference, recreate, refused};
use crate::controllers::CandidateVerdict;
use crate::diagnosis::remedy::reserve;
use crate::diagnosis::{Act, Case, Detect, Detection, Page, Risk, Rule, Severity};
use crate::model::{Kind, PersistentVolumeClaim};

pub(super) static RULE: Rule = Rule {
    id: "bind-selector",
    title: "the volume's labels do not match the claim's selector",
    severity: Severity::Error,
    risk: Risk::None,
    reads: &[Kind::PersistentVolume, Kind::StorageClass],
    hinders: &[Act::Bind],
    repairs: &[],
    page: Page {
        seen: "The claim is Pending and the volume Available; no event says that the labels differ.",
        why: "A selector in `spec.selector` excludes every volume that does not have all the labels. The selector is \
              ignored if the claim names its volume, or if the volume is reserved for the claim. Most drivers \
              provision no volume for a claim with a selector.",
        confirm: "kubectl get pvc NAME -n NAMESPACE -o jsonpath='{.spec.selector}'\nkubectl get pv --show-labels",
        repair: "Make sure that the volume has the right disk. Then reserve the volume for the claim, or give it the \
                 labels.",
        prevention: "To reserve one volume for one claim, use a `claimRef`. Use labels for sets of volumes that are \
                     all alike.",
        hazard: "Perhaps the selector prevents the claim from getting a wrong disk. If several volumes have the \
                 labels, the claim can get any of these volumes.",
        sources: &[
            "FindMatchingVolume, component-helpers, Kubernetes 1.36 (M11)",
            "https://kubernetes.io/docs/concepts/storage/persistent-volumes/#selector",
        ],
    },
    detect: Detect::Claim(detect),
};

fn detect(case: &Case<'_>, claim: &PersistentVolumeClaim) -> Option<Detection> {
    claim.selector.as_ref()?;
    let refused = refused(case, claim, CandidateVerdict::CandidateSelector, None)?;
    let name = &refused.volume.meta.name;
    let has = match refused.misfit.has.as_str() {
        "<unset>" => "lacks the label".to_owned(),
        has => format!("has label {has}"),
    };
    let wants = format!("selects {}", refused.misfit.wants);
    let difference = Difference { has: &has, wants: &wants, advice: "All other fields fit" };
    let found = refused.found_for_want_of_a_provisioner(case, claim, difference);
    let does = format!(
        "if volume {name} is the right volume, reserve it for {}: then its labels are not compared",
        claim.key()
    );
    Some(
        found
            .remedies(reserve(refused.volume, claim, Vec::new(), does))
            .remedy(recreate(claim, "with a selector that matches the labels of the right volume")),
    )
}
