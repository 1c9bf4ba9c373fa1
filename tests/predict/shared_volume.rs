//! What the shared-volume controller of StorageOS decides. The conformance test compares every recorded answer. These
//! tests check that the recordings reach every leaf, that each leaf has the error that the page states, and what
//! nobody records: the rules of api-manager up to 1.1, and what other components do later. The expected values of the
//! rows come from upstream's own tests, and from the tables of `docs/controllers/shared-volume.md`.
#![expect(clippy::panic, clippy::unwrap_used, reason = "a test fails by panicking")]

mod ages;
mod collected;
mod repeated;
mod rows;

use super::attacher::world;
use crate::support::root;
use pvctl::controllers::shared_volume::{
    Act, ApiManager, Circumstances, CollectionBranch, Decision, EndpointsBranch, EndpointsUpdate, PublishBranch,
    ServiceBranch, ServiceUpdate, SharedVolume, Stored, VolumeBranch, reconcile,
};
use pvctl::model::StorageOsVolume;
use pvctl::snapshot::{Coverage, Snapshot};
use pvctl::world::View;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use xtask::corpus;
use xtask::judge::shared_volume_leaves;
use xtask::line::Line;

/// Leaves that no recorded world reaches.
pub(crate) const NOT_RECORDED: [(&str, &str); 12] = [
    ("SV12", "none: api-manager up to 1.1 cannot be run; `each_row_of_the_unit_tests` has it"),
    (
        "SV13",
        "none: api-manager up to 1.1 cannot be run; `an_endpoint_that_cannot_be_split_is_dropped_up_to_1_1` has it",
    ),
    ("SV14", "none: api-manager up to 1.1 cannot be run; `each_row_of_the_unit_tests` has it"),
    ("SG1", LATER),
    ("SG2", LATER),
    ("SG3", LATER),
    ("SG4", LATER),
    ("SG5", LATER),
    ("SG6", LATER),
    ("SG7", LATER),
    ("SG8", LATER),
    ("SG9", LATER),
];

const LATER: &str = "none: another component does this; `other_components_collect_what_the_controller_leaves` has it";

/// Returns the id, the name and the sentence of every leaf.
pub(crate) fn leaves() -> Vec<(&'static str, &'static str, &'static str)> {
    (VolumeBranch::ALL.iter().map(|leaf| (leaf.id(), leaf.name(), leaf.about())))
        .chain(ServiceBranch::ALL.iter().map(|leaf| (leaf.id(), leaf.name(), leaf.about())))
        .chain(EndpointsBranch::ALL.iter().map(|leaf| (leaf.id(), leaf.name(), leaf.about())))
        .chain(PublishBranch::ALL.iter().map(|leaf| (leaf.id(), leaf.name(), leaf.about())))
        .chain(CollectionBranch::ALL.iter().map(|leaf| (leaf.id(), leaf.name(), leaf.about())))
        .collect()
}

/// Returns the recorded worlds.
fn lines() -> impl Iterator<Item = Line> {
    let file = root().join("tests/conformance/shared-volume-1.2.16-1.36.3.jsonl.gz");
    corpus::lines(&file).unwrap().map(Result::unwrap)
}

/// Returns the first recorded world that reaches each leaf.
pub(crate) fn reached() -> BTreeMap<&'static str, String> {
    let mut reached = BTreeMap::new();
    for line in lines() {
        for (_, id) in shared_volume_leaves(&line).unwrap() {
            reached.entry(id).or_insert_with(|| line.id.clone());
        }
    }
    reached
}

/// Parts of the errors that `docs/controllers/shared-volume.md` states for the leaves.
const ERRORS: [(&str, &str); 18] = [
    ("PersistentVolumeClaim \"", "SV9"),
    ("failed to get service, aborting reconcile: ", "SS1"),
    ("failed to create service resource: Service \"", "SS2"),
    ("failed to create service resource: services \"", "SS2"),
    ("failed to get service resource after create: timed out waiting for the condition", "SS3"),
    ("failed to get service resource after create: Internal error occurred: ", "SS4"),
    ("failed to update service resource: services \"", "SS10"),
    ("failed to update service resource: Internal error occurred: ", "SS10"),
    ("failed to get endpoint, aborting reconcile: ", "SN1"),
    ("failed to create endpoints resource: Endpoints \"", "SN2"),
    ("must be a valid IP address", "SN2"),
    ("failed to create endpoints resource: Internal error occurred: ", "SN2"),
    ("failed to get endpoints resource after create: ", "SN3"),
    ("failed to update endpoints resource: resource name may not be empty", "SN5"),
    ("failed to update endpoints resource: Endpoints \"", "SN10"),
    ("failed to update endpoints resource: Operation cannot be fulfilled ", "SN10"),
    ("must be between 1 and 65535, inclusive", "SN10"),
    ("", "SQ3"),
];

#[test]
fn each_leaf_has_the_error_of_the_page() {
    let mut seen = BTreeSet::new();
    for line in lines() {
        let leaves: BTreeSet<_> = shared_volume_leaves(&line).unwrap().into_iter().collect();
        let share = line.share.as_ref().unwrap();
        for (turn, answer) in share.turns.iter().zip(&share.answers) {
            for (asked, real) in turn.reconcile.iter().zip(&answer.syncs) {
                for (part, id) in ERRORS.iter().filter(|(part, _)| !part.is_empty() && real.error.contains(part)) {
                    if leaves.contains(&(asked.volume.clone(), *id)) {
                        seen.insert((*part, *id));
                    }
                }
                // The storage system has its own texts.
                if real.log.last().is_some_and(|text| text == "shared volume external endpoint update failed") {
                    assert!(leaves.contains(&(asked.volume.clone(), "SQ3")), "{}: {}", line.id, real.error);
                    seen.insert(("", "SQ3"));
                }
            }
        }
    }
    let missing: Vec<_> = ERRORS.iter().filter(|stated| !seen.contains(*stated)).collect();
    assert!(missing.is_empty(), "{missing:?}");
}

