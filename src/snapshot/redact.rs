//! What of an object may leave the cluster in a file: an allow-list. Keys stay, values that are not on it are replaced.
//!
//! Everything that a decision reads is on the list, so that a redacted object decodes to the same value.

use super::decode::is_disk_id;
use crate::model::{AnnotationKey, Kind, Timestamp};
use serde_json::{Map, Value, json};

/// What stands in the place of a text that is kept back.
pub const REDACTED: &str = "<redacted>";

/// Annotations that no decision reads, but people do, and that hold no secrets.
const HARMLESS_ANNOTATIONS: [&str; 6] = [
    "deployment.kubernetes.io/revision",
    "helm.sh/resource-policy",
    "meta.helm.sh/release-name",
    "meta.helm.sh/release-namespace",
    "volume.kubernetes.io/provisioner-deletion-secret-name",
    "volume.kubernetes.io/provisioner-deletion-secret-namespace",
];

/// Fields of a volume's source that say where the storage is and not how to get in, whatever the kind of source.
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

/// Parameters of a class that hold no secrets; so do those that end in `-secret-name` or `-secret-namespace`.
const HARMLESS_PARAMETERS: [&str; 4] = ["csi.storage.k8s.io/fstype", "fsType", "fstype", "type"];

const META: [&str; 12] = [
    "creationTimestamp",
    "deletionGracePeriodSeconds",
    "deletionTimestamp",
    "finalizers",
    "generateName",
    "generation",
    "labels",
    "name",
    "namespace",
    "ownerReferences",
    "resourceVersion",
    "uid",
];

/// The object without what could be a secret; of `managedFields` the times stay, for volumes and claims. All other
/// kinds but classes keep only what is read, and what kubectl and the API server want to find in an object that is
/// created. Messages of events about volumes and claims, and of attachments, stay: they are the evidence.
pub fn redact(kind: Kind, object: Value) -> Value {
    let Value::Object(fields) = object else { return hidden(object) };
    let fields = fields.into_iter().filter_map(|(key, value)| {
        let kept = match (kind, key.as_str()) {
            (Kind::PersistentVolume | Kind::PersistentVolumeClaim, "metadata") => {
                let times = change_times(&value);
                let mut kept = metadata(value);
                if let (false, Some(fields)) = (times.is_empty(), kept.as_object_mut()) {
                    fields.insert("managedFields".to_owned(), Value::Array(times));
                }
                kept
            }
            (_, "metadata") => metadata(value),
            (Kind::PersistentVolume, "spec") => each(value, volume_spec),
            (Kind::PersistentVolume, "status") => {
                keep(value, &["lastPhaseTransitionTime", "message", "phase", "reason"])
            }
            (Kind::PersistentVolumeClaim, "spec") => claim_spec(value),
            (Kind::PersistentVolumeClaim, "status") => each(value, claim_status),
            (Kind::StorageClass, "parameters") => each(value, parameter),
            (_, "apiVersion" | "kind")
            | (Kind::CsiStorageCapacity, "capacity" | "maximumVolumeSize" | "nodeTopology" | "storageClassName")
            | (
                Kind::Event,
                "count" | "eventTime" | "firstTimestamp" | "involvedObject" | "lastTimestamp" | "message" | "reason"
                | "reportingComponent" | "reportingInstance" | "action" | "series" | "source" | "type",
            )
            | (
                Kind::StorageClass,
                "allowVolumeExpansion"
                | "allowedTopologies"
                | "mountOptions"
                | "provisioner"
                | "reclaimPolicy"
                | "volumeBindingMode",
            ) => value,
            (Kind::Pod, "spec") => pod_spec(value),
            (Kind::Pod, "status") => pod_status(value),
            (Kind::Node, "spec") => only(value, &["taints", "unschedulable"]),
            (Kind::Lease, "spec") => {
                keep(value, &["acquireTime", "holderIdentity", "leaseDurationSeconds", "leaseTransitions", "renewTime"])
            }
            (Kind::Namespace, "spec") => only(value, &["finalizers"]),
            (Kind::Namespace, "status") => conditions_of(value, &["phase"]),
            (Kind::VolumeAttachment, "spec") => each(value, |key, value| match key {
                "attacher" | "nodeName" => value,
                "source" => keep(value, &["persistentVolumeName"]),
                _ => hidden(value),
            }),
            (Kind::VolumeAttachment, "status") => each(only(value, &ATTACHMENT), |key, value| match key {
                "attached" => value,
                _ => keep(value, &["message", "time"]),
            }),
            (Kind::CsiDriver, "spec") => only(value, &DRIVER),
            (Kind::CsiNode, "spec") => each(only(value, &["drivers"]), |_, drivers| {
                each_item(drivers, |driver| keep(driver, &["allocatable", "name", "nodeID", "topologyKeys"]))
            }),
            (Kind::ResourceQuota, "spec" | "status") => only(value, &["hard", "scopeSelector", "scopes", "used"]),
            (Kind::LimitRange, "spec") => only(value, &["limits"]),
            (Kind::StatefulSet, "spec") => each(only(value, &STATEFUL_SET), |key, value| match key {
                "template" => each(only(value, &["metadata", "spec"]), |key, value| match key {
                    "spec" => pod_spec(value),
                    _ => only(value, &["labels"]),
                }),
                "volumeClaimTemplates" => each_item(value, |claim| ephemeral_field("volumeClaimTemplate", claim)),
                _ => value,
            }),
            (kind, _) if matches!(kind, Kind::Pod | Kind::Node | Kind::Lease) || kind.is_surrounding() => return None,
            _ => hidden(value),
        };
        Some((key, kept))
    });
    Value::Object(fields.collect())
}

