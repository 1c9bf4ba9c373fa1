//! The path from each shared volume to its server, as data.

use crate::controllers::shared_volume::Leaf;
use crate::diagnosis::shared_volumes::{DryRun, RecordedIn, ServiceBehind, SharedVolume, Target, TargetSource};
use crate::diagnosis::{Finding, Severity, rules};
use crate::model::{Kind, ObjectKey, Pod};
use crate::report::shared::machine::{API_VERSION, CoverageOut, Model, ObjectId, coverage_out};
use crate::snapshot::Snapshot;
use serde::Serialize;

/// The document that `shared` prints.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct SharedVolumeList<'a> {
    /// The version of the document.
    pub api_version: &'static str,
    /// `SharedVolumeList`.
    pub kind: &'static str,
    /// What the model assumes about Kubernetes.
    pub model: &'a Model,
    /// For each kind and namespace, whether all objects were read.
    pub coverage: Vec<CoverageOut<'a>>,
    /// The shared volumes, sorted by namespace and name of the claim.
    pub items: Vec<SharedVolumeOut<'a>>,
    /// Services and endpoints of volumes that do not exist any more.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "schema", schemars(default))]
    pub leftovers: Vec<LeftoverOut<'a>>,
}

/// A shared volume and the path to its server.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct SharedVolumeOut<'a> {
    /// The volume.
    pub object: ObjectId<'a>,
    /// The claim. The field is absent if the claim does not exist.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub claim: Option<ObjectId<'a>>,
    /// The system that serves the volume.
    pub provider: ProviderOut<'a>,
    /// The Service behind which the server runs. The field is absent if it is unknown, or if the server runs outside of
    /// the cluster.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub service: Option<ServiceOut<'a>>,
    /// The servers that the Service leads to.
    pub servers: Vec<ServerOut<'a>>,
    /// Where the servers were found: `slices` (EndpointSlices), `endpoints` (Endpoints, which the node itself reads),
    /// `pods` (the pods that the Service selects), or `unknown`.
    pub servers_from: &'static str,
    /// The address that clients use.
    pub mount_endpoint: MountEndpointOut<'a>,
    /// The pods that use the claim.
    pub users: Vec<ObjectId<'a>>,
    /// What the controller of the storage system does with the Service and the Endpoints the next time. The field is
    /// absent if pvctl does not have the logic of the controller, or if something that it reads is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dry_run: Option<DryRunOut>,
    /// The state: `serves`, `broken` (clients cannot use the volume), `atRisk` (something will fail later), `outside`
    /// (no Service of this cluster is known to lead to the server), or `unknown`.
    pub verdict: &'static str,
    /// What is wrong, the worst first.
    pub findings: Vec<SharedFindingOut<'a>>,
}

/// What a controller does with a volume the next time.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DryRunOut {
    /// The controller and the version whose rules apply.
    pub controller: String,
    /// When the controller looks at the volume the next time.
    pub when: &'static str,
    /// The leaves of the decision, in order. The last one is where it ends.
    pub leaves: Vec<LeafOut>,
    /// The mount endpoint that is published. The field is absent if nothing is published.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub publishes: Option<String>,
    /// The error with which the decision ends.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// Whether the controller then does the same each time, without changing anything.
    pub repeats: bool,
}

/// A leaf of a decision.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LeafOut {
    /// The id of the leaf in `docs/controllers/shared-volume.md`.
    pub id: &'static str,
    /// The name of the leaf.
    pub branch: &'static str,
    /// The sentence of the leaf.
    pub says: &'static str,
}

impl DryRunOut {
    fn new(run: DryRun) -> Self {
        let leaf = |leaf: Leaf| LeafOut { id: leaf.id(), branch: leaf.name(), says: leaf.about() };
        Self {
            controller: run.controller,
            when: run.when,
            leaves: run.leaves.into_iter().map(leaf).collect(),
            publishes: run.publishes,
            error: run.error,
            repeats: run.repeats,
        }
    }

    /// Returns what the controller does, one sentence for each leaf.
    pub fn sentences(&self) -> Vec<String> {
        let mut said: Vec<String> = self.leaves.iter().map(|leaf| leaf.says.to_owned()).collect();
        said.extend(self.publishes.as_ref().map(|endpoint| format!("The published mount endpoint is {endpoint}.")));
        said.extend(self.error.as_ref().map(|error| format!("Error: {error}.")));
        if self.repeats {
            said.push("Each further reconciliation does the same and changes nothing.".to_owned());
        }
        said
    }
}

/// A system that serves volumes.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ProviderOut<'a> {
    /// The id of the system.
    pub id: &'a str,
    /// The name of the system.
    pub name: &'a str,
}

/// The Service of a shared volume.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ServiceOut<'a> {
    /// The namespace. It is empty if the Service does not exist and its namespace is not known.
    pub namespace: String,
    /// The name.
    pub name: String,
    /// Whether the Service exists.
    pub exists: bool,
    /// `spec.clusterIP`. The field is absent if the Service does not exist.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[serde(rename = "clusterIP")]
    pub cluster_ip: Option<&'a str>,
    /// The port that clients use. The field is absent if the Service does not have it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub port: Option<ServicePortOut<'a>>,
}

