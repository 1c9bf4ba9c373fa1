//! This module decodes ResourceQuotas, and decides which of their fields may leave the cluster.

use super::Stored;
use crate::model::ResourceQuota;
use crate::snapshot::decode::wire::{List, Meta, Quantities, object};
use crate::snapshot::decode::{Context, Failure};
use crate::snapshot::redact::only;
use serde::de::IgnoredAny;
use serde_json::Value;

object!(QuotaObject { metadata: Meta = "metadata", spec: QuotaSpec = "spec", status: QuotaStatus = "status" });

object!(QuotaSpec { scopes: List<IgnoredAny> = "scopes", selector: Option<IgnoredAny> = "scopeSelector" });

object!(QuotaStatus { hard: Quantities = "hard", used: Quantities = "used" });

impl Stored for ResourceQuota {
    fn decode(at: &Context<'_>) -> Result<Option<Self>, Failure> {
        quota(at, at.parse()?).map(Some)
    }

    fn redact(field: &str, value: Value) -> Option<Value> {
        ["spec", "status"].contains(&field).then(|| only(value, &["hard", "scopeSelector", "scopes", "used"]))
    }
}

fn quota(at: &Context<'_>, object: QuotaObject) -> Result<ResourceQuota, Failure> {
    let quantities = |list: Quantities| list.0.into_iter().map(|(name, amount)| (name, amount.quantity)).collect();
    Ok(ResourceQuota {
        meta: at.meta(object.metadata)?,
        hard: quantities(object.status.hard),
        used: quantities(object.status.used),
        scoped: !object.spec.scopes.0.is_empty() || object.spec.selector.is_some(),
    })
}
