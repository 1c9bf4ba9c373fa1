//! What kube-scheduler says about pods without a node. The conformance test compares every recorded answer. These tests
//! state the rules of the plugins in worlds that the real scheduler has answered as well. They also check what callers
//! get.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use crate::support::root;
use pvctl::controllers::scheduler::{
    ConditionReason, Cycle, NotEvaluated, Plugin, Scheduler, SchedulerReason, Scheduling, handles,
};
use pvctl::controllers::{KubeVersion, KubernetesBehavior};
use pvctl::model::{Kind, Object, PersistentVolume, PersistentVolumeClaim, Pod};
use pvctl::snapshot::decode::{Item, decode};
use pvctl::snapshot::redact::redact;
use pvctl::snapshot::{Absence, Coverage, CoverageEntry, CoverageState, Parts, Snapshot};
use pvctl::world::{View, World};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;
use xtask::corpus;
use xtask::judge::snapshot;

pub(crate) const RECORDINGS: [&str; 2] = ["scheduling-1.36.3.jsonl.gz", "scheduling-handmade-1.36.3.jsonl.gz"];

/// Calls the function with each recorded world.
pub(crate) fn each_world(recording: &str, mut seen: impl FnMut(&str, &Snapshot)) {
    let file = root().join("tests/conformance").join(recording);
    for line in corpus::lines(&file).unwrap() {
        let line = line.unwrap();
        seen(&line.id, &snapshot(&line).unwrap());
    }
}

pub(crate) fn waiting(snapshot: &Snapshot) -> impl Iterator<Item = &Pod> {
    snapshot.pods().iter().filter(|pod| handles(pod))
}