const ATTACHMENT: [&str; 3] = ["attachError", "attached", "detachError"];

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

/// What of a StatefulSet is read, and what the API server wants to find in one.
const STATEFUL_SET: [&str; 7] = [
    "ordinals",
    "persistentVolumeClaimRetentionPolicy",
    "replicas",
    "selector",
    "serviceName",
    "template",
    "volumeClaimTemplates",
];

/// A status of which some fields stay, and of the conditions what no message says.
fn conditions_of(value: Value, allowed: &[&str]) -> Value {
    let Value::Object(fields) = value else { return hidden(value) };
    let fields = fields.into_iter().filter_map(|(key, value)| match key.as_str() {
        "conditions" => {
            let kept = |condition| keep(condition, &["lastTransitionTime", "reason", "status", "type"]);
            Some((key, each_item(value, kept)))
        }
        known if allowed.contains(&known) => Some((key, value)),
        _ => None,
    });
    Value::Object(fields.collect())
}

fn metadata(value: Value) -> Value {
    let Value::Object(fields) = value else { return hidden(value) };
    let fields = fields.into_iter().filter(|(key, _)| key != "managedFields").map(|(key, value)| {
        let kept = match key.as_str() {
            "annotations" => each(value, annotation),
            known if META.contains(&known) => value,
            _ => hidden(value),
        };
        (key, kept)
    });
    Value::Object(fields.collect())
}

/// What stays of `managedFields`: when each manager wrote last, and neither who that was nor what.
fn change_times(metadata: &Value) -> Vec<Value> {
    let entries = metadata.get("managedFields").and_then(Value::as_array);
    let times = entries.into_iter().flatten().filter_map(|entry| entry.get("time")?.as_str());
    times.filter(|time| Timestamp::parse(time).is_some()).map(|time| json!({ "time": time })).collect()
}

fn annotation(key: &str, value: Value) -> Value {
    if AnnotationKey::from_manifest(key).is_some() || HARMLESS_ANNOTATIONS.contains(&key) {
        value
    } else {
        hidden(value)
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
        // Whatever else a specification holds is the source of the volume.
        _ => each(value, source_field),
    }
}

