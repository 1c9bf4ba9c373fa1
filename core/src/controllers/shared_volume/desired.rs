//! The record of a shared volume, the objects that the controller wants for it, what it compares, and what it writes.

use super::endpoint::split_address_port;
use crate::model::endpoints::{EndpointAddress, EndpointPort, EndpointSubset};
use crate::model::service::ServicePort;
use crate::model::{Endpoints, Labels, ObjectMeta, Owner, Service, StorageOsVolume, Str};

/// The label with the name of the PersistentVolume.
pub const VOLUME_NAME_LABEL: &str = "csi.storage.k8s.io/pv/name";
/// The label with the name of the claim.
pub const CLAIM_NAME_LABEL: &str = "csi.storage.k8s.io/pvc/name";
/// The label with the namespace of the claim.
pub const CLAIM_NAMESPACE_LABEL: &str = "csi.storage.k8s.io/pvc/namespace";
/// The label with the mount endpoint that was published.
pub const MOUNT_ENDPOINT_LABEL: &str = "storageos.com/nfs/mount-endpoint";
/// The label of Services and Endpoints with the id of the volume. The controller never reads it.
pub const VOLUME_ID_LABEL: &str = "storageos.com/volume-id";

/// The port of the Service.
pub const NFS_PORT: i64 = 2049;
/// The name of the port of the Service and of the Endpoints.
pub const NFS_PORT_NAME: &str = "nfs";
/// The protocol of both.
pub const NFS_PROTOCOL: &str = "TCP";

/// What the controller reads of a volume. The cache of api-manager up to 1.1 has such records.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SharedVolume {
    /// The id of the volume in the storage system.
    pub id: Str,
    /// The name of the PersistentVolume. The Service and the Endpoints have this name.
    pub name: Str,
    /// The name of the claim.
    pub claim: Str,
    /// The namespace of the claim, the Service and the Endpoints.
    pub namespace: Str,
    /// The address and the port of the server. It is empty if no server exports the volume.
    pub internal: Str,
    /// The mount endpoint that was published. It is empty if none was published.
    pub external: Str,
}

impl SharedVolume {
    /// Returns the record of a volume. The value is `None` if one of the three labels of Kubernetes is missing.
    /// Upstream: `NewSharedVolume`, api-manager v1.2.16.
    pub fn of(volume: &StorageOsVolume) -> Option<Self> {
        let label = |key: &str| Str::from(volume.label(key));
        let shared = Self {
            id: volume.id.clone(),
            name: label(VOLUME_NAME_LABEL),
            claim: label(CLAIM_NAME_LABEL),
            namespace: label(CLAIM_NAMESPACE_LABEL),
            internal: volume.service_endpoint.clone().unwrap_or_default(),
            external: label(MOUNT_ENDPOINT_LABEL),
        };
        let has_all = ![&shared.name, &shared.claim, &shared.namespace].into_iter().any(Str::is_empty);
        has_all.then_some(shared)
    }

    /// Returns the address of the server. It is empty if the endpoint cannot be split. Upstream: `InternalAddress`,
    /// api-manager v1.2.16.
    pub fn address(&self) -> Str {
        split_address_port(&self.internal).map_or_else(|_| Str::default(), |(address, _)| address)
    }

    /// Returns the port of the server. It is 0 if the endpoint cannot be split. Only the lowest 32 bits of a large
    /// number are left. Upstream: `InternalPort`, api-manager v1.2.16, and `FromInt` of apimachinery, v0.24.
    #[expect(clippy::cast_possible_truncation, reason = "upstream keeps the lowest 32 bits")]
    pub fn port(&self) -> i32 {
        split_address_port(&self.internal).map_or(0, |(_, port)| port as i32)
    }

    fn meta(&self) -> ObjectMeta {
        let labels: Labels = [(Str::from(VOLUME_ID_LABEL), self.id.clone())].into();
        ObjectMeta { name: self.name.clone(), namespace: self.namespace.clone(), labels, ..ObjectMeta::default() }
    }

    fn service_port(&self) -> ServicePort {
        ServicePort {
            name: NFS_PORT_NAME.into(),
            protocol: NFS_PROTOCOL.into(),
            port: NFS_PORT,
            target: self.port().to_string().into(),
            node_port: None,
        }
    }