/// The claim of the volume.
fn claim() -> Value {
    json!({
        "apiVersion": "v1", "kind": "PersistentVolumeClaim",
        "metadata": {"namespace": "bar", "name": "foo", "uid": "U"},
        "spec": {"accessModes": ["ReadWriteMany"], "volumeName": "baz-service"}, "status": {"phase": "Bound"},
    })
}

/// A volume with this endpoint of its server and this published mount endpoint.
fn volume(internal: Option<&str>, external: &str) -> StorageOsVolume {
    let mut labels = json!({
        "csi.storage.k8s.io/pv/name": "baz-service", "csi.storage.k8s.io/pvc/name": "foo",
        "csi.storage.k8s.io/pvc/namespace": "bar",
    });
    if !external.is_empty() {
        labels["storageos.com/nfs/mount-endpoint"] = json!(external);
    }
    StorageOsVolume::of_object(&json!({
        "apiVersion": "api.storageos.com/v1", "kind": "Volume", "metadata": {"name": "baz-service"},
        "spec": {"configLabels": labels, "nfs": {"serviceEndpoint": internal}}, "status": {"volumeId": "id"},
    }))
    .unwrap()
}

/// The Service that the controller wants, with an address.
fn service() -> Value {
    json!({
        "apiVersion": "v1", "kind": "Service",
        "metadata": {
            "namespace": "bar", "name": "baz-service", "uid": "S", "labels": {"storageos.com/volume-id": "id"},
            "ownerReferences": [{"apiVersion": "v1", "kind": "PersistentVolumeClaim", "name": "foo", "uid": "U"}],
        },
        "spec": {
            "type": "ClusterIP", "clusterIP": "10.96.0.9", "clusterIPs": ["10.96.0.9"],
            "ports": [{"name": "nfs", "port": 2049, "protocol": "TCP", "targetPort": 25710}],
        },
    })
}

/// The Endpoints that the controller wants.
fn endpoints() -> Value {
    json!({
        "apiVersion": "v1", "kind": "Endpoints",
        "metadata": {
            "namespace": "bar", "name": "baz-service", "uid": "E", "labels": {"storageos.com/volume-id": "id"},
        },
        "subsets": [{
            "addresses": [{"ip": "10.0.0.5"}], "ports": [{"name": "nfs", "port": 25710, "protocol": "TCP"}],
        }],
    })
}

/// Returns an object with another value at this JSON pointer. The field may be new.
fn with(mut object: Value, pointer: &str, value: Value) -> Value {
    if let Some(place) = object.pointer_mut(pointer) {
        *place = value;
    } else {
        let (parent, field) = pointer.rsplit_once('/').unwrap();
        object.pointer_mut(parent).unwrap()[field] = value;
    }
    object
}

fn snapshot(objects: &[Value]) -> Snapshot {
    world(objects, Coverage::complete())
}

/// Returns the objects of the volume, as the controller reads them.
fn stored(volume: &StorageOsVolume, objects: &[Value]) -> Stored {
    let snapshot = snapshot(objects);
    Stored::of(View::Snapshot(&snapshot), &SharedVolume::of(volume).unwrap()).0
}

fn of(manager: ApiManager) -> Circumstances {
    Circumstances { manager, new_address: Some("1.2.3.4".into()), ..Circumstances::default() }
}

fn decide(manager: ApiManager, volume: &StorageOsVolume, objects: &[Value]) -> Decision {
    reconcile(Some(volume), stored(volume, objects), &of(manager))
}

/// Returns the ids of the leaves.
fn path(decision: &Decision) -> Vec<&'static str> {
    decision.path.iter().map(|leaf| leaf.id()).collect()
}

/// Returns the actions in short words. Actions that fail have an exclamation mark.
fn acts(decision: &Decision) -> Vec<String> {
    let text = |act: &Act| match act {
        Act::CreateService(_) => "create Service".to_owned(),
        Act::UpdateService(ServiceUpdate::Target(port)) => format!("target {port}"),
        Act::UpdateService(ServiceUpdate::Ports(port)) => format!("ports {}:{}", port.port, port.target),
        Act::CreateEndpoints(_) => "create Endpoints".to_owned(),
        Act::UpdateEndpoints(EndpointsUpdate::Target { address, port }) => format!("address {address}:{port}"),
        Act::UpdateEndpoints(EndpointsUpdate::Subsets(subset)) => {
            assert_eq!((subset.ready.len(), subset.ports.len()), (1, 1));
            format!("subset {}:{}", subset.ready[0].ip, subset.ports[0].port.unwrap())
        }
        Act::Event(note) => format!("{} {}", if note.warning { "Warning" } else { "Normal" }, note.reason),
        Act::Publish(made) => format!("publish {}", made.endpoint),
    };
    let refused = |is_refused: bool| if is_refused { "!" } else { "" };
    decision.steps.iter().map(|step| format!("{}{}", text(&step.act), refused(step.refused.is_some()))).collect()
}
