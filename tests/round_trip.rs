//! A snapshot of any world, read back, is predicted as that world: what redaction takes away decides nothing.
//!
//! The worlds are written as an API server would store them, with much around it that no decision reads and that must
//! not leave the cluster. A field that redaction drops though a decision reads it changes the prediction.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a property that cannot be evaluated is a failed test")]

use crate::worlds::{Cluster, quantity, worlds};
use proptest::prelude::*;
use proptest::strategy::ValueTree as _;
use proptest::test_runner::{RngAlgorithm, TestRng, TestRunner};
use pvctl::controllers::Rules;
use pvctl::model::{
    AccessMode, AccessModes, Annotations, Kind, LabelSelector, Node, NodeOperator, NodeRequirement, NodeSelector,
    NodeSelectorTerm, ObjectMeta, PersistentVolume, PersistentVolumeClaim, Pod, PodPhase, Quantity, ResourceVersion,
    SourceKind, StorageClass, Str, Timestamp,
};
use pvctl::report::machine::Model;
use pvctl::report::prediction::{Head, JointOut, PredictionList, PredictionOut};
use pvctl::simulate::explore::Budget;
use pvctl::simulate::{Settings, Simulation};
use pvctl::snapshot::{Parts, Snapshot};
use pvctl::source::FileOptions;
use pvctl::source::archive::{self, ArchivedObject};
use pvctl::source::files::{each_raw_with, read_with};
use serde_json::{Map, Value, json};
use std::ops::ControlFlow;
use std::sync::Arc;

/// What must not be in any snapshot.
const SECRET: &str = "s3cret";

/// A field, unless it is empty, as the API server leaves such fields out.
fn put(object: &mut Value, field: &str, text: &str) {
    if !text.is_empty() {
        object[field] = text.into();
    }
}

fn maybe(object: &mut Value, field: &str, text: Option<&str>) {
    if let Some(text) = text {
        object[field] = text.into();
    }
}

fn texts(list: &[Str]) -> Value {
    list.iter().map(Str::as_str).collect()
}

fn modes(modes: &AccessModes) -> Value {
    modes.0.iter().map(AccessMode::as_str).collect()
}

fn quantities(capacity: &[(Str, Quantity)]) -> Value {
    Value::Object(capacity.iter().map(|(name, size)| (name.to_string(), size.to_string().into())).collect())
}

fn pairs(labels: &[(Str, Str)]) -> Value {
    Value::Object(labels.iter().map(|(key, value)| (key.to_string(), value.as_str().into())).collect())
}

fn selector(selector: &LabelSelector) -> Value {
    let expressions = selector.expressions.iter().map(|requirement| {
        json!({
            "key": requirement.key.as_str(), "operator": requirement.operator.as_str(),
            "values": texts(&requirement.values),
        })
    });
    json!({"matchLabels": pairs(&selector.match_labels), "matchExpressions": expressions.collect::<Value>()})
}

fn affinity(selector: &NodeSelector) -> Value {
    let requirements = |list: &[NodeRequirement]| {
        let one = |requirement: &NodeRequirement| {
            json!({
                "key": requirement.key.as_str(), "operator": requirement.operator.as_str(),
                "values": texts(&requirement.values),
            })
        };
        list.iter().map(one).collect::<Value>()
    };
    let terms = selector.terms.iter().map(
        |term| json!({"matchExpressions": requirements(&term.expressions), "matchFields": requirements(&term.fields)}),
    );
    json!({"required": {"nodeSelectorTerms": terms.collect::<Value>()}})
}

