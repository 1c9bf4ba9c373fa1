//! How `explain` finds out from a cluster or from files whether the controllers are running. Without evidence,
//! `explain` must not say anything about the controllers.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use crate::support::api::ApiServer;
use crate::support::faults::Fault;
use crate::support::{Finished, Run};
use serde_json::{Value, json};
use std::time::Duration;

const LEASE: &str = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/kube-controller-manager";
const PODS: &str = "/api/v1/namespaces/db/pods";
/// With this flag, twice the resync period is zero seconds.
const QUICK: &str = "--controller-flag=pvclaimbinder-sync-period=0s";

fn volume() -> Value {
    json!({
        "apiVersion": "v1", "kind": "PersistentVolume",
        "metadata": {"name": "disk", "uid": "uid-disk", "resourceVersion": "10"},
        "spec": {
            "capacity": {"storage": "1Gi"}, "accessModes": ["ReadWriteOnce"], "storageClassName": "fast",
            "persistentVolumeReclaimPolicy": "Retain", "nfs": {"server": "s", "path": "/p"}
        },
        "status": {"phase": "Available", "lastPhaseTransitionTime": "2023-11-14T22:00:00Z"}
    })
}

/// Returns a claim that fits the volume. Its `managedFields` say that it was last written at 22:10.
fn claim(version: &str) -> Value {
    json!({
        "apiVersion": "v1", "kind": "PersistentVolumeClaim",
        "metadata": {
            "namespace": "db", "name": "data", "uid": "uid-data", "resourceVersion": version,
            "managedFields": [
                {"manager": "kubectl", "operation": "Update", "time": "2023-11-14T22:10:00Z"},
                {"manager": "helm", "operation": "Update", "time": "2023-11-14T22:05:00Z"}
            ]
        },
        "spec": {
            "accessModes": ["ReadWriteOnce"], "storageClassName": "fast",
            "resources": {"requests": {"storage": "1Gi"}}
        },
        "status": {"phase": "Pending"}
    })
}

fn class() -> Value {
    json!({
        "apiVersion": "storage.k8s.io/v1", "kind": "StorageClass", "metadata": {"name": "fast", "uid": "uid-fast"},
        "provisioner": "kubernetes.io/no-provisioner", "reclaimPolicy": "Delete", "volumeBindingMode": "Immediate"
    })
}

/// Returns a Lease of kube-controller-manager that was last renewed at this time. The clock of the test server shows
/// 2023-11-14T22:13:20Z.
fn lease(renewed: &str) -> Value {
    json!({
        "apiVersion": "coordination.k8s.io/v1", "kind": "Lease",
        "metadata": {"namespace": "kube-system", "name": "kube-controller-manager", "resourceVersion": "900"},
        "spec": {"holderIdentity": "master-1_x", "leaseDurationSeconds": 15, "renewTime": renewed}
    })
}

async fn cluster(objects: impl IntoIterator<Item = Value>) -> ApiServer {
    let api = ApiServer::start().await;
    api.hold([volume(), claim("11"), class()]);
    api.hold(objects);
    api
}

async fn run(api: &ApiServer, arguments: &[&str]) -> Finished {
    let mut all: Vec<String> = arguments.iter().map(ToString::to_string).collect();
    all.extend(["--server".to_owned(), api.url()]);
    let work = move || Run::new(&all.iter().map(String::as_str).collect::<Vec<_>>()).finish();
    tokio::task::spawn_blocking(work).await.unwrap()
}

async fn divergence(api: &ApiServer, more: &[&str]) -> Value {
    explained(api, more).await["divergence"].clone()
}

async fn explained(api: &ApiServer, more: &[&str]) -> Value {
    let ended = run(api, &[&["explain", "pvc/data", "-n", "db", "-o", "json"], more].concat()).await;
    assert_eq!((ended.code, ended.stderr.as_str()), (Some(0), ""));
    serde_json::from_str(&ended.stdout).unwrap()
}

