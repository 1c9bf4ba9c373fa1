//! This module decodes StorageClasses, and decides which of their fields may leave the cluster.

use super::Stored;
use crate::model::{BindingMode, ReclaimPolicy, StorageClass, Str};
use crate::snapshot::decode::wire::{List, Meta, Text, object};
use crate::snapshot::decode::{Context, Failure};
use crate::snapshot::redact::{each, hidden};
use serde_json::{Map, Value};

object!(ClassObject {
    metadata: Meta = "metadata",
    provisioner: Text = "provisioner",
    reclaim_policy: Option<Text> = "reclaimPolicy",
    binding_mode: Option<Text> = "volumeBindingMode",
    mount_options: List<Text> = "mountOptions",
    parameters: Option<Map<String, Value>> = "parameters",
    allow_expansion: Option<bool> = "allowVolumeExpansion",
    topologies: List<Topology> = "allowedTopologies",
});

object!(Topology { expressions: List<TopologyLabel> = "matchLabelExpressions" });

object!(TopologyLabel { key: Text = "key", values: List<Text> = "values" });

/// The parameters of a class that contain no secrets, in lower case.
const HARMLESS_PARAMETERS: [&str; 3] = ["csi.storage.k8s.io/fstype", "fstype", "type"];

/// The endings of the names of parameters that name a Secret. The last two endings are deprecated.
const NAMES_OF_SECRETS: [&str; 4] = ["secret-name", "secret-namespace", "SecretName", "SecretNamespace"];

impl Stored for StorageClass {
    fn decode(at: &Context<'_>) -> Result<Option<Self>, Failure> {
        class(at, at.parse()?).map(Some)
    }

    fn redact(field: &str, value: Value) -> Option<Value> {
        Some(match field {
            "parameters" => each(value, parameter),
            "allowVolumeExpansion"
            | "allowedTopologies"
            | "mountOptions"
            | "provisioner"
            | "reclaimPolicy"
            | "volumeBindingMode" => value,
            _ => hidden(value),
        })
    }
}

fn class(at: &Context<'_>, object: ClassObject) -> Result<StorageClass, Failure> {
    Ok(StorageClass {
        meta: at.meta(object.metadata)?,
        provisioner: object.provisioner.0,
        reclaim_policy: object.reclaim_policy.map(|policy| ReclaimPolicy::from_manifest(&policy.0)),
        binding_mode: object.binding_mode.map(|mode| BindingMode::from_manifest(&mode.0)),
        mount_options: object.mount_options.strings(),
        parameters: object.parameters.map(parameters).unwrap_or_default(),
        allow_expansion: object.allow_expansion.unwrap_or_default(),
        allowed_topologies: (object.topologies.0.into_iter())
            .map(|term| {
                let labels = term.expressions.0.into_iter();
                labels.map(|label| (label.key.0, label.values.strings())).collect()
            })
            .collect(),
    })
}

/// Returns the parameters, sorted by name. A value that may be secret, or is not a text, is replaced by an empty text.
fn parameters(all: Map<String, Value>) -> Box<[(Str, Str)]> {
    let value = |key: &str, value: Value| value.as_str().filter(|_| is_harmless(key)).map(Str::from);
    let mut kept: Vec<(Str, Str)> =
        all.into_iter().map(|(key, text)| (Str::from(key.as_str()), value(&key, text).unwrap_or_default())).collect();
    kept.sort();
    kept.into()
}

/// Redacts a parameter of a class.
pub(super) fn parameter(key: &str, value: Value) -> Value {
    if is_harmless(key) { value } else { hidden(value) }
}

fn is_harmless(key: &str) -> bool {
    NAMES_OF_SECRETS.iter().any(|end| key.ends_with(end))
        || HARMLESS_PARAMETERS.contains(&key.to_ascii_lowercase().as_str())
}
