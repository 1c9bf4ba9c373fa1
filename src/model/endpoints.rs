//! Endpoints, and what EndpointSlices share with them.

use super::{ObjectMeta, Owner, Str};

/// An Endpoints object as stored: it belongs to the Service of its name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Endpoints {
    /// `metadata`.
    pub meta: ObjectMeta,
    /// `metadata.ownerReferences`.
    pub owners: Box<[Owner]>,
    /// `subsets`.
    pub subsets: Box<[EndpointSubset]>,
}

/// Addresses with the same ports.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EndpointSubset {
    /// `addresses`: those that are ready.
    pub ready: Box<[EndpointAddress]>,
    /// `notReadyAddresses`.
    pub not_ready: Box<[EndpointAddress]>,
    /// `ports`.
    pub ports: Box<[EndpointPort]>,
}

/// An address of [`Endpoints`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EndpointAddress {
    /// `ip`.
    pub ip: Str,
    /// `hostname`.
    pub hostname: Str,
    /// `nodeName`.
    pub node_name: Str,
    /// `targetRef`: the pod that answers there.
    pub target: Option<EndpointTarget>,
}

/// A port at which addresses answer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EndpointPort {
    /// `name`.
    pub name: Str,
    /// `protocol`; `TCP` where it is not stated.
    pub protocol: Str,
    /// `port`; none in an EndpointSlice that means all of them.
    pub port: Option<i64>,
}

/// The object that stands behind an address.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EndpointTarget {
    /// `kind`.
    pub kind: Str,
    /// `namespace`.
    pub namespace: Str,
    /// `name`.
    pub name: Str,
    /// `uid`.
    pub uid: Str,
}
