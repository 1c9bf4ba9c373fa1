//! The endpoints of a Service: the addresses to which its requests go.

use crate::diagnosis::members::selected_by;
use crate::model::endpoint_slice::Endpoint;
use crate::model::endpoints::{EndpointAddress, EndpointPort, EndpointTarget};
use crate::model::{EndpointSlice, Endpoints, Kind, Pod, PodPhase, Service, Str};
use crate::snapshot::{Absence, Snapshot};
use std::collections::{BTreeSet, HashMap};

/// The label of an EndpointSlice that names the program which writes it.
const MANAGED_BY: &str = "endpointslice.kubernetes.io/managed-by";

/// The value of [`MANAGED_BY`] of slices that are copied from Endpoints.
pub const MIRRORED: &str = "endpointslicemirroring-controller.k8s.io";

/// The places of the EndpointSlices of a snapshot in their list, by the namespace and name of their Service.
#[derive(Debug, Default)]
pub struct SliceIndex {
    by_service: HashMap<(Str, Str), Vec<usize>>,
}

impl SliceIndex {
    /// Returns the index of the EndpointSlices of the snapshot.
    pub fn of(snapshot: &Snapshot) -> Self {
        let mut index = Self::default();
        for (place, slice) in snapshot.all::<EndpointSlice>().iter().enumerate() {
            if let Some(service) = slice.service() {
                let key = (slice.meta.namespace.clone(), Str::new(service));
                index.by_service.entry(key).or_default().push(place);
            }
        }
        index
    }
}

/// The EndpointSlices of a snapshot, with their index.
#[derive(Clone, Copy, Debug)]
pub struct Slices<'i, 's> {
    /// The objects.
    pub snapshot: &'s Snapshot,
    /// The index of the EndpointSlices of this snapshot.
    pub index: &'i SliceIndex,
}

/// One address to which requests go.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Target<'s> {
    /// The IP address.
    pub address: &'s str,
    /// The number of the port.
    pub port: i64,
    /// The node, if it is stated.
    pub node: &'s str,
    /// The namespace and name of the pod, if a pod is stated.
    pub pod: Option<(&'s str, &'s str)>,
}

/// The targets of one port of a Service.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Targets<'s> {
    /// The targets that are ready. kube-proxy sends requests only to them.
    pub ready: BTreeSet<Target<'s>>,
    /// The targets that are not ready.
    pub not_ready: BTreeSet<Target<'s>>,
    /// The EndpointSlices of the Service.
    pub slices: Vec<&'s EndpointSlice>,
    /// The names of the ports of slices that have targets but no port of this name. kube-proxy ignores these targets.
    pub other_ports: BTreeSet<&'s str>,
    /// The Endpoints of the Service.
    pub written: Option<&'s Endpoints>,
    /// Where the targets come from.
    pub source: TargetSource,
}

/// Where the targets of a Service come from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TargetSource {
    /// From the EndpointSlices, which are the only objects that kube-proxy reads.
    Slices,
    /// From the pods that the Service selects, because the EndpointSlices were not read.
    Pods,
    /// From the Endpoints, which the node reads itself.
    Endpoints,
    /// Nothing is known.
    #[default]
    Unknown,
}

