//! What the external resizer decides. The conformance test compares every recorded answer. These tests check three
//! things: that the recordings reach every leaf, that each leaf has the error that the page states, and what follows if
//! the driver has not answered or if not everything is known. They also check at which stage a claim stands.
#![expect(clippy::panic, clippy::unwrap_used, reason = "a test fails by panicking")]

use super::attacher::world;
use crate::support::{Run, root};
use pvctl::controllers::provisioner::Secrets;
use pvctl::controllers::resizer::{
    Act, Circumstances, ModifyBranch, ModifyMemory, ModifyStage, NotEvaluated, Requeue, ResizeBranch, ResizeMemory,
    ResizeSizes, ResizeStage, Resizer, Sidecar, Unkept,
};
use pvctl::model::Kind;
use pvctl::snapshot::{Coverage, CoverageEntry, CoverageState};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use xtask::corpus;
use xtask::judge::resizer_leaves;
use xtask::line::Line;

/// Leaves that no recorded world reaches.
pub(crate) const NOT_RECORDED: [(&str, &str); 2] = [
    ("RZ17", "none: this is reached only without an answer of the driver, but each recorded world has one"),
    ("MV17", "none: this is reached only without an answer of the driver, but each recorded world has one"),
];

/// Returns the id, the name and the sentence of every leaf.
pub(crate) fn leaves() -> Vec<(&'static str, &'static str, &'static str)> {
    let resize = ResizeBranch::ALL.iter().map(|leaf| (leaf.id(), leaf.name(), leaf.about()));
    let modify = ModifyBranch::ALL.iter().map(|leaf| (leaf.id(), leaf.name(), leaf.about()));
    resize.chain(modify).collect()
}

/// Returns the recorded worlds.
fn lines() -> impl Iterator<Item = Line> {
    let file = root().join("tests/conformance/resizer-2.3.0-1.36.3.jsonl.gz");
    corpus::lines(&file).unwrap().map(Result::unwrap)
}

/// Returns the first recorded world that reaches each leaf.
pub(crate) fn reached() -> BTreeMap<&'static str, String> {
    let mut reached = BTreeMap::new();
    for line in lines() {
        for (_, id) in resizer_leaves(&line).unwrap() {
            reached.entry(id).or_insert_with(|| line.id.clone());
        }
    }
    reached
}

/// Parts of the errors that `docs/controllers/resizer.md` states for the leaves.
const ERRORS: [(&str, &str); 29] = [
    (" bound to pvc ", "RZ3"),
    ("failed removing annotation", "RZ4"),
    ("marking pvc ", "RZ11"),
    ("Unable to expand ", "RZ12"),
    ("failed: failed to translate persistent volume: ", "RZ13"),
    ("\" failed: empty volume handle", "RZ14"),
    ("\" failed: error getting secret ", "RZ15"),
    ("\" failed: failed to get capabilities of volume ", "RZ16"),
    ("\" failed: rpc error: code = Aborted ", "RZ18"),
    ("\" failed: rpc error: code = DeadlineExceeded desc = context deadline exceeded", "RZ18"),
    ("\" failed: rpc error: code = OutOfRange ", "RZ19"),
    ("\" failed: rpc error: code = NotFound ", "RZ19"),
    ("\" failed: rpc error: code = FailedPrecondition ", "RZ20"),
    ("resizing failed in controller with ", "RZ21"),
    ("error updating pv ", "RZ22"),
    (" as node expansion required failed: ", "RZ23"),
    (" as resize finished failed: ", "RZ25"),
    ("Get PV ", "MV3"),
    ("skipping volume modification ", "MV6"),
    (" as rolled back failed: ", "MV10"),
    ("get VAC with vac name ", "MV11"),
    ("cannot get error status from modify volume err: empty volume handle", "MV15"),
    ("cannot get error status from modify volume err: error getting secret ", "MV16"),
    ("rpc error: code = DeadlineExceeded ", "MV18"),
    ("rpc error: code = InvalidArgument ", "MV19"),
    ("rpc error: code = Internal ", "MV20"),
    ("rpc error: code = OutOfRange ", "MV20"),
    ("completed: update pv.Spec.VolumeAttributesClassName for PVC ", "MV22"),
    (" as ModifyVolumeCompleted failed, errored with: ", "MV23"),
];

#[test]
fn each_leaf_has_the_error_of_the_page() {
    let mut seen = BTreeSet::new();
    for line in lines() {
        let leaves: BTreeSet<_> = resizer_leaves(&line).unwrap().into_iter().collect();
        let asked = line.resizer.as_ref().unwrap();
        for (letters, answers) in [("RZ", &asked.resizes), ("MV", &asked.modifies)] {
            for real in answers {
                let stated = ERRORS.iter().find(|(part, id)| id.starts_with(letters) && real.error.contains(part));
                if let Some((part, id)) = stated {
                    assert!(leaves.contains(&(real.claim.clone(), *id)), "{}: {}", line.id, real.error);
                    seen.insert(*part);
                }
            }
        }
    }
    let missing: Vec<_> = ERRORS.iter().filter(|(part, _)| !seen.contains(part)).collect();
    assert!(missing.is_empty(), "{missing:?}");
}

