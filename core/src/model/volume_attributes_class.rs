//! The model of VolumeAttributesClasses.

use super::{ObjectMeta, Str};

/// A VolumeAttributesClass as stored.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct VolumeAttributesClass {
    /// `metadata`.
    pub meta: ObjectMeta,
    /// `driverName`.
    pub driver: Str,
    /// The names of `parameters`, sorted. The values have a meaning only for the driver, so they are not read.
    pub parameters: Box<[Str]>,
}