/// The nodes that fit the pods of handmade worlds, as `docs/controllers/scheduler.md` and the API documentation of the
/// fields say. Each row has the beginning of a world's id, a pod, and the nodes.
const FITS: &[(&str, &str, &str)] = &[
    ("a toleration of the taint unschedulable", "p", ""),
    ("a toleration of the taint unschedulable", "q", "n1 n2"),
    ("tolerations", "none", "n3"),
    ("tolerations", "value", "n1 n2 n3"),
    ("tolerations", "other", "n3"),
    ("tolerations", "effect", "n2 n3"),
    ("tolerations", "all", "n1 n2 n3 n4"),
    ("node affinity: one term", "selector", "n1"),
    ("node affinity: one term", "either", "n1 n2"),
    ("node affinity: one term", "not", "n2 n3"),
    ("node affinity: one term", "gt", "n1"),
    ("node affinity: one term", "lt", "n2"),
    ("node affinity: one term", "absent", "n3"),
    ("node affinity: one term", "both", "n2"),
    ("node affinity: one term", "mixed", ""),
    ("node affinity: one term", "empty", ""),
    ("node affinity names nodes", "one", "n1"),
    ("node affinity names nodes", "two", "n1 n2"),
    ("node affinity names nodes", "any", "n1 n2"),
    ("node affinity names nodes", "not", "n2 n3"),
    ("node affinity names nodes", "gone", ""),
    ("node affinity names nodes", "conflict", ""),
    ("host ports", "same", ""),
    ("host ports", "else", "n1"),
    ("host ports", "any", ""),
    ("host ports", "zero", ""),
    ("host ports", "tcp", "n1"),
    ("host ports", "udp", ""),
    ("host ports", "sidecar", ""),
    ("host ports", "init", "n1"),
    ("host ports", "no-host", "n1"),
    ("requests", "sum", "n1"),
    ("requests", "sum-more", ""),
    ("requests", "init", "n1"),
    ("requests", "init-more", ""),
    ("requests", "sidecar", ""),
    ("requests", "init-after-sidecar", ""),
    ("requests", "init-before-sidecar", "n1"),
    ("requests", "limit", ""),
    ("pods on a node leave less", "fits", "n1"),
    ("pods on a node leave less", "more", ""),
    ("pods on a node leave less", "nothing", "n1"),
    ("other resources", "one", "n1"),
    ("other resources", "two", ""),
    ("other resources", "pages", ""),
    ("other resources", "disk", ""),
    ("resources of the pod itself", "less", "n1"),
    ("resources of the pod itself", "more", ""),
    ("what the kubelet has granted", "fits", "n1"),
    ("what the kubelet has granted", "more", ""),
    ("disks that a pod names itself", "g-read", "n1 n2"),
    ("disks that a pod names itself", "g-write", "n2"),
    ("disks that a pod names itself", "g-other", "n1 n2"),
    ("disks that a pod names itself", "r-read", "n1 n2"),
    ("disks that a pod names itself", "r-write", "n2"),
    ("disks that a pod names itself", "r-pool", "n1 n2"),
    ("disks that a pod names itself", "r-default", "n2"),
    ("disks that a pod names itself", "r-mon", "n1 n2"),
    ("disks that a pod names itself", "s-read", "n1 n2"),
    ("disks that a pod names itself", "s-write", "n2"),
    ("disks that a pod names itself", "e-read", "n2"),
    ("ReadWriteOncePod", "p", ""),
    ("ReadWriteOncePod", "q", "n1 n2"),
    ("ReadWriteOncePod", "r", "n1 n2"),
    ("limits", "same", "n1 n2 n3"),
    ("limits", "new", "n2 n3"),
    ("limits", "waits", "n2 n3"),
    ("limits", "three", "n3"),
    ("a bound volume", "affinity", "n1"),
    ("a bound volume", "label", "n1 n3"),
    ("a bound volume", "beta", "n2 n3"),
    ("a bound volume", "conflict", ""),
    ("waiting claims", "local", "n1"),
    ("waiting claims", "too-big", ""),
    ("waiting claims", "provisioned", "n1 n2"),
    ("waiting claims", "zonal", "n1"),
    ("waiting claims", "selected", "n2"),
    ("storage capacity", "p", "n1"),
    ("nodeTopology that cannot be used", "p", "n2"),
    ("node affinity of volumes that cannot be used", "number", ""),
    ("node affinity of volumes that cannot be used", "either", "n1"),
    ("node affinity of volumes that cannot be used", "waits", "n2"),
    ("node affinity of volumes that cannot be used", "two", ""),
    ("allowedTopologies", "odd", ""),
    ("allowedTopologies", "long", ""),
    ("allowedTopologies", "second", "n1"),
    ("allowedTopologies", "blank", "n2"),
    ("volumes of pods on the node that do not count", "one", "n1"),
    ("volumes of pods on the node that do not count", "two", ""),
    ("counted volumes: a volume without a handle", "w1", "n1"),
    ("counted volumes: a new volume without a handle", "w1", "n1"),
    ("counted volumes: a limit of zero", "w1", "n2"),
    ("zones in CSI: two labels for zones", "w1", "n1"),
    ("zones in CSI: a node affinity with the earlier label", "w1", "n2"),
    ("topology spread", "p", ""),
    ("topology spread", "honors-taints", "n4"),
    ("topology spread", "domains", "n4"),
    ("topology spread", "stranger", "n4"),
    ("topology spread", "ignores", ""),
    ("topology spread", "honors", "n4"),
    ("topology spread", "hash", "n1 n4"),
    ("topology spread", "prefers", "n1 n3 n4"),
    ("affinity between pods", "near", "n1"),
    ("affinity between pods", "first", "n1 n2"),
    ("affinity between pods", "lonely", ""),
    ("affinity between pods", "away", "n2 n3"),
    ("affinity between pods", "kept-away", "n1 n3"),
    ("affinity between pods", "in-other", "n2"),
    ("affinity between pods", "by-label", "n2"),
    ("affinity between pods", "in-all", "n2"),
    ("affinity between pods", "not-here", ""),
    ("declared features", "container", "n1 n4"),
    ("declared features", "init", "n1 n4"),
    ("declared features", "restart-one", "n1 n2 n3 n4"),
    ("declared features", "users", "n4"),
    ("declared features", "host-users", "n1 n2 n3 n4"),
    ("declared features", "both", "n4"),
];

