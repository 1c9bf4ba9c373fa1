//! The path of a shared volume: from the claim to the pods of the server.

use super::address::{Absences, Address, NFS_PORT, ServiceBehind, ServiceIndex, Services};
use super::dry_run::DryRun;
use super::endpoints::{SliceIndex, Slices, Target, Targets};
use super::provider::{Provider, Providers, RecordedIn};
use super::state::StateRecord;
use super::template::Template;
use crate::diagnosis::members::selected_by;
use crate::model::service::ServicePort;
use crate::model::{Kind, PersistentVolume, PersistentVolumeClaim, Pod, Service, Str};
use crate::snapshot::Snapshot;
use std::collections::HashSet;

/// What the paths of all shared volumes are found with.
#[derive(Clone, Copy, Debug)]
pub struct SharedVolumes<'i, 's> {
    /// The objects.
    pub snapshot: &'s Snapshot,
    /// The systems that serve volumes.
    pub providers: &'s Providers,
    /// The Services.
    pub services: Services<'i, 's>,
    /// The EndpointSlices.
    pub slices: Slices<'i, 's>,
}

/// The indexes with which the path of a volume is found.
#[derive(Debug)]
pub struct PathIndex {
    services: ServiceIndex,
    slices: SliceIndex,
}

impl PathIndex {
    /// Returns the indexes of the snapshot.
    pub fn of(snapshot: &Snapshot) -> Self {
        Self { services: ServiceIndex::of(snapshot), slices: SliceIndex::of(snapshot) }
    }

    /// Returns what the paths of the volumes of this snapshot are found with.
    pub fn volumes<'i, 's>(&'i self, snapshot: &'s Snapshot, providers: &'s Providers) -> SharedVolumes<'i, 's> {
        SharedVolumes {
            snapshot,
            providers,
            services: Services { snapshot, index: &self.services },
            slices: Slices { snapshot, index: &self.slices },
        }
    }
}

/// The path of a shared volume, as the objects show it.
#[derive(Clone, Debug)]
pub struct SharedVolume<'s> {
    /// The system that serves the volume.
    pub provider: &'s Provider,
    /// The volume.
    pub volume: &'s PersistentVolume,
    /// The claim of the volume, if it exists and is the one that the volume means.
    pub claim: Option<&'s PersistentVolumeClaim>,
    /// The address that the volume records.
    pub address: Option<Address>,
    /// What an object of the system says about the volume.
    pub state: Option<&'s StateRecord>,
    /// The Service. For a system that names its Services, it is the one of that name. Otherwise it is the one with the
    /// recorded address.
    pub service: ServiceBehind<'s>,
    /// Another Service that has the recorded address.
    pub other: Option<&'s Service>,
    /// The port of the Service that clients use, if the Service exists.
    pub port: Option<&'s ServicePort>,
    /// The targets of that port.
    pub targets: Targets<'s>,
}

