//! Redaction replaces only values that no decision reads: a redacted object must decode to the same value as the
//! original.

#![expect(clippy::disallowed_types, reason = "the recorded worlds are read from a file")]
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use super::kinds::stored;
use proptest::prelude::*;
use pvctl::model::Kind;
use pvctl::snapshot::decode::decode_as;
use pvctl::snapshot::redact::redact;
use serde_json::{Map, Value, json};
use std::fs::File;
use std::io::{BufRead, BufReader};

fn decoded(kind: Kind, object: &Value) -> String {
    format!("{:?}", decode_as(kind, object.to_string().as_bytes(), "test"))
}

#[test]
fn every_object_of_the_recorded_worlds_decodes_to_the_same() {
    let mut objects = 0;
    for file in ["given-decisions-1.36.3.jsonl.gz", "given-outcomes-1.36.3.jsonl.gz"] {
        #[expect(clippy::disallowed_types, reason = "the recorded worlds are in files")]
        let file = File::open(format!("{}/tests/conformance/{file}", env!("CARGO_MANIFEST_DIR"))).unwrap();
        for line in BufReader::new(flate2::read::GzDecoder::new(file)).lines() {
            let recorded: Value = serde_json::from_str(&line.unwrap()).unwrap();
            for object in recorded["world"]["items"].as_array().unwrap() {
                let kind = Kind::from_manifest(object["kind"].as_str().unwrap()).unwrap();
                let before = decoded(kind, object);
                assert!(before.starts_with("Ok("), "{before}");
                assert_eq!(decoded(kind, &redact(kind, object.clone())), before);
                objects += 1;
            }
        }
    }
    assert!(objects > 420, "the recordings must have more than 420 objects, not {objects}");
}

/// Generates JSON values of any type. Some of the texts are valid values of a field, such as `1Gi`.
fn anything() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i32>().prop_map(Value::from),
        prop::sample::select(&["", "1Gi", "yes", "Retain", "secret", "2024-01-01T00:00:00Z"][..]).prop_map(Value::from),
    ];
    leaf.prop_recursive(2, 8, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
            prop::collection::btree_map(key(), inner, 0..3)
                .prop_map(|fields| Value::Object(fields.into_iter().collect())),
        ]
    })
}

/// Generates names of fields that some kind has.
fn key() -> impl Strategy<Value = String> {
    prop::sample::select(
        &[
            "name",
            "namespace",
            "uid",
            "storage",
            "claimName",
            "driver",
            "volumeHandle",
            "path",
            "ephemeral",
            "persistentVolumeClaim",
            "state",
            "running",
            "matchLabels",
            "required",
            "type",
            "fsType",
            "secret",
            "pv.kubernetes.io/bind-completed",
            "volume.kubernetes.io/selected-node",
            "volumeAttributes",
        ][..],
    )
    .prop_map(str::to_owned)
}

/// Returns the object with the value at this path replaced.
fn changed(mut object: Value, path: &[&str], value: Value) -> Value {
    let mut place = &mut object;
    for step in path {
        if !place.is_object() {
            *place = Value::Object(Map::new());
        }
        place = &mut place[*step];
    }
    *place = value;
    object
}

