//! A Service with a fixed cluster IP, as a repair creates it. The types state only what a repair may set, so no other
//! field of a Service is ever sent.

use super::write::PLAN_ANNOTATION;
use crate::model::service::ServicePort;
use crate::model::{Labels, ObjectKey, Pod, Service, Str, label};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::net::IpAddr;
use std::num::NonZeroU16;

/// The label of a Service that a repair created in addition to the Service of the same server. Its value is the name of
/// that other Service.
pub const ALIAS_LABEL: &str = "pvctl.dev/alias-of";

/// The longest name of a Service, and the longest value of a label. Upstream: `DNS1035LabelMaxLength`,
/// `LabelValueMaxLength`, apimachinery, 1.36.
const LONGEST: usize = 63;

/// An address that a Service can have as its cluster IP.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct ClusterAddress(IpAddr);

impl ClusterAddress {
    /// Parses an address.
    ///
    /// # Errors
    /// Returns a sentence without a full stop if the text is no IP address, or no Service can have this address.
    pub fn parse(text: &str) -> Result<Self, String> {
        let address: IpAddr = text.parse().map_err(|_| format!("{text:?} is not an IP address"))?;
        let is_mapped = matches!(address, IpAddr::V6(address) if address.to_ipv4_mapped().is_some());
        if address.is_unspecified() || address.is_loopback() || address.is_multicast() || is_mapped {
            return Err(format!("no Service can have the address {text}"));
        }
        Ok(Self(address))
    }

    /// Returns the IP address.
    pub fn ip(self) -> IpAddr {
        self.0
    }

    /// Returns whether the text is this address, in any form.
    pub fn is(self, text: &str) -> bool {
        text.parse() == Ok(self.0)
    }

    /// Returns whether the Service has this address.
    pub fn is_of(self, service: &Service) -> bool {
        self.is(&service.cluster_ip) || service.cluster_ips.iter().any(|own| self.is(own))
    }
}

impl std::fmt::Display for ClusterAddress {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(out)
    }
}

impl From<ClusterAddress> for String {
    fn from(address: ClusterAddress) -> Self {
        address.to_string()
    }
}

impl TryFrom<String> for ClusterAddress {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        Self::parse(&text)
    }
}

/// The port of the pods to which a port of a Service leads.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum PortTarget {
    /// The number of the port.
    Number(NonZeroU16),
    /// The name of a port of the containers.
    Name(Str),
}

/// A port of a Service.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PinnedPort {
    /// `name`. It is empty if the port has no name.
    #[serde(default, skip_serializing_if = "Str::is_empty")]
    pub name: Str,
    /// `protocol`.
    pub protocol: Str,
    /// `port`.
    pub port: NonZeroU16,
    /// `targetPort`.
    pub target_port: PortTarget,
}

impl PinnedPort {
    /// Returns a port that leads to the port of the same number. The result is `None` if it is not a number of a port.
    pub fn direct(name: &str, port: i64) -> Option<Self> {
        let port = number(port)?;
        Some(Self { name: name.into(), protocol: "TCP".into(), port, target_port: PortTarget::Number(port) })
    }

    /// Returns a port as a Service has it. The result is `None` if a number is not that of a port.
    pub fn of(stored: &ServicePort) -> Option<Self> {
        let port = number(stored.port)?;
        let target_port = match stored.target.parse::<i64>() {
            // The API server sets `targetPort`. Without it, both numbers are the same.
            _ if stored.target.is_empty() => PortTarget::Number(port),
            Ok(target) => PortTarget::Number(number(target)?),
            Err(_) => PortTarget::Name(stored.target.clone()),
        };
        Some(Self { name: stored.name.clone(), protocol: stored.protocol.clone(), port, target_port })
    }
}

fn number(port: i64) -> Option<NonZeroU16> {
    u16::try_from(port).ok().and_then(NonZeroU16::new)
}

/// Returns the ports of a Service. The result is `None` if one of them has a number that no port has.
fn ports_of(service: &Service) -> Option<Vec<PinnedPort>> {
    service.ports.iter().map(PinnedPort::of).collect()
}

fn map_of(labels: &Labels) -> BTreeMap<Str, Str> {
    labels.iter().cloned().collect()
}

/// The owner of a Service. The garbage collector deletes the Service with its owner.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ServiceOwner {
    /// `apiVersion`.
    pub api_version: Str,
    /// `kind`.
    pub kind: Str,
    /// `name`.
    pub name: Str,
    /// `uid`.
    pub uid: Str,
}

