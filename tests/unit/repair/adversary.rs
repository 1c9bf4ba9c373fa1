//! Tests of `pvctl::repair::adversary`.

#![expect(clippy::panic, clippy::expect_used, reason = "a world that cannot be made is a failed test")]

use pvctl::controllers::KubernetesBehavior;
use pvctl::diagnosis::shared_volumes::Providers;
use pvctl::model::Kind;
use pvctl::repair::adversary::{Exploration, Move};
use pvctl::repair::involved::InvolvedObjects;
use pvctl::repair::safety_model::SafetyModel;
use pvctl::repair::{
    Harm, Manifests, Plan, Proposed, Recipient, Request, SearchReach, Situation, Verdict, claim_key, judge, propose,
    volume_key,
};
use pvctl::simulate::Settings;
use pvctl::snapshot::{Coverage, CoverageEntry, CoverageState, Item, Parts, Snapshot, decode};
use serde_json::{Value, json};

fn volume(name: &str, policy: &str, claim: &str, uid: &str, phase: &str) -> Value {
    json!({
        "apiVersion": "v1", "kind": "PersistentVolume",
        "metadata": {
            "name": name, "uid": format!("uid-{name}"), "resourceVersion": "1",
            "finalizers": ["kubernetes.io/pv-protection"],
            "annotations": { "pv.kubernetes.io/bound-by-controller": "yes" },
        },
        "spec": {
            "accessModes": ["ReadWriteOnce"], "capacity": { "storage": "1Gi" }, "storageClassName": "slow",
            "persistentVolumeReclaimPolicy": policy,
            "csi": { "driver": "d.example.com", "volumeHandle": name },
            "claimRef": { "apiVersion": "v1", "kind": "PersistentVolumeClaim", "namespace": "a", "name": claim, "uid": uid },
        },
        "status": { "phase": phase },
    })
}

fn claim(name: &str) -> Value {
    json!({
        "apiVersion": "v1", "kind": "PersistentVolumeClaim",
        "metadata": {
            "namespace": "a", "name": name, "uid": format!("uid-{name}"), "resourceVersion": "1",
            "finalizers": ["kubernetes.io/pvc-protection"],
        },
        "spec": {
            "accessModes": ["ReadWriteOnce"], "resources": { "requests": { "storage": "1Gi" } },
            "storageClassName": "slow",
        },
        "status": { "phase": "Pending" },
    })
}

fn snapshot(objects: &[Value]) -> Snapshot {
    let mut parts = Parts { coverage: Coverage::complete(), ..Parts::default() };
    for kind in Kind::SURROUNDING {
        parts.coverage.set(CoverageEntry::new(kind, None, CoverageState::Complete));
    }
    for object in objects {
        match decode::read(None, object.to_string().as_bytes(), "test") {
            Ok(Item::Object(object)) => parts.objects.push(object),
            other => panic!("{other:?}"),
        }
    }
    Snapshot::new(parts)
}

fn plan(situation: &Situation<'_>, request: &Request) -> Plan {
    match propose(situation, request) {
        Proposed::Plan(plan) => *plan,
        other => panic!("a plan must be proposed: {other:?}"),
    }
}

/// The result of a sync must depend only on its basis. So if syncs are run again with the same basis, they must have
/// the stored result.
#[test]
fn syncs_rest_on_their_basis_alone() {
    let class = json!({
        "apiVersion": "storage.k8s.io/v1", "kind": "StorageClass", "metadata": { "name": "slow" },
        "provisioner": "d.example.com", "volumeBindingMode": "WaitForFirstConsumer",
    });
    let objects = [
        class,
        volume("data", "Delete", "gone", "uid-of-old", "Released"),
        volume("half", "Retain", "waits", "uid-waits", "Available"),
        claim("waits"),
        claim("gone"),
    ];
    let snapshot = snapshot(&objects);
    let settings = Settings::new(KubernetesBehavior::default());
    let manifests = Manifests::default();
    let situation = Situation {
        snapshot: &snapshot,
        settings: settings.clone(),
        manifests: &manifests,
        providers: Providers::built_in(),
    };
    let request = Request::Release { volume: "data".into(), to: Recipient::Anyone };
    let plan = plan(&situation, &request);
    let involved = InvolvedObjects::reaching(&snapshot, &plan, true);
    let mut model = SafetyModel::new(&snapshot, &settings, &plan, &involved)
        .expect("the involved objects must fit into the safety model");

    let reach = SearchReach { states: 20_000, failures: true, everyone: true };
    let search =
        Exploration::run(&mut model, &plan.steps, true, reach, None).expect("the search must finish within its limit");
    assert!(search.states.len() > 1_000, "the test is too weak: only {} states", search.states.len());
    let reserved = |step: &(usize, Move)| matches!(step.1, Move::Reservation { .. });
    assert!(search.ways.iter().flatten().any(reserved), "the scheduler must have reserved a volume");
    let shared: Vec<_> = search.states.iter().map(|state| model.syncs(state, true)).collect();
    for (state, shared) in search.states.iter().zip(shared) {
        model.forget_syncs();
        assert_eq!(model.syncs(state, true), shared, "{state:?}");
    }
}

