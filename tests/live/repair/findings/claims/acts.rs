//! The actions that cause and change the states of these cases.

use crate::live::repair::findings::actors::{
    ask_set, bring_back, created_long_ago, delete, deleted_long_ago, leave, made, member, own, pod, set,
};
use crate::live::site::{PV, PVC, Place};
use http::Method;
use serde_json::json;
use std::thread::sleep;
use std::time::Duration;

/// An application is installed again while the driver is unavailable. Its claim names the volume, but has another uid.
pub(super) fn installed_again(place: &Place<'_>) {
    made(place, "data", "a");
    leave(place, "data", "a", "Delete");
    let mut claim = place.manifest(&place.name, "data");
    claim["spec"]["volumeName"] = json!(place.of("a"));
    place.site.put(&claim);
}

/// The claim was created again and got a new volume. A person wants the old data, and writes the new uid into the old
/// volume.
pub(super) fn uid_of_todays_claim(place: &Place<'_>) {
    made(place, "data", "a");
    leave(place, "data", "a", "Delete");
    // A volume that was created in the same second as the claim may count as made for the claim.
    sleep(Duration::from_secs(1));
    made(place, "data", "b");
    let uid = place.site.get(PVC, &place.name, "data").unwrap()["metadata"]["uid"].clone();
    place.site.edit(PV, "", &place.of("a"), |volume| volume["spec"]["claimRef"]["uid"] = uid.clone());
}

/// A StatefulSet that deletes its claims is deleted. The finalizer of an operator keeps it. The garbage collector
/// deletes the claims after the set is gone.
pub(super) fn owner_is_deleted(place: &Place<'_>) {
    let retention = json!({"whenDeleted": "Delete", "whenScaled": "Retain"});
    let owner = set(place, "db", 1, &retention, &json!(["example.com/cleanup"]));
    member(place, "db", 0, "a");
    own(place, "data-db-0", &owner);
    ask_set(place, Method::DELETE, "db", |_| {});
}

/// A backup tool creates the claim again with the annotations of its binding. The volume has the uid of the former
/// claim.
pub(super) fn restored_from_backup(place: &Place<'_>) {
    made(place, "data", "a");
    bring_back(place, "data", "a", "Delete", |_| {});
}

/// A person applies the manifest of the volume again. Its claimRef has no uid.
pub(super) fn applied_again(place: &Place<'_>) {
    place.bound("data", "a", "Retain");
    place.site.edit(PV, "", &place.of("a"), |volume| volume["spec"]["claimRef"]["uid"] = json!(null));
}

/// A tool creates the claim again with the annotations of its binding, but without the name of its volume.
pub(super) fn restored_without_its_volume(place: &Place<'_>) {
    place.bound("data", "a", "Retain");
    bring_back(place, "data", "a", "Retain", |claim| claim["spec"]["volumeName"] = json!(null));
}

/// The namespace is deleted. Its controller first deletes the pods. It deletes nothing else until the pods are gone.
/// The pod does not end, because its node does not answer.
pub(super) fn namespace_is_deleted(place: &Place<'_>) {
    made(place, "data", "a");
    pod(place, "user", "data", "Running");
    delete(place, "Namespace", "", &place.name);
    delete(place, "Pod", &place.name, "user");
    deleted_long_ago(place, "Namespace", "", &place.name);
}

/// A person writes the name of the class with one letter too many.
pub(super) fn class_is_misspelt(place: &Place<'_>) {
    place.volume("a", "Retain");
    let mut claim = place.manifest(&place.name, "data");
    claim["spec"]["storageClassName"] = json!(format!("{}x", place.name));
    place.site.put(&claim);
    place.claim_is("data", "Pending, ");
    created_long_ago(place, PVC, &place.name, "data");
}

/// The scheduler chooses a node for the claim. An autoscaler removes the node before the driver, which is unavailable,
/// has created a volume there.
pub(super) fn node_is_removed(place: &Place<'_>) {
    let node = place.of("node");
    place.site.put(&json!({"apiVersion": "v1", "kind": "Node", "metadata": {"name": node}}));
    place.claim_in(&place.name, "data");
    place.site.put(&json!({
        "apiVersion": "v1", "kind": "Pod", "metadata": {"namespace": place.name, "name": "user"},
        "spec": {
            "containers": [{"name": "c", "image": "none"}],
            "volumes": [{"name": "v", "persistentVolumeClaim": {"claimName": "data"}}],
        },
    }));
    place.site.edit(PVC, &place.name, "data", |claim| {
        claim["metadata"]["annotations"]["volume.kubernetes.io/selected-node"] = json!(node);
    });
    let asked = || place.site.get(PVC, &place.name, "data").unwrap();
    crate::live::site::Site::until("the driver is asked for a volume", || {
        asked()["metadata"]["annotations"]["volume.kubernetes.io/storage-provisioner"].is_string()
    });
    delete(place, "Node", "", &node);
    created_long_ago(place, "StorageClass", "", &place.name);
    created_long_ago(place, PVC, &place.name, "data");
    created_long_ago(place, "Pod", &place.name, "user");
}