/// A Service of type `ClusterIP` with a fixed cluster IP. It has at least one port.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", try_from = "Stated")]
pub struct PinnedService {
    cluster_ip: ClusterAddress,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    labels: BTreeMap<Str, Str>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    selector: BTreeMap<Str, Str>,
    ports: Vec<PinnedPort>,
    #[serde(skip_serializing_if = "Option::is_none")]
    owner: Option<ServiceOwner>,
    /// The id of the plan that creates the Service. It is empty until the plan is complete.
    plan: String,
}

/// The form of a Service in a plan file or a journal.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Stated {
    cluster_ip: ClusterAddress,
    #[serde(default)]
    labels: BTreeMap<Str, Str>,
    #[serde(default)]
    selector: BTreeMap<Str, Str>,
    ports: Vec<PinnedPort>,
    #[serde(default)]
    owner: Option<ServiceOwner>,
    plan: String,
}

impl TryFrom<Stated> for PinnedService {
    type Error = String;

    fn try_from(stated: Stated) -> Result<Self, String> {
        let Stated { cluster_ip, labels, selector, ports, owner, plan } = stated;
        if ports.is_empty() {
            return Err(format!("the Service with clusterIP {cluster_ip} has no port"));
        }
        Ok(Self { cluster_ip, labels, selector, ports, owner, plan })
    }
}

impl PinnedService {
    /// Returns a Service without an owner. The result is `None` if there is no port.
    pub fn new(
        cluster_ip: ClusterAddress,
        labels: BTreeMap<Str, Str>,
        selector: BTreeMap<Str, Str>,
        ports: Vec<PinnedPort>,
    ) -> Option<Self> {
        let service = Self { cluster_ip, labels, selector, ports, owner: None, plan: String::new() };
        (!service.ports.is_empty()).then_some(service)
    }

    /// Sets the owner.
    #[must_use]
    pub fn owned_by(self, owner: Option<ServiceOwner>) -> Self {
        Self { owner, ..self }
    }

    /// Returns whether the Service has an owner.
    pub fn has_owner(&self) -> bool {
        self.owner.is_some()
    }

    /// States which plan creates the Service.
    pub(super) fn sign(&mut self, plan: &str) {
        plan.clone_into(&mut self.plan);
    }

    /// Returns the address.
    pub fn address(&self) -> ClusterAddress {
        self.cluster_ip
    }

    /// Returns the id of the plan that creates the Service.
    pub fn plan(&self) -> &str {
        &self.plan
    }

    /// Returns whether the Service is one in addition to the Service of the same server.
    pub fn is_alias(&self) -> bool {
        self.labels.contains_key(ALIAS_LABEL)
    }

    /// Returns whether the Service selects pods. Otherwise somebody else writes its endpoints.
    pub fn has_selector(&self) -> bool {
        !self.selector.is_empty()
    }

    /// Returns whether the Service selects a pod of its namespace.
    pub fn selects(&self, pod: &Pod) -> bool {
        self.has_selector() && self.selector.iter().all(|(key, value)| label(&pod.meta.labels, key) == Some(value))
    }

    /// Returns the values of the labels and of the selector.
    pub(super) fn label_values(&self) -> impl Iterator<Item = &Str> {
        self.labels.values().chain(self.selector.values())
    }

    /// Returns the manifest that is sent.
    pub fn manifest(&self, key: &ObjectKey) -> Value {
        let mut metadata = json!({
            "name": key.name,
            "namespace": key.namespace,
            "annotations": { PLAN_ANNOTATION: self.plan },
        });
        if !self.labels.is_empty() {
            metadata["labels"] = json!(self.labels);
        }
        if let Some(owner) = &self.owner {
            metadata["ownerReferences"] = json!([owner]);
        }
        let mut spec = json!({ "type": "ClusterIP", "clusterIP": self.cluster_ip, "ports": self.ports });
        if self.has_selector() {
            spec["selector"] = json!(self.selector);
        }
        json!({
            "apiVersion": key.kind.api_version(),
            "kind": key.kind.as_str(),
            "metadata": metadata,
            "spec": spec,
        })
    }

