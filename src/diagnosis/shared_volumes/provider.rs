//! The table of systems that serve volumes to many pods through a Service.

use super::dry_run::ModelledController;
use super::state::{StatePattern, StateRecord};
use super::template::{NameReading, Template};
use crate::diagnosis::matches_glob;
use crate::model::{
    AccessMode, AnnotationKey, Labels, PersistentVolume, PersistentVolumeClaim, Service, SourceKind, label,
};
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// The entries that are part of pvctl.
const BUILT_IN: &str = include_str!("providers.yaml");

/// The parsed entries of [`BUILT_IN`]. A unit test makes sure that the text can be parsed.
static TABLE: LazyLock<Vec<Provider>> = LazyLock::new(|| serde_yaml::from_str(BUILT_IN).unwrap_or_default());

/// A system that serves volumes through a Service: how its volumes are recognised, and which objects it uses.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Provider {
    /// The id of the entry. It is in kebab-case.
    pub id: String,
    /// The name of the system for people.
    pub name: String,
    /// How a volume of the system is recognised.
    pub volume: VolumePattern,
    /// The address of the server that the volume records. The first text that can be filled in applies. If there is
    /// none, the volume does not record the address.
    #[serde(default)]
    pub address: Vec<Template>,
    /// The namespace of a Service whose name stands in the address without a namespace.
    #[serde(default)]
    pub namespace_of_short_names: Option<Template>,
    /// The name of the port that belongs to the volume, if one Service serves several volumes.
    #[serde(default)]
    pub port_name: Option<Template>,
    /// The Service. If the entry states no name, the Service is found by the address.
    #[serde(default)]
    pub service: ServicePattern,
    /// Who writes the endpoints of the Service.
    pub endpoints: EndpointsWriter,
    /// Whether the node itself reads the Endpoints when it mounts the volume. Clients then do not use the cluster IP.
    #[serde(default)]
    pub node_reads_endpoints: bool,
    /// The label of an EndpointSlice that states the address of the server.
    #[serde(default)]
    pub address_label: Option<String>,
    /// The label of an EndpointSlice that states the name of the volume.
    #[serde(default)]
    pub volume_label: Option<String>,
    /// Whether the server uses the network of its node. Every target is then an internal address of a node.
    #[serde(default)]
    pub on_node_network: bool,
    /// The numbers of the ports on which servers listen.
    #[serde(default)]
    pub server_ports: Option<PortRange>,
    /// How many servers answer for a volume at the same time.
    pub servers: Servers,
    /// Where the address that clients use is recorded.
    pub recorded_in: RecordedIn,
    /// The kind of the object that owns the Service. If nothing owns it, the garbage collector never deletes it.
    #[serde(default)]
    pub owner: Option<String>,
    /// The name of that object.
    #[serde(default)]
    pub owner_name: Option<Template>,
    /// The workload that manages the Services.
    #[serde(default)]
    pub controller: Option<Workload>,
    /// Whether the system creates a Service again that somebody has deleted.
    pub recreates: Recreates,
    /// What the objects of the system say about its volumes.
    #[serde(default)]
    pub state: Vec<StatePattern>,
    /// The controller of the system whose logic pvctl runs.
    #[serde(default)]
    pub dry_run: Option<ModelledController>,
    /// Whether the system creates the Service only when the volume is attached to a node.
    #[serde(default)]
    pub served_when_attached: bool,
}

/// How a volume is recognised. Everything that is stated must hold. `*` in a text stands for any characters.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct VolumePattern {
    /// The source field of the volume, such as `nfs`.
    #[serde(default)]
    pub source: Option<String>,
    /// `spec.csi.driver`.
    #[serde(default)]
    pub driver: Option<String>,
    /// Entries of `spec.csi.volumeAttributes`.
    #[serde(default)]
    pub attributes: BTreeMap<String, String>,
    /// Entries of `spec.csi.volumeAttributes` that the volume must not have.
    #[serde(default)]
    pub without_attributes: BTreeMap<String, String>,
    /// `spec.csi.volumeHandle`.
    #[serde(default)]
    pub handle: Option<Template>,
    /// Labels of the volume.
    #[serde(default)]
    pub labels: BTreeMap<String, String>,
    /// The annotation `pv.kubernetes.io/provisioned-by`.
    #[serde(default)]
    pub provisioner: Option<String>,
    /// The annotation `kubernetes.io/createdby`.
    #[serde(default)]
    pub created_by: Option<String>,
    /// An access mode that the volume must have.
    #[serde(default)]
    pub access_mode: Option<String>,
}

