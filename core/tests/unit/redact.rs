//! Tests of `pvctl_core::snapshot::redact`.

use pvctl_core::model::Kind;
use pvctl_core::snapshot::redact::*;
use serde_json::json;

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
             "state": {"running": {"startedAt": "t"}}},
            {"name": "d", "state": {"terminated": {"exitCode": 0, "reason": "Error"}}},
            {"name": "e", "state": {"waiting": {"reason": "CreateContainerConfigError", "message": "no secret"}}}
        ]}
    });
    assert_eq!(redact(Kind::Pod, pod), expected);
}

/// Only the required parts of affinities reject nodes, and only ports of the node can conflict.
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
        "addresses": [
            {"type": "InternalIP", "address": "192.168.10.11"}, {"type": "ExternalIP", "address": "203.0.113.7"}
        ],
        "volumesAttached": [{"name": "kubernetes.io/csi/d^h", "devicePath": "/dev/s3cret"}],
        "conditions": [{"type": "Ready", "status": "True", "message": "kubelet is posting ready status"}]
    }});
    let expected = json!({"metadata": {"name": "n"}, "spec": {}, "status": {
        "addresses": [
            {"type": "InternalIP", "address": "192.168.10.11"}, {"type": "ExternalIP", "address": "<redacted>"}
        ],
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
