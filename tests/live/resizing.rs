//! The rules of the real API server for what a resizer writes, as `docs/controllers/resizer.md` states them. No
//! controller runs: the test sends the patches.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use super::api::{Api, Refused, path};
use super::plane::Plane;
use crate::support::Run;
use serde_json::{Value, json};

const PVC: &str = "PersistentVolumeClaim";
const PV: &str = "PersistentVolume";
const NOT_REQUIRED: &str = "volume.kubernetes.io/node-expansion-not-required";

/// Sends a patch as the resizer does.
async fn patch(api: &Api, path: &str, patch: &Value) -> Result<Value, Refused> {
    api.patch(path, "application/strategic-merge-patch+json", patch).await
}

/// Creates a bound claim with 2Gi, its volume, and a class that allows expansion. Returns the path of the claim.
async fn bound_claim(api: &Api) -> String {
    let class = json!({
        "apiVersion": "storage.k8s.io/v1", "kind": "StorageClass", "metadata": {"name": "fast"},
        "provisioner": "csi.example.com", "allowVolumeExpansion": true,
    });
    let claim = json!({
        "apiVersion": "v1", "kind": PVC,
        "metadata": {
            "namespace": "default", "name": "c",
            "annotations": {NOT_REQUIRED: "true", "pv.kubernetes.io/bind-completed": "yes"},
        },
        "spec": {
            "accessModes": ["ReadWriteOnce"], "storageClassName": "fast", "volumeName": "v",
            "volumeAttributesClassName": "gold", "resources": {"requests": {"storage": "2Gi"}},
        },
    });
    api.create(&class).await.unwrap();
    let mut claim = api.create(&claim).await.unwrap();
    let volume = json!({
        "apiVersion": "v1", "kind": PV, "metadata": {"name": "v"},
        "spec": {
            "accessModes": ["ReadWriteOnce"], "capacity": {"storage": "2Gi"}, "storageClassName": "fast",
            "persistentVolumeReclaimPolicy": "Delete",
            "claimRef": {"namespace": "default", "name": "c", "uid": claim["metadata"]["uid"]},
            "csi": {"driver": "csi.example.com", "volumeHandle": "h"},
        },
    });
    let mut volume = api.create(&volume).await.unwrap();
    volume["status"] = json!({"phase": "Bound"});
    api.replace_status(&volume).await.unwrap();
    claim["status"] = json!({"phase": "Bound", "accessModes": ["ReadWriteOnce"], "capacity": {"storage": "2Gi"}});
    api.replace_status(&claim).await.unwrap();
    path(PVC, "default", "c")
}

fn request(size: &str) -> Value {
    json!({"spec": {"resources": {"requests": {"storage": size}}}})
}

#[track_caller]
fn refused(answer: Result<Value, Refused>, code: u16, part: &str) {
    let refused = answer.unwrap_err();
    assert_eq!(refused.code, code, "{}", refused.message);
    assert!(refused.message.contains(part), "{}", refused.message);
}

