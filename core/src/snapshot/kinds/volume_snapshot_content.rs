//! This module decodes VolumeSnapshotContents, and decides which of their fields may leave the cluster.

use super::Stored;
use super::volume_attachment::VolumeError;
use super::volume_snapshot::{snapshot_error, snapshot_status};
use crate::model::{Amount, Timestamp, VolumeMode, VolumeSnapshotContent};
use crate::snapshot::decode::wire::{Meta, Reference, Text, object};
use crate::snapshot::decode::{Context, Failure};
use crate::snapshot::redact::{each, keep, only};
use serde_json::Value;

object!(ContentObject { metadata: Meta = "metadata", spec: ContentSpec = "spec", status: ContentStatus = "status" });

object!(ContentSpec {
    driver: Text = "driver",
    deletion_policy: Text = "deletionPolicy",
    class_name: Option<Text> = "volumeSnapshotClassName",
    source: ContentSource = "source",
    mode: Option<Text> = "sourceVolumeMode",
    snapshot: Reference = "volumeSnapshotRef",
});

object!(ContentSource { volume: Text = "volumeHandle", snapshot: Text = "snapshotHandle" });

object!(ContentStatus {
    handle: Text = "snapshotHandle",
    ready: Option<bool> = "readyToUse",
    taken: Option<i64> = "creationTime",
    restore_size: Option<Amount> = "restoreSize",
    error: Option<VolumeError> = "error",
});

/// The fields of the specification that are read.
const CONTENT: [&str; 6] =
    ["deletionPolicy", "driver", "source", "sourceVolumeMode", "volumeSnapshotClassName", "volumeSnapshotRef"];

/// The fields of the status that are read.
const STATUS: [&str; 5] = ["creationTime", "error", "readyToUse", "restoreSize", "snapshotHandle"];

impl Stored for VolumeSnapshotContent {
    fn decode(at: &Context<'_>) -> Result<Option<Self>, Failure> {
        content(at, at.parse()?).map(Some)
    }

    fn redact(field: &str, value: Value) -> Option<Value> {
        match field {
            "spec" => Some(each(only(value, &CONTENT), |key, value| match key {
                "source" => keep(value, &["snapshotHandle", "volumeHandle"]),
                _ => value,
            })),
            "status" => Some(snapshot_status(value, &STATUS)),
            _ => None,
        }
    }
}

fn content(at: &Context<'_>, object: ContentObject) -> Result<VolumeSnapshotContent, Failure> {
    /// The nanoseconds in a second. The API stores the time of a VolumeSnapshotContent in nanoseconds.
    const SECOND: i64 = 1_000_000_000;
    let (spec, status) = (object.spec, object.status);
    Ok(VolumeSnapshotContent {
        meta: at.meta(object.metadata)?,
        driver: spec.driver.0,
        deletion_policy: spec.deletion_policy.0,
        class_name: spec.class_name.map(|class| class.0),
        volume_handle: spec.source.volume.0,
        source_handle: spec.source.snapshot.0,
        snapshot: spec.snapshot.into_claim_ref(),
        source_volume_mode: spec.mode.map(|mode| VolumeMode::from_manifest(&mode.0)),
        handle: status.handle.0,
        ready: status.ready,
        taken: status.taken.map(|nanoseconds| Timestamp(nanoseconds.div_euclid(SECOND))),
        restore_size: status.restore_size.map(|amount| amount.quantity),
        error: status.error.map(snapshot_error),
    })
}
