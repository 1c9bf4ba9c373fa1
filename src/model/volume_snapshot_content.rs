//! VolumeSnapshotContents.

use super::volume_snapshot::SnapshotError;
use super::{ClaimRef, ObjectMeta, Quantity, Str, Timestamp};

/// A VolumeSnapshotContent as stored: a snapshot at the driver.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct VolumeSnapshotContent {
    /// `metadata`.
    pub meta: ObjectMeta,
    /// `spec.driver`.
    pub driver: Str,
    /// `spec.deletionPolicy`: `Delete` or `Retain`.
    pub deletion_policy: Str,
    /// `spec.volumeSnapshotClassName`.
    pub class_name: Option<Str>,
    /// `spec.source.volumeHandle`: the volume of which the driver takes it; empty where the snapshot was there before.
    pub volume_handle: Str,
    /// `spec.source.snapshotHandle`: the snapshot that was there before; empty where it is taken of a volume.
    pub source_handle: Str,
    /// `spec.volumeSnapshotRef`: the VolumeSnapshot that it belongs to.
    pub snapshot: ClaimRef,
    /// `status.snapshotHandle`: the snapshot at the driver; empty while there is none.
    pub handle: Str,
    /// `status.readyToUse`.
    pub ready: Option<bool>,
    /// `status.creationTime`: when the driver took it. It is stored in nanoseconds.
    pub taken: Option<Timestamp>,
    /// `status.restoreSize`. It is stored in bytes.
    pub restore_size: Option<Quantity>,
    /// `status.error`: what went wrong last.
    pub error: Option<SnapshotError>,
}
