//! Redaction: an allow-list of what may leave the cluster in a file. Values that are not on the list are replaced or
//! left out.
//!
//! Every field that some answer reads is on the list, so a redacted object decodes to the same value.

use super::kinds;
use crate::model::{AnnotationKey, Kind, Timestamp};
use serde_json::{Value, json};

/// The text that replaces a hidden text.
pub const REDACTED: &str = "<redacted>";

/// The annotations that no decision reads, but that are useful for people and contain no secrets.
const HARMLESS_ANNOTATIONS: [&str; 4] = [
    "deployment.kubernetes.io/revision",
    "meta.helm.sh/release-namespace",
    "snapshot.storage.kubernetes.io/deletion-secret-name",
    "snapshot.storage.kubernetes.io/deletion-secret-namespace",
];

const META: [&str; 12] = [
    "creationTimestamp",
    "deletionGracePeriodSeconds",
    "deletionTimestamp",
    "finalizers",
    "generateName",
    "generation",
    "labels",
    "name",
    "namespace",
    "ownerReferences",
    "resourceVersion",
    "uid",
];

/// Removes everything from the object that could be secret. Volumes and claims keep the times in `managedFields`.
/// Volumes, claims and StorageClasses keep the names of all fields. All other kinds keep only the fields that are read,
/// and the fields that kubectl and the API server require in an object that is created. The messages of events,
/// conditions and errors, and of containers that wait, stay because they are the evidence. The message of a container
/// that ended is left out.
pub fn redact(kind: Kind, object: Value) -> Value {
    let Value::Object(fields) = object else { return hidden(object) };
    let keeps_times = kinds::keeps_change_times(kind);
    let fields = fields.into_iter().filter_map(|(key, value)| {
        let kept = match key.as_str() {
            "apiVersion" | "kind" => value,
            "metadata" if keeps_times => metadata_with_times(value),
            "metadata" => metadata(value),
            field => kinds::redact(kind, field, value)?,
        };
        Some((key, kept))
    });
    Value::Object(fields.collect())
}

/// Redacts metadata as [`metadata`] does, but keeps the times of the last writes of each manager.
fn metadata_with_times(value: Value) -> Value {
    let times = change_times(&value);
    let mut kept = metadata(value);
    if let (false, Some(fields)) = (times.is_empty(), kept.as_object_mut()) {
        fields.insert("managedFields".to_owned(), Value::Array(times));
    }
    kept
}

/// Redacts the metadata of an object of any kind.
pub(super) fn metadata(value: Value) -> Value {
    let Value::Object(fields) = value else { return hidden(value) };
    let fields = fields.into_iter().filter(|(key, _)| key != "managedFields").map(|(key, value)| {
        let kept = match key.as_str() {
            "annotations" => each(value, annotation),
            known if META.contains(&known) => value,
            _ => hidden(value),
        };
        (key, kept)
    });
    Value::Object(fields.collect())
}

/// Redacts `managedFields`. Only the time of the last write of each manager stays. The manager's name and fields are
/// left out.
fn change_times(metadata: &Value) -> Vec<Value> {
    let entries = metadata.get("managedFields").and_then(Value::as_array);
    let times = entries.into_iter().flatten().filter_map(|entry| entry.get("time")?.as_str());
    times.filter(|time| Timestamp::parse(time).is_some()).map(|time| json!({ "time": time })).collect()
}

/// The API server reads this annotation of a DaemonSet as a number, and refuses an object in which it is not a number.
/// Upstream: `Convert_v1_DaemonSet_To_apps_DaemonSet`, `pkg/apis/apps/v1`, 1.36.
const TEMPLATE_GENERATION: &str = "deprecated.daemonset.template.generation";

fn annotation(key: &str, value: Value) -> Value {
    let is_number = || value.as_str().is_some_and(|text| text.parse::<i64>().is_ok());
    if AnnotationKey::from_manifest(key).is_some()
        || HARMLESS_ANNOTATIONS.contains(&key)
        || (key == TEMPLATE_GENERATION && is_number())
    {
        value
    } else {
        hidden(value)
    }
}

/// Returns the object with all fields. The named fields keep their values, and the values of the others are hidden.
pub(super) fn keep(value: Value, allowed: &[&str]) -> Value {
    each(value, |key, value| if allowed.contains(&key) { value } else { hidden(value) })
}

/// Returns the object with only the named fields.
pub(super) fn only(value: Value, allowed: &[&str]) -> Value {
    let Value::Object(fields) = value else { return hidden(value) };
    Value::Object(fields.into_iter().filter(|(key, _)| allowed.contains(&key.as_str())).collect())
}

/// Returns the object with each of its fields changed.
pub(super) fn each(value: Value, mut change: impl FnMut(&str, Value) -> Value) -> Value {
    let Value::Object(fields) = value else { return hidden(value) };
    let changed = fields.into_iter().map(|(key, value)| {
        let value = change(&key, value);
        (key, value)
    });
    Value::Object(changed.collect())
}

/// Returns the list with each of its items changed.
pub(super) fn each_item(value: Value, change: impl FnMut(Value) -> Value) -> Value {
    let Value::Array(items) = value else { return hidden(value) };
    Value::Array(items.into_iter().map(change).collect())
}

/// Redacts a status. The named fields stay. Conditions stay with their messages, because the messages are the evidence.
pub(super) fn status(value: Value, allowed: &[&str]) -> Value {
    let Value::Object(fields) = value else { return hidden(value) };
    let fields = fields.into_iter().filter_map(|(key, value)| match key.as_str() {
        "conditions" => {
            let kept = |condition| keep(condition, &["lastTransitionTime", "message", "reason", "status", "type"]);
            Some((key, each_item(value, kept)))
        }
        known if allowed.contains(&known) => Some((key, value)),
        _ => None,
    });
    Value::Object(fields.collect())
}

/// Replaces texts and numbers. All keys stay, so the structure of the object does not change.
pub(super) fn hidden(value: Value) -> Value {
    match value {
        Value::Null | Value::Bool(_) => value,
        Value::Number(_) => json!(0),
        Value::String(text) => Value::String(if text.is_empty() { text } else { REDACTED.to_owned() }),
        Value::Array(items) => Value::Array(items.into_iter().map(hidden).collect()),
        Value::Object(fields) => Value::Object(fields.into_iter().map(|(key, value)| (key, hidden(value))).collect()),
    }
}
