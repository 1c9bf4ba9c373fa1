//! Lists: pages, retries, and answers that are no lists.

use super::{CLAIMS, CLASSES, VOLUMES, claim, class, connect, names, pod, read, reason, to, volume};
use crate::support::RefusingPort;
use crate::support::api::{ApiServer, DATE};
use crate::support::faults::Fault;
use pvctl::model::{Kind, PersistentVolume, Timestamp};
use pvctl::progress::Silent;
use pvctl::snapshot::{CoverageState, decode};
use pvctl::source::archive::{self, ArchivedObject};
use pvctl::source::{ClusterErrorKind, ConnectOptions, Needs, ServerVersion, Statement};
use serde_json::Value;
use std::time::{Duration, Instant};

#[tokio::test]
async fn lists_are_read_page_by_page() {
    let fake = ApiServer::start().await;
    fake.hold((0..5).map(|n| volume(&format!("pv-{n}"), None)));
    fake.hold([claim("db", "data", ""), class("fast", "Immediate")]);
    let parts = read(&ConnectOptions { chunk_size: Some(2), ..to(&fake) }).await.unwrap();
    assert_eq!(names(&parts), (vec!["pv-0", "pv-1", "pv-2", "pv-3", "pv-4"], vec!["data"], vec!["fast"]));
    assert_eq!(parts.now, Some(Timestamp(DATE.1)));
    for kind in [Kind::PersistentVolume, Kind::PersistentVolumeClaim, Kind::StorageClass] {
        assert_eq!(parts.coverage.state(kind, "db"), CoverageState::Complete);
    }
    assert_eq!(parts.coverage.entries()[0].resource_version.as_deref(), Some("77"));
    let uris: Vec<String> = fake.seen().into_iter().map(|seen| seen.uri).collect();
    for page in ["?limit=2", "?limit=2&continue=2", "?limit=2&continue=4"] {
        assert!(uris.contains(&format!("{VOLUMES}{page}")), "{uris:?}");
    }
    assert_eq!(uris.len(), 5, "there must be five requests, three pages of volumes and two other lists: {uris:?}");
}

#[tokio::test]
async fn pages_are_as_large_as_kubectls_unless_told_otherwise() {
    let fake = ApiServer::start().await;
    read(&to(&fake)).await.unwrap();
    assert_eq!(fake.count(&format!("{VOLUMES}?limit=2500")), 1);
    read(&ConnectOptions { chunk_size: Some(0), ..to(&fake) }).await.unwrap();
    assert_eq!(fake.seen().iter().filter(|seen| seen.uri == VOLUMES).count(), 1);
}

#[tokio::test]
async fn one_bad_object_is_an_issue_and_no_failure() {
    let fake = ApiServer::start().await;
    let mut broken = volume("pv-broken", None);
    broken["spec"]["capacity"]["storage"] = "lots".into();
    fake.hold([volume("pv-1", None), broken, volume("pv-2", None)]);
    let parts = read(&to(&fake)).await.unwrap();
    assert_eq!(names(&parts).0, ["pv-1", "pv-2"]);
    assert_eq!(parts.issues.len(), 1);
    assert_eq!((parts.issues[0].name.as_str(), parts.issues[0].origin.as_str()), ("pv-broken", "persistentvolumes"));
}

/// The server may offer a token with which the rest of the list can be read. The token is not used, because that rest
/// would belong to a later moment.
#[tokio::test]
async fn an_expired_list_is_read_again_in_one_piece() {
    for offered in [None, Some("3")] {
        let fake = ApiServer::start().await;
        fake.hold((0..6).map(|n| volume(&format!("pv-{n}"), None)));
        fake.fail(&format!("{VOLUMES}?limit=2&continue=2"), 1, Fault::Expired(offered));
        let parts = read(&ConnectOptions { chunk_size: Some(2), ..to(&fake) }).await.unwrap();
        assert_eq!(names(&parts).0, ["pv-0", "pv-1", "pv-2", "pv-3", "pv-4", "pv-5"], "{offered:?}");
        assert_eq!(parts.coverage.state(Kind::PersistentVolume, ""), CoverageState::Complete);
        assert_eq!(
            reason(&parts, Kind::PersistentVolume),
            "the list expired while it was read; it was read again in one piece"
        );
    }
}

