//! This module decodes Nodes, and decides which of their fields may leave the cluster.

use super::Stored;
use super::pod_scheduling::whole;
use crate::model::{Node, Taint};
use crate::snapshot::decode::wire::{List, Meta, Quantities, StatusCondition, Text, conditions, object};
use crate::snapshot::decode::{Context, Failure};
use crate::snapshot::redact::{each, each_item, keep, only, status};
use serde_json::Value;

object!(NodeObject { metadata: Meta = "metadata", spec: NodeSpec = "spec", status: NodeStatus = "status" });

object!(NodeSpec { unschedulable: Option<bool> = "unschedulable", taints: List<NodeTaint> = "taints" });

object!(NodeTaint { key: Text = "key", value: Text = "value", effect: Text = "effect" });

object!(NodeStatus {
    allocatable: Quantities = "allocatable",
    declared: List<Text> = "declaredFeatures",
    conditions: List<StatusCondition> = "conditions",
    in_use: List<Text> = "volumesInUse",
    attached: List<AttachedVolume> = "volumesAttached",
    addresses: List<NodeAddress> = "addresses",
});

object!(AttachedVolume { name: Text = "name" });

object!(NodeAddress { kind: Text = "type", address: Text = "address" });

/// The type of the addresses that other computers of the cluster use.
const INTERNAL: &str = "InternalIP";

impl Stored for Node {
    fn decode(at: &Context<'_>) -> Result<Option<Self>, Failure> {
        node(at, at.parse()?).map(Some)
    }

    fn redact(field: &str, value: Value) -> Option<Value> {
        match field {
            "spec" => Some(only(value, &["taints", "unschedulable"])),
            "status" => {
                const READ: [&str; 5] =
                    ["addresses", "allocatable", "declaredFeatures", "volumesAttached", "volumesInUse"];
                Some(each(status(value, &READ), |key, value| match key {
                    // The device path may contain the name of a storage target, which must not leave the cluster.
                    "volumesAttached" => each_item(value, |volume| keep(volume, &["name"])),
                    "addresses" => each_item(value, address),
                    _ => value,
                }))
            }
            _ => None,
        }
    }
}

/// Redacts an address of a node. Names and external addresses do not leave the cluster.
fn address(value: Value) -> Value {
    let is_internal = value.get("type").and_then(Value::as_str) == Some(INTERNAL);
    keep(value, if is_internal { &["address", "type"] } else { &["type"] })
}

fn node(at: &Context<'_>, object: NodeObject) -> Result<Node, Failure> {
    let taint = |taint: NodeTaint| Taint { key: taint.key.0, value: taint.value.0, effect: taint.effect.0 };
    let status = object.status;
    let internal = status.addresses.0.into_iter().filter(|address| address.kind.0 == INTERNAL);
    let is_told = |condition: &StatusCondition| condition.kind.0 == "Ready" || condition.status.0 != "False";
    Ok(Node {
        meta: at.meta(object.metadata)?,
        unschedulable: object.spec.unschedulable.unwrap_or_default(),
        taints: object.spec.taints.0.into_iter().map(taint).collect(),
        allocatable: whole(status.allocatable.0.iter().map(|(name, amount)| (name.clone(), amount.quantity.nanos()))),
        declared_features: status.declared.strings(),
        conditions: conditions(status.conditions.0.into_iter().filter(is_told)),
        volumes_in_use: status.in_use.strings(),
        volumes_attached: status.attached.0.into_iter().map(|volume| volume.name.0).collect(),
        internal_addresses: internal.map(|address| address.address.0).collect(),
    })
}
