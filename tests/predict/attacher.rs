//! What the external attacher decides. The conformance test compares every recorded answer. These tests check three
//! things: the recordings reach every leaf, each leaf has the words of its page, and callers get the right answer if
//! something is not known.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use crate::support::root;
use pvctl::controllers::attacher::{
    Act, Attacher, AttachmentBranch, AttachmentSync, Circumstances, DetachmentBranch, NotEvaluated, ReconcileBranch,
    Requeue, Sidecar, SyncEnd, Unkept, VolumeFinalizerBranch,
};
use pvctl::model::{Kind, VolumeAttachment};
use pvctl::snapshot::decode::{Item, decode};
use pvctl::snapshot::{Coverage, Parts, Snapshot};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use xtask::corpus;
use xtask::judge::attacher_leaves;
use xtask::line::Line;

/// The leaves without a recorded world, each with the reason.
pub(crate) const NOT_RECORDED: [(&str, &str); 2] = [
    ("AT16", "none: this is reached only without an answer of the driver, but each recorded world has one"),
    ("DT8", "none: this is reached only without an answer of the driver, but each recorded world has one"),
];

/// Returns the id, the name and the sentence of every leaf.
pub(crate) fn leaves() -> Vec<(&'static str, &'static str, &'static str)> {
    let attach = AttachmentBranch::ALL.iter().map(|leaf| (leaf.id(), leaf.name(), leaf.about()));
    let detach = DetachmentBranch::ALL.iter().map(|leaf| (leaf.id(), leaf.name(), leaf.about()));
    let volumes = VolumeFinalizerBranch::ALL.iter().map(|leaf| (leaf.id(), leaf.name(), leaf.about()));
    let compared = ReconcileBranch::ALL.iter().map(|leaf| (leaf.id(), leaf.name(), leaf.about()));
    attach.chain(detach).chain(volumes).chain(compared).collect()
}

/// Returns the recorded worlds.
fn lines() -> impl Iterator<Item = Line> {
    let file = root().join("tests/conformance/attacher-4.13.0-1.36.3.jsonl.gz");
    corpus::lines(&file).unwrap().map(Result::unwrap)
}

/// Returns the first recorded world that reaches each leaf.
pub(crate) fn reached() -> BTreeMap<&'static str, String> {
    let mut reached = BTreeMap::new();
    for line in lines() {
        for (_, id) in attacher_leaves(&line).unwrap() {
            reached.entry(id).or_insert_with(|| line.id.clone());
        }
    }
    reached
}

/// Parts of the errors that `docs/controllers/attacher.md` states for the leaves.
const ERRORS: [(&str, &str); 22] = [
    ("failed to attach: neither", "AT6"),
    ("failed to attach: both", "AT6"),
    ("failed to attach: inline", "AT6"),
    ("failed to attach: persistentvolume ", "AT7"),
    ("failed to attach: PersistentVolume ", "AT8"),
    ("failed to attach: could not add PersistentVolume finalizer", "AT9"),
    ("failed to attach: failed to translate", "AT10"),
    ("failed to attach: pv spec contained", "AT11"),
    ("failed to attach: unsupported AccessMode", "AT12"),
    ("failed to attach: failed to load secret", "AT13"),
    ("failed to attach: csinode", "AT14"),
    ("failed to attach: CSINode", "AT14"),
    ("failed to attach: could not save", "AT15"),
    ("failed to attach: rpc error", "AT17"),
    ("failed to mark as attached", "AT18"),
    ("failed to detach: persistentvolume ", "DT3"),
    ("failed to detach: failed to translate", "DT4"),
    ("failed to detach: pv spec contained", "DT5"),
    ("failed to detach: failed to load secret", "DT6"),
    ("failed to detach: CSINode", "DT7"),
    ("failed to detach: rpc error", "DT9"),
    ("failed to detach: could not mark", "DT11"),
];

