//! Tests of the server itself: each rule of the API server on which a repair depends, and the controllers that sync its
//! objects.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use super::actors::{Actor, Loss, Protected, losses};
use super::store::{Call, Preconditions, Store, claim, volume};
use super::{ApiServer, Controllers, Random, worlds};
use crate::support::faults::{At, Fault};
use http::Request;
use pvctl::model::Kind;
use serde_json::{Value, json};

const MERGE: &str = "application/merge-patch+json";
const JSON: &str = "application/json-patch+json";

fn me() -> Call {
    Call::by("kubectl-pvctl")
}

fn try_it() -> Call {
    Call { dry_run: true, ..me() }
}

/// Returns a cluster with a volume and the claim that has it.
fn bound_pair(policy: &str) -> Store {
    let mut store = worlds::cluster();
    store.seed(worlds::named(worlds::volume("disk", policy, "Bound"), "db", "data", "uid-data"));
    store.seed(worlds::bound_to(worlds::claim("db", "data", "Bound"), "disk"));
    store
}

#[test]
fn a_created_claim_gets_what_the_server_gives() {
    let mut store = worlds::cluster();
    let sent = json!({
        "metadata": { "name": "new", "uid": "mine", "deletionTimestamp": "2020-01-01T00:00:00Z" },
        "spec": { "accessModes": ["ReadWriteOnce"], "resources": { "requests": { "storage": "1Gi" } } },
        "status": { "phase": "Bound" },
    });
    let tried = store.create(Kind::PersistentVolumeClaim, "db", &sent, &try_it()).unwrap();
    assert_eq!(tried["status"]["phase"], "Pending");
    assert_eq!(store.read(&claim("db", "new")), None, "a dry run must not store anything");
    let made = store.create(Kind::PersistentVolumeClaim, "db", &sent, &me()).unwrap();
    assert_ne!(made["metadata"]["uid"], "mine");
    assert_eq!(made["metadata"]["finalizers"], json!(["kubernetes.io/pvc-protection"]));
    assert_eq!(made["metadata"]["deletionTimestamp"], Value::Null);
    assert_eq!(made["metadata"]["managedFields"][0]["manager"], "kubectl-pvctl");
    assert_eq!(made["spec"]["volumeMode"], "Filesystem");
    assert_eq!(made["status"], json!({ "phase": "Pending" }));
    let again = store.create(Kind::PersistentVolumeClaim, "db", &sent, &me()).unwrap_err();
    assert_eq!((again.code, again.reason), (409, "AlreadyExists"));
    assert_eq!(again.message, "persistentvolumeclaims \"new\" already exists");
    let mut versioned = sent.clone();
    versioned["metadata"]["resourceVersion"] = "7".into();
    let refused = store.create(Kind::PersistentVolumeClaim, "db", &versioned, &me()).unwrap_err();
    assert_eq!(
        (refused.code, refused.message.as_str()),
        (500, "resourceVersion should not be set on objects to be created")
    );
    let nowhere = store.create(Kind::PersistentVolumeClaim, "none", &sent, &me()).unwrap_err();
    assert_eq!((nowhere.code, nowhere.message.as_str()), (404, "namespaces \"none\" not found"));
}