/// The Service of a volume, as the system creates it.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ServicePattern {
    /// The namespace. A Service of the same name in another namespace is found, too, because most systems can be
    /// installed in any namespace. A placeholder in this text excludes other namespaces.
    #[serde(default)]
    pub namespace: Option<Template>,
    /// The name.
    #[serde(default)]
    pub name: Option<Template>,
    /// The labels that the system gives the Service.
    #[serde(default)]
    pub labels: BTreeMap<String, Template>,
    /// The selector. An empty selector means that the Service must not have one. If it is not stated, any selector is
    /// accepted.
    #[serde(default)]
    pub selector: Option<BTreeMap<String, Template>>,
    /// All ports. If none are stated, only [`Self::port_number`] is known.
    #[serde(default)]
    pub ports: Vec<PortPattern>,
    /// The number of the port for clients, if not all ports are stated.
    #[serde(default)]
    pub port_number: Option<i64>,
    /// Whether the Service has no other ports.
    #[serde(default)]
    pub exact_ports: bool,
    /// The fields that the system compares with what it wants and never writes again.
    #[serde(default)]
    pub never_mended: Vec<ServiceField>,
    /// Whether the system may make the Service headless.
    #[serde(default)]
    pub headless: bool,
    /// The labels that name the claim of the volume. The Service has them, or the claim of the server does, which then
    /// has the namespace and name of the Service.
    #[serde(default)]
    pub claim_labels: Option<ClaimLabels>,
}

/// A field of a Service.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "camelCase")]
pub enum ServiceField {
    /// `spec.type`.
    Type,
    /// `name` of the port.
    PortName,
    /// `port` of the port.
    Port,
    /// `protocol` of the port.
    Protocol,
}

/// The labels that name a claim.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ClaimLabels {
    /// The label with the namespace of the claim.
    pub namespace: String,
    /// The label with the name of the claim.
    pub name: String,
}

impl ServicePattern {
    /// Returns what the Service tells about the volume for which the system created it. The result is `None` if nothing
    /// shows that the system created it. A name alone does not show this: a label or the selector must name the volume.
    pub fn read_back(&self, service: &Service) -> Option<NameReading> {
        let reading = self.name.as_ref()?.read_back(&service.meta.name)?;
        let empty = BTreeMap::new();
        let selector = self.selector.as_ref().unwrap_or(&empty);
        let fit = |wanted: &BTreeMap<String, Template>, labels: &Labels| {
            wanted.iter().all(|(key, template)| label(labels, key).is_some_and(|value| template.fits(value, &reading)))
        };
        let is_marked = self.labels.values().chain(selector.values()).any(|template| !template.is_fixed());
        let selects_nothing = self.selector.is_none() || !selector.is_empty() || service.selector.is_empty();
        let fits = fit(&self.labels, &service.meta.labels) && fit(selector, &service.selector) && selects_nothing;
        (is_marked && fits).then_some(reading)
    }
}

/// A port of a Service.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PortPattern {
    /// `name`. It is empty if the port has no name.
    #[serde(default)]
    pub name: String,
    /// `port`.
    pub port: i64,
}

/// A range of port numbers. Both ends belong to it.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PortRange {
    /// The lowest number.
    pub first: i64,
    /// The highest number.
    pub last: i64,
}

/// Who writes the endpoints of a Service.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "camelCase")]
pub enum EndpointsWriter {
    /// The controllers of Kubernetes, from the pods that the Service selects.
    Pods,
    /// The system writes Endpoints, and Kubernetes copies them to EndpointSlices.
    Endpoints,
    /// The system writes EndpointSlices.
    Slices,
    /// This depends on how the server was set up.
    Any,
}

/// How many servers answer for a volume at the same time.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "camelCase")]
pub enum Servers {
    /// One. Requests to a second one would reach a server that does not have the volume.
    One,
    /// Any number.
    Many,
}

/// Where the address that clients use is recorded.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "camelCase")]
pub enum RecordedIn {
    /// In the source of the volume, which cannot be changed.
    Volume,
    /// In an object of the system, which `--provider-state` can read.
    State,
    /// Nowhere: the node looks it up when it mounts the volume.
    Nowhere,
}

/// Whether a system creates a Service again that somebody has deleted.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "camelCase")]
pub enum Recreates {
    /// Its controller does so soon.
    Always,
    /// Its controller does so when the object of the volume changes the next time.
    WhenVolumeChanges,
    /// Nothing does so while the server runs.
    Never,
}

