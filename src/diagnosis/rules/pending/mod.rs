//! Claims that wait for a volume: who has to act, and whether anybody will. That a claim waits is often normal, and no
//! event says when it is not.

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

/// Where the node stands that the scheduler chose.
const SELECTED_NODE: &str = "metadata.annotations[volume.kubernetes.io/selected-node]";

/// The driver that has to make the volumes of a class, by the name that it has today.
fn driver_of<'c>(case: &Case<'_>, class: &'c StorageClass) -> &'c str {
    migrated_driver(case.behavior(), &class.provisioner).unwrap_or(&class.provisioner)
}

/// The pods that use the claim and have not ended, in the order of their names.
pub(super) fn users<'a>(case: &Case<'a>, claim: &PersistentVolumeClaim) -> impl Iterator<Item = &'a Pod> {
    case.snapshot().pods_of(&claim.meta.namespace, &claim.meta.name).filter(|pod| !pod.terminated())
}

/// The node that the scheduler chose for the claim.
fn selected_node(claim: &PersistentVolumeClaim) -> Option<&str> {
    claim.meta.annotations.get(AnnotationKey::SelectedNode).filter(|node| !node.is_empty())
}

/// Since when a driver can have been asked for the volume: not before the claim and its class were there, nor, where
/// binding waits for a pod, before the first of the pods that use it was.
pub(super) fn asked_since(case: &Case<'_>, claim: &PersistentVolumeClaim, class: &StorageClass) -> Option<Timestamp> {
    let created = claim.meta.created?;
    let first_pod = || users(case, claim).filter_map(|pod| pod.meta.created).min();
    let used = if class.waits_for_first_consumer() { first_pod() } else { None };
    Some([class.meta.created, used].into_iter().flatten().fold(created, Timestamp::max))
}

/// The class as it stands on the claim, with the field that counts.
fn with_class(found: Detection, case: &Case<'_>, claim: &PersistentVolumeClaim) -> Detection {
    let (field, class) = class_of_claim(claim);
    found.evidence(&case.object(), field, class)
}

/// What the claim asks of a volume, for somebody who makes one by hand.
pub(super) fn wanted(claim: &PersistentVolumeClaim) -> String {
    let size = claim.requested().map(|size| format!(" of at least {size}")).unwrap_or_default();
    let modes = crate::diagnosis::misfit::modes(&claim.access_modes);
    let of_class = match claim.class() {
        "" => "without a class".to_owned(),
        class => format!("of class {class}"),
    };
    format!("a PersistentVolume {of_class}{size} with access modes {modes} and volume mode {}", claim.mode().as_str())
}
