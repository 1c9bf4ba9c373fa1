//! Who writes a field of an object again and again: what the object itself records of those who apply it.
//!
//! Two records count. `kubectl apply` keeps what it applied in an annotation. Server-side apply keeps which fields each
//! manager applied in `metadata.managedFields`. A manager whose field somebody else sets to another value is no longer
//! recorded as its owner (structured-merge-diff, `Updater.Update`), although it may apply the field again.

use crate::model::ReclaimPolicy;
use crate::repair::write::{FIELD_MANAGER, Reference};
use serde_json::Value;

/// The policy of a volume, as managed fields name it.
pub const POLICY: &[&str] = &["f:spec", "f:persistentVolumeReclaimPolicy"];
/// Whom a volume names.
const CLAIM_REF: &[&str] = &["f:spec", "f:claimRef"];
/// Anything that a manifest of a volume states.
const SPEC: &[&str] = &["f:spec"];

/// Somebody who applies a volume, and what of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Source {
    /// Who, in words.
    pub(super) who: String,
    /// The reclaim policy that is applied.
    pub(super) policy: Policy,
    /// The claim that is applied in `claimRef`.
    pub(super) claim_ref: Option<Reference>,
}

/// What a source says of the reclaim policy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Policy {
    /// It states this one.
    Is(String),
    /// It states none.
    Unstated,
    /// It may state one: this tool has set the policy since, and so hides who had applied it.
    Hidden,
}

impl Source {
    /// Whether it may set another policy than Retain.
    pub(super) fn may_delete(&self) -> bool {
        match &self.policy {
            Policy::Is(policy) => policy != ReclaimPolicy::Retain.as_str(),
            Policy::Hidden => true,
            Policy::Unstated => false,
        }
    }
}

/// Everybody who applies an object, by what the object records.
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

/// Who set a field to the value that it has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Writer {
    /// The name under which the API server records it.
    pub manager: String,
    /// When, as the API server writes times.
    pub at: String,
}

impl std::fmt::Display for Writer {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "field manager {}, {}", self.manager, self.at)
    }
}

/// The last manager that set a field, as the API server records it: the newest of those who own it.
pub fn last_writer(manifest: &Value, path: &[&str]) -> Option<Writer> {
    let text = |entry: &Value, field: &str| entry[field].as_str().unwrap_or_default().to_owned();
    entries(manifest)
        .filter(|entry| owns(entry, path))
        .map(|entry| Writer { manager: text(entry, "manager"), at: text(entry, "time") })
        .max_by(|one, other| one.at.cmp(&other.at))
}

/// What `kubectl apply` applied last.
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

/// The managers of the fields of an object, but for those of a subresource, which a manifest cannot write.
fn entries(manifest: &Value) -> impl Iterator<Item = &Value> {
    let all = manifest["metadata"]["managedFields"].as_array().into_iter().flatten();
    all.filter(|entry| entry["subresource"].as_str().is_none_or(str::is_empty))
}

fn owns(entry: &Value, path: &[&str]) -> bool {
    path.iter().try_fold(&entry["fieldsV1"], |fields, part| fields.get(part)).is_some()
}

/// Whether somebody applies the object, whatever of it.
pub(super) fn is_applied(manifest: &Value) -> Option<String> {
    sources(manifest).into_iter().next().map(|source| source.who)
}
