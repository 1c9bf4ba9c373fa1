//! This rule reports a claim that requests an attributes class that does not exist.

use super::requested_attributes;
use crate::controllers::ClaimBranch;
use crate::diagnosis::mention::mention;
use crate::diagnosis::remedy::{by_hand, kubectl};
use crate::diagnosis::{Act, Case, Detect, Detection, Page, Risk, Rule, Severity, key};
use crate::model::{Kind, PersistentVolumeClaim};

pub(super) static RULE: Rule = Rule {
    id: "vac-missing",
    title: "the claim's attributes class does not exist",
    severity: Severity::Warning,
    risk: Risk::None,
    reads: &[Kind::PersistentVolume, Kind::StorageClass, Kind::Pod, Kind::VolumeAttributesClass],
    hinders: &[Act::Bind],
    repairs: &[],
    page: Page {
        seen: "The claim names a class in `spec.volumeAttributesClassName` that `kubectl get vac` does not show. A Bound \
               claim keeps its old attributes, and `status.modifyVolumeStatus.status` is Pending. A new claim stays \
               Pending.",
        why: "The driver's resizer reads the parameters from the VolumeAttributesClass, and its provisioner does so for \
              a new volume. Both wait until the class exists.",
        confirm: "kubectl get pvc NAME -n NAMESPACE -o jsonpath='{.spec.volumeAttributesClassName}'\n\
                  kubectl get volumeattributesclasses",
        repair: "Create the class. If the claim is Bound, you can instead set `spec.volumeAttributesClassName` to a \
                 class that exists. The field of a claim that is not Bound cannot be changed: delete the claim, and \
                 create it again. The field cannot be emptied once `status.currentVolumeAttributesClassName` is set.",
        prevention: "Create classes before claims request them.",
        hazard: "None: the volume keeps the attributes that it has.",
        sources: &[
            "isVolumeAttributesClassExists, modify_volume, external-resizer",
            "https://kubernetes.io/docs/concepts/storage/volume-attributes-classes/",
        ],
    },
    detect: Detect::Claim(detect),
};

fn detect(case: &Case<'_>, claim: &PersistentVolumeClaim) -> Option<Detection> {
    let wanted = claim.attributes_class();
    let is_bound = requested_attributes(claim).is_some();
    let is_new = !wanted.is_empty() && claim.volume_name.is_empty() && !claim.terminating();
    let is_provisioned = || is_new && case.claim_branch() == Some(ClaimBranch::UnboundClaimProvisionExternal);
    if !(is_bound || is_provisioned()) {
        return None;
    }
    if !case.lacks(Kind::VolumeAttributesClass, "", wanted) {
        return None;
    }
    let (severity, then, or) = if is_bound {
        let or = "set spec.volumeAttributesClassName of the claim to a class that exists";
        (Severity::Warning, "Its volume keeps the attributes that it has", or)
    } else {
        let or = "delete the claim, which has no volume, and create it again with a class that exists";
        (Severity::Error, "No driver makes a volume until that class exists", or)
    };
    let found = Detection::new(format!(
        "{} requests VolumeAttributesClass {wanted}, which does not exist. {then}",
        mention(&case.object())
    ));
    Some(
        found
            .severity(severity)
            .evidence(&case.object(), "spec.volumeAttributesClassName", wanted)
            .evidence(&key(Kind::VolumeAttributesClass, "", wanted), "metadata.name", "")
            .remedy(kubectl(
                "get volumeattributesclasses",
                format!("see whether the class has another name than {wanted}"),
            ))
            .remedy(by_hand(format!("create VolumeAttributesClass {wanted}, or {or}"))),
    )
}
