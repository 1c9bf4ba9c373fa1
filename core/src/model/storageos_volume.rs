//! The model of volumes of StorageOS. They are no kind of a snapshot: few clusters have them, their kind `Volume` is
//! also a kind of other projects, and api-manager up to 1.1 knows them only from the API of the storage system.

use super::{Str, Timestamp};
use serde_json::Value;
use std::collections::BTreeMap;

/// A volume of StorageOS: a `Volume` of `api.storageos.com/v1`, or an entry of the list of the storage system.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StorageOsVolume {
    /// `metadata.name`. It is empty for an entry of the list of the storage system.
    pub name: Str,
    /// `metadata.deletionTimestamp`: set while the object is being deleted.
    pub deleted: Option<Timestamp>,
    /// The id of the volume in the storage system: `status.volumeId`.
    pub id: Str,
    /// The labels of the volume in the storage system: `spec.configLabels`.
    pub labels: BTreeMap<Str, Str>,
    /// The address and the port of the server that exports the volume: `spec.nfs.serviceEndpoint`.
    pub service_endpoint: Option<Str>,
}

/// Why an object is no volume of StorageOS.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotStorageOs {
    /// The path of the field with the wrong type or value.
    pub field: &'static str,
}

/// Returns the text of a field. The text is empty if the field is absent.
fn text(value: &Value, field: &'static str) -> Result<Str, NotStorageOs> {
    optional(value, field).map(Option::unwrap_or_default)
}

fn optional(value: &Value, field: &'static str) -> Result<Option<Str>, NotStorageOs> {
    match value {
        Value::Null => Ok(None),
        Value::String(text) => Ok(Some(text.as_str().into())),
        _ => Err(NotStorageOs { field }),
    }
}

fn labels(value: &Value, field: &'static str) -> Result<BTreeMap<Str, Str>, NotStorageOs> {
    match value {
        Value::Null => Ok(BTreeMap::new()),
        Value::Object(all) => all.iter().map(|(key, value)| Ok((key.as_str().into(), text(value, field)?))).collect(),
        _ => Err(NotStorageOs { field }),
    }
}

impl StorageOsVolume {
    /// Decodes a `Volume` of `api.storageos.com/v1`.
    ///
    /// # Errors
    /// Returns an error if the object has another kind, or if a field that is read has a wrong type.
    pub fn of_object(object: &Value) -> Result<Self, NotStorageOs> {
        let (metadata, spec) = (&object["metadata"], &object["spec"]);
        if object["apiVersion"] != "api.storageos.com/v1" {
            return Err(NotStorageOs { field: "apiVersion" });
        }
        if object["kind"] != "Volume" {
            return Err(NotStorageOs { field: "kind" });
        }
        let deleted = optional(&metadata["deletionTimestamp"], "metadata.deletionTimestamp")?;
        let moment = |text: Str| Timestamp::try_from(text.to_string());
        Ok(Self {
            name: text(&metadata["name"], "metadata.name")?,
            deleted: (deleted.map(moment).transpose())
                .map_err(|_| NotStorageOs { field: "metadata.deletionTimestamp" })?,
            id: text(&object["status"]["volumeId"], "status.volumeId")?,
            labels: labels(&spec["configLabels"], "spec.configLabels")?,
            service_endpoint: optional(&spec["nfs"]["serviceEndpoint"], "spec.nfs.serviceEndpoint")?,
        })
    }

    /// Decodes an entry of the list of the storage system, which api-manager up to 1.1 reads.
    ///
    /// # Errors
    /// Returns an error if a field that is read has a wrong type.
    pub fn of_entry(entry: &Value) -> Result<Self, NotStorageOs> {
        Ok(Self {
            name: Str::default(),
            deleted: None,
            id: text(&entry["id"], "id")?,
            labels: labels(&entry["labels"], "labels")?,
            service_endpoint: optional(&entry["nfs"]["serviceEndpoint"], "nfs.serviceEndpoint")?,
        })
    }

    /// Returns a label. The text is empty if the volume does not have the label.
    pub fn label(&self, key: &str) -> &str {
        self.labels.get(key).map_or("", Str::as_str)
    }
}