    /// Returns how a stored Service differs from this one, in words: the field, the stored value and the sent value.
    pub(super) fn differs(&self, stored: &Service, plan: Option<&str>) -> Option<String> {
        if plan != Some(self.plan.as_str()) {
            return Some(format!("annotation {PLAN_ANNOTATION} is not {}, which was sent", self.plan));
        }
        if !self.cluster_ip.is(&stored.cluster_ip) {
            return Some(format!("spec.clusterIP is {:?}, but {} was sent", stored.cluster_ip, self.cluster_ip));
        }
        if stored.kind != "ClusterIP" {
            return Some(format!("spec.type is {:?}, but \"ClusterIP\" was sent", stored.kind));
        }
        if map_of(&stored.selector) != self.selector {
            return Some("spec.selector is not the one that was sent".to_owned());
        }
        if ports_of(stored).as_ref() != Some(&self.ports) {
            return Some("spec.ports are not the ones that were sent".to_owned());
        }
        let owners = stored.owners.iter().map(|owner| &owner.uid);
        if !owners.eq(self.owner.iter().map(|owner| &owner.uid)) {
            return Some("metadata.ownerReferences are not the ones that were sent".to_owned());
        }
        None
    }
}

/// The Service of a server, with everything that another Service for the same server copies from it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ServerService {
    /// The namespace.
    pub namespace: Str,
    /// The name.
    pub name: Str,
    /// The uid.
    pub uid: Str,
    /// `spec.selector`. It is not empty.
    pub selector: BTreeMap<Str, Str>,
    /// `spec.ports`.
    pub ports: Vec<PinnedPort>,
}

impl ServerService {
    /// Returns what matters about a Service. The result is `None` if the Service selects no pods, has no port, or has a
    /// port with a number that no port has.
    pub fn of(service: &Service) -> Option<Self> {
        let ports = ports_of(service).filter(|ports| !ports.is_empty())?;
        let is_whole = !service.selector.is_empty() && service.kind != "ExternalName";
        is_whole.then(|| Self {
            namespace: service.meta.namespace.clone(),
            name: service.meta.name.clone(),
            uid: service.meta.uid.clone(),
            selector: map_of(&service.selector),
            ports,
        })
    }

    /// Returns why the Service is not the reviewed one any more, in a sentence without a full stop. `found` is the
    /// Service that has the name now.
    pub fn differs(&self, found: Option<&Service>) -> Option<String> {
        let Self { namespace, name, uid, selector, ports } = self;
        let Some(found) = found else { return Some(format!("Service {namespace}/{name} does not exist any more")) };
        if found.meta.uid != *uid {
            return Some(format!("another Service has the name {namespace}/{name} now"));
        }
        if found.meta.deleted.is_some() {
            return Some(format!("Service {namespace}/{name} is being deleted"));
        }
        if map_of(&found.selector) != *selector || ports_of(found).as_ref() != Some(ports) {
            return Some(format!("Service {namespace}/{name} has another selector or other ports now"));
        }
        None
    }

    /// Returns a Service for the same server with another address.
    pub fn alias(&self, address: ClusterAddress) -> Option<PinnedService> {
        let labels = BTreeMap::from([(ALIAS_LABEL.into(), self.name.clone())]);
        PinnedService::new(address, labels, self.selector.clone(), self.ports.clone())
    }

    /// Returns the name of the alias with that address. It has the same start as the name of the Service.
    pub fn alias_name(&self, address: ClusterAddress) -> Str {
        let ending = format!("-{}", address.to_string().replace(['.', ':'], "-").trim_matches('-'));
        let kept: String = self.name.chars().take(LONGEST.saturating_sub(ending.len())).collect();
        format!("{}{ending}", kept.trim_end_matches('-')).into()
    }
}

/// Returns whether the API server accepts the text as the name of a Service: an RFC 1035 label.
pub(super) fn is_service_name(text: &str) -> bool {
    let inner = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    text.len() <= LONGEST
        && text.starts_with(|first: char| first.is_ascii_lowercase())
        && !text.ends_with('-')
        && text.bytes().all(inner)
}

/// Returns whether the API server accepts the text as the value of a label. Upstream: `IsValidLabelValue`,
/// apimachinery, 1.36.
pub(super) fn is_label_value(text: &str) -> bool {
    let ends = |end: Option<u8>| end.is_none_or(|end| end.is_ascii_alphanumeric());
    text.len() <= LONGEST
        && ends(text.bytes().next())
        && ends(text.bytes().last())
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-._".contains(&byte))
}
