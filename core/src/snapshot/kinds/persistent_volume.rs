//! This module decodes PersistentVolumes, and decides which of their fields may leave the cluster.

mod source;

use super::merge_patch::MergePatch;
use super::{ApiGates, Parts, Stored, Writable};
use crate::model::ClaimRef;
use crate::model::{
    NodeOperator, NodeRequirement, NodeSelector, NodeSelectorTerm, PersistentVolume, ReclaimPolicy, VolumeMode,
    VolumePhase, VolumeStatus, server_attribute,
};
use crate::snapshot::decode::wire::{List, Meta, Mode, Moment, Quantities, Reference, Requirement, Text, object};
use crate::snapshot::decode::{Context, Failure};
use crate::snapshot::redact::{REDACTED, each, hidden, keep};
use crate::snapshot::{Snapshot, printed};
use serde_json::Value;
use source::ServerAttributes;
pub(super) use source::{azure_kind, is_disk_id};
use std::sync::Arc;

object!(VolumeObject { metadata: Meta = "metadata", spec: VolumeSpec = "spec", status: VolumeStatusObject = "status" });

object!(VolumeSpec {
    capacity: Quantities = "capacity",
    access_modes: List<Mode> = "accessModes",
    claim_ref: Option<Reference> = "claimRef",
    reclaim_policy: Text = "persistentVolumeReclaimPolicy",
    class_name: Text = "storageClassName",
    attributes_class: Option<Text> = "volumeAttributesClassName",
    volume_mode: Option<Text> = "volumeMode",
    mount_options: List<Text> = "mountOptions",
    node_affinity: Affinity = "nodeAffinity",
    csi: Option<CsiSource> = "csi",
    host_path: Option<PathSource> = "hostPath",
    nfs: Option<NfsSource> = "nfs",
    local: Option<Value> = "local",
    aws_elastic_block_store: Option<Value> = "awsElasticBlockStore",
    azure_disk: Option<Value> = "azureDisk",
    azure_file: Option<Value> = "azureFile",
    cephfs: Option<Value> = "cephfs",
    cinder: Option<Value> = "cinder",
    fc: Option<Value> = "fc",
    flex_volume: Option<Value> = "flexVolume",
    flocker: Option<Value> = "flocker",
    gce_persistent_disk: Option<Value> = "gcePersistentDisk",
    glusterfs: Option<Value> = "glusterfs",
    iscsi: Option<Value> = "iscsi",
    photon_persistent_disk: Option<Value> = "photonPersistentDisk",
    portworx_volume: Option<Value> = "portworxVolume",
    quobyte: Option<Value> = "quobyte",
    rbd: Option<Value> = "rbd",
    scale_io: Option<Value> = "scaleIO",
    storage_os: Option<Value> = "storageos",
    vsphere_volume: Option<Value> = "vsphereVolume",
});

object!(CsiSource {
    driver: Text = "driver",
    handle: Text = "volumeHandle",
    attributes: ServerAttributes = "volumeAttributes",
});

object!(PathSource { path: Text = "path" });

object!(NfsSource { server: Text = "server", path: Text = "path" });

object!(VolumeStatusObject {
    phase: Text = "phase",
    message: Text = "message",
    last_phase_transition: Moment = "lastPhaseTransitionTime",
});

object!(Affinity { required: Option<NodeTerms> = "required" });

object!(NodeTerms { terms: List<NodeTerm> = "nodeSelectorTerms" });

object!(NodeTerm { expressions: List<Requirement> = "matchExpressions", fields: List<Requirement> = "matchFields" });

/// The source fields that state where the storage is, but not how to get access to it, for all kinds of source.
const HARMLESS_SOURCE_FIELDS: [&str; 43] = [
    "cachingMode",
    "chapAuthDiscovery",
    "chapAuthSession",
    "datasetName",
    "datasetUUID",
    "diskName",
    "driver",
    "endpoints",
    "endpointsNamespace",
    "fsType",
    "image",
    "initiatorName",
    "iqn",
    "iscsiInterface",
    "kind",
    "lun",
    "monitors",
    "partition",
    "path",
    "pdID",
    "pdName",
    "pool",
    "portals",
    "protectionDomain",
    "readOnly",
    "registry",
    "secretName",
    "secretNamespace",
    "server",
    "shareName",
    "storageMode",
    "storagePolicyName",
    "storagePool",
    "system",
    "targetPortal",
    "targetWWNs",
    "type",
    "volumeHandle",
    "volumeID",
    "volumeName",
    "volumeNamespace",
    "volumePath",
    "wwids",
];

impl Stored for PersistentVolume {
    const KEEPS_CHANGE_TIMES: bool = true;

    fn decode(at: &Context<'_>) -> Result<Option<Self>, Failure> {
        volume(at, at.parse()?).map(Some)
    }

    fn redact(field: &str, value: Value) -> Option<Value> {
        Some(match field {
            "spec" => each(value, volume_spec),
            "status" => keep(value, &["lastPhaseTransitionTime", "message", "phase", "reason"]),
            _ => hidden(value),
        })
    }

    fn changes<'o>(before: &'o Self, after: &'o Self) -> Parts<'o> {
        let mut parts = Parts::default();
        if before.claim_ref != after.claim_ref {
            let changed = after.claim_ref.as_ref().map(|after| claim_ref(before.claim_ref.as_ref(), after));
            parts.spec.object("claimRef", changed);
        }
        parts.status.text("phase", before.status.phase.as_str(), after.status.phase.as_str());
        parts.status.text("message", &before.status.message, &after.status.message);
        parts
    }
}