#[test]
fn a_patch_is_for_one_version_of_one_object() {
    let mut store = bound_pair("Delete");
    let now = store.get(&volume("disk")).unwrap()["metadata"]["resourceVersion"].clone();
    let patch = |uid: &str, version: &Value| json!({ "metadata": { "uid": uid, "resourceVersion": version }, "spec": { "persistentVolumeReclaimPolicy": "Retain" } });
    let stale = store.patch(&volume("disk"), MERGE, &patch("uid-disk", &json!("1")), &me()).unwrap_err();
    assert_eq!((stale.code, stale.reason), (409, "Conflict"));
    assert_eq!(
        stale.message,
        "Operation cannot be fulfilled on persistentvolumes \"disk\": the object has been modified; please apply your \
         changes to the latest version and try again"
    );
    let other = store.patch(&volume("disk"), MERGE, &patch("uid-x", &now), &me()).unwrap_err();
    assert_eq!((other.code, other.reason), (422, "Invalid"));
    assert_eq!(
        other.message,
        "PersistentVolume \"disk\" is invalid: metadata.uid: Invalid value: \"uid-x\": field is immutable"
    );
    let both = store.patch(&volume("disk"), MERGE, &patch("uid-x", &json!("1")), &me()).unwrap_err();
    assert_eq!(both.code, 409);
    store.patch(&volume("disk"), MERGE, &patch("uid-disk", &now), &try_it()).unwrap();
    assert_eq!(store.get(&volume("disk")).unwrap()["spec"]["persistentVolumeReclaimPolicy"], "Delete");
    let after = store.patch(&volume("disk"), MERGE, &patch("uid-disk", &now), &me()).unwrap();
    assert_eq!(after["spec"]["persistentVolumeReclaimPolicy"], "Retain");
    assert_ne!(after["metadata"]["resourceVersion"], now);
    let same = json!({ "spec": { "persistentVolumeReclaimPolicy": "Retain" } });
    let unchanged = store.patch(&volume("disk"), MERGE, &same, &me()).unwrap();
    assert_eq!(
        unchanged["metadata"]["resourceVersion"], after["metadata"]["resourceVersion"],
        "the object must not be written"
    );
    let gone = store.patch(&volume("none"), MERGE, &same, &me()).unwrap_err();
    assert_eq!((gone.code, gone.message.as_str()), (404, "persistentvolumes \"none\" not found"));
}

#[test]
fn a_json_patch_tests_before_it_removes() {
    let mut store = bound_pair("Delete");
    let remove = |uid: &str| {
        json!([
            { "op": "test", "path": "/metadata/uid", "value": uid },
            { "op": "test", "path": "/metadata/finalizers/0", "value": "kubernetes.io/pv-protection" },
            { "op": "remove", "path": "/metadata/finalizers/0" },
        ])
    };
    let refused = store.patch(&volume("disk"), JSON, &remove("uid-x"), &me()).unwrap_err();
    assert_eq!((refused.code, refused.reason), (422, "Invalid"));
    store.delete(&volume("disk"), &Preconditions::default(), &me()).unwrap();
    assert!(store.read(&volume("disk")).is_some(), "the finalizer must keep the object");
    let add = json!([{ "op": "add", "path": "/metadata/finalizers/-", "value": "example.com/more" }]);
    let late = store.patch(&volume("disk"), JSON, &add, &me()).unwrap_err();
    assert_eq!(late.code, 422);
    assert!(late.message.contains("no new finalizers can be added if the object is being deleted"), "{}", late.message);
    store.patch(&volume("disk"), JSON, &remove("uid-disk"), &me()).unwrap();
    assert_eq!(store.read(&volume("disk")), None, "without finalizers the object must be gone");
}

#[test]
fn a_claim_names_a_volume_once() {
    let mut store = worlds::cluster();
    let mut waiting = worlds::claim("db", "data", "Pending");
    waiting["spec"].as_object_mut().unwrap().remove("storageClassName");
    store.seed(waiting);
    let key = claim("db", "data");
    let name = |volume: &str| json!({ "spec": { "volumeName": volume } });
    let class = |class: &str| json!({ "spec": { "storageClassName": class } });
    store.patch(&key, MERGE, &class("static"), &me()).unwrap();
    store.patch(&key, MERGE, &name("disk"), &me()).unwrap();
    for second in [name("other"), json!({ "spec": { "volumeName": null } }), class("fast")] {
        let refused = store.patch(&key, MERGE, &second, &me()).unwrap_err();
        assert_eq!(refused.code, 422, "{second}");
        assert!(
            refused.message.contains("spec is immutable after creation except resources.requests"),
            "{}",
            refused.message
        );
    }
    store.patch(&key, MERGE, &json!({ "metadata": { "annotations": { "a": "b" } } }), &me()).unwrap();
    assert_eq!(store.get(&key).unwrap()["metadata"]["annotations"]["a"], "b");
}

