//! VolumeSnapshotClasses.

use super::{AnnotationKey, ObjectMeta, Str};

/// A VolumeSnapshotClass as stored.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct VolumeSnapshotClass {
    /// `metadata`.
    pub meta: ObjectMeta,
    /// `driver`.
    pub driver: Str,
    /// `deletionPolicy` of the contents that are made for it: `Delete` or `Retain`.
    pub deletion_policy: Str,
    /// The names of `parameters`, in order. What they are set to may be a secret, and is not read.
    pub parameters: Box<[Str]>,
}

impl VolumeSnapshotClass {
    /// Whether it is the class of snapshots of its driver that name none.
    /// Upstream: `IsDefaultAnnotation`, external-snapshotter, `pkg/utils`, 8.0.
    pub fn is_default(&self) -> bool {
        self.meta.annotations.get(AnnotationKey::IsDefaultSnapshotClass) == Some("true")
    }
}
