//! This rule reports a claim and a volume that have different classes.

use super::{ClassDifference, Difference, class_steps, recreate, refused_class};
use crate::controllers::persistent_volume::nearest;
use crate::diagnosis::misfit::class_words;
use crate::diagnosis::remedy::{patch_volume, reserve};
use crate::diagnosis::{Act, Case, Detect, Detection, Page, Risk, Rule, Severity};
use crate::model::{Kind, PersistentVolumeClaim};

pub(super) static RULE: Rule = Rule {
    id: "bind-class-mismatch",
    title: "claim and volume have different classes",
    severity: Severity::Error,
    risk: Risk::None,
    reads: &[Kind::PersistentVolume, Kind::StorageClass],
    hinders: &[Act::Bind],
    repairs: &[],
    page: Page {
        seen: "The claim is Pending and the volume Available. If the claim names the volume, an event `VolumeMismatch` \
               says that storageClassName does not match.",
        why: "The classes of the volume and of the claim are compared as words, even if no StorageClass of that name \
              exists. A volume without a class fits only claims whose class is empty.",
        confirm: "kubectl get pvc NAME -n NAMESPACE -o jsonpath='{.spec.storageClassName}'\n\
                  kubectl get pv VOLUME -o jsonpath='{.spec.storageClassName}'",
        repair: "Find out which side is wrong. The class of a volume can be changed: reserve the volume for the claim \
                 in the same step. The class of a claim cannot be changed: create the claim again.",
        prevention: "If a volume is meant for one claim, reserve it with a `claimRef`, and give it the class of the \
                     claim.",
        hazard: "If a volume gets another class, any claim of that class can get it, unless it is reserved. If the \
                 volume is reserved for a claim, the classes are not compared at all.",
        sources: &[
            "checkVolumeSatisfyClaim, Kubernetes 1.36 (C18c)",
            "FindMatchingVolume, component-helpers, Kubernetes 1.36 (M12)",
            "rancher/dashboard#2380",
            "trustyai-explainability/trustyai-service-operator#26",
        ],
    },
    detect: Detect::Claim(detect),
};

fn detect(case: &Case<'_>, claim: &PersistentVolumeClaim) -> Option<Detection> {
    let refused = refused_class(case, claim, ClassDifference::Other)?;
    let (volume, name) = (refused.volume, &refused.volume.meta.name);
    // A free volume of another class is usually unrelated to the claim, unless somebody mistyped the class.
    let is_meant = refused.is_named || is_typo(case, claim.class(), volume.class());
    let difference = Difference {
        has: &format!("has {}", class_words(volume.class())),
        wants: &format!("has {}", class_words(claim.class())),
        advice: "The classes must be equal, letter by letter",
    };
    let found = refused.found_for_want_of_a_provisioner(case, claim, difference);
    let found = if is_meant || refused.is_early { found } else { found.severity(Severity::Warning) };
    let does = format!(
        "if volume {name} is meant for {}, reserve it for that claim and give it the class of the claim",
        claim.key()
    );
    let remedy = reserve(volume, claim, class_steps(volume, claim), does).or_else(|| {
        let does = format!("if volume {name} is meant for the claim, give it the class of the claim");
        refused.is_named.then(|| patch_volume(volume, class_steps(volume, claim), does))
    });
    let how = match volume.class() {
        "" => "with storageClassName \"\", if that is right".to_owned(),
        class => format!("with storageClassName {class}, if that is right"),
    };
    Some(found.remedies(remedy).remedy(recreate(claim, &how)))
}

/// Returns whether one of the two class names is probably a typing error of the other. If both classes exist, neither
/// name is an error, even if the names are similar.
fn is_typo(case: &Case<'_>, claimed: &str, of_volume: &str) -> bool {
    nearest::differs_by_typo(claimed, of_volume) && (case.class(claimed).is_none() || case.class(of_volume).is_none())
}
