//! Small clusters for the tests of diagnoses and reports, written as manifests.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use pvctl::controllers::KubernetesBehavior;
use pvctl::engines::simulation;
use pvctl::model::{self, Kind};
use pvctl::simulate::{Settings, Simulation};
use pvctl::snapshot::{Coverage, CoverageEntry, CoverageState, Item, Parts, Snapshot, decode};
use serde_json::{Value, json};

/// Returns a snapshot of these objects, in which the lists of all kinds were read.
pub(super) fn world(objects: &[Value]) -> Snapshot {
    Snapshot::new(parts(objects))
}

/// Returns a snapshot of these objects, in which one kind was not read.
pub(super) fn world_without(kind: Kind, objects: &[Value]) -> Snapshot {
    let mut parts = parts(objects);
    parts.coverage.set(CoverageEntry::new(kind, None, CoverageState::Forbidden));
    Snapshot::new(parts)
}

/// Returns these objects before they are indexed.
pub(super) fn parts(objects: &[Value]) -> Parts {
    let mut parts = Parts { coverage: Coverage::complete(), ..Parts::default() };
    for object in objects {
        match decode::decode(&serde_json::to_vec(object).unwrap(), "a test").unwrap() {
            Item::Object(object) => parts.objects.push(object),
            Item::Skipped(kind) => panic!("the program must know the kind {kind}"),
        }
    }
    parts
}

/// Returns the simulation of a snapshot with the default behavior.
pub(super) fn simulate(snapshot: &Snapshot) -> Simulation<'_> {
    simulation(snapshot, Settings::new(KubernetesBehavior::default()), 1)
}

/// Returns the object that `pv/NAME` or `pvc/NAME` names. The claim is in namespace `db`.
pub(super) fn target(snapshot: &Snapshot, object: &str) -> model::ObjectId {
    match object.split_once('/') {
        Some(("pv", name)) => model::ObjectId::from(snapshot.volume_id(name).unwrap()),
        Some(("pvc", name)) => model::ObjectId::from(snapshot.claim_id("db", name).unwrap()),
        _ => panic!("{object} is neither a volume nor a claim"),
    }
}

/// Returns the object with an RFC 7386 merge patch applied.
pub(super) fn with(mut object: Value, patch: Value) -> Value {
    merge(&mut object, patch);
    object
}

fn merge(object: &mut Value, patch: Value) {
    let Value::Object(fields) = patch else {
        *object = patch;
        return;
    };
    if !object.is_object() {
        *object = json!({});
    }
    for (key, value) in fields {
        if value.is_null() {
            object.as_object_mut().unwrap().remove(&key);
        } else {
            merge(&mut object[&key], value);
        }
    }
}

/// Returns an Available volume of 10Gi for one node at a time, without a class.
pub(super) fn pv(name: &str) -> Value {
    json!({
        "apiVersion": "v1", "kind": "PersistentVolume",
        "metadata": {
            "name": name, "uid": format!("uid-{name}"), "resourceVersion": "1",
            "finalizers": ["kubernetes.io/pv-protection"],
        },
        "spec": {
            "capacity": { "storage": "10Gi" }, "accessModes": ["ReadWriteOnce"], "volumeMode": "Filesystem",
            "persistentVolumeReclaimPolicy": "Retain", "nfs": { "server": "s", "path": "/p" },
        },
        "status": { "phase": "Available" },
    })
}

/// Returns a Pending claim `db/NAME` for 10Gi on one node at a time, with the empty class.
pub(super) fn pvc(name: &str) -> Value {
    json!({
        "apiVersion": "v1", "kind": "PersistentVolumeClaim",
        "metadata": {
            "name": name, "namespace": "db", "uid": format!("uid-{name}"), "resourceVersion": "1",
            "finalizers": ["kubernetes.io/pvc-protection"],
        },
        "spec": {
            "resources": { "requests": { "storage": "10Gi" } }, "accessModes": ["ReadWriteOnce"],
            "volumeMode": "Filesystem", "storageClassName": "",
        },
        "status": { "phase": "Pending" },
    })
}

/// Returns a class with immediate binding or, with `late`, with WaitForFirstConsumer.
pub(super) fn sc(name: &str, provisioner: &str, late: bool) -> Value {
    json!({
        "apiVersion": "storage.k8s.io/v1", "kind": "StorageClass",
        "metadata": { "name": name, "uid": format!("uid-{name}"), "resourceVersion": "1" },
        "provisioner": provisioner, "reclaimPolicy": "Delete",
        "volumeBindingMode": if late { "WaitForFirstConsumer" } else { "Immediate" },
    })
}

/// Returns a pod of namespace `db` that uses the claim. It is scheduled if `node` is not empty.
pub(super) fn pod(name: &str, claim: &str, node: &str) -> Value {
    json!({
        "apiVersion": "v1", "kind": "Pod",
        "metadata": { "name": name, "namespace": "db", "uid": format!("uid-{name}"), "resourceVersion": "1" },
        "spec": {
            "nodeName": node,
            "volumes": [{ "name": "data", "persistentVolumeClaim": { "claimName": claim } }],
        },
        "status": { "phase": if node.is_empty() { "Pending" } else { "Running" } },
    })
}

/// Returns the fields that give a volume a claimRef for a claim of `db`. With a uid, the claim holds the volume. With
/// an empty uid, the volume is only reserved for the claim.
pub(super) fn claim_ref(name: &str, uid: &str) -> Value {
    json!({ "spec": { "claimRef": {
        "apiVersion": "v1", "kind": "PersistentVolumeClaim", "namespace": "db", "name": name, "uid": uid,
    } } })
}

/// Returns the volume in the state in which it is bound to that claim.
pub(super) fn bound_pv(name: &str, claim: &str) -> Value {
    let bound = with(pv(name), claim_ref(claim, &format!("uid-{claim}")));
    with(bound, json!({ "status": { "phase": "Bound" } }))
}

/// Returns the claim in the state in which it is bound to that volume.
pub(super) fn bound_pvc(name: &str, volume: &str) -> Value {
    with(
        pvc(name),
        json!({
            "metadata": { "annotations": { "pv.kubernetes.io/bind-completed": "yes" } },
            "spec": { "volumeName": volume },
            "status": { "phase": "Bound", "accessModes": ["ReadWriteOnce"], "capacity": { "storage": "10Gi" } },
        }),
    )
}

/// Returns the fields that mark an object as being deleted.
pub(super) fn deleted() -> Value {
    json!({ "metadata": { "deletionTimestamp": "2026-06-01T10:00:00Z", "deletionGracePeriodSeconds": 0 } })
}
