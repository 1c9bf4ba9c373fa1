//! This rule reports a claim whose driver refuses the attributes class that the claim requests.

use super::{modification_error, requested_attributes};
use crate::controllers::resizer::ModifyStage;
use crate::diagnosis::mention::part_of;
use crate::diagnosis::remedy::{by_hand, describe, kubectl, quoted};
use crate::diagnosis::{Case, Detect, Detection, Page, Risk, Rule, Severity};
use crate::model::{Kind, PersistentVolumeClaim};
use crate::text::truncate;

pub(super) static RULE: Rule = Rule {
    id: "vac-infeasible",
    title: "the driver refuses the attributes class",
    severity: Severity::Warning,
    risk: Risk::None,
    reads: &[Kind::PersistentVolume],
    hinders: &[],
    repairs: &[],
    page: Page {
        seen: "The claim is Bound, `status.modifyVolumeStatus.status` is Infeasible, and the condition \
               `ModifyVolumeError` has the driver's message.",
        why: "The driver answered that the parameters of the VolumeAttributesClass are wrong for this volume: a value \
              out of range, a change that this type of disk does not allow, or a change too soon after the last one.",
        confirm: "kubectl get pvc NAME -n NAMESPACE -o jsonpath='{.status.modifyVolumeStatus}'\n\
                  kubectl describe pvc NAME -n NAMESPACE\n\
                  kubectl get vac CLASS -o yaml",
        repair: "Set `spec.volumeAttributesClassName` of the claim to the class that the volume has, or to another \
                 class. The parameters of a class cannot be changed: create a new class with the right parameters.",
        prevention: "Try a new class with a small volume of the same driver first.",
        hazard: "None: the volume keeps the attributes that it has.",
        sources: &[
            "ModifyVolumeStatus, core/v1, Kubernetes 1.36",
            "https://kubernetes.io/docs/concepts/storage/volume-attributes-classes/",
        ],
    },
    detect: Detect::Claim(detect),
};

fn detect(case: &Case<'_>, claim: &PersistentVolumeClaim) -> Option<Detection> {
    let wanted = requested_attributes(claim)?;
    if ModifyStage::of(claim) != Some(ModifyStage::Infeasible) {
        return None;
    }
    let has = claim.status.current_attributes_class.as_deref().unwrap_or_default();
    let error = modification_error(claim);
    let says = match error {
        Some(error) => format!(". It says: \"{}\"", truncate(error.message.trim_end_matches('.'), 200)),
        None => String::new(),
    };
    let found = Detection::new(format!(
        "{} refuses VolumeAttributesClass {wanted}, so the volume keeps {}{says}",
        part_of(&case.object(), "the driver"),
        if has.is_empty() { "its attributes".to_owned() } else { format!("class {has}") }
    ))
    .since(error.and_then(|error| error.since))
    .evidence(&case.object(), "spec.volumeAttributesClassName", wanted)
    .evidence(&case.object(), "status.currentVolumeAttributesClassName", has)
    .evidence(&case.object(), "status.modifyVolumeStatus.status", "Infeasible");
    let back = if has.is_empty() { "a class that the driver accepts".to_owned() } else { format!("{has} again") };
    Some(
        found
            .remedy(describe(&case.object(), "read the driver's message in full"))
            .remedy(kubectl(format!("get vac {} -o yaml", quoted(wanted)), "see the parameters of the class"))
            .remedy(by_hand(format!("set spec.volumeAttributesClassName of the claim to {back}"))),
    )
}
