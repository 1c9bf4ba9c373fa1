//! The reading of a log as data. The texts of the log itself are not in it, because they may have secrets: messages are
//! those of upstream, and of the values only times and the names of objects are taken.

use crate::controllers::log::{FoundLine, LogReading, LoggedSync};
use crate::controllers::{Branch, KubeVersion};
use crate::report::shared::machine::API_VERSION;
use crate::world::ObjectRef;
use serde::Serialize;

/// What the lines of a log say.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct LogReadingOut {
    /// The version of the document.
    pub api_version: &'static str,
    /// `LogReading`.
    pub kind: &'static str,
    /// The minor version of Kubernetes whose messages are known.
    pub kubernetes: String,
    /// The syncs, in the order of their first lines. Lines that belong to no sync are together, as long as they are of
    /// the same component and no other line comes between them.
    pub syncs: Vec<LoggedSyncOut>,
    /// The lines whose messages no modelled component writes.
    pub unknown: Vec<UnknownLineOut>,
    /// The numbers of lines.
    pub counts: LogCounts,
}

/// The lines of one sync, or lines of a component that has no syncs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LoggedSyncOut {
    /// The component.
    pub component: &'static str,
    /// The object of the sync. The field is absent if no line names it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub object: Option<LoggedObject>,
    /// The leaves at which the sync may have ended. There is one leaf if the lines tell it. The list is empty for a
    /// line that is written outside of syncs.
    pub ends: Vec<LeafOut>,
    /// The lines, in their order.
    pub lines: Vec<LogLineOut>,
}

/// A line of a log.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LogLineOut {
    /// The number of the line, counted from 1.
    pub line: usize,
    /// The time, as the log has it. The field is absent if the line has no time.
    #[serde(skip_serializing_if = "String::is_empty")]
    #[cfg_attr(feature = "schema", schemars(default))]
    pub time: String,
    /// The functions of upstream that write the message. There is rarely more than one.
    pub functions: Vec<&'static str>,
    /// The message, as upstream words it. `{}` and `{KEY}` stand for texts that differ from line to line.
    pub message: &'static str,
    /// The object that the line names first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub object: Option<LoggedObject>,
    /// The other objects that the line names.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "schema", schemars(default))]
    pub others: Vec<LoggedObject>,
    /// The unique names of volumes that the line names, if no line of the log tells the PersistentVolume.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "schema", schemars(default))]
    pub volumes: Vec<String>,
    /// The uids of pods that the line names, if no line of the log tells the name of the pod.
    #[serde(rename = "podUIDs", skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "schema", schemars(default))]
    pub pod_uids: Vec<String>,
    /// The leaves of the steps at which the message is written. The sync has passed at least one of them. The list is
    /// empty if the message belongs to no step.
    pub steps: Vec<LeafOut>,
}

/// An object that a log names.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LoggedObject {
    /// The kind.
    pub kind: &'static str,
    /// The namespace, for kinds that have one.
    #[serde(skip_serializing_if = "String::is_empty")]
    #[cfg_attr(feature = "schema", schemars(default))]
    pub namespace: String,
    /// The name.
    pub name: String,
}

/// A leaf of a controller.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LeafOut {
    /// The id, as in `docs/controllers/`.
    pub id: &'static str,
    /// The name.
    pub name: &'static str,
    /// What the controller finds there, and what it does then.
    pub about: &'static str,
}

/// A line whose message no modelled component writes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct UnknownLineOut {
    /// The number of the line, counted from 1.
    pub line: usize,
    /// The file of the code that wrote the line. The field is absent if the line is not an entry of a log.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
}

/// The numbers of lines.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LogCounts {
    /// The lines whose messages are known.
    pub found: usize,
    /// Of these, the lines that were left out, because they are not about the objects that were asked for.
    pub other: usize,
    /// The lines whose messages are not known.
    pub unknown: usize,
}

impl LogReadingOut {
    /// Returns the document of a reading, with the syncs that are `wanted`.
    pub fn new(reading: LogReading, wanted: impl Fn(&LoggedSync) -> bool) -> Self {
        let number = |syncs: &[LoggedSync]| syncs.iter().map(|sync| sync.lines.len()).sum();
        let found = number(&reading.syncs);
        let (syncs, others): (Vec<LoggedSync>, Vec<LoggedSync>) = reading.syncs.into_iter().partition(wanted);
        let counts = LogCounts { found, other: number(&others), unknown: reading.unknown.len() };
        let unknown = reading.unknown.into_iter().map(|line| UnknownLineOut { line: line.number, file: line.file });
        let mut shown: Vec<LoggedSyncOut> = Vec::new();
        for sync in syncs.into_iter().map(LoggedSyncOut::new) {
            match shown.last_mut() {
                Some(last) if last.is_loose() && sync.is_loose() && last.component == sync.component => {
                    last.lines.extend(sync.lines);
                }
                _ => shown.push(sync),
            }
        }
        Self {
            api_version: API_VERSION,
            kind: "LogReading",
            kubernetes: KubeVersion::DEFAULT.to_string(),
            syncs: shown,
            unknown: unknown.collect(),
            counts,
        }
    }
}

impl LoggedSyncOut {
    fn new(sync: LoggedSync) -> Self {
        Self {
            component: sync.log.component,
            object: sync.object.as_ref().map(LoggedObject::new),
            ends: sync.ends.into_iter().map(LeafOut::new).collect(),
            lines: sync.lines.into_iter().map(LogLineOut::new).collect(),
        }
    }

    /// Returns whether the lines belong to no sync.
    fn is_loose(&self) -> bool {
        self.object.is_none() && self.ends.is_empty()
    }
}

impl LogLineOut {
    fn new(line: FoundLine) -> Self {
        let mut objects = line.objects.iter().map(LoggedObject::new);
        Self {
            line: line.number,
            functions: line.functions(),
            message: line.messages.first().map_or("", |message| message.text),
            object: objects.next(),
            others: objects.collect(),
            volumes: line.volumes.iter().map(ToString::to_string).collect(),
            pod_uids: line.pod_uids.iter().map(ToString::to_string).collect(),
            time: line.time,
            steps: line.steps.into_iter().map(LeafOut::new).collect(),
        }
    }
}

impl LoggedObject {
    fn new(object: &ObjectRef) -> Self {
        let (namespace, name) = (object.namespace.to_string(), object.name.to_string());
        Self { kind: object.kind.as_str(), namespace, name }
    }
}

impl LeafOut {
    fn new(leaf: Branch) -> Self {
        Self { id: leaf.id(), name: leaf.name(), about: leaf.about() }
    }
}
