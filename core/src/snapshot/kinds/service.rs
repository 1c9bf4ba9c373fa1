//! This module decodes Services, and decides which of their fields may leave the cluster.

use super::Stored;
use crate::model::service::ServicePort;
use crate::model::{Service, Str};
use crate::snapshot::decode::wire::{LabelMap, List, Meta, Text, object};
use crate::snapshot::decode::{Context, Failure};
use crate::snapshot::redact::only;
use serde::de::{Deserialize, Deserializer, Error, Visitor};
use serde_json::Value;
use std::fmt;

object!(ServiceObject { metadata: Meta = "metadata", spec: ServiceSpec = "spec" });

object!(ServiceSpec {
    kind: Option<Text> = "type",
    cluster_ip: Text = "clusterIP",
    cluster_ips: List<Text> = "clusterIPs",
    external_name: Text = "externalName",
    selector: LabelMap = "selector",
    ports: List<PortObject> = "ports",
});

object!(PortObject {
    name: Text = "name",
    protocol: Option<Text> = "protocol",
    port: Option<i64> = "port",
    target: NumberOrText = "targetPort",
    node_port: Option<i64> = "nodePort",
});

/// The fields of a Service that are read, and the fields that define how its addresses and ports are used. The
/// addresses of the Service outside the cluster are left out.
const SERVICE: [&str; 12] = [
    "clusterIP",
    "clusterIPs",
    "externalName",
    "internalTrafficPolicy",
    "ipFamilies",
    "ipFamilyPolicy",
    "ports",
    "publishNotReadyAddresses",
    "selector",
    "sessionAffinity",
    "trafficDistribution",
    "type",
];

impl Stored for Service {
    fn decode(at: &Context<'_>) -> Result<Option<Self>, Failure> {
        service(at, at.parse()?).map(Some)
    }

    fn redact(field: &str, value: Value) -> Option<Value> {
        (field == "spec").then(|| only(value, &SERVICE))
    }
}

fn service(at: &Context<'_>, object: ServiceObject) -> Result<Service, Failure> {
    let spec = object.spec;
    let port = |port: PortObject| ServicePort {
        name: port.name.0,
        protocol: port.protocol.map_or_else(|| "TCP".into(), |protocol| protocol.0),
        port: port.port.unwrap_or_default(),
        target: port.target.0,
        node_port: port.node_port,
    };
    Ok(Service {
        owners: object.metadata.owners.owners(),
        meta: at.meta(object.metadata)?,
        kind: spec.kind.map_or_else(|| "ClusterIP".into(), |kind| kind.0),
        cluster_ip: spec.cluster_ip.0,
        cluster_ips: spec.cluster_ips.strings(),
        external_name: spec.external_name.0,
        selector: spec.selector.0.into(),
        ports: spec.ports.0.into_iter().map(port).collect(),
    })
}

/// A string, or a number in decimal. Upstream: `IntOrString`, apimachinery, 1.36.
#[derive(Default)]
pub(in crate::snapshot) struct NumberOrText(Str);

struct NumberOrTextVisitor;

impl Visitor<'_> for NumberOrTextVisitor {
    type Value = NumberOrText;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("a number or a string")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<NumberOrText, E> {
        Ok(NumberOrText(Str::new(text)))
    }

    fn visit_unit<E: Error>(self) -> Result<NumberOrText, E> {
        Ok(NumberOrText::default())
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<NumberOrText, E> {
        self.visit_str(&number.to_string())
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<NumberOrText, E> {
        self.visit_str(&number.to_string())
    }
}

impl<'de> Deserialize<'de> for NumberOrText {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(NumberOrTextVisitor)
    }
}