impl<'s> SharedVolumes<'_, 's> {
    /// Returns the path of the volume. The result is `None` if no system is known that serves it.
    pub fn path(&self, volume: &'s PersistentVolume, absences: &dyn Absences) -> Option<SharedVolume<'s>> {
        let claim = self.claim_of(volume);
        let provider = self.providers.of(volume, claim)?;
        let address = address_of(provider, volume, claim);
        let service = self.service(provider, volume, claim, address.as_ref(), absences);
        let port_name = provider.port_name.as_ref().and_then(|name| name.fill(volume, claim));
        let port =
            service.service().and_then(|service| port_of(provider, service, port_name.as_deref(), address.as_ref()));
        let targets = match (service.service(), port) {
            (Some(service), _) if provider.node_reads_endpoints => self.slices.written_targets(service),
            (Some(service), Some(port)) => self.slices.targets(service, &port.name),
            _ => Targets::default(),
        };
        let state = self.providers.state_of(provider, volume, claim);
        let other = address.as_ref().and_then(|address| self.services.with_address(&address.host));
        let other = other.filter(|other| service.service().is_none_or(|own| own.meta.uid != other.meta.uid));
        Some(SharedVolume { provider, volume, claim, address, state, service, other, port, targets })
    }

    /// Returns the namespaces and names of the Services behind which the servers of the volumes run.
    pub fn used_services(&self) -> HashSet<(Str, Str)> {
        let service_of = |volume: &'s PersistentVolume| {
            let claim = self.claim_of(volume);
            let provider = self.providers.of(volume, claim)?;
            let address = address_of(provider, volume, claim);
            self.service(provider, volume, claim, address.as_ref(), &NothingIsAbsent).service()
        };
        let used = self.snapshot.volumes().iter().filter_map(service_of);
        used.map(|service| (service.meta.namespace.clone(), service.meta.name.clone())).collect()
    }

    /// Returns the system that serves the volume, if one is known.
    pub fn provider(&self, volume: &PersistentVolume) -> Option<&'s Provider> {
        self.providers.of(volume, self.claim_of(volume))
    }

    /// Returns the claim that the volume means, if it exists.
    fn claim_of(&self, volume: &PersistentVolume) -> Option<&'s PersistentVolumeClaim> {
        let named = volume.claim_ref.as_ref()?;
        let claim = self.snapshot.claim(self.snapshot.claim_id(&named.namespace, &named.name)?);
        (named.uid == claim.meta.uid).then_some(claim)
    }

    fn service(
        &self,
        provider: &Provider,
        volume: &PersistentVolume,
        claim: Option<&PersistentVolumeClaim>,
        address: Option<&Address>,
        absences: &dyn Absences,
    ) -> ServiceBehind<'s> {
        let pattern = &provider.service;
        if let Some(template) = &pattern.name {
            let Some(name) = template.fill(volume, claim) else { return ServiceBehind::Unknown };
            let namespace = pattern.namespace.as_ref().and_then(|namespace| namespace.fill(volume, claim));
            let namespace = namespace.unwrap_or_default();
            let anywhere = pattern.namespace.as_ref().is_none_or(Template::is_fixed);
            return match self.services.named(&namespace, &name, anywhere) {
                Some(service) => ServiceBehind::Service(service),
                // If the system can be installed in any namespace, the Service is missing only if no namespace has it.
                None if anywhere && !absences.knows_all(Kind::Service, "") => ServiceBehind::Unknown,
                None if !anywhere && !absences.lacks(Kind::Service, &namespace, &name) => ServiceBehind::Unknown,
                None => {
                    // The slices of a Service that was deleted can remain. They show its namespace.
                    let namespace =
                        if namespace.is_empty() { self.slices.namespace_of(&name) } else { Some(namespace) };
                    ServiceBehind::NoService { namespace: namespace.unwrap_or_default(), name }
                }
            };
        }
        let short = provider.namespace_of_short_names.as_ref().and_then(|short| short.fill(volume, claim));
        match address {
            Some(address) => self.services.behind(&address.host, short.as_deref(), absences),
            None => ServiceBehind::Unknown,
        }
    }
}

/// The absence of objects does not matter to somebody who asks which objects are used.
struct NothingIsAbsent;

impl Absences for NothingIsAbsent {
    fn lacks(&self, _: Kind, _: &str, _: &str) -> bool {
        false
    }

    fn knows_all(&self, _: Kind, _: &str) -> bool {
        false
    }
}

/// Returns the address of the server that the volume records.
fn address_of(
    provider: &Provider,
    volume: &PersistentVolume,
    claim: Option<&PersistentVolumeClaim>,
) -> Option<Address> {
    let mut texts = provider.address.iter().filter_map(|template| template.fill(volume, claim));
    texts.next().and_then(|text| Address::parse(&text))
}

/// Returns the port of the Service that clients of the volume use.
fn port_of<'s>(
    provider: &Provider,
    service: &'s Service,
    port_name: Option<&str>,
    address: Option<&Address>,
) -> Option<&'s ServicePort> {
    if let Some(name) = port_name {
        return service.ports.iter().find(|port| port.name == name);
    }
    let expected = provider.service.ports.first().map(|port| port.port).or(provider.service.port_number);
    let stated = address.and_then(|address| address.port);
    let number = stated.or(expected).unwrap_or(NFS_PORT);
    let of_number = service.ports.iter().find(|port| port.port == number);
    // A Service with another port cannot be reached at the right one, but its only port shows where the server is.
    of_number.or(match &*service.ports {
        [only] => Some(only),
        _ => None,
    })
}

