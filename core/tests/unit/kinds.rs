//! Tests of the decoding of each kind.

#![expect(clippy::unwrap_used, clippy::panic, clippy::needless_pass_by_value, reason = "tests")]

use pvctl_core::model::surroundings::{CsiDriver, Event, LimitRange, StatefulSet};
use pvctl_core::model::{
    AccessMode, AnnotationKey, BindingMode, ClaimPhase, ContainerState, ContainerStatus, Kind, LabelOperator, Lease,
    Node, NodeOperator, ObjectMeta, PersistentVolume, PersistentVolumeClaim, Pod, PodPhase, Quantity, ReclaimPolicy,
    Resource, ResourceVersion, SourceKind, StorageClass, Timestamp, Toleration, VolumeMode, VolumePhase, VolumeUse,
    label,
};
use pvctl_core::snapshot::decode::{Item, decode, read_some};
use serde_json::{Value, json};

fn decoded<T: Resource>(object: &Value) -> T {
    item(object).of().unwrap()
}

fn item(value: &Value) -> Item {
    decode(value.to_string().as_bytes(), "a test").unwrap()
}

fn pv(spec: Value) -> Value {
    json!({"apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": "pv-1"}, "spec": spec})
}

fn quantity(text: &str) -> Quantity {
    pvctl_core::model::Amount::parse(text).unwrap().quantity
}

/// The strictest of several limits applies, because the admission plugin `LimitRanger` applies all of them.
#[test]
fn the_strictest_limit_of_claims_counts() {
    let object = json!({"apiVersion": "v1", "kind": "LimitRange", "metadata": {"name": "l", "namespace": "n"},
        "spec": {"limits": [
            {"type": "Container", "max": {"storage": "1Ki"}},
            {"type": "PersistentVolumeClaim", "min": {"storage": "1Gi"}, "max": {"storage": "20Gi"}},
            {"type": "PersistentVolumeClaim", "min": {"storage": "2Gi"}, "max": {"storage": "10Gi"}}]}});
    let range: LimitRange = decoded(&object);
    assert_eq!((range.least, range.most), (Some(quantity("2Gi")), Some(quantity("10Gi"))));
}

/// The time is the one that `kubectl get events` prints. The newer API sets other fields in place of `lastTimestamp`.
#[test]
fn an_event_was_seen_when_it_was_seen_last() {
    let event = |fields: Value| {
        let mut object = json!({"apiVersion": "v1", "kind": "Event",
            "metadata": {"name": "e", "namespace": "n", "creationTimestamp": "2026-01-01T00:00:00Z"},
            "involvedObject": {"kind": "PersistentVolumeClaim", "namespace": "n", "name": "c", "uid": "u"}});
        for (key, value) in fields.as_object().unwrap() {
            object[key] = value.clone();
        }
        let event: Event = decoded(&object);
        event.last_seen.unwrap().to_string()
    };
    assert_eq!(event(json!({})), "2026-01-01T00:00:00Z");
    assert_eq!(event(json!({"eventTime": "2026-01-02T00:00:00.5Z"})), "2026-01-02T00:00:00Z");
    let both = json!({"lastTimestamp": "2026-01-03T00:00:00Z", "eventTime": null});
    assert_eq!(event(both), "2026-01-03T00:00:00Z");
    let series = json!({"eventTime": "2026-01-02T00:00:00Z",
        "series": {"count": 7, "lastObservedTime": "2026-01-04T00:00:00.000001Z"}});
    assert_eq!(event(series), "2026-01-04T00:00:00Z");
}

#[test]
fn events_about_other_objects_are_passed_over() {
    let object = json!({"apiVersion": "v1", "kind": "Event", "metadata": {"name": "e", "namespace": "n"},
        "involvedObject": {"kind": "ConfigMap", "namespace": "n", "name": "p"}});
    let item = decode(object.to_string().as_bytes(), "a test").unwrap();
    assert!(matches!(item, Item::Skipped(kind) if kind == "Event"));
}

