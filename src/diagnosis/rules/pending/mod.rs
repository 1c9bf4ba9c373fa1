//! Claims that wait for a volume. The rules say who has to act, and whether somebody will act. Waiting is often normal.
//! If it is not normal, no event reports this.

crate::diagnosis::rules::section! {
    pvc_vac_gate_off,
    pvc_wffc_nodename_bypass,
    pvc_selected_node_gone,
    pvc_selector_blocks_provisioning,
    pool_exhausted,
    pvc_class_not_found,
    pvc_no_class_no_pv,
    pvc_provisioner_name_drift,
    pvc_provisioner_silent,
    pvc_wffc_pod_unschedulable,
    pvc_wffc_no_consumer,
}

pub(super) mod pool;

use crate::controllers::persistent_volume::plugins::migrated_driver;
use crate::diagnosis::facts::class_of_claim;
use crate::diagnosis::{Case, Detection};
use crate::model::{AnnotationKey, PersistentVolumeClaim, Pod, StorageClass, Timestamp};

/// The annotation with the node that the scheduler selected.
const SELECTED_NODE: &str = "metadata.annotations[volume.kubernetes.io/selected-node]";

/// Returns the driver that provisions volumes of the class. For a migrated plugin this is the CSI driver that replaced
/// it.
fn driver_of<'c>(case: &Case<'_>, class: &'c StorageClass) -> &'c str {
    migrated_driver(case.behavior(), &class.provisioner).unwrap_or(&class.provisioner)
}

/// Returns the pods that use the claim and have not ended, in the order of their names.
pub(super) fn users<'a>(case: &Case<'a>, claim: &PersistentVolumeClaim) -> impl Iterator<Item = &'a Pod> {
    case.snapshot().pods_of(&claim.meta.namespace, &claim.meta.name).filter(|pod| !pod.terminated())
}

/// Returns the node that the scheduler selected for the claim, if it selected one.
fn selected_node(claim: &PersistentVolumeClaim) -> Option<&str> {
    claim.meta.annotations.get(AnnotationKey::SelectedNode).filter(|node| !node.is_empty())
}

/// Returns the earliest moment at which a driver can have been asked for the volume. This is not before the claim and
/// its class were created. If binding waits for a pod, it is also not before the first of the known pods that use the
/// claim was created. Returns `None` if the claim does not state when it was created.
pub(super) fn asked_since(case: &Case<'_>, claim: &PersistentVolumeClaim, class: &StorageClass) -> Option<Timestamp> {
    let created = claim.meta.created?;
    let first_pod = || users(case, claim).filter_map(|pod| pod.meta.created).min();
    let used = if class.waits_for_first_consumer() { first_pod() } else { None };
    Some([class.meta.created, used].into_iter().flatten().fold(created, Timestamp::max))
}

/// Adds the class of the claim as evidence, with the field that determines it.
fn with_class(found: Detection, case: &Case<'_>, claim: &PersistentVolumeClaim) -> Detection {
    let (field, class) = class_of_claim(claim);
    found.evidence(&case.object(), field, class)
}

/// Describes the volume that the claim requests, for a person who creates one by hand.
pub(super) fn wanted(claim: &PersistentVolumeClaim) -> String {
    let size = claim.requested().map(|size| format!(" of at least {size}")).unwrap_or_default();
    let modes = crate::diagnosis::misfit::modes(&claim.access_modes);
    let of_class = match claim.class() {
        "" => "without a class".to_owned(),
        class => format!("of class {class}"),
    };
    format!("a PersistentVolume {of_class}{size} with access modes {modes} and volume mode {}", claim.mode().as_str())
}
