//! Further actors. They apply manifests of volumes, change policies, or replace objects by others of the same name. One
//! runs a second plan for the same volume. Two actors are mutating admission: then the API server stores something else
//! than was sent.

use super::store::{Call, NOW, Preconditions, Store, claim, text};
use super::{Random, actors::STRANGER};
use pvctl::model::{Kind, ObjectKey};
use serde_json::{Value, json};

/// The name of the actor that replaces objects.
pub(crate) const MAKER: &str = "maker";

/// The prefix of the uids of the volumes that replace others.
pub(crate) const ANEW: &str = "anew-";

/// The claim to which a second run of the program moves a volume.
pub(crate) const SECOND: &str = "second";

const APPLIED: &str = "kubectl.kubernetes.io/last-applied-configuration";
const POLICY: &str = "persistentVolumeReclaimPolicy";

/// How admission changes a volume.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mutation {
    /// Admission changes policy Retain to Delete.
    Policy,
    /// Admission drops a `claimRef` that is set or changed.
    Claim,
}

impl Mutation {
    /// Changes the volume that is about to be stored, and returns whether it did.
    pub(super) fn changes(self, before: &Value, volume: &mut Value) -> bool {
        let spec = volume["spec"].as_object_mut();
        match self {
            Self::Policy => {
                let policy = spec.and_then(|spec| spec.get_mut(POLICY)).filter(|policy| *policy == "Retain");
                policy.map(|policy| *policy = "Delete".into()).is_some()
            }
            Self::Claim => {
                let changed = spec.filter(|spec| spec.get("claimRef") != before["spec"].get("claimRef"));
                changed.and_then(|spec| spec.remove("claimRef")).is_some_and(|dropped| !dropped.is_null())
            }
        }
    }
}

/// Removes the policy from the fields of server-side appliers if another writer has changed it.
pub(super) fn disown(before: &Value, object: &mut Value) {
    if before["spec"][POLICY] == object["spec"][POLICY] {
        return;
    }
    let entries = object["metadata"]["managedFields"].as_array_mut();
    for entry in entries.into_iter().flatten().filter(|entry| entry["operation"] == "Apply") {
        if let Some(spec) = entry.pointer_mut("/fieldsV1/f:spec").and_then(Value::as_object_mut) {
            spec.remove(&format!("f:{POLICY}"));
        }
    }
}

fn volumes(store: &Store) -> Vec<(ObjectKey, Value)> {
    store.all(Kind::PersistentVolume, "").map(|(key, volume)| (key.clone(), volume.clone())).collect()
}

fn annotate(object: &mut Value, key: &str, value: String) {
    if !object["metadata"]["annotations"].is_object() {
        object["metadata"]["annotations"] = json!({});
    }
    object["metadata"]["annotations"][key] = value.into();
}

/// Stores the new object if it differs from the old one. Returns whether it differs.
fn store_changed(store: &mut Store, key: &ObjectKey, before: &Value, after: Value, by: &str) -> bool {
    let differs = *before != after;
    if differs {
        store.put(key, Some(after), by);
    }
    differs
}

/// Applies the volumes as they were at the start, as `kubectl apply` does, without `claimRef`.
pub(super) fn apply(store: &mut Store, start: &Store) {
    for (key, was) in volumes(start) {
        apply_policy(store, &key, &text(&was, "/spec/persistentVolumeReclaimPolicy"));
    }
}

fn apply_policy(store: &mut Store, key: &ObjectKey, policy: &str) -> bool {
    let Some(before) = store.read(key).cloned() else { return false };
    let mut after = before.clone();
    after["spec"][POLICY] = policy.into();
    let applied = json!({ "kind": "PersistentVolume", "spec": { POLICY: policy } });
    annotate(&mut after, APPLIED, applied.to_string());
    store_changed(store, key, &before, after, "kubectl-client-side-apply")
}

/// Applies the volumes as they were at the start, as `kubectl apply --server-side --force-conflicts` does, with
/// `claimRef`.
pub(super) fn sync(store: &mut Store, start: &Store) {
    for (key, was) in volumes(start) {
        let Some(before) = store.read(&key).cloned() else { continue };
        let mut after = before.clone();
        after["spec"][POLICY] = was["spec"][POLICY].clone();
        let mut fields = json!({ format!("f:{POLICY}"): {} });
        if was["spec"]["claimRef"].is_object() {
            if !after["spec"]["claimRef"].is_object() {
                after["spec"]["claimRef"] = json!({});
            }
            for field in ["namespace", "name"] {
                after["spec"]["claimRef"][field] = was["spec"]["claimRef"][field].clone();
            }
            fields["f:claimRef"] = json!({ "f:namespace": {}, "f:name": {} });
        }
        own(&mut after, &json!({ "f:spec": fields }));
        store_changed(store, &key, &before, after, "storage-sync");
    }
}

fn own(object: &mut Value, fields: &Value) {
    let mut entries = object["metadata"]["managedFields"].as_array().cloned().unwrap_or_default();
    entries.retain(|entry| entry["manager"] != "storage-sync");
    entries.push(json!({ "manager": "storage-sync", "operation": "Apply", "time": NOW, "fieldsV1": fields }));
    object["metadata"]["managedFields"] = Value::Array(entries);
}

/// Applies a changed manifest, which has policy Retain and no `claimRef`.
pub(super) fn amend(store: &mut Store) -> bool {
    let mut changed = false;
    for (key, before) in volumes(store) {
        if !before["metadata"]["annotations"][APPLIED].is_null() {
            changed |= apply_policy(store, &key, "Retain");
            continue;
        }
        let mut after = before.clone();
        if before["metadata"]["managedFields"].to_string().contains("storage-sync") {
            after["spec"][POLICY] = "Retain".into();
            own(&mut after, &json!({ "f:spec": { format!("f:{POLICY}"): {} } }));
        }
        changed |= store_changed(store, &key, &before, after, "storage-sync");
    }
    changed
}