/// A workload, by its kind and name.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Workload {
    /// `Deployment`, `StatefulSet` or `DaemonSet`. Only Deployments are judged.
    pub kind: String,
    /// The namespace. If none is stated, the workload may be in any namespace.
    #[serde(default)]
    pub namespace: String,
    /// The names that it can have. `*` stands for any characters.
    pub names: Vec<String>,
}

impl Workload {
    /// Returns whether an object of this kind, namespace and name is this workload.
    pub fn is(&self, kind: &str, namespace: &str, name: &str) -> bool {
        self.kind == kind
            && (self.namespace.is_empty() || self.namespace == namespace)
            && self.names.iter().any(|pattern| matches_glob(pattern, name))
    }
}

/// The entries that apply, in order: those of the user, then those that are part of pvctl. Also what the objects of
/// these systems say about volumes.
#[derive(Clone, Debug, Default)]
pub struct Providers {
    own: Vec<Provider>,
    records: Vec<StateRecord>,
}

impl Providers {
    /// Returns the entries that are part of pvctl, after these entries of the user.
    pub fn with(own: Vec<Provider>) -> Self {
        Self { own, records: Vec::new() }
    }

    /// Adds what objects of the systems say about volumes. If other objects say something else, these apply.
    pub fn add(&mut self, records: impl IntoIterator<Item = StateRecord>) {
        self.records.extend(records);
    }

    /// Returns the same entries, also with what these objects say about volumes. If the present records say something
    /// else, the present records apply.
    #[must_use]
    pub fn with_objects(&self, objects: &[Value]) -> Self {
        let found = objects.iter().filter_map(|object| self.record(object, "the input"));
        let records = found.chain(self.records.iter().cloned()).collect();
        Self { own: self.own.clone(), records }
    }

    /// Returns what an object of the system says about its volume. If several objects say something, the last one
    /// applies.
    pub fn state_of(
        &self,
        provider: &Provider,
        volume: &PersistentVolume,
        claim: Option<&PersistentVolumeClaim>,
    ) -> Option<&StateRecord> {
        self.records.iter().rev().find(|record| provider.is_about(record, volume, claim))
    }

    /// Returns the entries that are part of pvctl.
    pub fn built_in() -> &'static Self {
        static BUILT_IN: Providers = Providers { own: Vec::new(), records: Vec::new() };
        &BUILT_IN
    }

    /// Returns all entries, in the order in which they are tried.
    pub fn all(&self) -> impl Iterator<Item = &Provider> {
        self.own.iter().chain(TABLE.iter())
    }

    /// Returns the system that serves the volume. The result is `None` if the volume is not served through the network
    /// in a way that an entry describes. `claim` is the claim of the volume, if it exists.
    pub fn of(&self, volume: &PersistentVolume, claim: Option<&PersistentVolumeClaim>) -> Option<&Provider> {
        self.all().find(|provider| provider.volume.matches(volume, claim))
    }
}

impl VolumePattern {
    fn matches(&self, volume: &PersistentVolume, claim: Option<&PersistentVolumeClaim>) -> bool {
        let source = &volume.source;
        let is_csi = source.kind == SourceKind::Csi;
        let annotation = |key| volume.meta.annotations.get(key).unwrap_or_default();
        let has_attribute = |(name, pattern): (&String, &String)| {
            source.attribute(name).is_some_and(|value| matches_glob(pattern, value))
        };
        let fits =
            |pattern: &Option<String>, value: &str| pattern.as_ref().is_none_or(|pattern| matches_glob(pattern, value));
        self.source.as_ref().is_none_or(|field| source.kind.as_str() == field)
            && self.driver.as_ref().is_none_or(|driver| is_csi && matches_glob(driver, &source.detail))
            && self.attributes.iter().all(has_attribute)
            && !self.without_attributes.iter().any(has_attribute)
            && self.handle.as_ref().is_none_or(|handle| {
                handle.fill(volume, claim).is_some_and(|pattern| matches_glob(&pattern, &source.handle))
            })
            && self
                .labels
                .iter()
                .all(|(key, pattern)| label(&volume.meta.labels, key).is_some_and(|value| matches_glob(pattern, value)))
            && fits(&self.provisioner, annotation(AnnotationKey::ProvisionedBy))
            && fits(&self.created_by, annotation(AnnotationKey::CreatedBy))
            && self
                .access_mode
                .as_ref()
                .is_none_or(|wanted| volume.access_modes.0.iter().any(|mode: &AccessMode| mode.as_str() == wanted))
    }
}