fn object(kind: Kind, meta: &ObjectMeta) -> Value {
    let annotations = meta.annotations.iter().map(|(key, value)| (key.as_str().to_owned(), Value::from(value)));
    let mut annotations: Map<String, Value> = annotations.collect();
    annotations.insert("example.com/token".to_owned(), SECRET.into());
    let ResourceVersion::Recorded(version) = &meta.resource_version else { panic!("{meta:?} was never read") };
    let mut metadata = json!({
        "name": meta.name.as_str(), "labels": pairs(&meta.labels), "finalizers": texts(&meta.finalizers),
        "annotations": annotations, "managedFields": [{"manager": SECRET, "fieldsV1": {"f:spec": {}}}],
    });
    for (field, text) in [("namespace", &meta.namespace), ("uid", &meta.uid), ("resourceVersion", version)] {
        put(&mut metadata, field, text);
    }
    for (field, moment) in [("creationTimestamp", meta.created), ("deletionTimestamp", meta.deleted)] {
        maybe(&mut metadata, field, moment.map(|moment| moment.to_string()).as_deref());
    }
    if let Some(seconds) = meta.deletion_grace_seconds {
        metadata["deletionGracePeriodSeconds"] = seconds.into();
    }
    if let Some(owner) = &meta.controller_owner {
        metadata["ownerReferences"] = json!([
            {"apiVersion": "v1", "kind": "Pod", "name": "other", "uid": "other"},
            {"apiVersion": "v1", "kind": "Pod", "name": "owner", "uid": owner.as_str(), "controller": true},
        ]);
    }
    json!({"apiVersion": kind.api_version(), "kind": kind.as_str(), "metadata": metadata})
}

fn volume(volume: &PersistentVolume) -> Value {
    let mut spec = json!({
        "capacity": quantities(&volume.capacity), "accessModes": modes(&volume.access_modes),
        "persistentVolumeReclaimPolicy": volume.reclaim_policy.as_str(), "mountOptions": [format!("password={SECRET}")],
    });
    put(&mut spec, "storageClassName", &volume.class_name);
    maybe(&mut spec, "volumeAttributesClassName", volume.attributes_class.as_deref());
    maybe(&mut spec, "volumeMode", volume.volume_mode.as_ref().map(|mode| mode.as_str()));
    if let Some(named) = &volume.claim_ref {
        let mut reference = json!({});
        for (field, text) in [
            ("apiVersion", &named.api_version),
            ("kind", &named.kind),
            ("namespace", &named.namespace),
            ("name", &named.name),
            ("uid", &named.uid),
            ("resourceVersion", &named.resource_version),
            ("fieldPath", &named.field_path),
        ] {
            put(&mut reference, field, text);
        }
        spec["claimRef"] = reference;
    }
    if let Some(required) = &volume.node_affinity {
        spec["nodeAffinity"] = affinity(required);
    }
    let (detail, handle) = (volume.source.detail.as_str(), volume.source.handle.as_str());
    match &volume.source.kind {
        SourceKind::Csi => {
            spec["csi"] = json!({
                "driver": detail, "volumeHandle": handle, "volumeAttributes": {"password": SECRET},
                "nodeStageSecretRef": {"name": "n", "namespace": "ns"},
            });
        }
        SourceKind::HostPath => spec["hostPath"] = json!({"path": detail}),
        SourceKind::None => {}
        other => spec[other.as_str()] = json!({"keyring": SECRET, "path": "/"}),
    }
    let mut status = json!({"reason": "r"});
    put(&mut status, "phase", volume.status.phase.as_str());
    put(&mut status, "message", &volume.status.message);
    let changed = volume.status.last_phase_transition.map(|moment| moment.to_string());
    maybe(&mut status, "lastPhaseTransitionTime", changed.as_deref());
    let mut object = object(Kind::PersistentVolume, &volume.meta);
    object["spec"] = spec;
    object["status"] = status;
    object
}