#[tokio::test]
async fn a_busy_server_is_asked_again_when_it_says_so() {
    let fake = ApiServer::start().await;
    fake.hold([volume("pv-1", None)]);
    fake.fail(VOLUMES, 1, Fault::Busy(429, 1));
    fake.fail(VOLUMES, 1, Fault::Refused(503, "starting"));
    let started = Instant::now();
    let parts = read(&to(&fake)).await.unwrap();
    assert_eq!(names(&parts).0, ["pv-1"]);
    assert_eq!(fake.count(VOLUMES), 3);
    // The server asked for a delay of one second, but `connect` limits each delay to 300 ms.
    assert!(started.elapsed() >= Duration::from_millis(300));
}

#[tokio::test]
async fn a_server_that_stays_busy_is_given_up() {
    let fake = ApiServer::start().await;
    fake.fail("/", usize::MAX, Fault::Busy(429, 0));
    let error = read(&to(&fake)).await.unwrap_err();
    assert_eq!(error.kind(), ClusterErrorKind::Overloaded);
    assert_eq!(fake.count(VOLUMES), 3);
}

#[tokio::test]
async fn failures_of_the_server_are_not_repeated_and_concern_one_kind() {
    let fake = ApiServer::start().await;
    fake.hold([volume("pv-1", None)]);
    fake.fail(CLASSES, usize::MAX, Fault::Refused(500, "etcd is on fire"));
    let parts = read(&to(&fake)).await.unwrap();
    assert_eq!(fake.count(CLASSES), 1);
    assert_eq!(parts.coverage.state(Kind::StorageClass, ""), CoverageState::Failed);
    assert_eq!(reason(&parts, Kind::StorageClass), "reading storageclasses failed with HTTP 500: etcd is on fire");
}

#[tokio::test]
async fn pages_of_proxies_are_recognised_and_not_repeated() {
    for code in [200, 403, 404, 502] {
        let fake = ApiServer::start().await;
        fake.fail("/", usize::MAX, Fault::Page(code));
        let error = read(&to(&fake)).await.unwrap_err();
        assert_eq!(error.kind(), ClusterErrorKind::NotKubernetes, "{code}: {error}");
        assert!(!error.to_string().contains("Sign in"));
        assert!(error.hint().unwrap().contains("NO_PROXY"));
    }
}

