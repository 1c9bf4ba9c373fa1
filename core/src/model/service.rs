//! The model of Services.

use super::{Labels, ObjectMeta, Owner, Str};

/// A Service as stored.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Service {
    /// `metadata`.
    pub meta: ObjectMeta,
    /// `metadata.ownerReferences`.
    pub owners: Box<[Owner]>,
    /// `spec.type`. It is `ClusterIP` if the field is absent.
    pub kind: Str,
    /// `spec.clusterIP`: an address, or `None` for a headless Service. It is empty if no address was assigned yet.
    pub cluster_ip: Str,
    /// `spec.clusterIPs`. Its first entry is [`Self::cluster_ip`].
    pub cluster_ips: Box<[Str]>,
    /// `spec.externalName`, for a Service of type `ExternalName`.
    pub external_name: Str,
    /// `spec.selector`. Without a selector, Kubernetes creates no endpoints for the Service, so somebody else has to
    /// create them.
    pub selector: Labels,
    /// `spec.ports`.
    pub ports: Box<[ServicePort]>,
}

/// A port of a Service.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ServicePort {
    /// `name`. It may be empty if the Service has only one port.
    pub name: Str,
    /// `protocol`. It is `TCP` if the field is absent.
    pub protocol: Str,
    /// `port`.
    pub port: i64,
    /// `targetPort`: a number, or the name of a port of the pods. It is empty if the field is absent. The target is
    /// then [`Self::port`].
    pub target: Str,
    /// `nodePort`.
    pub node_port: Option<i64>,
}
