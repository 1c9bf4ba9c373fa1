//! Those who were not thought of at first: who applies manifests of volumes, changes policies, makes objects anew under
//! their names, repairs the same with another plan, or stores something else than what was sent.

use super::store::{Call, NOW, Preconditions, Store, claim, text};
use super::{Random, actors::STRANGER};
use pvctl::model::{Kind, ObjectKey};
use serde_json::{Value, json};

/// Who makes objects anew.
pub(crate) const MAKER: &str = "maker";

/// How the uids begin of volumes that were made anew.
pub(crate) const ANEW: &str = "anew-";

/// The claim to which a second run of this tool moves a volume.
pub(crate) const SECOND: &str = "second";

const APPLIED: &str = "kubectl.kubernetes.io/last-applied-configuration";
const POLICY: &str = "persistentVolumeReclaimPolicy";

/// What an admission makes of a volume.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mutation {
    /// Policy Retain becomes Delete.
    Policy,
    /// A `claimRef` that is set or changed is dropped.
    Claim,
}

impl Mutation {
    /// Changes the volume that is about to be stored; whether it did.
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

/// Who applies fields on the server's side loses those that another writer changes.
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

/// Stores what differs.
fn store_changed(store: &mut Store, key: &ObjectKey, before: &Value, after: Value, by: &str) -> bool {
    let differs = *before != after;
    if differs {
        store.put(key, Some(after), by);
    }
    differs
}

/// `kubectl apply` of the volumes as they were at the start, without `claimRef`.
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

/// `kubectl apply --server-side --force-conflicts` of the volumes as they were at the start, with `claimRef`.
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

/// Whoever applies has changed the source: it says Retain, and names no claim any more.
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

/// Policy Delete for every volume.
pub(super) fn set_delete(store: &mut Store) {
    for (key, before) in volumes(store) {
        let mut after = before.clone();
        after["spec"][POLICY] = "Delete".into();
        store_changed(store, &key, &before, after, "person");
    }
}

/// Another volume, with other storage, under the name of each that is not Bound; all else is as it was.
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

/// Another claim under the name of each that was there at the start and is there.
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

/// As a template does it, which does not say which volume.
fn make_claim(store: &mut Store, start: &Store, key: &ObjectKey) {
    let Some(was) = start.read(key) else { return };
    let mut manifest = json!({
        "metadata": { "namespace": key.namespace, "name": key.name }, "spec": was["spec"],
    });
    if let Some(spec) = manifest["spec"].as_object_mut() {
        spec.remove("volumeName");
    }
    // It may be there already.
    _ = store.create(Kind::PersistentVolumeClaim, &key.namespace, &manifest, &Call::by(MAKER));
}

/// Another namespace under the name of each in which there is a claim of the start, with claims like those.
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

/// What a second run of this tool has done with the volumes that a claim has or had, when it is through: policy Retain,
/// the claim is gone, and another one of the same namespace has the volume.
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
        // Somebody keeps it: then the second run waits.
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
        // It may be there already, with another volume.
        _ = store.create(Kind::PersistentVolumeClaim, &namespace, &manifest, &call);
    }
}
