//! The live source against an API server in this process: what is asked, in which order, as whom, and what becomes of
//! answers that are no success.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
#![expect(clippy::disallowed_types, clippy::disallowed_methods, reason = "the test makes files and looks at the time")]

use crate::support::Run;
use crate::support::fake_api::{Answer, DATE, FakeApi};
use pvctl::model::{Kind, PersistentVolume, Timestamp};
use pvctl::progress::Silent;
use pvctl::snapshot::{Absence, CoverageState, Parts, decode};
use pvctl::source::archive::{self, ArchivedObject};
use pvctl::source::{
    Cluster, ClusterError, ClusterErrorKind, ConnectOptions, Environment, Needs, RequestLog, Retry, ServerVersion,
    Statement, contexts,
};
use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::ring;

const VOLUMES: &str = "/api/v1/persistentvolumes";
const CLAIMS: &str = "/api/v1/persistentvolumeclaims";
const CLASSES: &str = "/apis/storage.k8s.io/v1/storageclasses";
const TOKEN: &str = "t0ps3cret";

fn volume(name: &str, claim: Option<(&str, &str)>) -> Value {
    let mut volume = json!({
        "apiVersion": "v1", "kind": "PersistentVolume",
        "metadata": {"name": name, "uid": format!("uid-{name}"), "resourceVersion": "10"},
        "spec": {
            "capacity": {"storage": "1Gi"}, "accessModes": ["ReadWriteOnce"], "storageClassName": "fast",
            "persistentVolumeReclaimPolicy": "Retain",
            "csi": {"driver": "d", "volumeHandle": name, "volumeAttributes": {"password": "s3cret"}}
        },
        "status": {"phase": "Available"}
    });
    if let Some((claim, uid)) = claim {
        volume["spec"]["claimRef"] = json!({"namespace": "db", "name": claim, "uid": uid});
        volume["status"]["phase"] = "Bound".into();
    }
    volume
}

fn claim(namespace: &str, name: &str, volume: &str) -> Value {
    json!({
        "apiVersion": "v1", "kind": "PersistentVolumeClaim",
        "metadata": {"namespace": namespace, "name": name, "uid": format!("uid-{name}"), "resourceVersion": "11"},
        "spec": {
            "accessModes": ["ReadWriteOnce"], "storageClassName": "fast", "volumeName": volume,
            "resources": {"requests": {"storage": "1Gi"}}
        },
        "status": {"phase": if volume.is_empty() { "Pending" } else { "Bound" }}
    })
}

fn class(name: &str, mode: &str) -> Value {
    json!({
        "apiVersion": "storage.k8s.io/v1", "kind": "StorageClass", "metadata": {"name": name, "uid": name},
        "provisioner": "d", "reclaimPolicy": "Delete", "volumeBindingMode": mode
    })
}

fn pod(namespace: &str, name: &str) -> Value {
    json!({
        "apiVersion": "v1", "kind": "Pod", "metadata": {"namespace": namespace, "name": name},
        "spec": {"volumes": [{"name": "v", "persistentVolumeClaim": {"claimName": "data"}}]}
    })
}

fn to(fake: &FakeApi) -> ConnectOptions {
    ConnectOptions { server: Some(fake.url()), ..ConnectOptions::default() }
}

async fn connect(options: &ConnectOptions) -> Result<Cluster<'static>, ClusterError> {
    let quick = Retry { tries: 3, pause: Duration::from_millis(1), longest: Duration::from_millis(300) };
    Ok(Cluster::connect(options, &Environment::default()).await?.retrying(quick))
}

async fn read(options: &ConnectOptions) -> Result<Parts, ClusterError> {
    connect(options).await?.read(Needs::default(), &Silent).await
}

fn names(parts: &Parts) -> (Vec<&str>, Vec<&str>, Vec<&str>) {
    (
        parts.objects.volumes.iter().map(|volume| volume.meta.name.as_str()).collect(),
        parts.objects.claims.iter().map(|claim| claim.meta.name.as_str()).collect(),
        parts.objects.classes.iter().map(|class| class.meta.name.as_str()).collect(),
    )
}

fn reason(parts: &Parts, kind: Kind) -> &str {
    let entry = parts.coverage.entries().iter().find(|entry| entry.kind == kind).unwrap();
    entry.reason.as_deref().unwrap_or_default()
}

#[tokio::test]
async fn lists_are_read_page_by_page() {
    let fake = FakeApi::start().await;
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
    assert_eq!(uris.len(), 5, "three pages, two lists, nothing else: {uris:?}");
}

#[tokio::test]
async fn pages_are_as_large_as_kubectls_unless_told_otherwise() {
    let fake = FakeApi::start().await;
    read(&to(&fake)).await.unwrap();
    assert_eq!(fake.count(&format!("{VOLUMES}?limit=2500")), 1);
    read(&ConnectOptions { chunk_size: Some(0), ..to(&fake) }).await.unwrap();
    assert_eq!(fake.seen().iter().filter(|seen| seen.uri == VOLUMES).count(), 1);
}

#[tokio::test]
async fn one_bad_object_is_an_issue_and_no_failure() {
    let fake = FakeApi::start().await;
    let mut broken = volume("pv-broken", None);
    broken["spec"]["capacity"]["storage"] = "lots".into();
    fake.hold([volume("pv-1", None), broken, volume("pv-2", None)]);
    let parts = read(&to(&fake)).await.unwrap();
    assert_eq!(names(&parts).0, ["pv-1", "pv-2"]);
    assert_eq!(parts.issues.len(), 1);
    assert_eq!((parts.issues[0].name.as_str(), parts.issues[0].origin.as_str()), ("pv-broken", "persistentvolumes"));
}

