//! VolumeAttributesClasses.

use super::{ObjectMeta, Str};

/// A VolumeAttributesClass as stored.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct VolumeAttributesClass {
    /// `metadata`.
    pub meta: ObjectMeta,
    /// `driverName`.
    pub driver: Str,
    /// The names of `parameters`, in order. What they are set to is up to the driver, and is not read.
    pub parameters: Box<[Str]>,
}
