//! What the external provisioner decides. The conformance test compares every recorded answer. These tests check three
//! things: the recordings reach every leaf, each leaf has the words of its page, and callers get the right answer.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use crate::support::root;
use pvctl::controllers::provisioner::{
    Act, CloneBranch, Created, DeletionBranch, Driver, FinalizerBranch, NotEvaluated, ProvisionBranch, Provisioner,
    Provisioning, Secrets, Sidecar,
};
use pvctl::model::Kind;
use pvctl::snapshot::decode::{Item, decode};
use pvctl::snapshot::redact::redact;
use pvctl::snapshot::{Coverage, CoverageEntry, CoverageState, Parts, Snapshot};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use xtask::corpus;
use xtask::judge::{answers, provisioner, snapshot};

/// The leaves without a recorded world, each with the reason.
pub(crate) const NOT_RECORDED: [(&str, &str); 2] = [
    ("EP24", "none: this is reached only without an answer of the driver, but each recorded world has one"),
    ("ED10", "none: this is reached only without an answer of the driver, but each recorded world has one"),
];

/// Returns the id, the name and the sentence of every leaf.
pub(crate) fn leaves() -> Vec<(&'static str, &'static str, &'static str)> {
    let of_claims = ProvisionBranch::ALL.iter().map(|leaf| (leaf.id(), leaf.name(), leaf.about()));
    let of_volumes = DeletionBranch::ALL.iter().map(|leaf| (leaf.id(), leaf.name(), leaf.about()));
    let of_finalizers = FinalizerBranch::ALL.iter().map(|leaf| (leaf.id(), leaf.name(), leaf.about()));
    let of_sources = CloneBranch::ALL.iter().map(|leaf| (leaf.id(), leaf.name(), leaf.about()));
    of_claims.chain(of_volumes).chain(of_finalizers).chain(of_sources).collect()
}

/// Calls the function with each recorded world.
fn each_world(mut seen: impl FnMut(&xtask::line::Line, &Snapshot)) {
    for name in ["provisioning-6.4.0-1.36.3", "provisioning-handmade-6.4.0-1.36.3"] {
        let file = root().join(format!("tests/conformance/{name}.jsonl.gz"));
        for line in corpus::lines(&file).unwrap() {
            let line = line.unwrap();
            seen(&line, &snapshot(&line).unwrap());
        }
    }
}

/// Returns the first recorded world that reaches each leaf.
pub(crate) fn reached() -> BTreeMap<&'static str, String> {
    let mut reached = BTreeMap::new();
    each_world(|line, snapshot| {
        let asked = line.provisioning.as_ref().unwrap();
        let provisioner = provisioner(asked, snapshot).unwrap();
        let mut leaf = |id: &'static str| {
            reached.entry(id).or_insert_with(|| line.id.clone());
        };
        for claim in snapshot.claims() {
            let request = provisioner.provision(claim, &Driver::default());
            leaf(provisioner.provision(claim, &answers(&asked.driver, request.request())).leaf.id());
            leaf(provisioner.protect_clone(claim).leaf.id());
        }
        for volume in snapshot.volumes() {
            let decided = provisioner.delete(volume, &answers(&asked.driver, None));
            leaf(decided.leaf.id());
            decided.finalizer.into_iter().for_each(|finalizer| leaf(finalizer.id()));
        }
    });
    reached
}

