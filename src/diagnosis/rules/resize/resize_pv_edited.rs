//! This rule reports a claim and a volume that state different sizes while no expansion is in progress.

use super::{Sizes, driver_of, lasts};
use crate::diagnosis::case::volume_key;
use crate::diagnosis::mention::{mention, part_of};
use crate::diagnosis::remedy::{by_hand, describe, patch_volume};
use crate::diagnosis::{Case, Detect, Detection, Page, Risk, Rule, Severity};
use crate::model::{Kind, PersistentVolumeClaim, SourceKind};
use serde_json::json;

pub(super) static RULE: Rule = Rule {
    id: "resize-pv-edited",
    title: "the capacities of the volume and of the claim differ",
    severity: Severity::Warning,
    risk: Risk::None,
    reads: &[Kind::PersistentVolume],
    hinders: &[],
    repairs: &[],
    page: Page {
        seen: "The claim and the volume are Bound, and CAPACITY of the volume differs from CAPACITY of the claim. \
               There is no condition and no event about a resize.",
        why: "Binding copies the volume's capacity to the claim. During an expansion, the status of the claim shows \
              the progress until both capacities are equal. Here the status shows no progress. So somebody has edited \
              `spec.capacity` of the volume, or has restored the volume from an older manifest. This field only states \
              a size: it changes nothing in the storage. With a CSI driver, the kubelet may copy the larger number to \
              the claim when it looks at a pod that uses the volume, although nothing has grown. With a local volume, \
              the kubelet always does so, and expands the file system if the volume is a block device that has grown.",
        confirm: "kubectl get pv VOLUME -o jsonpath='{.spec.capacity.storage}'\n\
                  kubectl get pvc NAME -n NAMESPACE -o jsonpath='{.status.capacity.storage}'\n\
                  kubectl get pv VOLUME -o yaml --show-managed-fields",
        repair: "Find out in the storage system how large the volume is, and write this size into `spec.capacity` of \
                 the volume. To expand the volume, raise only the request of the claim afterwards.",
        prevention: "To expand volumes, raise only the requests of their claims. After an expansion, save the \
                     manifests of the volumes again.",
        hazard: "None by itself. If the stated capacity is too large, a request of that size seems to be fulfilled. If \
                 it is too small, only smaller claims can get the volume later.",
        sources: &[
            "bind, updateBindVolumeToClaim, Kubernetes 1.36 (B4)",
            "expandVolumeDuringMount, volumeNeedsExpansion, kubelet 1.36",
            "localVolumePlugin.NodeExpand, pkg/volume/local, 1.36",
            "https://kubernetes.io/docs/concepts/storage/persistent-volumes/#csi-volume-expansion",
            "banzaicloud/koperator#469",
        ],
    },
    detect: Detect::Claim(detect),
};

fn detect(case: &Case<'_>, claim: &PersistentVolumeClaim) -> Option<Detection> {
    let sizes = Sizes::of(case, claim)?;
    if !sizes.are_edited(claim) || !lasts(case) {
        return None;
    }
    let (volume, capacity, has) = (&sizes.volume.meta.name, sizes.capacity, sizes.has);
    let larger = capacity.compare(&has).is_gt();
    let is_local = sizes.volume.source.kind == SourceKind::Local;
    let rest = match driver_of(case, sizes.volume) {
        _ if !larger => {
            "Somebody edited the volume, or restored it from an older manifest; its storage has the same \
                         size as before"
        }
        Some(_) => {
            "Somebody edited the volume, which does not expand its storage. But the kubelet may copy that number to the \
             claim when it looks at a pod that uses the volume"
        }
        None if is_local => {
            "Somebody edited the volume. The kubelet copies that number to the claim when it looks at a pod that uses the \
             volume, and expands the file system if the volume is a block device that has grown"
        }
        None => "Somebody edited the volume, which does not expand its storage",
    };
    let found = Detection::new(format!(
        "{} was edited to {capacity}, but {} has {has}. {rest}",
        part_of(&volume_key(volume), "spec.capacity"),
        mention(&case.object())
    ));
    let steps = vec![
        json!({
            "op": "test",
            "path": "/spec/capacity/storage",
            "value": sizes.volume.stated_storage().map(ToString::to_string).unwrap_or_default(),
        }),
        json!({ "op": "replace", "path": "/spec/capacity/storage", "value": has.to_string() }),
    ];
    let does = format!("if the storage has {has}, correct the capacity of the volume; this changes no storage");
    let expand = if is_local {
        "to expand the volume, enlarge its block device on the node; if it has grown, start a pod that uses the claim"
    } else {
        "to expand the volume, raise the claim's spec.resources.requests.storage once both sizes are equal"
    };
    Some(
        sizes
            .told(found, case)
            .remedy(describe(&volume_key(volume), "see where the storage is, and check its size there"))
            .remedy(patch_volume(sizes.volume, steps, does))
            .remedy(by_hand(expand)),
    )
}
