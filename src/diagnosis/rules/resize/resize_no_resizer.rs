//! This rule reports a claim that requests more than it has and whose expansion has not begun.

use super::{Sizes, class_allows, driver_of, event, is_under_way, lasts, with_event};
use crate::diagnosis::case::{PATIENCE, volume_key};
use crate::diagnosis::mention::volume_of;
use crate::diagnosis::remedy::{by_hand, describe, kubectl, quoted};
use crate::diagnosis::{Case, Detect, Detection, Page, Risk, Rule, Severity};
use crate::model::{Kind, PersistentVolumeClaim, SourceKind};
use crate::text::human_age;

pub(super) static RULE: Rule = Rule {
    id: "resize-no-resizer",
    title: "no resizer begins to expand the volume",
    severity: Severity::Warning,
    risk: Risk::None,
    reads: &[Kind::PersistentVolume, Kind::StorageClass, Kind::Event],
    hinders: &[],
    repairs: &[],
    page: Page {
        seen: "The claim is Bound with its old CAPACITY and requests more. An event `ExternalExpanding` says that the \
               claim waits for an external controller, and nothing follows: there is no condition `Resizing`.",
        why: "kube-controller-manager does not expand the volume itself. It only writes that event once. The resizer \
              of the volume's CSI driver has to expand the volume. If the resizer does not run, nothing happens, and \
              no event reports this. For volumes of other types, such as NFS, local or host paths, there is no resizer \
              at all: `allowVolumeExpansion` of their class only makes the API server accept the request.",
        confirm: "kubectl get pvc NAME -n NAMESPACE -o jsonpath='{.spec.resources.requests.storage} \
                  {.status.capacity.storage} {.status.conditions}'\n\
                  kubectl describe pvc NAME -n NAMESPACE\n\
                  kubectl get pods -A | grep -i csi",
        repair: "For a CSI volume, run the driver's resizer, usually a container `csi-resizer` beside the provisioner: \
                 then the expansion starts by itself. For volumes of other types, create a larger volume, and copy the \
                 data.",
        prevention: "Do not set `allowVolumeExpansion` on classes whose volumes nobody can expand.",
        hazard: "None: the volume can be used as before. The request cannot be lowered to the present size of the \
                 claim. If you edit the capacity of the volume, its storage does not grow, and the problem is hidden.",
        sources: &[
            "expandController.syncHandler, Kubernetes 1.36 (J3, J4)",
            "pvcNeedResize, CanSupport, external-resizer",
            "rancher/local-path-provisioner#470",
            "scaleway/scaleway-csi#45",
            "kubernetes/kubernetes#85253",
        ],
    },
    detect: Detect::Claim(detect),
};

fn detect(case: &Case<'_>, claim: &PersistentVolumeClaim) -> Option<Detection> {
    let sizes = Sizes::of(case, claim)?;
    let is_waiting = sizes.grows() && !is_under_way(claim, sizes.volume) && !sizes.are_edited(claim);
    // If the class does not allow expansion, another rule reports this.
    if !is_waiting || class_allows(case, claim) != Some(true) || !lasts(case) {
        return None;
    }
    let (volume, has, wants) = (&sizes.volume.meta.name, sizes.has, sizes.wants);
    let its_volume = volume_of(&case.object(), volume);
    let asked = event(case, claim, "ExternalExpanding");
    let with_asked = |found: Detection| match asked {
        Some(event) => with_event(found, case, event),
        None => found,
    };
    let Some(driver) = driver_of(case, sizes.volume) else {
        let kind = kind_without_resizer(&sizes.volume.source.kind)?;
        let found = Detection::new(format!(
            "nobody expands {its_volume}, because it is of type {kind}. The claim requests {wants} and keeps {has}, \
             although its class allows expansion"
        ));
        let found = sizes.told(found, case).evidence(&volume_key(volume), "spec", kind);
        let instead = format!(
            "create a larger volume and copy the data, or do nothing: volume {volume} can be used as before, and the \
             request cannot be lowered to {has} again"
        );
        let found = with_asked(found).remedy(by_hand(instead));
        // Upstream: `localVolumePlugin.NodeExpand`, `pkg/volume/local`, 1.36.
        let enlarge = format!(
            "or, if the volume is a block device, enlarge the device on its node and write its new size into \
             spec.capacity of volume {volume}: the kubelet expands the file system for a pod that uses the claim"
        );
        let is_local = sizes.volume.source.kind == SourceKind::Local;
        return Some(if is_local { found.remedy(by_hand(enlarge)) } else { found });
    };
    // The controller writes this event when it sees the raised request. Without the event, it is unknown how long ago
    // that was.
    let waited = asked.and_then(|event| case.seconds_since(event.last_seen)).filter(|waited| *waited >= PATIENCE);
    let found = match waited {
        Some(waited) => Detection::new(format!(
            "the resizer of {driver} has still not begun to expand {its_volume} after {}. The claim requests {wants} \
             and has {has}. This rule cannot check whether a resizer runs",
            human_age(waited)
        ))
        .since(asked.and_then(|event| event.last_seen)),
        None => Detection::new(format!(
            "the resizer of {driver} has not begun to expand {its_volume}. The claim requests {wants} and has \
             {has}. If the request was raised just now, this is normal"
        ))
        .severity(Severity::Info),
    };
    let lease = format!("external-resizer-{}", driver.replace('.', "-"));
    let selector = quoted(&format!("metadata.name={lease}"));
    Some(
        with_asked(sizes.told(found, case))
            .remedy(describe(&case.object(), "see whether a resizer has written an event: if so, a resizer runs"))
            .remedy(kubectl(
                format!("get lease -A --field-selector {selector} -o yaml"),
                "see whether the resizer runs: if so, renewTime is only seconds old; a resizer without leader election \
                 has no Lease",
            ))
            .remedy(by_hand(format!(
                "run the resizer of {driver} (usually a container csi-resizer beside its provisioner); then the \
                 expansion starts"
            ))),
    )
}

/// Returns the type of the volume if neither Kubernetes nor a CSI driver expands volumes of this type.
fn kind_without_resizer(kind: &SourceKind) -> Option<&str> {
    match kind {
        SourceKind::HostPath | SourceKind::Nfs | SourceKind::Local => Some(kind.as_str()),
        SourceKind::Other(field) if matches!(field.as_str(), "iscsi" | "fc" | "cephfs" | "glusterfs") => Some(field),
        // kube-controller-manager expands FlexVolumes. In older versions of Kubernetes, it also expands the volumes of
        // in-tree plugins that were removed later.
        SourceKind::Other(_) | SourceKind::Csi | SourceKind::None => None,
    }
}
