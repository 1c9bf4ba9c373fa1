//! This module decodes Namespaces, and decides which of their fields may leave the cluster.

use super::Stored;
use crate::model::Namespace;
use crate::snapshot::decode::wire::{List, Meta, StatusCondition, Text, conditions, object};
use crate::snapshot::decode::{Context, Failure};
use crate::snapshot::redact::{only, status};
use serde_json::Value;

object!(NamespaceObject { metadata: Meta = "metadata", spec: NamespaceSpec = "spec", status: Conditions = "status" });

object!(NamespaceSpec { finalizers: List<Text> = "finalizers" });

object!(Conditions { conditions: List<StatusCondition> = "conditions" });

impl Stored for Namespace {
    fn decode(at: &Context<'_>) -> Result<Option<Self>, Failure> {
        namespace(at, at.parse()?).map(Some)
    }

    fn redact(field: &str, value: Value) -> Option<Value> {
        match field {
            "spec" => Some(only(value, &["finalizers"])),
            "status" => Some(status(value, &["phase"])),
            _ => None,
        }
    }
}

fn namespace(at: &Context<'_>, object: NamespaceObject) -> Result<Namespace, Failure> {
    Ok(Namespace {
        meta: at.meta(object.metadata)?,
        finalizers: object.spec.finalizers.strings(),
        conditions: conditions(object.status.conditions.0.into_iter()),
    })
}
