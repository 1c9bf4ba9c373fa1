//! What becomes of data, and of objects that the controller has not seen yet: small worlds with the written rule beside.
#![expect(clippy::unwrap_used, reason = "a world that cannot be made is a failed test")]

use pvctl::controllers::persistent_volume::reclaim::DataFate;
use pvctl::controllers::{Controller, Rules};
use pvctl::model::Kind;
use pvctl::simulate::component::components;
use pvctl::simulate::{Outcome, Settings, Simulation, settle};
use pvctl::snapshot::{ClaimId, Coverage, CoverageEntry, CoverageState, Item, Parts, Snapshot, decode};
use pvctl::world::Cached;
use serde_json::{Value, json};

fn snapshot(objects: &[Value]) -> Snapshot {
    with_coverage(objects, Coverage::complete())
}

fn with_coverage(objects: &[Value], coverage: Coverage) -> Snapshot {
    let mut parts = Parts { coverage, ..Parts::default() };
    for object in objects {
        match decode::decode(object.to_string().as_bytes(), "test").unwrap() {
            Item::Volume(volume) => parts.volumes.push(*volume),
            Item::Claim(claim) => parts.claims.push(*claim),
            Item::Class(class) => parts.classes.push(*class),
            Item::Pod(pod) => parts.pods.push(*pod),
            Item::Node(node) => parts.nodes.push(*node),
            Item::Skipped(_) => {}
        }
    }
    Snapshot::new(parts)
}

fn volume(path: &str, terminating: bool) -> Value {
    let mut volume = json!({
        "apiVersion": "v1", "kind": "PersistentVolume",
        "metadata": { "name": "pv-1", "uid": "v-1", "resourceVersion": "1", "finalizers": ["kubernetes.io/pv-protection"] },
        "spec": {
            "accessModes": ["ReadWriteOnce"], "capacity": { "storage": "1Gi" }, "hostPath": { "path": path },
            "persistentVolumeReclaimPolicy": "Delete", "storageClassName": "a", "volumeMode": "Filesystem",
            "claimRef": { "apiVersion": "v1", "kind": "PersistentVolumeClaim", "namespace": "db", "name": "gone", "uid": "c-0" },
        },
        "status": { "phase": "Released" },
    });
    if terminating {
        volume["metadata"]["deletionTimestamp"] = "2026-06-01T10:00:00Z".into();
        volume["metadata"]["deletionGracePeriodSeconds"] = 0.into();
    }
    volume
}

fn ends_of_volume(snapshot: &Snapshot, settings: &Settings<'_>) -> Vec<Outcome> {
    let component = &components(snapshot, &settings.rules)[0];
    settle(snapshot, settings, component).volumes[0].listed.to_vec()
}

fn gone(data: DataFate) -> Outcome {
    Outcome::Gone { data: Some(data), unsettled: false }
}

/// Rule book F.3: the host-path deleter removes what lies below `/tmp/`, then the volume is deleted; pv-protection lets
/// a volume that is not Bound go.
#[test]
fn a_released_host_path_below_tmp_loses_its_data() {
    let snapshot = snapshot(&[volume("/tmp/x", false)]);
    assert_eq!(ends_of_volume(&snapshot, &Settings::new(Rules::default())), [gone(DataFate::Destroyed)]);
}

/// Rule book F.3 and G.2: on a volume that is being deleted the deleter races with pv-protection (X11). Whoever is first
/// decides about the data, so both fates are outcomes.
#[test]
fn a_terminating_host_path_below_tmp_may_lose_its_data() {
    let snapshot = snapshot(&[volume("/tmp/x", true)]);
    let both = [gone(DataFate::Kept), gone(DataFate::Destroyed)];
    assert_eq!(ends_of_volume(&snapshot, &Settings::new(Rules::default())), both);
    let mut bounded = Settings::new(Rules::default());
    bounded.budget.states = 0;
    let ends = ends_of_volume(&snapshot, &bounded);
    assert!(both.iter().all(|end| ends.contains(end)), "{ends:?}");
}

/// Rule book F.3: a path that the deleter refuses is kept, and the volume is Failed until pv-protection lets it go.
#[test]
fn a_terminating_host_path_elsewhere_keeps_its_data() {
    let snapshot = snapshot(&[volume("/mnt/x", true)]);
    assert_eq!(ends_of_volume(&snapshot, &Settings::new(Rules::default())), [gone(DataFate::Kept)]);
}

