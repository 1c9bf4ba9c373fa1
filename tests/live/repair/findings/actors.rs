//! Those whom nobody plays on this control plane, each by the requests that it sends: the driver with its provisioner,
//! the scheduler, kubelet, the controllers of namespaces and StatefulSets, and people with their tools.

use crate::live::api::path;
use crate::live::site::{PV, PVC, Place, Site, text};
use http::Method;
use serde_json::{Value, json};

/// The driver, which makes volumes and deletes none: its provisioner is away by then.
pub(super) const DRIVER: &str = "driver.example.com";
/// What its provisioner puts on its volumes.
pub(super) const PROVISIONER: &str = "external-provisioner.volume.kubernetes.io/finalizer";
const ASKED: &str = "volume.kubernetes.io/storage-provisioner";

/// Installs the driver.
pub(super) fn install(site: &Site) {
    site.put(&json!({
        "apiVersion": "storage.k8s.io/v1", "kind": "CSIDriver", "metadata": {"name": DRIVER},
        "spec": {"attachRequired": true, "podInfoOnMount": false},
    }));
}

/// A claim for which the driver makes a volume.
pub(super) fn made(place: &Place<'_>, claim: &str, volume: &str) {
    place.claim_in(&place.name, claim);
    serve(place, claim, volume, &[PROVISIONER]);
}

/// The driver makes a volume for a claim as soon as it is asked, with these finalizers. Drivers name volumes after the
/// claim's uid; that nothing rests on their names makes it possible to tell them apart here.
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

/// Somebody deletes a claim, and its volume is left.
pub(super) fn leave(place: &Place<'_>, claim: &str, volume: &str, policy: &str) {
    place.site.delete(PVC, &place.name, claim);
    place.volume_is(volume, &format!("Released, {policy}, of the former {}/{claim}", place.name));
}

/// A tool saves a claim, which is deleted then, and creates it again from what it saved, with whatever annotations.
pub(super) fn bring_back(place: &Place<'_>, claim: &str, volume: &str, policy: &str, change: impl Fn(&mut Value)) {
    let saved = place.site.get(PVC, &place.name, claim).unwrap();
    leave(place, claim, volume, policy);
    let mut again = place.manifest(&place.name, claim);
    again["metadata"]["annotations"] = saved["metadata"]["annotations"].clone();
    again["spec"] = saved["spec"].clone();
    change(&mut again);
    place.site.put(&again);
}

/// Deletes something as `kubectl delete` does: a pod has its time to end, and without kubelet it takes that for ever.
pub(super) fn delete(place: &Place<'_>, kind: &str, namespace: &str, name: &str) {
    let path = path(kind, namespace, name);
    let gone = place.site.runtime.block_on(place.site.api.send(Method::DELETE, &path, None));
    assert!(gone.is_ok(), "{gone:?}");
}

/// A pod that a scheduler has placed, and that kubelet runs or has run.
pub(super) fn pod(place: &Place<'_>, name: &str, claim: &str, phase: &str) {
    place.pod(name, claim);
    place.site.report("Pod", &place.name, name, &json!({"phase": phase}));
}

/// So long ago.
const PAST: &str = "2026-01-10T08:00:00Z";

/// Time passes, in which nobody does anything: an object was deleted long ago.
pub(super) fn deleted_long_ago(place: &Place<'_>, kind: &str, namespace: &str, name: &str) {
    place.rest();
    place.site.store(kind, namespace, name, |object| {
        assert!(object["metadata"]["deletionTimestamp"].is_string(), "{object}");
        object["metadata"]["deletionTimestamp"] = PAST.into();
    });
}

/// The same: it was created long ago.
pub(super) fn created_long_ago(place: &Place<'_>, kind: &str, namespace: &str, name: &str) {
    place.rest();
    place.site.store(kind, namespace, name, |object| object["metadata"]["creationTimestamp"] = PAST.into());
}

/// The same: a volume has been in its phase since then.
pub(super) fn in_phase_long_since(place: &Place<'_>, volume: &str) {
    place.rest();
    let since = json!({"lastPhaseTransitionTime": PAST});
    place.site.report(PV, "", &place.of(volume), &since);
}

/// A StatefulSet that somebody creates, with this policy for its claims.
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

/// Somebody sends a request about a StatefulSet.
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

/// The controller of StatefulSets makes the claim of a member, and the driver its volume; the member runs.
pub(super) fn member(place: &Place<'_>, set: &str, ordinal: u32, volume: &str) {
    let (claim, pod_name) = (format!("data-{set}-{ordinal}"), format!("{set}-{ordinal}"));
    made(place, &claim, volume);
    pod(place, &pod_name, &claim, "Running");
}

/// A claim gets an owner: the kind of it and what is stored of it.
pub(super) fn own(place: &Place<'_>, claim: &str, owner: &Value) {
    let reference = json!([{
        "apiVersion": text(owner, "/apiVersion"), "kind": text(owner, "/kind"),
        "name": text(owner, "/metadata/name"), "uid": text(owner, "/metadata/uid"),
        "controller": true, "blockOwnerDeletion": true,
    }]);
    place.site.edit(PVC, &place.name, claim, |claim| claim["metadata"]["ownerReferences"] = reference.clone());
}