/// The garbage collector deletes the claims that a deleted claim owns, and with them the data of volumes with
/// policy Delete.
#[test]
fn the_garbage_collector_follows_owners() {
    let bound = |name: &str, volume: &str| {
        let mut bound = claim(name);
        bound["spec"]["volumeName"] = volume.into();
        bound["metadata"]["annotations"]["pv.kubernetes.io/bind-completed"] = "yes".into();
        bound["status"]["phase"] = "Bound".into();
        bound
    };
    let mut child = bound("child", "childs");
    child["metadata"]["ownerReferences"] =
        json!([{ "apiVersion": "v1", "kind": "PersistentVolumeClaim", "name": "had", "uid": "uid-had" }]);
    let objects = [
        volume("kept", "Retain", "had", "uid-had", "Bound"),
        volume("childs", "Delete", "child", "uid-child", "Bound"),
        bound("had", "kept"),
        child,
    ];
    let snapshot = snapshot(&objects);
    let settings = Settings::new(KubernetesBehavior::default());
    let mut manifests = Manifests::default();
    manifests.add(claim_key("a", "had"), objects[2].clone());
    let situation = Situation {
        snapshot: &snapshot,
        settings: settings.clone(),
        manifests: &manifests,
        providers: Providers::built_in(),
    };
    let request = Request::Move {
        namespace: "a".into(),
        name: "had".into(),
        to_namespace: "a".into(),
        to_name: "new".into(),
        restore_policy: false,
    };
    let plan = plan(&situation, &request);
    let Verdict::Harmful(found) = judge(&situation, &plan, SearchReach::REVIEW) else {
        panic!("the plan must be harmful")
    };
    assert_eq!((&*found.volume, found.harm), ("childs", Harm::DataDeleted));
    let collected = "the garbage collector deletes a/child, whose owner is gone";
    assert!(found.moves.iter().any(|said| said == collected), "{:#?}", found.moves);
}

/// A manifest with policy Delete may be applied between any two steps. Without the plan, this loses no data.
#[test]
fn a_manifest_is_applied_again_at_any_moment() {
    let mut had = claim("had");
    had["spec"]["volumeName"] = "kept".into();
    had["metadata"]["annotations"] = json!({ "pv.kubernetes.io/bind-completed": "yes" });
    had["status"]["phase"] = "Bound".into();
    let request = Request::Move {
        namespace: "a".into(),
        name: "had".into(),
        to_namespace: "a".into(),
        to_name: "new".into(),
        restore_policy: false,
    };
    let judged = |policy: &str| {
        let mut kept = volume("kept", "Delete", "had", "uid-had", "Bound");
        let applied = json!({ "spec": { "persistentVolumeReclaimPolicy": policy } }).to_string();
        kept["metadata"]["annotations"]["kubectl.kubernetes.io/last-applied-configuration"] = applied.into();
        let snapshot = snapshot(&[kept.clone(), had.clone()]);
        let mut manifests = Manifests::default();
        manifests.add(claim_key("a", "had"), had.clone());
        manifests.add(volume_key("kept"), kept);
        let settings = Settings::new(KubernetesBehavior::default());
        let situation =
            Situation { snapshot: &snapshot, settings, manifests: &manifests, providers: Providers::built_in() };
        judge(&situation, &plan(&situation, &request), SearchReach::REVIEW)
    };
    let Verdict::Harmful(found) = judged("Delete") else { panic!("the plan must be harmful") };
    assert_eq!((&*found.volume, found.harm), ("kept", Harm::DataDeleted));
    let applied = "somebody applies volume kept again, with policy Delete";
    assert!(found.moves.iter().any(|said| said == applied), "{:#?}", found.moves);
    let verdict = judged("Retain");
    assert!(matches!(verdict, Verdict::Safe { .. }), "{verdict:?}");
}