/// Sets policy Delete on every volume.
pub(super) fn set_delete(store: &mut Store) {
    for (key, before) in volumes(store) {
        let mut after = before.clone();
        after["spec"][POLICY] = "Delete".into();
        store_changed(store, &key, &before, after, "person");
    }
}

/// Replaces each volume that is neither Bound nor being deleted. The new volume has the same name, other storage and
/// policy Retain. All other fields stay.
pub(super) fn make_volumes(store: &mut Store) {
    for (key, mut volume) in volumes(store) {
        if volume["status"]["phase"] == "Bound" || volume["metadata"]["deletionTimestamp"].is_string() {
            continue;
        }
        store.put(&key, None, MAKER);
        volume["metadata"]["uid"] = format!("{ANEW}{}", key.name).into();
        if volume["spec"]["csi"].is_object() {
            volume["spec"]["csi"]["volumeHandle"] = format!("{ANEW}{}", key.name).into();
        }
        volume["spec"][POLICY] = "Retain".into();
        store.put(&key, Some(volume), MAKER);
    }
}

/// Replaces each claim that existed at the start, and still exists, by another one of the same name.
pub(super) fn make_claims(store: &mut Store, start: &Store) {
    let all: Vec<ObjectKey> = start
        .all(Kind::PersistentVolumeClaim, "")
        .map(|(key, _)| key.clone())
        .filter(|key| key.namespace != STRANGER && store.read(key).is_some())
        .collect();
    for key in all {
        store.put(&key, None, MAKER);
        make_claim(store, start, &key);
    }
}

/// Creates a claim as from a template. The claim does not name the volume.
fn make_claim(store: &mut Store, start: &Store, key: &ObjectKey) {
    let Some(was) = start.read(key) else { return };
    let mut manifest = json!({
        "metadata": { "namespace": key.namespace, "name": key.name }, "spec": was["spec"],
    });
    if let Some(spec) = manifest["spec"].as_object_mut() {
        spec.remove("volumeName");
    }
    // The claim may already exist.
    _ = store.create(Kind::PersistentVolumeClaim, &key.namespace, &manifest, &Call::by(MAKER));
}

/// Replaces each namespace that had a claim at the start by another one of the same name, with the same claims.
pub(super) fn make_namespaces(store: &mut Store, start: &Store) {
    let claims: Vec<ObjectKey> = start
        .all(Kind::PersistentVolumeClaim, "")
        .map(|(key, _)| key.clone())
        .filter(|key| key.namespace != STRANGER)
        .collect();
    for key in &claims {
        let inside: Vec<ObjectKey> =
            store.all(Kind::PersistentVolumeClaim, &key.namespace).map(|(key, _)| key.clone()).collect();
        for inside in inside {
            store.put(&inside, None, MAKER);
        }
        let place = ObjectKey { kind: Kind::Namespace, namespace: "".into(), name: key.namespace.clone() };
        store.put(&place, None, MAKER);
        store.seed(json!({
            "apiVersion": "v1", "kind": "Namespace", "metadata": { "name": key.namespace },
            "status": { "phase": "Active" },
        }));
    }
    for key in &claims {
        make_claim(store, start, key);
    }
}

/// Writes what a finished second run of the program would have written for each volume that a claim has and that is not
/// being deleted. The policy is Retain, the claim is gone, and another claim of the same namespace has the volume.
pub(super) fn move_away(store: &mut Store) {
    for (key, _) in volumes(store) {
        let Some(volume) = store.read(&key).cloned() else { continue };
        let (namespace, name) = (text(&volume, "/spec/claimRef/namespace"), text(&volume, "/spec/claimRef/name"));
        let holder = claim(&namespace, &name);
        let holds = store.read(&holder).is_some_and(|now| {
            text(now, "/metadata/uid") == text(&volume, "/spec/claimRef/uid")
                && text(now, "/spec/volumeName") == *key.name
        });
        if !holds || volume["metadata"]["deletionTimestamp"].is_string() {
            continue;
        }
        let call = Call::by("second");
        let retain = json!({ "spec": { POLICY: "Retain" } });
        if store.patch(&key, "application/merge-patch+json", &retain, &call).is_err()
            || store.delete(&holder, &Preconditions::default(), &call).is_err()
        {
            continue;
        }
        store.settle(&mut Random::new(1));
        // A finalizer keeps the claim, so the second run waits.
        if store.read(&holder).is_some() {
            continue;
        }
        let reserved = json!({ "spec": { "claimRef": {
            "apiVersion": "v1", "kind": "PersistentVolumeClaim", "namespace": namespace, "name": SECOND,
            "uid": null, "resourceVersion": null,
        } } });
        if store.patch(&key, "application/merge-patch+json", &reserved, &call).is_err() {
            continue;
        }
        let spec = &volume["spec"];
        let manifest = json!({
            "metadata": { "namespace": namespace, "name": SECOND },
            "spec": {
                "accessModes": spec["accessModes"], "volumeMode": spec["volumeMode"], "volumeName": key.name,
                "storageClassName": spec["storageClassName"],
                "resources": { "requests": { "storage": spec["capacity"]["storage"] } },
            },
        });
        // The claim may already exist, with another volume.
        _ = store.create(Kind::PersistentVolumeClaim, &namespace, &manifest, &call);
    }
}