fn candidates(answer: &Scheduling) -> String {
    let nodes: Vec<&str> = answer.candidates().map(|node| node.node.as_str()).collect();
    nodes.join(" ")
}

#[test]
fn pods_fit_the_nodes_that_the_rules_allow() {
    let behavior = KubernetesBehavior::default();
    let mut rows = BTreeSet::new();
    each_world(RECORDINGS[1], |id, snapshot| {
        let scheduler = Scheduler::new(snapshot, &behavior);
        let id = id.strip_prefix("scheduling: ").unwrap();
        for (world, pod, fits) in FITS.iter().filter(|(world, ..)| id.starts_with(world)) {
            let found = snapshot.pod("default", pod).unwrap();
            assert_eq!(candidates(&scheduler.schedule(found)), *fits, "{world}: {pod}");
            assert!(rows.insert((world, pod)), "{world}: {pod} has two rows");
        }
    });
    assert_eq!(rows.len(), FITS.len());
}

/// In the recordings every plugin rejects a pod or a node for each of its reasons. Three plugins do not exist in 1.36
/// any more, so a recording of 1.30 is read as well.
#[test]
fn every_reason_is_recorded() {
    let (mut plugins, mut reasons) = (BTreeSet::new(), BTreeSet::new());
    for recording in RECORDINGS.into_iter().chain(["scheduling-handmade-1.30.14.jsonl.gz"]) {
        let behavior = corpus::behavior_of(Path::new(recording)).unwrap();
        each_world(recording, |_, snapshot| {
            let scheduler = Scheduler::new(snapshot, &behavior);
            for pod in waiting(snapshot) {
                let answer = scheduler.schedule(pod);
                let nodes = answer.nodes().iter().flat_map(|node| &node.verdicts).map(|verdict| &verdict.status);
                let whole = match &answer.cycle {
                    Cycle::Gated(status) | Cycle::PreFilter(status) => Some(status),
                    Cycle::Skipped(_) | Cycle::Nodes(_) => None,
                };
                for status in nodes.chain(whole) {
                    plugins.extend(status.plugin);
                    reasons.extend(status.reasons.iter().filter_map(|reason| reason.leaf));
                }
            }
        });
    }
    assert_eq!(plugins.into_iter().collect::<Vec<_>>(), Plugin::ALL);
    assert_eq!(reasons.into_iter().collect::<Vec<_>>(), SchedulerReason::ALL);
}

/// At a later moment of a simulation some objects were created and others are gone. The answers must be those about a
/// snapshot with the same objects.
#[test]
fn a_world_of_a_simulation_has_the_same_answers() {
    let behavior = KubernetesBehavior::default();
    let (mut pods, mut added, mut gone) = (0, 0, 0);
    for recording in RECORDINGS {
        for line in corpus::lines(&root().join("tests/conformance").join(recording)).unwrap() {
            let line = line.unwrap();
            let whole = snapshot(&line).unwrap();
            let is_later = |item: &Value| {
                let kind = item["kind"].as_str().unwrap();
                ["Pod", "PersistentVolume", "PersistentVolumeClaim"].contains(&kind)
                    && item["metadata"]["name"].as_str().unwrap().ends_with(['1', '3'])
            };
            let mut before = line.clone();
            let later: Vec<Value> = before.world.items.extract_if(.., |item| is_later(item)).collect();
            // A pod that is gone would have used all resources of its node.
            let node = line.world.items.iter().find(|item| item["kind"] == "Node");
            before.world.items.extend(node.map(|node| {
                let requests = json!({"cpu": "3", "memory": "100Gi"});
                json!({
                    "apiVersion": "v1", "kind": "Pod", "metadata": {"name": "gone-now", "namespace": "default", "uid": "gone-now"},
                    "spec": {
                        "nodeName": node["metadata"]["name"],
                        "containers": [{"name": "c", "image": "i", "resources": {"requests": requests}}],
                    },
                })
            }));
            let before = snapshot(&before).unwrap();
            let mut world = World::new(&before);
            for item in &later {
                match decoded(item) {
                    Object::Pod(pod) => {
                        world.add::<Pod>(Arc::from(pod), None);
                    }
                    Object::PersistentVolume(volume) => {
                        world.add::<PersistentVolume>(Arc::from(volume), None);
                    }
                    Object::PersistentVolumeClaim(claim) => {
                        world.add::<PersistentVolumeClaim>(Arc::from(claim), None);
                    }
                    other => panic!("{other:?}"),
                }
                added += 1;
            }
            if let Some(id) = before.id::<Pod>("default", "gone-now") {
                world.set(id, None::<Arc<Pod>>);
                gone += 1;
            }
            let (one, other) = (Scheduler::new(&whole, &behavior), Scheduler::of_view(View::World(&world), &behavior));
            for pod in waiting(&whole) {
                let same = View::World(&world).find::<Pod>(&pod.meta.namespace, &pod.meta.name).unwrap();
                assert_eq!(one.schedule(pod), other.schedule(same), "{}: {}", line.id, pod.meta.name);
                pods += 1;
            }
        }
    }
    assert!(
        pods > 2000 && added > 3000 && gone > 1000,
        "the test is too weak: {pods} pods, {added} objects added, {gone} objects gone"
    );
}

