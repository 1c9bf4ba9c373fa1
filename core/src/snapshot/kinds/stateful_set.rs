//! This module decodes StatefulSets, and decides which of their fields may leave the cluster.

use super::Stored;
use super::persistent_volume_claim::{ClaimSpec, claim_template};
use super::pod_template::pod_template;
use crate::model::StatefulSet;
use crate::model::surroundings::ClaimTemplate;
use crate::snapshot::decode::wire::{List, Meta, Text, object};
use crate::snapshot::decode::{Context, Failure};
use crate::snapshot::redact::{each, each_item, only};
use serde_json::Value;

object!(StatefulSetObject { metadata: Meta = "metadata", spec: StatefulSetSpec = "spec" });

object!(StatefulSetSpec {
    replicas: Option<i64> = "replicas",
    ordinals: Ordinals = "ordinals",
    templates: List<Template> = "volumeClaimTemplates",
    retention: Retention = "persistentVolumeClaimRetentionPolicy",
});

object!(Ordinals { start: Option<i64> = "start" });

object!(Template { metadata: NamedText = "metadata", spec: ClaimSpec = "spec" });

object!(NamedText { name: Text = "name" });

object!(Retention { when_deleted: Text = "whenDeleted", when_scaled: Text = "whenScaled" });

/// The fields of a StatefulSet that are read, and the fields that the API server requires.
const STATEFUL_SET: [&str; 7] = [
    "ordinals",
    "persistentVolumeClaimRetentionPolicy",
    "replicas",
    "selector",
    "serviceName",
    "template",
    "volumeClaimTemplates",
];

impl Stored for StatefulSet {
    fn decode(at: &Context<'_>) -> Result<Option<Self>, Failure> {
        stateful_set(at, at.parse()?).map(Some)
    }

    fn redact(field: &str, value: Value) -> Option<Value> {
        (field == "spec").then(|| {
            each(only(value, &STATEFUL_SET), |key, value| match key {
                "template" => pod_template(value),
                "volumeClaimTemplates" => each_item(value, claim_template),
                _ => value,
            })
        })
    }
}

fn stateful_set(at: &Context<'_>, object: StatefulSetObject) -> Result<StatefulSet, Failure> {
    let spec = object.spec;
    let template = |template: Template| ClaimTemplate {
        name: template.metadata.name.0,
        class_name: template.spec.class_name.map(|class| class.0),
        request: template.spec.resources.requests.storage.map(|amount| amount.quantity),
    };
    Ok(StatefulSet {
        meta: at.meta(object.metadata)?,
        replicas: spec.replicas.unwrap_or(1),
        first_ordinal: spec.ordinals.start.unwrap_or_default(),
        templates: spec.templates.0.into_iter().map(template).collect(),
        when_deleted: spec.retention.when_deleted.0,
        when_scaled: spec.retention.when_scaled.0,
    })
}
