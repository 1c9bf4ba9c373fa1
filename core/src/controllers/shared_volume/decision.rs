//! What the controller decides, as data.

use super::desired::{EndpointsUpdate, ServiceUpdate};
use super::input::{Cached, Stored};
use super::leaves::Leaf;
use crate::model::{Endpoints, Service, Str};

/// An event about the Service.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// Whether the type is `Warning`. Otherwise it is `Normal`.
    pub warning: bool,
    /// `reason`.
    pub reason: &'static str,
    /// `message`.
    pub message: String,
}

/// The mount endpoint that the storage system gets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Publication {
    /// The id of the volume in the storage system.
    pub id: Str,
    /// The namespace of the claim.
    pub namespace: Str,
    /// The address and the port of the Service.
    pub endpoint: String,
}

/// One action of a reconciliation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Act {
    /// The Service is created.
    CreateService(Box<Service>),
    /// The Service is updated.
    UpdateService(ServiceUpdate),
    /// The Endpoints are created.
    CreateEndpoints(Box<Endpoints>),
    /// The Endpoints are updated.
    UpdateEndpoints(EndpointsUpdate),
    /// An event is recorded about the Service.
    Event(Note),
    /// The mount endpoint is published.
    Publish(Publication),
}

/// An action with its circumstances.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// The time since the begin of the reconciliation, in milliseconds.
    pub at: u64,
    /// The action.
    pub act: Act,
    /// Why the request is refused.
    pub refused: Option<String>,
}

/// When the controller looks at the volume again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Again {
    /// With the next update of the Volume that passes the filters.
    WithNextUpdate,
    /// After a time that doubles with each failure.
    AfterFailure,
    /// With the next pass over all volumes, 5 s later.
    WithNextPass,
}

/// The decision about a volume.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decision {
    /// The leaves of the functions, in their order. The last one is where the reconciliation ends.
    pub path: Vec<Leaf>,
    /// The actions, in order.
    pub steps: Vec<Step>,
    /// The error with which the reconciliation ends.
    pub error: Option<String>,
    /// The messages that the controller logs, in order, without their values.
    pub log: Vec<&'static str>,
    /// The duration in milliseconds.
    pub took: u64,
    /// Whether the metric of the duration gets this value. Up to 1.1, the metric counts passes, not volumes.
    pub observed: bool,
    /// When the controller looks at the volume again.
    pub again: Again,
    /// The objects after the reconciliation.
    pub stored: Stored,
    /// What the controller remembers after it.
    pub cached: Option<Cached>,
}

impl Decision {
    /// Returns where the reconciliation ends.
    pub fn leaf(&self) -> Option<Leaf> {
        self.path.last().copied()
    }

    /// Returns the actions that are requests, without the events.
    pub fn requests(&self) -> impl Iterator<Item = &Step> {
        self.steps.iter().filter(|step| !matches!(step.act, Act::Event(_)))
    }
}
