//! This module decodes ReplicaSets, and decides which of their fields may leave the cluster.

use super::Stored;
use super::pod_template::{Template, workload_spec};
use crate::model::ReplicaSet;
use crate::snapshot::decode::wire::{LabelTerms, List, Meta, StatusCondition, conditions, object};
use crate::snapshot::decode::{Context, Failure};
use crate::snapshot::redact::status;
use serde_json::Value;

object!(ReplicaSetObject { metadata: Meta = "metadata", spec: ReplicaSetSpec = "spec", status: Counts = "status" });

object!(ReplicaSetSpec {
    replicas: Option<i64> = "replicas",
    selector: Option<LabelTerms> = "selector",
    template: Template = "template",
});

object!(Counts {
    existing: Option<i64> = "replicas",
    ready: Option<i64> = "readyReplicas",
    available: Option<i64> = "availableReplicas",
    conditions: List<StatusCondition> = "conditions",
});

impl Stored for ReplicaSet {
    fn decode(at: &Context<'_>) -> Result<Option<Self>, Failure> {
        replica_set(at, at.parse()?).map(Some)
    }

    fn redact(field: &str, value: Value) -> Option<Value> {
        match field {
            "spec" => Some(workload_spec(value, &["replicas"])),
            "status" => Some(status(value, &["availableReplicas", "readyReplicas", "replicas"])),
            _ => None,
        }
    }
}

fn replica_set(at: &Context<'_>, object: ReplicaSetObject) -> Result<ReplicaSet, Failure> {
    let (spec, status) = (object.spec, object.status);
    Ok(ReplicaSet {
        owners: object.metadata.owners.owners(),
        meta: at.meta(object.metadata)?,
        replicas: spec.replicas.unwrap_or(1),
        selector: spec.selector.map(|selector| Box::new(selector.into_selector())),
        template: spec.template.template(),
        existing: status.existing.unwrap_or_default(),
        ready: status.ready.unwrap_or_default(),
        available: status.available.unwrap_or_default(),
        conditions: conditions(status.conditions.0.into_iter()),
    })
}
