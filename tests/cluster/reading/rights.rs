//! Objects that the user may not read are unknown, and the answer says so.

use super::{CLAIMS, CLASSES, VOLUMES, claim, class, names, pod, read, reason, to, volume};
use crate::support::Run;
use crate::support::api::ApiServer;
use crate::support::faults::Fault;
use pvctl::model::Kind;
use pvctl::snapshot::CoverageState;
use pvctl::source::{ClusterErrorKind, ConnectOptions};
use serde_json::{Value, json};

#[tokio::test]
async fn forbidden_kinds_are_coverage() {
    let fake = ApiServer::start().await;
    fake.hold([claim("db", "data", "pv-1")]);
    fake.fail(VOLUMES, usize::MAX, Fault::Refused(403, "persistentvolumes is forbidden: User \"eve\""));
    let parts = read(&to(&fake)).await.unwrap();
    assert_eq!(parts.coverage.state(Kind::PersistentVolume, ""), CoverageState::Forbidden);
    assert_eq!(reason(&parts, Kind::PersistentVolume), "persistentvolumes is forbidden: User \"eve\"");
    assert_eq!(fake.count(&format!("{VOLUMES}/")), 1, "the volume that a claim names must be requested by name");
}

#[tokio::test]
async fn claims_are_read_in_the_own_namespace_where_the_cluster_is_hidden() {
    let fake = ApiServer::start().await;
    fake.hold([claim("db", "data", ""), claim("web", "html", "")]);
    fake.fail(CLAIMS, usize::MAX, Fault::Refused(403, "no"));
    let parts = read(&ConnectOptions { namespace: Some("web".into()), ..to(&fake) }).await.unwrap();
    assert_eq!(names(&parts).1, ["html"]);
    assert_eq!(parts.coverage.state(Kind::PersistentVolumeClaim, "web"), CoverageState::Complete);
    assert_eq!(parts.coverage.state(Kind::PersistentVolumeClaim, "db"), CoverageState::Forbidden);
}

#[tokio::test]
async fn a_user_without_rights_gets_the_message_of_the_server() {
    let fake = ApiServer::start().await;
    fake.fail("/", usize::MAX, Fault::Refused(403, "User \"eve\" cannot list"));
    let error = read(&to(&fake)).await.unwrap_err();
    assert_eq!(error.kind(), ClusterErrorKind::Forbidden);
    assert_eq!(error.to_string(), "you may not read persistentvolumes: User \"eve\" cannot list");
    assert!(error.hint().unwrap().contains("persistentvolumeclaims"));
    assert!(!format!("{error:?}").contains("debug-noise"));
}

#[tokio::test]
async fn refused_credentials_end_the_reading() {
    let fake = ApiServer::start().await;
    fake.fail("/", usize::MAX, Fault::Refused(401, "Unauthorized"));
    let error = read(&to(&fake)).await.unwrap_err();
    assert_eq!(error.kind(), ClusterErrorKind::Unauthorized);
    assert_eq!(error.to_string(), format!("the API server {} does not accept your credentials", fake.url()));
    // If volumes may not be listed with these credentials, claims are not requested.
    assert_eq!(fake.seen().len(), 2);
}

#[tokio::test]
async fn hidden_pods_are_hidden_where_they_are() {
    let leaving = |namespace: String| {
        let mut leaving = claim(&namespace, "data", "");
        leaving["metadata"]["deletionTimestamp"] = "2023-01-01T00:00:00Z".into();
        leaving
    };
    let fake = ApiServer::start().await;
    fake.hold([leaving("a".into()), leaving("b".into()), pod("a", "p"), pod("b", "p")]);
    fake.fail("/api/v1/namespaces/b/pods", usize::MAX, Fault::Refused(403, "no"));
    let parts = read(&to(&fake)).await.unwrap();
    assert_eq!(parts.coverage.state(Kind::Pod, "a"), CoverageState::Complete);
    assert_eq!(parts.coverage.state(Kind::Pod, "b"), CoverageState::Forbidden);
    // The pods of many namespaces are read by one list. If that list is forbidden, they are read namespace by
    // namespace.
    fake.hold((0..260).map(|n| leaving(format!("ns-{n}"))));
    let parts = read(&to(&fake)).await.unwrap();
    assert_eq!((parts.objects.pods.len(), fake.count("/api/v1/pods")), (2, 1));
    assert_eq!(parts.coverage.state(Kind::Pod, "b"), CoverageState::Complete);
    fake.fail("/api/v1/pods", usize::MAX, Fault::Refused(403, "no"));
    let parts = read(&to(&fake)).await.unwrap();
    assert_eq!(parts.objects.pods.len(), 1);
    assert_eq!(parts.coverage.state(Kind::Pod, "ns-7"), CoverageState::Complete);
    assert_eq!(parts.coverage.state(Kind::Pod, "b"), CoverageState::Forbidden);
}

