//! This module decodes LimitRanges, and decides which of their fields may leave the cluster.

use super::Stored;
use crate::model::{LimitRange, Quantity};
use crate::snapshot::decode::wire::{List, Meta, Requests, Text, object};
use crate::snapshot::decode::{Context, Failure};
use crate::snapshot::redact::only;
use serde_json::Value;

object!(LimitRangeObject { metadata: Meta = "metadata", spec: Limits = "spec" });

object!(Limits { limits: List<Limit> = "limits" });

object!(Limit { kind: Text = "type", least: Requests = "min", most: Requests = "max" });

impl Stored for LimitRange {
    fn decode(at: &Context<'_>) -> Result<Option<Self>, Failure> {
        limit_range(at, at.parse()?).map(Some)
    }

    fn redact(field: &str, value: Value) -> Option<Value> {
        (field == "spec").then(|| only(value, &["limits"]))
    }
}

fn limit_range(at: &Context<'_>, object: LimitRangeObject) -> Result<LimitRange, Failure> {
    let (mut least, mut most): (Option<Quantity>, Option<Quantity>) = (None, None);
    for limit in object.spec.limits.0 {
        if limit.kind.0 == "PersistentVolumeClaim" {
            let smallest = limit.least.storage.map(|amount| amount.quantity);
            let largest = limit.most.storage.map(|amount| amount.quantity);
            least = smallest.into_iter().chain(least).max_by(Quantity::compare);
            most = largest.into_iter().chain(most).min_by(Quantity::compare);
        }
    }
    Ok(LimitRange { meta: at.meta(object.metadata)?, least, most })
}
