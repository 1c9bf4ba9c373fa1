//! What a snapshot states about its input and about the cluster that it was read from.

use super::stdin;
use crate::support::api::ApiServer;
use crate::support::faults::Fault;
use crate::support::{Finished, Run};
use pvctl::controllers::KubeVersion;
use pvctl::model::Kind;
use pvctl::snapshot::CoverageState;
use pvctl::source::files::{archive_with, read_with};
use serde_json::{Value, json};
use std::path::Path;

/// Asserts that `predict` of the snapshot gives the same answer as `predict` of the source. Returns the answer.
fn assert_same_answers(source: &[&str], code: i32) -> String {
    // A snapshot of a cluster also lists nodes, because other flags and `audit` need them. These predictions do not
    // read nodes.
    let is_common = |entry: &Value| entry["resource"] != "nodes";
    let of_common = |document: &str| {
        let mut document: Value = serde_json::from_str(document).unwrap();
        document["coverage"].as_array_mut().unwrap().retain(is_common);
        // The version of a server is detected, and the snapshot states that version.
        if document["model"]["source"] == "detected" {
            document["model"]["source"] = "stated".into();
        }
        document
    };
    let predict = |arguments: &[&str], input: &str| {
        let all = [&["predict", "-A", "-o", "json"], arguments].concat();
        let run = Run::new(&all).stdin(input.as_bytes()).finish();
        assert_eq!(run.code, Some(code), "{all:?}: {}", run.stderr);
        run.stdout
    };
    let expected = predict(source, "");
    let mut documents = Vec::new();
    for format in ["json", "yaml"] {
        let snapshot = Run::new(&[&["snapshot", "-A", "-o", format], source].concat()).finish();
        assert_eq!(snapshot.code, Some(0), "{source:?}: {}", snapshot.stderr);
        let back = predict(&["-f", "-"], &snapshot.stdout);
        assert_eq!(of_common(&back), of_common(&expected), "{source:?} through {format}");
        documents.push(snapshot.stdout);
    }
    // The order of the fields does not matter: the metadata may come first.
    let first: Value = serde_json::from_str(&documents[0]).unwrap();
    let turned = format!(
        "{{\"metadata\":{},\"items\":{},\"kind\":\"List\",\"apiVersion\":\"v1\"}}",
        first["metadata"], first["items"]
    );
    assert_eq!(of_common(&predict(&["-f", "-"], &turned)), of_common(&expected));
    expected
}

pub(super) fn write(root: &Path, path: &str, content: &str) {
    let path = root.join(path);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, content).unwrap();
}

const WAITING_CLAIM: &str = r#"{"apiVersion":"v1","kind":"PersistentVolumeClaim",
    "metadata":{"name":"data","namespace":"db","uid":"c","deletionTimestamp":"2026-06-01T10:00:00Z",
        "finalizers":["kubernetes.io/pvc-protection"]},
    "spec":{"storageClassName":"fast","accessModes":["ReadWriteOnce"],"resources":{"requests":{"storage":"1Gi"}}},
    "status":{"phase":"Pending"}}"#;

