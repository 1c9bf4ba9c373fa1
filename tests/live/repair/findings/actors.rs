//! The actors that the control plane does not have. The tests send the requests of these actors: the driver with its
//! provisioner, the scheduler, kubelet, the controllers of namespaces and StatefulSets, and people with their tools.

use crate::live::api::path;
use crate::live::site::{PV, PVC, Place, Site, text};
use http::Method;
use serde_json::{Value, json};

/// The driver. It creates volumes. It never deletes them, because its provisioner is unavailable at that time.
pub(super) const DRIVER: &str = "driver.example.com";
/// The finalizer that the provisioner sets on its volumes.
pub(super) const PROVISIONER: &str = "external-provisioner.volume.kubernetes.io/finalizer";
const ASKED: &str = "volume.kubernetes.io/storage-provisioner";

/// Installs the driver.
pub(super) fn install(site: &Site) {
    site.put(&json!({
        "apiVersion": "storage.k8s.io/v1", "kind": "CSIDriver", "metadata": {"name": DRIVER},
        "spec": {"attachRequired": true, "podInfoOnMount": false},
    }));
}

/// Creates a claim, and a volume for it as the driver does.
pub(super) fn made(place: &Place<'_>, claim: &str, volume: &str) {
    place.claim_in(&place.name, claim);
    serve(place, claim, volume, &[PROVISIONER]);
}

/// Creates a volume with these finalizers, as the driver does when a claim asks for it. Real drivers name volumes after
/// the uid of the claim. Nothing depends on these names, so the test uses names that are easier to read.
pub(super) fn serve(place: &Place<'_>, claim: &str, volume: &str, finalizers: &[&str]) {
    let site = place.site;
    let read = || site.get(PVC, &place.name, claim).unwrap();
    Site::until("the driver is asked for a volume", || read()["metadata"]["annotations"][ASKED] == DRIVER);
    let name = place.of(volume);
    site.put(&json!({
        "apiVersion": "v1", "kind": PV,
        "metadata": {
            "name": name, "finalizers": finalizers, "annotations": {"pv.kubernetes.io/provisioned-by": DRIVER},
        },
        "spec": {
            "capacity": {"storage": "1Gi"}, "accessModes": ["ReadWriteOnce"], "storageClassName": place.name,
            "persistentVolumeReclaimPolicy": "Delete", "csi": {"driver": DRIVER, "volumeHandle": name},
            "claimRef": {
                "apiVersion": "v1", "kind": PVC, "namespace": place.name, "name": claim,
                "uid": read()["metadata"]["uid"],
            },
        },
    }));
    place.claim_is(claim, &format!("Bound, {name}"));
    place.volume_is(volume, &format!("Bound, Delete, of {}/{claim}", place.name));
}

/// Deletes a claim, and waits until its volume is Released.
pub(super) fn leave(place: &Place<'_>, claim: &str, volume: &str, policy: &str) {
    place.site.delete(PVC, &place.name, claim);
    place.volume_is(volume, &format!("Released, {policy}, of the former {}/{claim}", place.name));
}

/// Saves a claim, deletes it, and creates it again from the saved copy with its annotations, as a backup tool does.
pub(super) fn bring_back(place: &Place<'_>, claim: &str, volume: &str, policy: &str, change: impl Fn(&mut Value)) {
    let saved = place.site.get(PVC, &place.name, claim).unwrap();
    leave(place, claim, volume, policy);
    let mut again = place.manifest(&place.name, claim);
    again["metadata"]["annotations"] = saved["metadata"]["annotations"].clone();
    again["spec"] = saved["spec"].clone();
    change(&mut again);
    place.site.put(&again);
}

/// Deletes an object like `kubectl delete`. A pod has a grace period. Without kubelet the pod never ends.
pub(super) fn delete(place: &Place<'_>, kind: &str, namespace: &str, name: &str) {
    let path = path(kind, namespace, name);
    let gone = place.site.runtime.block_on(place.site.api.send(Method::DELETE, &path, None));
    assert!(gone.is_ok(), "{gone:?}");
}

