//! The address at which clients reach a server, and the Service that has it.

use crate::model::{Kind, Service, Str};
use crate::snapshot::{Absence, Snapshot};
use std::collections::HashMap;
use std::net::{IpAddr, Ipv4Addr};

/// The port of NFS servers.
pub const NFS_PORT: i64 = 2049;

/// What is known about objects that were not found.
pub trait Absences {
    /// Returns whether no object with this kind, namespace and name exists.
    fn lacks(&self, kind: Kind, namespace: &str, name: &str) -> bool;

    /// Returns whether all objects of that kind in that namespace are known. An empty namespace means all namespaces.
    fn knows_all(&self, kind: Kind, namespace: &str) -> bool;
}

/// If an input file does not state whether a list is complete, the list is assumed to be complete.
impl Absences for Snapshot {
    fn lacks(&self, kind: Kind, namespace: &str, name: &str) -> bool {
        let absence = self.coverage().absence_of(kind, namespace, name);
        !self.has(kind, namespace, name) && !matches!(absence, Absence::Unknown(_))
    }

    fn knows_all(&self, kind: Kind, namespace: &str) -> bool {
        !matches!(self.coverage().absence(kind, namespace), Absence::Unknown(_))
    }
}

/// The address of a server, as a volume or a record of a system states it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Address {
    /// The host: an IP address without brackets, or a DNS name.
    pub host: String,
    /// The port, if it is stated.
    pub port: Option<i64>,
}

impl Address {
    /// Parses a host, a host with a port, or a URL such as `nfs://host:2049/path`. The result is `None` if no host is
    /// stated.
    pub fn parse(text: &str) -> Option<Self> {
        let rest = text.split_once("://").map_or(text, |(_, rest)| rest);
        let authority = rest.split('/').next().unwrap_or_default();
        let (host, port) = if let Some(bracketed) = authority.strip_prefix('[') {
            let (host, port) = bracketed.split_once(']')?;
            (host, port.strip_prefix(':'))
        } else if authority.matches(':').count() == 1 {
            let (host, port) = authority.split_once(':')?;
            (host, Some(port))
        } else {
            (authority, None)
        };
        let port = port.and_then(|port| port.parse().ok());
        (!host.is_empty()).then(|| Self { host: host.to_owned(), port })
    }

    /// Returns the IP address, if the host is one.
    pub fn ip(&self) -> Option<IpAddr> {
        self.host.parse().ok()
    }
}

/// The Service behind which a server runs.
#[derive(Clone, Debug, PartialEq)]
pub enum ServiceBehind<'a> {
    /// This Service has the name or the address.
    Service(&'a Service),
    /// No Service has this name.
    NoService {
        /// The namespace of the Service.
        namespace: String,
        /// The name of the Service.
        name: String,
    },
    /// The address is probably in the range of the cluster IPs, and no Service has this address.
    NoAddress {
        /// A Service that serves NFS at another address.
        instead: Option<&'a Service>,
    },
    /// The server is not known to run behind a Service.
    Unknown,
}

impl<'a> ServiceBehind<'a> {
    /// Returns the Service, if it exists.
    pub fn service(&self) -> Option<&'a Service> {
        match self {
            Self::Service(service) => Some(service),
            _ => None,
        }
    }
}

/// The places of the Services of a snapshot in their list, by their addresses and names.
#[derive(Debug, Default)]
pub struct ServiceIndex {
    by_address: HashMap<Str, usize>,
    by_name: HashMap<Str, Vec<usize>>,
}

impl ServiceIndex {
    /// Returns the index of the Services of the snapshot.
    pub fn of(snapshot: &Snapshot) -> Self {
        let mut index = Self::default();
        for (place, service) in snapshot.all::<Service>().iter().enumerate() {
            let first = std::iter::once(&service.cluster_ip);
            for address in first.chain(&service.cluster_ips).filter(|address| address.parse::<IpAddr>().is_ok()) {
                index.by_address.entry(address.clone()).or_insert(place);
            }
            index.by_name.entry(service.meta.name.clone()).or_default().push(place);
        }
        index
    }
}

/// The Services of a snapshot, with their index.
#[derive(Clone, Copy, Debug)]
pub struct Services<'i, 's> {
    /// The objects.
    pub snapshot: &'s Snapshot,
    /// The index of the Services of this snapshot.
    pub index: &'i ServiceIndex,
}