/// The token that the server offers leads to the rest of a later list, which is none of the same moment.
#[tokio::test]
async fn an_expired_list_is_read_again_in_one_piece() {
    for offered in [None, Some("3")] {
        let fake = FakeApi::start().await;
        fake.hold((0..6).map(|n| volume(&format!("pv-{n}"), None)));
        fake.fail(&format!("{VOLUMES}?limit=2&continue=2"), 1, Answer::Expired(offered));
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
    let fake = FakeApi::start().await;
    fake.hold([volume("pv-1", None)]);
    fake.fail(VOLUMES, 1, Answer::RetryAfter(429, "1"));
    fake.fail(VOLUMES, 1, Answer::Status(503, "starting"));
    let started = Instant::now();
    let parts = read(&to(&fake)).await.unwrap();
    assert_eq!(names(&parts).0, ["pv-1"]);
    assert_eq!(fake.count(VOLUMES), 3);
    // A second was asked for, and 300 ms is the most that this test allows.
    assert!(started.elapsed() >= Duration::from_millis(300));
}

#[tokio::test]
async fn a_server_that_stays_busy_is_given_up() {
    let fake = FakeApi::start().await;
    fake.fail("/", usize::MAX, Answer::RetryAfter(429, "0"));
    let error = read(&to(&fake)).await.unwrap_err();
    assert_eq!(error.kind(), ClusterErrorKind::Overloaded);
    assert_eq!(fake.count(VOLUMES), 3);
}

#[tokio::test]
async fn failures_of_the_server_are_not_repeated_and_concern_one_kind() {
    let fake = FakeApi::start().await;
    fake.hold([volume("pv-1", None)]);
    fake.fail(CLASSES, usize::MAX, Answer::Status(500, "etcd is on fire"));
    let parts = read(&to(&fake)).await.unwrap();
    assert_eq!(fake.count(CLASSES), 1);
    assert_eq!(parts.coverage.state(Kind::StorageClass, ""), CoverageState::Failed);
    assert_eq!(reason(&parts, Kind::StorageClass), "reading storageclasses failed with HTTP 500: etcd is on fire");
}

#[tokio::test]
async fn forbidden_kinds_are_coverage() {
    let fake = FakeApi::start().await;
    fake.hold([claim("db", "data", "pv-1")]);
    fake.fail(VOLUMES, usize::MAX, Answer::Status(403, "persistentvolumes is forbidden: User \"eve\""));
    let parts = read(&to(&fake)).await.unwrap();
    assert_eq!(parts.coverage.state(Kind::PersistentVolume, ""), CoverageState::Forbidden);
    assert_eq!(reason(&parts, Kind::PersistentVolume), "persistentvolumes is forbidden: User \"eve\"");
    assert_eq!(fake.count(&format!("{VOLUMES}/")), 1, "the one that a claim names may be readable");
}

/// Who may not list volumes may still be allowed to get them.
#[tokio::test]
async fn volumes_that_are_named_are_read_one_by_one_where_their_list_is_forbidden() {
    let fake = FakeApi::start().await;
    fake.hold((0..20).map(|n| volume(&format!("pv-{n}"), None)));
    fake.hold((0..10).map(|n| claim("db", &format!("data-{n}"), &format!("pv-{n}"))));
    fake.hold([claim("db", "gone", "pv-gone"), claim("db", "waiting", "")]);
    fake.fail(&format!("{VOLUMES}?"), usize::MAX, Answer::Status(403, "no list"));
    let parts = read(&to(&fake)).await.unwrap();
    assert_eq!(parts.objects.volumes.len(), 10);
    assert_eq!(fake.count(&format!("{VOLUMES}/")), 11);
    assert_eq!(parts.coverage.state(Kind::PersistentVolume, ""), CoverageState::Forbidden);
    assert_eq!(
        reason(&parts, Kind::PersistentVolume),
        "no list; 10 of 11 that are named were read one by one, 1 not found"
    );
    let absence = |name: &str| parts.coverage.absence_of(Kind::PersistentVolume, "", name);
    assert_eq!(absence("pv-gone"), Absence::Certain, "the server says so");
    assert_eq!(absence("pv-19"), Absence::Unknown(CoverageState::Forbidden), "nobody asked for it");
    let asked = Needs { users_of: Some((Kind::PersistentVolume, "db", "pv-19")), ..Needs::default() };
    let parts = connect(&to(&fake)).await.unwrap().read(asked, &Silent).await.unwrap();
    assert!(names(&parts).0.contains(&"pv-19"), "{:?}", names(&parts).0);
}

/// A claim that went with its volume is not there either, and one that came anew, or cannot be read again, does not
/// show that there is none: the volume may have come with it.
#[tokio::test]
async fn a_volume_is_missed_by_a_claim_that_is_still_there() {
    const ANEW: &str = r#"{"apiVersion": "v1", "kind": "PersistentVolumeClaim",
        "metadata": {"namespace": "db", "name": "data", "uid": "anew", "resourceVersion": "12"},
        "spec": {"volumeName": "pv-gone"}}"#;
    let unknown = Absence::Unknown(CoverageState::Forbidden);
    for (again, claims, absence) in [
        (None, 1, Absence::Certain),
        (Some(Answer::Status(404, "gone")), 0, Absence::Certain),
        (Some(Answer::Status(403, "no")), 1, unknown.clone()),
        (Some(Answer::Body(ANEW)), 1, unknown),
    ] {
        let fake = FakeApi::start().await;
        fake.hold([claim("db", "data", "pv-gone")]);
        fake.fail(&format!("{VOLUMES}?"), usize::MAX, Answer::Status(403, "no list"));
        if let Some(answer) = again {
            fake.fail("/api/v1/namespaces/db/persistentvolumeclaims/data", usize::MAX, answer);
        }
        let parts = read(&to(&fake)).await.unwrap();
        let found = parts.coverage.absence_of(Kind::PersistentVolume, "", "pv-gone");
        assert_eq!((parts.objects.claims.len(), found), (claims, absence));
    }
}

/// Whoever may get none of the first ones is not made to wait for as many refusals as there are claims.
#[tokio::test]
async fn volumes_that_may_not_be_read_at_all_are_given_up_early() {
    let fake = FakeApi::start().await;
    fake.hold((0..100).map(|n| claim("db", &format!("data-{n}"), &format!("pv-{n}"))));
    fake.fail(VOLUMES, usize::MAX, Answer::Status(403, "no"));
    let parts = read(&to(&fake)).await.unwrap();
    assert_eq!((parts.objects.volumes.len(), fake.count(&format!("{VOLUMES}/"))), (0, 8));
    assert_eq!(reason(&parts, Kind::PersistentVolume), "no");
}

/// A class that is created between the lists is there all the same.
#[tokio::test]
async fn a_class_that_a_claim_waits_for_is_confirmed() {
    let fake = FakeApi::start().await;
    fake.hold([claim("db", "data", ""), claim("db", "more", "")]);
    fake.hold_later([class("fast", "Immediate")]);
    let parts = read(&to(&fake)).await.unwrap();
    assert_eq!(names(&parts).2, ["fast"]);
    assert_eq!(fake.count(&format!("{CLASSES}/")), 1);
}

