//! What a reconciliation needs besides the volume: the version of the controller, the objects that it reads, what it
//! remembers, and the answers of the API server and of the storage system.

use super::desired::SharedVolume;
use crate::controllers::scheduler::reads::Reads;
use crate::model::{Endpoints, Kind, PersistentVolumeClaim, Service, Str};
use crate::snapshot::Absence;
use crate::world::View;
use std::collections::BTreeMap;

/// The version of api-manager whose rules apply.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ApiManager {
    /// Up to 1.1: every 5 s, the controller lists the volumes of the storage system, and skips each volume that it has
    /// handled unchanged within the last minute.
    UpTo1_1,
    /// From 1.2: the controller watches the Volumes of `api.storageos.com/v1`. The rules are those of 1.2.16.
    #[default]
    From1_2,
}

impl ApiManager {
    /// Every version, the oldest first.
    pub const ALL: [Self; 2] = [Self::UpTo1_1, Self::From1_2];
}

/// The objects of a shared volume, as the API server stores them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stored {
    /// The uid of the claim. It is `None` if the claim does not exist.
    pub claim: Option<Str>,
    /// The Service.
    pub service: Option<Service>,
    /// The Endpoints.
    pub endpoints: Option<Endpoints>,
}

impl Stored {
    /// Returns the objects of a volume, and the kinds that may not have been read completely. The value says whether an
    /// object that was not found is assumed not to exist, or whether this is unknown.
    pub fn of(view: View<'_>, volume: &SharedVolume) -> (Self, BTreeMap<Kind, Absence>) {
        let mut reads = Reads::new(view);
        let claim = reads.find::<PersistentVolumeClaim>(&volume.namespace, &volume.claim);
        let stored = Self {
            claim: claim.map(|claim| claim.meta.uid.clone()),
            service: reads.find::<Service>(&volume.namespace, &volume.name).cloned(),
            endpoints: reads.find::<Endpoints>(&volume.namespace, &volume.name).cloned(),
        };
        (stored, reads.into_doubts())
    }
}

/// A request of a reconciliation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Request {
    /// The Volume is read. With api-manager up to 1.1, the volumes are listed.
    GetVolume,
    /// The claim is read.
    GetClaim,
    /// The Service is read.
    GetService,
    /// The Service is created.
    CreateService,
    /// The Service is updated.
    UpdateService,
    /// The Endpoints are read.
    GetEndpoints,
    /// The Endpoints are created.
    CreateEndpoints,
    /// The Endpoints are updated.
    UpdateEndpoints,
    /// The storage system gets the mount endpoint.
    Publish,
}

/// An answer that is not the expected one. The request has no effect.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// The object is not found, although it may exist. The text is the error.
    NotFound(Str),
    /// The Service is read without its address, although it may have one.
    WithoutAddress,
    /// Any other error. The text is the error.
    Failed(Str),
}

/// The record of a volume that the controller has handled. Only api-manager up to 1.1 remembers this.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cached {
    /// The record, with the mount endpoint that was published.
    pub volume: SharedVolume,
    /// The time in milliseconds until which the record counts.
    pub until: u64,
}

/// The circumstances of one reconciliation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Circumstances {
    /// The version of the controller.
    pub manager: ApiManager,
    /// The address that the API server assigns to a Service that is created. If it is not known, the decision has
    /// [`super::NEW_ADDRESS`].
    pub new_address: Option<Str>,
    /// The node port that the API server assigns to a port that needs one. It is left out if it is not known.
    pub new_node_port: Option<i64>,
    /// The requests that fail, by their number among the requests of the same sort, from 0.
    pub refused: BTreeMap<(Request, usize), Refusal>,
    /// The time at the begin in milliseconds. Only the cache needs it.
    pub now: u64,
    /// What the controller remembers about the volume.
    pub cached: Option<Cached>,
}