/// A driver needs attachment unless it states otherwise. Upstream: `defaultAttachRequired`, storage v1, 1.36.
#[test]
fn unset_fields_get_the_defaults_of_the_api_server() {
    let driver = json!({"apiVersion": "storage.k8s.io/v1", "kind": "CSIDriver", "metadata": {"name": "d"}});
    let driver: CsiDriver = decoded(&driver);
    assert!(driver.attach_required && !driver.storage_capacity);
    let set = json!({"apiVersion": "apps/v1", "kind": "StatefulSet", "metadata": {"name": "s", "namespace": "n"}});
    let set: StatefulSet = decoded(&set);
    assert_eq!((set.replicas, set.first_ordinal), (1, 0));
}

#[test]
fn kinds_that_nobody_requested_are_only_parsed_as_json() {
    let broken = br#"{"apiVersion":"v1","kind":"Namespace","metadata":{"name":7}}"#;
    assert!(decode(broken, "a test").is_err());
    for kind in [None, Some(Kind::Namespace)] {
        assert!(matches!(read_some(kind, broken, "a test", &[]), Ok(Item::Skipped(_))));
    }
}

#[test]
fn a_volume_is_read_with_all_its_fields() {
    let volume = decoded::<PersistentVolume>(&json!({
        "apiVersion": "v1",
        "kind": "PersistentVolume",
        "metadata": {
            "name": "pv-1", "uid": "u-1", "resourceVersion": "12", "creationTimestamp": "2026-06-01T10:00:00Z",
            "deletionTimestamp": "2026-06-02T10:00:00Z", "deletionGracePeriodSeconds": 30,
            "labels": {"zone": "a", "app": "x"}, "finalizers": ["kubernetes.io/pv-protection", "a/b"],
            "annotations": {
                "pv.kubernetes.io/provisioned-by": "csi.example.com",
                "kubectl.kubernetes.io/last-applied-configuration": "{\"secret\":1}",
                "example.com/number": 5
            },
            "ownerReferences": [{"uid": "o-1"}, {"uid": "o-2", "controller": true}],
            "managedFields": [{"manager": {"odd": []}}]
        },
        "spec": {
            "capacity": {"storage": "10Gi"},
            "accessModes": ["ReadWriteOnce", "Odd"],
            "claimRef": {"namespace": "db", "name": "data"},
            "persistentVolumeReclaimPolicy": "Delete",
            "storageClassName": "fast",
            "volumeMode": "Block",
            "csi": {"driver": "csi.example.com", "volumeHandle": "vol-1", "volumeAttributes": {"password": "x"}},
            "nodeAffinity": {"required": {"nodeSelectorTerms": [
                {"matchExpressions": [{"key": "zone", "operator": "In", "values": ["a", "b"]}]},
                {"matchFields": [{"key": "metadata.name", "operator": "Gt", "values": ["1"]}]}
            ]}}
        },
        "status": {"phase": "Bound", "message": "m", "lastPhaseTransitionTime": "2026-06-01T11:00:00Z"}
    }));
    assert_eq!(volume.meta.uid, "u-1");
    assert_eq!(volume.meta.resource_version, ResourceVersion::Recorded("12".into()));
    assert_eq!(volume.meta.created, Timestamp::parse("2026-06-01T10:00:00Z"));
    assert_eq!(volume.meta.deleted, Timestamp::parse("2026-06-02T10:00:00Z"));
    assert_eq!(volume.meta.deletion_grace_seconds, Some(30));
    assert_eq!(label(&volume.meta.labels, "app"), Some("x"));
    assert_eq!(label(&volume.meta.labels, "zone"), Some("a"));
    assert_eq!(*volume.meta.finalizers, ["kubernetes.io/pv-protection", "a/b"]);
    assert_eq!(volume.meta.controller_owner.as_deref(), Some("o-2"));
    let known: Vec<_> = volume.meta.annotations.iter().collect();
    assert_eq!(known, [(AnnotationKey::ProvisionedBy, "csi.example.com")]);
    let mut others = volume.meta.annotations.clone();
    others.remove(AnnotationKey::ProvisionedBy);
    assert!(!others.is_empty(), "the two that no decision reads are counted");
    assert_eq!(volume.storage(), Some(&Quantity::parse("10Gi").unwrap()));
    assert_eq!(*volume.access_modes.0, [AccessMode::ReadWriteOnce, AccessMode::Other("Odd".into())]);
    let reference = volume.claim_ref.unwrap();
    assert_eq!((reference.namespace.as_str(), reference.name.as_str(), reference.uid.as_str()), ("db", "data", ""));
    assert_eq!(volume.reclaim_policy, ReclaimPolicy::Delete);
    assert_eq!(volume.class_name, "fast");
    assert_eq!(volume.volume_mode, Some(VolumeMode::Block));
    assert_eq!(volume.source.kind, SourceKind::Csi);
    assert_eq!((volume.source.detail.as_str(), volume.source.handle.as_str()), ("csi.example.com", "vol-1"));
    let affinity = volume.node_affinity.unwrap();
    assert_eq!(affinity.terms.len(), 2);
    assert_eq!(affinity.terms[0].expressions[0].operator, NodeOperator::In);
    assert_eq!(*affinity.terms[0].expressions[0].values, ["a", "b"]);
    assert_eq!(affinity.terms[1].fields[0].key, "metadata.name");
    assert_eq!(affinity.terms[1].fields[0].operator, NodeOperator::Gt);
    assert_eq!(volume.status.phase, VolumePhase::Bound);
    assert_eq!(volume.status.message, "m");
    assert_eq!(volume.status.last_phase_transition, Timestamp::parse("2026-06-01T11:00:00Z"));
}

