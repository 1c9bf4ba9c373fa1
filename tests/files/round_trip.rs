//! A snapshot of any world, read back, is predicted as that world: what redaction takes away decides nothing.
//!
//! The worlds are written as an API server would store them, with much around it that no decision reads and that must
//! not leave the cluster. A field that redaction drops though a decision reads it changes the prediction.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a property that cannot be evaluated is a failed test")]
#![expect(clippy::disallowed_methods, reason = "how long to try is a matter of whoever runs this; dumps are files")]

use crate::predict::properties::check;
use crate::support::fake_api::{Answer, FakeApi};
use crate::support::worlds::{Cluster, quantity, worlds};
use crate::support::{Finished, Run};
use proptest::prelude::*;
use proptest::strategy::ValueTree as _;
use proptest::test_runner::{RngAlgorithm, TestRng, TestRunner};
use pvctl::controllers::{KubeVersion, Rules};
use pvctl::model::surroundings::Condition;
use pvctl::model::{
    AccessMode, AccessModes, Amount, Annotations, BindingMode, ClaimDetails, DataSource, Kind, LabelSelector, Node,
    NodeOperator, NodeRequirement, NodeSelector, NodeSelectorTerm, ObjectMeta, Owner, PersistentVolume,
    PersistentVolumeClaim, Pod, PodPhase, ReclaimPolicy, ResourceVersion, SourceKind, StorageClass, Str, Timestamp,
    VolumeMode,
};
use pvctl::progress::Silent;
use pvctl::report::machine::Model;
use pvctl::report::prediction::{Head, JointOut, PredictionList, PredictionOut};
use pvctl::simulate::Budget;
use pvctl::simulate::{Settings, Simulation};
use pvctl::snapshot::{CoverageState, Parts, Snapshot};
use pvctl::source::files::{archive_with, read_with};
use pvctl::source::{Archived, ConnectOptions, Environment, FileOptions, Needs, Scope, Statement, archive};
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;
use std::path::Path;
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