    /// Returns the Service as it is created. Upstream: `Service`, api-manager v1.2.16.
    pub fn service(&self, claim_uid: &Str) -> Service {
        let owner = Owner {
            api_version: "v1".into(),
            kind: "PersistentVolumeClaim".into(),
            name: self.claim.clone(),
            uid: claim_uid.clone(),
            controller: false,
        };
        Service {
            meta: self.meta(),
            owners: [owner].into(),
            kind: "ClusterIP".into(),
            ports: [self.service_port()].into(),
            ..Service::default()
        }
    }

    /// Returns the fields of a Service that are compared and differ. Upstream: `ServiceIsEqual`, api-manager v1.2.16.
    pub fn service_drift(&self, service: &Service) -> Vec<ServiceDrift> {
        let mut drift = Vec::new();
        let mut differs = |is: bool, field| drift.extend(is.then_some(field));
        differs(service.meta.name != self.name || service.meta.namespace != self.namespace, ServiceDrift::Name);
        differs(service.kind != "ClusterIP", ServiceDrift::Type);
        match &*service.ports {
            [port] => {
                differs(port.name != NFS_PORT_NAME, ServiceDrift::PortName);
                differs(port.port != NFS_PORT, ServiceDrift::PortNumber);
                differs(port.protocol != NFS_PROTOCOL, ServiceDrift::Protocol);
                // A target port with a name counts as 0.
                differs(port.target.parse().unwrap_or(0) != self.port(), ServiceDrift::TargetPort);
            }
            _ => differs(true, ServiceDrift::PortCount),
        }
        drift
    }

    /// Returns what an update changes. Upstream: `ServiceUpdate`, api-manager v1.2.16.
    pub fn service_update(&self, service: &Service) -> ServiceUpdate {
        match service.ports.len() {
            1 => ServiceUpdate::Target(self.port()),
            _ => ServiceUpdate::Ports(self.service_port()),
        }
    }

    fn subset(&self) -> EndpointSubset {
        let address = EndpointAddress { ip: self.address(), ..EndpointAddress::default() };
        let port =
            EndpointPort { name: NFS_PORT_NAME.into(), protocol: NFS_PROTOCOL.into(), port: Some(self.port().into()) };
        EndpointSubset { ready: [address].into(), not_ready: [].into(), ports: [port].into() }
    }

    /// Returns the Endpoints as they are created. Upstream: `Endpoints`, api-manager v1.2.16.
    pub fn endpoints(&self) -> Endpoints {
        Endpoints { meta: self.meta(), owners: [].into(), subsets: [self.subset()].into() }
    }

    /// Returns the fields of Endpoints that are compared and differ. Upstream: `EndpointsIsEqual`, api-manager v1.2.16.
    pub fn endpoints_drift(&self, endpoints: &Endpoints) -> Vec<EndpointsDrift> {
        let mut drift = Vec::new();
        let mut differs = |is: bool, field| drift.extend(is.then_some(field));
        let is_named = endpoints.meta.name == self.name && endpoints.meta.namespace == self.namespace;
        differs(!is_named, EndpointsDrift::Name);
        let [subset] = &*endpoints.subsets else {
            drift.push(EndpointsDrift::SubsetCount);
            return drift;
        };
        match subset.ready.first() {
            Some(address) => differs(address.ip != self.address(), EndpointsDrift::Address),
            None => differs(true, EndpointsDrift::AddressMissing),
        }
        match subset.ports.first() {
            Some(port) => {
                differs(port.name != NFS_PORT_NAME, EndpointsDrift::PortName);
                differs(port.port.unwrap_or_default() != i64::from(self.port()), EndpointsDrift::PortNumber);
                differs(port.protocol != NFS_PROTOCOL, EndpointsDrift::Protocol);
            }
            None => differs(true, EndpointsDrift::PortMissing),
        }
        drift
    }

    /// Returns what an update changes. Upstream: `EndpointsUpdate`, api-manager v1.2.16.
    pub fn endpoints_update(&self, endpoints: &Endpoints) -> EndpointsUpdate {
        let is_single = match &*endpoints.subsets {
            [subset] => subset.ready.len() == 1 && subset.ports.len() == 1,
            _ => false,
        };
        if is_single {
            EndpointsUpdate::Target { address: self.address(), port: self.port() }
        } else {
            EndpointsUpdate::Subsets(self.subset())
        }
    }
}

