//! This module decodes VolumeAttributesClasses, and decides which of their fields may leave the cluster.

use super::Stored;
use super::storage_class::parameter;
use crate::model::VolumeAttributesClass;
use crate::snapshot::decode::wire::{Keys, Meta, Text, object};
use crate::snapshot::decode::{Context, Failure};
use crate::snapshot::redact::each;
use serde_json::Value;

object!(AttributesClassObject {
    metadata: Meta = "metadata",
    driver: Text = "driverName",
    parameters: Keys = "parameters"
});

impl Stored for VolumeAttributesClass {
    fn decode(at: &Context<'_>) -> Result<Option<Self>, Failure> {
        class(at, at.parse()?).map(Some)
    }

    fn redact(field: &str, value: Value) -> Option<Value> {
        match field {
            "driverName" => Some(value),
            "parameters" => Some(each(value, parameter)),
            _ => None,
        }
    }
}

fn class(at: &Context<'_>, object: AttributesClassObject) -> Result<VolumeAttributesClass, Failure> {
    Ok(VolumeAttributesClass {
        meta: at.meta(object.metadata)?,
        driver: object.driver.0,
        parameters: object.parameters.0,
    })
}