fn quantities(capacity: &[(Str, Amount)]) -> Value {
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
    maybe(&mut spec, "volumeMode", volume.volume_mode.as_ref().map(VolumeMode::as_str));
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
        SourceKind::Nfs => spec["nfs"] = json!({"server": detail, "path": handle}),
        SourceKind::Local => spec["local"] = json!({"path": detail, "fsType": "ext4"}),
        SourceKind::None => {}
        SourceKind::Other(field) if field == "rbd" => {
            let (pool, image) = handle.split_once('/').unwrap_or_default();
            spec["rbd"] = json!({"keyring": SECRET, "monitors": [detail], "pool": pool, "image": image});
        }
        SourceKind::Other(field) => spec[field.as_str()] = json!({"keyring": SECRET, "path": "/"}),
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
    maybe(&mut spec, "volumeMode", claim.volume_mode.as_ref().map(VolumeMode::as_str));
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
    maybe(&mut object, "reclaimPolicy", class.reclaim_policy.as_ref().map(ReclaimPolicy::as_str));
    maybe(&mut object, "volumeBindingMode", class.binding_mode.as_ref().map(BindingMode::as_str));
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

fn manifests(parts: &Parts) -> Vec<Value> {
    let volumes = parts.objects.volumes.iter().map(volume);
    let items = volumes.chain(parts.objects.claims.iter().map(claim)).chain(parts.objects.classes.iter().map(class));
    items.chain(parts.objects.pods.iter().map(pod)).chain(parts.objects.nodes.iter().map(node)).collect()
}

/// The world as `kubectl get pv,pvc,sc,pods,nodes -A -o json` would print it.
fn manifest(parts: &Parts) -> String {
    let items = manifests(parts);
    json!({"apiVersion": "v1", "kind": "List", "metadata": {"resourceVersion": ""}, "items": items}).to_string()
}

/// What the manifest of a claim says that is evidence alone.
fn details(claim: &PersistentVolumeClaim) -> ClaimDetails {
    let owner = |name: &str, uid: &str, controller| Owner {
        api_version: "v1".into(),
        kind: "Pod".into(),
        name: name.into(),
        uid: uid.into(),
        controller,
    };
    let owners =
        claim.meta.controller_owner.as_deref().map(|uid| [owner("other", "other", false), owner("owner", uid, true)]);
    ClaimDetails {
        owners: owners.into_iter().flatten().collect(),
        data_source: claim.data_source.then(|| DataSource {
            kind: "PersistentVolumeClaim".into(),
            name: "source".into(),
            ..DataSource::default()
        }),
        conditions: [Condition { kind: "Resizing".into(), status: "True".into(), ..Condition::default() }].into(),
        ..ClaimDetails::default()
    }
}

/// What the worlds of the other properties leave alone and a decision or its report reads all the same.
fn enrich(parts: &mut Parts, odd: u64) {
    let bit = |number: usize| odd >> (number % 64) & 1 == 1;
    let moment = |number: usize| Timestamp(1_700_000_000 + i64::try_from(number).unwrap());
    for (number, volume) in parts.objects.volumes.iter_mut().enumerate() {
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
        match volume.source.kind {
            SourceKind::Csi => volume.source.handle = format!("handle-{number}").into(),
            SourceKind::Nfs => {
                volume.source.detail = "files.example.com".into();
                volume.source.handle = "/export".into();
            }
            SourceKind::Local => volume.source.detail = "/mnt/disk".into(),
            SourceKind::Other(ref field) if field == "rbd" => {
                volume.source.detail = "10.0.0.1:6789".into();
                volume.source.handle = "pool/image".into();
            }
            _ => {}
        }
    }
    for (number, claim) in parts.objects.claims.iter_mut().enumerate() {
        claim.meta.created = bit(number + 8).then(|| moment(number));
        // As owner of a claim that is made for a pod.
        claim.meta.controller_owner = bit(number + 9).then(|| "uid-ns-p0".into());
        claim.status.unused = bit(number + 10).then(|| bit(number + 11));
        claim.status.current_attributes_class = bit(number + 12).then(|| "gold".into());
        if bit(number + 13) {
            claim.status.access_modes = claim.access_modes.clone();
            claim.status.capacity = Arc::new([("storage".into(), quantity("1Gi").into())]);
        }
    }
    for (number, class) in parts.objects.classes.iter_mut().enumerate() {
        class.allow_expansion = bit(number + 14);
    }
    // What the other worlds hold too seldom for a few hundred of them.
    if bit(17) {
        let wanted =
            LabelSelector { match_labels: Box::new([("tier".into(), "a".into())]), ..LabelSelector::default() };
        parts.objects.claims.iter_mut().for_each(|claim| claim.selector = Some(Box::new(wanted.clone())));
    }
    if bit(18) {
        parts.objects.claims.iter_mut().for_each(|claim| claim.data_source = true);
        parts.objects.classes.iter_mut().for_each(|class| class.provisioner = "kubernetes.io/host-path".into());
    }
    for (number, pod) in parts.objects.pods.iter_mut().enumerate() {
        if bit(number + 15) {
            pod.ephemeral_claims = Box::new([format!("{}-scratch", pod.meta.name).into()]);
        }
    }
    if bit(16) {
        let meta = ObjectMeta { name: "n1".into(), uid: "uid-n1".into(), ..ObjectMeta::default() };
        parts.objects.nodes = vec![Node { meta, ..Node::default() }];
    }
    // The annotation with the secret, which `object` adds.
    let metas = (parts.objects.volumes.iter_mut().map(|volume| &mut volume.meta))
        .chain(parts.objects.claims.iter_mut().map(|claim| &mut claim.meta))
        .chain(parts.objects.classes.iter_mut().map(|class| &mut class.meta))
        .chain(parts.objects.pods.iter_mut().map(|pod| &mut pod.meta))
        .chain(parts.objects.nodes.iter_mut().map(|node| &mut node.meta));
    for meta in metas {
        let known = meta.annotations.iter().map(|(key, value)| (key, Str::from(value))).collect();
        meta.annotations = Annotations::new(known, 1);
    }
    for claim in &mut parts.objects.claims {
        claim.details = Some(Arc::new(details(claim)));
    }
}

fn stdin() -> FileOptions {
    FileOptions { paths: vec!["-".into()], ..FileOptions::default() }
}

/// What `snapshot -f -` prints of that input, with these flags.
fn snapshot_of(input: &str, options: &FileOptions) -> String {
    let Archived { mut objects, issues, statement } = archive_with(options, &mut input.as_bytes()).unwrap();
    assert_eq!(issues, []);
    archive::order(&mut objects);
    let mut written = Vec::new();
    archive::write(&objects, &statement, &mut written).unwrap();
    String::from_utf8(written).unwrap()
}

/// What `predict -f - -o json --trace` prints of that input.
fn prediction(input: &str, options: &FileOptions, rules: &Rules) -> String {
    prediction_of(read_with(options, &mut input.as_bytes()).unwrap().parts, rules)
}

fn prediction_of(parts: Parts, rules: &Rules) -> String {
    let snapshot = Snapshot::new(parts);
    let settings = Settings { tracing: true, budget: Budget { states: 300 }, ..Settings::new(rules.clone()) };
    let model = Model::new(&settings.rules, &settings.controllers, "assumed");
    let simulation = Simulation::new(&snapshot, settings, 1);
    let predictions: Vec<_> = simulation.targets().map(|target| simulation.predict(target)).collect();
    let components: BTreeSet<usize> = predictions.iter().map(|prediction| prediction.component).collect();
    let list = PredictionList {
        head: Head::new(model, &snapshot),
        items: predictions.iter().map(|prediction| PredictionOut::new(&snapshot, prediction)).collect(),
        worlds: components
            .into_iter()
            .filter_map(|number| {
                let (objects, worlds) = simulation.joint(number)?;
                Some(JointOut::new(&snapshot, number, &objects, &worlds))
            })
            .collect(),
    };
    // Ages and the objects that got defaults stand in tables and texts alone.
    format!("{}\n{:?} {:?}", serde_json::to_string_pretty(&list).unwrap(), snapshot.now(), snapshot.defaulted())
}

fn rules() -> impl Strategy<Value = Rules> {
    let mut all_on = Rules::default();
    all_on.set_flag("enable-hostpath-provisioner", "true").unwrap();
    all_on.set_gate("PersistentVolumeClaimUnusedSinceTime", true).unwrap();
    prop_oneof![2 => Just(Rules::default()), 1 => Just(all_on)]
}

/// What is said of the files' completeness, and of the time, by flags.
fn flags() -> impl Strategy<Value = FileOptions> {
    let scope = |kind: Kind, namespace: Option<&str>| Scope { kind, namespace: namespace.map(str::to_owned) };
    let scopes = [
        scope(Kind::PersistentVolume, None),
        scope(Kind::PersistentVolumeClaim, None),
        scope(Kind::PersistentVolumeClaim, Some("ns")),
        scope(Kind::StorageClass, None),
        scope(Kind::Pod, Some("other")),
    ];
    let some = || prop::sample::subsequence(scopes.to_vec(), 0..=2);
    let complete = prop_oneof![3 => Just(None), 1 => Just(Some(Vec::new())), 2 => some().prop_map(Some)];
    let partial = prop_oneof![2 => Just(Vec::new()), 1 => some()];
    let now = prop_oneof![2 => Just(None), 1 => Just(Some(Timestamp(1_690_000_000)))];
    (complete, partial, now).prop_map(|(assume_complete, partial, now)| FileOptions {
        assume_complete,
        partial,
        now,
        ..stdin()
    })
}

/// The flags are given once, to whatever reads the world; the reader of the snapshot needs none of them.
#[test]
fn a_snapshot_of_any_world_is_predicted_as_that_world() {
    check(400, (worlds(4, 4), any::<u64>(), rules(), flags()), |(Cluster(mut parts), odd, rules, flags)| {
        enrich(&mut parts, odd);
        let world = manifest(&parts);
        // What is written is the whole world: a field that this test forgets would not be tested.
        let read = read_with(&stdin(), &mut world.as_bytes()).unwrap().parts;
        prop_assert_eq!(&read.issues, &[]);
        prop_assert_eq!(&read.objects.volumes, &parts.objects.volumes);
        prop_assert_eq!(&read.objects.claims, &parts.objects.claims);
        prop_assert_eq!(&read.objects.classes, &parts.objects.classes);
        prop_assert_eq!(&read.objects.pods, &parts.objects.pods);
        prop_assert_eq!(&read.objects.nodes, &parts.objects.nodes);
        let written = snapshot_of(&world, &flags);
        prop_assert!(!written.contains(SECRET), "{}", written);
        prop_assert_eq!(prediction(&written, &stdin(), &rules), prediction(&world, &flags, &rules));
        prop_assert_eq!(snapshot_of(&written, &stdin()), written);
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
        let written = snapshot_of(&manifest(&parts), &stdin());
        let expected = prediction(&written, &stdin(), &rules);
        unnoticed.retain(|(kind, path)| prediction(&without(&written, kind, path), &stdin(), &rules) == expected);
    }
    assert!(unnoticed.is_empty(), "nothing depends on {unnoticed:?}");
}

/// The same for a cluster, where some kinds may be hidden: what was read in full is not assumed in the file, and what
/// was hidden is unknown in it.
#[test]
fn a_snapshot_of_a_cluster_is_predicted_as_that_cluster() {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let hidden = prop::sample::subsequence(
        vec![
            "/api/v1/persistentvolumes",
            // The list alone: those that claims name are read by their names.
            "/api/v1/persistentvolumes?",
            "/api/v1/persistentvolumeclaims",
            "/apis/storage.k8s.io/v1/storageclasses",
            "/api/v1/namespaces/ns/pods",
            "/api/v1/nodes",
        ],
        0..=2,
    );
    let strategy = (worlds(3, 3), any::<u64>(), rules(), prop_oneof![1 => Just(Vec::new()), 2 => hidden]);
    let uncertain = std::cell::Cell::new(0);
    check(40, strategy, |(Cluster(mut parts), odd, rules, hidden)| {
        enrich(&mut parts, odd);
        let needs = Needs {
            host_path_provisioning: rules.hostpath_provisioning,
            unused_condition: rules.unused_condition,
            ..Needs::default()
        };
        let (read, objects, stated) = runtime.block_on(async {
            let fake = FakeApi::start().await;
            fake.hold(manifests(&parts));
            for path in &hidden {
                fake.fail(path, usize::MAX, Answer::Status(403, "User \"eve\" cannot list"));
            }
            let options = ConnectOptions { server: Some(fake.url()), ..ConnectOptions::default() };
            let cluster = connect(&options, &Environment::default()).await;
            let read = cluster.read(needs, &Silent).await.unwrap();
            let (objects, parts) = cluster.read_raw(needs, &Silent).await.unwrap();
            (read, objects, parts)
        });
        let mut objects = objects;
        archive::order(&mut objects);
        let statement = Statement { coverage: stated.coverage, now: stated.now, kubernetes: Some(35) };
        for yaml in [false, true] {
            let mut written = Vec::new();
            let write = if yaml { archive::write_yaml } else { archive::write };
            write(&objects, &statement, &mut written).unwrap();
            let back = read_with(&stdin(), &mut written.as_slice()).unwrap();
            prop_assert_eq!(back.kubernetes, Some(35));
            prop_assert_eq!(prediction_of(back.parts, &rules), prediction_of(read.clone(), &rules));
        }
        let prediction = prediction_of(read, &rules);
        prop_assert!(!prediction.contains("\"as\": \"empty\""), "no absence in a cluster is assumed: {}", prediction);
        uncertain.set(uncertain.get() + u32::from(prediction.contains("\"unknown\": [")));
        Ok(())
    });
    assert!(uncertain.get() > 2, "hardly anything was unknown, so that little was tried");
}

async fn connect(options: &ConnectOptions, environment: &Environment) -> pvctl::source::Cluster<'static> {
    pvctl::source::Cluster::connect(options, environment).await.unwrap()
}

/// The verbs themselves, and what they say besides: `predict` of the snapshot says what `predict` of the source says.
fn assert_same_answers(source: &[&str], code: i32) -> String {
    // A snapshot of a cluster holds nodes and the pods of its own namespace, for whoever asks with other flags or for
    // an audit; these predictions do not read them.
    let is_common = |entry: &Value| {
        entry["resource"] != "nodes" && (entry["resource"] != "pods" || entry["namespace"] != "default")
    };
    let of_common = |document: &str| {
        let mut document: Value = serde_json::from_str(document).unwrap();
        document["coverage"].as_array_mut().unwrap().retain(is_common);
        // Of a server the version is detected, and the snapshot of it states that one.
        if document["model"]["source"] == "detected" {
            document["model"]["source"] = "stated".into();
        }
        document
    };
    let predict = |arguments: &[&str], input: &str| {
        let all = [&["predict", "-A", "-o", "json"], arguments].concat();
        let run = Run::new(&all).stdin(input.as_bytes()).finish();
        assert_eq!(run.code, Some(code), "{all:?}: {}", run.stderr);
        run.stdout
    };
    let expected = predict(source, "");
    let mut documents = Vec::new();
    for format in ["json", "yaml"] {
        let snapshot = Run::new(&[&["snapshot", "-o", format], source].concat()).finish();
        assert_eq!(snapshot.code, Some(0), "{source:?}: {}", snapshot.stderr);
        let back = predict(&["-f", "-"], &snapshot.stdout);
        assert_eq!(of_common(&back), of_common(&expected), "{source:?} through {format}");
        documents.push(snapshot.stdout);
    }
    // It holds too when kubectl, or somebody, has put the metadata first.
    let first: Value = serde_json::from_str(&documents[0]).unwrap();
    let turned = format!(
        "{{\"metadata\":{},\"items\":{},\"kind\":\"List\",\"apiVersion\":\"v1\"}}",
        first["metadata"], first["items"]
    );
    assert_eq!(of_common(&predict(&["-f", "-"], &turned)), of_common(&expected));
    expected
}

fn write(root: &Path, path: &str, content: &str) {
    let path = root.join(path);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, content).unwrap();
}

