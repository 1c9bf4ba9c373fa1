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
});

object!(EventSeries { last: Moment = "lastObservedTime" });

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

/// Decodes an Event. Events about objects other than volumes and claims are skipped.
fn event(at: &Context<'_>, object: EventObject) -> Result<Option<Event>, Failure> {
    let involved = object.involved;
    let kind = match involved.kind.0.as_str() {
        "PersistentVolume" => Kind::PersistentVolume,
        "PersistentVolumeClaim" => Kind::PersistentVolumeClaim,
        _ => return Ok(None),
    };
    let namespace = if kind.namespaced() { involved.namespace.0 } else { Str::default() };
    let meta = at.meta(object.metadata)?;
    let last_seen = object.series.last.0.or(object.last.0).or(object.at.0).or(meta.created);
    Ok(Some(Event {
        about: ObjectKey { kind, namespace, name: involved.name.0 },
        uid: involved.uid.0,
        reason: object.reason.0,
        message: object.message.0,
        kind: object.kind.0,
        last_seen,
        meta,
    }))
}
