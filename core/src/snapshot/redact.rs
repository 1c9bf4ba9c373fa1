//! Redaction: an allow-list of what may leave the cluster in a file. Values that are not on the list are replaced or
//! left out.
//!
//! Every field that a decision reads is on the list, so a redacted object decodes to the same value.

use super::kinds;
use crate::model::{AnnotationKey, Kind, Timestamp};
use serde_json::{Value, json};

/// The text that replaces a hidden text.
pub const REDACTED: &str = "<redacted>";

/// The annotations that no decision reads, but that are useful for people and contain no secrets.
const HARMLESS_ANNOTATIONS: [&str; 4] = [
    "deployment.kubernetes.io/revision",
    "meta.helm.sh/release-namespace",
    "snapshot.storage.kubernetes.io/deletion-secret-name",
    "snapshot.storage.kubernetes.io/deletion-secret-namespace",
];

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

/// Removes everything from the object that could be secret. Volumes and claims keep the times in `managedFields`.
/// Volumes, claims and StorageClasses keep their keys. All other kinds keep only the fields that are read, and the
/// fields that kubectl and the API server require in an object that is created. Messages of VolumeAttachments and of
/// events about volumes and claims stay, because they are the evidence.
pub fn redact(kind: Kind, object: Value) -> Value {
    let Value::Object(fields) = object else { return hidden(object) };
    let keeps_times = kinds::keeps_change_times(kind);
    let fields = fields.into_iter().filter_map(|(key, value)| {
        let kept = match key.as_str() {
            "apiVersion" | "kind" => value,
            "metadata" if keeps_times => metadata_with_times(value),
            "metadata" => metadata(value),
            field => kinds::redact(kind, field, value)?,
        };
        Some((key, kept))
    });
    Value::Object(fields.collect())
}

/// Redacts metadata as [`metadata`] does, but keeps the times of the last writes of each manager.
fn metadata_with_times(value: Value) -> Value {
    let times = change_times(&value);
    let mut kept = metadata(value);
    if let (false, Some(fields)) = (times.is_empty(), kept.as_object_mut()) {
        fields.insert("managedFields".to_owned(), Value::Array(times));
    }
    kept
}