#[tokio::test]
async fn claims_are_read_in_the_own_namespace_where_the_cluster_is_hidden() {
    let fake = FakeApi::start().await;
    fake.hold([claim("db", "data", ""), claim("web", "html", "")]);
    fake.fail(CLAIMS, usize::MAX, Answer::Status(403, "no"));
    let parts = read(&ConnectOptions { namespace: Some("web".into()), ..to(&fake) }).await.unwrap();
    assert_eq!(names(&parts).1, ["html"]);
    assert_eq!(parts.coverage.state(Kind::PersistentVolumeClaim, "web"), CoverageState::Complete);
    assert_eq!(parts.coverage.state(Kind::PersistentVolumeClaim, "db"), CoverageState::Forbidden);
}

#[tokio::test]
async fn who_may_read_nothing_is_told_in_the_servers_words_alone() {
    let fake = FakeApi::start().await;
    fake.fail("/", usize::MAX, Answer::Status(403, "User \"eve\" cannot list"));
    let error = read(&to(&fake)).await.unwrap_err();
    assert_eq!(error.kind(), ClusterErrorKind::Forbidden);
    assert_eq!(error.to_string(), "you may not read persistentvolumes: User \"eve\" cannot list");
    assert!(error.hint().unwrap().contains("persistentvolumeclaims"));
    assert!(!format!("{error:?}").contains("debug-noise"));
}

#[tokio::test]
async fn refused_credentials_end_the_reading() {
    let fake = FakeApi::start().await;
    fake.fail("/", usize::MAX, Answer::Status(401, "Unauthorized"));
    let error = read(&to(&fake)).await.unwrap_err();
    assert_eq!(error.kind(), ClusterErrorKind::Unauthorized);
    assert_eq!(error.to_string(), format!("the API server {} does not accept your credentials", fake.url()));
    // Who may not list volumes with these credentials does not ask for claims.
    assert_eq!(fake.seen().len(), 2);
}

#[tokio::test]
async fn pages_of_proxies_are_recognised_and_not_repeated() {
    for code in [200, 403, 404, 502] {
        let fake = FakeApi::start().await;
        fake.fail("/", usize::MAX, Answer::Html(code));
        let error = read(&to(&fake)).await.unwrap_err();
        assert_eq!(error.kind(), ClusterErrorKind::NotKubernetes, "{code}: {error}");
        assert!(!error.to_string().contains("Sign in"));
        assert!(error.hint().unwrap().contains("NO_PROXY"));
    }
}