#[test]
fn a_deletion_is_for_one_version_of_one_object() {
    let mut store = bound_pair("Delete");
    let key = claim("db", "data");
    let version = store.get(&key).unwrap()["metadata"]["resourceVersion"].as_str().unwrap().to_owned();
    let when =
        |uid: &str, version: &str| Preconditions { uid: Some(uid.to_owned()), version: Some(version.to_owned()) };
    let other = store.delete(&key, &when("uid-x", &version), &me()).unwrap_err();
    assert_eq!((other.code, other.reason), (409, "Conflict"));
    assert!(other.message.contains("the UID in the precondition (uid-x) does not match the UID in record (uid-data)"));
    let stale = store.delete(&key, &when("uid-data", "1"), &me()).unwrap_err();
    assert_eq!(stale.code, 409);
    store.delete(&key, &when("uid-data", &version), &try_it()).unwrap();
    assert_eq!(store.get(&key).unwrap()["metadata"]["deletionTimestamp"], Value::Null);
    let marked = store.delete(&key, &when("uid-data", &version), &me()).unwrap();
    assert!(marked["metadata"]["deletionTimestamp"].is_string());
    let again = store.delete(&key, &Preconditions::default(), &me()).unwrap();
    assert_eq!(
        again["metadata"]["resourceVersion"], marked["metadata"]["resourceVersion"],
        "a second deletion must not write the object again"
    );
}

#[test]
fn lists_come_in_pages() {
    let mut store = worlds::cluster();
    for name in ["a", "b", "c"] {
        store.seed(worlds::volume(name, "Retain", "Available"));
    }
    let names = |page: &Value| -> Vec<String> {
        let items = page["items"].as_array().unwrap().iter();
        items.map(|item| item["metadata"]["name"].as_str().unwrap().to_owned()).collect()
    };
    let first = store.list(Kind::PersistentVolume, "", 2, "").unwrap();
    assert_eq!(names(&first), ["a", "b"]);
    let token = first["metadata"]["continue"].as_str().unwrap();
    let second = store.list(Kind::PersistentVolume, "", 2, token).unwrap();
    assert_eq!(names(&second), ["c"]);
    assert_eq!(second["metadata"]["continue"], Value::Null);
}

#[test]
fn the_controllers_bind_release_and_protect() {
    let mut store = worlds::cluster();
    store.seed(worlds::volume("disk", "Retain", "Available"));
    store.seed(worlds::claim("db", "data", "Pending"));
    let mut random = Random::new(1);
    assert!(store.settle(&mut random) > 0);
    let bound = store.get(&claim("db", "data")).unwrap();
    assert_eq!((&bound["status"]["phase"], &bound["spec"]["volumeName"]), (&json!("Bound"), &json!("disk")));
    assert_eq!(bound["status"]["capacity"]["storage"], "10Gi");
    assert_eq!(bound["metadata"]["annotations"]["pv.kubernetes.io/bind-completed"], "yes");
    let disk = store.get(&volume("disk")).unwrap();
    assert_eq!((&disk["status"]["phase"], &disk["spec"]["claimRef"]["uid"]), (&json!("Bound"), &json!("uid-data")));
    assert!(!store.tick(&mut random), "no sync must change anything any more");
    store.delete(&claim("db", "data"), &Preconditions::default(), &me()).unwrap();
    store.settle(&mut random);
    assert_eq!(store.read(&claim("db", "data")), None, "the claim must be gone, because no pod uses it");
    assert_eq!(store.get(&volume("disk")).unwrap()["status"]["phase"], "Released");
}

#[test]
fn a_claim_that_a_pod_uses_stays() {
    let mut store = bound_pair("Retain");
    let start = store.clone();
    let mut random = Random::new(1);
    Actor::User.act(&mut store, &start, &mut random);
    store.delete(&claim("db", "data"), &Preconditions::default(), &me()).unwrap();
    store.settle(&mut random);
    assert!(store.get(&claim("db", "data")).unwrap()["metadata"]["deletionTimestamp"].is_string());
}