fn claim(claim: &PersistentVolumeClaim) -> Value {
    let mut spec = json!({"accessModes": modes(&claim.access_modes), "other": SECRET});
    if let Some(size) = &claim.request {
        spec["resources"] = json!({"requests": {"storage": size.to_string()}});
    }
    put(&mut spec, "volumeName", &claim.volume_name);
    maybe(&mut spec, "storageClassName", claim.class_name.as_deref());
    maybe(&mut spec, "volumeAttributesClassName", claim.attributes_class.as_deref());
    maybe(&mut spec, "volumeMode", claim.volume_mode.as_ref().map(|mode| mode.as_str()));
    if let Some(wanted) = &claim.selector {
        spec["selector"] = selector(wanted);
    }
    if claim.data_source {
        spec["dataSource"] = json!({"kind": "PersistentVolumeClaim", "name": "source"});
    }
    let mut conditions = vec![json!({"type": "Resizing", "status": "True", "message": SECRET})];
    conditions.extend(
        claim.status.unused.map(
            |unused| json!({"type": "Unused", "status": if unused { "True" } else { "False" }, "message": SECRET}),
        ),
    );
    let mut status = json!({"conditions": conditions});
    put(&mut status, "phase", claim.status.phase.as_str());
    if !claim.status.access_modes.0.is_empty() {
        status["accessModes"] = modes(&claim.status.access_modes);
    }
    if !claim.status.capacity.is_empty() {
        status["capacity"] = quantities(&claim.status.capacity);
    }
    maybe(&mut status, "currentVolumeAttributesClassName", claim.status.current_attributes_class.as_deref());
    let mut object = object(Kind::PersistentVolumeClaim, &claim.meta);
    object["spec"] = spec;
    object["status"] = status;
    object
}

fn class(class: &StorageClass) -> Value {
    let mut object = object(Kind::StorageClass, &class.meta);
    object["provisioner"] = class.provisioner.as_str().into();
    object["parameters"] = json!({"restuserkey": SECRET});
    object["mountOptions"] = texts(&class.mount_options);
    object["allowVolumeExpansion"] = class.allow_expansion.into();
    maybe(&mut object, "reclaimPolicy", class.reclaim_policy.as_ref().map(|policy| policy.as_str()));
    maybe(&mut object, "volumeBindingMode", class.binding_mode.as_ref().map(|mode| mode.as_str()));
    object
}

fn pod(pod: &Pod) -> Value {
    let of_claim = |(number, name): (usize, &Str)| json!({"name": format!("v{number}"), "persistentVolumeClaim": {"claimName": name.as_str()}});
    let ephemeral = pod.ephemeral_claims.iter().map(|name| {
        // Upstream names the claim `<pod>-<volume>`.
        let volume = name.strip_prefix(&format!("{}-", pod.meta.name)).unwrap();
        json!({"name": volume, "ephemeral": {"volumeClaimTemplate": {"spec": {"accessModes": ["ReadWriteOnce"]}}}})
    });
    let volumes = pod.claims.iter().enumerate().map(of_claim).chain(ephemeral);
    let volumes: Vec<Value> = volumes.chain([json!({"name": "s", "secret": {"secretName": SECRET}})]).collect();
    let env = json!([{"name": "PASSWORD", "value": SECRET}]);
    let mut object = object(Kind::Pod, &pod.meta);
    object["spec"] = json!({"containers": [{"name": "c", "image": "i", "env": env}], "volumes": volumes});
    put(&mut object["spec"], "nodeName", &pod.node_name);
    let phase = match &pod.phase {
        PodPhase::Empty => "",
        PodPhase::Pending => "Pending",
        PodPhase::Running => "Running",
        PodPhase::Succeeded => "Succeeded",
        PodPhase::Failed => "Failed",
        PodPhase::Other(other) => other,
    };
    let state = if pod.running_container { json!({"running": {}}) } else { json!({"terminated": {"exitCode": 1}}) };
    object["status"] = json!({"containerStatuses": [{"name": "c", "image": SECRET, "state": state}]});
    put(&mut object["status"], "phase", phase);
    object
}

fn node(node: &Node) -> Value {
    let mut object = object(Kind::Node, &node.meta);
    object["spec"] = json!({"providerID": SECRET});
    object["status"] = json!({"images": [SECRET]});
    object
}

/// The world as `kubectl get pv,pvc,sc,pods,nodes -A -o json` would print it.
fn manifest(parts: &Parts) -> String {
    let volumes = parts.volumes.iter().map(volume);
    let items = volumes.chain(parts.claims.iter().map(claim)).chain(parts.classes.iter().map(class));
    let items: Vec<Value> = items.chain(parts.pods.iter().map(pod)).chain(parts.nodes.iter().map(node)).collect();
    json!({"apiVersion": "v1", "kind": "List", "metadata": {"resourceVersion": ""}, "items": items}).to_string()
}