#[tokio::test]
async fn truncated_and_endless_lists_are_failures() {
    let fake = FakeApi::start().await;
    fake.hold([volume("pv-1", None)]);
    fake.fail(CLASSES, 1, Answer::Body(r#"{"metadata":{"resourceVersion":"1"},"items":[{"metadata""#));
    fake.fail(CLAIMS, usize::MAX, Answer::Body(r#"{"metadata":{"continue":"again"},"items":[]}"#));
    let parts = read(&to(&fake)).await.unwrap();
    assert_eq!(parts.coverage.state(Kind::StorageClass, ""), CoverageState::Failed);
    assert_eq!(parts.coverage.state(Kind::PersistentVolumeClaim, ""), CoverageState::Failed);
    assert_eq!(fake.count(CLAIMS), 2);
}

#[tokio::test]
async fn a_server_that_does_not_answer_is_given_up_in_time() {
    let fake = FakeApi::start().await;
    fake.fail("/", usize::MAX, Answer::Late(Duration::from_mins(1)));
    let started = Instant::now();
    let options = ConnectOptions { request_timeout: Some(Duration::from_millis(200)), ..to(&fake) };
    let error = read(&options).await.unwrap_err();
    assert_eq!(error.kind(), ClusterErrorKind::TimedOut);
    assert!(error.hint().unwrap().contains("--request-timeout"));
    assert!(started.elapsed() < Duration::from_secs(10));
}

#[tokio::test]
async fn nobody_there() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let free = listener.local_addr().unwrap();
    drop(listener);
    let server = Some(format!("https://{free}"));
    let error = read(&ConnectOptions { server, ..ConnectOptions::default() }).await.unwrap_err();
    assert_eq!(error.kind(), ClusterErrorKind::Unreachable);
    assert_eq!(error.to_string(), format!("the API server https://{free} refuses connections"));
}

#[tokio::test]
async fn a_missing_partner_is_read_again_before_it_counts_as_absent() {
    let fake = FakeApi::start().await;
    // Bound after the volumes were listed, created after the claims were listed, and really gone.
    fake.hold([claim("db", "bound-late", "pv-late"), volume("pv-new", Some(("created-late", "uid-created-late")))]);
    fake.hold([volume("pv-gone", Some(("gone", "uid-gone")))]);
    fake.hold_later([volume("pv-late", Some(("bound-late", "uid-bound-late"))), claim("db", "created-late", "pv-new")]);
    let parts = read(&to(&fake)).await.unwrap();
    let (mut volumes, mut claims, _) = names(&parts);
    volumes.sort_unstable();
    claims.sort_unstable();
    assert_eq!(volumes, ["pv-gone", "pv-late", "pv-new"]);
    assert_eq!(claims, ["bound-late", "created-late"]);
    assert_eq!(fake.count("/api/v1/namespaces/db/persistentvolumeclaims/gone"), 1);
    assert_eq!(parts.coverage.state(Kind::PersistentVolumeClaim, "db"), CoverageState::Complete);
}

#[tokio::test]
async fn the_newer_state_of_a_partner_counts_and_a_deleted_one_is_gone() {
    let fake = FakeApi::start().await;
    // The claim was made anew under its name; the list still shows the old one.
    fake.hold([volume("pv-1", Some(("data", "uid-new"))), claim("db", "data", "pv-1")]);
    let mut anew = claim("db", "data", "pv-1");
    anew["metadata"]["uid"] = "uid-new".into();
    fake.hold_later([anew]);
    let parts = read(&to(&fake)).await.unwrap();
    assert_eq!(parts.objects.claims.len(), 1);
    assert_eq!(parts.objects.claims[0].meta.uid, "uid-new");

    let fake = FakeApi::start().await;
    fake.hold([volume("pv-1", Some(("data", "uid-new"))), claim("db", "data", "")]);
    fake.fail("/api/v1/namespaces/db/persistentvolumeclaims/data", 1, Answer::Status(404, "not found"));
    let parts = read(&to(&fake)).await.unwrap();
    assert_eq!(parts.objects.claims.len(), 0);
}

#[tokio::test]
async fn a_partner_that_may_not_be_read_alone_is_mentioned() {
    let fake = FakeApi::start().await;
    fake.hold([volume("pv-1", Some(("a", "u"))), volume("pv-2", Some(("b", "u")))]);
    fake.fail("/api/v1/namespaces/db/persistentvolumeclaims/", usize::MAX, Answer::Status(403, "no get"));
    let parts = read(&to(&fake)).await.unwrap();
    assert_eq!(reason(&parts, Kind::PersistentVolumeClaim), "pvc/a -n db and 1 others could not be confirmed: no get");
}

/// Of many that do not agree, those are not read again whose claims were written before volumes were listed, and listed
/// later: they did not agree at that moment either.
#[tokio::test]
async fn of_many_that_do_not_agree_those_that_are_of_one_moment_are_not_read_again() {
    let fake = FakeApi::start().await;
    fake.hold((0..200).map(|n| claim("db", &format!("lost-{n}"), &format!("pv-{n}"))));
    let mut late = claim("db", "late", "pv-late");
    late["metadata"]["resourceVersion"] = "78".into();
    fake.hold([late]);
    let parts = read(&to(&fake)).await.unwrap();
    assert_eq!((parts.objects.claims.len(), parts.objects.volumes.len()), (201, 0));
    assert_eq!((fake.count("/api/v1/persistentvolumes?"), fake.count("/api/v1/persistentvolumeclaims?")), (1, 1));
    assert_eq!(fake.count("/api/v1/persistentvolumes/"), 1);
    assert_eq!(fake.count("/api/v1/persistentvolumes/pv-late"), 1);
    assert_eq!(parts.coverage.entry(Kind::PersistentVolume, None).unwrap().reason, None);
}

#[tokio::test]
async fn many_missing_partners_are_confirmed_by_a_second_list() {
    let fake = FakeApi::start().await;
    fake.hold((0..201).map(|n| volume(&format!("pv-{n}"), Some((&format!("gone-{n}"), "u")))));
    let parts = read(&to(&fake)).await.unwrap();
    assert_eq!((parts.objects.volumes.len(), parts.objects.claims.len()), (201, 0));
    assert_eq!(fake.count(CLAIMS), 2);
    assert_eq!(fake.count("/api/v1/namespaces/"), 0);
}

#[tokio::test]
async fn pods_are_read_only_where_a_decision_asks_for_them() {
    let fake = FakeApi::start().await;
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
async fn hidden_pods_are_hidden_where_they_are() {
    let leaving = |namespace: String| {
        let mut leaving = claim(&namespace, "data", "");
        leaving["metadata"]["deletionTimestamp"] = "2023-01-01T00:00:00Z".into();
        leaving
    };
    let fake = FakeApi::start().await;
    fake.hold([leaving("a".into()), leaving("b".into()), pod("a", "p"), pod("b", "p")]);
    fake.fail("/api/v1/namespaces/b/pods", usize::MAX, Answer::Status(403, "no"));
    let parts = read(&to(&fake)).await.unwrap();
    assert_eq!(parts.coverage.state(Kind::Pod, "a"), CoverageState::Complete);
    assert_eq!(parts.coverage.state(Kind::Pod, "b"), CoverageState::Forbidden);
    // From many namespaces it is one list, unless that is forbidden.
    fake.hold((0..260).map(|n| leaving(format!("ns-{n}"))));
    let parts = read(&to(&fake)).await.unwrap();
    assert_eq!((parts.objects.pods.len(), fake.count("/api/v1/pods")), (2, 1));
    assert_eq!(parts.coverage.state(Kind::Pod, "b"), CoverageState::Complete);
    fake.fail("/api/v1/pods", usize::MAX, Answer::Status(403, "no"));
    let parts = read(&to(&fake)).await.unwrap();
    assert_eq!(parts.objects.pods.len(), 1);
    assert_eq!(parts.coverage.state(Kind::Pod, "ns-7"), CoverageState::Complete);
    assert_eq!(parts.coverage.state(Kind::Pod, "b"), CoverageState::Forbidden);
}

#[tokio::test]
async fn the_version_and_names() {
    let fake = FakeApi::start().await;
    fake.hold([volume("pv-1", None), claim("db", "data", ""), claim("web", "html", "")]);
    let cluster = connect(&ConnectOptions { namespace: Some("db".into()), ..to(&fake) }).await.unwrap();
    assert_eq!(
        cluster.server_version().await.unwrap(),
        ServerVersion { major: 1, minor: 36, git_version: "v1.36.3-test".into() }
    );
    assert_eq!(cluster.names(Kind::PersistentVolume, None).await, ["pv-1"]);
    assert_eq!(cluster.names(Kind::PersistentVolumeClaim, None).await, ["data"]);
    assert_eq!(cluster.names(Kind::PersistentVolumeClaim, Some("web")).await, ["html"]);
    assert_eq!(cluster.namespaces().await, ["db"]);
    let asked = fake.seen().into_iter().find(|seen| seen.uri.starts_with(VOLUMES)).unwrap();
    assert!(asked.header("accept")[0].starts_with("application/json;as=PartialObjectMetadataList"));
    fake.fail("/", 1, Answer::Status(403, "no"));
    assert!(cluster.names(Kind::PersistentVolume, None).await.is_empty());
    fake.fail("/", 1, Answer::Html(200));
    assert_eq!(cluster.server_version().await.unwrap_err().kind(), ClusterErrorKind::NotKubernetes);
    fake.fail("/", 1, Answer::Late(Duration::from_mins(1)));
    let started = Instant::now();
    assert!(cluster.names(Kind::PersistentVolume, None).await.is_empty());
    assert!(started.elapsed() < Duration::from_secs(5));
}

#[tokio::test]
async fn an_archive_is_redacted_ordered_and_decodes_to_the_same() {
    let fake = FakeApi::start().await;
    fake.hold([volume("pv-2", None), volume("pv-1", Some(("data", "uid-data"))), claim("db", "data", "pv-1")]);
    let cluster = connect(&to(&fake)).await.unwrap();
    let (mut objects, parts) = cluster.read_raw(Needs::default(), &Silent).await.unwrap();
    archive::order(&mut objects);
    let keys: Vec<String> = objects.iter().map(|object| object.key().to_string()).collect();
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

// ---------------------------------------------------------------- who, and which cluster

struct Tls {
    acceptor: TlsAcceptor,
    authority: String,
}

/// A server certificate for these names, and the authority that signed it.
fn tls(names: &[&str], change: impl FnOnce(&mut CertificateParams)) -> Tls {
    let mut authority = CertificateParams::new(Vec::new()).unwrap();
    authority.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let authority_key = KeyPair::generate().unwrap();
    let authority_pem = authority.self_signed(&authority_key).unwrap().pem();
    let issuer = Issuer::new(authority, authority_key);
    let mut server = CertificateParams::new(names.iter().map(ToString::to_string).collect::<Vec<_>>()).unwrap();
    change(&mut server);
    let key = KeyPair::generate().unwrap();
    let certificate = server.signed_by(&key, &issuer).unwrap();
    let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![certificate.der().clone()], key.serialize_der().try_into().unwrap())
        .unwrap();
    Tls { acceptor: TlsAcceptor::from(Arc::new(config)), authority: authority_pem }
}

/// A directory with the authority's certificate, and an encrypted server on 127.0.0.1.
async fn encrypted() -> (FakeApi, tempfile::TempDir, ConnectOptions) {
    let tls = tls(&["127.0.0.1", "localhost"], |_| {});
    let fake = FakeApi::start_tls(tls.acceptor).await;
    let directory = tempfile::tempdir().unwrap();
    let authority = directory.path().join("ca.crt");
    std::fs::write(&authority, tls.authority).unwrap();
    let options = ConnectOptions {
        server: Some(format!("https://127.0.0.1:{}", fake.port())),
        certificate_authority: Some(authority),
        ..ConnectOptions::default()
    };
    (fake, directory, options)
}

#[tokio::test]
async fn a_token_and_impersonation_travel_encrypted_and_show_nowhere() {
    let (fake, _directory, options) = encrypted().await;
    let options = ConnectOptions {
        token: Some(TOKEN.into()),
        impersonate: Some("jane".into()),
        impersonate_groups: vec!["ops".into(), "dev".into()],
        impersonate_uid: Some("42".into()),
        impersonate_extra: vec![("scopes".into(), "view".into())],
        ..options
    };
    let log = Mutex::new(Vec::new());
    let hear = |request: &RequestLog| log.lock().unwrap().push(format!("{request:?}"));
    let cluster = connect(&options).await.unwrap().observed(&hear);
    cluster.read(Needs::default(), &Silent).await.unwrap();
    for seen in fake.seen() {
        assert_eq!(seen.header("authorization"), [format!("Bearer {TOKEN}")]);
        assert_eq!(seen.header("impersonate-user"), ["jane"]);
        assert_eq!(seen.header("impersonate-group"), ["ops", "dev"]);
        assert_eq!(seen.header("impersonate-uid"), ["42"]);
        assert_eq!(seen.header("impersonate-extra-scopes"), ["view"]);
    }
    fake.fail("/", usize::MAX, Answer::Status(401, "Unauthorized"));
    let error = cluster.read(Needs::default(), &Silent).await.unwrap_err();
    let log = log.lock().unwrap().join("\n");
    assert!(log.contains(&format!("https://127.0.0.1:{}{VOLUMES}?limit=2500", fake.port())), "{log}");
    assert!(log.contains("status: Some(200)") && log.contains("status: Some(401)"), "{log}");
    for shown in [log, format!("{error} {error:?}"), format!("{options:?}")] {
        assert!(!shown.contains(TOKEN) && !shown.contains("Bearer"), "{shown}");
    }
}

#[tokio::test]
async fn credentials_never_travel_unencrypted() {
    let fake = FakeApi::start().await;
    let options = ConnectOptions { token: Some(TOKEN.into()), impersonate: Some("jane".into()), ..to(&fake) };
    read(&options).await.unwrap();
    for seen in fake.seen() {
        assert!(seen.header("authorization").is_empty());
        assert_eq!(seen.header("impersonate-user"), ["jane"]);
    }
    let nobody = ConnectOptions { impersonate_groups: vec!["ops".into()], ..to(&fake) };
    assert_eq!(read(&nobody).await.unwrap_err().hint(), Some("add --as USER"));
}

#[tokio::test]
async fn certificates_that_cannot_be_trusted() {
    let (fake, _directory, trusted) = encrypted().await;
    read(&trusted).await.unwrap();

    let other = tls(&["127.0.0.1"], |_| {});
    let directory = tempfile::tempdir().unwrap();
    let wrong = directory.path().join("other.crt");
    std::fs::write(&wrong, other.authority).unwrap();
    let distrusted = ConnectOptions { certificate_authority: Some(wrong), ..trusted.clone() };
    let error = read(&distrusted).await.unwrap_err();
    assert_eq!(error.kind(), ClusterErrorKind::Tls);
    assert!(error.to_string().ends_with("is signed by an unknown authority"), "{error}");

    let renamed = ConnectOptions { tls_server_name: Some("api.example".into()), ..trusted.clone() };
    let error = read(&renamed).await.unwrap_err();
    assert!(error.to_string().ends_with("was made for another name"), "{error}");
    assert!(error.hint().unwrap().contains("--tls-server-name"));

    let insecure = ConnectOptions { certificate_authority: None, insecure_skip_tls_verify: true, ..trusted.clone() };
    read(&insecure).await.unwrap();

    let empty = directory.path().join("empty.crt");
    std::fs::write(&empty, "no certificate").unwrap();
    let error = read(&ConnectOptions { certificate_authority: Some(empty), ..trusted }).await.unwrap_err();
    assert_eq!(error.kind(), ClusterErrorKind::Credentials);
    assert!(error.to_string().ends_with("cannot be used: there is no certificate in it"), "{error}");
    assert_eq!(fake.seen().len(), 6, "two readings got through");
}

#[tokio::test]
async fn an_expired_certificate_and_a_server_without_encryption() {
    let expired = tls(&["127.0.0.1"], |server| server.not_after = rcgen::date_time_ymd(2001, 1, 1));
    let fake = FakeApi::start_tls(expired.acceptor).await;
    let directory = tempfile::tempdir().unwrap();
    let authority = directory.path().join("ca.crt");
    std::fs::write(&authority, expired.authority).unwrap();
    let options = ConnectOptions {
        server: Some(format!("https://127.0.0.1:{}", fake.port())),
        certificate_authority: Some(authority),
        ..ConnectOptions::default()
    };
    let error = read(&options).await.unwrap_err();
    assert!(error.to_string().starts_with("the certificate of the API server"), "{error}");
    assert!(error.to_string().ends_with("has expired"), "{error}");

    let plain = FakeApi::start().await;
    let server = Some(format!("https://127.0.0.1:{}", plain.port()));
    let error = read(&ConnectOptions { server, ..options }).await.unwrap_err();
    assert!(error.to_string().ends_with("does not speak TLS"), "{error}");
    assert!(error.hint().unwrap().contains("http://"));
}

fn write(directory: &Path, name: &str, text: &str) -> PathBuf {
    let path = directory.join(name);
    std::fs::write(&path, text).unwrap();
    path
}

fn kubeconfig(server: &str, user: &str) -> String {
    format!(
        r#"{{"apiVersion":"v1","kind":"Config","current-context":"main",
            "clusters":[{{"name":"c","cluster":{{"server":"{server}","certificate-authority":"ca.crt"}}}}],
            "contexts":[{{"name":"main","context":{{"cluster":"c","user":"u","namespace":"db"}}}},
                        {{"name":"lost","context":{{"cluster":"zz","user":"u"}}}}],
            "users":[{{"name":"u","user":{user}}}]}}"#
    )
}

#[cfg(unix)]
#[tokio::test]
async fn a_credential_plugin_runs_exactly_once() {
    use std::os::unix::fs::PermissionsExt;
    let (fake, directory, options) = encrypted().await;
    let plugin = write(
        directory.path(),
        "plugin",
        "#!/bin/sh\ncd \"$(dirname \"$0\")\"\necho run >>runs\necho \"$KUBERNETES_EXEC_INFO $EXTRA $1\" >info\n\
         echo 'kind: ExecCredential'\necho 'status:'\necho \"  token: t0ps3cret\"\n",
    );
    std::fs::set_permissions(&plugin, std::fs::Permissions::from_mode(0o755)).unwrap();
    let user = r#"{"exec":{"apiVersion":"client.authentication.k8s.io/v1","command":"./plugin","args":["get-token"],
        "env":[{"name":"EXTRA","value":"more"}],"interactiveMode":"Never","provideClusterInfo":true}}"#;
    let config = write(directory.path(), "config", &kubeconfig(options.server.as_deref().unwrap(), user));
    let options = ConnectOptions { kubeconfig: Some(config), ..ConnectOptions::default() };
    let cluster = connect(&options).await.unwrap();
    assert_eq!(cluster.namespace(), "db");
    cluster.read(Needs::default(), &Silent).await.unwrap();
    cluster.server_version().await.unwrap();
    assert_eq!(std::fs::read_to_string(directory.path().join("runs")).unwrap(), "run\n");
    for seen in fake.seen() {
        assert_eq!(seen.header("authorization"), [format!("Bearer {TOKEN}")]);
    }
    let info = std::fs::read_to_string(directory.path().join("info")).unwrap();
    let (info, rest) = info.rsplit_once("} ").unwrap();
    assert_eq!(rest, "more get-token\n");
    let info: Value = serde_json::from_str(&format!("{info}}}")).unwrap();
    assert_eq!(info["kind"], "ExecCredential");
    assert_eq!(info["apiVersion"], "client.authentication.k8s.io/v1");
    assert_eq!(info["spec"]["interactive"], false);
    assert!(info["spec"]["cluster"]["certificate-authority-data"].is_string());

    // A token by hand goes before the plugin, which then does not run.
    connect(&ConnectOptions { token: Some("other".into()), ..options.clone() }).await.unwrap();
    assert_eq!(std::fs::read_to_string(directory.path().join("runs")).unwrap(), "run\n");

    // A certificate with its key instead of a token.
    let key = KeyPair::generate().unwrap();
    let certificate = CertificateParams::new(vec!["jane".to_owned()]).unwrap().self_signed(&key).unwrap();
    let credential = |key: &str| {
        json!({"kind": "ExecCredential", "status": {
            "clientCertificateData": certificate.pem(), "clientKeyData": key
        }})
    };
    write(directory.path(), "plugin", &format!("#!/bin/sh\ncat <<'END'\n{}\nEND\n", credential(&key.serialize_pem())));
    let before = fake.seen().len();
    read(&options).await.unwrap();
    assert!(fake.seen()[before..].iter().all(|seen| seen.header("authorization").is_empty()));
    write(directory.path(), "plugin", &format!("#!/bin/sh\ncat <<'END'\n{}\nEND\n", credential("no key")));
    let error = connect(&options).await.err().unwrap();
    assert_eq!(error.kind(), ClusterErrorKind::Credentials);

    write(directory.path(), "plugin", "#!/bin/sh\necho t0ps3cret\nexit 3\n");
    let error = connect(&options).await.err().unwrap();
    assert_eq!(error.kind(), ClusterErrorKind::Credentials);
    assert!(error.to_string().ends_with("plugin failed (exit status: 3)"), "{error}");
    assert!(!format!("{error:?}").contains(TOKEN));
    write(directory.path(), "plugin", "#!/bin/sh\necho hello\n");
    let error = connect(&options).await.err().unwrap();
    assert!(error.to_string().ends_with("did not answer with an ExecCredential that has a status"), "{error}");
    std::fs::remove_file(plugin).unwrap();
    let error = connect(&options).await.err().unwrap();
    assert!(error.to_string().ends_with("is not installed"), "{error}");
}

