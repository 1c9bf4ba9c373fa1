//! This module decodes CSIDrivers, and decides which of their fields may leave the cluster.

use super::Stored;
use crate::model::CsiDriver;
use crate::snapshot::decode::wire::{Meta, object};
use crate::snapshot::decode::{Context, Failure};
use crate::snapshot::redact::only;
use serde_json::Value;

object!(DriverObject { metadata: Meta = "metadata", spec: DriverSpec = "spec" });

object!(DriverSpec {
    attach_required: Option<bool> = "attachRequired",
    republish: Option<bool> = "requiresRepublish",
    capacity: Option<bool> = "storageCapacity",
});

const DRIVER: [&str; 8] = [
    "attachRequired",
    "fsGroupPolicy",
    "podInfoOnMount",
    "requiresRepublish",
    "seLinuxMount",
    "storageCapacity",
    "tokenRequests",
    "volumeLifecycleModes",
];

impl Stored for CsiDriver {
    fn decode(at: &Context<'_>) -> Result<Option<Self>, Failure> {
        driver(at, at.parse()?).map(Some)
    }

    fn redact(field: &str, value: Value) -> Option<Value> {
        (field == "spec").then(|| only(value, &DRIVER))
    }
}

fn driver(at: &Context<'_>, object: DriverObject) -> Result<CsiDriver, Failure> {
    Ok(CsiDriver {
        meta: at.meta(object.metadata)?,
        attach_required: object.spec.attach_required.unwrap_or(true),
        requires_republish: object.spec.republish.unwrap_or_default(),
        storage_capacity: object.spec.capacity.unwrap_or_default(),
    })
}
