//! A small cluster with claims and volumes in many states, and a function that checks whether an answer about a part of
//! this cluster is right.
#![expect(clippy::expect_used, clippy::panic, clippy::unwrap_used, reason = "a test fails by panicking")]

use super::api::Api;
use super::plane::Plane;
use serde_json::{Value, json};

/// The namespaces of the cluster.
pub(crate) const NAMESPACES: [&str; 2] = ["one", "two"];

fn class(name: &str, mode: &str) -> Value {
    json!({
        "apiVersion": "storage.k8s.io/v1", "kind": "StorageClass", "metadata": {"name": name},
        "provisioner": "driver.example.com", "volumeBindingMode": mode,
    })
}

/// Returns a volume. `claim` is the namespace, name and uid of its claim, if it has one.
pub(crate) fn volume(name: &str, class: &str, claim: Option<(&str, &str, &Value)>) -> Value {
    let reference = claim.map(|(namespace, name, uid)| {
        json!({"apiVersion": "v1", "kind": "PersistentVolumeClaim", "namespace": namespace, "name": name, "uid": uid})
    });
    json!({
        "apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": name},
        "spec": {
            "capacity": {"storage": "1Gi"}, "accessModes": ["ReadWriteOnce"], "storageClassName": class,
            "persistentVolumeReclaimPolicy": "Retain", "claimRef": reference,
            "csi": {"driver": "driver.example.com", "volumeHandle": name},
        },
    })
}

/// Returns a claim. If it names a volume, its binding is completed.
pub(crate) fn claim(namespace: &str, name: &str, class: &str, volume: &str) -> Value {
    let annotations = if volume.is_empty() { json!({}) } else { json!({"pv.kubernetes.io/bind-completed": "yes"}) };
    json!({
        "apiVersion": "v1", "kind": "PersistentVolumeClaim",
        "metadata": {"namespace": namespace, "name": name, "annotations": annotations},
        "spec": {
            "accessModes": ["ReadWriteOnce"], "storageClassName": class, "volumeName": volume,
            "resources": {"requests": {"storage": "1Gi"}},
        },
    })
}

fn pod(namespace: &str, name: &str, claim: &str) -> Value {
    json!({
        "apiVersion": "v1", "kind": "Pod", "metadata": {"namespace": namespace, "name": name},
        "spec": {
            "containers": [{"name": "c", "image": "none"}],
            "volumes": [{"name": "v", "persistentVolumeClaim": {"claimName": claim}}],
        },
    })
}

/// Creates an object, and sets its phase if one is given.
pub(crate) async fn create(api: &Api, object: &Value, phase: &str) -> Value {
    let mut stored = api.create(object).await.unwrap_or_else(|refused| panic!("{}: {object}", refused.message));
    if phase.is_empty() {
        return stored;
    }
    stored["kind"] = object["kind"].clone();
    stored["apiVersion"] = object["apiVersion"].clone();
    stored["status"] = json!({"phase": phase});
    if object["kind"] == "PersistentVolumeClaim" && phase == "Bound" {
        stored["status"]["accessModes"] = json!(["ReadWriteOnce"]);
        stored["status"]["capacity"] = json!({"storage": "1Gi"});
    }
    api.replace_status(&stored).await.unwrap_or_else(|refused| panic!("{}", refused.message))
}

/// Fills a cluster. Each namespace gets a bound pair, a claim whose volume does not exist, a claim that waits for its
/// first consumer although it has one, and a claim that waits for a volume. It also gets a claim that is being deleted
/// while a pod uses it, and a claim whose class does not exist. One volume is Released. Another one is Bound, but its
/// claim was created again.
pub(crate) async fn fill(api: &Api) {
    create(api, &class("fast", "Immediate"), "").await;
    create(api, &class("later", "WaitForFirstConsumer"), "").await;
    create(api, &volume("free", "fast", None), "Available").await;
    // The Lease of a controller manager that ended long ago.
    let lease = json!({
        "apiVersion": "coordination.k8s.io/v1", "kind": "Lease",
        "metadata": {"namespace": "kube-system", "name": "kube-controller-manager"},
        "spec": {
            "holderIdentity": "nobody", "leaseDurationSeconds": 15, "acquireTime": "2026-01-01T00:00:00.000000Z",
            "renewTime": "2026-01-01T00:00:00.000000Z",
        },
    });
    create(api, &lease, "").await;
    let gone = json!("90d00000-0000-4000-8000-000000000000");
    for namespace in NAMESPACES {
        let named = json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": namespace}});
        create(api, &named, "").await;
        let bound = format!("{namespace}-bound");
        let stored = create(api, &claim(namespace, "bound", "fast", &bound), "Bound").await;
        let uid = &stored["metadata"]["uid"];
        create(api, &volume(&bound, "fast", Some((namespace, "bound", uid))), "Bound").await;
        create(api, &claim(namespace, "lost", "fast", &format!("{namespace}-gone")), "Bound").await;
        create(api, &claim(namespace, "waiting", "later", ""), "Pending").await;
        create(api, &pod(namespace, "consumer", "waiting"), "").await;
        create(api, &claim(namespace, "asking", "fast", ""), "Pending").await;
        create(api, &claim(namespace, "lonely", "absent", ""), "Pending").await;
        let released = volume(&format!("{namespace}-released"), "fast", Some((namespace, "deleted", &gone)));
        create(api, &released, "Released").await;
        create(api, &claim(namespace, "anew", "fast", ""), "Pending").await;
        create(api, &volume(&format!("{namespace}-anew"), "fast", Some((namespace, "anew", &gone))), "Bound").await;
        let mut leaving = claim(namespace, "leaving", "fast", "");
        leaving["metadata"]["finalizers"] = json!(["kubernetes.io/pvc-protection"]);
        create(api, &leaving, "Pending").await;
        create(api, &pod(namespace, "user", "leaving"), "").await;
        api.delete(&leaving).await.expect("it is there");
    }
}

/// Returns the answer that the administrator gets.
pub(crate) fn truth(plane: &Plane) -> Value {
    let run = plane.pvctl(&["predict", "-A", "-o", "json", "--decisions", "all", "--outcomes", "all"]);
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""), "{}", run.stdout);
    serde_json::from_str(&run.stdout).unwrap()
}

/// Returns the items of an answer.
fn items(answer: &Value) -> impl Iterator<Item = &Value> {
    answer["items"].as_array().into_iter().flatten()
}

/// Returns all wrong decisions and ends in an answer that are not marked as uncertain.
pub(crate) fn wrong(answer: &Value, truth: &Value) -> Vec<String> {
    let mut wrong = Vec::new();
    for item in items(answer) {
        let Some(known) = items(truth).find(|known| known["object"] == item["object"]) else {
            wrong.push(format!("there is no {}", item["object"]));
            continue;
        };
        if !item["assumed"].is_null() {
            continue;
        }
        let unknown = |field: &str| {
            item["unknown"].as_array().is_some_and(|all| all.iter().any(|unknown| unknown["field"] == field))
        };
        if !unknown("outcomes") && item["outcomes"] != known["outcomes"] {
            wrong.push(format!("{} ends {}, not {}", item["object"], item["outcomes"], known["outcomes"]));
        }
        if !unknown("decisions") && item["decisions"] != known["decisions"] {
            wrong.push(format!("{} does {}, not {}", item["object"], item["decisions"], known["decisions"]));
        }
    }
    wrong
}

/// Returns how many items of an answer are certain, which means that nothing in them is assumed or unknown.
pub(crate) fn sure(answer: &Value) -> usize {
    items(answer).filter(|item| item["assumed"].is_null() && item["unknown"].is_null()).count()
}
