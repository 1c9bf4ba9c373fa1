//! This module decodes VolumeSnapshotClasses, and decides which of their fields may leave the cluster.

use super::Stored;
use super::storage_class::parameter;
use crate::model::VolumeSnapshotClass;
use crate::snapshot::decode::wire::{Keys, Meta, Text, object};
use crate::snapshot::decode::{Context, Failure};
use crate::snapshot::redact::each;
use serde_json::Value;

object!(SnapshotClassObject {
    metadata: Meta = "metadata",
    driver: Text = "driver",
    deletion_policy: Text = "deletionPolicy",
    parameters: Keys = "parameters",
});

impl Stored for VolumeSnapshotClass {
    fn decode(at: &Context<'_>) -> Result<Option<Self>, Failure> {
        class(at, at.parse()?).map(Some)
    }

    fn redact(field: &str, value: Value) -> Option<Value> {
        match field {
            "deletionPolicy" | "driver" => Some(value),
            "parameters" => Some(each(value, parameter)),
            _ => None,
        }
    }
}

fn class(at: &Context<'_>, object: SnapshotClassObject) -> Result<VolumeSnapshotClass, Failure> {
    Ok(VolumeSnapshotClass {
        meta: at.meta(object.metadata)?,
        driver: object.driver.0,
        deletion_policy: object.deletion_policy.0,
        parameters: object.parameters.0,
    })
}