fn explained(plane: &Plane) -> String {
    let kubeconfig = plane.kubeconfig().to_str().unwrap();
    let run = Run::new(&["explain", "pvc/c", "-n", "default", "--kubeconfig", kubeconfig]).finish();
    run.stdout.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
#[ignore = "needs a control plane: oracle/cluster/build, then cargo test --profile thorough -- --ignored live"]
fn the_api_server_stores_what_a_resizer_writes() {
    let plane = Plane::start(&[]);
    tokio::runtime::Runtime::new().unwrap().block_on(expand(&plane));
    tokio::runtime::Runtime::new().unwrap().block_on(modify(&plane));
}

async fn expand(plane: &Plane) {
    let api = Api::of(plane).await;
    let claim = bound_claim(&api).await;
    let status = format!("{claim}/status");
    let stored = patch(&api, &claim, &request("6Gi")).await.unwrap();
    assert!(explained(plane).contains("Stage of the expansion to 6Gi: requested"), "{}", explained(plane));

    // The begin of an expansion: the patch of the status also removes the annotation.
    let begin = |version: &Value| {
        json!({
            "metadata": {"resourceVersion": version, "annotations": {NOT_REQUIRED: null}},
            "spec": {"resources": {"requests": {"storage": "7Gi"}}},
            "status": {
                "allocatedResources": {"storage": "6Gi"},
                "allocatedResourceStatuses": {"storage": "ControllerResizeInProgress"},
                "conditions": [{"type": "Resizing", "status": "True"}],
            },
        })
    };
    refused(patch(&api, &status, &begin(&json!("1"))).await, 409, "the object has been modified");
    let begun = patch(&api, &status, &begin(&stored["metadata"]["resourceVersion"])).await.unwrap();
    assert_eq!(begun["status"]["allocatedResources"]["storage"], "6Gi");
    assert_eq!(begun["metadata"]["annotations"].get(NOT_REQUIRED), None);
    assert_eq!(begun["spec"]["resources"]["requests"]["storage"], "6Gi", "a status changes no spec");

    // Only `storage` and the resources of others may be there, with a positive amount and one of five words.
    let change = |field: &str, value: Value| json!({"status": {field: value}});
    for (field, value, part) in [
        ("allocatedResourceStatuses", json!({"storage": "ControllerResizeFailed"}), "Unsupported value"),
        ("allocatedResourceStatuses", json!({"cpu": "NodeResizePending"}), "Unsupported value"),
        ("allocatedResources", json!({"cpu": "1"}), "Unsupported value"),
        ("allocatedResources", json!({"storage": "-1"}), "must be a valid resource quantity"),
        ("capacity", json!({"storage": "-1"}), "must be a valid resource quantity"),
    ] {
        refused(patch(&api, &status, &change(field, value)).await, 422, part);
    }
    let other = change("allocatedResources", json!({"example.com/inodes": "5"}));
    let with_other = patch(&api, &status, &other).await.unwrap();
    assert_eq!(with_other["status"]["allocatedResources"], json!({"storage": "6Gi", "example.com/inodes": "5"}));

    // A request can be lowered, but not to the capacity.
    let infeasible = json!({"status": {"allocatedResourceStatuses": {"storage": "ControllerResizeInfeasible"}}});
    patch(&api, &status, &infeasible).await.unwrap();
    refused(patch(&api, &claim, &request("2Gi")).await, 422, "field can not be less than status.capacity");
    patch(&api, &claim, &request("3Gi")).await.unwrap();
    let words = explained(plane);
    for part in [
        "Stage of the expansion to 6Gi: controller infeasible",
        "The claim now requests 3Gi, which the resizer tries next. Until then, a quota counts 6Gi.",
    ] {
        assert!(words.contains(part), "{part}\n{words}");
    }

    // The capacity that a driver answers.
    let volume = path(PV, "", "v");
    let capacity = |size: &str| json!({"spec": {"capacity": {"storage": size}}});
    refused(patch(&api, &volume, &capacity("0")).await, 422, "must be greater than zero");
    patch(&api, &volume, &capacity("3Gi")).await.unwrap();
}

async fn modify(plane: &Plane) {
    let api = Api::of(plane).await;
    let claim = path(PVC, "default", "c");
    let status = format!("{claim}/status");
    let pending = json!({"status": {"modifyVolumeStatus": {"status": "Pending"}}});
    let stored = patch(&api, &status, &pending).await.unwrap();
    assert_eq!(stored["status"]["modifyVolumeStatus"], json!({"status": "Pending"}));
    assert!(explained(plane).contains("Stage of the change to class gold: pending"), "{}", explained(plane));

    let done = json!({"status": {"modifyVolumeStatus": null, "currentVolumeAttributesClassName": "gold"}});
    let stored = patch(&api, &status, &done).await.unwrap();
    assert_eq!(stored["status"].get("modifyVolumeStatus"), None);
    assert!(!explained(plane).contains("Stage of the change"), "{}", explained(plane));
    for nothing in [json!(null), json!("")] {
        let change = json!({"spec": {"volumeAttributesClassName": nothing}});
        refused(patch(&api, &claim, &change).await, 422, "is forbidden when status.currentVolumeAttributesClassName");
    }
}