/// Flags stay; of an option with a value, which can be a password, its name does.
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
    // A reference is the name of a secret, never its content.
    if key == "secretRef" || key.ends_with("SecretRef") {
        keep(value, &["name", "namespace"])
    } else if HARMLESS_SOURCE_FIELDS.contains(&key) {
        value
    } else if key == "diskURI" {
        disk_uri(value)
    } else {
        hidden(value)
    }
}

/// The id of a managed disk stays. The address of a blob can hold a signature; the API server wants to see that it is
/// an address. Upstream: `validateAzureDisk` (`pkg/apis/core/validation`), 1.36.
fn disk_uri(value: Value) -> Value {
    match value {
        Value::String(id) if is_disk_id(&id) => Value::String(id),
        Value::String(address) if address.starts_with("https://") => Value::String(format!("https://{REDACTED}")),
        other => hidden(other),
    }
}

fn claim_spec(value: Value) -> Value {
    keep(
        value,
        &[
            "accessModes",
            "dataSource",
            "dataSourceRef",
            "resources",
            "selector",
            "storageClassName",
            "volumeAttributesClassName",
            "volumeMode",
            "volumeName",
        ],
    )
}

fn claim_status(key: &str, value: Value) -> Value {
    match key {
        "accessModes"
        | "allocatedResourceStatuses"
        | "allocatedResources"
        | "capacity"
        | "currentVolumeAttributesClassName"
        | "modifyVolumeStatus"
        | "phase" => value,
        "conditions" => each_item(value, |condition| {
            keep(condition, &["lastProbeTime", "lastTransitionTime", "reason", "status", "type"])
        }),
        _ => hidden(value),
    }
}

fn parameter(key: &str, value: Value) -> Value {
    let name_of_secret = key.ends_with("-secret-name") || key.ends_with("-secret-namespace");
    if name_of_secret || HARMLESS_PARAMETERS.contains(&key) { value } else { hidden(value) }
}

fn pod_spec(value: Value) -> Value {
    let Value::Object(mut fields) = value else { return hidden(value) };
    let mut kept = Map::new();
    for plain in ["nodeName", "schedulerName"] {
        if let Some(value) = fields.remove(plain) {
            kept.insert(plain.to_owned(), value);
        }
    }
    if let Some(gates) = fields.remove("schedulingGates") {
        kept.insert("schedulingGates".to_owned(), each_item(gates, |gate| keep(gate, &["name"])));
    }
    if let Some(containers) = fields.remove("containers") {
        kept.insert("containers".to_owned(), each_item(containers, |container| form_of(container, &["name", "image"])));
    }
    match fields.remove("volumes") {
        Some(Value::Array(volumes)) => {
            let volumes = volumes.into_iter().filter_map(pod_volume);
            kept.insert("volumes".to_owned(), Value::Array(volumes.collect()));
        }
        Some(other) => {
            kept.insert("volumes".to_owned(), hidden(other));
        }
        None => {}
    }
    Value::Object(kept)
}

/// The named fields alone, of which the first is the only one that may be seen. The others have to be there when the
/// object is created again.
fn form_of(value: Value, fields: &[&str]) -> Value {
    each(only(value, fields), |key, value| if fields.first() == Some(&key) { value } else { hidden(value) })
}

/// A volume that uses a claim; the others do not concern any decision. What is no object stays, hidden, because it
/// cannot be decoded either.
fn pod_volume(volume: Value) -> Option<Value> {
    let Value::Object(fields) = volume else { return Some(hidden(volume)) };
    let uses_claim = fields.contains_key("persistentVolumeClaim") || fields.contains_key("ephemeral");
    let fields = fields.into_iter().filter_map(|(key, value)| match key.as_str() {
        "name" => Some((key, value)),
        "persistentVolumeClaim" => Some((key, keep(value, &["claimName", "readOnly"]))),
        "ephemeral" => Some((key, each(value, ephemeral_field))),
        _ => None,
    });
    uses_claim.then(|| Value::Object(fields.collect()))
}

fn ephemeral_field(key: &str, value: Value) -> Value {
    if key != "volumeClaimTemplate" {
        return hidden(value);
    }
    each(value, |key, value| match key {
        "metadata" => metadata(value),
        "spec" => claim_spec(value),
        _ => hidden(value),
    })
}