/// A field of a Service that the controller compares.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ServiceDrift {
    /// The name or the namespace. They differ only for a Service that was not read.
    Name,
    /// `spec.type` is not `ClusterIP`.
    Type,
    /// There is not exactly one port.
    PortCount,
    /// `name` of the only port.
    PortName,
    /// `port` of the only port.
    PortNumber,
    /// `protocol` of the only port.
    Protocol,
    /// `targetPort` of the only port.
    TargetPort,
}

impl ServiceDrift {
    /// Returns whether the update of the controller writes the field. If not, each evaluation sends an update again.
    pub fn is_written(self) -> bool {
        match self {
            Self::PortCount | Self::TargetPort => true,
            Self::Name | Self::Type | Self::PortName | Self::PortNumber | Self::Protocol => false,
        }
    }
}

/// A field of Endpoints that the controller compares.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum EndpointsDrift {
    /// The name or the namespace. They differ only for Endpoints that were not read.
    Name,
    /// There is not exactly one subset.
    SubsetCount,
    /// The subset has no address that is ready.
    AddressMissing,
    /// `ip` of the first address.
    Address,
    /// The subset has no port.
    PortMissing,
    /// `name` of the first port.
    PortName,
    /// `port` of the first port.
    PortNumber,
    /// `protocol` of the first port.
    Protocol,
}

impl EndpointsDrift {
    /// Returns whether an update of the address and the port writes the field. An update that replaces the subsets
    /// writes every field.
    pub fn is_written(self) -> bool {
        match self {
            Self::SubsetCount | Self::AddressMissing | Self::Address | Self::PortMissing | Self::PortNumber => true,
            Self::Name | Self::PortName | Self::Protocol => false,
        }
    }
}

/// The fields of `spec` of a Service that each update removes. The controller sends the whole object, and its version
/// of client-go, v0.24, does not know them.
pub const LOST_FIELDS: [&str; 1] = ["trafficDistribution"];

/// What an update changes in a Service. All other fields except [`LOST_FIELDS`] are sent as they were read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ServiceUpdate {
    /// This port replaces all ports.
    Ports(ServicePort),
    /// `targetPort` of the only port.
    Target(i32),
}

impl ServiceUpdate {
    /// Returns the Service with the update.
    pub fn applied(&self, service: &Service) -> Service {
        let mut after = service.clone();
        match self {
            Self::Ports(port) => after.ports = [port.clone()].into(),
            Self::Target(target) => {
                for port in &mut after.ports {
                    port.target = target.to_string().into();
                }
            }
        }
        after
    }
}

/// What an update changes in Endpoints. All other fields are sent as they were read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EndpointsUpdate {
    /// This subset replaces all subsets.
    Subsets(EndpointSubset),
    /// `ip` of the only address and `port` of the only port.
    Target {
        /// `ip`.
        address: Str,
        /// `port`.
        port: i32,
    },
}

impl EndpointsUpdate {
    /// Returns the Endpoints with the update.
    pub fn applied(&self, endpoints: &Endpoints) -> Endpoints {
        let mut after = endpoints.clone();
        match self {
            Self::Subsets(subset) => after.subsets = [subset.clone()].into(),
            Self::Target { address, port } => {
                for subset in &mut after.subsets {
                    for ready in &mut subset.ready {
                        ready.ip.clone_from(address);
                    }
                    for each in &mut subset.ports {
                        each.port = Some((*port).into());
                    }
                }
            }
        }
        after
    }
}

/// Returns the mount endpoint of a Service. It is empty if the Service does not have exactly one port. An address of
/// IPv6 gets no brackets. Upstream: `frontend`, api-manager v1.2.16.
pub fn frontend(service: &Service) -> String {
    match &*service.ports {
        [port] => format!("{}:{}", service.cluster_ip, port.port),
        _ => String::new(),
    }
}

/// Returns whether a client can use a mount endpoint: it has an address and a port, and an address of IPv6 has
/// brackets.
pub fn is_usable(endpoint: &str) -> bool {
    match split_address_port(endpoint) {
        Ok((address, _)) => !address.is_empty() && address != "None",
        Err(_) => false,
    }
}