/// What the worlds of the other properties leave alone and a decision or its report reads all the same.
fn enrich(parts: &mut Parts, odd: u64) {
    let bit = |number: usize| odd >> (number % 64) & 1 == 1;
    let moment = |number: usize| Timestamp(1_700_000_000 + i64::try_from(number).unwrap());
    for (number, volume) in parts.volumes.iter_mut().enumerate() {
        volume.meta.created = bit(number).then(|| moment(number));
        volume.status.last_phase_transition = bit(number + 1).then(|| moment(7 * number));
        volume.status.message = if bit(number + 2) { "it did not work".into() } else { Str::default() };
        let requirement = |key: &str, value: &str| NodeRequirement {
            key: key.into(),
            operator: NodeOperator::In,
            values: Box::new([value.into()]),
        };
        volume.node_affinity = bit(number + 3).then(|| {
            let term = NodeSelectorTerm {
                expressions: Box::new([requirement("zone", "a")]),
                fields: Box::new([requirement("metadata.name", "n1")]),
            };
            Arc::new(NodeSelector { terms: Box::new([term]) })
        });
        if let Some(named) = &mut volume.claim_ref {
            named.kind = "PersistentVolumeClaim".into();
            named.api_version = if bit(number + 4) { "v1".into() } else { Str::default() };
            named.resource_version = if bit(number + 5) { "3".into() } else { Str::default() };
            named.field_path = if bit(number + 6) { "spec".into() } else { Str::default() };
        }
        if volume.source.kind == SourceKind::Csi {
            volume.source.handle = format!("handle-{number}").into();
        }
    }
    for (number, claim) in parts.claims.iter_mut().enumerate() {
        claim.meta.created = bit(number + 8).then(|| moment(number));
        // As owner of a claim that is made for a pod.
        claim.meta.controller_owner = bit(number + 9).then(|| "uid-ns-p0".into());
        claim.status.unused = bit(number + 10).then(|| bit(number + 11));
        claim.status.current_attributes_class = bit(number + 12).then(|| "gold".into());
        if bit(number + 13) {
            claim.status.access_modes = claim.access_modes.clone();
            claim.status.capacity = Arc::new([("storage".into(), quantity("1Gi"))]);
        }
    }
    for (number, class) in parts.classes.iter_mut().enumerate() {
        class.allow_expansion = bit(number + 14);
    }
    // What the other worlds hold too seldom for a few hundred of them.
    if bit(17) {
        let wanted =
            LabelSelector { match_labels: Box::new([("tier".into(), "a".into())]), ..LabelSelector::default() };
        parts.claims.iter_mut().for_each(|claim| claim.selector = Some(Box::new(wanted.clone())));
    }
    if bit(18) {
        parts.claims.iter_mut().for_each(|claim| claim.data_source = true);
        parts.classes.iter_mut().for_each(|class| class.provisioner = "kubernetes.io/host-path".into());
    }
    for (number, pod) in parts.pods.iter_mut().enumerate() {
        if bit(number + 15) {
            pod.ephemeral_claims = Box::new([format!("{}-scratch", pod.meta.name).into()]);
        }
    }
    if bit(16) {
        let meta = ObjectMeta { name: "n1".into(), uid: "uid-n1".into(), ..ObjectMeta::default() };
        parts.nodes = vec![Node { meta }];
    }
    // The annotation with the secret, which `object` adds.
    let metas = (parts.volumes.iter_mut().map(|volume| &mut volume.meta))
        .chain(parts.claims.iter_mut().map(|claim| &mut claim.meta))
        .chain(parts.classes.iter_mut().map(|class| &mut class.meta))
        .chain(parts.pods.iter_mut().map(|pod| &mut pod.meta))
        .chain(parts.nodes.iter_mut().map(|node| &mut node.meta));
    for meta in metas {
        let known = meta.annotations.iter().map(|(key, value)| (key, Str::from(value))).collect();
        meta.annotations = Annotations::new(known, 1);
    }
}

