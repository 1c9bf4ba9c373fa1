//! Tests of `pvctl::diagnosis::attaching`. `docs/controllers/attach-detach.md` states what is expected.

use crate::manifests::{world, world_without};
use pvctl::controllers::KubernetesBehavior;
use pvctl::controllers::attach_detach::{AttachBranch, AttachState, DetachBranch, attachment_name};
use pvctl::diagnosis::attaching::{AttachmentOutlook, Attachments, Leaf, Step, When};
use pvctl::model::{Kind, VolumeAttachment};
use pvctl::snapshot::Snapshot;
use serde_json::{Value, json};

/// The unique name of the volume.
const NAME: &str = "kubernetes.io/csi/ebs.csi.aws.com^vol-1";

fn volume(modes: &[&str]) -> Value {
    json!({
        "apiVersion": "v1", "kind": "PersistentVolume", "metadata": { "name": "pv", "uid": "v" },
        "spec": {
            "capacity": { "storage": "1Gi" }, "accessModes": modes,
            "claimRef": { "namespace": "db", "name": "data", "uid": "c" },
            "csi": { "driver": "ebs.csi.aws.com", "volumeHandle": "vol-1" },
        },
        "status": { "phase": "Bound" },
    })
}

fn claim() -> Value {
    json!({
        "apiVersion": "v1", "kind": "PersistentVolumeClaim",
        "metadata": { "namespace": "db", "name": "data", "uid": "c" },
        "spec": { "volumeName": "pv", "accessModes": ["ReadWriteOnce"] },
        "status": { "phase": "Bound" },
    })
}

fn pod(name: &str, node: &str) -> Value {
    json!({
        "apiVersion": "v1", "kind": "Pod", "metadata": { "namespace": "db", "name": name, "uid": name },
        "spec": {
            "nodeName": node,
            "volumes": [{ "name": "d", "persistentVolumeClaim": { "claimName": "data" } }],
            "containers": [],
        },
        "status": { "phase": "Pending" },
    })
}

/// Returns a node that has the volume attached and mounted, or not.
fn node(name: &str, ready: &str, attached: bool, mounted: bool) -> Value {
    let attached: Vec<Value> = attached.then(|| json!({ "name": NAME, "devicePath": "" })).into_iter().collect();
    let mounted: Vec<&str> = mounted.then_some(NAME).into_iter().collect();
    json!({
        "apiVersion": "v1", "kind": "Node",
        "metadata": {
            "name": name, "uid": name,
            "annotations": { "volumes.kubernetes.io/controller-managed-attach-detach": "true" },
        },
        "status": {
            "conditions": [{ "type": "Ready", "status": ready }],
            "volumesAttached": attached, "volumesInUse": mounted,
        },
    })
}

fn attachment(node: &str, attached: bool) -> Value {
    json!({
        "apiVersion": "storage.k8s.io/v1", "kind": "VolumeAttachment",
        "metadata": { "name": attachment_name("vol-1", "ebs.csi.aws.com", node), "uid": "a" },
        "spec": {
            "attacher": "ebs.csi.aws.com", "nodeName": node, "source": { "persistentVolumeName": "pv" },
        },
        "status": { "attached": attached },
    })
}

fn with(mut object: Value, pointer: &str, field: &str, value: Value) -> Value {
    if let Some(place) = object.pointer_mut(pointer).and_then(Value::as_object_mut) {
        place.insert(field.to_owned(), value);
    }
    object
}

/// Returns the outlook of the volume of the only pod with this name.
fn of_pod(objects: &[Value], name: &str) -> AttachmentOutlook {
    of_pod_with(objects, name, &KubernetesBehavior::default())
}

fn of_pod_with(objects: &[Value], name: &str, behavior: &KubernetesBehavior) -> AttachmentOutlook {
    let snapshot = world(objects);
    let attachments = Attachments::new(&snapshot, behavior);
    let pod = snapshot.pod("db", name);
    let mut outlooks = pod.map(|pod| attachments.of_pod(pod)).unwrap_or_default();
    assert_eq!(outlooks.len(), 1, "{outlooks:#?}");
    outlooks.remove(0)
}

fn after(text: &str) -> When {
    When::After(text.to_owned())
}

fn steps(outlook: &AttachmentOutlook) -> Vec<(Step, When)> {
    outlook.next.iter().map(|next| (next.step, next.when.clone())).collect()
}

fn within(seconds: u64) -> When {
    When::Within { seconds, earliest: None, latest: None }
}