impl<'s> Services<'_, 's> {
    fn at(&self, place: usize) -> Option<&'s Service> {
        self.snapshot.all::<Service>().get(place)
    }

    /// Returns the Service of that name in that namespace. If `anywhere` is true and there is none, the only Service of
    /// that name in another namespace is returned.
    pub fn named(&self, namespace: &str, name: &str, anywhere: bool) -> Option<&'s Service> {
        let own = Some(namespace).filter(|namespace| !namespace.is_empty());
        let own = own.and_then(|namespace| self.snapshot.find::<Service>(namespace, name));
        own.or_else(|| match self.index.by_name.get(name).map(Vec::as_slice) {
            Some([only]) if anywhere => self.at(*only),
            _ => None,
        })
    }

    /// Returns the Service with that address.
    pub fn with_address(&self, address: &str) -> Option<&'s Service> {
        self.index.by_address.get(address).and_then(|place| self.at(*place))
    }

    /// Returns the Service behind which the server with that address runs. `short` is the namespace of Services that
    /// are named without a namespace.
    pub fn behind(&self, host: &str, short: Option<&str>, absences: &dyn Absences) -> ServiceBehind<'s> {
        let by_name = |namespace: &str, name: &str| match self.snapshot.find::<Service>(namespace, name) {
            Some(service) => ServiceBehind::Service(service),
            None if absences.lacks(Kind::Service, namespace, name) => {
                ServiceBehind::NoService { namespace: namespace.to_owned(), name: name.to_owned() }
            }
            None => ServiceBehind::Unknown,
        };
        if let Some(service) = self.with_address(host) {
            return ServiceBehind::Service(service);
        }
        if let Some((name, namespace)) = service_of_name(host) {
            return by_name(namespace, name);
        }
        if let Some(namespace) = short.filter(|_| !host.contains(['.', ':'])) {
            return by_name(namespace, host);
        }
        // `NAME.NAMESPACE` can also be the name of a computer outside of the cluster.
        if let Some((name, namespace)) = host.split_once('.')
            && let Some(service) = self.snapshot.find::<Service>(namespace, name)
        {
            return ServiceBehind::Service(service);
        }
        match host.parse::<Ipv4Addr>() {
            Ok(address) => self.without_address(address, absences),
            Err(_) => ServiceBehind::Unknown,
        }
    }

    /// Returns whether the address can be in the same range of cluster IPs as that of some Service, or no Service with
    /// an address is known. A range has at most 20 bits. Upstream: `validateClusterIPFlags`,
    /// `cmd/kube-apiserver/app/options`, 1.36.
    pub fn can_share_range(&self, address: IpAddr) -> bool {
        let shares = |other: IpAddr| match (address, other) {
            (IpAddr::V4(one), IpAddr::V4(other)) => (one.to_bits() ^ other.to_bits()) >> 20 == 0,
            (IpAddr::V6(one), IpAddr::V6(other)) => (one.to_bits() ^ other.to_bits()) >> 20 == 0,
            (IpAddr::V4(_), IpAddr::V6(_)) | (IpAddr::V6(_), IpAddr::V4(_)) => false,
        };
        let services = self.snapshot.all::<Service>().iter();
        let texts = services.flat_map(|service| service.cluster_ips.iter().chain([&service.cluster_ip]));
        let mut known = texts.filter_map(|text| text.parse::<IpAddr>().ok()).peekable();
        known.peek().is_none() || known.any(shares)
    }

    /// Returns what is known about an address that no Service of the snapshot has.
    fn without_address(&self, address: Ipv4Addr, absences: &dyn Absences) -> ServiceBehind<'s> {
        let services = self.snapshot.all::<Service>();
        let is_close = |service: &Service| is_close(service, address);
        if !services.iter().any(is_close) {
            return ServiceBehind::Unknown;
        }
        let is_server = |service: &&Service| service.ports.iter().any(|port| port.port == NFS_PORT);
        let instead = services.iter().filter(|service| is_close(service)).find(is_server);
        // A Service that serves NFS at another address is enough for the answer, even if other Services were not read.
        let is_known = instead.is_some() || absences.knows_all(Kind::Service, "");
        if is_known { ServiceBehind::NoAddress { instead } } else { ServiceBehind::Unknown }
    }
}

/// Returns whether the address is close to the cluster IP of the Service. Objects of kind `ServiceCIDR` are not read.
/// An address is assumed to be in the range of the cluster IPs if it is in the same /20 as the cluster IP of a Service.
/// This is wrong if the range is smaller than a /20.
fn is_close(service: &Service, address: Ipv4Addr) -> bool {
    let other = service.cluster_ip.parse::<Ipv4Addr>().ok();
    other.is_some_and(|other| (u32::from(other) ^ u32::from(address)) >> 12 == 0)
}

/// Returns the Service and its namespace if the server is a DNS name of the cluster.
pub fn service_of_name(server: &str) -> Option<(&str, &str)> {
    let server = server.strip_suffix('.').unwrap_or(server);
    let (name, domain) = match server.strip_suffix(".svc") {
        Some(name) => (name, ""),
        None => server.split_once(".svc.")?,
    };
    // Only DNS names of clusters have the part `svc`. The usual domain is `cluster.local`.
    let mut parts = name.rsplit('.');
    let (namespace, service) = (parts.next()?, parts.next()?);
    let is_named = !namespace.is_empty() && !service.is_empty() && !domain.starts_with('.');
    is_named.then_some((service, namespace))
}
