//! This rule reports a claim that requests an attributes class while the feature gate is off.

use crate::controllers::ClaimBranch;
use crate::diagnosis::mention::mention;
use crate::diagnosis::remedy::{by_hand, save_claim};
use crate::diagnosis::{Act, Case, Detect, Detection, Page, Risk, Rule, Severity};
use crate::model::{Kind, PersistentVolumeClaim};

pub(super) static RULE: Rule = Rule {
    id: "pvc-vac-gate-off",
    title: "the claim requests an attributes class, but the feature gate is off",
    severity: Severity::Error,
    risk: Risk::None,
    reads: &[Kind::PersistentVolume],
    hinders: &[Act::Bind],
    repairs: &[],
    page: Page {
        seen: "The claim stays Pending, and no event says why.",
        why: "The claim has a `spec.volumeAttributesClassName`, and the gate `VolumeAttributesClass` of \
              kube-controller-manager is off, which is the default from 1.31 to 1.33. If any volume has the access \
              modes of the claim, the controller does not compare volumes: the sync of the claim ends with an error. \
              This also happens if a driver has already created a volume for the claim. Only the controller's log has \
              this error. If the gate is off in the API server, the API server removes the field from new claims. So \
              either the gate is on only in the API server, or it was on when the claim was created.",
        confirm: "kubectl get pvc NAME -n NAMESPACE -o jsonpath='{.spec.volumeAttributesClassName}'\n\
                  kubectl get --raw /metrics | grep VolumeAttributesClass\n\
                  kubectl logs -n kube-system -l component=kube-controller-manager --tail=-1 | grep NAME",
        repair: "Switch the gate on in kube-controller-manager. Then the claim can be bound without any change. \
                 Otherwise create the claim again without the field: the field of an unbound claim cannot be removed. \
                 The claim has no volume yet, so nothing is lost.",
        prevention: "Set each feature gate to the same value in all components. Do not switch this gate off again \
                     while claims use the field.",
        hazard: "None for data. If a driver has already made a volume for the claim, and this volume has policy \
                 Delete, then deleting the claim deletes the volume. It is still empty.",
        sources: &[
            "syncUnboundClaim and FindMatchingVolume, Kubernetes 1.36 (C3)",
            "https://kubernetes.io/docs/concepts/storage/volume-attributes-classes/",
        ],
    },
    detect: Detect::Claim(detect),
};

fn detect(case: &Case<'_>, claim: &PersistentVolumeClaim) -> Option<Detection> {
    let rules = case.behavior();
    let is_off = rules.attributes_class_compared && !rules.attributes_class;
    let asked = claim.attributes_class();
    if !is_off || asked.is_empty() || case.waiting_branch(claim)? != ClaimBranch::UnboundClaimMatchFailed {
        return None;
    }
    let found = Detection::new(format!(
        "{} requests attributes class \"{asked}\", but the feature gate VolumeAttributesClass is off by default. This prediction \
         for Kubernetes {} assumes that the gate is off. Each sync of the claim then fails without an event. If the \
         gate is on, say so with --feature-gates VolumeAttributesClass=true",
        mention(&case.object()),
        rules.version
    ));
    // The state of the feature gate is known only from its default, so the claim may still become Bound.
    let waited = case.lasts(claim.meta.created);
    Some(
        found
            .severity(if waited.is_some() { Severity::Error } else { Severity::Info })
            .evidence(&case.object(), "spec.volumeAttributesClassName", asked)
            .remedy(save_claim(claim, "save the manifest of the claim before you delete it"))
            .remedy(by_hand("switch the feature gate VolumeAttributesClass on in kube-controller-manager"))
            .remedy(by_hand(
                "delete the claim, which has no volume, and create it again without spec.volumeAttributesClassName",
            )),
    )
}
