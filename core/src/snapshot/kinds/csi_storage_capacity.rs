//! This module decodes CSIStorageCapacities, and decides which of their fields may leave the cluster.

use super::Stored;
use crate::model::{Amount, StorageCapacity};
use crate::snapshot::decode::wire::{LabelTerms, Meta, Text, object};
use crate::snapshot::decode::{Context, Failure};
use serde_json::Value;

object!(CapacityObject {
    metadata: Meta = "metadata",
    class_name: Text = "storageClassName",
    topology: Option<LabelTerms> = "nodeTopology",
    capacity: Option<Amount> = "capacity",
    maximum: Option<Amount> = "maximumVolumeSize",
});

impl Stored for StorageCapacity {
    fn decode(at: &Context<'_>) -> Result<Option<Self>, Failure> {
        capacity(at, at.parse()?).map(Some)
    }

    fn redact(field: &str, value: Value) -> Option<Value> {
        let known = ["capacity", "maximumVolumeSize", "nodeTopology", "storageClassName"];
        known.contains(&field).then_some(value)
    }
}

fn capacity(at: &Context<'_>, object: CapacityObject) -> Result<StorageCapacity, Failure> {
    Ok(StorageCapacity {
        meta: at.meta(object.metadata)?,
        class_name: object.class_name.0,
        topology: object.topology.map(|terms| Box::new(terms.into_selector())),
        capacity: object.capacity.map(|amount| amount.quantity),
        maximum: object.maximum.map(|amount| amount.quantity),
    })
}
