//! Services.

use super::{Labels, ObjectMeta, Owner, Str};

/// A Service as stored.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Service {
    /// `metadata`.
    pub meta: ObjectMeta,
    /// `metadata.ownerReferences`.
    pub owners: Box<[Owner]>,
    /// `spec.type`; `ClusterIP` where it is not stated.
    pub kind: Str,
    /// `spec.clusterIP`: an address, `None` for a headless Service, or empty where none was given yet.
    pub cluster_ip: Str,
    /// `spec.clusterIPs`, of which the first is [`Self::cluster_ip`].
    pub cluster_ips: Box<[Str]>,
    /// `spec.externalName`, for a Service of type `ExternalName`.
    pub external_name: Str,
    /// `spec.selector`. Without one nobody but its owner says which endpoints it has.
    pub selector: Labels,
    /// `spec.ports`.
    pub ports: Box<[ServicePort]>,
}

/// A port of a Service.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ServicePort {
    /// `name`; empty where there is one port alone and it has none.
    pub name: Str,
    /// `protocol`; `TCP` where it is not stated.
    pub protocol: Str,
    /// `port`.
    pub port: i64,
    /// `targetPort`: a number, or the name of a port of the pods; empty where it is not stated, which means
    /// [`Self::port`].
    pub target: Str,
    /// `nodePort`.
    pub node_port: Option<i64>,
}