#[test]
fn losses_are_seen_in_the_history() {
    let protected_volume = Protected {
        volume: "disk".to_owned(),
        uids: vec!["uid-data".to_owned()],
        names: vec![("db".to_owned(), "data".to_owned())],
    };
    let mut random = Random::new(1);
    let mut store = bound_pair("Delete");
    let start = store.clone();
    assert_eq!(losses(&store, std::slice::from_ref(&protected_volume)), []);
    Actor::Driver.act(&mut store, &start, &mut random);
    assert_eq!(losses(&store, std::slice::from_ref(&protected_volume)), [], "a bound volume must not be deleted");
    Actor::Deleter.act(&mut store, &start, &mut random);
    store.settle(&mut random);
    Actor::Driver.act(&mut store, &start, &mut random);
    let disk = || "disk".to_owned();
    assert_eq!(losses(&store, std::slice::from_ref(&protected_volume)), [Loss::Destroyed(disk()), Loss::Gone(disk())]);

    let mut free = worlds::cluster();
    free.seed(worlds::volume("disk", "Retain", "Available"));
    let start = free.clone();
    Actor::Stranger.act(&mut free, &start, &mut random);
    free.settle(&mut random);
    let taken = Loss::Taken(disk(), "stranger".to_owned(), "takes-disk".to_owned());
    assert_eq!(losses(&free, std::slice::from_ref(&protected_volume)), [taken]);

    let mut reserved = start.clone();
    Actor::Scheduler.act(&mut reserved, &start, &mut random);
    let taken = Loss::Taken(disk(), "stranger".to_owned(), "waits-for-disk".to_owned());
    assert_eq!(losses(&reserved, std::slice::from_ref(&protected_volume)), [taken]);
}

#[test]
fn an_apply_is_recorded_and_ends_if_its_manifest_says_retain() {
    let policy = |store: &Store| store.get(&volume("disk")).unwrap()["spec"]["persistentVolumeReclaimPolicy"].clone();
    let retain: Value = serde_json::from_str(RETAIN).unwrap();
    for actor in [Actor::Applier, Actor::Syncer] {
        let mut store = bound_pair("Delete");
        let start = store.clone();
        let mut random = Random::new(1);
        store.patch(&volume("disk"), MERGE, &retain, &me()).unwrap();
        actor.act(&mut store, &start, &mut random);
        assert_eq!(policy(&store), "Delete", "{actor:?}");
        let disk = store.get(&volume("disk")).unwrap();
        let records = disk["metadata"].to_string();
        assert_eq!(records.contains("last-applied-configuration"), actor == Actor::Applier, "{records}");
        let owned = r#""f:persistentVolumeReclaimPolicy""#;
        assert_eq!(records.contains(owned), actor == Actor::Syncer, "{records}");
        assert!(actor.leave(&mut store));
        assert_eq!(policy(&store), "Retain");
        assert!(!actor.leave(&mut store), "the manifest already says Retain, so nothing must change");
        // If another writer changes the value, the manager does not own the field any more.
        store
            .patch(&volume("disk"), MERGE, &json!({ "spec": { "persistentVolumeReclaimPolicy": "Delete" } }), &me())
            .unwrap();
        assert!(!store.get(&volume("disk")).unwrap()["metadata"]["managedFields"].to_string().contains(owned));
    }
}

#[test]
fn an_object_that_is_created_again_has_another_uid() {
    let mut store = worlds::cluster();
    store.seed(worlds::named(worlds::volume("disk", "Retain", "Released"), "db", "data", "uid-data"));
    let start = store.clone();
    Actor::VolumeMaker.act(&mut store, &start, &mut Random::new(1));
    let disk = store.get(&volume("disk")).unwrap();
    assert_eq!(
        (&disk["metadata"]["uid"], &disk["spec"]["csi"]["volumeHandle"]),
        (&json!("anew-disk"), &json!("anew-disk"))
    );
    assert_eq!(disk["spec"]["claimRef"]["uid"], "uid-data", "the other fields must stay");
    for actor in [Actor::ClaimMaker, Actor::NamespaceMaker] {
        let mut store = bound_pair("Retain");
        let start = store.clone();
        actor.act(&mut store, &start, &mut Random::new(1));
        let anew = store.get(&claim("db", "data")).unwrap();
        assert_ne!(anew["metadata"]["uid"], "uid-data", "{actor:?}");
        assert_eq!(anew["spec"]["volumeName"], Value::Null);
        store.settle(&mut Random::new(1));
        assert_eq!(store.get(&volume("disk")).unwrap()["status"]["phase"], "Released");
    }
}

