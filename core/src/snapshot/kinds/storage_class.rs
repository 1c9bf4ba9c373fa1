//! This module decodes StorageClasses, and decides which of their fields may leave the cluster.

use super::Stored;
use crate::model::{BindingMode, ReclaimPolicy, StorageClass};
use crate::snapshot::decode::wire::{List, Meta, Text, object};
use crate::snapshot::decode::{Context, Failure};
use crate::snapshot::redact::{each, hidden};
use serde_json::Value;

object!(ClassObject {
    metadata: Meta = "metadata",
    provisioner: Text = "provisioner",
    reclaim_policy: Option<Text> = "reclaimPolicy",
    binding_mode: Option<Text> = "volumeBindingMode",
    mount_options: List<Text> = "mountOptions",
    allow_expansion: Option<bool> = "allowVolumeExpansion",
    topologies: List<Topology> = "allowedTopologies",
});

object!(Topology { expressions: List<TopologyLabel> = "matchLabelExpressions" });

object!(TopologyLabel { key: Text = "key", values: List<Text> = "values" });

/// The parameters of a class that contain no secrets. Parameters that end in `-secret-name` or `-secret-namespace`
/// contain no secrets, either.
const HARMLESS_PARAMETERS: [&str; 4] = ["csi.storage.k8s.io/fstype", "fsType", "fstype", "type"];

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
        allow_expansion: object.allow_expansion.unwrap_or_default(),
        allowed_topologies: (object.topologies.0.into_iter())
            .map(|term| {
                let labels = term.expressions.0.into_iter();
                labels.map(|label| (label.key.0, label.values.strings())).collect()
            })
            .collect(),
    })
}

/// Redacts a parameter of a class.
pub(super) fn parameter(key: &str, value: Value) -> Value {
    let name_of_secret = key.ends_with("-secret-name") || key.ends_with("-secret-namespace");
    if name_of_secret || HARMLESS_PARAMETERS.contains(&key) { value } else { hidden(value) }
}