/// The beginnings of the errors that `docs/controllers/provisioner.md` states for the leaves.
const ERRORS: [(&str, ProvisionBranch); 22] = [
    ("storageClass ", ProvisionBranch::ClassNotFound),
    ("dataSourceRef namespace specified", ProvisionBranch::SourceInOtherNamespace),
    ("the PVC source not found", ProvisionBranch::SourceWithoutName),
    ("the PVC source does not belong", ProvisionBranch::SourceOfOtherGroup),
    ("ignored because data source", ProvisionBranch::SourceIgnored),
    ("CSI driver does not support", ProvisionBranch::DriverLacksCapability),
    ("claim Selector", ProvisionBranch::SelectorUnsupported),
    ("fstype specified", ProvisionBranch::FsTypeTwice),
    ("unsupported AccessMode", ProvisionBranch::AccessModeUnsupported),
    ("error getting handle for DataSource Type PersistentVolumeClaim", ProvisionBranch::CloneSourceUnusable),
    ("error getting handle for DataSource Type VolumeSnapshot", ProvisionBranch::SnapshotSourceUnusable),
    ("failed to get selected CSINode", ProvisionBranch::SelectedNodeMissing),
    ("error generating accessibility requirements", ProvisionBranch::TopologyUnusable),
    ("error resolving value", ProvisionBranch::SecretUnresolvable),
    ("error getting secret", ProvisionBranch::SecretNotFound),
    ("failed to strip CSI Parameters", ProvisionBranch::ParameterUnknown),
    ("volumeattributesclasses.storage.k8s.io", ProvisionBranch::AttributesClassNotFound),
    ("VAC ", ProvisionBranch::AttributesClassOfOtherDriver),
    ("rpc error: code = InvalidArgument", ProvisionBranch::CreateInfeasible),
    ("rpc error: code = Aborted", ProvisionBranch::CreateUnfinished),
    ("created volume capacity", ProvisionBranch::CreatedTooSmall),
    ("volume content source missing", ProvisionBranch::CreatedWithoutSource),
];

#[test]
fn each_leaf_has_the_error_of_the_page() {
    let mut seen = BTreeMap::new();
    each_world(|line, snapshot| {
        let asked = line.provisioning.as_ref().unwrap();
        let provisioner = provisioner(asked, snapshot).unwrap();
        for real in &asked.claims {
            let claim = snapshot.claim(snapshot.claim_id(&real.claim.namespace, &real.claim.name).unwrap());
            let request = provisioner.provision(claim, &Driver::default());
            let predicted = provisioner.provision(claim, &answers(&asked.driver, request.request()));
            let text = if real.error.is_empty() { &real.retry } else { &real.error };
            if let Some((begin, leaf)) = ERRORS.iter().find(|(begin, _)| text.starts_with(begin)) {
                assert_eq!(predicted.leaf, *leaf, "{}: {text}", line.id);
                *seen.entry(*begin).or_insert(0) += 1;
            }
        }
    });
    assert_eq!(seen.len(), ERRORS.len(), "{seen:?}");
}

/// The redacted world must have the same decisions.
#[test]
fn redaction_changes_no_decision() {
    each_world(|line, snapshot| {
        let items: Vec<Value> = line.world.items.iter().map(redacted).collect();
        let other = world(&items, Coverage::complete());
        let asked = line.provisioning.as_ref().unwrap();
        let (one, two) = (provisioner(asked, snapshot).unwrap(), provisioner(asked, &other).unwrap());
        for (claim, hidden) in snapshot.claims().iter().zip(other.claims()) {
            let driver = answers(&asked.driver, None);
            assert_eq!(one.provision(claim, &driver), two.provision(hidden, &driver), "{}", line.id);
        }
        for (volume, hidden) in snapshot.volumes().iter().zip(other.volumes()) {
            let driver = answers(&asked.driver, None);
            assert_eq!(one.delete(volume, &driver), two.delete(hidden, &driver), "{}", line.id);
        }
    });
}

fn redacted(item: &Value) -> Value {
    let Item::Object(object) = decode(item.to_string().as_bytes(), "a test").unwrap() else { panic!("{item}") };
    redact(object.kind(), item.clone())
}

fn world(items: &[Value], coverage: Coverage) -> Snapshot {
    let mut parts = Parts { coverage, ..Parts::default() };
    for item in items {
        match decode(item.to_string().as_bytes(), "a test").unwrap() {
            Item::Object(object) => parts.objects.push(object),
            Item::Skipped(kind) => panic!("{kind}"),
        }
    }
    Snapshot::new(parts)
}

fn class(parameters: &Value) -> Value {
    json!({
        "apiVersion": "storage.k8s.io/v1", "kind": "StorageClass", "metadata": {"name": "fast", "uid": "fast"},
        "provisioner": "csi.example.com", "volumeBindingMode": "Immediate", "reclaimPolicy": "Delete",
        "parameters": parameters,
    })
}