#[test]
fn a_second_run_takes_the_volume_to_another_claim() {
    let mut store = bound_pair("Delete");
    let start = store.clone();
    let mut random = Random::new(1);
    Actor::Second.act(&mut store, &start, &mut random);
    store.settle(&mut random);
    let disk = store.get(&volume("disk")).unwrap();
    assert_eq!((&disk["status"]["phase"], &disk["spec"]["claimRef"]["name"]), (&json!("Bound"), &json!("second")));
    assert_eq!(store.read(&claim("db", "data")), None);
    assert!(store.being_deleted.is_empty(), "the policy must be Retain before the claim is deleted");
}

#[test]
fn an_admission_stores_something_else_than_what_was_sent() {
    let retain: Value = serde_json::from_str(RETAIN).unwrap();
    let mut store = bound_pair("Delete");
    let start = store.clone();
    Actor::PolicyMutator.act(&mut store, &start, &mut Random::new(1));
    let answer = store.patch(&volume("disk"), MERGE, &retain, &me()).unwrap();
    assert_eq!((&answer["spec"]["persistentVolumeReclaimPolicy"], store.mutated), (&json!("Delete"), 1));
    assert!(Actor::PolicyMutator.leave(&mut store));
    let answer = store.patch(&volume("disk"), MERGE, &retain, &me()).unwrap();
    assert_eq!((&answer["spec"]["persistentVolumeReclaimPolicy"], store.mutated), (&json!("Retain"), 1));
    Actor::ClaimMutator.act(&mut store, &start, &mut Random::new(1));
    let other = json!({ "spec": { "claimRef": { "name": "other" } } });
    let answer = store.patch(&volume("disk"), MERGE, &other, &me()).unwrap();
    assert_eq!((&answer["spec"]["claimRef"], store.mutated), (&Value::Null, 2));
}

async fn ask(api: &ApiServer, method: &str, path: &str, body: &str) -> Result<(u16, Value), kube::Error> {
    let request = Request::builder()
        .method(method)
        .uri(path)
        .header("content-type", MERGE)
        .body(kube::client::Body::from(body.as_bytes().to_vec()))
        .unwrap();
    let response = api.client().send(request).await?;
    let code = response.status().as_u16();
    let bytes = http_body_util::BodyExt::collect(response.into_body()).await?.to_bytes();
    Ok((code, serde_json::from_slice(&bytes).unwrap()))
}

const DISK: &str = "/api/v1/persistentvolumes/disk";
const RETAIN: &str = r#"{"spec":{"persistentVolumeReclaimPolicy":"Retain"}}"#;