/// Redaction keeps every field that a plugin reads.
#[test]
fn a_redacted_world_has_the_same_answers() {
    let behavior = KubernetesBehavior::default();
    let mut pods = 0;
    for recording in RECORDINGS {
        for line in corpus::lines(&root().join("tests/conformance").join(recording)).unwrap() {
            let mut line = line.unwrap();
            let whole = snapshot(&line).unwrap();
            for item in &mut line.world.items {
                let kind = Kind::from_manifest(item["kind"].as_str().unwrap()).unwrap();
                *item = redact(kind, item.take());
            }
            let redacted = snapshot(&line).unwrap();
            let (one, other) = (Scheduler::new(&whole, &behavior), Scheduler::new(&redacted, &behavior));
            for (pod, same) in waiting(&whole).zip(waiting(&redacted)) {
                assert_eq!(one.schedule(pod), other.schedule(same), "{}: {}", line.id, pod.meta.name);
                pods += 1;
            }
        }
    }
    assert!(pods > 2000, "{pods}");
}

/// Returns the snapshot of these objects. All kinds were read completely, except for the given entries.
pub(super) fn known(objects: &[Value], others: &[(Kind, Option<&str>, CoverageState)]) -> Snapshot {
    known_objects(objects.iter().map(decoded), others)
}

pub(super) fn decoded(object: &Value) -> Object {
    match decode(object.to_string().as_bytes(), "a test").unwrap() {
        Item::Object(object) => object,
        Item::Skipped(kind) => panic!("{kind}"),
    }
}

/// Returns the same as [`known`], for objects that are already decoded.
pub(super) fn known_objects(
    objects: impl IntoIterator<Item = Object>,
    others: &[(Kind, Option<&str>, CoverageState)],
) -> Snapshot {
    let mut coverage = Coverage::default();
    for kind in Kind::EVERY {
        coverage.set(CoverageEntry::new(kind, None, CoverageState::Complete));
    }
    for (kind, namespace, state) in others {
        coverage.set(CoverageEntry::new(*kind, namespace.map(Into::into), *state));
    }
    let mut parts = Parts { coverage, ..Parts::default() };
    for object in objects {
        parts.objects.push(object);
    }
    Snapshot::new(parts)
}

fn node(name: &str, allocatable: &Value) -> Value {
    json!({"apiVersion": "v1", "kind": "Node", "metadata": {"name": name, "uid": name},
        "status": {"allocatable": allocatable}})
}

fn pod(spec: &Value) -> Value {
    json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p", "namespace": "n", "uid": "p"}, "spec": spec})
}

fn answer(snapshot: &Snapshot, minor: u32) -> Scheduling {
    let behavior = KubernetesBehavior::of(KubeVersion::modelled(minor).unwrap());
    Scheduler::new(snapshot, &behavior).schedule(snapshot.pod("n", "p").unwrap())
}

