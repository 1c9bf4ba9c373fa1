//! The location of the storage of a volume, for every kind of source. Only fields that redaction keeps are read.

use super::VolumeSpec;
use crate::model::{SERVER_ATTRIBUTES, SourceKind, Str, VolumeSource, server_attribute};
use crate::snapshot::decode::wire::Text;
use serde::de::{Deserialize, Deserializer, Error, IgnoredAny, MapAccess, Visitor};
use serde_json::Value;
use std::fmt;

/// Returns the first source that is set. The API server would refuse more than one source.
pub(super) fn source(spec: &VolumeSpec) -> VolumeSource {
    if let Some(csi) = &spec.csi {
        let source = of(SourceKind::Csi, csi.driver.0.clone(), csi.handle.0.clone());
        return VolumeSource { attributes: csi.attributes.0.clone(), ..source };
    }
    if let Some(path) = &spec.host_path {
        return of(SourceKind::HostPath, path.path.0.clone(), Str::default());
    }
    if let Some(nfs) = &spec.nfs {
        return of(SourceKind::Nfs, nfs.server.0.clone(), nfs.path.0.clone());
    }
    if let Some(local) = &spec.local {
        return of(SourceKind::Local, text(local, "path").into(), Str::default());
    }
    let others = [
        (&spec.aws_elastic_block_store, "awsElasticBlockStore"),
        (&spec.azure_disk, "azureDisk"),
        (&spec.azure_file, "azureFile"),
        (&spec.cephfs, "cephfs"),
        (&spec.cinder, "cinder"),
        (&spec.fc, "fc"),
        (&spec.flex_volume, "flexVolume"),
        (&spec.flocker, "flocker"),
        (&spec.gce_persistent_disk, "gcePersistentDisk"),
        (&spec.glusterfs, "glusterfs"),
        (&spec.iscsi, "iscsi"),
        (&spec.photon_persistent_disk, "photonPersistentDisk"),
        (&spec.portworx_volume, "portworxVolume"),
        (&spec.quobyte, "quobyte"),
        (&spec.rbd, "rbd"),
        (&spec.scale_io, "scaleIO"),
        (&spec.storage_os, "storageos"),
        (&spec.vsphere_volume, "vsphereVolume"),
    ];
    let set = others.into_iter().find_map(|(source, field)| Some((source.as_ref()?, field)));
    set.map_or_else(VolumeSource::default, |(source, field)| {
        let (detail, handle) = address(field, source);
        let mut set = of(SourceKind::Other(field.into()), detail.into(), handle.into());
        if field == "azureDisk" {
            set.azure_kind = azure_kind(text(source, "kind"));
        }
        set
    })
}

fn of(kind: SourceKind, detail: Str, handle: Str) -> VolumeSource {
    VolumeSource { kind, detail, handle, ..VolumeSource::default() }
}

/// The attributes of a CSI volume that [`SERVER_ATTRIBUTES`] names, in the order of that list. The others can hold a
/// secret, so they are skipped while the JSON is read.
#[derive(Default)]
pub(in crate::snapshot) struct ServerAttributes(Box<[(&'static str, Str)]>);

struct ServerAttributesVisitor;

impl<'de> Visitor<'de> for ServerAttributesVisitor {
    type Value = ServerAttributes;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("an object of strings")
    }

    fn visit_unit<E: Error>(self) -> Result<ServerAttributes, E> {
        Ok(ServerAttributes::default())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<ServerAttributes, A::Error> {
        let mut found: Vec<(&'static str, Str)> = Vec::new();
        while let Some(Text(key)) = map.next_key()? {
            if !SERVER_ATTRIBUTES.iter().any(|name| name.eq_ignore_ascii_case(&key)) {
                _ = map.next_value::<IgnoredAny>()?;
                continue;
            }
            let Some(Text(value)) = map.next_value::<Option<Text>>()? else { continue };
            found.extend(server_attribute(&key, &value).map(|name| (name, value)));
        }
        found.sort();
        Ok(ServerAttributes(found.into()))
    }
}

impl<'de> Deserialize<'de> for ServerAttributes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ServerAttributesVisitor)
    }
}

/// Returns the kind of a disk in Azure. Upstream: `SetDefaults_AzureDiskVolumeSource`, 1.36.
pub(in crate::snapshot::kinds) fn azure_kind(stated: &str) -> Str {
    if stated.is_empty() { "Shared".into() } else { stated.into() }
}

/// Returns the system that has the storage, and the name of the storage in this system. Both are empty if the source
/// does not state them in public fields.
fn address(field: &str, source: &Value) -> (String, String) {
    let text = |name| text(source, name).to_owned();
    let plain = |name| (String::new(), text(name));
    match field {
        "awsElasticBlockStore" | "cinder" | "portworxVolume" => plain("volumeID"),
        "azureDisk" => (String::new(), Some(text("diskURI")).filter(|uri| is_disk_id(uri)).unwrap_or_default()),
        "azureFile" => (joined(&[&text("secretNamespace"), &text("secretName")], "/"), text("shareName")),
        "cephfs" => (list(source, "monitors"), or(text("path"), "/")),
        "fc" => match list(source, "wwids") {
            none if none.is_empty() => (list(source, "targetWWNs"), lun(source)),
            wwids => (String::new(), wwids),
        },
        "flocker" => (String::new(), or(text("datasetUUID"), &text("datasetName"))),
        "gcePersistentDisk" => plain("pdName"),
        "glusterfs" => (joined(&[&text("endpointsNamespace"), &text("endpoints")], "/"), text("path")),
        "iscsi" => {
            let portals = joined(&[&text("targetPortal"), &list(source, "portals")], ",");
            (portals, joined(&[&text("iqn"), &lun(source)], " "))
        }
        "photonPersistentDisk" => plain("pdID"),
        "rbd" => {
            let image = text("image");
            let image = if image.is_empty() { image } else { format!("{}/{image}", or(text("pool"), "rbd")) };
            (list(source, "monitors"), image)
        }
        "scaleIO" => (text("system"), text("volumeName")),
        "storageos" => (text("volumeNamespace"), text("volumeName")),
        "vsphereVolume" => plain("volumePath"),
        // The parameters of other drivers may contain anything, including a password.
        _ => (String::new(), String::new()),
    }
}

/// Returns whether the URI is the id of a managed disk. The address of a blob is not such an id, and can contain a
/// signature.
pub(in crate::snapshot::kinds) fn is_disk_id(uri: &str) -> bool {
    uri.starts_with("/subscriptions/") && !uri.contains('?')
}

fn text<'v>(source: &'v Value, field: &str) -> &'v str {
    source[field].as_str().unwrap_or_default()
}

fn list(source: &Value, field: &str) -> String {
    let texts: Vec<&str> = source[field].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    texts.join(",")
}

fn lun(source: &Value) -> String {
    source["lun"].as_i64().map_or_else(String::new, |lun| format!("lun {lun}"))
}

fn or(text: String, other: &str) -> String {
    if text.is_empty() { other.to_owned() } else { text }
}

fn joined(parts: &[&str], between: &str) -> String {
    let parts: Vec<&str> = parts.iter().filter(|part| !part.is_empty()).copied().collect();
    parts.join(between)
}