#[test]
fn a_volume_for_one_node_waits_for_the_node_that_has_it() {
    let objects = |modes: &[&str]| {
        [
            volume(modes),
            claim(),
            node("n1", "True", true, true),
            node("n2", "True", false, false),
            attachment("n1", true),
            pod("old", "n1"),
            pod("new", "n2"),
        ]
    };
    let blocked = of_pod(&objects(&["ReadWriteOnce"]), "new");
    assert_eq!(blocked.leaves, [Leaf::Attach(AttachBranch::AttachBlocked)]);
    assert_eq!(blocked.state, AttachState::Detached);
    assert_eq!(steps(&blocked), [(Step::Attach, after("the volume is detached from node n1"))]);
    assert_eq!(blocked.held_by.len(), 1);
    assert_eq!(steps(&blocked.held_by[0]), [(Step::Detach, after("pod db/old is gone"))]);
    // Several nodes can have this volume.
    let shared = of_pod(&objects(&["ReadWriteMany"]), "new");
    assert_eq!(shared.leaves, [Leaf::Attach(AttachBranch::AttachStarted)]);
    assert_eq!((shared.held_by.len(), steps(&shared)), (0, vec![(Step::Request, within(122))]));
}

/// The controller waits six minutes for a node that is not ready. It never detaches from a node that is ready.
#[test]
fn a_mounted_volume_is_detached_by_force_from_a_node_that_is_not_ready() {
    let held = |ready: &str, behavior: &KubernetesBehavior| {
        let objects = [
            volume(&["ReadWriteOnce"]),
            claim(),
            node("n1", ready, true, true),
            node("n2", "True", false, false),
            attachment("n1", true),
            pod("new", "n2"),
        ];
        let held = of_pod_with(&objects, "new", behavior).held_by.remove(0);
        assert_eq!(held.leaves, [Leaf::Detach(DetachBranch::DetachWaitsForUnmount)]);
        let unmounted = (Step::Detach, after("the kubelet of node n1 unmounts the volume"));
        assert_eq!(steps(&held)[0], unmounted);
        held.next[1].clone()
    };
    let mut behavior = KubernetesBehavior::default();
    let forced = held("Unknown", &behavior);
    assert_eq!((forced.step, forced.when), (Step::ForcedDetach, within(361)));
    assert_eq!(forced.unknown.len(), 1);
    assert_eq!(held("True", &behavior).when, When::Never("node n1 is ready".to_owned()));
    behavior.set_flag("disable-force-detach-on-timeout", "true").unwrap_or_default();
    assert!(matches!(held("Unknown", &behavior).when, When::Never(why) if why.contains("--disable-force-detach")));
}

/// A controller that has attached the volume knows that the node has it. A controller that was started later does not
/// know this, because the node that listed the volume is gone.
#[test]
fn the_node_is_gone() {
    let objects = [
        volume(&["ReadWriteOnce"]),
        claim(),
        node("n2", "True", false, false),
        attachment("n1", true),
        pod("new", "n2"),
    ];
    let outlook = of_pod(&objects, "new");
    let both = [AttachBranch::AttachBlocked, AttachBranch::AttachStarted].map(Leaf::Attach);
    assert_eq!(outlook.leaves, both);
    assert_eq!(outlook.held_by[0].mounted, None);
    assert_eq!(steps(&outlook.held_by[0]), [(Step::ForcedDetach, within(361))]);
    assert_eq!(outlook.next[0].unknown.len(), 1);
}

#[test]
fn the_attacher_has_to_act() {
    let on = |attachment: Value| {
        let objects =
            [volume(&["ReadWriteOnce"]), claim(), node("n2", "True", false, false), attachment, pod("new", "n2")];
        steps(&of_pod(&objects, "new"))
    };
    let attaches = (Step::Attach, after("ebs.csi.aws.com attaches the volume"));
    assert_eq!(on(attachment("n2", false)), std::slice::from_ref(&attaches));
    let error = json!({ "time": "2026-11-27T10:00:00Z", "message": "no room" });
    let failed = with(attachment("n2", false), "/status", "attachError", error);
    assert_eq!(on(failed), [attaches, (Step::Retry, within(122))]);
    let going = with(attachment("n2", false), "/metadata", "deletionTimestamp", json!("2026-11-27T10:00:00Z"));
    let gone = format!("the VolumeAttachment {} is gone", attachment_name("vol-1", "ebs.csi.aws.com", "n2"));
    assert_eq!(on(going), [(Step::Retry, after(&gone))]);
}

