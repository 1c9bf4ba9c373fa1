//! VolumeSnapshots.

use super::{ObjectMeta, Owner, Quantity, Str, Timestamp};

/// A VolumeSnapshot as stored: somebody asks for a snapshot, or wants to use one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct VolumeSnapshot {
    /// `metadata`.
    pub meta: ObjectMeta,
    /// `metadata.ownerReferences`.
    pub owners: Box<[Owner]>,
    /// `spec.source.persistentVolumeClaimName`: the claim of which it is taken; empty where it is of a content that was
    /// there before.
    pub claim: Str,
    /// `spec.source.volumeSnapshotContentName`: that content; empty where it is taken of a claim.
    pub content: Str,
    /// `spec.volumeSnapshotClassName`; without one the default class of the driver counts.
    pub class_name: Option<Str>,
    /// `status.boundVolumeSnapshotContentName`; empty while it is bound to none.
    pub bound_content: Str,
    /// `status.readyToUse`.
    pub ready: Option<bool>,
    /// `status.creationTime`: when the driver took it.
    pub taken: Option<Timestamp>,
    /// `status.restoreSize`: the least size of a claim that is filled from it.
    pub restore_size: Option<Quantity>,
    /// `status.error`: what went wrong last.
    pub error: Option<SnapshotError>,
}

/// Why a snapshot was not taken or not deleted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SnapshotError {
    /// `time`.
    pub time: Option<Timestamp>,
    /// `message`, by the snapshot controller or the driver.
    pub message: Str,
}
