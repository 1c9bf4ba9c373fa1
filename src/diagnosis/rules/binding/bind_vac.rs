//! This rule reports a claim and a volume that have different attributes classes.

use super::{Difference, recreate, refused};
use crate::controllers::{CandidateVerdict, ClaimBranch};
use crate::diagnosis::case::volume_key;
use crate::diagnosis::mention::mention;
use crate::diagnosis::remedy::patch_volume;
use crate::diagnosis::{Act, Case, Detect, Detection, Page, Risk, Rule, Severity};
use crate::model::{Kind, PersistentVolumeClaim, SourceKind};
use serde_json::json;

pub(super) static RULE: Rule = Rule {
    id: "bind-vac",
    title: "claim and volume have different attributes classes",
    severity: Severity::Error,
    risk: Risk::None,
    reads: &[Kind::PersistentVolume, Kind::StorageClass],
    hinders: &[Act::Bind],
    repairs: &[],
    page: Page {
        seen: "The claim is Pending and the volume Available. If the claim names the volume, an event `VolumeMismatch` \
               names volumeAttributesClassName; otherwise no event says which field differs.",
        why: "For a binding, `spec.volumeAttributesClassName` of the claim and of the volume have to be equal. An \
              empty name and a missing name are the same. If the feature gate VolumeAttributesClass is off, neither \
              the claim nor the volume may have an attributes class. Before Kubernetes 1.31 the attributes classes \
              were not compared.",
        confirm: "kubectl get pvc NAME -n NAMESPACE -o jsonpath='{.spec.volumeAttributesClassName}'\n\
                  kubectl get pv VOLUME -o jsonpath='{.spec.volumeAttributesClassName}'",
        repair: "Give the volume the attributes class of the claim, if its storage has these attributes. A claim that \
                 is not Bound cannot be changed: create it again with the attributes class of the volume. If the \
                 volume has none, create the claim without one.",
        prevention: "Request an attributes class after the claim is bound. Then the driver changes the attributes of \
                     the storage.",
        hazard: "If you change the attributes class of the PersistentVolume, its storage does not change: it keeps its \
                 attributes.",
        sources: &[
            "checkVolumeSatisfyClaim, Kubernetes 1.36 (C18d, C18e)",
            "FindMatchingVolume, component-helpers, Kubernetes 1.36 (M5)",
            "ValidatePersistentVolumeClaimUpdate, Kubernetes 1.36",
        ],
    },
    detect: Detect::Claim(detect),
};

fn detect(case: &Case<'_>, claim: &PersistentVolumeClaim) -> Option<Detection> {
    if let Some(found) = unsupported(case, claim) {
        return Some(found);
    }
    let leaf = Some(ClaimBranch::UnboundClaimVolumeMismatchAttributesClass);
    let refused = refused(case, claim, CandidateVerdict::CandidateAttributesClass, leaf)?;
    let (volume, wanted) = (refused.volume, claim.attributes_class());
    let difference = Difference {
        has: &format!("has {}", words(volume.attributes_class())),
        wants: &format!("has {}", words(wanted)),
        advice: "The attributes classes must be equal before the binding",
    };
    let found = refused.found_for_want_of_a_provisioner(case, claim, difference);
    let how = match volume.attributes_class() {
        "" => "without volumeAttributesClassName".to_owned(),
        class => format!("with volumeAttributesClassName {class}"),
    };
    let found = found.remedy(recreate(claim, &how));
    // The attributes class of a volume cannot be removed, and only volumes of CSI drivers can have one.
    if wanted.is_empty() || volume.source.kind != SourceKind::Csi {
        return Some(found);
    }
    let steps = vec![json!({ "op": "add", "path": "/spec/volumeAttributesClassName", "value": wanted })];
    let does = "give the volume the claim's attributes class, if its storage has these attributes";
    Some(found.remedy(patch_volume(volume, steps, does)))
}

/// Reports a claim that names a volume, if one of the two has an attributes class while the feature gate is off.
fn unsupported(case: &Case<'_>, claim: &PersistentVolumeClaim) -> Option<Detection> {
    let leaf = ClaimBranch::UnboundClaimVolumeMismatchAttributesClassUnsupported;
    if claim.volume_name.is_empty() || case.unbound_branch(claim)? != leaf {
        return None;
    }
    let volume = case.volume(&claim.volume_name)?;
    let found = Detection::new(format!(
        "feature gate VolumeAttributesClass is off, but {} or {} has an attributes class. The volume has {}, and the \
         claim has {}",
        mention(&case.object()),
        mention(&volume_key(&volume.meta.name)),
        words(volume.attributes_class()),
        words(claim.attributes_class())
    ));
    Some(
        found
            .evidence(&volume_key(&volume.meta.name), "spec.volumeAttributesClassName", volume.attributes_class())
            .evidence(&case.object(), "spec.volumeAttributesClassName", claim.attributes_class())
            .remedy(recreate(claim, "without volumeAttributesClassName, and for a volume without one")),
    )
}

fn words(class: &str) -> String {
    if class.is_empty() { "no attributes class".to_owned() } else { format!("attributes class \"{class}\"") }
}
