//! This module decodes EndpointSlices, and decides which of their fields may leave the cluster.

use super::Stored;
use super::endpoints::{PortObject, Target, ports, redacted_endpoint, redacted_port, target};
use crate::model::EndpointSlice;
use crate::model::endpoint_slice::Endpoint;
use crate::snapshot::decode::wire::{List, Meta, Text, object};
use crate::snapshot::decode::{Context, Failure};
use crate::snapshot::redact::{each, each_item, only};
use serde_json::Value;

object!(SliceObject {
    metadata: Meta = "metadata",
    address_type: Text = "addressType",
    endpoints: List<SliceEndpoint> = "endpoints",
    ports: List<PortObject> = "ports",
});

object!(SliceEndpoint {
    addresses: List<Text> = "addresses",
    conditions: EndpointConditions = "conditions",
    hostname: Text = "hostname",
    node_name: Text = "nodeName",
    zone: Text = "zone",
    target: Option<Target> = "targetRef",
});

object!(EndpointConditions {
    ready: Option<bool> = "ready",
    serving: Option<bool> = "serving",
    terminating: Option<bool> = "terminating",
});

/// The fields of an endpoint that stay in a redacted object, besides its target.
const ENDPOINT: [&str; 5] = ["addresses", "conditions", "hostname", "nodeName", "zone"];

impl Stored for EndpointSlice {
    fn decode(at: &Context<'_>) -> Result<Option<Self>, Failure> {
        slice(at, at.parse()?).map(Some)
    }

    fn redact(field: &str, value: Value) -> Option<Value> {
        match field {
            "addressType" => Some(value),
            "endpoints" => Some(each_item(value, |endpoint| {
                each(redacted_endpoint(endpoint, &ENDPOINT), |key, value| match key {
                    "conditions" => only(value, &["ready", "serving", "terminating"]),
                    _ => value,
                })
            })),
            "ports" => Some(each_item(value, redacted_port)),
            _ => None,
        }
    }
}

fn slice(at: &Context<'_>, object: SliceObject) -> Result<EndpointSlice, Failure> {
    let endpoint = |endpoint: SliceEndpoint| Endpoint {
        addresses: endpoint.addresses.strings(),
        ready: endpoint.conditions.ready,
        serving: endpoint.conditions.serving,
        terminating: endpoint.conditions.terminating,
        hostname: endpoint.hostname.0,
        node_name: endpoint.node_name.0,
        zone: endpoint.zone.0,
        target: endpoint.target.map(target),
    };
    Ok(EndpointSlice {
        owners: object.metadata.owners.owners(),
        meta: at.meta(object.metadata)?,
        address_type: object.address_type.0,
        endpoints: object.endpoints.0.into_iter().map(endpoint).collect(),
        ports: ports(object.ports),
    })
}
