//! The model of VolumeSnapshotContents.

use super::volume_snapshot::SnapshotError;
use super::{ClaimRef, ObjectMeta, Quantity, Str, Timestamp, VolumeMode};

/// A VolumeSnapshotContent as stored: a snapshot in the storage system of a driver.
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
    /// `spec.source.volumeHandle`: the volume of which the driver takes the snapshot. It is empty if the snapshot
    /// existed before this object.
    pub volume_handle: Str,
    /// `spec.source.snapshotHandle`: the snapshot that existed before this object. It is empty if the snapshot is taken
    /// of a volume.
    pub source_handle: Str,
    /// `spec.volumeSnapshotRef`: the VolumeSnapshot to which the content belongs.
    pub snapshot: ClaimRef,
    /// `spec.sourceVolumeMode`: the volume mode of the volume of which the snapshot was taken.
    pub source_volume_mode: Option<VolumeMode>,
    /// `status.snapshotHandle`: the driver's id of the snapshot. It is empty while the snapshot does not exist.
    pub handle: Str,
    /// `status.readyToUse`.
    pub ready: Option<bool>,
    /// `status.creationTime`: the time at which the driver took the snapshot. The API stores it in nanoseconds.
    pub taken: Option<Timestamp>,
    /// `status.restoreSize`. The API stores it in bytes.
    pub restore_size: Option<Quantity>,
    /// `status.error`: the last error.
    pub error: Option<SnapshotError>,
}
