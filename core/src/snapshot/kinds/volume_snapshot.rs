//! This module decodes VolumeSnapshots, and decides which of their fields may leave the cluster.

use super::Stored;
use super::volume_attachment::VolumeError;
use crate::model::volume_snapshot::SnapshotError;
use crate::model::{Amount, VolumeSnapshot};
use crate::snapshot::decode::wire::{Meta, Moment, Text, object};
use crate::snapshot::decode::{Context, Failure};
use crate::snapshot::redact::{each, keep, only};
use serde_json::Value;

object!(SnapshotObject { metadata: Meta = "metadata", spec: SnapshotSpec = "spec", status: SnapshotStatus = "status" });

object!(SnapshotSpec { source: SnapshotSource = "source", class_name: Option<Text> = "volumeSnapshotClassName" });

object!(SnapshotSource { claim: Text = "persistentVolumeClaimName", content: Text = "volumeSnapshotContentName" });

object!(SnapshotStatus {
    bound_content: Text = "boundVolumeSnapshotContentName",
    ready: Option<bool> = "readyToUse",
    taken: Moment = "creationTime",
    restore_size: Option<Amount> = "restoreSize",
    error: Option<VolumeError> = "error",
});

/// The fields of the status that are read.
const STATUS: [&str; 5] = ["boundVolumeSnapshotContentName", "creationTime", "error", "readyToUse", "restoreSize"];

impl Stored for VolumeSnapshot {
    fn decode(at: &Context<'_>) -> Result<Option<Self>, Failure> {
        snapshot(at, at.parse()?).map(Some)
    }

    fn redact(field: &str, value: Value) -> Option<Value> {
        match field {
            "spec" => Some(each(only(value, &["source", "volumeSnapshotClassName"]), |key, value| match key {
                "source" => keep(value, &["persistentVolumeClaimName", "volumeSnapshotContentName"]),
                _ => value,
            })),
            "status" => Some(snapshot_status(value, &STATUS)),
            _ => None,
        }
    }
}

/// Redacts a status. The named fields stay. The message of an error stays, because it is the evidence.
pub(super) fn snapshot_status(value: Value, allowed: &[&str]) -> Value {
    each(only(value, allowed), |key, value| match key {
        "error" => keep(value, &["message", "time"]),
        _ => value,
    })
}

/// Returns the error as a value of the model.
pub(super) fn snapshot_error(error: VolumeError) -> SnapshotError {
    SnapshotError { time: error.time.0, message: error.message.0 }
}

fn snapshot(at: &Context<'_>, object: SnapshotObject) -> Result<VolumeSnapshot, Failure> {
    let (spec, status) = (object.spec, object.status);
    Ok(VolumeSnapshot {
        owners: object.metadata.owners.owners(),
        meta: at.meta(object.metadata)?,
        claim: spec.source.claim.0,
        content: spec.source.content.0,
        class_name: spec.class_name.map(|class| class.0),
        bound_content: status.bound_content.0,
        ready: status.ready,
        taken: status.taken.0,
        restore_size: status.restore_size.map(|amount| amount.quantity),
        error: status.error.map(snapshot_error),
    })
}