#[test]
fn a_claim_is_read_with_all_its_fields() {
    let claim = decoded::<PersistentVolumeClaim>(&json!({
        "kind": "PersistentVolumeClaim", "apiVersion": "v1",
        "metadata": {"name": "data", "namespace": "db"},
        "spec": {
            "accessModes": ["ReadWriteMany"],
            "resources": {"requests": {"storage": 1_073_741_824_i64, "other": {}}},
            "volumeName": "pv-1", "storageClassName": "", "volumeAttributesClassName": "gold",
            "selector": {
                "matchLabels": {"z": "1", "a": "2"},
                "matchExpressions": [{"key": "k", "operator": "Exists"}]
            },
            "dataSource": {"kind": "VolumeSnapshot", "name": "s"}
        },
        "status": {"phase": "Lost", "capacity": {"storage": 1.5e3}, "accessModes": ["ReadWriteMany"],
                   "currentVolumeAttributesClassName": "silver"}
    }));
    assert_eq!(claim.requested(), Some(Quantity::parse("1073741824").unwrap()));
    assert_eq!(claim.class_name.as_deref(), Some(""));
    assert_eq!(claim.attributes_class(), "gold");
    assert_eq!(claim.volume_name, "pv-1");
    let selector = claim.selector.unwrap();
    assert_eq!(*selector.match_labels, [("a".into(), "2".into()), ("z".into(), "1".into())]);
    assert_eq!(selector.expressions[0].operator, LabelOperator::Exists);
    assert!(claim.data_source);
    assert_eq!(claim.status.phase, ClaimPhase::Lost);
    assert_eq!(claim.status.storage(), Some(&Quantity::parse("1500").unwrap()));
    assert_eq!(*claim.status.access_modes.0, [AccessMode::ReadWriteMany]);
    assert_eq!(claim.status.current_attributes_class.as_deref(), Some("silver"));
}

#[test]
fn a_class_whose_first_field_is_not_its_kind_is_read() {
    let class: StorageClass = decoded(&json!({
        "allowVolumeExpansion": true, "apiVersion": "storage.k8s.io/v1beta1", "kind": "StorageClass",
        "metadata": {"name": "fast"}, "provisioner": "csi.example.com", "mountOptions": ["ro"],
        "reclaimPolicy": "Retain", "volumeBindingMode": "WaitForFirstConsumer", "parameters": {"a": 1}
    }));
    assert_eq!(class.provisioner, "csi.example.com");
    assert!(class.allow_expansion);
    assert_eq!(*class.mount_options, ["ro"]);
    assert_eq!(class.reclaim_policy, Some(ReclaimPolicy::Retain));
    assert_eq!(class.binding_mode, Some(BindingMode::WaitForFirstConsumer));
}

