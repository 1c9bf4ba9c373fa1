//! This rule reports a volume whose `claimRef` names an object of another kind.

use crate::diagnosis::mention::part_of;
use crate::diagnosis::misfit::claim_name;
use crate::diagnosis::remedy::{expect, patch_volume};
use crate::diagnosis::{Act, Case, Detect, Detection, Page, Risk, Rule, Severity};
use crate::model::PersistentVolume;
use serde_json::json;

pub(super) static RULE: Rule = Rule {
    id: "bind-claimref-wrong-kind",
    title: "the volume's claimRef names another kind of object",
    severity: Severity::Warning,
    risk: Risk::None,
    reads: &[],
    hinders: &[Act::Offer],
    repairs: &[],
    page: Page {
        seen: "The volume is bound as usual, but `spec.claimRef.kind` is not PersistentVolumeClaim.",
        why: "The controller compares namespace, name and uid of a `claimRef`, and never its kind, and the API server \
              does not check it. Perhaps the author meant another object than a claim, such as the StatefulSet or the \
              PersistentVolume. Tools that use the kind of the reference do not find the claim.",
        confirm: "kubectl get pv VOLUME -o jsonpath='{.spec.claimRef}'",
        repair: "If the namespace and the name are those of the right claim, correct only the kind. Otherwise correct \
                 the namespace and the name, too, as long as no claim is bound to the volume.",
        prevention: "Write `kind: PersistentVolumeClaim` and `apiVersion: v1` into a `claimRef`, or leave both out.",
        hazard: "A backup tool that does not recognise the claim may leave the volume out.",
        sources: &[
            "IsVolumeBoundToClaim, component-helpers, Kubernetes 1.36",
            "ValidatePersistentVolume, Kubernetes 1.36",
        ],
    },
    detect: Detect::Volume(detect),
};

fn detect(case: &Case<'_>, volume: &PersistentVolume) -> Option<Detection> {
    let named = volume.claim_ref.as_ref()?;
    if volume.terminating() || named.kind.is_empty() || named.kind == "PersistentVolumeClaim" {
        return None;
    }
    let found = Detection::new(format!(
        "{} has kind {:?} instead of PersistentVolumeClaim. The controller ignores the kind and treats {} as a claim, \
         but other tools may not",
        part_of(&case.object(), "spec.claimRef"),
        named.kind.as_str(),
        claim_name(named)
    ));
    let steps = vec![
        expect("/spec/claimRef/kind", &named.kind),
        json!({ "op": "replace", "path": "/spec/claimRef/kind", "value": "PersistentVolumeClaim" }),
    ];
    Some(found.evidence(&case.object(), "spec.claimRef.kind", named.kind.as_str()).remedy(patch_volume(
        volume,
        steps,
        "correct only the kind of the reference",
    )))
}