#[tokio::test(start_paused = true)]
async fn a_client_reads_and_writes() {
    let api = ApiServer::new(bound_pair("Delete"), Controllers::Stopped, 1);
    let (code, disk) = ask(&api, "GET", DISK, "").await.unwrap();
    assert_eq!((code, &disk["metadata"]["uid"]), (200, &json!("uid-disk")));
    let (code, status) = ask(&api, "GET", "/api/v1/namespaces/db/persistentvolumeclaims/none", "").await.unwrap();
    assert_eq!((code, &status["reason"]), (404, &json!("NotFound")));
    let (code, _) = ask(&api, "PATCH", &format!("{DISK}?fieldManager=kubectl-pvctl&dryRun=All"), RETAIN).await.unwrap();
    assert_eq!(code, 200);
    assert_eq!(
        api.with(|store, _| store.history.last().unwrap().by.clone()),
        "seed",
        "a dry run must not store anything"
    );
    let (code, _) = ask(&api, "PATCH", &format!("{DISK}?fieldManager=kubectl-pvctl"), RETAIN).await.unwrap();
    assert_eq!(code, 200);
    assert_eq!(api.with(|store, _| store.history.last().unwrap().by.clone()), "kubectl-pvctl");
    for list in [
        "/api/v1/persistentvolumes?limit=1",
        "/api/v1/pods",
        "/api/v1/namespaces",
        "/apis/apps/v1/statefulsets",
        "/apis/storage.k8s.io/v1/volumeattachments",
        "/apis/storage.k8s.io/v1/csidrivers",
        "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases",
        "/version",
    ] {
        assert_eq!(ask(&api, "GET", list, "").await.unwrap().0, 200, "{list}");
    }
    api.with(|store, _| store.denied.insert("patch persistentvolumes".to_owned()));
    let (code, status) = ask(&api, "PATCH", DISK, RETAIN).await.unwrap();
    assert_eq!((code, &status["reason"]), (403, &json!("Forbidden")));
    let question = r#"{"spec":{"resourceAttributes":{"verb":"patch","resource":"persistentvolumes"}}}"#;
    let reviews = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews";
    let (_, review) = ask(&api, "POST", reviews, question).await.unwrap();
    assert_eq!(review["status"]["allowed"], false);
}

#[tokio::test(start_paused = true)]
async fn after_each_fault_the_store_is_as_the_fault_says() {
    let policy = |api: &ApiServer| {
        api.with(|store, _| store.get(&volume("disk")).unwrap()["spec"]["persistentVolumeReclaimPolicy"].clone())
    };
    for (fault, code, written) in [
        (Fault::None, Some(200), true),
        (Fault::ERROR, Some(500), false),
        (Fault::RefusedAfter(500), Some(500), true),
        (Fault::CONFLICT, Some(409), false),
        (Fault::BUSY, Some(429), false),
        (Fault::CutBefore, None, false),
        (Fault::CutAfter, None, true),
        (Fault::DELAYED, Some(200), true),
        (Fault::LATE, Some(200), true),
    ] {
        let api = ApiServer::new(bound_pair("Delete"), Controllers::Stopped, 1);
        api.fault(At::Request(2), fault);
        ask(&api, "GET", DISK, "").await.unwrap();
        assert_eq!(api.acted(), None);
        let answer = ask(&api, "PATCH", DISK, RETAIN).await.ok().map(|(code, _)| code);
        assert_eq!((answer, policy(&api) == "Retain"), (code, written), "{fault:?}");
        assert!(api.acted().is_some());
    }
    for (fault, written) in [(Fault::KilledBefore, false), (Fault::KilledAfter, true)] {
        let api = ApiServer::new(bound_pair("Delete"), Controllers::Stopped, 1);
        api.fault(At::Request(1), fault);
        tokio::select! {
            _ = ask(&api, "PATCH", DISK, RETAIN) => panic!("with {fault:?} there must be no answer"),
            () = api.killed() => {}
        }
        assert_eq!(policy(&api) == "Retain", written, "{fault:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn the_server_acts_after_the_client_has_given_up() {
    let api = ApiServer::new(bound_pair("Delete"), Controllers::Stopped, 1);
    api.fault(At::Request(1), Fault::LATE);
    let policy =
        || api.with(|store, _| store.get(&volume("disk")).unwrap()["spec"]["persistentVolumeReclaimPolicy"].clone());
    let waited = tokio::time::timeout(std::time::Duration::from_secs(30), ask(&api, "PATCH", DISK, RETAIN)).await;
    assert!(waited.is_err());
    assert_eq!(policy(), "Delete");
    ask(&api, "GET", DISK, "").await.unwrap();
    tokio::time::sleep(std::time::Duration::from_secs(20)).await;
    assert_eq!(policy(), "Retain");
    let last = api.with(|store, _| store.history.len()) - 1;
    assert_eq!(
        api.request_of(last),
        Some(1),
        "the write belongs to the first request, although other requests were carried out earlier"
    );
}
