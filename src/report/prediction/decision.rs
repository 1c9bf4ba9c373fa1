//! Decisions in documents: what one sync does, in order.

use super::created::created;
use crate::report::shared::machine::{ObjectId, is_false};
use crate::simulate::Decision;
use crate::snapshot::{MergePatch, printed};
use crate::world::{Compared, Effect, LogLevel, Write, WriteBody};
use serde::Serialize;

/// What one controller does in one sync of one object.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct DecisionOut<'a> {
    /// The controller.
    pub controller: &'static str,
    /// The leaf at which the sync function ended.
    pub branch: &'static str,
    /// The leaves of the functions that the sync function called, in order.
    pub steps: Vec<&'static str>,
    /// The requests to the API server.
    pub writes: Vec<WriteOut<'a>>,
    /// The events that the sync records.
    pub events: Vec<EventOut<'a>>,
    /// The asynchronous operations that the sync starts, or finds running or in backoff.
    pub operations: Vec<OperationOut<'a>>,
    /// The keys that the sync adds to a work queue.
    pub enqueues: Vec<ObjectId<'a>>,
    /// What causes the next sync of the object: `event`, `resync` or `backoff`.
    pub next_sync: &'static str,
    /// The error that the sync function returns, in upstream's words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<&'a str>,
    /// The comparisons that the sync made. They are listed only with `--trace`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "schema", schemars(default))]
    pub tests: Vec<TestOut<'a>>,
    /// The entries that the controller logs at `-v=5`, in order. They are listed only with `--trace`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "schema", schemars(default))]
    pub log: Vec<LogEntryOut<'a>>,
}

/// An entry of the log of a controller.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LogEntryOut<'a> {
    /// The smallest value of the flag `-v` with which the entry is logged. It is 0 for an error.
    pub verbosity: u8,
    /// Whether the entry is an error.
    #[serde(skip_serializing_if = "is_false")]
    #[cfg_attr(feature = "schema", schemars(default))]
    pub error: bool,
    /// The message, as upstream words it.
    pub message: &'a str,
    /// The message with its keys and values, in klog's text format without the header. A resourceVersion that the API
    /// server has yet to assign is `<next>`. Elapsed times are `0s`.
    pub text: String,
}

/// A request to the API server.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct WriteOut<'a> {
    /// The position among all effects of the decision.
    pub seq: u32,
    /// `create`, `update` or `delete`.
    pub verb: &'static str,
    /// The resource, as the API's paths write it.
    pub resource: &'static str,
    /// `status` if only the status is written. Otherwise the field is absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub subresource: Option<&'static str>,
    /// The namespace, for resources that have one.
    #[serde(skip_serializing_if = "str::is_empty")]
    #[cfg_attr(feature = "schema", schemars(default))]
    pub namespace: &'a str,
    /// The name.
    pub name: &'a str,
    /// The RFC 7386 merge patch that turns the object before this write into the object that is sent.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<std::collections::BTreeMap<String, serde_json::Value>>"))]
    pub patch: Option<MergePatch<'a>>,
    /// The object that is created.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub object: Option<serde_json::Value>,
    /// Why the API server refuses the request. The field is absent if the request is accepted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refused: Option<&'a str>,
}

/// An event that a sync records.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct EventOut<'a> {
    /// The position among all effects of the decision.
    pub seq: u32,
    /// `Normal` or `Warning`.
    #[serde(rename = "type")]
    pub event_type: &'static str,
    /// The reason of the event.
    pub reason: &'static str,
    /// The message, exactly as the controller records it.
    pub message: &'a str,
    /// Whether the message has names that the controller may list in another order. Here the names are sorted.
    #[serde(skip_serializing_if = "is_false")]
    #[cfg_attr(feature = "schema", schemars(default))]
    pub message_varies: bool,
    /// The object that the event is about.
    pub about: ObjectId<'a>,
}

/// An asynchronous operation.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct OperationOut<'a> {
    /// The position among all effects of the decision.
    pub seq: u32,
    /// The name of the operation, as upstream builds it.
    pub name: &'a str,
    /// The state of the operation: `started`, `running` or `backoff`.
    pub state: &'static str,
}

/// A comparison that a sync made.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TestOut<'a> {
    /// The question that the comparison answers.
    pub question: &'static str,
    /// The first side.
    pub left: ComparedOut<'a>,
    /// The second side. The field is absent if a single value is tested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub right: Option<ComparedOut<'a>>,
    /// Whether the answer to the question is yes.
    pub holds: bool,
}

/// One side of a comparison.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ComparedOut<'a> {
    /// The object as users type it for kubectl.
    pub object: &'a str,
    /// The path of the field.
    pub field: &'static str,
    /// The value of the field.
    pub value: &'a str,
}

impl<'a> DecisionOut<'a> {
    /// Returns a decision as data.
    pub fn new(decision: &'a Decision<'a>) -> Self {
        let record = &decision.record;
        let (mut writes, mut events, mut operations, mut enqueues) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let mut seq = 0;
        for effect in &record.effects {
            match effect {
                Effect::Write(write) => {
                    seq += 1;
                    writes.push(WriteOut::new(seq, write));
                }
                Effect::Event(event) => {
                    seq += 1;
                    events.push(EventOut {
                        seq,
                        event_type: event.event_type.as_str(),
                        reason: event.reason,
                        message: &event.message,
                        message_varies: event.message_varies,
                        about: ObjectId {
                            kind: event.about.kind.as_str(),
                            namespace: &event.about.namespace,
                            name: &event.about.name,
                            uid: "",
                        },
                    });
                }
                Effect::Operation { name, state } => {
                    seq += 1;
                    operations.push(OperationOut { seq, name, state: state.as_str() });
                }
                Effect::Enqueue(key) => enqueues.push(ObjectId {
                    kind: key.kind.as_str(),
                    namespace: &key.namespace,
                    name: &key.name,
                    uid: "",
                }),
            }
        }
        Self {
            controller: decision.controller.name,
            branch: decision.branch.name(),
            steps: record.steps.iter().map(|step| step.name()).collect(),
            writes,
            events,
            operations,
            enqueues,
            next_sync: decision.next_sync.as_str(),
            error: record.error.as_deref(),
            tests: record
                .tests
                .iter()
                .map(|test| TestOut {
                    question: test.question,
                    left: ComparedOut::new(&test.left),
                    right: test.right.as_ref().map(ComparedOut::new),
                    holds: test.holds,
                })
                .collect(),
            log: record
                .log
                .iter()
                .map(|entry| LogEntryOut {
                    verbosity: entry.level.verbosity(),
                    error: entry.level == LogLevel::Error,
                    message: &entry.message,
                    text: entry.to_string(),
                })
                .collect(),
        }
    }
}

impl<'a> ComparedOut<'a> {
    fn new(compared: &'a Compared) -> Self {
        Self { object: &compared.object, field: compared.field, value: &compared.value }
    }
}

impl<'a> WriteOut<'a> {
    fn new(seq: u32, write: &'a Write<'a>) -> Self {
        let (verb, status, object) = match &write.body {
            WriteBody::Update { status, .. } => ("update", *status, None),
            WriteBody::Create { sent, .. } => ("create", false, created(sent)),
            WriteBody::Delete(_) => ("delete", false, None),
        };
        let written = write.body.object();
        let (kind, meta) = (written.kind(), written.meta());
        Self {
            seq,
            verb,
            resource: kind.resource(),
            subresource: status.then_some("status"),
            namespace: &meta.namespace,
            name: printed(&meta.name),
            patch: write.body.patch(),
            object,
            refused: write.refused.as_deref(),
        }
    }
}