fn volume(source: &Value) -> Value {
    json!({
        "apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": "v", "uid": "1"},
        "spec": {
            "accessModes": ["ReadWriteOnce"], "capacity": {"storage": "1Gi"},
            "claimRef": {"namespace": "default", "name": "c", "uid": "2"},
            source["type"].as_str().unwrap(): source["fields"],
        },
    })
}

fn csi() -> Value {
    json!({"type": "csi", "fields": {"driver": "csi.example.com", "volumeHandle": "h"}})
}

fn claim() -> Value {
    json!({
        "apiVersion": "v1", "kind": "PersistentVolumeClaim",
        "metadata": {
            "namespace": "default", "name": "c", "uid": "2",
            "annotations": {"volume.kubernetes.io/storage-resizer": "pd.csi.storage.gke.io"},
        },
        "spec": {
            "volumeName": "v", "volumeAttributesClassName": "gold", "resources": {"requests": {"storage": "2Gi"}},
        },
        "status": {"phase": "Bound", "capacity": {"storage": "1Gi"}},
    })
}

fn class() -> Value {
    json!({
        "apiVersion": "storage.k8s.io/v1", "kind": "VolumeAttributesClass", "metadata": {"name": "gold", "uid": "3"},
        "driverName": "csi.example.com",
    })
}

fn everything() -> Coverage {
    let mut coverage = Coverage::complete();
    coverage.set(CoverageEntry::new(Kind::VolumeAttributesClass, None, CoverageState::Complete));
    coverage
}

#[test]
fn without_an_answer_of_the_driver_the_sync_ends_with_the_call() {
    let snapshot = world(&[volume(&csi()), claim(), class()], everything());
    let claim = &snapshot.claims()[0];
    let resizer = Resizer::new(&snapshot, Sidecar::new("csi.example.com"), Unkept::default());
    let of = Circumstances::default();

    let resized = resizer.sync_resize(claim, ResizeMemory::default(), &of);
    assert_eq!((resized.leaf, resized.requeue), (Some(ResizeBranch::ExpandRequested), Requeue::Untouched));
    assert_eq!(resized.not_evaluated, [NotEvaluated::Details].into());
    assert!(resized.doubts.is_empty(), "{:?}", resized.doubts);
    let Some(Act::Expand(request)) = resized.steps.last().map(|step| &step.act) else { panic!("{resized:?}") };
    assert_eq!((request.handle.as_str(), request.bytes, request.mode), ("h", 2 << 30, "SINGLE_NODE_WRITER"));
    assert_eq!(request.details, None);

    let modified = resizer.sync_modify(claim, ModifyMemory::default(), &of);
    assert_eq!((modified.leaf, modified.requeue), (Some(ModifyBranch::ModifyRequested), Requeue::Untouched));
    assert_eq!(modified.not_evaluated, [NotEvaluated::Details].into());
    let Some(Act::Modify(request)) = modified.steps.last().map(|step| &step.act) else { panic!("{modified:?}") };
    assert_eq!((request.handle.as_str(), request.class.as_str()), ("h", "gold"));
}

#[test]
fn an_object_that_may_exist_is_a_doubt() {
    let snapshot = world(&[claim()], Coverage::default());
    let claim = &snapshot.claims()[0];
    let resizer = Resizer::new(&snapshot, Sidecar::new("csi.example.com"), Unkept::default());
    let resized = resizer.sync_resize(claim, ResizeMemory::default(), &Circumstances::default());
    assert_eq!(resized.leaf, Some(ResizeBranch::ResizeVolumeMissing));
    assert_eq!(resized.doubts.keys().copied().collect::<Vec<_>>(), [Kind::PersistentVolume]);
}

#[test]
fn pods_that_may_exist_are_a_doubt_only_if_the_volume_was_in_use() {
    let mut coverage = everything();
    coverage.set(CoverageEntry::new(Kind::Pod, None, CoverageState::Failed));
    let snapshot = world(&[volume(&csi()), claim(), class()], coverage);
    let claim = &snapshot.claims()[0];
    let resizer = Resizer::new(&snapshot, Sidecar::new("csi.example.com"), Unkept::default());
    let doubts = |memory| resizer.sync_resize(claim, memory, &Circumstances::default()).doubts;
    assert!(doubts(ResizeMemory::default()).is_empty());
    let in_use = ResizeMemory { in_use: true, ..ResizeMemory::default() };
    assert_eq!(doubts(in_use).keys().copied().collect::<Vec<_>>(), [Kind::Pod]);
}