/// A port of a Service.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ServicePortOut<'a> {
    /// The name. It is empty if the port has no name.
    pub name: &'a str,
    /// The number.
    pub number: i64,
}

/// A server to which a Service leads.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ServerOut<'a> {
    /// The IP address. The field is absent if only the pod is known.
    #[serde(skip_serializing_if = "str::is_empty")]
    #[cfg_attr(feature = "schema", schemars(default))]
    pub address: &'a str,
    /// The number of the port.
    pub port: i64,
    /// Whether the server is ready. Requests go only to servers that are ready.
    pub ready: bool,
    /// The node, if it is known.
    #[serde(skip_serializing_if = "str::is_empty")]
    #[cfg_attr(feature = "schema", schemars(default))]
    pub node: &'a str,
    /// The pod, if it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pod: Option<ObjectId<'a>>,
}

/// The address that clients of a shared volume use.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct MountEndpointOut<'a> {
    /// Where the address is recorded: `volume`, `state` (an object of the storage system), or `nowhere` (the node looks
    /// it up when it mounts the volume).
    pub recorded_in: &'static str,
    /// The recorded host. The field is absent if it is not recorded or not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recorded: Option<String>,
    /// The address that works now: the cluster IP of the Service. The field is absent if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub works: Option<&'a str>,
    /// Whether the recorded host leads to the Service. The field is absent if this is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agrees: Option<bool>,
}

/// Something that is wrong with a shared volume.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SharedFindingOut<'a> {
    /// The rule.
    pub id: &'static str,
    /// `error`, `warning` or `info`.
    pub severity: &'static str,
    /// What is wrong.
    pub message: &'a str,
}

/// An object of a volume that does not exist any more.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LeftoverOut<'a> {
    /// The object.
    pub object: ObjectId<'a>,
    /// The rule.
    pub id: &'static str,
    /// What is wrong.
    pub message: &'a str,
}

/// A shared volume and what is wrong with it.
#[derive(Debug)]
pub struct SharedRow<'a> {
    /// The path of the volume.
    pub path: SharedVolume<'a>,
    /// What is wrong with the volume, the worst first.
    pub findings: Vec<&'a Finding>,
}

/// The parts of the document.
#[derive(Debug)]
pub struct SharedInput<'a> {
    /// The objects.
    pub snapshot: &'a Snapshot,
    /// What the model assumes about Kubernetes.
    pub model: &'a Model,
    /// The shared volumes.
    pub rows: &'a [SharedRow<'a>],
    /// The findings about objects of volumes that do not exist any more.
    pub leftovers: Vec<&'a Finding>,
}

impl<'a> SharedVolumeList<'a> {
    /// Returns the document.
    pub fn new(input: SharedInput<'a>) -> Self {
        let SharedInput { snapshot, model, rows, leftovers } = input;
        let mut items: Vec<SharedVolumeOut<'a>> = rows.iter().map(|row| row.document(snapshot)).collect();
        items.sort_by(|a, b| a.place().cmp(&b.place()));
        let leftovers = leftovers.into_iter().map(|finding| LeftoverOut {
            object: ObjectId::of_key(&finding.object),
            id: finding.rule.id,
            message: &finding.message,
        });
        Self {
            api_version: API_VERSION,
            kind: "SharedVolumeList",
            model,
            coverage: coverage_out(snapshot.coverage()),
            items,
            leftovers: leftovers.collect(),
        }
    }

    /// Returns whether something is unknown.
    pub fn is_incomplete(&self) -> bool {
        self.items.iter().any(|item| item.verdict == "unknown")
    }
}

impl SharedVolumeOut<'_> {
    /// Returns the path to the server in one sentence.
    pub fn sentence(&self) -> String {
        let service = self.service.as_ref().map(|service| {
            let name = if service.namespace.is_empty() { service.name.clone() } else { service.place() };
            let port = service.port.as_ref().map(|port| format!(":{}", port.number)).unwrap_or_default();
            match service.cluster_ip {
                Some(ip) => format!(" through Service {name} ({ip}{port})"),
                None => format!(" through Service {name}, which does not exist"),
            }
        });
        let server = |server: &ServerOut<'_>| {
            let node = if server.node.is_empty() { String::new() } else { format!(" on node {}", server.node) };
            let ready = if server.ready { "" } else { ", which is not ready" };
            match &server.pod {
                Some(pod) => format!("pod {}/{}{node}{ready}", pod.namespace, pod.name),
                None => format!("{}:{}{node}{ready}", server.address, server.port),
            }
        };
        let servers: Vec<String> = self.servers.iter().map(server).collect();
        let servers = if servers.is_empty() { String::new() } else { format!(", by {}", servers.join(" and ")) };
        let recorded = match (&self.mount_endpoint.recorded, self.mount_endpoint.agrees) {
            (Some(host), Some(false)) => format!("; clients use {host}, which does not lead there"),
            (Some(host), _) if self.service.as_ref().is_none_or(|service| service.cluster_ip != Some(host)) => {
                format!("; clients use {host}")
            }
            _ => String::new(),
        };
        let volume = self.object.name;
        format!("{} serves volume {volume}{}{servers}{recorded}.", self.provider.name, service.unwrap_or_default())
    }

    /// Returns the sort key: the claim, and the volume.
    fn place(&self) -> (&str, &str, &str) {
        let (namespace, claim) = self.claim.as_ref().map_or(("", ""), |claim| (claim.namespace, claim.name));
        (namespace, claim, self.object.name)
    }
}

