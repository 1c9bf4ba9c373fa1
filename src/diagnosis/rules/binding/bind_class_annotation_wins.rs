//! This rule reports a claim or volume whose deprecated class annotation differs from its field.

use super::{ClassDifference, Difference, recreate, refused_class};
use crate::diagnosis::facts::{CLASS, CLASS_ANNOTATION};
use crate::diagnosis::mention::part_of;
use crate::diagnosis::misfit::class_words;
use crate::diagnosis::remedy::{expect, patch_volume};
use crate::diagnosis::{Act, Case, Detect, Detection, Page, Remedy, Risk, Rule, Severity};
use crate::model::{AnnotationKey, Kind, ObjectMeta, PersistentVolume, PersistentVolumeClaim};
use serde_json::json;

pub(super) static RULE: Rule = Rule {
    id: "bind-class-annotation-wins",
    title: "a deprecated annotation states another class than the field",
    severity: Severity::Error,
    risk: Risk::None,
    reads: &[Kind::PersistentVolume, Kind::StorageClass],
    hinders: &[Act::Bind],
    repairs: &[],
    page: Page {
        seen: "The STORAGECLASS that kubectl shows is not the class in the manifest. The claim may stay Pending \
               although claim and volume state the same `spec.storageClassName`.",
        why: "The annotation `volume.beta.kubernetes.io/storage-class` is older than the field. If it is present, it \
              takes precedence over the field, on claims and on volumes, even if it is empty. Old manifests and charts \
              still have it.",
        confirm: "kubectl get pvc NAME -n NAMESPACE -o yaml\nkubectl get pv VOLUME -o yaml",
        repair: "Remove the annotation from the volume: that changes its class at once. A claim has to be created \
                 again without the annotation, because its class cannot be changed.",
        prevention: "State classes only in `spec.storageClassName`.",
        hazard: "If the class of a volume changes, claims of the new class can get the volume. If you delete a bound \
                 claim to create it again, and its volume has policy Delete, the data are deleted.",
        sources: &[
            "GetPersistentVolumeClaimClass and GetPersistentVolumeClass, component-helpers, Kubernetes 1.36",
            "https://kubernetes.io/docs/concepts/storage/persistent-volumes/#class",
        ],
    },
    detect: Detect::Claim(detect),
};

fn detect(case: &Case<'_>, claim: &PersistentVolumeClaim) -> Option<Detection> {
    if claim.terminating() {
        return None;
    }
    if let Some(refused) = refused_class(case, claim, ClassDifference::Annotation) {
        let (volume, claimed) = (refused.volume, claim.class_name.as_deref().unwrap_or_default());
        let of_volume = volume.class() != volume.class_name;
        let (has, wants) = (class_words(volume.class()), class_words(claim.class()));
        let (has, wants) = if of_volume {
            (format!("has {has} by annotation"), format!("has {wants}"))
        } else {
            (format!("has {has}"), format!("has {wants} by annotation"))
        };
        let advice = format!(
            "Both have spec.storageClassName \"{claimed}\", but the annotation \
             volume.beta.kubernetes.io/storage-class takes precedence"
        );
        let found = refused.found_for_want_of_a_provisioner(
            case,
            claim,
            Difference { has: &has, wants: &wants, advice: &advice },
        );
        return Some(if of_volume {
            found.remedy(without_annotation(volume))
        } else {
            found.remedy(recreate(claim, "without the annotation volume.beta.kubernetes.io/storage-class"))
        });
    }
    let (annotation, field) = (annotation(&claim.meta)?, claim.class_name.as_deref()?);
    if annotation == field {
        return None;
    }
    let found = Detection::new(format!(
        "{} says class \"{annotation}\", but spec.storageClassName says \"{field}\". The annotation takes precedence",
        part_of(&case.object(), "the annotation volume.beta.kubernetes.io/storage-class")
    ));
    Some(found.severity(Severity::Warning).evidence(&case.object(), CLASS_ANNOTATION, annotation).evidence(
        &case.object(),
        CLASS,
        field,
    ))
}

fn annotation(meta: &ObjectMeta) -> Option<&str> {
    meta.annotations.get(AnnotationKey::BetaStorageClass)
}

fn without_annotation(volume: &PersistentVolume) -> Remedy {
    let path = "/metadata/annotations/volume.beta.kubernetes.io~1storage-class";
    let mut steps = Vec::new();
    if let Some(value) = annotation(&volume.meta) {
        steps.push(expect(path, value));
    }
    steps.push(json!({ "op": "remove", "path": path }));
    patch_volume(
        volume,
        steps,
        format!("remove the annotation, so that the volume has class \"{}\" from its field", volume.class_name),
    )
}