#[test]
fn a_pod_is_read_with_its_claims_and_whether_it_runs() {
    let pod = |status: Value| {
        json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p", "namespace": "db"},
               "spec": {"nodeName": "n1", "volumes": [
                   {"name": "a", "persistentVolumeClaim": {"claimName": "data"}},
                   {"name": "b", "ephemeral": {"volumeClaimTemplate": {}}},
                   {"name": "c", "emptyDir": {}}]},
               "status": status})
    };
    let running = decoded::<Pod>(&pod(json!({"phase": "Running", "containerStatuses": [{"state": {"running": {}}}]})));
    assert_eq!((running.node_name.as_str(), &running.phase), ("n1", &PodPhase::Running));
    let [volume] = &*running.claims else { panic!("{:?}", running.claims) };
    assert_eq!((volume.name.as_str(), volume.claim.as_str()), ("a", "data"));
    assert!(running.ephemeral_claims().eq(["p-b"]));
    assert!(running.running_container);
    for (status, runs) in [
        (json!({}), false),
        (json!({"containerStatuses": [{"state": {"waiting": {}}}, {"state": {"terminated": {}}}]}), false),
        (json!({"initContainerStatuses": [{"state": {"running": {}}}]}), true),
        (json!({"ephemeralContainerStatuses": [{"state": {"running": {}}}]}), true),
        // `notRunning` checks for `terminated` or `waiting`, so a container status without any state is regarded as
        // running.
        (json!({"containerStatuses": [{"name": "c"}]}), true),
        (json!({"containerStatuses": [{"state": {"waiting": null, "running": {}}}]}), true),
    ] {
        assert_eq!(decoded::<Pod>(&pod(status.clone())).running_container, runs, "{status}");
    }
}

/// Rules about shared volumes compare the start of a server with that of its clients, and targets with nodes.
#[test]
fn the_start_of_containers_and_the_addresses_of_nodes_are_read() {
    let running = |moment: &str| json!({"name": "c", "state": {"running": {"startedAt": moment}}});
    let waiting = json!({"name": "d", "state": {"waiting": {"reason": "ImagePullBackOff"}}});
    let pod = decoded::<Pod>(&json!({
        "apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p", "namespace": "db"},
        "status": {
            "containerStatuses": [waiting, running("2026-01-01T10:00:00Z"), running("2026-01-01T09:00:00Z")],
            "initContainerStatuses": [running("2026-01-01T08:00:00Z")]
        }
    }));
    assert_eq!(pod.containers_started, Timestamp::parse("2026-01-01T09:00:00Z"));
    let node = decoded::<Node>(&json!({
        "apiVersion": "v1", "kind": "Node", "metadata": {"name": "n1"},
        "status": {"addresses": [
            {"type": "Hostname", "address": "n1"}, {"type": "InternalIP", "address": "192.168.10.11"},
            {"type": "InternalIP", "address": "fd00::11"}
        ]}
    }));
    let addresses: Vec<&str> = node.internal_addresses.iter().map(AsRef::as_ref).collect();
    assert_eq!(addresses, ["192.168.10.11", "fd00::11"]);
}