#[test]
fn each_leaf_has_the_error_of_the_page() {
    let mut seen = BTreeSet::new();
    for line in lines() {
        let leaves: BTreeSet<_> = attacher_leaves(&line).unwrap().into_iter().collect();
        for real in &line.attacher.as_ref().unwrap().attachments {
            if let Some((begin, id)) = ERRORS.iter().find(|(begin, _)| real.error.starts_with(begin)) {
                assert!(leaves.contains(&(real.attachment.clone(), *id)), "{}: {}", line.id, real.error);
                seen.insert(*begin);
            }
        }
    }
    assert_eq!(seen.len(), ERRORS.len(), "{seen:?}");
}

pub(crate) fn world(items: &[Value], coverage: Coverage) -> Snapshot {
    let mut parts = Parts { coverage, ..Parts::default() };
    for item in items {
        match decode(item.to_string().as_bytes(), "a test").unwrap() {
            Item::Object(object) => parts.objects.push(object),
            Item::Skipped(kind) => panic!("{kind}"),
        }
    }
    Snapshot::new(parts)
}

fn volume() -> Value {
    json!({
        "apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": "v", "uid": "1"},
        "spec": {
            "accessModes": ["ReadWriteOnce"], "capacity": {"storage": "1Gi"},
            "csi": {"driver": "csi.example.com", "volumeHandle": "h"},
        },
    })
}

fn attachment(source: &Value) -> Value {
    json!({
        "apiVersion": "storage.k8s.io/v1", "kind": "VolumeAttachment", "metadata": {"name": "a", "uid": "2"},
        "spec": {"attacher": "csi.example.com", "nodeName": "n", "source": source}, "status": {"attached": false},
    })
}

fn node() -> Value {
    json!({
        "apiVersion": "storage.k8s.io/v1", "kind": "CSINode", "metadata": {"name": "n", "uid": "3"},
        "spec": {"drivers": [{"name": "csi.example.com", "nodeID": "id"}]},
    })
}

/// Returns what the first sync of the attachment does. Nothing is known beside the snapshot.
fn synced(snapshot: &Snapshot) -> AttachmentSync {
    let attacher = Attacher::new(snapshot, Sidecar::new("csi.example.com"), Unkept::default());
    let attachment = snapshot.find::<VolumeAttachment>("", "a").unwrap();
    attacher.sync_attachment(attachment, &Circumstances::default())
}

#[test]
fn without_an_answer_of_the_driver_the_sync_ends_with_the_call() {
    let source = json!({"persistentVolumeName": "v"});
    let synced = synced(&world(&[volume(), attachment(&source), node()], Coverage::complete()));
    assert_eq!(synced.end, SyncEnd::Attach(AttachmentBranch::PublishRequested));
    assert_eq!(synced.requeue, Requeue::Untouched);
    assert_eq!(synced.not_evaluated, [NotEvaluated::Details].into());
    let Some(Act::Publish(request)) = synced.steps.last().map(|step| &step.act) else { panic!("{synced:?}") };
    assert_eq!((request.handle.as_str(), request.node_id.as_str(), request.mode), ("h", "id", "SINGLE_NODE_WRITER"));
    assert_eq!(request.details, None);
}

#[test]
fn an_attachment_without_a_volume_may_be_inline() {
    let synced = synced(&world(&[attachment(&json!({})), node()], Coverage::complete()));
    assert_eq!((synced.end, synced.steps), (SyncEnd::Unknown, Vec::new()));
    assert_eq!(synced.not_evaluated, [NotEvaluated::InlineVolume].into());
}

#[test]
fn an_object_that_may_exist_is_a_doubt() {
    let source = json!({"persistentVolumeName": "v"});
    let doubted = synced(&world(&[attachment(&source)], Coverage::default()));
    assert_eq!(doubted.end, SyncEnd::Attach(AttachmentBranch::AttachVolumeMissing));
    assert_eq!(doubted.doubts.keys().copied().collect::<Vec<_>>(), [Kind::PersistentVolume]);
    assert!(synced(&world(&[attachment(&source)], Coverage::complete())).doubts.is_empty());
}