#[test]
fn a_volume_of_a_plugin_that_is_not_modelled_is_said_to_be_so() {
    for (field, leaf) in [("gcePersistentDisk", Some(ResizeBranch::ExpandRequested)), ("azureFile", None)] {
        let source = json!({"type": field, "fields": {"pdName": "d", "shareName": "d"}});
        let snapshot = world(&[volume(&source), claim(), class()], everything());
        let unkept = Unkept { secrets: Secrets::Unknown, ..Unkept::default() };
        let resizer = Resizer::new(&snapshot, Sidecar::new("pd.csi.storage.gke.io"), unkept);
        let resized = resizer.sync_resize(&snapshot.claims()[0], ResizeMemory::default(), &Circumstances::default());
        assert_eq!(resized.leaf, leaf, "{field}");
        assert!(resized.not_evaluated.contains(&NotEvaluated::MigratedVolume), "{field}");
    }
}

/// Returns the claim with this status, in addition to its phase and its capacity.
fn with_status(status: &Value) -> Value {
    let mut made = claim();
    let fields = status.as_object().unwrap().clone();
    made["status"].as_object_mut().unwrap().extend(fields);
    made
}

fn conditions(kinds: &[&str]) -> Value {
    kinds.iter().map(|kind| json!({"type": kind, "status": "True"})).collect()
}

/// The rows of the table of stages in `docs/controllers/resizer.md`. The first two columns are the progress and the
/// conditions.
#[test]
fn a_claim_records_the_stage_of_its_expansion() {
    let table: [(&str, &[&str], ResizeStage); 17] = [
        ("ControllerResizeInProgress", &["Resizing"], ResizeStage::ControllerInProgress),
        ("ControllerResizeInProgress", &["Resizing", "ControllerResizeError"], ResizeStage::ControllerFailing),
        ("ControllerResizeInfeasible", &["Resizing", "ControllerResizeError"], ResizeStage::ControllerInfeasible),
        ("ControllerResizeFailed", &[], ResizeStage::ControllerInfeasible),
        ("NodeResizePending", &["Resizing", "FileSystemResizePending"], ResizeStage::NodePending),
        ("NodeResizePending", &["NodeResizeError"], ResizeStage::NodePending),
        ("NodeResizeInProgress", &["FileSystemResizePending"], ResizeStage::NodeInProgress),
        ("NodeResizeInProgress", &["NodeResizeError"], ResizeStage::NodeFailing),
        ("NodeResizeInfeasible", &["NodeResizeError"], ResizeStage::NodeInfeasible),
        ("NodeResizeFailed", &[], ResizeStage::NodeInfeasible),
        ("", &["Resizing"], ResizeStage::ControllerInProgress),
        ("", &["ControllerResizeError"], ResizeStage::ControllerFailing),
        ("", &["Resizing", "FileSystemResizePending"], ResizeStage::NodePending),
        ("", &["NodeResizeError", "FileSystemResizePending"], ResizeStage::NodeFailing),
        ("", &[], ResizeStage::Requested),
        ("", &["ModifyingVolume"], ResizeStage::Requested),
        ("SomethingElse", &[], ResizeStage::Requested),
    ];
    let mut seen = BTreeSet::new();
    for (progress, kinds, stage) in table {
        let status = json!({"allocatedResourceStatuses": {"storage": progress}, "conditions": conditions(kinds)});
        let snapshot = world(&[with_status(&status)], everything());
        assert_eq!(ResizeStage::of(&snapshot.claims()[0]), Some(stage), "{progress} {kinds:?}");
        seen.insert(stage);
    }
    assert_eq!(seen.into_iter().collect::<Vec<_>>(), ResizeStage::ALL);
    for status in [json!({"capacity": {"storage": "2Gi"}}), json!({"phase": "Pending"}), json!({"capacity": {}})] {
        let snapshot = world(&[with_status(&status)], everything());
        assert_eq!(ResizeStage::of(&snapshot.claims()[0]), None, "{status}");
    }
}