#[test]
fn a_pod_is_read_with_what_its_containers_use_and_wait_for() {
    let pod = |phase: &str| {
        decoded::<Pod>(&json!({
            "apiVersion": "v1", "kind": "Pod",
            "metadata": {"name": "p-0", "namespace": "db", "ownerReferences": [
                {"apiVersion": "apps/v1", "kind": "StatefulSet", "name": "p", "uid": "u", "controller": true}
            ]},
            "spec": {
                "initContainers": [{"name": "i", "volumeDevices": [{"name": "a", "devicePath": "/dev/x"}]}],
                "containers": [{"name": "c", "volumeMounts": [{"name": "b", "mountPath": "/b"}]}],
                "volumes": [
                    {"name": "a", "persistentVolumeClaim": {"claimName": "data"}},
                    {"name": "b", "ephemeral": {"volumeClaimTemplate": {}}}
                ]
            },
            "status": {
                "phase": phase, "startTime": "2026-03-02T10:00:00Z",
                "conditions": [
                    {"type": "PodScheduled", "status": "True", "lastTransitionTime": "2026-03-02T09:59:00Z"},
                    {"type": "Ready", "status": "False", "reason": "ContainersNotReady", "message": "not ready: [c]"}
                ],
                "initContainerStatuses": [{"name": "i", "state": {"terminated": {"reason": "Completed"}}}],
                "containerStatuses": [
                    {"name": "c", "state": {"waiting": {"reason": "ContainerCreating", "message": "m"}}},
                    {"name": "r", "state": {"running": {}}}
                ]
            }
        }))
    };
    let pending = pod("Pending");
    assert_eq!((pending.owner_kind.as_str(), pending.owner_name.as_str()), ("StatefulSet", "p"));
    assert_eq!(pending.claims[0].used, VolumeUse { as_file_system: false, as_device: true });
    assert_eq!(pending.ephemeral[0].used, VolumeUse { as_file_system: true, as_device: false });
    assert_eq!(pending.started, Timestamp::parse("2026-03-02T10:00:00Z"));
    assert_eq!(pending.condition("PodScheduled").unwrap().since, Timestamp::parse("2026-03-02T09:59:00Z"));
    assert_eq!(pending.condition("Ready").unwrap().message, "not ready: [c]");
    let state = |name: &str, is_init, state| ContainerStatus { name: name.into(), is_init, state };
    assert_eq!(
        *pending.containers,
        [
            state("i", true, ContainerState::Terminated { reason: "Completed".into() }),
            state("c", false, ContainerState::Waiting { reason: "ContainerCreating".into(), message: "m".into() }),
        ]
    );
    let running = pod("Running");
    assert!(running.condition("PodScheduled").is_none());
    assert!(running.condition("Ready").is_some());
}

#[test]
fn a_node_is_read_with_its_readiness_and_its_volumes() {
    let node = decoded::<Node>(&json!({
        "apiVersion": "v1", "kind": "Node", "metadata": {"name": "n1"},
        "spec": {"taints": [{"key": "node.kubernetes.io/out-of-service", "effect": "NoExecute"}]},
        "status": {
            "conditions": [
                {"type": "MemoryPressure", "status": "False"},
                {"type": "Ready", "status": "Unknown", "reason": "NodeStatusUnknown", "message": "stopped posting"}
            ],
            "volumesInUse": ["kubernetes.io/csi/d^h"],
            "volumesAttached": [{"name": "kubernetes.io/csi/d^h", "devicePath": ""}]
        }
    }));
    assert!(node.is_not_ready() && node.is_out_of_service());
    assert_eq!(node.conditions.len(), 1);
    assert_eq!(node.readiness().unwrap().message, "stopped posting");
    assert_eq!((node.volumes_in_use.len(), node.volumes_attached.len()), (1, 1));
    assert!(!Node::default().is_not_ready());
}

/// Amounts are rounded up: thousandths of `cpu`, and whole units of everything else. Upstream: `MilliValue` and `Value`
/// of `Quantity`, 1.36.
#[test]
fn amounts_are_those_that_the_scheduler_counts() {
    let node = decoded::<Node>(&json!({
        "apiVersion": "v1", "kind": "Node", "metadata": {"name": "n1"},
        "status": {"allocatable": {"cpu": "3920500u", "memory": "1500m", "pods": "110", "example.com/gpu": "2"}}
    }));
    let expected = [("cpu", 3921), ("example.com/gpu", 2), ("memory", 2), ("pods", 110)];
    assert_eq!(*node.allocatable, expected.map(|(name, amount)| (name.into(), amount)));
}

