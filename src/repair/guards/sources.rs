//! The sources that write a field of an object repeatedly, as the object itself records them.
//!
//! There are two records. `kubectl apply` stores the applied manifest in an annotation. Server-side apply records in
//! `metadata.managedFields` which fields each manager applied. If somebody else sets such a field to another value, the
//! manager is no longer recorded as its owner (structured-merge-diff, `Updater.Update`). But the manager may still
//! apply the field again.

use crate::model::ReclaimPolicy;
use crate::repair::write::{FIELD_MANAGER, Reference};
use serde_json::Value;

/// The path of a volume's reclaim policy in managed fields.
pub const POLICY: &[&str] = &["f:spec", "f:persistentVolumeReclaimPolicy"];
/// The path of a volume's claimRef in managed fields.
const CLAIM_REF: &[&str] = &["f:spec", "f:claimRef"];
/// The path of a volume's whole spec in managed fields.
const SPEC: &[&str] = &["f:spec"];

/// A source that applies a volume, and the fields that it applies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Source {
    /// The name of the source, in words.
    pub(super) who: String,
    /// The reclaim policy that the source applies.
    pub(super) policy: Policy,
    /// The claim that the source applies in `claimRef`.
    pub(super) claim_ref: Option<Reference>,
}

/// The reclaim policy in a source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Policy {
    /// The source states this policy.
    Is(String),
    /// The source states no policy.
    Unstated,
    /// The source may state a policy. But this program has set the policy since then, so the record no longer shows who
    /// applied it.
    Hidden,
}

impl Source {
    /// Returns whether the source may set a policy other than Retain.
    pub(super) fn may_delete(&self) -> bool {
        match &self.policy {
            Policy::Is(policy) => policy != ReclaimPolicy::Retain.as_str(),
            Policy::Hidden => true,
            Policy::Unstated => false,
        }
    }
}

/// Returns all sources that apply an object, as the object records them.
pub(super) fn sources(manifest: &Value) -> Vec<Source> {
    let now = |path: &str| manifest.pointer(path).and_then(Value::as_str).map(str::to_owned);
    let hidden = last_writer(manifest, POLICY).is_some_and(|writer| writer.manager == FIELD_MANAGER);
    let applied = last_applied(manifest).map(|applied| Source {
        who: "kubectl apply (annotation kubectl.kubernetes.io/last-applied-configuration)".to_owned(),
        policy: applied["spec"]["persistentVolumeReclaimPolicy"]
            .as_str()
            .map_or(Policy::Unstated, |policy| Policy::Is(policy.to_owned())),
        claim_ref: reference(&applied["spec"]["claimRef"]),
    });
    let managers = entries(manifest).filter(|entry| entry["operation"] == "Apply").filter_map(|entry| {
        let owns = |path: &[&str]| owns(entry, path);
        let policy = match now("/spec/persistentVolumeReclaimPolicy") {
            Some(policy) if owns(POLICY) => Policy::Is(policy),
            _ if hidden && owns(SPEC) => Policy::Hidden,
            _ => Policy::Unstated,
        };
        let claim_ref = if owns(CLAIM_REF) { reference(&manifest["spec"]["claimRef"]) } else { None };
        Some(Source {
            who: format!("field manager {} (server-side apply)", entry["manager"].as_str()?),
            policy,
            claim_ref,
        })
    });
    applied.into_iter().chain(managers).collect()
}

/// The manager that set a field to its current value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Writer {
    /// The name under which the API server records the manager.
    pub manager: String,
    /// The time of the write, as the API server writes times.
    pub at: String,
}

impl std::fmt::Display for Writer {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "field manager {}, {}", self.manager, self.at)
    }
}

/// Returns the last manager that set a field: the newest of the recorded owners of the field.
pub fn last_writer(manifest: &Value, path: &[&str]) -> Option<Writer> {
    let text = |entry: &Value, field: &str| entry[field].as_str().unwrap_or_default().to_owned();
    entries(manifest)
        .filter(|entry| owns(entry, path))
        .map(|entry| Writer { manager: text(entry, "manager"), at: text(entry, "time") })
        .max_by(|one, other| one.at.cmp(&other.at))
}

/// Returns the manifest that `kubectl apply` applied last.
fn last_applied(manifest: &Value) -> Option<Value> {
    let text = manifest["metadata"]["annotations"]["kubectl.kubernetes.io/last-applied-configuration"].as_str()?;
    serde_json::from_str(text).ok()
}

fn reference(value: &Value) -> Option<Reference> {
    let text = |field: &str| value[field].as_str().unwrap_or_default();
    value["name"].is_string().then(|| Reference {
        namespace: text("namespace").into(),
        name: text("name").into(),
        uid: text("uid").into(),
    })
}

/// Returns the entries of the managed fields of an object. Entries of a subresource are left out, because a manifest
/// cannot write them.
fn entries(manifest: &Value) -> impl Iterator<Item = &Value> {
    let all = manifest["metadata"]["managedFields"].as_array().into_iter().flatten();
    all.filter(|entry| entry["subresource"].as_str().is_none_or(str::is_empty))
}

fn owns(entry: &Value, path: &[&str]) -> bool {
    path.iter().try_fold(&entry["fieldsV1"], |fields, part| fields.get(part)).is_some()
}

/// Returns the source that applies the object, if there is one. The fields that it applies do not matter.
pub(super) fn is_applied(manifest: &Value) -> Option<String> {
    sources(manifest).into_iter().next().map(|source| source.who)
}