impl<'s> SharedVolume<'s> {
    /// Returns the address that clients must use now: the cluster IP of the Service. The result is `None` if there is
    /// no Service or it has no cluster IP.
    pub fn working_address(&self) -> Option<&'s str> {
        let service = self.service.service()?;
        Some(service.cluster_ip.as_str()).filter(|address| !address.is_empty() && *address != "None")
    }

    /// Returns the IP address that the volume records, if it is neither one of the Service nor one of another Service
    /// for the same pods. The clients of the volume cannot reach the server at this address.
    pub fn stale_address(&self) -> Option<&str> {
        let address = self.address.as_ref().filter(|address| address.ip().is_some())?;
        let service = self.service.service()?;
        let has_it = service.cluster_ip == address.host || service.cluster_ips.iter().any(|own| *own == address.host);
        let is_recorded = self.provider.recorded_in == RecordedIn::Volume;
        let leads_there = |other: &&Service| {
            let is_same = other.meta.namespace == service.meta.namespace && other.selector == service.selector;
            is_same && !service.selector.is_empty()
        };
        let is_reached = has_it || self.other.as_ref().is_some_and(leads_there);
        (is_recorded && !is_reached).then_some(address.host.as_str())
    }

    /// Returns the address that clients use, as the volume or an object of the system records it. The result is `None`
    /// if nothing records it.
    pub fn recorded(&self) -> Option<Address> {
        let of_state = self.state.and_then(|state| state.endpoint.as_deref()).and_then(Address::parse);
        of_state.or_else(|| self.address.clone())
    }

    /// Returns whether the system has a server for the volume now. The result is `None` if only its own objects tell
    /// it, and they were not read.
    pub fn is_exported(&self) -> Option<bool> {
        if !self.provider.tells_target() {
            return Some(true);
        }
        self.state.map(|state| state.target.is_some())
    }

    /// Returns whether the objects of the system say that no server runs for the volume.
    pub fn has_no_server(&self) -> bool {
        let server = |state: &StateRecord| {
            if self.provider.tells_target() { state.target.is_some() } else { state.endpoint.is_some() }
        };
        self.state.is_some_and(|state| !server(state))
    }

    /// Returns what the controller of the system does with the volume the next time. The result is `None` if pvctl does
    /// not have its logic, or if something that it reads is not known.
    pub fn dry_run(&self, snapshot: &Snapshot) -> Option<DryRun> {
        DryRun::of(snapshot, self.state?)
    }

    /// Returns the pods that use the claim, in the order of names.
    pub fn consumers(&self, snapshot: &'s Snapshot) -> impl Iterator<Item = &'s Pod> {
        let claim = self.claim.map(|claim| (&claim.meta.namespace, &claim.meta.name));
        claim.into_iter().flat_map(|(namespace, name)| snapshot.pods_of(namespace, name))
    }

    /// Returns the pods of the server: those that the targets name, and those that the Service selects. A pod without
    /// an IP address is no target yet.
    pub fn server_pods(&self, snapshot: &'s Snapshot) -> Vec<&'s Pod> {
        let all = self.targets.ready.iter().chain(&self.targets.not_ready);
        let selected = self.service.service().into_iter().flat_map(|service| selected_by(snapshot, service));
        let selected = selected.filter(|pod| !pod.terminated());
        let selected = selected.map(|pod| (pod.meta.namespace.as_str(), pod.meta.name.as_str()));
        let mut pods: Vec<(&str, &str)> = all.filter_map(|target: &Target<'_>| target.pod).chain(selected).collect();
        pods.sort_unstable();
        pods.dedup();
        pods.into_iter().filter_map(|(namespace, name)| snapshot.find::<Pod>(namespace, name)).collect()
    }
}