fn entry(object: &str, field: &str, value: &str) -> Value {
    json!({"object": object, "field": field, "value": value})
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stale_lease_makes_it_probable() {
    let api = cluster([lease("2023-11-14T22:03:20.123456Z")]).await;
    let found = divergence(&api, &[]).await;
    assert_eq!((&found["controllerNotRunning"], &found["controllerManager"]), (&json!("probably"), &json!("stale")));
    let object = "lease/kube-controller-manager -n kube-system";
    let expected = [
        entry(object, "spec.holderIdentity", "master-1_x"),
        entry(object, "spec.renewTime", "2023-11-14T22:03:20Z"),
        entry(object, "spec.leaseDurationSeconds", "15"),
        entry(object, "age", "600s"),
    ];
    assert_eq!(found["evidence"], json!(expected));
    assert_eq!(api.count(LEASE), 1, "the Lease must be read once, for the rules and for the answer");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_fresh_lease_shows_a_living_manager() {
    let api = cluster([lease("2023-11-14T22:13:18.000000Z")]).await;
    let found = divergence(&api, &[]).await;
    assert_eq!((&found["controllerNotRunning"], &found["controllerManager"]), (&Value::Null, &json!("alive")));
    let said = run(&api, &["explain", "pvc/data", "-n", "db"]).await.stdout;
    let words: Vec<&str> = said.split_whitespace().collect();
    assert!(
        words.join(" ").contains("The controller manager is alive (master-1_x renewed its Lease 2s ago)"),
        "{said}"
    );
}

/// The claim has not changed for minutes, as its own times show. But without a Lease, `explain` must not say anything
/// about the controller.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn without_a_lease_nothing_is_said_of_the_controller() {
    let silent = |found: &Value| {
        assert_eq!((&found["recorded"], &found["predicted"]), (&json!("Pending"), &json!(["Bound"])));
        assert_eq!(found["lastedSeconds"], 200);
        for field in ["controllerNotRunning", "controllerManager", "evidence"] {
            assert_eq!(found.get(field), None, "{field}");
        }
    };
    silent(&divergence(&cluster([]).await, &[]).await);
    for answer in [
        Fault::Refused(403, "leases is forbidden"),
        Fault::Refused(500, "etcd is on fire"),
        Fault::Busy(429, 30),
        Fault::Page(200),
        Fault::Body(
            r#"{"kind":"Lease","metadata":{"namespace":"kube-system","name":"kube-controller-manager"},"spec":7}"#,
        ),
    ] {
        let api = cluster([lease("2023-11-14T22:03:20Z")]).await;
        api.fail(LEASE, usize::MAX, answer);
        silent(&divergence(&api, &[]).await);
        assert_eq!(api.count(LEASE), 1, "the Lease must be requested once");
    }
    let said = run(&cluster([]).await, &["explain", "pvc/data", "-n", "db"]).await.stdout;
    assert!(said.contains("--recheck") && !said.contains("running"), "{said}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_lease_is_read_once_by_explain_alone() {
    let api = cluster([lease("2023-11-14T22:03:20Z")]).await;
    for (arguments, reads) in [(["predict", "pvc"], 0), (["match", "pvc/data"], 0), (["explain", "pv/disk"], 1)] {
        let before = api.count(LEASE);
        assert_eq!(run(&api, &[&arguments[..], &["-n", "db"]].concat()).await.code, Some(0), "{arguments:?}");
        assert_eq!(api.count(LEASE) - before, reads, "{arguments:?}");
    }
    let api = ApiServer::start().await;
    api.hold([claim("11"), class(), lease("2023-11-14T22:03:20Z")]);
    let document = explained(&api, &["--recheck"]).await;
    assert_eq!((document.get("divergence"), &document["recheck"]), (None, &json!("notNeeded")));
    assert_eq!((api.count(LEASE), api.count(PODS)), (1, 1), "if nothing differs, there must be no second reading");
    let said = run(&api, &["explain", "pvc/data", "-n", "db", "--recheck"]).await.stderr;
    assert_eq!(said, "note: the object is as predicted, so a second reading is not needed\n");
}

/// No pod uses this claim any more, and pvc-protection did not notice that the last pod ended. It checks the claim
/// again only after an event.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_claim_that_waits_for_an_event_shows_nothing_of_the_controller() {
    let api = ApiServer::start().await;
    let mut leaving = claim("11");
    leaving["metadata"]["deletionTimestamp"] = "2023-11-14T22:00:00Z".into();
    leaving["metadata"]["finalizers"] = json!(["kubernetes.io/pvc-protection"]);
    leaving["spec"]["volumeName"] = "disk".into();
    leaving["status"] = json!({"phase": "Bound", "accessModes": ["ReadWriteOnce"], "capacity": {"storage": "1Gi"}});
    leaving["metadata"]["annotations"] =
        json!({"pv.kubernetes.io/bind-completed": "yes", "pv.kubernetes.io/bound-by-controller": "yes"});
    let mut held = volume();
    held["spec"]["claimRef"] = json!({"namespace": "db", "name": "data", "uid": "uid-data"});
    held["status"]["phase"] = "Bound".into();
    api.hold([leaving, held, class(), lease("2023-11-14T22:13:18Z")]);
    for object in ["pvc/data", "pv/disk"] {
        let before = api.count(PODS);
        let ended = run(&api, &["explain", object, "-n", "db", "--recheck"]).await;
        assert_eq!(
            ended.stderr,
            "note: an event and not a resync starts the predicted change, so a second reading would say nothing about \
             the controller\n"
        );
        assert_eq!(api.count(PODS), before + 1, "{object} must be read once");
        let words: Vec<&str> = ended.stdout.split_whitespace().collect();
        let said = words.join(" ");
        assert!(said.contains("The controller manager is alive (master-1_x renewed its Lease 2s ago)."), "{said}");
        assert!(!said.contains("running") && !said.contains("within"), "{said}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_second_reading_that_shows_the_same_makes_it_probable() {
    let api = cluster([]).await;
    let document = explained(&api, &["--recheck", QUICK]).await;
    assert_eq!(document["recheck"], "same");
    let found = &document["divergence"];
    assert_eq!(found["controllerNotRunning"], "probably");
    let expected = [
        entry("pvc/data", "metadata.resourceVersion", "11"),
        entry("pvc/data", "readAt", "2023-11-14T22:13:20Z"),
        entry("pvc/data", "readAt", "2023-11-14T22:13:20Z"),
    ];
    assert_eq!(found["evidence"], json!(expected));
    assert_eq!((api.count(PODS), api.count(LEASE)), (2, 2));
}

/// Runs `explain --recheck`, and replaces the claim or the volume by `later` between the two readings. If `later` is
/// `None`, the second reading finds no claims.
async fn rechecked(later: Option<Value>, more: &[&str]) -> Finished {
    let api = cluster([]).await;
    let changing = async {
        // The program reads pods last. After that the first reading is complete.
        while api.count(PODS) == 0 {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
        match later {
            Some(object) => api.replace(object),
            None => api.fail("/api/v1/persistentvolumeclaims", 1, Fault::Body(r#"{"metadata":{},"items":[]}"#)),
        }
    };
    let arguments = [&["explain", "pvc/data", "-n", "db", "--recheck", QUICK], more].concat();
    let (ended, ()) = tokio::join!(run(&api, &arguments), changing);
    assert_eq!(api.count(PODS), 2, "{}", ended.stderr);
    ended
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_change_between_two_readings_is_no_evidence() {
    // The claim was written between the two readings. The second reading is explained, and nothing is said about the
    // controller.
    let ended = rechecked(Some(claim("12")), &["-o", "json"]).await;
    let document: Value = serde_json::from_str(&ended.stdout).unwrap();
    let found = &document["divergence"];
    assert_eq!(document["recheck"], "moved");
    assert_eq!(
        (&found["recorded"], found.get("controllerNotRunning"), found.get("evidence")),
        (&json!("Pending"), None, None)
    );
    let ended = rechecked(Some(claim("12")), &[]).await;
    assert!(
        ended.stdout.contains(
            "The object, or something that decides its state, changed after the first reading; this \
                               is the second reading."
        ),
        "{}",
        ended.stdout
    );

    // The volume that the claim would get was written, or was deleted and created again. So it changed within the two
    // resync periods.
    for (uid, version) in [("uid-other", "13"), ("uid-disk", "12")] {
        let mut other = volume();
        other["metadata"]["uid"] = uid.into();
        other["metadata"]["resourceVersion"] = version.into();
        let ended = rechecked(Some(other), &["-o", "json"]).await;
        let found = serde_json::from_str::<Value>(&ended.stdout).unwrap()["divergence"].clone();
        assert_eq!((&found["predicted"], found.get("controllerNotRunning")), (&json!(["Bound"]), None), "{uid}");
    }

    let mut larger = claim("12");
    larger["spec"]["resources"]["requests"]["storage"] = "5Gi".into();
    let ended = rechecked(Some(larger.clone()), &["-o", "json"]).await;
    let document: Value = serde_json::from_str(&ended.stdout).unwrap();
    assert_eq!((document.get("divergence"), &document["recheck"]), (None, &json!("moved")));
    let ended = rechecked(Some(larger), &[]).await;
    assert_eq!(ended.code, Some(0));
    assert!(ended.stdout.starts_with("Claim db/data is Pending: the closest free volume "), "{}", ended.stdout);
    let note =
        "note: at 2023-11-14T22:13:20Z, the object differed from its prediction; the following answer was read later\n";
    assert!(ended.stderr.ends_with(note), "{}", ended.stderr);

    let ended = rechecked(None, &[]).await;
    assert_eq!((ended.code, ended.stdout.as_str()), (Some(2), ""));
    assert!(
        ended.stderr.contains("hint: the object existed at the first reading, at 2023-11-14T22:13:20Z"),
        "{}",
        ended.stderr
    );
}

#[test]
fn files_cannot_be_read_a_second_time() {
    let ended = Run::new(&["explain", "pvc/data", "--recheck", "-f", "absent.json"]).finish();
    assert_eq!((ended.code, ended.stdout.as_str()), (Some(2), ""));
    assert_eq!(
        ended.stderr,
        "error: --recheck reads a cluster a second time, but the files of -f do not change\n\
         hint: leave --recheck out, or leave -f out to ask the cluster\n"
    );
}

fn from_file(content: &str, more: &[&str]) -> (Value, String) {
    let arguments = [&["explain", "pvc/data", "-n", "db", "-o", "json", "-f", "-"], more].concat();
    let ended = Run::new(&arguments).stdin(content.as_bytes()).finish();
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    (serde_json::from_str::<Value>(&ended.stdout).unwrap()["divergence"].clone(), ended.stderr)
}

fn list(objects: &[Value]) -> String {
    json!({"apiVersion": "v1", "kind": "List", "items": objects}).to_string()
}

#[test]
fn files_whose_times_are_evidence_give_the_answer_possibly() {
    let objects = [volume(), claim("11"), class()];
    // Without `--now`, the present time is the newest time in the files. The times in `managedFields` are ignored for
    // this, because no other verb uses them. So the present time is 22:00, the time in the volume. The claim was
    // written later, so it is not known for how long the state has lasted.
    let (found, _) = from_file(&list(&objects), &[]);
    assert_eq!((found.get("lastedSeconds"), found.get("controllerNotRunning")), (None, None));
    for (now, sure) in [("2023-11-14T22:10:30Z", Value::Null), ("2023-11-14T22:10:31Z", json!("possibly"))] {
        assert_eq!(from_file(&list(&objects), &["--now", now]).0["controllerNotRunning"], sure, "{now}");
    }
    let slower = ["--now", "2023-11-14T22:10:31Z", "--controller-flag=pvclaimbinder-sync-period=1m"];
    assert_eq!(from_file(&list(&objects), &slower).0["controllerNotRunning"], Value::Null);
    // Without `managedFields`, as `kubectl get` prints objects, nobody knows how long the claim has been unchanged.
    let mut bare = objects.clone();
    bare[1]["metadata"].as_object_mut().unwrap().remove("managedFields");
    bare[1]["metadata"]["creationTimestamp"] = "2023-11-14T20:00:00Z".into();
    let (found, _) = from_file(&list(&bare), &["--now", "2023-11-15T22:10:00Z"]);
    assert_eq!((found.get("lastedSeconds"), found.get("controllerNotRunning")), (None, None));
}

#[test]
fn a_lease_in_files_is_understood() {
    let of = |renewed: &str, more: &[&str]| {
        let mut bare = claim("11");
        bare["metadata"].as_object_mut().unwrap().remove("managedFields");
        let other = json!({"apiVersion": "coordination.k8s.io/v1", "kind": "Lease",
                           "metadata": {"namespace": "kube-node-lease", "name": "n"}, "spec": {"renewTime": 5}});
        let objects = [volume(), bare, class(), lease(renewed), other];
        let text = Run::new(&["explain", "pvc/data", "-n", "db", "-f", "-"]).stdin(list(&objects).as_bytes()).finish();
        assert_eq!(text.stderr, "note: objects that pvctl does not use were ignored: 1 Lease\n");
        let (found, stderr) = from_file(&list(&objects), more);
        assert_eq!(stderr, "");
        (found["controllerNotRunning"].clone(), found["controllerManager"].clone())
    };
    assert_eq!(of("2023-11-14T22:03:20Z", &["--now", "2023-11-14T22:13:20Z"]), (json!("possibly"), json!("stale")));
    assert_eq!(of("2023-11-14T22:03:20Z", &["--now", "2023-11-14T22:03:25Z"]), (Value::Null, json!("alive")));
    // A Lease alone does not show whether it is current. This holds in files, and in a snapshot of files.
    assert_eq!(of("2023-11-14T22:03:20Z", &[]), (Value::Null, Value::Null));
    let objects = [volume(), claim("11"), class(), lease("2023-11-14T22:03:20Z")];
    let snapshot = Run::new(&["snapshot", "-f", "-"]).stdin(list(&objects).as_bytes()).finish();
    assert_eq!((snapshot.code, snapshot.stderr.as_str()), (Some(0), ""));
    let (found, _) = from_file(&snapshot.stdout, &[]);
    assert_eq!((&found["recorded"], found.get("controllerManager")), (&json!("Pending"), None));
    assert_eq!(
        found,
        from_file(&list(&objects), &[]).0,
        "explain of the files and of their snapshot must give the same answer"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_snapshot_keeps_what_tells_of_the_controllers() {
    let api = cluster([lease("2023-11-14T22:13:10Z")]).await;
    let ended = run(&api, &["snapshot"]).await;
    assert_eq!((ended.code, ended.stderr.as_str()), (Some(0), ""));
    let snapshot: Value = serde_json::from_str(&ended.stdout).unwrap();
    let kinds: Vec<&str> =
        snapshot["items"].as_array().unwrap().iter().map(|item| item["kind"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["PersistentVolume", "PersistentVolumeClaim", "StorageClass", "Lease", "Namespace", "Namespace"]);
    let times = json!([{"time": "2023-11-14T22:10:00Z"}, {"time": "2023-11-14T22:05:00Z"}]);
    assert_eq!(snapshot["items"][1]["metadata"]["managedFields"], times);
    let (found, stderr) = from_file(&ended.stdout, &[]);
    assert_eq!((&found["lastedSeconds"], &found["controllerNotRunning"]), (&json!(200), &json!("possibly")));
    assert_eq!((&found["controllerManager"], stderr.as_str()), (&json!("alive"), ""));
    // A snapshot of the snapshot is the same, and other verbs do not mention the Lease.
    let again = Run::new(&["snapshot", "-f", "-"]).stdin(ended.stdout.as_bytes()).finish();
    assert_eq!((again.stdout.as_str(), again.stderr.as_str()), (ended.stdout.as_str(), ""));
    let predicted = Run::new(&["predict", "-o", "name", "-f", "-"]).stdin(ended.stdout.as_bytes()).finish();
    assert_eq!((predicted.code, predicted.stderr.as_str()), (Some(0), ""));

    api.fail(LEASE, 1, Fault::Refused(403, "leases is forbidden"));
    let without = run(&api, &["snapshot"]).await;
    assert_eq!((without.code, without.stderr.as_str()), (Some(0), ""));
    assert!(!without.stdout.contains("Lease"));
}

/// If pods cannot be listed, the answer says that `usedBy` is unknown and which right is missing.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn users_of_a_claim_are_unknown_if_pods_are_hidden() {
    let api = cluster([]).await;
    api.fail(PODS, usize::MAX, Fault::Refused(403, "pods is forbidden"));
    let ended = run(&api, &["explain", "pvc/data", "-n", "db", "-o", "json"]).await;
    let document: Value = serde_json::from_str(&ended.stdout).unwrap();
    assert_eq!(document.get("usedBy"), None);
    let needs = json!({"verb": "list", "resource": "pods", "namespace": "db"});
    assert_eq!(document["unknown"], json!([{"field": "usedBy", "needs": needs, "reason": "forbidden"}]));
    let said = run(&api, &["explain", "pvc/data", "-n", "db"]).await.stdout;
    assert!(said.contains("\nUsed by\n  unknown: you have no permission to list pods in namespace db\n"), "{said}");
}

const LEASES: &str = "/apis/coordination.k8s.io/v1/leases?";

/// Returns a cluster with a claim that waits for a driver, and with these Leases: namespace, name, and time of the
/// renewal.
async fn waiting_for_a_driver(
    leases: impl IntoIterator<Item = (&'static str, &'static str, &'static str)>,
) -> ApiServer {
    let api = ApiServer::start().await;
    let mut asked = claim("11");
    asked["metadata"]["annotations"] = json!({"volume.kubernetes.io/storage-provisioner": "disk.csi.example.com"});
    let mut driven = class();
    driven["provisioner"] = "disk.csi.example.com".into();
    api.hold([asked, driven]);
    api.hold(leases.into_iter().map(|(namespace, name, renewed)| {
        let mut lease = lease(renewed);
        (lease["metadata"]["namespace"], lease["metadata"]["name"]) = (namespace.into(), name.into());
        lease
    }));
    api
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_lease_of_a_driver_that_has_to_act_is_evidence() {
    let name = "disk-csi-example-com";
    let api =
        waiting_for_a_driver([("old", name, "2023-11-01T00:00:00Z"), ("csi", name, "2023-11-14T22:13:15Z")]).await;
    let found = explained(&api, &[]).await["drivers"].clone();
    let object = "lease/disk-csi-example-com -n csi";
    let expected = json!([{
        "component": "external-provisioner", "name": "disk.csi.example.com", "lease": "alive", "evidence": [
            entry(object, "spec.holderIdentity", "master-1_x"),
            entry(object, "spec.renewTime", "2023-11-14T22:13:15Z"),
            entry(object, "spec.leaseDurationSeconds", "15"),
            entry(object, "age", "5s"),
        ],
    }]);
    assert_eq!(found, expected);
    assert_eq!(api.count(LEASES), 2, "there must be one list request for each way in which the name can be written");
    assert_eq!(api.count(LEASE), 1, "the Lease of the controller manager must be read once, for the rules");
    let stale = waiting_for_a_driver([("csi", name, "2023-11-14T22:03:20Z")]).await;
    let said = run(&stale, &["explain", "pvc/data", "-n", "db"]).await.stdout;
    let said = said.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        said.contains(
            "Probably the external-provisioner of disk.csi.example.com does not run: its Lease disk-csi-example-com in \
             csi was last renewed at 2023-11-14T22:03:20Z, 10m before it was read (master-1_x held it)."
        ),
        "{said}"
    );
    assert!(said.contains("you: find out why the external-provisioner of disk.csi.example.com does not run"), "{said}");
}

/// If a driver's Lease is missing or cannot be read, its state is unknown, and the command does not fail.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn without_a_drivers_lease_nothing_is_known_of_it() {
    let unknown = |document: &Value, reason: &str| {
        let expected = json!([{
            "component": "external-provisioner", "name": "disk.csi.example.com", "lease": "unknown", "reason": reason,
        }]);
        assert_eq!(document["drivers"], expected);
    };
    let other =
        waiting_for_a_driver([("csi", "external-attacher-leader-disk-csi-example-com", "2023-11-14T22:13:15Z")]);
    unknown(&explained(&other.await, &[]).await, "none");
    for answer in [
        Fault::Refused(403, "leases is forbidden"),
        Fault::Refused(500, "etcd is on fire"),
        Fault::Busy(429, 30),
        Fault::Page(200),
        Fault::Body(r#"{"kind":"LeaseList","items":7}"#),
    ] {
        let api = waiting_for_a_driver([("csi", "disk-csi-example-com", "2023-11-14T22:03:20Z")]).await;
        api.fail(LEASES, usize::MAX, answer);
        let document = explained(&api, &[]).await;
        unknown(&document, "unread");
        assert_eq!(api.count(LEASES), 2, "each list must be requested once");
        let said = run(&api, &["explain", "pvc/data", "-n", "db"]).await.stdout;
        assert!(said.contains("is not known: Leases could not be read") && !said.contains("not run"), "{said}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn drivers_leases_are_read_only_where_a_driver_has_to_act() {
    let api = waiting_for_a_driver([]).await;
    for arguments in [&["predict", "pvc"][..], &["match", "pvc/data"], &["explain", "sc/fast"], &["snapshot"]] {
        assert_eq!(run(&api, &[arguments, &["-n", "db"]].concat()).await.code, Some(0), "{arguments:?}");
    }
    let free = cluster([]).await;
    assert_eq!(explained(&free, &[]).await.get("drivers"), None);
    assert_eq!((api.count(LEASES), free.count(LEASES)), (0, 0));
}
