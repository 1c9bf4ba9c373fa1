//! The manifests of claims that a repair creates: which parts of the old claim a new claim keeps, and which it must
//! drop.

use crate::model::{AnnotationKey, Kind, ObjectKey, PersistentVolume, StatefulSet, Str};
use crate::snapshot::Snapshot;
use serde_json::{Map, Value, json};

/// The manifest of a new claim, and the parts of the old claim that it drops.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Replica {
    /// The manifest.
    pub manifest: Value,
    /// The dropped parts, a few words each.
    pub dropped: Vec<String>,
}

/// The annotations that a new claim must drop. The annotations of a binding, a node and a provisioner belong to the old
/// claim, and the last applied configuration describes another object.
const LEFT_OUT: [&str; 7] = [
    AnnotationKey::BindCompleted.as_str(),
    AnnotationKey::BoundByController.as_str(),
    AnnotationKey::SelectedNode.as_str(),
    AnnotationKey::StorageProvisioner.as_str(),
    AnnotationKey::BetaStorageProvisioner.as_str(),
    AnnotationKey::MigratedTo.as_str(),
    "kubectl.kubernetes.io/last-applied-configuration",
];

/// The labels and annotations by which tools that apply manifests recognise their objects. If an object has such a
/// label or annotation and is not in the sources of the tool, the tool deletes the object.
const TRACKED: [&str; 9] = [
    "app.kubernetes.io/instance",
    "argocd.argoproj.io/instance",
    "argocd.argoproj.io/tracking-id",
    "kustomize.toolkit.fluxcd.io/name",
    "kustomize.toolkit.fluxcd.io/namespace",
    "helm.toolkit.fluxcd.io/name",
    "helm.toolkit.fluxcd.io/namespace",
    "meta.helm.sh/release-name",
    "meta.helm.sh/release-namespace",
];

/// Returns a manifest for a new claim like the old one, with the given key. If a volume is given, the new claim names
/// the volume and requests only what the volume has. Otherwise it requests the same as the old claim.
pub fn like(old: &Value, key: &ObjectKey, volume: Option<&PersistentVolume>, snapshot: &Snapshot) -> Replica {
    let mut dropped = Vec::new();
    let metadata = &old["metadata"];
    let mut spec = old["spec"].as_object().cloned().unwrap_or_default();
    let mut annotations = Map::new();
    for (name, value) in metadata["annotations"].as_object().into_iter().flatten() {
        if LEFT_OUT.contains(&name.as_str()) || name == super::write::PLAN_ANNOTATION {
            if name.starts_with("kubectl.") {
                dropped.push(format!("annotation {name}"));
            }
        } else {
            annotations.insert(name.clone(), value.clone());
        }
    }
    let mut labels = metadata["labels"].as_object().cloned().unwrap_or_default();
    let same = metadata["name"].as_str() == Some(key.name.as_str())
        && metadata["namespace"].as_str() == Some(key.namespace.as_str());
    if !same {
        for name in TRACKED {
            if labels.remove(name).is_some() || annotations.remove(name).is_some() {
                dropped.push(format!("{name}: the tool that uses it would delete a claim that is not in its source"));
            }
        }
    }
    let owners = owners(old, key, snapshot, &mut dropped);
    for finalizer in metadata["finalizers"].as_array().into_iter().flatten().filter_map(Value::as_str) {
        if finalizer != super::overlay::CLAIM_PROTECTION {
            dropped.push(format!("finalizer {finalizer}"));
        }
    }
    spec.remove("volumeName");
    if let Some(volume) = volume {
        let sources = ["dataSource", "dataSourceRef"].map(|source| spec.remove(source));
        if sources.into_iter().flatten().any(|source| !source.is_null()) {
            dropped.push("spec.dataSource: the volume has its data already".to_owned());
        }
        if spec.remove("selector").is_some_and(|selector| !selector.is_null()) {
            dropped.push("spec.selector: the claim names its volume".to_owned());
        }
        if let Some(class) = annotations.remove(AnnotationKey::BetaStorageClass.as_str()) {
            dropped.push(format!("the deprecated class annotation, which said {class}"));
        }
        fit(&mut spec, volume, &mut dropped);
    }
    let mut created = json!({ "name": key.name, "namespace": key.namespace });
    for (field, value) in [("labels", Value::Object(labels)), ("annotations", Value::Object(annotations))] {
        if value.as_object().is_some_and(|map| !map.is_empty()) {
            created[field] = value;
        }
    }
    if !owners.is_empty() {
        created["ownerReferences"] = Value::Array(owners);
    }
    Replica { manifest: manifest(&created, &spec), dropped }
}

/// Returns a manifest for a claim that matches the volume. It is used if nothing more is known about the old claim.
pub fn for_volume(volume: &PersistentVolume, key: &ObjectKey) -> Value {
    let mut spec = Map::new();
    fit(&mut spec, volume, &mut Vec::new());
    manifest(&json!({ "name": key.name, "namespace": key.namespace }), &spec)
}

fn manifest(metadata: &Value, spec: &Map<String, Value>) -> Value {
    let kind = Kind::PersistentVolumeClaim;
    json!({ "apiVersion": kind.api_version(), "kind": kind.as_str(), "metadata": metadata, "spec": spec })
}

