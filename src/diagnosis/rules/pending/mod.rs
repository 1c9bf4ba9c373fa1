//! Claims that wait for a volume: who has to act, and whether anybody will. That a claim waits is often normal, and no
//! event says when it is not.

crate::diagnosis::rules::section! {
    vac_gate_off,
    wffc_nodename_bypass,
    selected_node_gone,
    selector_blocks_provisioning,
    pool_exhausted,
    class_not_found,
    no_class_no_pv,
    provisioner_name_drift,
    provisioner_silent,
    wffc_pod_unschedulable,
    wffc_no_consumer,
}

mod pool;

use crate::controllers::ClaimBranch;
use crate::controllers::persistent_volume::plugins::migrated_driver;
use crate::diagnosis::case::PATIENCE;
use crate::diagnosis::remedy::{kubectl, quoted, save_claim};
use crate::diagnosis::{Case, Found, Remedy};
use crate::model::{AnnotationKey, PersistentVolumeClaim, Pod, StorageClass, Timestamp};
use serde_json::Value;

/// Where the node stands that the scheduler chose.
const SELECTED_NODE: &str = "metadata.annotations[volume.kubernetes.io/selected-node]";

/// The leaf where the next sync of a claim ends that has no volume and names none; nothing for one that is being
/// deleted.
fn waiting_branch(case: &Case<'_>, claim: &PersistentVolumeClaim) -> Option<ClaimBranch> {
    let searches = claim.volume_name.is_empty()
        && !claim.terminating()
        && !claim.meta.annotations.has(AnnotationKey::BindCompleted);
    if searches { case.claim_branch() } else { None }
}

/// The driver that has to make the volumes of a class, by the name that it has today.
fn driver_of<'c>(case: &Case<'_>, class: &'c StorageClass) -> &'c str {
    migrated_driver(case.rules(), &class.provisioner).unwrap_or(&class.provisioner)
}

/// The pods that use the claim and have not ended, in the order of their names.
fn users<'a>(case: &Case<'a>, claim: &PersistentVolumeClaim) -> impl Iterator<Item = &'a Pod> {
    case.snapshot().pods_of(&claim.meta.namespace, &claim.meta.name).filter(|pod| !pod.terminated())
}

/// The node that the scheduler chose for the claim.
fn selected_node(claim: &PersistentVolumeClaim) -> Option<&str> {
    claim.meta.annotations.get(AnnotationKey::SelectedNode).filter(|node| !node.is_empty())
}

/// Since when a driver can have been asked for the volume: not before the claim and its class were there, nor, where
/// binding waits for a pod, before the first of the pods that use it was.
fn asked_since(case: &Case<'_>, claim: &PersistentVolumeClaim, class: &StorageClass) -> Option<Timestamp> {
    let created = claim.meta.created?;
    let first_pod = || users(case, claim).filter_map(|pod| pod.meta.created).min();
    let used = if class.waits_for_first_consumer() { first_pod() } else { None };
    Some([class.meta.created, used].into_iter().flatten().fold(created, Timestamp::max))
}

/// For how many seconds that has been so, where it is longer than a driver usually takes.
fn long_since(case: &Case<'_>, moment: Option<Timestamp>) -> Option<i64> {
    case.seconds_since(moment).filter(|passed| *passed >= PATIENCE)
}

/// The class as it stands on the claim, with the field that counts.
fn with_class(found: Found, case: &Case<'_>, claim: &PersistentVolumeClaim) -> Found {
    let (field, stated) = match claim.meta.annotations.get(AnnotationKey::BetaStorageClass) {
        Some(class) => ("metadata.annotations[volume.beta.kubernetes.io/storage-class]", Some(class)),
        None => ("spec.storageClassName", claim.class_name.as_deref()),
    };
    // That it is there and empty says something else than that it is not there.
    let value = if stated == Some("") { "\"\"" } else { stated.unwrap_or_default() };
    found.evidence(&case.object(), field, value)
}

/// What the claim asks of a volume, for somebody who makes one by hand.
fn wanted(claim: &PersistentVolumeClaim) -> String {
    let size = claim.requested().map(|size| format!(" of at least {size}")).unwrap_or_default();
    let modes = crate::diagnosis::misfit::modes(&claim.access_modes);
    let of_class = match claim.class() {
        "" => "without a class".to_owned(),
        class => format!("of class {class}"),
    };
    format!("a PersistentVolume {of_class}{size} with access modes {modes} and volume mode {}", claim.mode().as_str())
}

/// Keeps the claim's manifest, before anybody creates it again.
fn save(claim: &PersistentVolumeClaim) -> Remedy {
    save_claim(claim, "save the claim as it is")
}

/// A merge patch of the claim; one that holds the claim's uid is refused where there is another claim of that name.
fn merge(claim: &PersistentVolumeClaim, patch: &Value, does: impl Into<String>) -> Remedy {
    let (name, namespace) = (quoted(&claim.meta.name), quoted(&claim.meta.namespace));
    kubectl(format!("patch pvc {name} -n {namespace} -p {}", quoted(&patch.to_string())), does)
}
