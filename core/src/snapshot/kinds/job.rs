//! This module decodes Jobs, and decides which of their fields may leave the cluster.

use super::Stored;
use super::pod_template::{Template, workload_spec};
use crate::model::Job;
use crate::snapshot::decode::wire::{LabelTerms, List, Meta, Moment, StatusCondition, conditions, object};
use crate::snapshot::decode::{Context, Failure};
use crate::snapshot::redact::status;
use serde_json::Value;

object!(JobObject { metadata: Meta = "metadata", spec: JobSpec = "spec", status: JobStatus = "status" });

object!(JobSpec {
    completions: Option<i64> = "completions",
    parallelism: Option<i64> = "parallelism",
    backoff_limit: Option<i64> = "backoffLimit",
    suspend: Option<bool> = "suspend",
    selector: Option<LabelTerms> = "selector",
    template: Template = "template",
});

object!(JobStatus {
    active: Option<i64> = "active",
    ready: Option<i64> = "ready",
    succeeded: Option<i64> = "succeeded",
    failed: Option<i64> = "failed",
    started: Moment = "startTime",
    completed: Moment = "completionTime",
    conditions: List<StatusCondition> = "conditions",
});

/// The fields of the specification that are read, and the fields that define how pods are counted.
const JOB: [&str; 6] = ["backoffLimit", "completionMode", "completions", "manualSelector", "parallelism", "suspend"];

/// The fields of the status that are read, besides the conditions.
const STATUS: [&str; 6] = ["active", "completionTime", "failed", "ready", "startTime", "succeeded"];

impl Stored for Job {
    fn decode(at: &Context<'_>) -> Result<Option<Self>, Failure> {
        job(at, at.parse()?).map(Some)
    }

    fn redact(field: &str, value: Value) -> Option<Value> {
        match field {
            "spec" => Some(job_spec(value)),
            "status" => Some(status(value, &STATUS)),
            _ => None,
        }
    }
}

/// Redacts the specification of a Job. The API server accepts no pod template of a Job without a restart policy, since
/// the default policy is not allowed in a Job. So the policy stays.
fn job_spec(value: Value) -> Value {
    let policy = value.pointer("/template/spec/restartPolicy").filter(|policy| policy.is_string()).cloned();
    let mut kept = workload_spec(value, &JOB);
    if let (Some(policy), Some(Value::Object(spec))) = (policy, kept.pointer_mut("/template/spec")) {
        spec.insert("restartPolicy".to_owned(), policy);
    }
    kept
}

fn job(at: &Context<'_>, object: JobObject) -> Result<Job, Failure> {
    let (spec, status) = (object.spec, object.status);
    Ok(Job {
        owners: object.metadata.owners.owners(),
        meta: at.meta(object.metadata)?,
        completions: spec.completions,
        parallelism: spec.parallelism.unwrap_or(1),
        backoff_limit: spec.backoff_limit.unwrap_or(6),
        suspended: spec.suspend.unwrap_or_default(),
        selector: spec.selector.map(|selector| Box::new(selector.into_selector())),
        template: spec.template.template(),
        active: status.active.unwrap_or_default(),
        ready: status.ready.unwrap_or_default(),
        succeeded: status.succeeded.unwrap_or_default(),
        failed: status.failed.unwrap_or_default(),
        started: status.started.0,
        completed: status.completed.0,
        conditions: conditions(status.conditions.0.into_iter()),
    })
}
