//! This module decodes Nodes, and decides which of their fields may leave the cluster.

use super::Stored;
use crate::model::{Node, Taint};
use crate::snapshot::decode::wire::{List, Meta, Text, object};
use crate::snapshot::decode::{Context, Failure};
use crate::snapshot::redact::only;
use serde_json::Value;

object!(NodeObject { metadata: Meta = "metadata", spec: NodeSpec = "spec" });

object!(NodeSpec { unschedulable: Option<bool> = "unschedulable", taints: List<NodeTaint> = "taints" });

object!(NodeTaint { key: Text = "key", effect: Text = "effect" });

impl Stored for Node {
    fn decode(at: &Context<'_>) -> Result<Option<Self>, Failure> {
        node(at, at.parse()?).map(Some)
    }

    fn redact(field: &str, value: Value) -> Option<Value> {
        (field == "spec").then(|| only(value, &["taints", "unschedulable"]))
    }
}

fn node(at: &Context<'_>, object: NodeObject) -> Result<Node, Failure> {
    let taint = |taint: NodeTaint| Taint { key: taint.key.0, effect: taint.effect.0 };
    Ok(Node {
        meta: at.meta(object.metadata)?,
        unschedulable: object.spec.unschedulable.unwrap_or_default(),
        taints: object.spec.taints.0.into_iter().map(taint).collect(),
    })
}
