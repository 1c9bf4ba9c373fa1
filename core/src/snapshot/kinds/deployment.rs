//! This module decodes Deployments, and decides which of their fields may leave the cluster.

use super::Stored;
use super::pod_template::{Template, workload_spec};
use crate::model::Deployment;
use crate::snapshot::decode::wire::{LabelTerms, List, Meta, StatusCondition, Text, conditions, object};
use crate::snapshot::decode::{Context, Failure};
use crate::snapshot::redact::{each, only, status};
use serde_json::Value;

object!(DeploymentObject { metadata: Meta = "metadata", spec: DeploymentSpec = "spec", status: Counts = "status" });

object!(DeploymentSpec {
    replicas: Option<i64> = "replicas",
    selector: Option<LabelTerms> = "selector",
    strategy: Strategy = "strategy",
    paused: Option<bool> = "paused",
    template: Template = "template",
});

object!(Strategy { kind: Option<Text> = "type" });

object!(Counts {
    existing: Option<i64> = "replicas",
    updated: Option<i64> = "updatedReplicas",
    ready: Option<i64> = "readyReplicas",
    available: Option<i64> = "availableReplicas",
    unavailable: Option<i64> = "unavailableReplicas",
    conditions: List<StatusCondition> = "conditions",
});

/// The counts in the status.
const COUNTS: [&str; 5] = ["availableReplicas", "readyReplicas", "replicas", "unavailableReplicas", "updatedReplicas"];

impl Stored for Deployment {
    fn decode(at: &Context<'_>) -> Result<Option<Self>, Failure> {
        deployment(at, at.parse()?).map(Some)
    }

    fn redact(field: &str, value: Value) -> Option<Value> {
        match field {
            "spec" => Some(each(workload_spec(value, &["paused", "replicas", "strategy"]), |key, value| match key {
                "strategy" => only(value, &["rollingUpdate", "type"]),
                _ => value,
            })),
            "status" => Some(status(value, &COUNTS)),
            _ => None,
        }
    }
}

fn deployment(at: &Context<'_>, object: DeploymentObject) -> Result<Deployment, Failure> {
    let (spec, status) = (object.spec, object.status);
    Ok(Deployment {
        owners: object.metadata.owners.owners(),
        meta: at.meta(object.metadata)?,
        replicas: spec.replicas.unwrap_or(1),
        selector: spec.selector.map(|selector| Box::new(selector.into_selector())),
        strategy: spec.strategy.kind.map_or_else(|| "RollingUpdate".into(), |kind| kind.0),
        paused: spec.paused.unwrap_or_default(),
        template: spec.template.template(),
        existing: status.existing.unwrap_or_default(),
        updated: status.updated.unwrap_or_default(),
        ready: status.ready.unwrap_or_default(),
        available: status.available.unwrap_or_default(),
        unavailable: status.unavailable.unwrap_or_default(),
        conditions: conditions(status.conditions.0.into_iter()),
    })
}