const WAITING_CLAIM: &str = r#"{"apiVersion":"v1","kind":"PersistentVolumeClaim",
    "metadata":{"name":"data","namespace":"db","uid":"c","deletionTimestamp":"2026-06-01T10:00:00Z",
        "finalizers":["kubernetes.io/pvc-protection"]},
    "spec":{"storageClassName":"fast","accessModes":["ReadWriteOnce"],"resources":{"requests":{"storage":"1Gi"}}},
    "status":{"phase":"Pending"}}"#;

#[test]
fn a_snapshot_keeps_what_a_dump_says_of_itself() {
    let directory = tempfile::tempdir().unwrap();
    let root = directory.path();
    write(root, "dump/nodes.json", r#"{"kind":"NodeList","apiVersion":"v1","items":[]}"#);
    write(root, "dump/db/pods.json", r#"{"kind":"PodList","apiVersion":"v1","items":[]}"#);
    write(root, "dump/claim.json", WAITING_CLAIM);
    // A must-gather whose list of pods is empty: nobody uses the claim, for certain.
    let gathered = "gather/image/namespaces/db/core";
    let claims = format!(r#"{{"kind":"PersistentVolumeClaimList","apiVersion":"v1","items":[{WAITING_CLAIM}]}}"#);
    write(root, &format!("{gathered}/persistentvolumeclaims.yaml"), &claims);
    write(root, &format!("{gathered}/pods.yaml"), "apiVersion: v1\nitems: []\nkind: PodList\n");
    for source in ["dump", "gather"] {
        let path = root.join(source);
        let predicted = assert_same_answers(&["-f", path.to_str().unwrap()], 0);
        let predicted: Value = serde_json::from_str(&predicted).unwrap();
        let empty = json!({"resource": "pods", "namespace": "db", "state": "complete"});
        assert!(predicted["coverage"].as_array().unwrap().contains(&empty), "{source}: {}", predicted["coverage"]);
        assert_eq!(predicted["items"][0]["outcomes"], json!([{"gone": true}]), "{source}");
        let assumed = predicted["items"][0]["assumed"].to_string();
        assert!(!assumed.contains("pods"), "{source}: {assumed}");
    }
}

/// `--now`, `--partial` and `--assume-complete` say something of the files, and the snapshot of them says it on.
#[test]
fn the_flags_about_files_go_into_the_snapshot() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("claim.json");
    std::fs::write(&file, WAITING_CLAIM).unwrap();
    let file = file.to_str().unwrap();
    let table = |arguments: &[&str], input: &str| {
        let run = Run::new(&[&["predict"], arguments].concat()).stdin(input.as_bytes()).finish();
        (run.code, run.stdout, run.stderr)
    };
    let plain = table(&["-f", file], "");
    for flags in [&["--now", "2030-01-01T00:00:00Z"][..], &["--partial", "pods"], &["--assume-complete"]] {
        let snapshot = Run::new(&[&["snapshot", "-f", file], flags].concat()).finish();
        assert_eq!((snapshot.code, snapshot.stderr.lines().count()), (Some(0), usize::from(flags[0] == "--partial")));
        let back = table(&["-f", "-"], &snapshot.stdout);
        assert_eq!(back, table(&[&["-f", file], flags].concat(), ""), "{flags:?}");
        assert!(back != plain || flags[0] == "--now", "{flags:?} change nothing");
        // What rests on pods is unknown where these are partial.
        assert_same_answers(&[&["-f", file], flags].concat(), 0);
    }
    let age = Run::new(&["snapshot", "-f", file, "--now", "2030-01-01T00:00:00Z"]).finish().stdout;
    let age: Value = serde_json::from_str(&age).unwrap();
    assert_eq!(age["metadata"]["annotations"]["pvctl.dev/now"], "2030-01-01T00:00:00Z");
    // Whoever reads the snapshot may know better.
    let partial = Run::new(&["snapshot", "-f", file, "--partial", "pods/db,pods"]).finish().stdout;
    let better = table(&["-f", "-", "--assume-complete"], &partial);
    assert_eq!(better, table(&["-f", file, "--assume-complete"], ""));
}

/// A server of another version, hidden volumes, a claim that waits: all of it is known to whoever reads the snapshot.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_snapshot_keeps_what_is_known_of_a_cluster() {
    let fake = FakeApi::start().await;
    let claim: Value = serde_json::from_str(WAITING_CLAIM).unwrap();
    fake.hold([claim]);
    fake.fail("/version", usize::MAX, Answer::Body(r#"{"major":"1","minor":"33+","gitVersion":"v1.33.1-x"}"#));
    let url = fake.url();
    let predicted = tokio::task::spawn_blocking(move || assert_same_answers(&["--server", &url], 0)).await.unwrap();
    let predicted: Value = serde_json::from_str(&predicted).unwrap();
    assert_eq!(
        (&predicted["model"]["kubernetes"], &predicted["model"]["source"]),
        (&json!("1.33"), &json!("detected"))
    );
    assert_eq!(
        predicted["coverage"][0],
        json!({"resource": "persistentvolumes", "state": "complete", "resourceVersion": "77"})
    );
    fake.fail("/api/v1/persistentvolumes", usize::MAX, Answer::Status(403, "User \"eve\" cannot list volumes"));
    fake.fail("/api/v1/namespaces/db/pods", usize::MAX, Answer::Status(403, "User \"eve\" cannot list pods"));
    let url = fake.url();
    let predicted = tokio::task::spawn_blocking(move || assert_same_answers(&["--server", &url], 3)).await.unwrap();
    let predicted: Value = serde_json::from_str(&predicted).unwrap();
    assert_eq!(predicted["items"][0]["unknown"][0]["reason"], "forbidden", "{predicted}");
    let assumed = json!([{"resource": "persistentvolumeclaims", "namespace": "db", "as": "defaults"}]);
    assert_eq!(predicted["items"][0]["assumed"], assumed, "the claim states no volumeMode; nothing else is assumed");
}

/// Pods may wait for a claim in a namespace that has none: they are found on a cluster, and so in a snapshot of it.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_snapshot_holds_the_pods_of_namespaces_without_claims() {
    let fake = FakeApi::start().await;
    fake.hold([json!({"apiVersion": "v1", "kind": "Pod",
        "metadata": {"namespace": "web", "name": "p", "uid": "p", "creationTimestamp": "2023-11-14T22:00:00Z"},
        "spec": {"containers": [{"name": "c"}],
            "volumes": [{"name": "v", "persistentVolumeClaim": {"claimName": "none"}}]},
        "status": {"phase": "Pending"}})]);
    let url = fake.url();
    let found = |run: Finished| {
        let report: Value = serde_json::from_str(&run.stdout).unwrap();
        report["findings"].clone()
    };
    let compare = move || {
        for scope in [&["-A"][..], &["-n", "web"]] {
            let audit = [&["audit", "--exit-zero", "-o", "json"], scope].concat();
            let live = found(Run::new(&[&audit[..], &["--server", &url]].concat()).finish());
            assert_eq!(live[0]["id"], "pod-claim-missing", "{live}");
            let snapshot = Run::new(&[&["snapshot", "--server", &url], scope].concat()).finish();
            let file = Run::new(&[&audit[..], &["-f", "-"]].concat()).stdin(snapshot.stdout.as_bytes());
            assert_eq!(found(file.finish()), live, "{scope:?}");
        }
    };
    tokio::task::spawn_blocking(compare).await.unwrap();
}

/// Whatever is asked of a snapshot, and with whatever flags: it is as if the cluster were asked, also where no decision
/// with the usual settings reads pods or nodes.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_snapshot_of_a_cluster_explains_as_the_cluster_does() {
    let fake = FakeApi::start().await;
    let bound = json!({"apiVersion": "v1", "kind": "PersistentVolumeClaim",
        "metadata": {"name": "used", "namespace": "web", "uid": "u", "finalizers": ["kubernetes.io/pvc-protection"],
            "annotations": {"pv.kubernetes.io/bind-completed": "yes"}},
        "spec": {"storageClassName": "", "accessModes": ["ReadWriteOnce"], "volumeName": "disk",
            "resources": {"requests": {"storage": "1Gi"}}},
        "status": {"phase": "Bound", "accessModes": ["ReadWriteOnce"], "capacity": {"storage": "1Gi"}}});
    let volume = |name: &str, phase: &str, namespace: &str, claim: &str| {
        json!({"apiVersion": "v1", "kind": "PersistentVolume",
            "metadata": {"name": name, "uid": name, "finalizers": ["kubernetes.io/pv-protection"]},
            "spec": {"capacity": {"storage": "1Gi"}, "accessModes": ["ReadWriteOnce"],
                "persistentVolumeReclaimPolicy": "Retain", "nfs": {"server": "s", "path": "/p"},
                "claimRef": {"namespace": namespace, "name": claim, "uid": "u"}},
            "status": {"phase": phase}})
    };
    let pod = |namespace: &str, claim: &str| {
        json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "user", "namespace": namespace, "uid": namespace},
            "spec": {"nodeName": "n", "containers": [],
                "volumes": [{"name": "v", "persistentVolumeClaim": {"claimName": claim}}]},
            "status": {"phase": "Running"}})
    };
    let node = json!({"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n", "uid": "n"}});
    fake.hold([bound, volume("disk", "Bound", "web", "used"), volume("left", "Released", "gone", "former")]);
    fake.hold([pod("web", "used"), pod("gone", "former"), node]);
    let url = fake.url();
    let compare = move |nodes: bool| {
        let snapshot = Run::new(&["snapshot", "--server", &url]).finish();
        assert_eq!(snapshot.code, Some(0), "{}", snapshot.stderr);
        let warning = "warning: nodes are missing: you may not list them (no)\n";
        assert_eq!(snapshot.stderr, if nodes { "" } else { warning });
        for flags in [
            &[][..],
            &["--controller-flag=enable-hostpath-provisioner=true"],
            &["--feature-gates=PersistentVolumeClaimUnusedSinceTime=true"],
        ] {
            for object in ["pvc/used", "pv/disk", "pv/left"] {
                let asked = [&["explain", object, "-n", "web"], flags].concat();
                let live = Run::new(&[&asked[..], &["--server", &url]].concat()).finish();
                let back = Run::new(&[&asked[..], &["-f", "-"]].concat()).stdin(snapshot.stdout.as_bytes()).finish();
                assert_eq!((back.code, &back.stdout), (live.code, &live.stdout), "{asked:?}");
                // What can be repaired is said of clusters alone: nothing can be written to a file.
                let offer = format!("kubectl pvctl fix {object} --server {url} proposes a repair\n");
                let offered = if object == "pv/left" { offer.as_str() } else { "" };
                assert_eq!(live.stderr.replace(offered, ""), back.stderr, "{asked:?}");
                assert!(live.stderr.ends_with(offered), "{asked:?}: {}", live.stderr);
                assert!(back.stdout.contains("pod user, on node n"), "{}", back.stdout);
            }
        }
    };
    let second = compare.clone();
    tokio::task::spawn_blocking(move || compare(true)).await.unwrap();
    fake.fail("/api/v1/nodes", usize::MAX, Answer::Status(403, "no"));
    tokio::task::spawn_blocking(move || second(false)).await.unwrap();
}

