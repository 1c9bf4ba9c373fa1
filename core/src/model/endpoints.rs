//! The model of Endpoints, and the types that EndpointSlices share with it.

use super::{ObjectMeta, Owner, Str};

/// An Endpoints object as stored. It belongs to the Service of the same name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Endpoints {
    /// `metadata`.
    pub meta: ObjectMeta,
    /// `metadata.ownerReferences`.
    pub owners: Box<[Owner]>,
    /// `subsets`.
    pub subsets: Box<[EndpointSubset]>,
}

/// A set of addresses that have the same ports.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EndpointSubset {
    /// `addresses`: the addresses that are ready.
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
    /// `targetRef`: the pod that serves this address.
    pub target: Option<EndpointTarget>,
}

/// A port on which the addresses serve.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EndpointPort {
    /// `name`.
    pub name: Str,
    /// `protocol`. It is `TCP` if the field is absent.
    pub protocol: Str,
    /// `port`. In an EndpointSlice, `None` means all ports.
    pub port: Option<i64>,
}

/// The object that serves an address.
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
