//! What `explain` says about attachments. The real attach/detach controller must do what is said, in the recorded runs.
#![expect(clippy::unwrap_used, reason = "what cannot be read fails the test")]

use crate::support::{Run, root};
use pvctl::controllers::KubernetesBehavior;
use pvctl::controllers::attach_detach::{AttachBranch, AttachState, DetachBranch, attachment_name};
use pvctl::diagnosis::attaching::{AttachmentOutlook, Attachments, Leaf, Next, Step, When};
use pvctl::model::Node;
use serde_json::{Value, json};
use xtask::attaching::{Attaching, Entry};
use xtask::corpus;

const SECOND: u64 = 1_000_000_000;

/// Returns the entries between the start of the controller and the first change by others. The value is `None` if
/// something is changed before the start.
fn undisturbed(asked: &Attaching) -> Option<(u64, Vec<&Entry>)> {
    let is_change = |entry: &&Entry| entry.put.is_some() || entry.delete.is_some() || entry.restart;
    let start = asked.log.iter().position(|entry| entry.start)?;
    if asked.log[..start].iter().any(|entry| is_change(&entry)) {
        return None;
    }
    let entries = asked.log[start..].iter().take_while(|entry| !is_change(entry));
    Some((asked.log[start].at, entries.collect()))
}

/// The leaves of each volume and node allow what the real controller does until others change something, and the time
/// of a forced detachment is the one that is said.
#[test]
fn the_recorded_controllers_do_what_is_said() {
    let (mut attached, mut detached, mut forced, mut blocked) = (0, 0, 0, 0);
    let files = corpus::files(&root().join("tests/conformance")).unwrap();
    for file in files.iter().filter(|file| file.file_name().unwrap().to_string_lossy().starts_with("attaching-")) {
        for line in corpus::lines(file).unwrap() {
            let line = line.unwrap();
            let asked = line.attaching.as_ref().unwrap();
            let mut behavior: KubernetesBehavior = corpus::behavior_of(file).unwrap();
            behavior.disable_force_detach = asked.disable_force_detach;
            let Some((start, entries)) = undisturbed(asked) else { continue };
            let snapshot = xtask::judge::snapshot(&line).unwrap();
            let attachments = Attachments::new(&snapshot, &behavior);
            let nodes: Vec<&Node> = snapshot.all::<Node>().iter().collect();
            let all: Vec<AttachmentOutlook> =
                nodes.iter().flat_map(|node| attachments.of_node(&node.meta.name)).collect();
            let of = |volume: &str, node: &str| all.iter().find(|one| one.unique_name == volume && one.node == node);
            for entry in &entries {
                let Some(operation) = &entry.operation else { continue };
                let after = entry.at - start;
                // Volumes of drivers that attach nothing and volumes on nodes that are gone are not listed.
                let Some(outlook) = of(&operation.volume, &operation.node) else { continue };
                let what = format!("{}: {after} ns after the start: {operation:?}, said: {outlook:#?}", line.id);
                // An operation can follow from another one. The first loop rests on the start alone.
                let is_first = after < SECOND / 10;
                match operation.name.as_str() {
                    "attach" => {
                        let says = Leaf::Attach(AttachBranch::AttachStarted);
                        assert!(!is_first || outlook.leaves.contains(&says), "{what}");
                        attached += usize::from(is_first);
                    }
                    _ if operation.forced == "timeout" => {
                        let is_said = |next: &Next| match next.when {
                            When::Within { seconds, .. } => {
                                next.step == Step::ForcedDetach && after <= seconds * SECOND
                            }
                            When::After(_) | When::Never(_) => false,
                        };
                        assert!(outlook.next.iter().any(is_said), "{what}");
                        forced += 1;
                    }
                    _ => {
                        let says = [DetachBranch::DetachStarted, DetachBranch::DetachOutOfService].map(Leaf::Detach);
                        assert!(!is_first || says.iter().any(|leaf| outlook.leaves.contains(leaf)), "{what}");
                        detached += usize::from(is_first);
                    }
                }
            }
            for outlook in all.iter().filter(|one| one.leaves == [Leaf::Attach(AttachBranch::AttachBlocked)]) {
                let is_it = |entry: &&&Entry| {
                    let operation = entry.operation.as_ref();
                    entry.at < start + SECOND / 10
                        && operation.is_some_and(|one| outlook.unique_name == one.volume && outlook.node == one.node)
                };
                assert_eq!(entries.iter().find(is_it).map(|entry| entry.at), None, "{}: {outlook:#?}", line.id);
                assert!(!outlook.held_by.is_empty(), "{}: {outlook:#?}", line.id);
                assert_ne!(outlook.state, AttachState::Attached, "{}: {outlook:#?}", line.id);
                blocked += 1;
            }
        }
    }
    assert!(attached > 100 && detached > 30 && blocked > 5, "{attached} {detached} {forced} {blocked}");
    assert!(forced > 0, "no recorded run detaches a volume after six minutes before others change something");
}