/// There is no server where a file is read.
#[test]
fn of_a_version_that_is_not_modelled_the_snapshot_is_named() {
    let of = |minor: u32, more: &[&str]| {
        let list = json!({
            "kind": "List", "apiVersion": "v1", "items": [],
            "metadata": {"annotations": {"pvctl.dev/kubernetes": format!("1.{minor}")}},
        });
        let asked = [&["predict", "-A", "-o", "json", "-f", "-"], more].concat();
        let document = Run::new(&asked).stdin(list.to_string().as_bytes()).finish().stdout;
        let model = serde_json::from_str::<Value>(&document).unwrap()["model"].clone();
        let asked = [&["predict", "-A", "-f", "-"], more].concat();
        let notes = Run::new(&asked).stdin(list.to_string().as_bytes()).finish().stderr;
        let note = notes.lines().find(|line| line.contains("nearest")).map(str::to_owned);
        (model["kubernetes"].clone(), model["source"].clone(), note)
    };
    let newest = KubeVersion::NEWEST.to_string();
    let note = format!("note: the snapshot is of Kubernetes 1.99; the nearest version that is modelled is {newest}");
    assert_eq!(of(99, &[]), (json!(newest), json!("stated"), Some(note)));
    assert_eq!(of(33, &[]), (json!("1.33"), json!("stated"), None));
    assert_eq!(of(99, &["--kube-version", "1.35"]), (json!("1.35"), json!("given"), None));
}