async fn fails(options: ConnectOptions, environment: &Environment) -> (ClusterErrorKind, String, String) {
    let error = Cluster::connect(&options, environment).await.err().unwrap();
    (error.kind(), error.to_string(), error.hint().unwrap_or_default().to_owned())
}

#[tokio::test]
async fn the_kubeconfig_chain_is_kubectls() {
    let fake = FakeApi::start().await;
    let directory = tempfile::tempdir().unwrap();
    let first = write(directory.path(), "first", &kubeconfig(&fake.url(), "{}"));
    let second = write(
        directory.path(),
        "second",
        "current-context: ignored\ncontexts:\n- name: more\n  context: {cluster: c, namespace: web, user: nobody}\n",
    );
    let missing = directory.path().join("missing");
    let environment = Environment {
        kubeconfig: Some(std::env::join_paths([missing.clone(), first, PathBuf::new(), second]).unwrap()),
        ..Environment::default()
    };
    let namespace =
        async |options: ConnectOptions| Cluster::connect(&options, &environment).await.unwrap().namespace().to_owned();
    let with = |change: fn(&mut ConnectOptions)| {
        let mut options = ConnectOptions::default();
        change(&mut options);
        options
    };
    assert_eq!(contexts(&ConnectOptions::default(), &environment).unwrap(), ["main", "lost", "more"]);
    assert_eq!(namespace(ConnectOptions::default()).await, "db");
    // A user that the context names and nobody has is nobody.
    assert_eq!(namespace(with(|options| options.context = Some("more".into()))).await, "web");
    assert_eq!(namespace(with(|options| options.namespace = Some("own".into()))).await, "own");
    let usage = ClusterErrorKind::Configuration;
    assert_eq!(
        fails(with(|options| options.user = Some("zz".into())), &environment).await,
        (usage, "auth info \"zz\" does not exist".into(), "its users: u".into())
    );
    assert_eq!(
        fails(with(|options| options.context = Some("zz".into())), &environment).await,
        (usage, "context \"zz\" does not exist".into(), "its contexts: main, lost, more".into())
    );
    assert_eq!(
        fails(with(|options| options.cluster = Some("zz".into())), &environment).await,
        (usage, "cluster \"zz\" does not exist in the kubeconfig".into(), "its clusters: c".into())
    );
    assert_eq!(fails(with(|options| options.context = Some("lost".into())), &environment).await.0, usage);
    let named = ConnectOptions { kubeconfig: Some(missing.clone()), ..ConnectOptions::default() };
    let (kind, message, _) = fails(named, &environment).await;
    assert_eq!(kind, usage);
    assert!(message.ends_with("missing cannot be used: there is no such file"), "{message}");
    let broken = write(directory.path(), "broken", "users:\n- name: u\n  user: {token: t0ps3cret\n");
    let (_, message, _) =
        fails(ConnectOptions { kubeconfig: Some(broken), ..ConnectOptions::default() }, &environment).await;
    assert!(message.ends_with("it is not valid YAML of kind Config"), "{message}");
    let contextless = write(directory.path(), "contextless", "clusters: [{name: c, cluster: {server: 'x:1'}}]\n");
    let options = ConnectOptions { kubeconfig: Some(contextless), ..ConnectOptions::default() };
    assert_eq!(fails(options.clone(), &environment).await.1, "the kubeconfig has no current context");
    let chosen =
        Cluster::connect(&ConnectOptions { cluster: Some("c".into()), ..options }, &environment).await.unwrap();
    assert_eq!((chosen.server(), chosen.namespace()), ("http://x:1", "default"));
}

