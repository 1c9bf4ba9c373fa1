//! Pod templates of workloads: how they are decoded, and which of their fields may leave the cluster.

use super::pod::{PodVolume, pod_spec, used_claims};
use crate::model::pod_template::PodTemplate;
use crate::snapshot::decode::wire::{LabelMap, List, object};
use crate::snapshot::redact::{each, only};
use serde_json::Value;

object!(Template { metadata: TemplateMeta = "metadata", spec: TemplateSpec = "spec" });

object!(TemplateMeta { labels: LabelMap = "labels" });

object!(TemplateSpec { volumes: List<PodVolume> = "volumes" });

impl Template {
    /// Returns the template as a value of the model.
    pub(super) fn template(self) -> PodTemplate {
        let (claims, ephemeral_volumes) = used_claims(self.spec.volumes);
        PodTemplate {
            labels: self.metadata.labels.0.into(),
            claims: claims.into_iter().map(|volume| volume.claim).collect(),
            ephemeral_volumes: ephemeral_volumes.into_iter().map(|(_, name, _)| name).collect(),
        }
    }
}

/// Redacts a pod template.
pub(super) fn pod_template(value: Value) -> Value {
    each(only(value, &["metadata", "spec"]), |key, value| match key {
        "spec" => pod_spec(value),
        _ => only(value, &["labels"]),
    })
}

/// Redacts the specification of a workload. The named fields stay, and so does the pod template in redacted form.
pub(super) fn workload_spec(value: Value, allowed: &[&str]) -> Value {
    each(only(value, &[allowed, &["selector", "template"]].concat()), |key, value| match key {
        "template" => pod_template(value),
        _ => value,
    })
}