/// A file with a volume does not make up for the volumes that a snapshot could not hold.
#[test]
fn a_snapshot_that_lacks_something_lacks_it_beside_other_files_too() {
    let coverage = json!([{"resource": "persistentvolumes", "state": "forbidden"}]).to_string();
    let snapshot = json!({
        "kind": "List", "apiVersion": "v1", "items": [],
        "metadata": {"annotations": {"pvctl.dev/coverage": coverage}},
    });
    let other = r#"{"apiVersion":"v1","kind":"PersistentVolume","metadata":{"name":"a"}}"#;
    for input in [format!("{snapshot}{other}"), format!("{other}{snapshot}")] {
        let coverage = read_with(&stdin(), &mut input.as_bytes()).unwrap().parts.coverage;
        assert_eq!(coverage.state(Kind::PersistentVolume, ""), CoverageState::Forbidden);
        assert_eq!(coverage.state(Kind::Pod, "x"), CoverageState::Assumed);
        let both = format!("{input}{}", snapshot.to_string().replace("forbidden", "complete"));
        let coverage = read_with(&stdin(), &mut both.as_bytes()).unwrap().parts.coverage;
        assert_eq!(coverage.state(Kind::PersistentVolume, ""), CoverageState::Complete, "another snapshot holds them");
    }
}