/// Returns the parts of a `claimRef` that change.
fn claim_ref<'o>(before: Option<&ClaimRef>, after: &'o ClaimRef) -> MergePatch<'o> {
    let absent = ClaimRef::default();
    let before = before.unwrap_or(&absent);
    let mut fields = MergePatch::default();
    fields.text("apiVersion", &before.api_version, &after.api_version);
    fields.text("fieldPath", &before.field_path, &after.field_path);
    fields.text("kind", &before.kind, &after.kind);
    fields.text("name", &before.name, &after.name);
    fields.text("namespace", &before.namespace, &after.namespace);
    fields.text("resourceVersion", &before.resource_version, &after.resource_version);
    if before.uid != after.uid {
        fields.optional("uid", Some(&before.uid), Some(printed(&after.uid)).filter(|uid| !uid.is_empty()));
    }
    fields
}

impl Writable for PersistentVolume {
    fn keep_all_but_status(&mut self, stored: &Self) {
        self.capacity.clone_from(&stored.capacity);
        self.claim_ref.clone_from(&stored.claim_ref);
    }

    fn keep_status(&mut self, stored: &Self) {
        self.status = stored.status.clone();
    }

    fn begin(&mut self, _: &Snapshot, _: ApiGates) {
        self.status.phase = VolumePhase::Pending;
    }
}

fn volume(at: &Context<'_>, object: VolumeObject) -> Result<PersistentVolume, Failure> {
    let spec = object.spec;
    let source = source::source(&spec);
    let status = object.status;
    Ok(PersistentVolume {
        meta: at.meta(object.metadata)?,
        capacity: spec.capacity.0.into(),
        access_modes: spec.access_modes.modes(),
        claim_ref: spec.claim_ref.map(Reference::into_claim_ref),
        reclaim_policy: match spec.reclaim_policy.0.as_str() {
            // Every API server that knows this field sets this policy by default.
            "" => ReclaimPolicy::Retain,
            policy => ReclaimPolicy::from_manifest(policy),
        },
        class_name: spec.class_name.0,
        attributes_class: spec.attributes_class.map(|class| class.0),
        volume_mode: spec.volume_mode.map(|mode| VolumeMode::from_manifest(&mode.0)),
        has_mount_options: spec.mount_options.0.iter().any(|option| !option.0.is_empty()),
        source,
        node_affinity: spec.node_affinity.required.map(|selector| Arc::new(selector.selector())),
        status: VolumeStatus {
            phase: VolumePhase::from_manifest(&status.phase.0),
            message: status.message.0,
            last_phase_transition: status.last_phase_transition.0,
        },
    })
}

impl NodeTerms {
    /// Returns the terms as a value of the model.
    pub(super) fn selector(&self) -> NodeSelector {
        let requirements = |list: &List<Requirement>| {
            list.0
                .iter()
                .map(|requirement| NodeRequirement {
                    key: requirement.key.0.clone(),
                    operator: NodeOperator::from_manifest(&requirement.operator.0),
                    values: requirement.values.0.iter().map(|value| value.0.clone()).collect(),
                })
                .collect()
        };
        let terms = self.terms.0.iter().map(|term| NodeSelectorTerm {
            expressions: requirements(&term.expressions),
            fields: requirements(&term.fields),
        });
        NodeSelector { terms: terms.collect() }
    }
}

fn volume_spec(key: &str, value: Value) -> Value {
    match key {
        "accessModes"
        | "capacity"
        | "claimRef"
        | "nodeAffinity"
        | "persistentVolumeReclaimPolicy"
        | "storageClassName"
        | "volumeAttributesClassName"
        | "volumeMode" => value,
        "mountOptions" => mount_options(value),
        // All other fields of a specification are sources of the volume.
        _ => each(value, source_field),
    }
}

/// Redacts mount options. Flags stay. An option with a value keeps only its name, because the value can be a password.
fn mount_options(value: Value) -> Value {
    let Value::Array(options) = value else { return hidden(value) };
    let options = options.into_iter().map(|option| match option {
        Value::String(option) => match option.split_once('=') {
            Some((name, _)) => Value::String(format!("{name}={REDACTED}")),
            None => Value::String(option),
        },
        other => hidden(other),
    });
    Value::Array(options.collect())
}

fn source_field(key: &str, value: Value) -> Value {
    // A reference has the name of a secret, but never its content.
    if key == "secretRef" || key.ends_with("SecretRef") {
        keep(value, &["name", "namespace"])
    } else if HARMLESS_SOURCE_FIELDS.contains(&key) {
        value
    } else if key == "diskURI" {
        disk_uri(value)
    } else if key == "volumeAttributes" {
        each(value, attribute)
    } else {
        hidden(value)
    }
}

/// Redacts an attribute of a CSI volume. Only the attributes that say where a server is stay.
fn attribute(key: &str, value: Value) -> Value {
    let is_kept = value.as_str().is_some_and(|text| server_attribute(key, text).is_some());
    if is_kept { value } else { hidden(value) }
}

/// Redacts the URI of an Azure disk. The id of a managed disk stays. The address of a blob can contain a signature, so
/// only `https://` stays. The API server requires this beginning. Upstream: `validateAzureDisk`
/// (`pkg/apis/core/validation`), 1.36.
fn disk_uri(value: Value) -> Value {
    match value {
        Value::String(id) if is_disk_id(&id) => Value::String(id),
        Value::String(address) if address.starts_with("https://") => Value::String(format!("https://{REDACTED}")),
        other => hidden(other),
    }
}