/// Runs the program on this API server.
async fn judged(fake: &ApiServer, arguments: &'static [&'static str]) -> (Option<i32>, String, String) {
    let url = fake.url();
    let run = move || Run::new(&[arguments, &["--server", &url]].concat()).finish();
    let run = tokio::task::spawn_blocking(run).await.unwrap();
    (run.code, run.stdout, run.stderr)
}

/// A user who may get volumes but not list them is told that the claim is Lost and that its volume does not exist.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_object_that_is_not_found_by_name_does_not_exist() {
    let fake = ApiServer::start().await;
    let mut lost = claim("db", "data", "pv-gone");
    lost["metadata"]["annotations"] = json!({"pv.kubernetes.io/bind-completed": "yes"});
    fake.hold([lost, class("fast", "Immediate")]);
    fake.fail(&format!("{VOLUMES}?"), usize::MAX, Fault::Refused(403, "no list"));
    let (_, stdout, stderr) = judged(&fake, &["predict", "-n", "db", "-o", "json"]).await;
    let answer: Value = serde_json::from_str(&stdout).unwrap();
    let item = &answer["items"][0];
    assert_eq!((&item["outcomes"][0]["phase"], &item["unknown"]), (&json!("Lost"), &Value::Null), "{stdout}{stderr}");
    assert_eq!(answer["coverage"][0]["absent"], json!(["pv-gone"]), "{stdout}");
    let (code, _, stderr) = judged(&fake, &["explain", "pv/pv-gone"]).await;
    assert_eq!(code, Some(2));
    assert!(stderr.contains("PersistentVolume \"pv-gone\" does not exist"), "{stderr}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn objects_that_may_not_be_read_are_not_called_absent() {
    let fake = ApiServer::start().await;
    fake.hold([claim("db", "data", ""), class("fast", "Immediate")]);
    fake.fail(VOLUMES, usize::MAX, Fault::Refused(403, "no volumes for you"));
    let (code, stdout, stderr) = judged(&fake, &["explain", "pv/pv-1"]).await;
    assert_eq!((code, stdout.as_str()), (Some(3), ""));
    let said = "error: cannot tell whether PersistentVolume \"pv-1\" exists: you have no permission to list \
                persistentvolumes\n  because: no volumes for you\n";
    assert!(stderr.contains(said), "{stderr}");
    let (code, stdout, stderr) = judged(&fake, &["match", "pvc/data", "-n", "db"]).await;
    assert!(stdout.contains("whether a volume fits is unknown"), "{stdout}{stderr}");
    let why = stdout.replace('\n', " ");
    assert!(why.contains("may fit: you have no permission to list persistentvolumes."), "{stdout}");
    assert_eq!(code, Some(3));
    let (code, ..) = judged(&fake, &["explain", "pvc/gone", "-n", "db"]).await;
    assert_eq!(code, Some(2), "if all claims were read, a missing claim must be exit code 2");

    fake.fail(CLASSES, usize::MAX, Fault::Refused(403, "no"));
    fake.fail(CLAIMS, usize::MAX, Fault::Refused(403, "no"));
    fake.fail("/api/v1/namespaces/db/persistentvolumeclaims", usize::MAX, Fault::Refused(403, "no"));
    for object in ["pvc/data", "sc/fast"] {
        let (code, stdout, stderr) = judged(&fake, vec!["explain", object, "-n", "db"].leak()).await;
        assert_eq!((code, stdout.as_str()), (Some(3), ""), "{object}: {stderr}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_exit_code_says_whether_what_is_shown_is_known() {
    let fake = ApiServer::start().await;
    let mut leaving = claim("web", "cache", "pv-1");
    leaving["metadata"]["deletionTimestamp"] = "2023-11-14T22:00:00Z".into();
    leaving["metadata"]["finalizers"] = json!(["kubernetes.io/pvc-protection"]);
    let mut cache = volume("pv-1", Some(("cache", "uid-cache")));
    cache["spec"]["claimRef"]["namespace"] = "web".into();
    fake.hold([leaving, cache, claim("db", "data", "pv-2"), volume("pv-2", Some(("data", "uid-data")))]);
    fake.hold([class("fast", "Immediate")]);
    assert_eq!(judged(&fake, &["predict", "-A"]).await.0, Some(0));
    fake.fail(CLASSES, usize::MAX, Fault::Refused(403, "no"));
    assert_eq!(
        judged(&fake, &["predict", "-A"]).await.0,
        Some(0),
        "classes that decide nothing must not change the exit code"
    );
    fake.fail("/api/v1/pods", usize::MAX, Fault::Refused(403, "no"));
    fake.fail("/api/v1/namespaces/web/pods", usize::MAX, Fault::Refused(403, "no"));
    assert_eq!(
        judged(&fake, &["predict", "-A"]).await.0,
        Some(0),
        "pods that could not be read must not change the exit code"
    );
    assert_eq!(judged(&fake, &["explain", "pvc/cache", "-n", "web"]).await.0, Some(0));
    assert_eq!(judged(&fake, &["explain", "pvc/data", "-n", "db"]).await.0, Some(0));
    let (code, _, stderr) = judged(&fake, &["explain", "pvc/cache", "-n", "web", "--recheck"]).await;
    assert!(stderr.contains("the prediction is unknown") && !stderr.contains("the object is as predicted"), "{stderr}");
    assert_eq!(code, Some(0));
    let (code, stdout, stderr) = judged(&fake, &["explain", "sc/fast", "--recheck"]).await;
    assert_eq!((code, stdout.as_str()), (Some(2), ""));
    assert!(stderr.contains("--recheck is for one pv or pvc"), "{stderr}");
    fake.fail(CLAIMS, usize::MAX, Fault::Refused(403, "no"));
    assert_eq!(
        judged(&fake, &["predict", "-n", "db"]).await.0,
        Some(0),
        "the claims of namespace db could be read, so the exit code must be 0"
    );
    assert_eq!(
        judged(&fake, &["predict", "-A"]).await.0,
        Some(3),
        "the claims of other namespaces could not be read, so the exit code must be 3"
    );
}

/// A missing right is mentioned once, and only if the answer may depend on it.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn only_readings_that_matter_are_warned_of() {
    let fake = ApiServer::start().await;
    fake.hold(["batch", "media", "web"].map(|namespace| claim(namespace, "data", "")));
    fake.hold([class("fast", "WaitForFirstConsumer")]);
    fake.fail("/api/v1/pods", usize::MAX, Fault::Refused(403, "pods is forbidden: no \"pods\" at the cluster scope"));
    for (namespace, message) in [
        ("batch", "pods is forbidden: no \"pods\" in the namespace \"batch\""),
        ("media", "pods is forbidden: no \"pods\" in the namespace \"media\""),
        ("web", "pods is forbidden: no \"pods\" in the namespace \"web\""),
    ] {
        fake.fail(&format!("/api/v1/namespaces/{namespace}/pods"), usize::MAX, Fault::Refused(403, message));
    }
    let warnings = async |arguments: &'static [&'static str]| {
        let (_, _, stderr) = judged(&fake, arguments).await;
        let lines: Vec<String> = stderr
            .replace("\n  ", " ")
            .lines()
            .filter_map(|line| line.strip_prefix("warning: pods of namespace")?.split_once(" cannot"))
            .map(|(named, _)| named.to_owned())
            .collect();
        lines
    };
    assert_eq!(warnings(&["predict", "-A"]).await, ["s batch, media, web"]);
    assert_eq!(warnings(&["predict", "-n", "web"]).await, [" web"]);
    assert_eq!(warnings(&["explain", "pvc/data", "-n", "web"]).await, [" web"]);
    assert!(warnings(&["match", "pvc/data", "-n", "web"]).await.is_empty());
}