/// What stands beside a snapshot is no part of it, whichever comes first.
#[test]
fn objects_beside_a_snapshot_count_as_of_an_input_of_their_own() {
    let coverage = json!([{"resource": "persistentvolumes", "state": "complete"}]).to_string();
    let snapshot = json!({
        "kind": "List", "apiVersion": "v1", "metadata": {"annotations": {"pvctl.dev/coverage": coverage}},
        "items": [{"apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": "a"}}],
    });
    let yaml = |first: &str, second: &str| format!("# two\n---\n{first}\n---\n{second}\n");
    for input in [
        format!("{snapshot}{WAITING_CLAIM}"),
        format!("{WAITING_CLAIM}{snapshot}"),
        yaml(&snapshot.to_string(), WAITING_CLAIM),
        yaml(WAITING_CLAIM, &snapshot.to_string()),
    ] {
        let read = read_with(&stdin(), &mut input.as_bytes()).unwrap().parts.coverage;
        let kept = archive_with(&stdin(), &mut input.as_bytes()).unwrap().statement.coverage;
        for coverage in [read, kept] {
            let state = |kind, namespace| coverage.state(kind, namespace);
            assert_eq!(state(Kind::PersistentVolume, ""), CoverageState::Complete, "{input}");
            assert_eq!(state(Kind::PersistentVolumeClaim, "db"), CoverageState::Complete, "{input}");
            assert_eq!(state(Kind::PersistentVolumeClaim, "web"), CoverageState::Assumed, "{input}");
        }
    }
}