#[test]
fn a_snapshot_keeps_what_a_dump_says_of_itself() {
    let directory = tempfile::tempdir().unwrap();
    let root = directory.path();
    write(root, "dump/nodes.json", r#"{"kind":"NodeList","apiVersion":"v1","items":[]}"#);
    write(root, "dump/db/pods.json", r#"{"kind":"PodList","apiVersion":"v1","items":[]}"#);
    write(root, "dump/claim.json", WAITING_CLAIM);
    // In a must-gather an empty list of pods proves that no pod uses the claim.
    let gathered = "gather/image/namespaces/db/core";
    let claims = format!(r#"{{"kind":"PersistentVolumeClaimList","apiVersion":"v1","items":[{WAITING_CLAIM}]}}"#);
    write(root, &format!("{gathered}/persistentvolumeclaims.yaml"), &claims);
    write(root, &format!("{gathered}/pods.yaml"), "apiVersion: v1\nitems: []\nkind: PodList\n");
    for source in ["dump", "gather"] {
        let path = root.join(source);
        let predicted = assert_same_answers(&["-f", path.to_str().unwrap()], 0);
        let predicted: Value = serde_json::from_str(&predicted).unwrap();
        let empty = json!({"resource": "pods", "namespace": "db", "state": "complete"});
        assert!(predicted["coverage"].as_array().unwrap().contains(&empty), "{source}: {}", predicted["coverage"]);
        assert_eq!(predicted["items"][0]["outcomes"], json!([{"gone": true}]), "{source}");
        let assumed = predicted["items"][0]["assumed"].to_string();
        assert!(!assumed.contains("pods"), "{source}: {assumed}");
    }
}

/// `--now`, `--partial` and `--assume-complete` describe the files, and the snapshot keeps their values.
#[test]
fn the_flags_about_files_go_into_the_snapshot() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("claim.json");
    std::fs::write(&file, WAITING_CLAIM).unwrap();
    let file = file.to_str().unwrap();
    let table = |arguments: &[&str], input: &str| {
        let run = Run::new(&[&["predict"], arguments].concat()).stdin(input.as_bytes()).finish();
        (run.code, run.stdout, run.stderr)
    };
    let plain = table(&["-f", file], "");
    for flags in [&["--now", "2030-01-01T00:00:00Z"][..], &["--partial", "pods"], &["--assume-complete"]] {
        let snapshot = Run::new(&[&["snapshot", "-f", file], flags].concat()).finish();
        assert_eq!((snapshot.code, snapshot.stderr.lines().count()), (Some(0), usize::from(flags[0] == "--partial")));
        let back = table(&["-f", "-"], &snapshot.stdout);
        assert_eq!(back, table(&[&["-f", file], flags].concat(), ""), "{flags:?}");
        assert!(back != plain || flags[0] == "--now", "{flags:?} must change the prediction");
        // If pods are partial, every answer that depends on pods is unknown.
        assert_same_answers(&[&["-f", file], flags].concat(), 0);
    }
    let age = Run::new(&["snapshot", "-f", file, "--now", "2030-01-01T00:00:00Z"]).finish().stdout;
    let age: Value = serde_json::from_str(&age).unwrap();
    assert_eq!(age["metadata"]["annotations"]["pvctl.dev/now"], "2030-01-01T00:00:00Z");
    // The flags of the person who reads the snapshot override what it states.
    let partial = Run::new(&["snapshot", "-f", file, "--partial", "pods/db,pods"]).finish().stdout;
    let better = table(&["-f", "-", "--assume-complete"], &partial);
    assert_eq!(better, table(&["-f", file, "--assume-complete"], ""));
}

/// A snapshot keeps the version of the server, the hidden volumes and the waiting claim.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_snapshot_keeps_what_is_known_of_a_cluster() {
    let fake = ApiServer::start().await;
    let claim: Value = serde_json::from_str(WAITING_CLAIM).unwrap();
    fake.hold([claim]);
    fake.fail("/version", usize::MAX, Fault::Body(r#"{"major":"1","minor":"33+","gitVersion":"v1.33.1-x"}"#));
    let url = fake.url();
    let predicted = tokio::task::spawn_blocking(move || assert_same_answers(&["--server", &url], 0)).await.unwrap();
    let predicted: Value = serde_json::from_str(&predicted).unwrap();
    assert_eq!(
        (&predicted["model"]["kubernetes"], &predicted["model"]["source"]),
        (&json!("1.33"), &json!("detected"))
    );
    assert_eq!(
        predicted["coverage"][0],
        json!({"resource": "persistentvolumes", "state": "complete", "resourceVersion": "77"})
    );
    fake.fail("/api/v1/persistentvolumes", usize::MAX, Fault::Refused(403, "User \"eve\" cannot list volumes"));
    fake.fail("/api/v1/namespaces/db/pods", usize::MAX, Fault::Refused(403, "User \"eve\" cannot list pods"));
    let url = fake.url();
    let predicted = tokio::task::spawn_blocking(move || assert_same_answers(&["--server", &url], 3)).await.unwrap();
    let predicted: Value = serde_json::from_str(&predicted).unwrap();
    assert_eq!(predicted["items"][0]["unknown"][0]["reason"], "forbidden", "{predicted}");
    let assumed = json!([{"resource": "persistentvolumeclaims", "namespace": "db", "as": "defaults"}]);
    assert_eq!(predicted["items"][0]["assumed"], assumed, "only the missing volumeMode of the claim must be assumed");
}

/// Pods may wait for a claim in a namespace that has no claims. They are read from the cluster and kept in its
/// snapshot.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_snapshot_holds_the_pods_of_namespaces_without_claims() {
    let fake = ApiServer::start().await;
    fake.hold([json!({"apiVersion": "v1", "kind": "Pod",
        "metadata": {"namespace": "web", "name": "p", "uid": "p", "creationTimestamp": "2023-11-14T22:00:00Z"},
        "spec": {"containers": [{"name": "c"}],
            "volumes": [{"name": "v", "persistentVolumeClaim": {"claimName": "none"}}]},
        "status": {"phase": "Pending"}})]);
    let url = fake.url();
    let found = |run: Finished| {
        let report: Value = serde_json::from_str(&run.stdout).unwrap();
        report["findings"].clone()
    };
    let compare = move || {
        for scope in [&["-A"][..], &["-n", "web"]] {
            let audit = [&["audit", "--exit-zero", "-o", "json"], scope].concat();
            let live = found(Run::new(&[&audit[..], &["--server", &url]].concat()).finish());
            assert_eq!(live[0]["id"], "pod-claim-missing", "{live}");
            let snapshot = Run::new(&[&["snapshot", "--server", &url], scope].concat()).finish();
            let file = Run::new(&[&audit[..], &["-f", "-"]].concat()).stdin(snapshot.stdout.as_bytes());
            assert_eq!(found(file.finish()), live, "{scope:?}");
        }
    };
    tokio::task::spawn_blocking(compare).await.unwrap();
}

/// The answer for a snapshot is the same as for the cluster, for every question and all flags. This includes objects
/// for which no decision with the default settings reads pods or nodes.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_snapshot_of_a_cluster_explains_as_the_cluster_does() {
    let fake = ApiServer::start().await;
    let bound = json!({"apiVersion": "v1", "kind": "PersistentVolumeClaim",
        "metadata": {"name": "used", "namespace": "web", "uid": "u", "finalizers": ["kubernetes.io/pvc-protection"],
            "annotations": {"pv.kubernetes.io/bind-completed": "yes"}},
        "spec": {"storageClassName": "", "accessModes": ["ReadWriteOnce"], "volumeName": "disk",
            "resources": {"requests": {"storage": "1Gi"}}},
        "status": {"phase": "Bound", "accessModes": ["ReadWriteOnce"], "capacity": {"storage": "1Gi"}}});
    let volume = |name: &str, phase: &str, namespace: &str, claim: &str| {
        json!({"apiVersion": "v1", "kind": "PersistentVolume",
            "metadata": {"name": name, "uid": name, "finalizers": ["kubernetes.io/pv-protection"]},
            "spec": {"capacity": {"storage": "1Gi"}, "accessModes": ["ReadWriteOnce"],
                "persistentVolumeReclaimPolicy": "Retain", "nfs": {"server": "s", "path": "/p"},
                "claimRef": {"namespace": namespace, "name": claim, "uid": "u"}},
            "status": {"phase": phase}})
    };
    let pod = |namespace: &str, claim: &str| {
        json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "user", "namespace": namespace, "uid": namespace},
            "spec": {"nodeName": "n", "containers": [],
                "volumes": [{"name": "v", "persistentVolumeClaim": {"claimName": claim}}]},
            "status": {"phase": "Running"}})
    };
    let node = json!({"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n", "uid": "n"}});
    fake.hold([bound, volume("disk", "Bound", "web", "used"), volume("left", "Released", "gone", "former")]);
    fake.hold([pod("web", "used"), pod("gone", "former"), node]);
    let url = fake.url();
    let compare = move |nodes: bool| {
        let snapshot = Run::new(&["snapshot", "--server", &url]).finish();
        assert_eq!(snapshot.code, Some(0), "{}", snapshot.stderr);
        let warning = "warning: nodes are missing: you may not list them (no)\n";
        assert_eq!(snapshot.stderr, if nodes { "" } else { warning });
        for flags in [
            &[][..],
            &["--controller-flag=enable-hostpath-provisioner=true"],
            &["--feature-gates=PersistentVolumeClaimUnusedSinceTime=true"],
        ] {
            for object in ["pvc/used", "pv/disk", "pv/left"] {
                let asked = [&["explain", object, "-n", "web"], flags].concat();
                let live = Run::new(&[&asked[..], &["--server", &url]].concat()).finish();
                let back = Run::new(&[&asked[..], &["-f", "-"]].concat()).stdin(snapshot.stdout.as_bytes()).finish();
                assert_eq!((back.code, &back.stdout), (live.code, &live.stdout), "{asked:?}");
                // A repair is offered only for a cluster, because nothing can be written to a file.
                let offer = format!("kubectl pvctl fix {object} --server {url} proposes a repair\n");
                let offered = if object == "pv/left" { offer.as_str() } else { "" };
                assert_eq!(live.stderr.replace(offered, ""), back.stderr, "{asked:?}");
                assert!(live.stderr.ends_with(offered), "{asked:?}: {}", live.stderr);
                assert!(back.stdout.contains("pod user, on node n"), "{}", back.stdout);
            }
        }
    };
    let second = compare.clone();
    tokio::task::spawn_blocking(move || compare(true)).await.unwrap();
    fake.fail("/api/v1/nodes", usize::MAX, Fault::Refused(403, "no"));
    tokio::task::spawn_blocking(move || second(false)).await.unwrap();
}