/// The operation that detaches the volume can still run. If it has ended, the next loop attaches the volume.
#[test]
fn the_volume_is_being_detached_elsewhere() {
    let going = with(attachment("n1", true), "/metadata", "deletionTimestamp", json!("2026-11-27T10:00:00Z"));
    let nodes = [node("n1", "True", false, false), node("n2", "True", false, false)];
    let objects = [&[volume(&["ReadWriteOnce"]), claim(), going, pod("new", "n2")], nodes.as_slice()].concat();
    let outlook = of_pod(&objects, "new");
    assert!(outlook.leaves.contains(&Leaf::Attach(AttachBranch::AttachBusy)), "{outlook:#?}");
    let restarted = after("the controller was started again, or a detachment has failed");
    let detached = after("the volume is detached from node n1");
    assert_eq!(steps(&outlook), [(Step::Attach, detached), (Step::Attach, restarted)]);
    assert_eq!(steps(&outlook.held_by[0]), [(Step::Detach, after("ebs.csi.aws.com detaches the volume"))]);
}

#[test]
fn a_volume_that_no_pod_needs_is_detached() {
    let objects = [volume(&["ReadWriteOnce"]), claim(), node("n1", "True", true, false), attachment("n1", true)];
    let snapshot = world(&objects);
    let behavior = KubernetesBehavior::default();
    let attachments = Attachments::new(&snapshot, &behavior);
    let of_node = attachments.of_node("n1");
    assert_eq!(of_node.len(), 1);
    assert_eq!(of_node[0].leaves, [Leaf::Detach(DetachBranch::DetachStarted)]);
    assert_eq!(steps(&of_node[0]), [(Step::Detach, within(122))]);
    let recorded = snapshot.all::<VolumeAttachment>().first();
    let of_attachment = recorded.and_then(|recorded| attachments.of_attachment(recorded));
    assert_eq!(of_attachment.map(|outlook| steps(&outlook)), Some(steps(&of_node[0])));
    let out_of_service = json!([{ "key": "node.kubernetes.io/out-of-service", "effect": "NoExecute" }]);
    let tainted = with(node("n1", "Unknown", true, true), "", "spec", json!({ "taints": out_of_service }));
    let snapshot = world(&[volume(&["ReadWriteOnce"]), claim(), tainted, attachment("n1", true)]);
    let forced = Attachments::new(&snapshot, &behavior).of_node("n1");
    assert_eq!(forced[0].leaves, [Leaf::Detach(DetachBranch::DetachOutOfService)]);
    assert_eq!(steps(&forced[0]), [(Step::ForcedDetach, within(122))]);
}

/// A name of a plugin that the controller does not have stays in the status of the node (AD8).
#[test]
fn the_plugin_is_not_known() {
    let mut other = node("n1", "True", false, false);
    other["status"]["volumesAttached"] = json!([{ "name": "kubernetes.io/rbd/pool:image", "devicePath": "" }]);
    let snapshot = world(&[other]);
    let of_node = Attachments::new(&snapshot, &KubernetesBehavior::default()).of_node("n1");
    assert_eq!(of_node[0].leaves, [Leaf::Detach(DetachBranch::DetachUnknownPlugin)]);
    assert!(matches!(of_node[0].next[0].when, When::Never(_)));
}

#[test]
fn what_was_not_read_is_named() {
    let unread = |snapshot: &Snapshot| {
        let behavior = KubernetesBehavior::default();
        let unread = Attachments::new(snapshot, &behavior).unread("db");
        unread.into_iter().map(|(kind, _)| kind).collect::<Vec<Kind>>()
    };
    assert_eq!(unread(&world(&[claim()])), []);
    for kind in [Kind::Node, Kind::VolumeAttachment, Kind::PersistentVolume, Kind::CsiDriver, Kind::Pod] {
        assert_eq!(unread(&world_without(kind, &[claim()])), [kind]);
    }
}

/// The driver detaches the volume under the pod. The next check notices that the VolumeAttachment is gone.
#[test]
fn the_attachment_is_deleted_although_a_pod_needs_it() {
    let going = with(attachment("n1", true), "/metadata", "deletionTimestamp", json!("2026-11-27T10:00:00Z"));
    let objects = [volume(&["ReadWriteOnce"]), claim(), node("n1", "True", true, true), going, pod("old", "n1")];
    let outlook = of_pod(&objects, "old");
    assert!(outlook.is_going && !outlook.is_done());
    assert_eq!(outlook.leaves, [Leaf::Attach(AttachBranch::AttachDone)]);
    let detached = after("ebs.csi.aws.com detaches the volume, although pods need it");
    assert_eq!(steps(&outlook)[0], (Step::Detach, detached));
    assert_eq!(steps(&outlook).len(), 2);
}