/// A volume that a pod on another node needs. The first node no longer needs it, and does not have it mounted.
fn moving() -> Value {
    let name = "kubernetes.io/csi/d.csi^h";
    let node = |node: &str, attached: &[&str]| {
        let attached: Vec<Value> = attached.iter().map(|name| json!({ "name": name, "devicePath": "" })).collect();
        json!({
            "apiVersion": "v1", "kind": "Node",
            "metadata": {
                "name": node, "uid": node,
                "annotations": { "volumes.kubernetes.io/controller-managed-attach-detach": "true" },
            },
            "status": { "conditions": [{ "type": "Ready", "status": "True" }], "volumesAttached": attached },
        })
    };
    json!({ "apiVersion": "v1", "kind": "List", "items": [
        {
            "apiVersion": "v1", "kind": "PersistentVolume", "metadata": { "name": "pv", "uid": "v" },
            "spec": {
                "capacity": { "storage": "1Gi" }, "accessModes": ["ReadWriteOnce"],
                "claimRef": { "namespace": "db", "name": "data", "uid": "c" },
                "csi": { "driver": "d.csi", "volumeHandle": "h" },
            },
            "status": { "phase": "Bound" },
        },
        {
            "apiVersion": "v1", "kind": "PersistentVolumeClaim",
            "metadata": { "namespace": "db", "name": "data", "uid": "c" },
            "spec": {
                "volumeName": "pv", "accessModes": ["ReadWriteOnce"], "resources": { "requests": { "storage": "1Gi" } },
            },
            "status": { "phase": "Bound" },
        },
        {
            "apiVersion": "storage.k8s.io/v1", "kind": "VolumeAttachment",
            "metadata": {
                "name": attachment_name("h", "d.csi", "n1"), "uid": "a", "finalizers": ["external-attacher/d-csi"],
            },
            "spec": { "attacher": "d.csi", "nodeName": "n1", "source": { "persistentVolumeName": "pv" } },
            "status": { "attached": true },
        },
        node("n1", &[name]),
        node("n2", &[]),
        {
            "apiVersion": "v1", "kind": "Pod", "metadata": { "namespace": "db", "name": "p", "uid": "p" },
            "spec": {
                "nodeName": "n2", "containers": [],
                "volumes": [{ "name": "d", "persistentVolumeClaim": { "claimName": "data" } }],
            },
            "status": { "phase": "Pending" },
        },
    ] })
}

/// The kinds without which nothing is said about attachments.
const COMPLETE: &str = "--assume-complete=pv,pvc,sc,pod,node,volumeattachment,csidriver";

/// Returns the nodes to which the volume is attached or not attached at each end.
fn ends(flags: &[&str]) -> Vec<Vec<(String, bool)>> {
    ends_of(&moving(), COMPLETE, flags)
}

fn ends_of(world: &Value, complete: &str, flags: &[&str]) -> Vec<Vec<(String, bool)>> {
    let arguments = [&["predict", "-A", "-o", "json", complete, "-f", "-", "--attachments"], flags].concat();
    let run = Run::new(&arguments).stdin(world.to_string().as_bytes()).finish();
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let document: Value = serde_json::from_str(&run.stdout).unwrap();
    let attachments = document["attachments"].as_array().unwrap();
    assert_eq!(attachments.len(), 1);
    let records = |end: &Value| {
        let records = end["attachments"].as_array().into_iter().flatten();
        let state = |one: &Value| (one["node"].as_str().unwrap().to_owned(), one["attached"] == json!(true));
        records.map(state).collect()
    };
    attachments[0]["outcomes"].as_array().unwrap().iter().map(records).collect()
}

/// The controller deletes the VolumeAttachment of the first node, and creates one for the second node when the volume
/// is detached. The attacher can fail at both, or do nothing.
#[test]
fn a_volume_moves_to_another_node_if_the_attacher_acts() {
    let on = |node: &str, attached: bool| (node.to_owned(), attached);
    let with_attacher = ends(&[]);
    assert!(with_attacher.contains(&vec![on("n2", true)]), "{with_attacher:?}");
    assert!(with_attacher.contains(&vec![on("n2", false)]), "{with_attacher:?}");
    let is_kept = |end: &Vec<(String, bool)>| end.contains(&on("n1", true));
    assert!(with_attacher.iter().any(is_kept), "{with_attacher:?}");
    // Without the attacher, its finalizer keeps the first VolumeAttachment.
    let alone = ends(&["--actors", "none"]);
    assert!(alone.iter().all(is_kept), "{alone:?}");
}

/// An attacher that fails before it asks the driver attaches nothing. An attacher that looks for objects that were not
/// read may attach the volume.
#[test]
fn an_attacher_that_cannot_ask_its_driver_fails() {
    let attaches = |world: &Value, complete: &str| {
        ends_of(world, complete, &[]).iter().any(|end| end.contains(&("n2".to_owned(), true)))
    };
    let with_nodes = format!("{COMPLETE},csinode");
    // The driver is registered on no node.
    assert!(attaches(&moving(), COMPLETE));
    assert!(!attaches(&moving(), &with_nodes));
    let mut registered = moving();
    for node in ["n1", "n2"] {
        registered["items"].as_array_mut().unwrap().push(json!({
            "apiVersion": "storage.k8s.io/v1", "kind": "CSINode", "metadata": { "name": node, "uid": node },
            "spec": { "drivers": [{ "name": "d.csi", "nodeID": node, "topologyKeys": [] }] },
        }));
    }
    assert!(attaches(&registered, &with_nodes));
    // The volume is being deleted.
    registered["items"][0]["metadata"]["deletionTimestamp"] = json!("2026-11-27T10:00:00Z");
    registered["items"][0]["metadata"]["finalizers"] = json!(["kubernetes.io/pv-protection"]);
    assert!(!attaches(&registered, &with_nodes));
}

#[test]
fn the_attacher_acts_only_on_attachments() {
    let run = Run::new(&["predict", "--actors", "attacher", "-f", "-"]).stdin(moving().to_string().as_bytes()).finish();
    assert_eq!(run.code, Some(2), "{}", run.stdout);
    assert!(run.stderr.contains("--attachments"), "{}", run.stderr);
}