/// Returns an object of the kind with most of the fields that the program reads.
fn full_object(kind: Kind) -> Value {
    let mut object = json!({
        "apiVersion": kind.api_version(), "kind": kind.as_str(),
        "metadata": {
            "name": "a", "uid": "u", "resourceVersion": "7", "creationTimestamp": "2024-01-01T00:00:00Z",
            "deletionTimestamp": "2024-01-02T00:00:00Z", "deletionGracePeriodSeconds": 0, "labels": {"a": "b"},
            "finalizers": ["kubernetes.io/pv-protection"], "managedFields": [{"manager": "m"}],
            "ownerReferences": [{"apiVersion": "v1", "kind": "Pod", "name": "p", "uid": "o", "controller": true}],
            "annotations": {"pv.kubernetes.io/bound-by-controller": "yes", "other": "secret"}
        }
    });
    if kind.namespaced() {
        object["metadata"]["namespace"] = "n".into();
    }
    let rest = match kind {
        Kind::PersistentVolume => json!({
            "spec": {
                "capacity": {"storage": "1Gi"}, "accessModes": ["ReadWriteOnce"], "volumeMode": "Block",
                "claimRef": {"kind": "PersistentVolumeClaim", "namespace": "n", "name": "c", "uid": "u"},
                "persistentVolumeReclaimPolicy": "Delete", "storageClassName": "s", "volumeAttributesClassName": "v",
                "csi": {"driver": "d", "volumeHandle": "h", "volumeAttributes": {"p": "secret"}},
                "nodeAffinity": {"required": {"nodeSelectorTerms": [
                    {"matchExpressions": [{"key": "k", "operator": "In", "values": ["v"]}]}
                ]}}
            },
            "status": {"phase": "Failed", "message": "m", "lastPhaseTransitionTime": "2024-01-01T00:00:00Z"}
        }),
        Kind::PersistentVolumeClaim => json!({
            "spec": {
                "accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}, "volumeName": "v",
                "storageClassName": "s", "volumeMode": "Block", "selector": {"matchLabels": {"a": "b"}},
                "dataSource": {"kind": "PersistentVolumeClaim", "name": "d"}, "volumeAttributesClassName": "v"
            },
            "status": {
                "phase": "Bound", "accessModes": ["ReadWriteOnce"], "capacity": {"storage": "1Gi"},
                "currentVolumeAttributesClassName": "v", "conditions": [{"type": "Resizing", "message": "secret"}]
            }
        }),
        Kind::StorageClass => json!({
            "provisioner": "p", "reclaimPolicy": "Retain", "volumeBindingMode": "WaitForFirstConsumer",
            "mountOptions": ["ro"], "allowVolumeExpansion": true, "parameters": {"p": "secret"}
        }),
        Kind::Pod => json!({
            "spec": {
                "nodeName": "node", "schedulerName": "s", "schedulingGates": [{"name": "g"}],
                "priority": 7, "preemptionPolicy": "Never",
                "nodeSelector": {"disk": "ssd"}, "overhead": {"cpu": "10m"}, "hostNetwork": true, "hostUsers": false,
                "tolerations": [{"key": "k", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 30}],
                "topologySpreadConstraints": [{
                    "maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable": "DoNotSchedule", "minDomains": 2,
                    "labelSelector": {"matchLabels": {"a": "b"}}, "matchLabelKeys": ["pod-template-hash"],
                    "nodeTaintsPolicy": "Honor"
                }],
                "affinity": {
                    "nodeAffinity": {
                        REQUIRED: {"nodeSelectorTerms": [{
                            "matchExpressions": [{"key": "k", "operator": "In", "values": ["v"]}],
                            "matchFields": [{"key": "metadata.name", "operator": "In", "values": ["n"]}]
                        }]},
                        "preferredDuringSchedulingIgnoredDuringExecution": [{"weight": 1, "preference": {}}]
                    },
                    "podAffinity": {REQUIRED: [{
                        "topologyKey": "zone", "labelSelector": {"matchLabels": {"a": "b"}}, "namespaces": ["n"]
                    }]},
                    "podAntiAffinity": {REQUIRED: [{"topologyKey": "zone", "namespaceSelector": {}}]}
                },
                "resources": {"requests": {"cpu": "2"}}, "resourceClaims": [{"name": "r", "resourceClaimName": "gpu"}],
                "initContainers": [{
                    "name": "i", "image": "i", "restartPolicy": "Always",
                    "restartPolicyRules": [{"action": "RestartAllContainers", "exitCodes": {"operator": "In", "values": [7]}}],
                    "resources": {"limits": {"example.com/gpu": "1"}, "claims": [{"name": "r"}]}
                }],
                "containers": [{
                    "name": "c", "image": "i", "resources": {"requests": {"cpu": "1", "memory": "1Gi"}},
                    "ports": [{"name": "p", "containerPort": 80, "hostPort": 80, "hostIP": "10.0.0.1"}, {"containerPort": 81}]
                }],
                "volumes": [
                    {"name": "a", "persistentVolumeClaim": {"claimName": "c"}}, {"name": "b", "ephemeral": {}},
                    {"name": "c", "secret": {"secretName": "s"}},
                    {"name": "d", "rbd": {"image": "i", "monitors": ["m"], "keyring": "secret", "readOnly": true}},
                    {"name": "e", "azureDisk": {"diskName": "d", "diskURI": "https://a/b?sig=secret"}},
                    {"name": "f", "iscsi": {"iqn": "q", "targetPortal": "p", "lun": 1}}
                ]
            },
            "status": {
                "phase": "Running", "resources": {"requests": {"cpu": "1"}}, "allocatedResources": {"cpu": "1"},
                "conditions": [{"type": "PodResizePending", "status": "True", "reason": "Infeasible"}],
                "containerStatuses": [{
                    "name": "c", "state": {"running": {"startedAt": "2024-01-01T00:00:00Z"}},
                    "resources": {"requests": {"cpu": "2"}}, "allocatedResources": {"cpu": "3"}
                }]
            }
        }),
        Kind::Lease => json!({"spec": {"holderIdentity": "h", "renewTime": "2024-01-01T00:00:00.000000Z"}}),
        Kind::Node => json!({
            "spec": {
                "providerID": "p", "unschedulable": true,
                "taints": [{"key": "k", "value": "v", "effect": "NoSchedule"}]
            },
            "status": {
                "capacity": {"cpu": "1"}, "allocatable": {"cpu": "900m", "pods": "110"},
                "declaredFeatures": ["RestartAllContainersOnContainerExits"],
                "addresses": [{"type": "InternalIP", "address": "192.168.10.11"}]
            }
        }),
        Kind::Namespace => json!({
            "spec": {"finalizers": ["kubernetes"]},
            "status": {"phase": "Terminating", "conditions": [
                {"type": "NamespaceContentRemaining", "status": "True", "reason": "SomeResourcesRemain", "message": "secret"}
            ]}
        }),
        Kind::VolumeAttachment => json!({
            "spec": {"attacher": "d", "nodeName": "n", "source": {"persistentVolumeName": "v"}},
            "status": {
                "attached": true, "attachmentMetadata": {"p": "secret"},
                "attachError": {"time": "2024-01-01T00:00:00Z", "message": "m"},
                "detachError": {"time": "2024-01-01T00:00:00Z", "message": "m"}
            }
        }),
        Kind::CsiDriver => json!({"spec": {"attachRequired": false, "storageCapacity": true}}),
        Kind::CsiNode => json!({"spec": {"drivers": [
            {"name": "d", "nodeID": "n", "topologyKeys": ["k"], "allocatable": {"count": 8}}
        ]}}),
        Kind::CsiStorageCapacity => json!({
            "storageClassName": "s", "capacity": "1Gi", "maximumVolumeSize": "1Gi",
            "nodeTopology": {"matchLabels": {"a": "b"}}
        }),
        Kind::Event => json!({
            "involvedObject": {"kind": "PersistentVolumeClaim", "namespace": "n", "name": "c", "uid": "u"},
            "reason": "r", "message": "m", "type": "Warning", "lastTimestamp": "2024-01-01T00:00:00Z",
            "eventTime": "2024-01-01T00:00:00Z", "series": {"lastObservedTime": "2024-01-01T00:00:00Z"}
        }),
        Kind::ResourceQuota => json!({
            "spec": {"hard": {"requests.storage": "1Gi"}},
            "status": {"hard": {"requests.storage": "1Gi"}, "used": {"requests.storage": "1Mi"}}
        }),
        Kind::LimitRange => json!({"spec": {"limits": [
            {"type": "PersistentVolumeClaim", "min": {"storage": "1Gi"}, "max": {"storage": "2Gi"}}
        ]}}),
        Kind::StatefulSet => json!({"spec": {
            "replicas": 2, "ordinals": {"start": 1}, "serviceName": "s", "selector": {"matchLabels": {"a": "b"}},
            "persistentVolumeClaimRetentionPolicy": {"whenDeleted": "Delete", "whenScaled": "Retain"},
            "template": {"metadata": {"labels": {"a": "b"}}, "spec": {"containers": [
                {"name": "c", "image": "i", "env": [{"name": "p", "value": "secret"}]}
            ]}},
            "volumeClaimTemplates": [{"metadata": {"name": "t"}, "spec": {
                "storageClassName": "s", "resources": {"requests": {"storage": "1Gi"}}
            }}]
        }}),
        kind => stored(kind),
    };
    let Value::Object(rest) = rest else { return object };
    for (key, value) in rest.into_iter().filter(|(key, _)| key != "metadata") {
        object[key] = value;
    }
    object
}