/// Redacts the metadata of an object of any kind.
pub(super) fn metadata(value: Value) -> Value {
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

/// Redacts `managedFields`. Only the time of the last write of each manager stays. The manager's name and fields are
/// left out.
fn change_times(metadata: &Value) -> Vec<Value> {
    let entries = metadata.get("managedFields").and_then(Value::as_array);
    let times = entries.into_iter().flatten().filter_map(|entry| entry.get("time")?.as_str());
    times.filter(|time| Timestamp::parse(time).is_some()).map(|time| json!({ "time": time })).collect()
}

/// The API server reads this annotation of a DaemonSet as a number, and refuses an object in which it is no number.
/// Upstream: `Convert_v1_DaemonSet_To_apps_DaemonSet`, `pkg/apis/apps/v1`, 1.36.
const TEMPLATE_GENERATION: &str = "deprecated.daemonset.template.generation";

fn annotation(key: &str, value: Value) -> Value {
    let is_number = || value.as_str().is_some_and(|text| text.parse::<i64>().is_ok());
    if AnnotationKey::from_manifest(key).is_some()
        || HARMLESS_ANNOTATIONS.contains(&key)
        || (key == TEMPLATE_GENERATION && is_number())
    {
        value
    } else {
        hidden(value)
    }
}

/// Returns the object with all fields. The named fields keep their values, and the values of the others are hidden.
pub(super) fn keep(value: Value, allowed: &[&str]) -> Value {
    each(value, |key, value| if allowed.contains(&key) { value } else { hidden(value) })
}

/// Returns the object with only the named fields.
pub(super) fn only(value: Value, allowed: &[&str]) -> Value {
    let Value::Object(fields) = value else { return hidden(value) };
    Value::Object(fields.into_iter().filter(|(key, _)| allowed.contains(&key.as_str())).collect())
}

/// Returns the object with each of its fields changed.
pub(super) fn each(value: Value, mut change: impl FnMut(&str, Value) -> Value) -> Value {
    let Value::Object(fields) = value else { return hidden(value) };
    let changed = fields.into_iter().map(|(key, value)| {
        let value = change(&key, value);
        (key, value)
    });
    Value::Object(changed.collect())
}

/// Returns the list with each of its items changed.
pub(super) fn each_item(value: Value, change: impl FnMut(Value) -> Value) -> Value {
    let Value::Array(items) = value else { return hidden(value) };
    Value::Array(items.into_iter().map(change).collect())
}

/// Redacts a status. The named fields stay. Conditions stay with their messages, because these are the evidence.
pub(super) fn status(value: Value, allowed: &[&str]) -> Value {
    let Value::Object(fields) = value else { return hidden(value) };
    let fields = fields.into_iter().filter_map(|(key, value)| match key.as_str() {
        "conditions" => {
            let kept = |condition| keep(condition, &["lastTransitionTime", "message", "reason", "status", "type"]);
            Some((key, each_item(value, kept)))
        }
        known if allowed.contains(&known) => Some((key, value)),
        _ => None,
    });
    Value::Object(fields.collect())
}

/// Replaces texts and numbers, and keeps all keys, so that the structure remains that of the API.
pub(super) fn hidden(value: Value) -> Value {
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
    fn redaction_keeps_the_times_of_field_managers() {
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
                "containers": [{
                    "name": "c", "image": "i", "args": ["s3cret"], "env": [{"name": "P", "value": "s3cret"}],
                    "volumeMounts": [
                        {"name": "data", "mountPath": "/s3cret", "subPath": "s3cret"},
                        {"name": "data", "mountPath": "/other"}, {"name": "config", "mountPath": "/etc/s3cret"}
                    ],
                    "volumeDevices": [{"name": "scratch", "devicePath": "/dev/s3cret"}]
                }],
                "volumes": [
                    {"name": "data", "persistentVolumeClaim": {"claimName": "data-0"}},
                    {"name": "scratch", "ephemeral": {"volumeClaimTemplate": {
                        "metadata": {"annotations": {"a": "s3cret", "volume.kubernetes.io/selected-node": "n"}},
                        "spec": {"accessModes": ["ReadWriteOnce"]}
                    }}},
                    {"name": "config", "configMap": {"name": "s3cret"}}
                ]
            },
            "status": {
                "phase": "Running", "podIP": "10.0.0.1",
                "containerStatuses": [
                    {"name": "c", "image": "i", "imageID": "i", "containerID": "s3cret", "ready": true,
                     "restartCount": 3, "state": {"running": {"startedAt": "t"}}},
                    {"name": "d", "state": {"terminated": {"exitCode": 1, "message": "s3cret", "reason": "Error"}}},
                    {"name": "e", "state": {"waiting": {"reason": "CreateContainerConfigError", "message": "no secret"}}}
                ],
                "conditions": [{"type": "PodScheduled", "status": "False", "message": "0/3 nodes are available"}]
            }
        });
        let expected = json!({
            "metadata": {"name": "p", "namespace": "n", "annotations": {"a": "<redacted>"}},
            "spec": {
                "nodeName": "node-1",
                "containers": [{
                    "name": "c", "image": "<redacted>", "volumeMounts": [{"name": "data", "mountPath": "/data"}],
                    "volumeDevices": [{"name": "scratch", "devicePath": "/scratch"}]
                }],
                "volumes": [
                    {"name": "data", "persistentVolumeClaim": {"claimName": "data-0"}},
                    {"name": "scratch", "ephemeral": {"volumeClaimTemplate": {
                        "metadata": {"annotations": {"a": "<redacted>", "volume.kubernetes.io/selected-node": "n"}},
                        "spec": {"accessModes": ["ReadWriteOnce"]}
                    }}}
                ]
            },
            "status": {"phase": "Running", "conditions": [
                {"type": "PodScheduled", "status": "False", "message": "0/3 nodes are available"}
            ], "containerStatuses": [
                {"name": "c", "image": "<redacted>", "imageID": "<redacted>", "ready": true, "restartCount": 0,
                 "state": {"running": {}}},
                {"name": "d", "state": {"terminated": {"exitCode": 0, "reason": "Error"}}},
                {"name": "e", "state": {"waiting": {"reason": "CreateContainerConfigError", "message": "no secret"}}}
            ]}
        });
        assert_eq!(redact(Kind::Pod, pod), expected);
    }

    /// Only the required parts of affinities reject nodes, and only the ports of nodes conflict.
    #[test]
    fn pods_keep_what_the_scheduler_reads() {
        let required = "requiredDuringSchedulingIgnoredDuringExecution";
        let terms = json!({"nodeSelectorTerms": [{"matchExpressions": [{"key": "k", "operator": "Exists"}]}]});
        let pod = json!({"spec": {
            "nodeSelector": {"disk": "ssd"}, "tolerations": [{"key": "k", "value": "v"}], "priorityClassName": "s3cret",
            "affinity": {
                "nodeAffinity": {required: terms, "preferredDuringSchedulingIgnoredDuringExecution": ["s3cret"]},
                "otherAffinity": "s3cret"
            },
            "resources": {"limits": {"cpu": "1"}, "claims": [{"name": "s3cret"}]},
            "hostNetwork": true, "resourceClaims": [{"name": "r", "resourceClaimName": "gpu", "other": "s3cret"}],
            "containers": [{
                "name": "c", "restartPolicyRules": [{"action": "RestartAllContainers"}],
                "ports": [{"name": "s3cret", "hostPort": 80, "hostIP": "10.0.0.1"}, {"containerPort": 1234}],
                "resources": {"requests": {"cpu": "1"}, "claims": [{"name": "s3cret"}]}
            }],
            "volumes": [{"name": "d", "iscsi": {"iqn": "q", "targetPortal": "s3cret", "secretRef": {"name": "n"}}}]
        }});
        let expected = json!({"spec": {
            "nodeSelector": {"disk": "ssd"}, "tolerations": [{"key": "k", "value": "v"}],
            "affinity": {"nodeAffinity": {required: terms}}, "resources": {"limits": {"cpu": "1"}},
            "hostNetwork": true, "resourceClaims": [{"name": "r", "resourceClaimName": "gpu"}],
            "containers": [{
                "name": "c", "restartPolicyRules": [{"action": "RestartAllContainers"}],
                "ports": [{"hostPort": 80, "hostIP": "10.0.0.1"}], "resources": {"requests": {"cpu": "1"}}
            }],
            "volumes": [{"name": "d", "iscsi": {
                "iqn": "q", "targetPortal": "<redacted>", "secretRef": {"name": "<redacted>"}
            }}]
        }});
        assert_eq!(redact(Kind::Pod, pod), expected);
        let status = json!({
            "allocatedResources": {"cpu": "1"}, "resources": {"requests": {"cpu": "1"}, "claims": ["s3cret"]}
        });
        let kept = json!({"allocatedResources": {"cpu": "1"}, "resources": {"requests": {"cpu": "1"}}});
        assert_eq!(redact(Kind::Pod, json!({"status": status}))["status"], kept);
        let node = json!({"status": {"allocatable": {"cpu": "4"}, "declaredFeatures": ["F"], "nodeInfo": "s3cret"}});
        let kept = json!({"status": {"allocatable": {"cpu": "4"}, "declaredFeatures": ["F"]}});
        assert_eq!(redact(Kind::Node, node), kept);
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
        let node = json!({"metadata": {"name": "n"}, "spec": {"providerID": "s3cret"}, "status": {
            "images": ["s3cret"], "volumesInUse": ["kubernetes.io/csi/d^h"],
            "volumesAttached": [{"name": "kubernetes.io/csi/d^h", "devicePath": "/dev/s3cret"}],
            "conditions": [{"type": "Ready", "status": "True", "message": "kubelet is posting ready status"}]
        }});
        let expected = json!({"metadata": {"name": "n"}, "spec": {}, "status": {
            "volumesInUse": ["kubernetes.io/csi/d^h"],
            "volumesAttached": [{"name": "kubernetes.io/csi/d^h", "devicePath": "<redacted>"}],
            "conditions": [{"type": "Ready", "status": "True", "message": "kubelet is posting ready status"}]
        }});
        assert_eq!(redact(Kind::Node, node), expected);
    }

    #[test]
    fn twice_is_once() {
        let claim = json!({
            "metadata": {"name": "c", "annotations": {"x": "s3cret"}},
            "spec": {"selector": {"matchLabels": {"a": "b"}}, "odd": 3},
            "status": {"phase": "Pending", "conditions": [{"type": "Resizing", "extra": "s3cret"}]}
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