#[test]
fn a_claim_records_the_stage_of_its_modification() {
    let table = [
        ("gold", json!({}), Some(ModifyStage::Requested)),
        ("gold", json!({"modifyVolumeStatus": {"status": "Pending"}}), Some(ModifyStage::Pending)),
        ("gold", modifying("InProgress", "gold", &[]), Some(ModifyStage::InProgress)),
        ("silver", modifying("InProgress", "gold", &[]), Some(ModifyStage::InProgress)),
        ("", modifying("InProgress", "gold", &[]), Some(ModifyStage::InProgress)),
        ("gold", modifying("InProgress", "gold", &["ModifyVolumeError"]), Some(ModifyStage::Failing)),
        ("gold", modifying("Infeasible", "gold", &["ModifyVolumeError"]), Some(ModifyStage::Infeasible)),
        ("silver", modifying("Infeasible", "gold", &["ModifyVolumeError"]), Some(ModifyStage::Requested)),
        ("", modifying("Infeasible", "gold", &[]), Some(ModifyStage::Cancelled)),
        ("gold", json!({"currentVolumeAttributesClassName": "gold"}), None),
        ("", json!({"currentVolumeAttributesClassName": "gold"}), None),
        ("gold", json!({"phase": "Pending"}), None),
    ];
    let mut seen = BTreeSet::new();
    for (wanted, status, stage) in table {
        let mut claim = with_status(&status);
        claim["spec"]["volumeAttributesClassName"] = json!(wanted);
        let snapshot = world(&[claim], everything());
        assert_eq!(ModifyStage::of(&snapshot.claims()[0]), stage, "{wanted} {status}");
        seen.extend(stage);
    }
    assert_eq!(seen.into_iter().collect::<Vec<_>>(), ModifyStage::ALL);
}

fn modifying(status: &str, target: &str, kinds: &[&str]) -> Value {
    let modify = json!({"status": status, "targetVolumeAttributesClassName": target});
    json!({"modifyVolumeStatus": modify, "conditions": conditions(kinds)})
}

#[test]
fn a_lowered_request_is_tried_at_once_only_if_the_driver_has_refused_the_size() {
    for (progress, size) in [("ControllerResizeInProgress", 5), ("ControllerResizeInfeasible", 2)] {
        let status = json!({
            "allocatedResourceStatuses": {"storage": progress}, "allocatedResources": {"storage": "5Gi"},
        });
        let snapshot = world(&[volume(&csi()), with_status(&status), class()], everything());
        let claim = &snapshot.claims()[0];
        let resizer = Resizer::new(&snapshot, Sidecar::new("csi.example.com"), Unkept::default());
        let resized = resizer.sync_resize(claim, ResizeMemory::default(), &Circumstances::default());
        let Some(Act::Expand(request)) = resized.steps.last().map(|step| &step.act) else { panic!("{resized:?}") };
        assert_eq!(request.bytes, size << 30, "{progress}");
        let sizes = ResizeSizes::of(claim, ResizeStage::of(claim).unwrap()).unwrap();
        let requested = sizes.requested.map(|size| size.to_string());
        assert_eq!((sizes.target.to_string().as_str(), requested.as_deref()), ("5Gi", Some("2Gi")));
        assert!(sizes.target_is_counted);
    }
}

/// What was allocated for the first expansion stays in the status. The resizer asks the driver for the new request.
#[test]
fn a_second_expansion_has_the_request_as_its_target() {
    let status = json!({"allocatedResources": {"storage": "1Gi"}, "capacity": {"storage": "1Gi"}});
    let snapshot = world(&[volume(&csi()), with_status(&status), class()], everything());
    let claim = &snapshot.claims()[0];
    let resizer = Resizer::new(&snapshot, Sidecar::new("csi.example.com"), Unkept::default());
    let resized = resizer.sync_resize(claim, ResizeMemory::default(), &Circumstances::default());
    let Some(Act::Expand(request)) = resized.steps.last().map(|step| &step.act) else { panic!("{resized:?}") };
    assert_eq!(ResizeStage::of(claim), Some(ResizeStage::Requested));
    let sizes = ResizeSizes::of(claim, ResizeStage::Requested).unwrap();
    assert_eq!((request.bytes, sizes.target.to_string().as_str(), sizes.requested), (2 << 30, "2Gi", None));
}

#[test]
fn explain_says_the_stages_of_a_claim() {
    let mut status = modifying("InProgress", "silver", &["ModifyVolumeError", "ControllerResizeError"]);
    status["allocatedResourceStatuses"] = json!({"storage": "ControllerResizeInfeasible"});
    status["allocatedResources"] = json!({"storage": "5Gi"});
    let list = json!({"apiVersion": "v1", "kind": "List", "items": [volume(&csi()), with_status(&status), class()]});
    let said = Run::new(&["explain", "pvc/c", "-f", "-"]).stdin(list.to_string().as_bytes()).finish();
    let words = said.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    for part in [
        "Stage of the expansion to 5Gi: controller infeasible: the driver has refused this size",
        "The claim now requests 2Gi, which the resizer tries next. Until then, a quota counts 5Gi.",
        "Stage of the change to class silver: failing: the driver has failed, and the resizer asks it again.",
        "The claim now names class gold, which the resizer tries after this.",
    ] {
        assert!(words.contains(part), "{part}\n{}", said.stdout);
    }
}
