//! The model of EndpointSlices.

use super::endpoints::{EndpointPort, EndpointTarget};
use super::{ObjectMeta, Owner, Str, label};

/// An EndpointSlice as stored.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EndpointSlice {
    /// `metadata`.
    pub meta: ObjectMeta,
    /// `metadata.ownerReferences`.
    pub owners: Box<[Owner]>,
    /// `addressType`: `IPv4`, `IPv6` or `FQDN`.
    pub address_type: Str,
    /// `endpoints`.
    pub endpoints: Box<[Endpoint]>,
    /// `ports`.
    pub ports: Box<[EndpointPort]>,
}

impl EndpointSlice {
    /// Returns the Service to which the slice belongs, from a label of the slice. The Service is in the same namespace.
    /// The value is `None` if the slice has no such label.
    pub fn service(&self) -> Option<&str> {
        label(&self.meta.labels, "kubernetes.io/service-name")
    }
}

/// One endpoint of a slice.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Endpoint {
    /// `addresses`.
    pub addresses: Box<[Str]>,
    /// `conditions.ready`. An absent value means ready.
    pub ready: Option<bool>,
    /// `conditions.serving`. If this value is absent, [`Self::ready`] applies instead.
    pub serving: Option<bool>,
    /// `conditions.terminating`.
    pub terminating: Option<bool>,
    /// `hostname`.
    pub hostname: Str,
    /// `nodeName`.
    pub node_name: Str,
    /// `zone`.
    pub zone: Str,
    /// `targetRef`: the pod that serves this endpoint.
    pub target: Option<EndpointTarget>,
}
