//! This module decodes Events, and decides which of their fields may leave the cluster.

use super::Stored;
use crate::model::{Event, Kind, ObjectKey, Str};
use crate::snapshot::decode::wire::{Meta, Moment, Reference, Text, object};
use crate::snapshot::decode::{Context, Failure};
use serde_json::Value;

object!(EventObject {
    metadata: Meta = "metadata",
    involved: Reference = "involvedObject",
    reason: Text = "reason",
    message: Text = "message",
    kind: Text = "type",
    last: Moment = "lastTimestamp",
    at: Moment = "eventTime",
    series: EventSeries = "series",
    reporter: Text = "reportingComponent",
    source: EventSource = "source",
    count: Option<u64> = "count",
});

object!(EventSeries { last: Moment = "lastObservedTime", count: Option<u64> = "count" });

object!(EventSource { component: Text = "component" });

/// The kinds of objects whose events are read: workloads, their pods, the storage of the pods, nodes and namespaces.
const ABOUT: [Kind; 13] = [
    Kind::PersistentVolume,
    Kind::PersistentVolumeClaim,
    Kind::Pod,
    Kind::Node,
    Kind::Namespace,
    Kind::StatefulSet,
    Kind::ReplicaSet,
    Kind::Deployment,
    Kind::DaemonSet,
    Kind::Job,
    Kind::VolumeAttachment,
    Kind::VolumeSnapshot,
    Kind::VolumeSnapshotContent,
];

/// The fields that state what was observed, when, and by which component.
const FIELDS: [&str; 13] = [
    "action",
    "count",
    "eventTime",
    "firstTimestamp",
    "involvedObject",
    "lastTimestamp",
    "message",
    "reason",
    "reportingComponent",
    "reportingInstance",
    "series",
    "source",
    "type",
];

impl Stored for Event {
    fn decode(at: &Context<'_>) -> Result<Option<Self>, Failure> {
        event(at, at.parse()?)
    }

    fn redact(field: &str, value: Value) -> Option<Value> {
        FIELDS.contains(&field).then_some(value)
    }
}

/// Decodes an Event. Events about objects of kinds that are not in [`ABOUT`] are skipped.
fn event(at: &Context<'_>, object: EventObject) -> Result<Option<Event>, Failure> {
    let involved = object.involved;
    let Some(kind) = ABOUT.into_iter().find(|kind| kind.as_str() == involved.kind.0) else { return Ok(None) };
    let namespace = if kind.namespaced() { involved.namespace.0 } else { Str::default() };
    let meta = at.meta(object.metadata)?;
    let last_seen = object.series.last.0.or(object.last.0).or(object.at.0).or(meta.created);
    Ok(Some(Event {
        about: ObjectKey { kind, namespace, name: involved.name.0 },
        uid: involved.uid.0,
        reason: object.reason.0,
        message: object.message.0,
        kind: object.kind.0,
        source: if object.reporter.0.is_empty() { object.source.component.0 } else { object.reporter.0 },
        count: object.series.count.or(object.count).unwrap_or(1),
        last_seen,
        meta,
    }))
}
