//! Snapshots of random worlds.

use super::objects::{SECRET, enrich, manifest, manifests};
use super::{connect, prediction, prediction_of, snapshot_of, stdin};
use crate::predict::properties::check;
use crate::support::api::ApiServer;
use crate::support::faults::Fault;
use crate::support::worlds::{Cluster, worlds};
use proptest::prelude::*;
use proptest::strategy::ValueTree as _;
use proptest::test_runner::{RngAlgorithm, TestRng, TestRunner};
use pvctl::controllers::KubernetesBehavior;
use pvctl::model::{Kind, Timestamp};
use pvctl::progress::Silent;
use pvctl::source::files::read_with;
use pvctl::source::{ConnectOptions, Environment, FileOptions, Needs, Scope, Statement, archive};
use serde_json::Value;

pub(super) fn behavior() -> impl Strategy<Value = KubernetesBehavior> {
    let mut all_on = KubernetesBehavior::default();
    all_on.set_flag("enable-hostpath-provisioner", "true").unwrap();
    all_on.set_gate("PersistentVolumeClaimUnusedSinceTime", true).unwrap();
    prop_oneof![2 => Just(KubernetesBehavior::default()), 1 => Just(all_on)]
}

/// Generates flags about the completeness of the files and about the time.
pub(super) fn flags() -> impl Strategy<Value = FileOptions> {
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

/// The flags are given only when the world is read. The snapshot states their effect, so its reader needs no flags.
#[test]
fn a_snapshot_of_any_world_is_predicted_as_that_world() {
    check(400, (worlds(4, 4), any::<u64>(), behavior(), flags()), |(Cluster(mut parts), odd, behavior, flags)| {
        enrich(&mut parts, odd);
        let world = manifest(&parts);
        // The manifest must contain the whole world. The test would not notice a field that the manifest lacks.
        let read = read_with(&stdin(), &mut world.as_bytes()).unwrap().parts;
        prop_assert_eq!(&read.issues, &[]);
        prop_assert_eq!(&read.objects.volumes, &parts.objects.volumes);
        prop_assert_eq!(&read.objects.claims, &parts.objects.claims);
        prop_assert_eq!(&read.objects.classes, &parts.objects.classes);
        prop_assert_eq!(&read.objects.pods, &parts.objects.pods);
        prop_assert_eq!(&read.objects.nodes, &parts.objects.nodes);
        let written = snapshot_of(&world, &flags);
        prop_assert!(!written.contains(SECRET), "{}", written);
        prop_assert_eq!(prediction(&written, &stdin(), &behavior), prediction(&world, &flags, &behavior));
        prop_assert_eq!(snapshot_of(&written, &stdin()), written);
        Ok(())
    });
}

/// The fields that decisions read, by `docs/controllers/`. The test above would notice if redaction dropped one of
/// them.
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

/// Returns the list without that field in the objects of that kind.
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
    let strategy = (worlds(4, 4), any::<u64>(), behavior());
    let mut unnoticed: Vec<_> = DECIDING.to_vec();
    for _ in 0..400 {
        if unnoticed.is_empty() {
            break;
        }
        let (Cluster(mut parts), odd, behavior) = strategy.new_tree(&mut runner).unwrap().current();
        enrich(&mut parts, odd);
        let written = snapshot_of(&manifest(&parts), &stdin());
        let expected = prediction(&written, &stdin(), &behavior);
        unnoticed.retain(|(kind, path)| prediction(&without(&written, kind, path), &stdin(), &behavior) == expected);
    }
    assert!(unnoticed.is_empty(), "no prediction changed without these fields: {unnoticed:?}");
}

/// The same property for a cluster in which some kinds may be hidden. Nothing is assumed about a kind that was read
/// completely. A kind that was hidden is unknown in the file.
#[test]
fn a_snapshot_of_a_cluster_is_predicted_as_that_cluster() {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let hidden = prop::sample::subsequence(
        vec![
            "/api/v1/persistentvolumes",
            // Only the list is hidden. The volumes that claims name are read by name.
            "/api/v1/persistentvolumes?",
            "/api/v1/persistentvolumeclaims",
            "/apis/storage.k8s.io/v1/storageclasses",
            "/api/v1/namespaces/ns/pods",
            "/api/v1/nodes",
        ],
        0..=2,
    );
    let strategy = (worlds(3, 3), any::<u64>(), behavior(), prop_oneof![1 => Just(Vec::new()), 2 => hidden]);
    let uncertain = std::cell::Cell::new(0);
    check(40, strategy, |(Cluster(mut parts), odd, behavior, hidden)| {
        enrich(&mut parts, odd);
        let needs = Needs {
            host_path_provisioning: behavior.hostpath_provisioning,
            unused_condition: behavior.unused_condition,
            ..Needs::default()
        };
        let (read, objects, stated) = runtime.block_on(async {
            let fake = ApiServer::start().await;
            fake.hold(manifests(&parts));
            for path in &hidden {
                fake.fail(path, usize::MAX, Fault::Refused(403, "User \"eve\" cannot list"));
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
            prop_assert_eq!(prediction_of(back.parts, &behavior), prediction_of(read.clone(), &behavior));
        }
        let prediction = prediction_of(read, &behavior);
        // The answer may assume only one kind of absence: that no claim will be created for pods that could not be read
        // (`docs/CONFORMANCE.md`, "Partial input").
        let (document, _) = prediction.rsplit_once('\n').unwrap();
        let document: Value = serde_json::from_str(document).unwrap();
        let items = document["items"].as_array().unwrap().iter();
        let mut assumed = items.flat_map(|item| item["assumed"].as_array().into_iter().flatten());
        let is_known = |one: &Value| one["as"] != "empty" || one["resource"] == "pods";
        prop_assert!(
            assumed.all(is_known),
            "an answer about a cluster must not assume that other objects are absent: {}",
            prediction
        );
        uncertain.set(uncertain.get() + u32::from(prediction.contains("\"unknown\": [")));
        Ok(())
    });
    assert!(uncertain.get() > 2, "the test is too weak: almost no answer was unknown");
}