#[tokio::test]
async fn truncated_and_endless_lists_are_failures() {
    let fake = ApiServer::start().await;
    fake.hold([volume("pv-1", None)]);
    fake.fail(CLASSES, 1, Fault::Body(r#"{"metadata":{"resourceVersion":"1"},"items":[{"metadata""#));
    fake.fail(CLAIMS, usize::MAX, Fault::Body(r#"{"metadata":{"continue":"again"},"items":[]}"#));
    let parts = read(&to(&fake)).await.unwrap();
    assert_eq!(parts.coverage.state(Kind::StorageClass, ""), CoverageState::Failed);
    assert_eq!(parts.coverage.state(Kind::PersistentVolumeClaim, ""), CoverageState::Failed);
    assert_eq!(fake.count(CLAIMS), 2);
}

#[tokio::test]
async fn a_server_that_does_not_answer_is_given_up_in_time() {
    let fake = ApiServer::start().await;
    fake.fail("/", usize::MAX, Fault::Slow(Duration::from_mins(1)));
    let started = Instant::now();
    let options = ConnectOptions { request_timeout: Some(Duration::from_millis(200)), ..to(&fake) };
    let error = read(&options).await.unwrap_err();
    assert_eq!(error.kind(), ClusterErrorKind::TimedOut);
    assert!(error.hint().unwrap().contains("--request-timeout"));
    assert!(started.elapsed() < Duration::from_secs(10));
}

#[tokio::test]
async fn a_server_that_refuses_connections_is_named() {
    let refusing = RefusingPort::new();
    let server = Some(format!("https://{}", refusing.address));
    let error = read(&ConnectOptions { server, ..ConnectOptions::default() }).await.unwrap_err();
    assert_eq!(error.kind(), ClusterErrorKind::Unreachable);
    assert_eq!(error.to_string(), format!("the API server https://{} refuses connections", refusing.address));
}

#[tokio::test]
async fn pods_are_read_only_where_a_decision_asks_for_them() {
    let fake = ApiServer::start().await;
    let mut leaving = claim("db", "data", "");
    leaving["metadata"]["deletionTimestamp"] = "2023-01-01T00:00:00Z".into();
    let mut waiting = claim("web", "data", "");
    waiting["spec"]["storageClassName"] = "slow".into();
    fake.hold([leaving, waiting, claim("idle", "data", ""), class("fast", "Immediate")]);
    fake.hold([class("slow", "WaitForFirstConsumer"), pod("db", "a"), pod("web", "b"), pod("idle", "c")]);
    let parts = read(&to(&fake)).await.unwrap();
    let pods: Vec<&str> = parts.objects.pods.iter().map(|pod| pod.meta.name.as_str()).collect();
    assert_eq!(pods, ["a", "b"]);
    assert_eq!(fake.count("/api/v1/nodes"), 0);
    assert_eq!(parts.coverage.state(Kind::Pod, "db"), CoverageState::Complete);
    assert_eq!(parts.coverage.state(Kind::Pod, "idle"), CoverageState::NotNeeded);
    assert_eq!(parts.coverage.state(Kind::Node, ""), CoverageState::NotNeeded);
    let cluster = connect(&to(&fake)).await.unwrap();
    let parts = cluster.read(Needs { host_path_provisioning: true, ..Needs::default() }, &Silent).await.unwrap();
    assert_eq!(parts.coverage.state(Kind::Node, ""), CoverageState::Complete);
}

#[tokio::test]
async fn the_version_and_the_names_of_objects_are_read() {
    let fake = ApiServer::start().await;
    fake.hold([volume("pv-1", None), claim("db", "data", ""), claim("web", "html", "")]);
    let cluster = connect(&ConnectOptions { namespace: Some("db".into()), ..to(&fake) }).await.unwrap();
    assert_eq!(
        cluster.server_version().await.unwrap(),
        ServerVersion { major: 1, minor: 36, git_version: "v1.36.3-test".into() }
    );
    assert_eq!(cluster.names(Kind::PersistentVolume, None).await, ["pv-1"]);
    assert_eq!(cluster.names(Kind::PersistentVolumeClaim, None).await, ["data"]);
    assert_eq!(cluster.names(Kind::PersistentVolumeClaim, Some("web")).await, ["html"]);
    assert_eq!(cluster.namespaces().await, ["db", "kube-system"]);
    let asked = fake.seen().into_iter().find(|seen| seen.uri.starts_with(VOLUMES)).unwrap();
    assert!(asked.header("accept")[0].starts_with("application/json;as=PartialObjectMetadataList"));
    fake.fail("/", 1, Fault::Refused(403, "no"));
    assert!(cluster.names(Kind::PersistentVolume, None).await.is_empty());
    fake.fail("/", 1, Fault::Page(200));
    assert_eq!(cluster.server_version().await.unwrap_err().kind(), ClusterErrorKind::NotKubernetes);
    fake.fail("/", 1, Fault::Slow(Duration::from_mins(1)));
    let started = Instant::now();
    assert!(cluster.names(Kind::PersistentVolume, None).await.is_empty());
    assert!(started.elapsed() < Duration::from_secs(5));
}

#[tokio::test]
async fn an_archive_is_redacted_ordered_and_decodes_to_the_same() {
    let fake = ApiServer::start().await;
    fake.hold([volume("pv-2", None), volume("pv-1", Some(("data", "uid-data"))), claim("db", "data", "pv-1")]);
    let cluster = connect(&to(&fake)).await.unwrap();
    let (mut objects, parts) = cluster.read_raw(Needs::default(), &Silent).await.unwrap();
    archive::order(&mut objects);
    let keys: Vec<String> = objects.iter().filter_map(|object| object.key()).map(ToString::to_string).collect();
    assert_eq!(keys, ["pv/pv-1", "pv/pv-2", "pvc/data -n db"]);
    let mut file = Vec::new();
    archive::write(&objects, &Statement::default(), &mut file).unwrap();
    assert!(!String::from_utf8_lossy(&file).contains("s3cret"));
    let list: Value = serde_json::from_slice(&file).unwrap();
    let text = |index: usize| list["items"][index].to_string();
    let volume = decode::decode_as(Kind::PersistentVolume, text(0).as_bytes(), "").unwrap();
    assert_eq!(
        volume.of::<PersistentVolume>().as_ref(),
        parts.objects.volumes.iter().find(|volume| volume.meta.name == "pv-1")
    );
    assert_eq!(ArchivedObject::from_manifest(text(0).as_bytes()).as_ref(), objects.first());
}