impl ServiceOut<'_> {
    fn place(&self) -> String {
        format!("{}/{}", self.namespace, self.name)
    }
}

impl<'a> SharedRow<'a> {
    /// Returns the volume with those of the findings that are about its server.
    pub fn new(path: SharedVolume<'a>, findings: &'a [Finding]) -> Self {
        let key = ObjectKey::of(Kind::PersistentVolume, &path.volume.meta);
        let own = findings.iter().filter(|finding| finding.object == key && rules::is_about_serving(finding.rule));
        Self { findings: own.collect(), path }
    }

    /// Returns the volume as data.
    pub fn document(&self, snapshot: &'a Snapshot) -> SharedVolumeOut<'a> {
        let path = &self.path;
        let server = |ready: bool| {
            move |target: &Target<'a>| ServerOut {
                address: target.address,
                port: target.port,
                ready,
                node: target.node,
                pod: target.pod.map(|(namespace, name)| ObjectId { kind: "Pod", namespace, name, uid: "" }),
            }
        };
        let ready = path.targets.ready.iter().map(server(true));
        let findings = self.findings.iter().map(|finding| SharedFindingOut {
            id: finding.rule.id,
            severity: finding.severity.as_str(),
            message: &finding.message,
        });
        SharedVolumeOut {
            object: ObjectId::new(Kind::PersistentVolume, &path.volume.meta),
            claim: path.claim.map(|claim| ObjectId::new(Kind::PersistentVolumeClaim, &claim.meta)),
            provider: ProviderOut { id: &path.provider.id, name: &path.provider.name },
            service: self.service(),
            servers: ready.chain(path.targets.not_ready.iter().map(server(false))).collect(),
            servers_from: match path.targets.source {
                TargetSource::Slices => "slices",
                TargetSource::Endpoints => "endpoints",
                TargetSource::Pods => "pods",
                TargetSource::Unknown => "unknown",
            },
            mount_endpoint: self.mount_endpoint(),
            users: path.consumers(snapshot).map(|pod: &Pod| ObjectId::new(Kind::Pod, &pod.meta)).collect(),
            dry_run: path.dry_run(snapshot).map(DryRunOut::new),
            verdict: self.verdict(),
            findings: findings.collect(),
        }
    }

    fn service(&self) -> Option<ServiceOut<'a>> {
        match &self.path.service {
            ServiceBehind::Service(service) => Some(ServiceOut {
                namespace: service.meta.namespace.to_string(),
                name: service.meta.name.to_string(),
                exists: true,
                cluster_ip: Some(&service.cluster_ip),
                port: self.path.port.map(|port| ServicePortOut { name: &port.name, number: port.port }),
            }),
            ServiceBehind::NoService { namespace, name } => Some(ServiceOut {
                namespace: namespace.clone(),
                name: name.clone(),
                exists: false,
                cluster_ip: None,
                port: None,
            }),
            ServiceBehind::NoAddress { .. } | ServiceBehind::Unknown => None,
        }
    }

    fn mount_endpoint(&self) -> MountEndpointOut<'a> {
        let path = &self.path;
        let recorded = path.recorded();
        let agrees = match (&recorded, path.service.service()) {
            (Some(address), Some(service)) if address.ip().is_some() => {
                Some(service.cluster_ips.iter().chain([&service.cluster_ip]).any(|own| *own == address.host))
            }
            (Some(_), Some(_)) => Some(true),
            (Some(_), None) if matches!(path.service, ServiceBehind::NoAddress { .. }) => Some(false),
            _ => None,
        };
        MountEndpointOut {
            recorded_in: match path.provider.recorded_in {
                RecordedIn::Volume => "volume",
                RecordedIn::State => "state",
                RecordedIn::Nowhere => "nowhere",
            },
            recorded: recorded.map(|address| address.host),
            works: path.working_address(),
            agrees,
        }
    }

    fn verdict(&self) -> &'static str {
        let worst = self.findings.iter().map(|finding| finding.severity).min();
        match (worst, &self.path.service) {
            (Some(Severity::Error), _) => "broken",
            (Some(Severity::Warning), _) => "atRisk",
            (_, ServiceBehind::Service(_)) if self.path.targets.source != TargetSource::Unknown => "serves",
            (_, ServiceBehind::Unknown) if self.path.address.is_some() => "outside",
            _ => "unknown",
        }
    }
}