impl<'s> Slices<'_, 's> {
    /// Returns the EndpointSlices of the Service with that namespace and name.
    pub fn of_service(&self, namespace: &str, name: &str) -> Vec<&'s EndpointSlice> {
        let all = self.snapshot.all::<EndpointSlice>();
        let places = self.index.by_service.get(&(Str::new(namespace), Str::new(name)));
        places.into_iter().flatten().filter_map(|place| all.get(*place)).collect()
    }

    /// Returns the namespace of the first EndpointSlice whose Service has that name.
    pub fn namespace_of(&self, name: &str) -> Option<String> {
        let all = self.snapshot.all::<EndpointSlice>();
        let slice = all.iter().find(|slice| slice.service() == Some(name))?;
        Some(slice.meta.namespace.to_string())
    }

    /// Returns the targets of the port of that name. Upstream: `newEndpointsChangeTracker` and
    /// `getLocalReadyEndpointIPs`, `pkg/proxy`, 1.36: the targets of all slices of a Service are used together.
    pub fn targets(&self, service: &'s Service, port_name: &str) -> Targets<'s> {
        let (namespace, name) = (service.meta.namespace.as_str(), service.meta.name.as_str());
        let slices = self.of_service(namespace, name);
        let mut targets = Targets {
            written: self.snapshot.find::<Endpoints>(namespace, name),
            source: TargetSource::Slices,
            ..Targets::default()
        };
        for slice in &slices {
            let port = slice.ports.iter().find(|port| port.name == port_name);
            let Some(port) = port else {
                if !slice.endpoints.is_empty() {
                    targets.other_ports.extend(slice.ports.iter().map(|port| port.name.as_str()));
                }
                continue;
            };
            for endpoint in &slice.endpoints {
                targets.add(endpoint, port);
            }
        }
        targets.slices = slices;
        if targets.slices.is_empty() && !self.are_known(namespace) {
            targets.take_pods(self.snapshot, service, port_name);
        }
        targets
    }

    /// Returns the addresses that the Endpoints of the Service have, for a volume whose node reads them itself.
    pub fn written_targets(&self, service: &'s Service) -> Targets<'s> {
        let written = self.snapshot.find::<Endpoints>(&service.meta.namespace, &service.meta.name);
        let mut targets = Targets { written, source: TargetSource::Endpoints, ..Targets::default() };
        for subset in written.iter().flat_map(|written| &written.subsets) {
            let port = subset.ports.first().and_then(|port| port.port).unwrap_or_default();
            let target = |address: &'s EndpointAddress| Target {
                address: &address.ip,
                port,
                node: &address.node_name,
                pod: address.target.as_ref().and_then(pod_of),
            };
            targets.ready.extend(subset.ready.iter().map(target));
            targets.not_ready.extend(subset.not_ready.iter().map(target));
        }
        targets
    }

    /// Returns whether all slices of the namespace are known. A file that has no slice at all and does not state that
    /// its list is complete was probably written without slices.
    fn are_known(&self, namespace: &str) -> bool {
        match self.snapshot.coverage().absence(Kind::EndpointSlice, namespace) {
            Absence::Certain => true,
            Absence::Assumed => !self.index.by_service.is_empty(),
            Absence::Unknown(_) => false,
        }
    }
}

impl<'s> Targets<'s> {
    fn add(&mut self, endpoint: &'s Endpoint, port: &EndpointPort) {
        let is_ready = endpoint.ready.unwrap_or(true);
        for address in &endpoint.addresses {
            let target = Target {
                address,
                port: port.port.unwrap_or_default(),
                node: &endpoint.node_name,
                pod: endpoint.target.as_ref().and_then(pod_of),
            };
            let set = if is_ready { &mut self.ready } else { &mut self.not_ready };
            set.insert(target);
        }
    }

    /// Computes the targets from the pods that the Service selects. Upstream: `podToEndpoint` and `ShouldSetHostname`,
    /// `k8s.io/endpointslice`, 1.36.
    fn take_pods(&mut self, snapshot: &'s Snapshot, service: &'s Service, port_name: &str) {
        self.source = if service.selector.is_empty() { TargetSource::Unknown } else { TargetSource::Pods };
        let of_port = service.ports.iter().find(|port| port.name == port_name);
        let port = of_port.map_or(0, |port| port.target.parse().unwrap_or(port.port));
        for pod in selected_by(snapshot, service).filter(|pod| !pod.terminated()) {
            let pod_name = Some((pod.meta.namespace.as_str(), pod.meta.name.as_str()));
            let target = Target { address: "", port, node: &pod.node_name, pod: pod_name };
            let set = if serves(pod) { &mut self.ready } else { &mut self.not_ready };
            set.insert(target);
        }
    }

    /// Returns the different addresses that are ready.
    pub fn ready_addresses(&self) -> BTreeSet<&'s str> {
        self.ready.iter().map(|target| target.address).collect()
    }

    /// Returns the servers that are ready, by their addresses. A server can have an address of each family, so only the
    /// family with more addresses counts. If addresses are not known, the servers are named by their pods.
    pub fn servers(&self) -> BTreeSet<&'s str> {
        let name = |target: &Target<'s>| match target.pod {
            Some((_, pod)) if target.address.is_empty() => pod,
            _ => target.address,
        };
        let (new, old): (BTreeSet<&str>, BTreeSet<&str>) =
            self.ready.iter().map(name).partition(|address| address.contains(':'));
        if new.len() > old.len() { new } else { old }
    }

    /// Returns the slices that are copied from Endpoints.
    pub fn mirrored(&self) -> impl Iterator<Item = &'s EndpointSlice> {
        self.slices.iter().copied().filter(|slice| managed_by(slice) == MIRRORED)
    }
}

/// Returns the program that writes the slice. The text is empty if the slice does not state it.
pub fn managed_by(slice: &EndpointSlice) -> &str {
    crate::model::label(&slice.meta.labels, MANAGED_BY).unwrap_or_default()
}

fn pod_of(target: &EndpointTarget) -> Option<(&str, &str)> {
    (target.kind == "Pod").then_some((target.namespace.as_str(), target.name.as_str()))
}

/// Returns whether the pod answers requests to its Service.
pub fn serves(pod: &Pod) -> bool {
    pod.phase == PodPhase::Running
        && pod.meta.deleted.is_none()
        && pod.condition("Ready").is_none_or(|ready| ready.status == "True")
}