/// Unknown is not absent: a pod that was not read may use the resources of a node.
#[test]
fn an_answer_is_certain_only_if_everything_was_read() {
    let objects = [node("n1", &json!({"cpu": "1", "pods": "9"})), pod(&json!({"containers": [{"name": "c"}]}))];
    let all = answer(&known(&objects, &[]), 36);
    assert!(all.is_certain() && candidates(&all) == "n1", "{all:?}");
    let hidden = Some(Absence::Unknown(CoverageState::Forbidden));
    for (kind, namespace) in [(Kind::Node, None), (Kind::Pod, None), (Kind::Pod, Some("other"))] {
        let partly = answer(&known(&objects, &[(kind, namespace, CoverageState::Forbidden)]), 36);
        assert!(!partly.is_certain());
        assert_eq!(partly.doubts.get(&kind), hidden.as_ref(), "{kind} {namespace:?}");
    }
    // For a pod without volumes no plugin reads VolumeAttachments.
    assert!(answer(&known(&objects, &[(Kind::VolumeAttachment, None, CoverageState::Forbidden)]), 36).is_certain());
    let nobody = answer(&known(&objects[1..], &[(Kind::Node, None, CoverageState::Assumed)]), 36);
    assert_eq!(nobody.reason, Some(ConditionReason::Unschedulable));
    assert_eq!(nobody.doubts.get(&Kind::Node), Some(&Absence::Assumed));
}

/// Before 1.36 a DeviceClass is no extended resource (gate `DRAExtendedResource`), and the declared features of a node
/// are not compared (gate `NodeDeclaredFeatures`).
#[test]
fn what_is_not_evaluated_is_said() {
    let with = json!({"cpu": "1", "pods": "9", "example.com/gpu": "1"});
    let nodes = [node("n1", &with), node("n2", &json!({"cpu": "1", "pods": "9"}))];
    let world = |spec: &Value| known(&[&nodes[..], &[pod(spec)]].concat(), &[]);
    let gpu = json!({"containers": [{"name": "c", "resources": {"limits": {"example.com/gpu": "1"}}}]});
    let asked = |snapshot: &Snapshot, minor| answer(snapshot, minor).not_evaluated;
    assert_eq!(asked(&world(&gpu), 36), [NotEvaluated::DeviceClasses].into());
    assert_eq!(asked(&world(&gpu), 35), [].into());
    assert_eq!(asked(&known(&[nodes[0].clone(), pod(&gpu)], &[]), 36), [].into());
    let devices = json!({"containers": [{"name": "c"}], "resourceClaims": [{"name": "r", "resourceClaimName": "r"}]});
    assert_eq!(asked(&world(&devices), 36), [NotEvaluated::DeviceClaims].into());
    // Preemption can help only if a pod of lower priority is on a node that has too little room.
    let placed = |priority: i64| {
        let mut placed = pod(&json!({
            "containers": [{"name": "c", "resources": {"requests": {"cpu": "1"}}}], "nodeName": "n1", "priority": priority,
        }));
        placed["metadata"]["name"] = json!("placed");
        placed
    };
    let waits = |policy: &str, lower: i64| {
        let spec = json!({
            "containers": [{"name": "c", "resources": {"requests": {"cpu": "1"}}}], "priority": 10,
            "preemptionPolicy": policy,
        });
        asked(&known(&[nodes[0].clone(), placed(lower), pod(&spec)], &[]), 36)
    };
    assert_eq!(waits("PreemptLowerPriority", 9), [NotEvaluated::Preemption].into());
    assert_eq!(waits("PreemptLowerPriority", 10), [].into());
    assert_eq!(waits("Never", 9), [].into());
    let restarts = json!({"containers": [{"name": "c", "restartPolicyRules": [{"action": "RestartAllContainers"}]}]});
    assert_eq!(candidates(&answer(&world(&restarts), 36)), "");
    assert_eq!(candidates(&answer(&world(&restarts), 35)), "n1 n2");
}
