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
    /// The Service that the slice belongs to, by the label of the slice. It is in the same namespace. None without such
    /// a label.
    pub fn service(&self) -> Option<&str> {
        label(&self.meta.labels, "kubernetes.io/service-name")
    }
}

/// One endpoint of a slice.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Endpoint {
    /// `addresses`.
    pub addresses: Box<[Str]>,
    /// `conditions.ready`. An absent value counts as ready.
    pub ready: Option<bool>,
    /// `conditions.serving`. An absent value counts as [`Self::ready`] does.
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
