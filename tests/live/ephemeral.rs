//! Pods with generic ephemeral volumes. The real controller creates the claims that are predicted, and writes the
//! predicted event if it cannot.
#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::panic,
    clippy::unwrap_used,
    reason = "the test waits for controllers, and fails by panicking"
)]

use super::api::{Api, path};
use super::ends::settled;
use super::plane::Plane;
use serde_json::{Value, json};
use std::thread;
use std::time::{Duration, Instant};

/// The namespace of all objects of this test.
const NAMESPACE: &str = "default";

/// The longest time to wait for an event. The controller sends the event in the background, after the sync.
const EVENT_TIMEOUT: Duration = Duration::from_secs(30);

/// Returns a pod that has these ephemeral volumes.
fn pod(name: &str, volumes: &[&str]) -> Value {
    let template = json!({
        "metadata": {"labels": {"app": name}, "annotations": {"example.com/team": "web"}},
        "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "5Gi"}}},
    });
    let volume = |name: &&str| json!({"name": name, "ephemeral": {"volumeClaimTemplate": template}});
    json!({
        "apiVersion": "v1", "kind": "Pod", "metadata": {"namespace": NAMESPACE, "name": name},
        "spec": {
            "containers": [{"name": "app", "image": "registry.example.com/app:1"}],
            "volumes": volumes.iter().map(volume).collect::<Vec<Value>>(),
        },
    })
}

/// Returns all objects: two classes, a volume of the default class, a claim, a pod `web` whose claim can be created,
/// and a pod `taken` whose claim name is already in use. The existing claim has a class with WaitForFirstConsumer, so
/// `predict` reads pods.
fn objects() -> Vec<Value> {
    let class = |name: &str, default: &str, mode: &str| {
        json!({
            "apiVersion": "storage.k8s.io/v1", "kind": "StorageClass", "provisioner": "kubernetes.io/no-provisioner",
            "metadata": {"name": name, "annotations": {"storageclass.kubernetes.io/is-default-class": default}},
            "volumeBindingMode": mode,
        })
    };
    vec![
        class("disks", "true", "Immediate"),
        class("later", "false", "WaitForFirstConsumer"),
        json!({
            "apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": "disk"},
            "spec": {
                "capacity": {"storage": "5Gi"}, "accessModes": ["ReadWriteOnce"], "storageClassName": "disks",
                "csi": {"driver": "driver.example.com", "volumeHandle": "disk"},
            },
        }),
        json!({
            "apiVersion": "v1", "kind": "PersistentVolumeClaim",
            "metadata": {"namespace": NAMESPACE, "name": "taken-scratch"},
            "spec": {
                "accessModes": ["ReadWriteOnce"], "storageClassName": "later",
                "resources": {"requests": {"storage": "1Gi"}},
            },
        }),
        pod("web", &["scratch"]),
        pod("taken", &["scratch", "logs"]),
    ]
}

fn entry_of<'a>(list: &'a Value, kind: &str, name: &str) -> &'a Value {
    let is_it = |entry: &&Value| entry["object"]["kind"] == kind && entry["object"]["name"] == name;
    let mut all = list.as_array().into_iter().flatten();
    all.find(is_it).unwrap_or_else(|| panic!("{kind} {name} must be in {list}"))
}

/// Returns the type, the reason and the message of the first event about a pod.
async fn first_event_about(api: &Api, pod: &str) -> [Value; 3] {
    let begin = Instant::now();
    loop {
        let events = api.list("Event").await;
        let is_about = |event: &&Value| {
            let about = &event["involvedObject"];
            about["kind"] == "Pod" && about["name"] == pod
        };
        if let Some(event) = events.iter().find(is_about) {
            return ["type", "reason", "message"].map(|field| event[field].clone());
        }
        assert!(begin.elapsed() < EVENT_TIMEOUT, "there must be an event about pod {pod}");
        thread::sleep(Duration::from_millis(100));
    }
}

#[test]
#[ignore = "needs a control plane: oracle/cluster/build, then cargo test --profile thorough -- --ignored live"]
fn claims_of_ephemeral_volumes_are_made_as_predicted() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let mut plane = Plane::start(&[]);
    let api = runtime.block_on(Api::of(&plane));
    for object in objects() {
        runtime.block_on(api.create(&object)).unwrap();
    }
    let run = plane.pvctl(&["predict", "-A", "-o", "json", "--outcomes", "all"]);
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""), "{}", run.stdout);
    let predicted: Value = serde_json::from_str(&run.stdout).unwrap();
    plane.start_controllers_and("ephemeral-volume-controller");
    let stored = runtime.block_on(settled(&api, &plane));
    let claim = |name: &str| stored.get(&("PersistentVolumeClaim".into(), NAMESPACE.into(), name.into()));

    // The claim has the predicted name, labels, owner, access modes and size.
    let web = &entry_of(&predicted["items"], "Pod", "web")["decisions"][0];
    assert_eq!(web["controller"], "ephemeral-volume-controller");
    let (sent, made) = (&web["writes"][0]["object"], claim("web-scratch").unwrap());
    for field in
        ["/metadata/name", "/metadata/labels", "/metadata/ownerReferences", "/spec/accessModes", "/spec/resources"]
    {
        assert_eq!(sent.pointer(field), made.pointer(field), "{field}");
        assert!(sent.pointer(field).is_some(), "{field}");
    }
    assert_eq!(sent["metadata"]["annotations"], json!({"example.com/team": "web"}));
    assert_eq!(made["metadata"]["annotations"]["example.com/team"], "web");
    let pod = runtime.block_on(api.get(&path("Pod", NAMESPACE, "web"))).unwrap();
    assert_eq!(made["metadata"]["ownerReferences"][0]["uid"], pod["metadata"]["uid"]);

    // The API server sets the default class on the claim. So the claim is bound to volume `disk`.
    let created = entry_of(&predicted["created"], "PersistentVolumeClaim", "web-scratch");
    assert_eq!(created["outcomes"], json!([{"phase": "Bound", "volumeName": "disk", "created": true}]));
    assert_eq!((&made["status"]["phase"], &made["spec"]["volumeName"]), (&json!("Bound"), &json!("disk")));
    let volume = &entry_of(&predicted["items"], "PersistentVolume", "disk")["outcomes"];
    assert_eq!(volume[0]["claimRef"]["name"], "web-scratch");

    // The name of the claim is in use, and the event says so. The next volume of the pod does not get a claim, either.
    let taken = &entry_of(&predicted["items"], "Pod", "taken")["decisions"][0];
    let event = ["type", "reason", "message"].map(|field| taken["events"][0][field].clone());
    assert_eq!(runtime.block_on(first_event_about(&api, "taken")), event);
    assert_eq!(taken["writes"], json!([]));
    assert!(claim("taken-logs").is_none());
    assert_eq!(predicted["created"].as_array().map(Vec::len), Some(1), "{}", predicted["created"]);
}