/// A person deletes the claim of a finished job, whose pod still exists.
pub(super) fn deleted_after_its_job(place: &Place<'_>) {
    made(place, "data", "a");
    pod(place, "job", "data", "Succeeded");
    delete(place, PVC, &place.name, "data");
}

/// A person deletes the claim of a finished job, whose pod still exists. The volume has policy Retain.
pub(super) fn deleted_after_its_job_and_kept(place: &Place<'_>) {
    place.bound("data", "a", "Retain");
    pod(place, "job", "data", "Succeeded");
    delete(place, PVC, &place.name, "data");
}

/// A person deletes the claim of a running pod.
pub(super) fn deleted_in_use(place: &Place<'_>) {
    made(place, "data", "a");
    pod(place, "user", "data", "Running");
    delete(place, PVC, &place.name, "data");
}

/// An operator sets its finalizer on a claim. The operator is uninstalled before the claim is deleted.
pub(super) fn kept_by_an_operator(place: &Place<'_>) {
    made(place, "data", "a");
    keep(place, "example.com/backup");
}

/// A snapshot of the claim never becomes ready, and the claim is deleted.
pub(super) fn kept_by_a_snapshot(place: &Place<'_>) {
    made(place, "data", "a");
    keep(place, "snapshot.storage.kubernetes.io/pvc-as-source-protection");
}

/// A claim is deleted. The finalizer of an uninstalled operator keeps it. The volume has policy Retain.
pub(super) fn kept_by_an_operator_with_its_data(place: &Place<'_>) {
    place.bound("data", "a", "Retain");
    keep(place, "example.com/backup");
}

fn keep(place: &Place<'_>, finalizer: &str) {
    place.site.edit(PVC, &place.name, "data", |claim| {
        claim["metadata"]["finalizers"].as_array_mut().unwrap().push(json!(finalizer));
    });
    delete(place, PVC, &place.name, "data");
    deleted_long_ago(place, PVC, &place.name, "data");
}

/// A StatefulSet is scaled down. It deletes the claims of removed members. Its controller makes the pod of the member
/// the owner of the claim. Then it deletes the pod, which has a grace period.
pub(super) fn set_is_scaled_down(place: &Place<'_>) {
    set(place, "es", 2, &json!({"whenDeleted": "Retain", "whenScaled": "Delete"}), &json!([]));
    member(place, "es", 0, "a");
    member(place, "es", 1, "b");
    ask_set(place, Method::PUT, "es", |set| set["spec"]["replicas"] = json!(1));
    let leaving = place.site.get("Pod", &place.name, "es-1").unwrap();
    own(place, "data-es-1", &leaving);
    delete(place, "Pod", &place.name, "es-1");
}

/// The operator removes its finalizer from the set, and the garbage collector deletes the objects of the set.
pub(super) fn owner_is_gone(place: &Place<'_>) {
    ask_set(place, Method::PUT, "db", |set| set["metadata"]["finalizers"] = json!([]));
    place.site.delete("Pod", &place.name, "db-0");
    delete(place, PVC, &place.name, "data-db-0");
}

/// The pod ends, and the controller of namespaces deletes the other objects.
pub(super) fn namespace_goes_on(place: &Place<'_>) {
    user_ends(place);
    delete(place, PVC, &place.name, "data");
}

/// A person deletes the finished pod.
pub(super) fn job_is_deleted(place: &Place<'_>) {
    place.site.delete("Pod", &place.name, "job");
}

/// The pod ends.
pub(super) fn user_ends(place: &Place<'_>) {
    place.site.delete("Pod", &place.name, "user");
}

/// The operator is installed again, and removes its finalizer.
pub(super) fn operator_is_back(place: &Place<'_>) {
    place.site.edit(PVC, &place.name, "data", |claim| {
        claim["metadata"]["finalizers"].as_array_mut().unwrap().retain(|one| one == "kubernetes.io/pvc-protection");
    });
}

/// The member's pod ends, and the garbage collector deletes its claim.
pub(super) fn member_is_gone(place: &Place<'_>) {
    place.site.delete("Pod", &place.name, "es-1");
    delete(place, PVC, &place.name, "data-es-1");
}
