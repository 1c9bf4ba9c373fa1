//! The model of VolumeSnapshotClasses.

use super::{AnnotationKey, ObjectMeta, Str};

/// A VolumeSnapshotClass as stored.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct VolumeSnapshotClass {
    /// `metadata`.
    pub meta: ObjectMeta,
    /// `driver`.
    pub driver: Str,
    /// `deletionPolicy` of the VolumeSnapshotContents that are created for the class: `Delete` or `Retain`.
    pub deletion_policy: Str,
    /// The names of `parameters`, sorted. The values may be secret, so they are not read.
    pub parameters: Box<[Str]>,
}

impl VolumeSnapshotClass {
    /// Returns whether the class is the default of its driver: a snapshot that names no class gets this class.
    /// Upstream: `IsDefaultAnnotation`, external-snapshotter, `pkg/utils`, 8.0.
    pub fn is_default(&self) -> bool {
        self.meta.annotations.get(AnnotationKey::IsDefaultSnapshotClass) == Some("true")
    }
}
