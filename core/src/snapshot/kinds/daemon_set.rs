//! This module decodes DaemonSets, and decides which of their fields may leave the cluster.

use super::Stored;
use super::pod_template::{Template, workload_spec};
use crate::model::DaemonSet;
use crate::snapshot::decode::wire::{LabelTerms, List, Meta, StatusCondition, conditions, object};
use crate::snapshot::decode::{Context, Failure};
use crate::snapshot::redact::status;
use serde_json::Value;

object!(DaemonSetObject { metadata: Meta = "metadata", spec: DaemonSetSpec = "spec", status: Counts = "status" });

object!(DaemonSetSpec { selector: Option<LabelTerms> = "selector", template: Template = "template" });

object!(Counts {
    desired: Option<i64> = "desiredNumberScheduled",
    current: Option<i64> = "currentNumberScheduled",
    updated: Option<i64> = "updatedNumberScheduled",
    ready: Option<i64> = "numberReady",
    available: Option<i64> = "numberAvailable",
    unavailable: Option<i64> = "numberUnavailable",
    misscheduled: Option<i64> = "numberMisscheduled",
    conditions: List<StatusCondition> = "conditions",
});

/// The counts in the status.
const COUNTS: [&str; 7] = [
    "currentNumberScheduled",
    "desiredNumberScheduled",
    "numberAvailable",
    "numberMisscheduled",
    "numberReady",
    "numberUnavailable",
    "updatedNumberScheduled",
];

impl Stored for DaemonSet {
    fn decode(at: &Context<'_>) -> Result<Option<Self>, Failure> {
        daemon_set(at, at.parse()?).map(Some)
    }

    fn redact(field: &str, value: Value) -> Option<Value> {
        match field {
            "spec" => Some(workload_spec(value, &[])),
            "status" => Some(status(value, &COUNTS)),
            _ => None,
        }
    }
}

fn daemon_set(at: &Context<'_>, object: DaemonSetObject) -> Result<DaemonSet, Failure> {
    let (spec, status) = (object.spec, object.status);
    Ok(DaemonSet {
        owners: object.metadata.owners.owners(),
        meta: at.meta(object.metadata)?,
        selector: spec.selector.map(|selector| Box::new(selector.into_selector())),
        template: spec.template.template(),
        desired: status.desired.unwrap_or_default(),
        current: status.current.unwrap_or_default(),
        updated: status.updated.unwrap_or_default(),
        ready: status.ready.unwrap_or_default(),
        available: status.available.unwrap_or_default(),
        unavailable: status.unavailable.unwrap_or_default(),
        misscheduled: status.misscheduled.unwrap_or_default(),
        conditions: conditions(status.conditions.0.into_iter()),
    })
}