/// The admission plugin `DefaultTolerationSeconds` adds two tolerations to each pod.
#[test]
fn pods_share_the_tolerations_that_all_have() {
    let pod = |phase: &str, keys: &[&str]| {
        let toleration =
            |key| json!({"key": key, "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 300});
        let tolerations: Vec<Value> = keys.iter().map(toleration).collect();
        decoded::<Pod>(&json!({
            "apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p", "namespace": "db"},
            "spec": {"tolerations": tolerations}, "status": {"phase": phase}
        }))
    };
    let default = ["node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"];
    let usual = pod("Running", &default).scheduling.unwrap();
    assert!(std::sync::Arc::ptr_eq(&usual.tolerations, Toleration::by_default()));
    let other = pod("Running", &["a", default[0], default[1]]).scheduling.unwrap();
    let keys: Vec<&str> = other.tolerations.iter().map(|toleration| toleration.key.as_str()).collect();
    assert_eq!(keys, ["a", default[0], default[1]]);
    assert!(pod("Running", &[]).scheduling.is_none());
    assert!(pod("Succeeded", &default).scheduling.is_none(), "the scheduler does not see it");
}

/// A Lease that cannot be decoded is no evidence, and no reason to warn.
#[test]
fn only_the_lease_of_the_controllers_counts() {
    let lease = |namespace: &str, name: &str, spec: Value| {
        item(&json!({"apiVersion": "coordination.k8s.io/v1", "kind": "Lease",
                     "metadata": {"namespace": namespace, "name": name}, "spec": spec}))
    };
    let spec = json!({"holderIdentity": "m_1", "renewTime": "2026-06-01T10:00:00.123456Z", "leaseDurationSeconds": 15});
    let found: Lease = lease("kube-system", "kube-controller-manager", spec.clone()).of().unwrap();
    let expected = Lease {
        meta: found.meta.clone(),
        holder: "m_1".into(),
        renewed: Timestamp::parse("2026-06-01T10:00:00Z"),
        duration_seconds: Some(15),
    };
    assert_eq!(found, expected);
    for (namespace, name, spec) in [
        ("kube-system", "kube-scheduler", spec.clone()),
        ("default", "kube-controller-manager", spec),
        ("kube-system", "kube-controller-manager", json!({"renewTime": "soon"})),
        ("kube-system", "kube-controller-manager", json!([])),
    ] {
        let found = lease(namespace, name, spec);
        assert!(matches!(&found, Item::Skipped(kind) if kind == "Lease"), "{found:?}");
    }
}

#[test]
fn every_source_is_known() {
    for field in ["nfs", "local", "rbd", "awsElasticBlockStore", "scaleIO", "storageos", "vsphereVolume", "fc"] {
        assert_eq!(decoded::<PersistentVolume>(&pv(json!({field: {"x": 1}}))).source.kind.as_str(), field);
    }
    let host = decoded::<PersistentVolume>(&pv(json!({"hostPath": {"path": "/tmp/x"}})));
    assert_eq!((host.source.kind, host.source.detail.as_str()), (SourceKind::HostPath, "/tmp/x"));
    assert_eq!(decoded::<PersistentVolume>(&pv(json!({"csi": null, "else": {}}))).source.kind, SourceKind::None);
}

#[test]
fn null_counts_as_absent() {
    let volume = decoded::<PersistentVolume>(&json!({
        "apiVersion": "v1", "kind": "PersistentVolume",
        "metadata": {"name": "pv-1", "creationTimestamp": null, "labels": null, "annotations": null,
                     "finalizers": null, "namespace": null, "deletionGracePeriodSeconds": null},
        "spec": {"capacity": {"storage": null}, "accessModes": null, "claimRef": null, "storageClassName": null,
                 "volumeMode": null, "nodeAffinity": null, "volumeAttributesClassName": null},
        "status": null
    }));
    let expected = PersistentVolume {
        meta: ObjectMeta { name: "pv-1".into(), ..ObjectMeta::default() },
        ..PersistentVolume::default()
    };
    assert_eq!(volume, expected);
}
