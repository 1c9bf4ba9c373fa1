//! The part of a line that is about the shared-volume controller. `oracle/shared_volume/line.go` defines this part. All
//! times are in milliseconds.

use crate::line::{Object, is_default};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A script, and the answers of the controller to it.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Share {
    /// Whether the cluster assigns addresses of IPv6 to Services.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub ipv6: bool,
    /// The parts of the script, in order. The API server keeps its objects from turn to turn.
    pub turns: Vec<Turn>,
    /// One answer for each turn.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub answers: Vec<Answer>,
}

impl Share {
    /// Removes the answers.
    pub fn strip(&mut self) {
        self.answers.clear();
    }
}

/// A part of the script: first others change objects, then Volumes are reconciled.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Turn {
    /// Whether the storage system first writes the mount endpoints of earlier turns into the labels of the Volumes.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub publish: bool,
    /// The objects that are then created or replaced, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub set: Vec<Value>,
    /// The objects that are then removed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub delete: Vec<Object>,
    /// The syncs of the turn, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reconcile: Vec<Reconcile>,
}

/// One sync of a Volume, which does not have to exist.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Reconcile {
    /// The name of the Volume.
    pub volume: String,
    /// The requests that fail.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub refuse: Vec<Refused>,
}

/// Requests of a sync that fail.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Refused {
    /// The name of the request.
    pub request: String,
    /// The number of the first request that fails among those of the sync with this name, from 0.
    #[serde(default, skip_serializing_if = "is_default")]
    pub place: usize,
    /// How many requests fail one after the other. 0 stands for 1.
    #[serde(default, skip_serializing_if = "is_default")]
    pub count: usize,
    /// The reason of the API server, or the error of the storage system.
    pub reason: String,
}

/// What happens in a turn.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Answer {
    /// The events of Volumes, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub events: Vec<Event>,
    /// One answer for each sync.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub syncs: Vec<SyncAnswer>,
}

/// An event of a Volume.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Event {
    /// `create`, `update` or `delete`.
    #[serde(rename = "type")]
    pub kind: String,
    /// The name of the Volume.
    pub volume: String,
    /// Whether the event passes the filters of the controller.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub passes: bool,
}

/// What one sync of a Volume does.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct SyncAnswer {
    /// What the sync does, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub effects: Vec<Value>,
    /// The error of the sync.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub error: String,
    /// The messages of the log, without their values.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub log: Vec<String>,
    /// The duration.
    #[serde(default, skip_serializing_if = "is_default")]
    pub took: u64,
    /// Whether the metric of the duration gets a value.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub observed: bool,
}