#[tokio::test]
async fn no_cluster_at_all_points_to_files() {
    let home = tempfile::tempdir().unwrap();
    let environment = Environment { home: Some(home.path().to_owned()), ..Environment::default() };
    let (kind, message, hint) = fails(ConnectOptions::default(), &environment).await;
    assert_eq!(kind, ClusterErrorKind::NoCluster);
    assert_eq!(message, "no cluster is configured: there is no kubeconfig, and this is not a pod");
    assert!(hint.contains("-f"), "{hint}");
    std::fs::create_dir(home.path().join(".kube")).unwrap();
    write(&home.path().join(".kube"), "config", &kubeconfig("http://127.0.0.1:1", "{}"));
    let found = Cluster::connect(&ConnectOptions::default(), &environment).await.unwrap();
    assert_eq!((found.server(), found.namespace()), ("http://127.0.0.1:1", "db"));
    let named = ConnectOptions { context: Some("prod".into()), ..ConnectOptions::default() };
    let (kind, message, _) = fails(named, &Environment::default()).await;
    assert_eq!(kind, ClusterErrorKind::Configuration);
    assert_eq!(message, "--context names \"prod\", and there is no kubeconfig");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_servers_version_is_printed_unless_it_is_not_wanted() {
    let api = FakeApi::start().await;
    let run = async |arguments: &'static [&'static str]| {
        let url = api.url();
        let all = move || Run::new(&[arguments, &["--server", &url]].concat()).finish();
        tokio::task::spawn_blocking(all).await.unwrap()
    };
    let asked = run(&["version"]).await;
    assert!(asked.stdout.ends_with("\nserver:               v1.36.3-test\n"), "{}", asked.stdout);
    assert_eq!((asked.code, asked.stderr.as_str(), api.count("/version")), (Some(0), "", 1));
    let document: Value = serde_json::from_str(&run(&["version", "-o", "json"]).await.stdout).unwrap();
    assert_eq!(document["server"], json!({"version": "v1.36.3-test"}));
    let unasked = run(&["version", "--client"]).await;
    assert!(!unasked.stdout.contains("server:"), "{}", unasked.stdout);
    assert_eq!((unasked.code, api.count("/version")), (Some(0), 2));
}