fn claim(annotations: &Value) -> Value {
    json!({
        "apiVersion": "v1", "kind": "PersistentVolumeClaim",
        "metadata": {"name": "c", "namespace": "n", "uid": "1", "annotations": annotations},
        "spec": {
            "accessModes": ["ReadWriteOnce"], "storageClassName": "fast", "volumeMode": "Filesystem",
            "resources": {"requests": {"storage": "1Gi"}},
        },
        "status": {"phase": "Pending"},
    })
}

const ASKED: &str = "volume.kubernetes.io/storage-provisioner";

/// Returns a driver that does not use topology.
fn simple() -> Sidecar {
    let mut sidecar = Sidecar::new("csi.example.com");
    sidecar.capabilities.retain(|capability| capability.as_str() != "VOLUME_ACCESSIBILITY_CONSTRAINTS");
    sidecar
}

fn decided(items: &[Value], coverage: Coverage, sidecar: Sidecar, driver: &Driver) -> Provisioning {
    let snapshot = world(items, coverage);
    Provisioner::new(&snapshot, sidecar, Secrets::Unknown).provision(&snapshot.claims()[0], driver)
}

/// Secrets are not read. The decision assumes that they exist, and says so.
#[test]
fn what_is_not_evaluated_is_said() {
    let asked = |parameters: &Value, annotations: &Value| {
        let items = [class(parameters), claim(annotations)];
        decided(&items, Coverage::complete(), simple(), &Driver::default())
    };
    let own = json!({ASKED: "csi.example.com"});
    assert_eq!(asked(&json!({}), &own).not_evaluated, [].into());
    let named = json!({
        "csi.storage.k8s.io/provisioner-secret-name": "s", "csi.storage.k8s.io/provisioner-secret-namespace": "n",
    });
    let with_secret = asked(&named, &own);
    assert_eq!(with_secret.leaf, ProvisionBranch::CreateRequested);
    assert_eq!(with_secret.not_evaluated, [NotEvaluated::Secrets].into());
    let by_annotation = json!({
        "csi.storage.k8s.io/node-stage-secret-name": "${pvc.annotations['team']}",
        "csi.storage.k8s.io/node-stage-secret-namespace": "n",
    });
    let team = json!({ASKED: "csi.example.com", "team": "a"});
    assert_eq!(asked(&by_annotation, &team).not_evaluated, [NotEvaluated::ClaimAnnotations].into());
    // If there are no other annotations, the token is certainly missing.
    assert_eq!(asked(&by_annotation, &own).not_evaluated, [].into());
}

/// Unknown is not absent: a class that was not read may exist.
#[test]
fn a_decision_is_certain_only_if_everything_was_read() {
    let mut coverage = Coverage::complete();
    coverage.set(CoverageEntry::new(Kind::StorageClass, None, CoverageState::Forbidden));
    let claim = claim(&json!({ASKED: "csi.example.com"}));
    let missing = decided(std::slice::from_ref(&claim), coverage, simple(), &Driver::default());
    assert_eq!(missing.leaf, ProvisionBranch::ClassNotFound);
    assert!(missing.doubts.contains_key(&Kind::StorageClass), "{:?}", missing.doubts);
}

/// The answer of the driver adds steps to the decision. It changes none of the earlier steps.
#[test]
fn an_answer_of_the_driver_adds_steps_after_the_request() {
    let items = [class(&json!({})), claim(&json!({ASKED: "csi.example.com"}))];
    let asked = decided(&items, Coverage::complete(), simple(), &Driver::default());
    let created = Created { handle: "h".into(), bytes: 1 << 30, ..Created::default() };
    let driver = Driver { create: Some(Ok(created)), delete: None };
    let done = decided(&items, Coverage::complete(), simple(), &driver);
    assert_eq!((asked.leaf, done.leaf), (ProvisionBranch::CreateRequested, ProvisionBranch::VolumeProvisioned));
    assert!(done.acts.starts_with(&asked.acts));
    let stored = done.acts.iter().find_map(|act| match act {
        Act::StoreVolume(volume) => Some((volume.name.as_str(), volume.handle.as_str(), volume.bytes)),
        _ => None,
    });
    assert_eq!(stored, Some(("pvc-1", "h", 1 << 30)));
}
