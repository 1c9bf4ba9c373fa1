//! The model of VolumeSnapshots.

use super::{ObjectMeta, Owner, Quantity, Str, Timestamp};

/// A VolumeSnapshot as stored: a request to take a snapshot, or to use an existing one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct VolumeSnapshot {
    /// `metadata`.
    pub meta: ObjectMeta,
    /// `metadata.ownerReferences`.
    pub owners: Box<[Owner]>,
    /// `spec.source.persistentVolumeClaimName`: the claim of which the snapshot is taken. It is empty if the
    /// VolumeSnapshot uses an existing VolumeSnapshotContent.
    pub claim: Str,
    /// `spec.source.volumeSnapshotContentName`: the existing VolumeSnapshotContent. It is empty if the snapshot is
    /// taken of a claim.
    pub content: Str,
    /// `spec.volumeSnapshotClassName`. `None` means the default class of the driver.
    pub class_name: Option<Str>,
    /// `status.boundVolumeSnapshotContentName`. It is empty while the VolumeSnapshot is not bound.
    pub bound_content: Str,
    /// `status.readyToUse`.
    pub ready: Option<bool>,
    /// `status.creationTime`: the time at which the driver took the snapshot.
    pub taken: Option<Timestamp>,
    /// `status.restoreSize`: the smallest size of a claim that is filled from the snapshot.
    pub restore_size: Option<Quantity>,
    /// `status.error`: the last error.
    pub error: Option<SnapshotError>,
}

/// The reason why a snapshot was not taken or not deleted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SnapshotError {
    /// `time`.
    pub time: Option<Timestamp>,
    /// `message`, which the snapshot controller or the driver wrote.
    pub message: Str,
}