/// Changes the spec of a claim so that it names the volume and requests only what the volume has.
fn fit(spec: &mut Map<String, Value>, volume: &PersistentVolume, dropped: &mut Vec<String>) {
    let mut set = |field: &str, value: Value| {
        let before = spec.insert(field.to_owned(), value.clone());
        if let Some(before) = before.filter(|before| *before != value) {
            dropped.push(format!("spec.{field} was {before} and is {value}, as the volume has it"));
        }
    };
    set("volumeName", json!(volume.meta.name));
    set("storageClassName", json!(volume.class()));
    set("volumeMode", json!(volume.mode().as_str()));
    let modes: Vec<&str> = volume.access_modes.0.iter().map(crate::model::AccessMode::as_str).collect();
    let asked: Vec<Str> = spec
        .get("accessModes")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(|mode| mode.as_str().map(Str::from))
        .collect();
    if asked.is_empty() || !asked.iter().all(|mode| modes.contains(&mode.as_str())) {
        if !asked.is_empty() {
            dropped.push(format!(
                "spec.accessModes was {} and is {}, as the volume has it",
                asked.join(","),
                modes.join(",")
            ));
        }
        spec.insert("accessModes".to_owned(), json!(modes));
    }
    match &volume.attributes_class {
        Some(class) => _ = spec.insert("volumeAttributesClassName".to_owned(), json!(class)),
        None => _ = spec.remove("volumeAttributesClassName"),
    }
    if let Some(capacity) = volume.stated_storage() {
        let resources = spec.entry("resources").or_insert_with(|| json!({}));
        let asked = resources["requests"]["storage"].as_str().and_then(|text| crate::model::Quantity::parse(text).ok());
        let fits = asked.is_some_and(|asked| asked.compare(&capacity.quantity).is_le());
        if !fits {
            if let Some(asked) = asked {
                dropped.push(format!(
                    "spec.resources.requests.storage was {asked} and is {}, as the volume has it",
                    capacity.quantity
                ));
            }
            resources["requests"] = json!({ "storage": capacity.quantity.to_string() });
        }
    }
}

/// Returns the manifest without owners that no longer exist.
pub fn with_living_owners(manifest: &Value, snapshot: &Snapshot) -> Value {
    let mut manifest = manifest.clone();
    let text = |field: &str| Str::from(manifest["metadata"][field].as_str().unwrap_or_default());
    let key = ObjectKey { kind: Kind::PersistentVolumeClaim, namespace: text("namespace"), name: text("name") };
    let owners = owners(&manifest, &key, snapshot, &mut Vec::new());
    if let Some(metadata) = manifest["metadata"].as_object_mut() {
        metadata.remove("ownerReferences");
        if !owners.is_empty() {
            metadata.insert("ownerReferences".to_owned(), Value::Array(owners));
        }
    }
    manifest
}

/// Returns the owners that are known to exist in the namespace of the new claim. Returns no owner if the new claim has
/// another name or namespace than the old one. If a claim has owners and none of them exists, the garbage collector
/// deletes the claim.
fn owners(old: &Value, key: &ObjectKey, snapshot: &Snapshot, dropped: &mut Vec<String>) -> Vec<Value> {
    let same_namespace = old["metadata"]["namespace"].as_str() == Some(key.namespace.as_str());
    let same_name = old["metadata"]["name"].as_str() == Some(key.name.as_str());
    let mut kept = Vec::new();
    for owner in owners_in(old) {
        if same_namespace && same_name && lives(owner, &key.namespace, snapshot) {
            kept.push(owner.clone());
        } else {
            dropped.push(format!(
                "owner {}: only an owner that is known to exist is kept, and only if the claim keeps its name and \
                 namespace",
                name_of(owner)
            ));
        }
    }
    kept
}

/// Returns the owners that a new claim names. The boolean says whether the owner is known to exist in the claim's
/// namespace.
pub fn owners_of_new<'m>(
    manifest: &'m Value,
    namespace: &'m str,
    snapshot: &'m Snapshot,
) -> impl Iterator<Item = (String, bool)> + 'm {
    owners_in(manifest).map(move |owner| (name_of(owner), lives(owner, namespace, snapshot)))
}

fn owners_in(manifest: &Value) -> impl Iterator<Item = &Value> {
    manifest["metadata"]["ownerReferences"].as_array().into_iter().flatten()
}

fn name_of(owner: &Value) -> String {
    let text = |field: &str| owner[field].as_str().unwrap_or_default();
    format!("{} {}", text("kind"), text("name"))
}

/// Returns whether an owner with this uid is known to exist in a namespace. Only StatefulSets and pods are searched. An
/// owner of another kind counts as not known to exist.
fn lives(owner: &Value, namespace: &str, snapshot: &Snapshot) -> bool {
    let uid = owner["uid"].as_str().unwrap_or_default();
    let sets = snapshot.all::<StatefulSet>().iter().map(|set| &set.meta);
    let pods = snapshot.pods().iter().map(|pod| &pod.meta);
    sets.chain(pods).any(|meta| meta.uid == uid && meta.namespace == namespace && meta.deleted.is_none())
}
