//! Objects of small broken clusters.

use super::actors::STRANGER;
use super::store::{NOW, Store};
use serde_json::{Value, json};

/// Returns a cluster with namespaces, a class without a provisioner, the CSI driver of the volumes, and the Lease of
/// the controllers.
pub(crate) fn cluster() -> Store {
    let mut store = Store::default();
    for namespace in ["db", "app", STRANGER] {
        store.seed(json!({
            "apiVersion": "v1", "kind": "Namespace", "metadata": { "name": namespace }, "status": { "phase": "Active" },
        }));
    }
    store.seed(json!({
        "apiVersion": "storage.k8s.io/v1", "kind": "StorageClass", "metadata": { "name": "static" },
        "provisioner": "kubernetes.io/no-provisioner", "reclaimPolicy": "Delete", "volumeBindingMode": "Immediate",
    }));
    store.seed(json!({
        "apiVersion": "storage.k8s.io/v1", "kind": "CSIDriver", "metadata": { "name": "csi.example.com" }, "spec": {},
    }));
    store.seed(json!({
        "apiVersion": "coordination.k8s.io/v1", "kind": "Lease",
        "metadata": { "namespace": "kube-system", "name": "kube-controller-manager" },
        "spec": { "holderIdentity": "master-1", "leaseDurationSeconds": 15, "renewTime": "2026-06-01T10:00:00.000000Z" },
    }));
    store
}

/// Returns a CSI volume of 10Gi in class `static`.
pub(crate) fn volume(name: &str, policy: &str, phase: &str) -> Value {
    json!({
        "apiVersion": "v1", "kind": "PersistentVolume",
        "metadata": {
            "name": name, "uid": format!("uid-{name}"), "finalizers": ["kubernetes.io/pv-protection"],
        },
        "spec": {
            "capacity": { "storage": "10Gi" }, "accessModes": ["ReadWriteOnce"], "volumeMode": "Filesystem",
            "persistentVolumeReclaimPolicy": policy, "storageClassName": "static",
            "csi": { "driver": "csi.example.com", "volumeHandle": format!("handle-{name}") },
        },
        "status": { "phase": phase },
    })
}

/// Returns the volume with a `claimRef`. With an empty uid, the volume is only reserved for the claim.
pub(crate) fn named(mut volume: Value, namespace: &str, name: &str, uid: &str) -> Value {
    volume["spec"]["claimRef"] =
        json!({ "apiVersion": "v1", "kind": "PersistentVolumeClaim", "namespace": namespace, "name": name });
    if !uid.is_empty() {
        volume["spec"]["claimRef"]["uid"] = uid.into();
        volume["spec"]["claimRef"]["resourceVersion"] = "1".into();
        volume["metadata"]["annotations"] = json!({ "pv.kubernetes.io/bound-by-controller": "yes" });
    }
    volume
}

/// Returns a claim for 10Gi of class `static`.
pub(crate) fn claim(namespace: &str, name: &str, phase: &str) -> Value {
    json!({
        "apiVersion": "v1", "kind": "PersistentVolumeClaim",
        "metadata": {
            "namespace": namespace, "name": name, "uid": format!("uid-{name}"),
            "labels": { "app": "db" }, "finalizers": ["kubernetes.io/pvc-protection"],
        },
        "spec": {
            "accessModes": ["ReadWriteOnce"], "volumeMode": "Filesystem", "storageClassName": "static",
            "resources": { "requests": { "storage": "10Gi" } },
        },
        "status": { "phase": phase },
    })
}

/// Returns the claim with the fields that it has when it is bound to the volume.
pub(crate) fn bound_to(mut claim: Value, volume: &str) -> Value {
    claim["metadata"]["annotations"] =
        json!({ "pv.kubernetes.io/bind-completed": "yes", "pv.kubernetes.io/bound-by-controller": "yes" });
    claim["spec"]["volumeName"] = volume.into();
    claim["status"] = json!({ "phase": "Bound", "accessModes": ["ReadWriteOnce"], "capacity": { "storage": "10Gi" } });
    claim
}

/// Returns the object with a deletion timestamp.
pub(crate) fn terminating(mut object: Value) -> Value {
    object["metadata"]["deletionTimestamp"] = NOW.into();
    object["metadata"]["deletionGracePeriodSeconds"] = 0.into();
    object
}
