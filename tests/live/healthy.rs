//! A cluster in which nothing is wrong, with the real controllers. The audit has no finding of severity `error`. Its
//! only warnings are about released volumes with policy Retain, which wait for a person.
#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::panic,
    clippy::unwrap_used,
    reason = "the test waits until nothing moves, and fails by panicking"
)]

use super::api::Api;
use super::plane::Plane;
use crate::support::Run;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::thread;
use std::time::{Duration, Instant};

/// The longest time that the controllers need to bind and release everything.
const PATIENCE: Duration = Duration::from_mins(1);

/// The namespace of all claims.
const NAMESPACE: &str = "default";

fn class(name: &str, mode: &str, is_default: bool) -> Value {
    json!({
        "apiVersion": "storage.k8s.io/v1", "kind": "StorageClass",
        "metadata": {"name": name, "annotations": {"storageclass.kubernetes.io/is-default-class": is_default.to_string()}},
        "provisioner": "driver.example.com", "volumeBindingMode": mode,
    })
}

fn claim(name: &str, class: Option<&str>, volume: Option<&str>) -> Value {
    json!({
        "apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"namespace": NAMESPACE, "name": name},
        "spec": {
            "accessModes": ["ReadWriteOnce"], "storageClassName": class, "volumeName": volume,
            "resources": {"requests": {"storage": "1Gi"}},
        },
    })
}

/// Returns a volume that a person created. If `claim` is given, the volume is reserved for the claim of this name.
fn volume(name: &str, claim: Option<&str>) -> Value {
    json!({
        "apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": name},
        "spec": {
            "capacity": {"storage": "1Gi"}, "accessModes": ["ReadWriteOnce"],
            "persistentVolumeReclaimPolicy": "Retain",
            "claimRef": claim.map(|name| json!({"namespace": NAMESPACE, "name": name})),
            "nfs": {"server": "nfs.example.com", "path": format!("/srv/{name}")},
        },
    })
}

/// Returns the volume that the driver would create for a claim of a class.
fn provisioned(claim: &Value) -> Value {
    let meta = &claim["metadata"];
    let name = format!("pvc-{}", meta["uid"].as_str().unwrap());
    json!({
        "apiVersion": "v1", "kind": "PersistentVolume",
        "metadata": {"name": name, "annotations": {"pv.kubernetes.io/provisioned-by": "driver.example.com"}},
        "spec": {
            "capacity": {"storage": "1Gi"}, "accessModes": ["ReadWriteOnce"], "storageClassName": "now",
            "persistentVolumeReclaimPolicy": "Delete", "volumeMode": "Filesystem",
            "claimRef": {
                "apiVersion": "v1", "kind": "PersistentVolumeClaim", "namespace": NAMESPACE, "name": meta["name"],
                "uid": meta["uid"],
            },
            "csi": {"driver": "driver.example.com", "volumeHandle": name},
        },
    })
}

/// Returns how many objects of a kind are in each phase.
async fn phases(api: &Api, kind: &str) -> BTreeMap<String, usize> {
    let mut phases = BTreeMap::new();
    for object in api.list(kind).await {
        *phases.entry(object["status"]["phase"].as_str().unwrap_or_default().to_owned()).or_default() += 1;
    }
    phases
}

async fn wait_for(api: &Api, kind: &str, wanted: &[(&str, usize)]) {
    let begin = Instant::now();
    let wanted: BTreeMap<String, usize> = wanted.iter().map(|(phase, count)| ((*phase).to_owned(), *count)).collect();
    loop {
        let found = phases(api, kind).await;
        if found == wanted {
            return;
        }
        assert!(begin.elapsed() < PATIENCE, "the phases of {kind} must be {wanted:?}, but are {found:?}");
        thread::sleep(Duration::from_millis(200));
    }
}

/// Returns how often each rule found something, by id, and the summary with the severities.
fn found(answer: &str) -> (BTreeMap<String, usize>, Value) {
    let report: Value = serde_json::from_str(answer).unwrap_or_else(|error| panic!("{error}: {answer}"));
    let by_id = report["summary"]["byId"].as_object().unwrap();
    let by_id = by_id.iter().map(|(id, count)| (id.clone(), usize::try_from(count.as_u64().unwrap()).unwrap()));
    (by_id.collect(), report["summary"].clone())
}

/// The cluster has two hundred claims: bound to volumes made by hand, bound to provisioned volumes, waiting for their
/// first consumer, or being provisioned. Some other claims were deleted, so their volumes are Released.
#[test]
#[ignore = "needs a control plane: oracle/cluster/build, then cargo test --profile thorough -- --ignored live"]
fn a_healthy_cluster_has_only_findings_for_information() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let mut plane = Plane::start(&[]);
    let api = runtime.block_on(Api::of(&plane));
    plane.start_controllers();
    runtime.block_on(async {
        let create = async |object: Value| api.create(&object).await.unwrap();
        // The driver is installed. But it is not registered on any node, because there is no kubelet.
        create(json!({
            "apiVersion": "storage.k8s.io/v1", "kind": "CSIDriver", "metadata": {"name": "driver.example.com"},
            "spec": {"attachRequired": false},
        }))
        .await;
        create(class("now", "Immediate", true)).await;
        create(class("later", "WaitForFirstConsumer", false)).await;
        for number in 0..60 {
            let (claim_name, volume_name) = (format!("by-hand-{number}"), format!("nfs-{number}"));
            create(volume(&volume_name, Some(&claim_name))).await;
            create(claim(&claim_name, Some(""), Some(&volume_name))).await;
        }
        for number in 0..60 {
            let stored = create(claim(&format!("provisioned-{number}"), None, None)).await;
            create(provisioned(&stored)).await;
        }
        for number in 0..50 {
            create(claim(&format!("delayed-{number}"), Some("later"), None)).await;
        }
        for number in 0..30 {
            create(claim(&format!("coming-{number}"), Some("now"), None)).await;
        }
        let released: Vec<String> = (0..20).map(|number| format!("released-{number}")).collect();
        for name in &released {
            create(volume(name, Some(name))).await;
            create(claim(name, Some(""), Some(name))).await;
        }
        wait_for(&api, "PersistentVolumeClaim", &[("Bound", 140), ("Pending", 80)]).await;
        for name in &released {
            api.delete(&claim(name, None, None)).await.unwrap();
        }
        wait_for(&api, "PersistentVolumeClaim", &[("Bound", 120), ("Pending", 80)]).await;
        wait_for(&api, "PersistentVolume", &[("Bound", 120), ("Released", 20)]).await;
    });
    let run = plane.pvctl(&["audit", "-A", "-o", "json"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let (ids, summary) = found(&run.stdout);
    let expected = [("pv-released-retain", 20), ("pvc-wffc-no-consumer", 50)];
    assert_eq!(ids, expected.map(|(id, count)| (id.to_owned(), count)).into());
    assert_eq!((&summary["error"], &summary["warning"]), (&json!(0), &json!(20)));
    // The input may be only a part of the cluster, such as the claims of one namespace.
    let cut = plane.kubectl_with(&["get", "pvc", "-n", NAMESPACE, "-o", "json"], b"").stdout;
    let run = Run::new(&["audit", "-o", "json", "-f", "-"]).stdin(cut.as_bytes()).finish();
    let (_, summary) = found(&run.stdout);
    assert_eq!((run.code, &summary["error"]), (Some(0), &json!(0)), "{}", run.stdout);
}