/// If the version of a snapshot is not modelled, the message names the snapshot, because a file has no server.
#[test]
fn a_snapshot_of_an_unmodelled_version_is_named_in_a_note() {
    let of = |minor: u32, more: &[&str]| {
        let list = json!({
            "kind": "List", "apiVersion": "v1", "items": [],
            "metadata": {"annotations": {"pvctl.dev/kubernetes": format!("1.{minor}")}},
        });
        let asked = [&["predict", "-A", "-o", "json", "-f", "-"], more].concat();
        let document = Run::new(&asked).stdin(list.to_string().as_bytes()).finish().stdout;
        let model = serde_json::from_str::<Value>(&document).unwrap()["model"].clone();
        let asked = [&["predict", "-A", "-f", "-"], more].concat();
        let notes = Run::new(&asked).stdin(list.to_string().as_bytes()).finish().stderr;
        let note = notes.lines().find(|line| line.contains("nearest")).map(str::to_owned);
        (model["kubernetes"].clone(), model["source"].clone(), note)
    };
    let newest = KubeVersion::NEWEST.to_string();
    let note = format!("note: the snapshot has Kubernetes 1.99; the nearest modelled version is {newest}");
    assert_eq!(of(99, &[]), (json!(newest), json!("stated"), Some(note)));
    assert_eq!(of(33, &[]), (json!("1.33"), json!("stated"), None));
    assert_eq!(of(99, &["--kube-version", "1.35"]), (json!("1.35"), json!("given"), None));
}

