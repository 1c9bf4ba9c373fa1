//! The part of a line that is about the attach/detach controller. `oracle/line/attaching.go` defines this part. All
//! moments and durations are in nanoseconds.

use crate::line::Object;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A run of the controller: how it is started, what others do, and what it does.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Attaching {
    /// `--disable-force-detach-on-timeout`.
    pub disable_force_detach: bool,
    /// `--disable-attach-detach-reconcile-sync`.
    pub disable_sync: bool,
    /// `--attach-detach-reconcile-sync-period`.
    pub sync_period: u64,
    /// How long a request of an operation takes.
    pub latency: u64,
    /// The end of the run.
    pub until: u64,
    /// Whether nobody but the controller and the attachers changes anything that matters, and nothing new happens at
    /// the end of the run.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub settles: bool,
    /// Whether the answer is all ends instead of the log: those under all choices of the attachers. Each job of an
    /// attacher fails for good, never begins, ends at once, or takes longer than the controller waits.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub every_end: bool,
    /// The attachers of the drivers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub attachers: Vec<Value>,
    /// The changes that other actors make.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub script: Vec<Value>,
    /// The requests that fail.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub refuse: Vec<RefusedRequests>,
    /// What happened, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub log: Vec<Entry>,
    /// The `VolumeAttachment`s and the nodes at each end.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ends: Vec<Vec<Value>>,
    /// Why there are no ends. It is empty if there are some.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub without_ends: String,
}

/// Requests of the controller that fail.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct RefusedRequests {
    /// `create`, `delete`, `patch` or `get`.
    pub verb: String,
    /// `volumeattachments` or `nodes`.
    pub resource: String,
    /// The name of the object. It is empty if all objects of the resource match.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// The number of the first matching request that fails, counted from 1.
    pub first: u32,
    /// The number of the last matching request that fails.
    pub last: u32,
    /// The reason of the API server.
    pub reason: String,
    /// A part of the error.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub text: String,
}

/// Something that happened at a moment. It has one of the other fields.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Entry {
    /// The moment, counted from the beginning of the run.
    pub at: u64,
    /// The controller has read all objects, and begins.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub start: bool,
    /// Another actor changed an object. It is the object after the change.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub put: Option<Value>,
    /// Another actor deleted an object, or removed its last finalizer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delete: Option<Object>,
    /// The controller ends, and another one is started.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub restart: bool,
    /// An operation looked for the `VolumeAttachment` of this name in the cache.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub poll: Option<String>,
    /// A request that changes an object.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub write: Option<Request>,
    /// A read from the API server.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub read: Option<Request>,
    /// An event.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub event: Option<RecordedEvent>,
    /// An operation that was started.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub operation: Option<Operation>,
    /// An entry that the controller logs at `-v=5`, in klog's text format. The time, the process and the times that
    /// work took are replaced. Entries that were recorded twice already are left out.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub logged: String,
}

/// A request, at the moment at which it took effect.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Request {
    /// The verb. It is empty for a read.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub verb: String,
    /// The resource.
    pub resource: String,
    /// The subresource.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub subresource: String,
    /// The name of the object.
    pub name: String,
    /// The strategic merge patch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub patch: Option<Value>,
    /// The object that is created.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub object: Option<Value>,
    /// The error of the API server.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refused: Option<String>,
}

/// An event that the controller recorded.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct RecordedEvent {
    /// `type`.
    #[serde(rename = "type")]
    pub kind: String,
    /// `reason`.
    pub reason: String,
    /// `message`.
    pub message: String,
    /// The object that the event is about.
    pub about: Object,
}

/// An operation that was started.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Operation {
    /// `attach` or `detach`.
    pub name: String,
    /// The unique name of the volume.
    pub volume: String,
    /// The name of the node.
    pub node: String,
    /// `timeout` or `out-of-service`, if the volume is detached without a check whether it is in use.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub forced: String,
}