/// kubectl's flags without which the same line would mean something else here: what they make of a request.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_flags_of_kubectl_reach_the_request() {
    let api = FakeApi::start().await;
    let headers = async |arguments: &'static [&'static str], header: &str| {
        let url = api.url();
        let run = move || Run::new(&[&["version"], arguments, &["--server", &url]].concat()).finish();
        let run = tokio::task::spawn_blocking(run).await.unwrap();
        assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""), "{arguments:?}");
        let seen = api.seen();
        let values: Vec<String> = seen.last().unwrap().header(header).into_iter().map(str::to_owned).collect();
        values
    };
    assert_eq!(headers(&[], "accept-encoding").await, ["gzip"]);
    assert_eq!(headers(&["--disable-compression=false"], "accept-encoding").await, ["gzip"]);
    assert!(headers(&["--disable-compression"], "accept-encoding").await.is_empty());
    // Several values of one key are several headers, and a key may hold what a header's name may not.
    let extra = &[
        "--as=jane",
        "--as-user-extra=scopes=view",
        "--as-user-extra",
        "scopes=edit",
        "--as-user-extra=example.com/team=a=b",
    ];
    assert_eq!(headers(extra, "impersonate-extra-scopes").await, ["view", "edit"]);
    assert_eq!(headers(extra, "impersonate-extra-example.com%2fteam").await, ["a=b"]);
    assert!(headers(&["--as=jane"], "impersonate-extra-scopes").await.is_empty());
    // Nothing is cached, and so nothing is written there.
    let directory = tempfile::tempdir().unwrap();
    let cache = directory.path().join("cache");
    let cache_dir: &'static str = cache.to_str().unwrap().to_owned().leak();
    let arguments: &'static [&'static str] = vec!["--cache-dir", cache_dir].leak();
    assert_eq!(headers(arguments, "accept-encoding").await, ["gzip"]);
    assert!(!cache.exists());
}

#[test]
fn extras_without_a_user_to_act_as_are_refused() {
    let run = Run::new(&["predict", "--server", "http://127.0.0.1:1", "--as-user-extra", "scopes=view"]).finish();
    assert_eq!((run.code, run.stdout.as_str()), (Some(2), ""), "{}", run.stderr);
    assert!(run.stderr.contains("--as-user-extra") && run.stderr.contains("add --as USER"), "{}", run.stderr);
    let run = Run::new(&["version", "--as-user-extra", "scopes"]).finish();
    assert_eq!((run.code, run.stdout.as_str()), (Some(2), ""));
    assert!(run.stderr.contains("it must be KEY=VALUE"), "{}", run.stderr);
}