/// An incomplete snapshot and another file are read together. The volume in the file does not make the list of volumes
/// complete.
#[test]
fn a_snapshot_that_lacks_something_lacks_it_beside_other_files_too() {
    let coverage = json!([{"resource": "persistentvolumes", "state": "forbidden"}]).to_string();
    let snapshot = json!({
        "kind": "List", "apiVersion": "v1", "items": [],
        "metadata": {"annotations": {"pvctl.dev/coverage": coverage}},
    });
    let other = r#"{"apiVersion":"v1","kind":"PersistentVolume","metadata":{"name":"a"}}"#;
    for input in [format!("{snapshot}{other}"), format!("{other}{snapshot}")] {
        let coverage = read_with(&stdin(), &mut input.as_bytes()).unwrap().parts.coverage;
        assert_eq!(coverage.state(Kind::PersistentVolume, ""), CoverageState::Forbidden);
        assert_eq!(coverage.state(Kind::Pod, "x"), CoverageState::Assumed);
        let both = format!("{input}{}", snapshot.to_string().replace("forbidden", "complete"));
        let coverage = read_with(&stdin(), &mut both.as_bytes()).unwrap().parts.coverage;
        assert_eq!(
            coverage.state(Kind::PersistentVolume, ""),
            CoverageState::Complete,
            "another snapshot has the complete list"
        );
    }
}

