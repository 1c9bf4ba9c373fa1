//! This module decodes CSINodes, and decides which of their fields may leave the cluster.

use super::Stored;
use crate::model::CsiNode;
use crate::model::surroundings::NodeDriver;
use crate::snapshot::decode::wire::{List, Meta, Text, object};
use crate::snapshot::decode::{Context, Failure};
use crate::snapshot::redact::{each, each_item, keep, only};
use serde_json::Value;

object!(CsiNodeObject { metadata: Meta = "metadata", spec: CsiNodeSpec = "spec" });

object!(CsiNodeSpec { drivers: List<DriverOnNode> = "drivers" });

object!(DriverOnNode {
    name: Text = "name",
    node_id: Text = "nodeID",
    topology_keys: List<Text> = "topologyKeys",
    allocatable: Count = "allocatable",
});

object!(Count { count: Option<i64> = "count" });

impl Stored for CsiNode {
    fn decode(at: &Context<'_>) -> Result<Option<Self>, Failure> {
        csi_node(at, at.parse()?).map(Some)
    }

    fn redact(field: &str, value: Value) -> Option<Value> {
        let driver = |driver| keep(driver, &["allocatable", "name", "nodeID", "topologyKeys"]);
        (field == "spec").then(|| each(only(value, &["drivers"]), |_, drivers| each_item(drivers, driver)))
    }
}

fn csi_node(at: &Context<'_>, object: CsiNodeObject) -> Result<CsiNode, Failure> {
    let driver = |driver: DriverOnNode| NodeDriver {
        name: driver.name.0,
        node_id: driver.node_id.0,
        topology_keys: driver.topology_keys.strings(),
        limit: driver.allocatable.count,
    };
    Ok(CsiNode { meta: at.meta(object.metadata)?, drivers: object.spec.drivers.0.into_iter().map(driver).collect() })
}