fn pod_status(value: Value) -> Value {
    let Value::Object(fields) = value else { return hidden(value) };
    let fields = fields.into_iter().filter_map(|(key, value)| match key.as_str() {
        "phase" => Some((key, value)),
        "containerStatuses" | "ephemeralContainerStatuses" | "initContainerStatuses" => Some((
            key,
            each_item(value, |status| {
                let Value::Object(status) = status else { return hidden(status) };
                let status = status.into_iter().filter_map(|(key, value)| match key.as_str() {
                    "name" => Some((key, value)),
                    "image" | "imageID" | "ready" | "restartCount" => Some((key, hidden(value))),
                    // Whether there is such a state is all that counts.
                    "state" => Some((key, each(value, |_, state| hidden(only(state, &["exitCode"]))))),
                    _ => None,
                });
                Value::Object(status.collect())
            }),
        )),
        _ => None,
    });
    Value::Object(fields.collect())
}

/// The object with the named fields as they are and the values of all others hidden.
fn keep(value: Value, allowed: &[&str]) -> Value {
    each(value, |key, value| if allowed.contains(&key) { value } else { hidden(value) })
}

/// The object with the named fields alone.
fn only(value: Value, allowed: &[&str]) -> Value {
    let Value::Object(fields) = value else { return hidden(value) };
    Value::Object(fields.into_iter().filter(|(key, _)| allowed.contains(&key.as_str())).collect())
}

fn each(value: Value, mut change: impl FnMut(&str, Value) -> Value) -> Value {
    let Value::Object(fields) = value else { return hidden(value) };
    let changed = fields.into_iter().map(|(key, value)| {
        let value = change(&key, value);
        (key, value)
    });
    Value::Object(changed.collect())
}

fn each_item(value: Value, change: impl FnMut(Value) -> Value) -> Value {
    let Value::Array(items) = value else { return hidden(value) };
    Value::Array(items.into_iter().map(change).collect())
}