#[test]
fn a_statement_that_nobody_understands_is_an_error_and_others_are_passed_over() {
    let list = |key: &str, value: Value| {
        json!({"kind": "List", "apiVersion": "v1", "metadata": {"annotations": {key: value}}, "items": []}).to_string()
    };
    for (key, value) in [
        ("pvctl.dev/coverage", json!("[{\"resource\":\"pods\",\"state\":\"perhaps\"}]")),
        ("pvctl.dev/coverage", json!("pods")),
        ("pvctl.dev/coverage", json!([])),
        ("pvctl.dev/now", json!("soon")),
        ("pvctl.dev/kubernetes", json!("2.0")),
    ] {
        for verb in ["snapshot", "predict"] {
            let run = Run::new(&[verb, "-f", "-"]).stdin(list(key, value.clone()).as_bytes()).finish();
            assert_eq!((run.code, run.stdout.as_str()), (Some(3), ""), "{key} {value}");
            assert!(run.stderr.contains(&format!("the list's annotation {key}")), "{}", run.stderr);
        }
    }
    for metadata in [r#"{"annotations":{"other":7}}"#, r#"{"annotations":null}"#, r#"{"annotations":[]}"#, "{}", "[]"] {
        let input = format!(r#"{{"kind":"List","metadata":{metadata},"items":[]}}"#);
        assert!(read_with(&stdin(), &mut input.as_bytes()).is_ok(), "{metadata}");
    }
}