fn stdin() -> FileOptions {
    FileOptions { paths: vec!["-".into()], ..FileOptions::default() }
}

/// What `snapshot -f -` prints of that input.
fn snapshot_of(input: &str) -> String {
    let mut objects = Vec::new();
    each_raw_with(&stdin(), &mut input.as_bytes(), &mut |kind, json, _| {
        objects.push(ArchivedObject::new(kind, json).unwrap());
        ControlFlow::Continue(())
    })
    .unwrap();
    archive::order(&mut objects);
    let mut written = Vec::new();
    archive::write(&objects, &mut written).unwrap();
    String::from_utf8(written).unwrap()
}

/// What `predict -f - -o json --trace` prints of that input.
fn prediction(input: &str, rules: &Rules) -> String {
    let parts = read_with(&stdin(), &mut input.as_bytes()).unwrap().parts;
    let snapshot = Snapshot::new(parts);
    let settings = Settings { tracing: true, budget: Budget { states: 300 }, ..Settings::new(rules.clone()) };
    let model = Model::new(&settings.rules, &settings.controllers, "assumed");
    let simulation = Simulation::new(&snapshot, settings, 1);
    let predictions: Vec<_> = simulation.targets().map(|target| simulation.predict(target)).collect();
    let list = PredictionList {
        head: Head::new(model, &snapshot),
        items: predictions.iter().map(|prediction| PredictionOut::new(&snapshot, prediction)).collect(),
        worlds: simulation
            .worlds()
            .map(|(number, objects, worlds)| JointOut::new(&snapshot, number, &objects, worlds))
            .collect(),
    };
    // Ages and the objects that got defaults stand in tables and texts alone.
    format!("{}\n{:?} {:?}", serde_json::to_string_pretty(&list).unwrap(), snapshot.now(), snapshot.defaulted())
}

/// Checks a property on so many worlds, the same ones in every run.
#[expect(clippy::disallowed_methods, reason = "how long the properties are tried is a matter of whoever runs them")]
fn check<S: Strategy>(cases: u32, strategy: S, property: impl Fn(S::Value) -> Result<(), TestCaseError>) {
    let factor: u32 = std::env::var("PROPTEST_CASES").ok().and_then(|text| text.parse().ok()).unwrap_or(1);
    let config =
        ProptestConfig { cases: cases.saturating_mul(factor), failure_persistence: None, ..ProptestConfig::default() };
    let mut runner = TestRunner::new_with_rng(config, TestRng::deterministic_rng(RngAlgorithm::ChaCha));
    if let Err(error) = runner.run(&strategy, property) {
        panic!("{error}");
    }
}

fn rules() -> impl Strategy<Value = Rules> {
    let mut all_on = Rules::default();
    all_on.set_flag("enable-hostpath-provisioner", "true").unwrap();
    all_on.set_gate("PersistentVolumeClaimUnusedSinceTime", true).unwrap();
    prop_oneof![2 => Just(Rules::default()), 1 => Just(all_on)]
}

#[test]
fn a_snapshot_of_any_world_is_predicted_as_that_world() {
    check(400, (worlds(4, 4), any::<u64>(), rules()), |(Cluster(mut parts), odd, rules)| {
        enrich(&mut parts, odd);
        let world = manifest(&parts);
        // What is written is the whole world: a field that this test forgets would not be tested.
        let read = read_with(&stdin(), &mut world.as_bytes()).unwrap().parts;
        prop_assert_eq!(&read.issues, &[]);
        prop_assert_eq!(&read.volumes, &parts.volumes);
        prop_assert_eq!(&read.claims, &parts.claims);
        prop_assert_eq!(&read.classes, &parts.classes);
        prop_assert_eq!(&read.pods, &parts.pods);
        prop_assert_eq!(&read.nodes, &parts.nodes);
        let written = snapshot_of(&world);
        prop_assert!(!written.contains(SECRET), "{}", written);
        prop_assert_eq!(prediction(&written, &rules), prediction(&world, &rules));
        prop_assert_eq!(snapshot_of(&written), written);
        Ok(())
    });
}