const REQUIRED: &str = "requiredDuringSchedulingIgnoredDuringExecution";

/// The paths at which a value is replaced. Each kind has fields at only some of these paths.
const PATHS: [&[&str]; 96] = [
    &["metadata"],
    &["metadata", "name"],
    &["metadata", "namespace"],
    &["metadata", "uid"],
    &["metadata", "resourceVersion"],
    &["metadata", "creationTimestamp"],
    &["metadata", "deletionTimestamp"],
    &["metadata", "deletionGracePeriodSeconds"],
    &["metadata", "labels"],
    &["metadata", "finalizers"],
    &["metadata", "ownerReferences"],
    &["metadata", "annotations"],
    &["metadata", "annotations", "other"],
    &["metadata", "other"],
    &["spec"],
    &["spec", "capacity"],
    &["spec", "capacity", "storage"],
    &["spec", "accessModes"],
    &["spec", "claimRef"],
    &["spec", "claimRef", "uid"],
    &["spec", "persistentVolumeReclaimPolicy"],
    &["spec", "storageClassName"],
    &["spec", "volumeMode"],
    &["spec", "csi"],
    &["spec", "csi", "driver"],
    &["spec", "csi", "volumeHandle"],
    &["spec", "hostPath"],
    &["spec", "nfs"],
    &["spec", "other"],
    &["spec", "nodeAffinity"],
    &["spec", "nodeAffinity", "required"],
    &["spec", "resources"],
    &["spec", "selector"],
    &["spec", "dataSource"],
    &["spec", "volumeName"],
    &["spec", "volumes"],
    &["spec", "nodeName"],
    &["status"],
    &["status", "phase"],
    &["status", "capacity"],
    &["status", "containerStatuses"],
    &["volumeBindingMode"],
    &["allowedTopologies"],
    &["spec", "nfs", "server"],
    &["spec", "dataSourceRef"],
    &["spec", "schedulingGates"],
    &["spec", "taints"],
    &["spec", "source"],
    &["spec", "drivers"],
    &["spec", "limits"],
    &["spec", "template"],
    &["spec", "volumeClaimTemplates"],
    &["spec", "finalizers"],
    &["status", "conditions"],
    &["status", "attachError"],
    &["status", "hard"],
    &["status", "allocatedResources"],
    &["involvedObject"],
    &["nodeTopology"],
    &["series"],
    &["spec", "type"],
    &["spec", "ports"],
    &["spec", "clusterIPs"],
    &["subsets"],
    &["endpoints"],
    &["ports"],
    &["spec", "strategy"],
    &["spec", "template", "metadata"],
    &["spec", "template", "spec"],
    &["spec", "template", "spec", "volumes"],
    &["spec", "volumeSnapshotRef"],
    &["status", "error"],
    &["status", "restoreSize"],
    &["status", "creationTime"],
    &["parameters"],
    &["driver"],
    &["spec", "affinity"],
    &["spec", "affinity", "nodeAffinity"],
    &["spec", "affinity", "nodeAffinity", REQUIRED],
    &["spec", "affinity", "podAffinity", REQUIRED],
    &["spec", "affinity", "podAntiAffinity"],
    &["spec", "tolerations"],
    &["spec", "topologySpreadConstraints"],
    &["spec", "nodeSelector"],
    &["spec", "overhead"],
    &["spec", "hostNetwork"],
    &["spec", "hostUsers"],
    &["spec", "resourceClaims"],
    &["spec", "resources", "requests"],
    &["spec", "resources", "limits"],
    &["spec", "containers"],
    &["spec", "initContainers"],
    &["status", "allocatable"],
    &["status", "declaredFeatures"],
    &["status", "resources"],
    &["status", "initContainerStatuses"],
];

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn random_objects_decode_to_the_same(
        kind in prop::sample::select(Kind::listed().collect::<Vec<Kind>>()),
        path in prop::sample::select(&PATHS[..]),
        value in anything(),
    ) {
        let object = changed(full_object(kind), path, value);
        let redacted = redact(kind, object.clone());
        let (before, after) = (decoded(kind, &object), decoded(kind, &redacted));
        if before.starts_with("Ok(") {
            prop_assert_eq!(after, before, "{}", redacted);
        } else {
            // The value in the error may be redacted, but the error itself must remain.
            prop_assert!(after.starts_with("Err("), "{} became {}", before, after);
        }
    }
}