/// An object that is read together with a snapshot does not belong to the snapshot. The order in which they are read
/// does not matter.
#[test]
fn objects_beside_a_snapshot_count_as_of_an_input_of_their_own() {
    let coverage = json!([{"resource": "persistentvolumes", "state": "complete"}]).to_string();
    let snapshot = json!({
        "kind": "List", "apiVersion": "v1", "metadata": {"annotations": {"pvctl.dev/coverage": coverage}},
        "items": [{"apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": "a"}}],
    });
    let yaml = |first: &str, second: &str| format!("# two\n---\n{first}\n---\n{second}\n");
    for input in [
        format!("{snapshot}{WAITING_CLAIM}"),
        format!("{WAITING_CLAIM}{snapshot}"),
        yaml(&snapshot.to_string(), WAITING_CLAIM),
        yaml(WAITING_CLAIM, &snapshot.to_string()),
    ] {
        let read = read_with(&stdin(), &mut input.as_bytes()).unwrap().parts.coverage;
        let kept = archive_with(&stdin(), &mut input.as_bytes()).unwrap().statement.coverage;
        for coverage in [read, kept] {
            let state = |kind, namespace| coverage.state(kind, namespace);
            assert_eq!(state(Kind::PersistentVolume, ""), CoverageState::Complete, "{input}");
            assert_eq!(state(Kind::PersistentVolumeClaim, "db"), CoverageState::Complete, "{input}");
            assert_eq!(state(Kind::PersistentVolumeClaim, "web"), CoverageState::Assumed, "{input}");
        }
    }
}

#[test]
fn an_invalid_statement_is_an_error_and_other_annotations_are_ignored() {
    let list = |key: &str, value: Value| {
        json!({"kind": "List", "apiVersion": "v1", "metadata": {"annotations": {key: value}}, "items": []}).to_string()
    };
    for (key, value) in [
        ("pvctl.dev/coverage", json!("[{\"resource\":\"pods\",\"state\":\"perhaps\"}]")),
        ("pvctl.dev/coverage", json!("pods")),
        ("pvctl.dev/coverage", json!([])),
        ("pvctl.dev/now", json!("soon")),
        ("pvctl.dev/kubernetes", json!("2.0")),
    ] {
        for verb in ["snapshot", "predict"] {
            let run = Run::new(&[verb, "-f", "-"]).stdin(list(key, value.clone()).as_bytes()).finish();
            assert_eq!((run.code, run.stdout.as_str()), (Some(3), ""), "{key} {value}");
            assert!(run.stderr.contains(&format!("the list's annotation {key}")), "{}", run.stderr);
        }
    }
    for metadata in [r#"{"annotations":{"other":7}}"#, r#"{"annotations":null}"#, r#"{"annotations":[]}"#, "{}", "[]"] {
        let input = format!(r#"{{"kind":"List","metadata":{metadata},"items":[]}}"#);
        assert!(read_with(&stdin(), &mut input.as_bytes()).is_ok(), "{metadata}");
    }
}