/// Runs the program on that API server.
async fn judged(fake: &FakeApi, arguments: &'static [&'static str]) -> (Option<i32>, String, String) {
    let url = fake.url();
    let run = move || Run::new(&[arguments, &["--server", &url]].concat()).finish();
    let run = tokio::task::spawn_blocking(run).await.unwrap();
    (run.code, run.stdout, run.stderr)
}

/// Who may not list volumes, and may get them, is told that a claim is Lost, and that its volume does not exist.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_missed_by_its_name_does_not_exist() {
    let fake = FakeApi::start().await;
    let mut lost = claim("db", "data", "pv-gone");
    lost["metadata"]["annotations"] = json!({"pv.kubernetes.io/bind-completed": "yes"});
    fake.hold([lost, class("fast", "Immediate")]);
    fake.fail(&format!("{VOLUMES}?"), usize::MAX, Answer::Status(403, "no list"));
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
async fn what_may_not_be_read_is_not_said_to_be_absent() {
    let fake = FakeApi::start().await;
    fake.hold([claim("db", "data", ""), class("fast", "Immediate")]);
    fake.fail(VOLUMES, usize::MAX, Answer::Status(403, "no volumes for you"));
    let (code, stdout, stderr) = judged(&fake, &["explain", "pv/pv-1"]).await;
    assert_eq!((code, stdout.as_str()), (Some(3), ""));
    let said = "error: cannot tell whether PersistentVolume \"pv-1\" exists: you lack the right to list \
                persistentvolumes\n  because: no volumes for you\n";
    assert!(stderr.contains(said), "{stderr}");
    let (code, stdout, stderr) = judged(&fake, &["match", "pvc/data", "-n", "db"]).await;
    assert!(stdout.contains("whether a volume fits is unknown"), "{stdout}{stderr}");
    let why = stdout.replace('\n', " ");
    assert!(why.contains("may fit: you lack the right to list persistentvolumes."), "{stdout}");
    assert_eq!(code, Some(3));
    let (code, ..) = judged(&fake, &["explain", "pvc/gone", "-n", "db"]).await;
    assert_eq!(code, Some(2), "all claims were read");

    fake.fail(CLASSES, usize::MAX, Answer::Status(403, "no"));
    fake.fail(CLAIMS, usize::MAX, Answer::Status(403, "no"));
    fake.fail("/api/v1/namespaces/db/persistentvolumeclaims", usize::MAX, Answer::Status(403, "no"));
    for object in ["pvc/data", "sc/fast"] {
        let (code, stdout, stderr) = judged(&fake, vec!["explain", object, "-n", "db"].leak()).await;
        assert_eq!((code, stdout.as_str()), (Some(3), ""), "{object}: {stderr}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_exit_code_says_whether_what_is_shown_is_known() {
    let fake = FakeApi::start().await;
    let mut leaving = claim("web", "cache", "pv-1");
    leaving["metadata"]["deletionTimestamp"] = "2023-11-14T22:00:00Z".into();
    leaving["metadata"]["finalizers"] = json!(["kubernetes.io/pvc-protection"]);
    let mut cache = volume("pv-1", Some(("cache", "uid-cache")));
    cache["spec"]["claimRef"]["namespace"] = "web".into();
    fake.hold([leaving, cache, claim("db", "data", "pv-2"), volume("pv-2", Some(("data", "uid-data")))]);
    fake.hold([class("fast", "Immediate")]);
    assert_eq!(judged(&fake, &["predict", "-A"]).await.0, Some(0));
    fake.fail(CLASSES, usize::MAX, Answer::Status(403, "no"));
    assert_eq!(judged(&fake, &["predict", "-A"]).await.0, Some(0), "no class decides anything");
    fake.fail("/api/v1/pods", usize::MAX, Answer::Status(403, "no"));
    fake.fail("/api/v1/namespaces/web/pods", usize::MAX, Answer::Status(403, "no"));
    assert_eq!(judged(&fake, &["predict", "-A"]).await.0, Some(0), "pods are no part of the code");
    assert_eq!(judged(&fake, &["explain", "pvc/cache", "-n", "web"]).await.0, Some(0));
    assert_eq!(judged(&fake, &["explain", "pvc/data", "-n", "db"]).await.0, Some(0));
    let (code, _, stderr) = judged(&fake, &["explain", "pvc/cache", "-n", "web", "--recheck"]).await;
    assert!(stderr.contains("what is predicted is unknown") && !stderr.contains("nothing differs"), "{stderr}");
    assert_eq!(code, Some(0));
    let (code, stdout, stderr) = judged(&fake, &["explain", "sc/fast", "--recheck"]).await;
    assert_eq!((code, stdout.as_str()), (Some(2), ""));
    assert!(stderr.contains("--recheck is for a pv or a pvc"), "{stderr}");
    fake.fail(CLAIMS, usize::MAX, Answer::Status(403, "no"));
    assert_eq!(judged(&fake, &["predict", "-n", "db"]).await.0, Some(0), "the claims of db may be read");
    assert_eq!(judged(&fake, &["predict", "-A"]).await.0, Some(3), "some claims are missing");
}

/// A missing right is said once, where the answer may rest on it.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn only_readings_that_matter_are_warned_of() {
    let fake = FakeApi::start().await;
    fake.hold(["batch", "media", "web"].map(|namespace| claim(namespace, "data", "")));
    fake.hold([class("fast", "WaitForFirstConsumer")]);
    for (namespace, message) in [
        ("batch", "pods is forbidden: no \"pods\" in the namespace \"batch\""),
        ("media", "pods is forbidden: no \"pods\" in the namespace \"media\""),
        ("web", "pods is forbidden: no \"pods\" in the namespace \"web\""),
    ] {
        fake.fail(&format!("/api/v1/namespaces/{namespace}/pods"), usize::MAX, Answer::Status(403, message));
    }
    let warnings = async |arguments: &'static [&'static str]| {
        let (_, _, stderr) = judged(&fake, arguments).await;
        let lines: Vec<String> = stderr
            .replace("\n  ", " ")
            .lines()
            .filter_map(|line| line.strip_prefix("warning: pods of namespace")?.split_once(" may not"))
            .map(|(named, _)| named.to_owned())
            .collect();
        lines
    };
    assert_eq!(warnings(&["predict", "-A"]).await, ["s batch, media, web"]);
    assert_eq!(warnings(&["predict", "-n", "web"]).await, [" web"]);
    assert_eq!(warnings(&["explain", "pvc/data", "-n", "web"]).await, [" web"]);
    assert!(warnings(&["match", "pvc/data", "-n", "web"]).await.is_empty());
}
