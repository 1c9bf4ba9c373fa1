//! This rule reports a claim that requests more than it has although its class does not allow expansion.

use super::{Sizes, driver_of, is_under_way, lasts};
use crate::diagnosis::mention::part_of;
use crate::diagnosis::remedy::{by_hand, kubectl, quoted};
use crate::diagnosis::{Act, Case, Detect, Detection, Page, Risk, Rule, Severity, key};
use crate::model::{AnnotationKey, Kind, PersistentVolumeClaim};
use serde_json::json;

pub(super) static RULE: Rule = Rule {
    id: "resize-not-allowed",
    title: "the claim requests more than it has, but its class does not allow expansion",
    severity: Severity::Warning,
    risk: Risk::None,
    reads: &[Kind::PersistentVolume, Kind::StorageClass],
    hinders: &[],
    repairs: &[],
    page: Page {
        seen: "The claim is Bound and requests more than its CAPACITY, and nothing happens. A larger request is \
               refused: only dynamically provisioned claims can be resized, and their class has to support it.",
        why: "The API server lets a claim request more only if its class exists and has `allowVolumeExpansion: true`. \
              The claim requests more than its capacity, so the API server accepted the request before the class was \
              changed, deleted, or created again without that field. A resizer does not check the class: if it runs, \
              it expands the volume. No resizer has begun, so the driver cannot expand volumes, or its resizer does \
              not run.",
        confirm: "kubectl get pvc NAME -n NAMESPACE -o jsonpath='{.spec.storageClassName} \
                  {.spec.resources.requests.storage} {.status.capacity.storage}'\n\
                  kubectl get sc CLASS -o jsonpath='{.allowVolumeExpansion}'",
        repair: "If the driver can expand volumes, allow expansion in the class, which can be changed at any time, and \
                 run the driver's resizer. If the driver cannot expand volumes, leave the claim as it is, or copy its \
                 data to a larger volume.",
        prevention: "If the driver can expand volumes, create the class with `allowVolumeExpansion: true`. If you \
                     create a class again, keep all its fields.",
        hazard: "None: the volume is used as before. If no resizer expands the volume, as for in-tree NFS and hostPath, \
                 `allowVolumeExpansion` has one effect only: the API server accepts larger requests.",
        sources: &[
            "PersistentVolumeClaimResize admission, Kubernetes 1.36",
            "syncPVC, external-resizer",
            "kubernetes/website#42958",
            "cloudscale-ch/csi-cloudscale#3",
        ],
    },
    detect: Detect::Claim(detect),
};

fn detect(case: &Case<'_>, claim: &PersistentVolumeClaim) -> Option<Detection> {
    let sizes = Sizes::of(case, claim)?;
    // If the volume was created by hand, it was too small from the beginning, and the claim got it because the volume
    // was reserved for the claim.
    let is_dynamic = sizes.volume.meta.annotations.has(AnnotationKey::ProvisionedBy);
    let is_waiting = sizes.grows() && !is_under_way(claim, sizes.volume) && !sizes.are_edited(claim);
    if !is_dynamic || !is_waiting || !lasts(case) {
        return None;
    }
    let (name, has, wants) = (claim.class(), sizes.has, sizes.wants);
    let class_key = key(Kind::StorageClass, "", name);
    let class = if name.is_empty() { None } else { case.class(name) };
    let expansion = part_of(&case.object(), &format!("the expansion to {wants}"));
    let why = match class {
        Some(class) if class.allow_expansion => return None,
        Some(_) => format!("{expansion} has not begun, and class {name} does not allow expansion"),
        None if name.is_empty() => {
            format!("{expansion} has not begun, because only a class can allow expansion, and the claim has none")
        }
        None if case.lacks(Kind::StorageClass, "", name) => {
            format!("{expansion} has not begun, and class {name} does not exist")
        }
        None => return None,
    };
    let who = match driver_of(case, sizes.volume) {
        Some(driver) => format!("the resizer of {driver} has not begun"),
        None => "nobody has begun to expand the volume".to_owned(),
    };
    let found = Detection::new(format!(
        "{why}. The claim requests {wants} and has {has}. The API server accepted this request \
                                before, but {who}. The API server accepts no larger request now"
    ));
    let found = sizes.told(found, case);
    let Some(class) = class else {
        return Some(
            found.evidence(&class_key, "metadata.name", "").follows_from(class_key.clone(), Act::Expand).remedy(
                by_hand("if the driver can expand volumes, create the class again, with allowVolumeExpansion: true"),
            ),
        );
    };
    let patch = json!({ "metadata": { "uid": class.meta.uid }, "allowVolumeExpansion": true });
    let command = format!("patch sc {} -p {}", quoted(name), quoted(&patch.to_string()));
    Some(
        found
            .evidence(&class_key, "allowVolumeExpansion", "false")
            .follows_from(class_key, Act::Expand)
            .remedy(kubectl(command, "if the driver can expand volumes, allow it for the class"))
            .remedy(by_hand("check that the driver's resizer runs; without it the claim works, but keeps its size")),
    )
}
