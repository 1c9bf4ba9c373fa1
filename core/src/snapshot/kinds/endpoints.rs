//! This module decodes Endpoints objects, and decides which of their fields may leave the cluster.

use super::Stored;
use crate::model::Endpoints;
use crate::model::endpoints::{EndpointAddress, EndpointPort, EndpointSubset, EndpointTarget};
use crate::snapshot::decode::wire::{List, Meta, Text, object};
use crate::snapshot::decode::{Context, Failure};
use crate::snapshot::redact::{each, each_item, only};
use serde_json::Value;

object!(EndpointsObject { metadata: Meta = "metadata", subsets: List<Subset> = "subsets" });

object!(Subset {
    ready: List<Address> = "addresses",
    not_ready: List<Address> = "notReadyAddresses",
    ports: List<PortObject> = "ports",
});

object!(Address {
    ip: Text = "ip",
    hostname: Text = "hostname",
    node_name: Text = "nodeName",
    target: Option<Target> = "targetRef",
});

object!(Target { kind: Text = "kind", namespace: Text = "namespace", name: Text = "name", uid: Text = "uid" });

object!(PortObject { name: Text = "name", protocol: Option<Text> = "protocol", port: Option<i64> = "port" });

impl Stored for Endpoints {
    fn decode(at: &Context<'_>) -> Result<Option<Self>, Failure> {
        endpoints(at, at.parse()?).map(Some)
    }

    fn redact(field: &str, value: Value) -> Option<Value> {
        (field == "subsets").then(|| {
            each_item(value, |subset| {
                each(only(subset, &["addresses", "notReadyAddresses", "ports"]), |key, value| match key {
                    "ports" => each_item(value, redacted_port),
                    _ => each_item(value, |address| redacted_endpoint(address, &["hostname", "ip", "nodeName"])),
                })
            })
        })
    }
}

fn endpoints(at: &Context<'_>, object: EndpointsObject) -> Result<Endpoints, Failure> {
    let subset = |subset: Subset| EndpointSubset {
        ready: subset.ready.0.into_iter().map(address).collect(),
        not_ready: subset.not_ready.0.into_iter().map(address).collect(),
        ports: ports(subset.ports),
    };
    Ok(Endpoints {
        owners: object.metadata.owners.owners(),
        meta: at.meta(object.metadata)?,
        subsets: object.subsets.0.into_iter().map(subset).collect(),
    })
}

fn address(address: Address) -> EndpointAddress {
    EndpointAddress {
        ip: address.ip.0,
        hostname: address.hostname.0,
        node_name: address.node_name.0,
        target: address.target.map(target),
    }
}

/// Returns the object that serves an address, as a value of the model.
pub(super) fn target(target: Target) -> EndpointTarget {
    EndpointTarget { kind: target.kind.0, namespace: target.namespace.0, name: target.name.0, uid: target.uid.0 }
}

/// Returns the ports of addresses, as values of the model.
pub(super) fn ports(ports: List<PortObject>) -> Box<[EndpointPort]> {
    let port = |port: PortObject| EndpointPort {
        name: port.name.0,
        protocol: port.protocol.map_or_else(|| "TCP".into(), |protocol| protocol.0),
        port: port.port,
    };
    ports.0.into_iter().map(port).collect()
}

/// Redacts an endpoint. The named fields stay, and so does the reference to the object that serves the endpoint.
pub(super) fn redacted_endpoint(endpoint: Value, allowed: &[&str]) -> Value {
    each(only(endpoint, &[allowed, &["targetRef"]].concat()), |key, value| match key {
        "targetRef" => only(value, &["kind", "name", "namespace", "uid"]),
        _ => value,
    })
}

/// Redacts a port.
pub(super) fn redacted_port(port: Value) -> Value {
    only(port, &["appProtocol", "name", "port", "protocol"])
}