/// What decisions read, by the rule book: a redaction that dropped one of these would be found out above.
const DECIDING: [(&str, &[&str]); 32] = [
    ("PersistentVolume", &["metadata", "annotations"]),
    ("PersistentVolume", &["metadata", "deletionTimestamp"]),
    ("PersistentVolume", &["metadata", "finalizers"]),
    ("PersistentVolume", &["metadata", "labels"]),
    ("PersistentVolume", &["spec", "accessModes"]),
    ("PersistentVolume", &["spec", "capacity"]),
    ("PersistentVolume", &["spec", "claimRef"]),
    ("PersistentVolume", &["spec", "claimRef", "uid"]),
    ("PersistentVolume", &["spec", "csi", "driver"]),
    ("PersistentVolume", &["spec", "hostPath", "path"]),
    ("PersistentVolume", &["spec", "persistentVolumeReclaimPolicy"]),
    ("PersistentVolume", &["spec", "storageClassName"]),
    ("PersistentVolume", &["spec", "volumeAttributesClassName"]),
    ("PersistentVolume", &["spec", "volumeMode"]),
    ("PersistentVolume", &["status", "phase"]),
    ("PersistentVolumeClaim", &["metadata", "annotations"]),
    ("PersistentVolumeClaim", &["metadata", "deletionTimestamp"]),
    ("PersistentVolumeClaim", &["metadata", "finalizers"]),
    ("PersistentVolumeClaim", &["spec", "accessModes"]),
    ("PersistentVolumeClaim", &["spec", "dataSource"]),
    ("PersistentVolumeClaim", &["spec", "resources"]),
    ("PersistentVolumeClaim", &["spec", "selector"]),
    ("PersistentVolumeClaim", &["spec", "storageClassName"]),
    ("PersistentVolumeClaim", &["spec", "volumeAttributesClassName"]),
    ("PersistentVolumeClaim", &["spec", "volumeMode"]),
    ("PersistentVolumeClaim", &["spec", "volumeName"]),
    ("PersistentVolumeClaim", &["status", "phase"]),
    ("StorageClass", &["metadata", "annotations"]),
    ("StorageClass", &["provisioner"]),
    ("StorageClass", &["volumeBindingMode"]),
    ("Pod", &["spec", "volumes"]),
    ("Pod", &["status", "phase"]),
];

/// The list without that field of the objects of that kind.
fn without(list: &str, kind: &str, path: &[&str]) -> String {
    let mut list: Value = serde_json::from_str(list).unwrap();
    for item in list["items"].as_array_mut().unwrap().iter_mut().filter(|item| item["kind"] == kind) {
        let (field, above) = path.split_last().unwrap();
        let holder = above.iter().try_fold(item, |place, step| place.get_mut(*step));
        holder.and_then(Value::as_object_mut).map(|holder| holder.remove(*field));
    }
    list.to_string()
}

#[test]
fn a_field_that_redaction_dropped_would_be_noticed() {
    let mut runner = TestRunner::new_with_rng(
        ProptestConfig { failure_persistence: None, ..ProptestConfig::default() },
        TestRng::deterministic_rng(RngAlgorithm::ChaCha),
    );
    let strategy = (worlds(4, 4), any::<u64>(), rules());
    let mut unnoticed: Vec<_> = DECIDING.to_vec();
    for _ in 0..400 {
        if unnoticed.is_empty() {
            break;
        }
        let (Cluster(mut parts), odd, rules) = strategy.new_tree(&mut runner).unwrap().current();
        enrich(&mut parts, odd);
        let written = snapshot_of(&manifest(&parts));
        let expected = prediction(&written, &rules);
        unnoticed.retain(|(kind, path)| prediction(&without(&written, kind, path), &rules) == expected);
    }
    assert!(unnoticed.is_empty(), "nothing depends on {unnoticed:?}");
}