/// Rule book C.3: 1.36 asks the API server before it takes a claim for gone; the cache catches up at some time, and the
/// pair ends Bound. Under the rules of 1.14 the volume is Released on the way, where a driver would delete it.
#[test]
fn a_claim_that_the_cache_has_not_seen_yet_is_bound_in_the_end() {
    let mut volume = volume("/mnt/x", false);
    volume["spec"]["claimRef"] = json!({
        "apiVersion": "v1", "kind": "PersistentVolumeClaim", "namespace": "db", "name": "data", "uid": "c-1",
    });
    volume["spec"]["persistentVolumeReclaimPolicy"] = "Retain".into();
    volume["status"]["phase"] = "Pending".into();
    let claim = json!({
        "apiVersion": "v1", "kind": "PersistentVolumeClaim",
        "metadata": {
            "name": "data", "namespace": "db", "uid": "c-1", "resourceVersion": "2",
            "finalizers": ["kubernetes.io/pvc-protection"],
        },
        "spec": {
            "accessModes": ["ReadWriteOnce"], "resources": { "requests": { "storage": "1Gi" } },
            "storageClassName": "a", "volumeMode": "Filesystem",
        },
        "status": { "phase": "Pending" },
    });
    let snapshot = snapshot(&[volume, claim]);
    for (version, phases) in [("1.36", &["Bound"][..]), ("1.14", &["Bound"])] {
        let rules = Rules::of(pvctl::controllers::KubeVersion::parse(version).unwrap());
        let mut settings = Settings { controllers: vec![Controller::PersistentVolumeBinder], ..Settings::new(rules) };
        settings.controller.claims.push((ClaimId(0), Cached::Unseen));
        let component = &components(&snapshot, &settings.rules)[0];
        let settled = settle(&snapshot, &settings, component);
        let found: Vec<&str> = settled.volumes[0].listed.iter().map(Outcome::phase).collect();
        assert_eq!(found, phases, "the volume under the rules of {version}");
        assert_eq!(settled.claims[0].listed.iter().map(Outcome::phase).collect::<Vec<_>>(), ["Bound"], "{version}");
    }
}

/// Unknown is not absent: a pod that may not be listed may keep the claim (X3), and with it the volume's binding. So the
/// end of both is unknown, and that of the volume is not given as Released.
#[test]
fn where_pods_are_hidden_the_ends_of_claim_and_volume_are_unknown() {
    let mut volume = volume("/mnt/x", false);
    volume["spec"]["claimRef"] = json!({
        "apiVersion": "v1", "kind": "PersistentVolumeClaim", "namespace": "db", "name": "data", "uid": "c-1",
    });
    volume["status"]["phase"] = "Bound".into();
    let claim = json!({
        "apiVersion": "v1", "kind": "PersistentVolumeClaim",
        "metadata": {
            "name": "data", "namespace": "db", "uid": "c-1", "resourceVersion": "2",
            "annotations": { "pv.kubernetes.io/bind-completed": "yes" },
            "finalizers": ["kubernetes.io/pvc-protection"],
            "deletionTimestamp": "2026-06-01T10:00:00Z", "deletionGracePeriodSeconds": 0,
        },
        "spec": {
            "accessModes": ["ReadWriteOnce"], "resources": { "requests": { "storage": "1Gi" } },
            "storageClassName": "a", "volumeMode": "Filesystem", "volumeName": "pv-1",
        },
        "status": { "phase": "Bound" },
    });
    for (state, known) in [(CoverageState::Complete, true), (CoverageState::Forbidden, false)] {
        let mut coverage = Coverage::complete();
        coverage.set(CoverageEntry { kind: Kind::Pod, namespace: None, state, resource_version: None, reason: None });
        let snapshot = with_coverage(&[volume.clone(), claim.clone()], coverage);
        let simulation = Simulation::new(&snapshot, Settings::new(Rules::default()), 1);
        for target in simulation.targets() {
            let prediction = simulation.predict(target);
            assert_eq!(prediction.outcomes.is_some(), known, "{target:?} with pods {state:?}");
            assert_eq!(prediction.unknown.iter().any(|unknown| unknown.field == "outcomes"), !known, "{target:?}");
        }
        assert_eq!(simulation.joint(1).is_some(), known, "joint states are left out with the rest");
    }
}