/// Texts and numbers replaced, with the same keys, so that the form stays that of the API.
fn hidden(value: Value) -> Value {
    match value {
        Value::Null | Value::Bool(_) => value,
        Value::Number(_) => json!(0),
        Value::String(text) => Value::String(if text.is_empty() { text } else { REDACTED.to_owned() }),
        Value::Array(items) => Value::Array(items.into_iter().map(hidden).collect()),
        Value::Object(fields) => Value::Object(fields.into_iter().map(|(key, value)| (key, hidden(value))).collect()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_of_a_volume_stay_behind() {
        let volume = json!({
            "apiVersion": "v1", "kind": "PersistentVolume",
            "metadata": {
                "name": "pv-1", "labels": {"zone": "a"}, "managedFields": [{"manager": "s3cret"}],
                "annotations": {
                    "pv.kubernetes.io/bound-by-controller": "yes",
                    "kubectl.kubernetes.io/last-applied-configuration": "{\"password\":\"s3cret\"}",
                    "example.com/token": "s3cret"
                }
            },
            "spec": {
                "capacity": {"storage": "1Gi"}, "mountOptions": ["nolock", "password=s3cret"],
                "csi": {
                    "driver": "d", "volumeHandle": "h", "fsType": "ext4", "readOnly": false,
                    "volumeAttributes": {"share": "s3cret", "n": 7},
                    "nodeStageSecretRef": {"name": "n", "namespace": "ns", "value": "s3cret"}
                }
            }
        });
        let expected = json!({
            "apiVersion": "v1", "kind": "PersistentVolume",
            "metadata": {
                "name": "pv-1", "labels": {"zone": "a"},
                "annotations": {
                    "pv.kubernetes.io/bound-by-controller": "yes",
                    "kubectl.kubernetes.io/last-applied-configuration": "<redacted>",
                    "example.com/token": "<redacted>"
                }
            },
            "spec": {
                "capacity": {"storage": "1Gi"}, "mountOptions": ["nolock", "password=<redacted>"],
                "csi": {
                    "driver": "d", "volumeHandle": "h", "fsType": "ext4", "readOnly": false,
                    "volumeAttributes": {"share": "<redacted>", "n": 0},
                    "nodeStageSecretRef": {"name": "n", "namespace": "ns", "value": "<redacted>"}
                }
            }
        });
        assert_eq!(redact(Kind::PersistentVolume, volume), expected);
    }

    #[test]
    fn of_managers_the_times_stay() {
        let entries = json!([
            {"manager": "s3cret", "time": "2026-06-01T10:00:00Z", "fieldsV1": {"f:spec": {}}},
            {"manager": "s3cret", "time": "s3cret"}, {"manager": "s3cret"}, "s3cret", {"time": 5}
        ]);
        let redacted = |kind| redact(kind, json!({"metadata": {"name": "x", "managedFields": entries}}));
        let times = json!({"metadata": {"name": "x", "managedFields": [{"time": "2026-06-01T10:00:00Z"}]}});
        assert_eq!(redacted(Kind::PersistentVolume), times);
        assert_eq!(redacted(Kind::PersistentVolumeClaim), times);
        assert_eq!(redacted(Kind::StorageClass), json!({"metadata": {"name": "x"}}));
        let lease = json!({
            "metadata": {"name": "l", "annotations": {"a": "s3cret"}, "managedFields": entries},
            "spec": {"holderIdentity": "h", "renewTime": "t", "leaseDurationSeconds": 15, "strategy": "s3cret"}
        });
        let expected = json!({
            "metadata": {"name": "l", "annotations": {"a": "<redacted>"}},
            "spec": {"holderIdentity": "h", "renewTime": "t", "leaseDurationSeconds": 15, "strategy": "<redacted>"}
        });
        assert_eq!(redact(Kind::Lease, lease), expected);
    }

    #[test]
    fn sources_keep_the_place_and_lose_the_way_in() {
        for (source, fields, expected) in [
            (
                "cephfs",
                json!({"monitors": ["m"], "path": "/", "user": "u", "secretFile": "/etc/s3cret"}),
                json!({"monitors": ["m"], "path": "/", "user": "<redacted>", "secretFile": "<redacted>"}),
            ),
            (
                "rbd",
                json!({"image": "i", "keyring": "s3cret", "secretRef": {"name": "n"}}),
                json!({"image": "i", "keyring": "<redacted>", "secretRef": {"name": "n"}}),
            ),
            (
                "flexVolume",
                json!({"driver": "d", "options": {"p": "s3cret"}}),
                json!({"driver": "d", "options": {"p": "<redacted>"}}),
            ),
            ("azureFile", json!({"secretName": "n", "shareName": "s"}), json!({"secretName": "n", "shareName": "s"})),
            ("azureDisk", json!({"diskURI": "https://x?sig=s3cret"}), json!({"diskURI": "https://<redacted>"})),
            (
                "azureDisk",
                json!({"diskURI": "/subscriptions/s/resourceGroups/g", "kind": "Managed"}),
                json!({"diskURI": "/subscriptions/s/resourceGroups/g", "kind": "Managed"}),
            ),
            ("azureDisk", json!({"diskURI": "/subscriptions/s?sig=s3cret"}), json!({"diskURI": "<redacted>"})),
            ("quobyte", json!({"registry": "r:1", "user": "s3cret"}), json!({"registry": "r:1", "user": "<redacted>"})),
            ("storageos", json!({"volumeName": "v"}), json!({"volumeName": "v"})),
            ("futureSource", json!({"a": [{"b": "s3cret"}]}), json!({"a": [{"b": "<redacted>"}]})),
            ("hostPath", json!({"path": "/data", "type": ""}), json!({"path": "/data", "type": ""})),
        ] {
            let volume = json!({"spec": {source: fields}});
            assert_eq!(redact(Kind::PersistentVolume, volume)["spec"][source], expected, "{source}");
        }
    }

    #[test]
    fn pods_keep_what_is_read_of_them() {
        let pod = json!({
            "metadata": {"name": "p", "namespace": "n", "annotations": {"a": "s3cret"}},
            "spec": {
                "nodeName": "node-1", "serviceAccountName": "x",
                "containers": [{"name": "c", "image": "i", "args": ["s3cret"], "env": [{"name": "P", "value": "s3cret"}]}],
                "volumes": [
                    {"name": "data", "persistentVolumeClaim": {"claimName": "data-0"}},
                    {"name": "scratch", "ephemeral": {"volumeClaimTemplate": {"spec": {"accessModes": ["ReadWriteOnce"]}}}},
                    {"name": "config", "configMap": {"name": "s3cret"}}
                ]
            },
            "status": {
                "phase": "Running", "podIP": "10.0.0.1",
                "containerStatuses": [
                    {"name": "c", "image": "i", "imageID": "i", "containerID": "s3cret", "ready": true,
                     "restartCount": 3, "state": {"running": {"startedAt": "t"}}},
                    {"name": "d", "state": {"terminated": {"exitCode": 1, "message": "s3cret"}}}
                ]
            }
        });
        let expected = json!({
            "metadata": {"name": "p", "namespace": "n", "annotations": {"a": "<redacted>"}},
            "spec": {
                "nodeName": "node-1", "containers": [{"name": "c", "image": "<redacted>"}],
                "volumes": [
                    {"name": "data", "persistentVolumeClaim": {"claimName": "data-0"}},
                    {"name": "scratch", "ephemeral": {"volumeClaimTemplate": {"spec": {"accessModes": ["ReadWriteOnce"]}}}}
                ]
            },
            "status": {"phase": "Running", "containerStatuses": [
                {"name": "c", "image": "<redacted>", "imageID": "<redacted>", "ready": true, "restartCount": 0,
                 "state": {"running": {}}},
                {"name": "d", "state": {"terminated": {"exitCode": 0}}}
            ]}
        });
        assert_eq!(redact(Kind::Pod, pod), expected);
    }

    #[test]
    fn classes_and_nodes() {
        let class = json!({
            "provisioner": "p", "mountOptions": ["ro"],
            "parameters": {
                "type": "gp3", "restuserkey": "s3cret", "csi.storage.k8s.io/provisioner-secret-name": "n"
            }
        });
        let redacted = redact(Kind::StorageClass, class);
        assert_eq!(
            redacted["parameters"],
            json!({
                "type": "gp3", "restuserkey": "<redacted>", "csi.storage.k8s.io/provisioner-secret-name": "n"
            })
        );
        assert_eq!(redacted["mountOptions"], json!(["ro"]));
        let node =
            json!({"metadata": {"name": "n"}, "spec": {"providerID": "s3cret"}, "status": {"images": ["s3cret"]}});
        assert_eq!(redact(Kind::Node, node), json!({"metadata": {"name": "n"}, "spec": {}}));
    }

    #[test]
    fn twice_is_once() {
        let claim = json!({
            "metadata": {"name": "c", "annotations": {"x": "s3cret"}},
            "spec": {"selector": {"matchLabels": {"a": "b"}}, "odd": 3},
            "status": {"phase": "Pending", "conditions": [{"type": "Resizing", "message": "s3cret"}]}
        });
        let once = redact(Kind::PersistentVolumeClaim, claim);
        assert!(!once.to_string().contains("s3cret"));
        assert_eq!(redact(Kind::PersistentVolumeClaim, once.clone()), once);
    }

    #[test]
    fn odd_forms_are_hidden_and_not_lost() {
        assert_eq!(redact(Kind::Pod, json!("s3cret")), json!("<redacted>"));
        let pod = json!({"metadata": ["s3cret"], "spec": {"volumes": "s3cret"}, "status": {"phase": "Running"}});
        let expected =
            json!({"metadata": ["<redacted>"], "spec": {"volumes": "<redacted>"}, "status": {"phase": "Running"}});
        assert_eq!(redact(Kind::Pod, pod), expected);
    }
}