/// Creates a pod that is on a node, with the phase that kubelet reports.
pub(super) fn pod(place: &Place<'_>, name: &str, claim: &str, phase: &str) {
    place.pod(name, claim);
    place.site.report("Pod", &place.name, name, &json!({"phase": phase}));
}

/// A time long ago.
const PAST: &str = "2026-01-10T08:00:00Z";

/// Waits until nothing changes, and moves the deletion of an object to a time long ago.
pub(super) fn deleted_long_ago(place: &Place<'_>, kind: &str, namespace: &str, name: &str) {
    place.rest();
    place.site.store(kind, namespace, name, |object| {
        assert!(object["metadata"]["deletionTimestamp"].is_string(), "{object}");
        object["metadata"]["deletionTimestamp"] = PAST.into();
    });
}

/// Waits until nothing changes, and moves the creation of an object to a time long ago.
pub(super) fn created_long_ago(place: &Place<'_>, kind: &str, namespace: &str, name: &str) {
    place.rest();
    place.site.store(kind, namespace, name, |object| object["metadata"]["creationTimestamp"] = PAST.into());
}

/// Waits until nothing changes, and moves the last phase transition of a volume to a time long ago.
pub(super) fn in_phase_long_since(place: &Place<'_>, volume: &str) {
    place.rest();
    let since = json!({"lastPhaseTransitionTime": PAST});
    place.site.report(PV, "", &place.of(volume), &since);
}

/// Creates a StatefulSet with this retention policy for its claims.
pub(super) fn set(place: &Place<'_>, name: &str, replicas: u32, retention: &Value, finalizers: &Value) -> Value {
    let set = json!({
        "apiVersion": "apps/v1", "kind": "StatefulSet",
        "metadata": {"namespace": place.name, "name": name, "finalizers": finalizers},
        "spec": {
            "replicas": replicas, "serviceName": name, "selector": {"matchLabels": {"app": name}},
            "template": {
                "metadata": {"labels": {"app": name}},
                "spec": {"containers": [{"name": "c", "image": "none"}]},
            },
            "persistentVolumeClaimRetentionPolicy": retention,
            "volumeClaimTemplates": [{
                "metadata": {"name": "data"},
                "spec": place.manifest(&place.name, "data")["spec"],
            }],
        },
    });
    place.site.runtime.block_on(place.site.api.send(Method::POST, &sets(place, ""), Some(&set))).unwrap()
}

/// Sends a request about a StatefulSet.
pub(super) fn ask_set(place: &Place<'_>, method: Method, name: &str, change: impl Fn(&mut Value)) {
    let path = sets(place, &format!("/{name}"));
    let mut set = place.site.runtime.block_on(place.site.api.get(&path)).unwrap();
    change(&mut set);
    let body = (method != Method::DELETE).then_some(&set);
    place.site.runtime.block_on(place.site.api.send(method, &path, body)).unwrap();
}

fn sets(place: &Place<'_>, name: &str) -> String {
    format!("/apis/apps/v1/namespaces/{}/statefulsets{name}", place.name)
}

/// Creates the claim of a member as the controller of StatefulSets does, its volume as the driver does, and its running
/// pod.
pub(super) fn member(place: &Place<'_>, set: &str, ordinal: u32, volume: &str) {
    let (claim, pod_name) = (format!("data-{set}-{ordinal}"), format!("{set}-{ordinal}"));
    made(place, &claim, volume);
    pod(place, &pod_name, &claim, "Running");
}

/// Makes the stored object `owner` the owner of a claim.
pub(super) fn own(place: &Place<'_>, claim: &str, owner: &Value) {
    let reference = json!([{
        "apiVersion": text(owner, "/apiVersion"), "kind": text(owner, "/kind"),
        "name": text(owner, "/metadata/name"), "uid": text(owner, "/metadata/uid"),
        "controller": true, "blockOwnerDeletion": true,
    }]);
    place.site.edit(PVC, &place.name, claim, |claim| claim["metadata"]["ownerReferences"] = reference.clone());
}
