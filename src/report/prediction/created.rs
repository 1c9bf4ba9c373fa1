//! Objects as the controllers create them.

use crate::model::{
    AccessMode, AccessModes, Amount, DataSource, HeldObject, LabelSelector, PersistentVolume, PersistentVolumeClaim,
    Str,
};
use crate::snapshot::printed;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// Returns the object that is created. The result is `None` for a kind that no controller creates.
pub(super) fn created(object: &HeldObject<'_>) -> Option<Value> {
    match object {
        HeldObject::PersistentVolume(volume) => Some(created_volume(volume)),
        HeldObject::PersistentVolumeClaim(claim) => Some(created_claim(claim)),
        _ => None,
    }
}

/// Returns a created volume as the controller sends it. The controller itself creates volumes only with the host-path
/// plugin.
fn created_volume(volume: &PersistentVolume) -> Value {
    let annotations: BTreeMap<&str, &str> = volume
        .meta
        .annotations
        .iter()
        .map(|(key, value)| (key.as_str(), value))
        .chain([("kubernetes.io/createdby", "hostpath-dynamic-provisioner")])
        .collect();
    let claim_ref = volume.claim_ref.as_ref().map(|claim| {
        json!({
            "apiVersion": claim.api_version.as_str(), "kind": claim.kind.as_str(),
            "namespace": claim.namespace.as_str(), "name": claim.name.as_str(),
            "uid": printed(&claim.uid), "resourceVersion": claim.resource_version.as_str(),
        })
    });
    let finalizers: Vec<&str> = volume.meta.finalizers.iter().map(Str::as_str).collect();
    let mut metadata = json!({ "name": printed(&volume.meta.name), "annotations": annotations });
    if !finalizers.is_empty() {
        metadata["finalizers"] = finalizers.into();
    }
    json!({
        "apiVersion": "v1", "kind": "PersistentVolume",
        "metadata": metadata,
        "spec": {
            "accessModes": modes(&volume.access_modes), "capacity": amounts(&volume.capacity), "claimRef": claim_ref,
            "hostPath": { "path": volume.source.detail.as_str() },
            "persistentVolumeReclaimPolicy": volume.reclaim_policy.as_str(),
            "storageClassName": volume.class_name.as_str(),
        },
        // The controller sends this status, and the API server drops it. Upstream: `provisionClaimOperation`, 1.36.
        "status": { "phase": "Bound" },
    })
}

/// Returns a created claim as the controller sends it: the claim of a generic ephemeral volume.
fn created_claim(claim: &PersistentVolumeClaim) -> Value {
    let details = claim.details.as_deref();
    let sent = details.and_then(|details| details.sent.as_deref());
    let known = claim.meta.annotations.iter().map(|(key, value)| (key.as_str(), value));
    let others = sent.into_iter().flat_map(|sent| &sent.annotations);
    let others = others.map(|(key, value)| (key.as_str(), value.0.as_str()));
    let annotations: BTreeMap<&str, &str> = known.chain(others).collect();
    let labels: BTreeMap<&str, &str> = texts(&claim.meta.labels).collect();
    let owners: Vec<Value> = claim
        .owners()
        .iter()
        .map(|owner| {
            json!({
                "apiVersion": owner.api_version.as_str(), "blockOwnerDeletion": true, "controller": owner.controller,
                "kind": owner.kind.as_str(), "name": owner.name.as_str(), "uid": printed(&owner.uid),
            })
        })
        .collect();
    let mut metadata = json!({ "name": claim.meta.name.as_str(), "ownerReferences": owners });
    if !annotations.is_empty() {
        metadata["annotations"] = json!(annotations);
    }
    if !labels.is_empty() {
        metadata["labels"] = json!(labels);
    }
    let mut resources = Map::new();
    if let Some(request) = &claim.request {
        resources.insert("requests".to_owned(), json!({ "storage": request.to_string() }));
    }
    if let Some(limits) = sent.map(|sent| &sent.limits).filter(|limits| !limits.is_empty()) {
        resources.insert("limits".to_owned(), json!(amounts(limits)));
    }
    let mut spec = Map::from_iter([("resources".to_owned(), Value::Object(resources))]);
    let mut set = |field: &str, value: Option<Value>| {
        spec.extend(value.map(|value| (field.to_owned(), value)));
    };
    set("accessModes", Some(modes(&claim.access_modes)).filter(|modes| !modes.is_empty()).map(Value::from));
    set("storageClassName", claim.class_name.as_deref().map(Value::from));
    set("volumeAttributesClassName", claim.attributes_class.as_deref().map(Value::from));
    set("volumeMode", claim.volume_mode.as_ref().map(|mode| mode.as_str().into()));
    set("volumeName", Some(claim.volume_name.as_str()).filter(|name| !name.is_empty()).map(Value::from));
    set("selector", claim.selector.as_deref().map(selector));
    let source = claim.source().map(data_source);
    set("dataSource", source.clone().filter(|_| claim.data_source));
    set("dataSourceRef", source.filter(|_| sent.is_some_and(|sent| sent.data_source_ref)));
    json!({ "apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": metadata, "spec": spec, "status": {} })
}

fn texts(pairs: &[(Str, Str)]) -> impl Iterator<Item = (&str, &str)> {
    pairs.iter().map(|(key, value)| (key.as_str(), value.as_str()))
}

fn amounts(amounts: &[(Str, Amount)]) -> BTreeMap<&str, String> {
    amounts.iter().map(|(resource, amount)| (resource.as_str(), amount.to_string())).collect()
}

fn modes(modes: &AccessModes) -> Vec<&str> {
    modes.0.iter().map(AccessMode::as_str).collect()
}

fn selector(selector: &LabelSelector) -> Value {
    let labels: BTreeMap<&str, &str> = texts(&selector.match_labels).collect();
    let expressions: Vec<Value> = selector
        .expressions
        .iter()
        .map(|requirement| {
            let mut out = json!({ "key": requirement.key.as_str(), "operator": requirement.operator.as_str() });
            if !requirement.values.is_empty() {
                out["values"] = requirement.values.iter().map(Str::as_str).collect();
            }
            out
        })
        .collect();
    let mut out = Map::new();
    if !labels.is_empty() {
        out.insert("matchLabels".to_owned(), json!(labels));
    }
    if !expressions.is_empty() {
        out.insert("matchExpressions".to_owned(), expressions.into());
    }
    Value::Object(out)
}

/// Returns the data source as JSON. The field of the API group is sent even if it is empty.
fn data_source(source: &DataSource) -> Value {
    let group = Some(source.group.as_str()).filter(|group| !group.is_empty());
    let mut out = json!({ "apiGroup": group, "kind": source.kind.as_str(), "name": source.name.as_str() });
    if !source.namespace.is_empty() {
        out["namespace"] = source.namespace.as_str().into();
    }
    out
}
