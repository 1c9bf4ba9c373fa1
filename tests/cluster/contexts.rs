//! `--contexts`: the answer has a section for each cluster, one summary and one exit code. A section equals the answer
//! of a run on that cluster alone.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
#![expect(clippy::disallowed_types, clippy::disallowed_methods, reason = "the test makes files and looks at the time")]

use crate::support::api::ApiServer;
use crate::support::faults::Fault;
use crate::support::{BINARY, Finished, Run, root, text};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Two clusters that answer, and a context whose cluster does not answer.
struct Clusters {
    calm: ApiServer,
    stirring: ApiServer,
    directory: tempfile::TempDir,
}

fn volume(name: &str, phase: &str) -> Value {
    json!({
        "apiVersion": "v1", "kind": "PersistentVolume",
        "metadata": {"name": name, "uid": format!("uid-{name}"), "resourceVersion": "10"},
        "spec": {
            "capacity": {"storage": "1Gi"}, "accessModes": ["ReadWriteOnce"], "storageClassName": "",
            "persistentVolumeReclaimPolicy": "Retain", "csi": {"driver": "d", "volumeHandle": name}
        },
        "status": {"phase": phase}
    })
}

impl Clusters {
    async fn start() -> Self {
        let (calm, stirring) = (ApiServer::start().await, ApiServer::start().await);
        calm.hold([volume("resting", "Available")]);
        stirring.hold([volume("new", "Pending"), volume("old", "Available")]);
        let clusters = Self { calm, stirring, directory: tempfile::tempdir().unwrap() };
        let entry = |name: &str, server: &str| {
            (json!({"name": name, "cluster": {"server": server}}), json!({"name": name, "context": {"cluster": name}}))
        };
        let entries = [
            entry("stirring", &clusters.stirring.url()),
            entry("calm", &clusters.calm.url()),
            entry("broken", "http://127.0.0.1:1"),
        ];
        let (of_clusters, contexts): (Vec<Value>, Vec<Value>) = entries.into_iter().unzip();
        let config = json!({"apiVersion": "v1", "kind": "Config", "clusters": of_clusters, "contexts": contexts});
        std::fs::write(clusters.config(), config.to_string()).unwrap();
        clusters
    }

    fn config(&self) -> PathBuf {
        self.directory.path().join("config")
    }

    async fn run(&self, arguments: &[&str]) -> Finished {
        let config = self.config().display().to_string();
        let all: Vec<String> = arguments.iter().chain(&["--kubeconfig", &config]).map(ToString::to_string).collect();
        let run = move || {
            let all: Vec<&str> = all.iter().map(String::as_str).collect();
            Run::new(&all).finish()
        };
        tokio::task::spawn_blocking(run).await.unwrap()
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn each_context_has_a_section_and_all_have_a_summary() {
    let clusters = Clusters::start().await;
    let several = clusters.run(&["predict", "-A", "--contexts", "stirring,calm"]).await;
    let (stirring, calm) = (
        clusters.run(&["predict", "-A", "--context", "stirring"]).await,
        clusters.run(&["predict", "-A", "--context", "calm"]).await,
    );
    let expected = format!(
        "==> stirring <==\n{}\n==> calm <==\n{}\n==> all contexts <==\n\
         CONTEXT    VOLUMES   CLAIMS   CHANGES   UNKNOWN   RESULT\n\
         stirring   2         0        1         0         judged\n\
         calm       1         0        0         0         judged\n",
        stirring.stdout, calm.stdout
    );
    assert_eq!(several.stdout, expected);
    assert_eq!((several.code, several.stderr.as_str()), (Some(0), ""));
    assert!(stirring.stdout.contains("pv/new") && calm.stdout.contains("pv/resting"));
    // A change in one cluster sets the exit code for all.
    let arguments = ["predict", "-A", "--exit-code", "--no-headers", "--contexts"];
    let calm = clusters.run(&[&arguments[..], &["calm,calm"]].concat()).await;
    assert_eq!(calm.code, Some(0), "{}", calm.stderr);
    assert_eq!(calm.stdout.matches("==> calm <==").count(), 1, "{}", calm.stdout);
    assert!(!calm.stdout.contains("RESULT"), "{}", calm.stdout);
    assert_eq!(clusters.run(&[&arguments[..], &["calm,stirring"]].concat()).await.code, Some(1));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_broken_cluster_does_not_hide_the_others() {
    let clusters = Clusters::start().await;
    let all = clusters.run(&["predict", "-A", "--exit-code", "--contexts", "all"]).await;
    assert_eq!(all.code, Some(3), "{}", all.stderr);
    let sections: Vec<&str> = all.stdout.lines().filter(|line| line.starts_with("==> ")).collect();
    assert_eq!(sections, ["==> broken <==", "==> calm <==", "==> stirring <==", "==> all contexts <=="]);
    assert!(all.stdout.contains("pv/new") && all.stdout.contains("pv/resting"), "{}", all.stdout);
    let broken: Vec<&str> = all.stdout.lines().filter(|line| line.starts_with("broken ")).collect();
    assert!(broken.len() == 1 && broken[0].starts_with("broken     -         -        -         -         "));
    assert!(broken[0].contains("http://127.0.0.1:1"), "{}", broken[0]);
    assert!(all.stderr.starts_with("[broken] error: "), "{}", all.stderr);
    // Each message on stderr begins with the name of its context.
    clusters.calm.fail("/apis/storage.k8s.io/v1/storageclasses", 9, Fault::Refused(403, "you may not"));
    let warned = clusters.run(&["predict", "-A", "--contexts", "calm"]).await;
    assert!(warned.stderr.starts_with("[calm] warning: storageclasses cannot be listed"), "{}", warned.stderr);
}

#[tokio::test(flavor = "multi_thread")]
async fn clusters_are_read_at_the_same_time() {
    let clusters = Clusters::start().await;
    let late = Duration::from_secs(3);
    for fake in [&clusters.calm, &clusters.stirring] {
        fake.fail("/api/v1/persistentvolumes", 1, Fault::Slow(late));
    }
    let before = Instant::now();
    let both = clusters.run(&["predict", "-A", "--contexts", "calm,stirring"]).await;
    assert_eq!(both.code, Some(0), "{}", both.stderr);
    assert!((late..2 * late).contains(&before.elapsed()), "{:?}", before.elapsed());
}

/// If the reader closes the pipe, the run does not wait for the clusters that have not answered yet.
#[tokio::test(flavor = "multi_thread")]
async fn a_reader_that_stops_reading_waits_for_no_cluster() {
    let clusters = Clusters::start().await;
    clusters.stirring.fail("/api/v1/persistentvolumes", 2, Fault::Slow(Duration::from_secs(20)));
    for format in ["table", "json"] {
        let script = format!(
            "'{BINARY}' predict -A --contexts calm,broken,stirring -o {format} --kubeconfig '{}' | true; \
             echo \"${{PIPESTATUS[0]}}\"",
            clusters.config().display()
        );
        let before = Instant::now();
        let run = move || Run::of(Path::new("/bin/bash"), &["-c", &script]).finish();
        let run = tokio::task::spawn_blocking(run).await.unwrap();
        assert_eq!(run.stdout, "0\n", "{}", run.stderr);
        assert!(before.elapsed() < Duration::from_secs(15), "{:?}", before.elapsed());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_document_holds_those_of_the_clusters() {
    let clusters = Clusters::start().await;
    let schema: Value = serde_json::from_str(&text("docs/schema/ContextList.json")).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let all = clusters.run(&["predict", "-A", "-o", "json", "--contexts", "all"]).await;
    assert_eq!(all.code, Some(3));
    let document: Value = serde_json::from_str(&all.stdout).unwrap();
    let faults: Vec<String> = validator.iter_errors(&document).map(|fault| fault.to_string()).collect();
    assert!(faults.is_empty(), "{faults:?}");
    assert_eq!(
        document["summary"],
        json!({
            "contexts": 3, "failed": 1, "volumes": 3, "claims": 0, "changes": 1, "unknown": 0
        })
    );
    let items = document["items"].as_array().unwrap();
    assert_eq!(
        items.iter().map(|item| item["context"].as_str().unwrap()).collect::<Vec<_>>(),
        ["broken", "calm", "stirring"]
    );
    assert_eq!(items.iter().map(|item| item["exitCode"].as_u64().unwrap()).collect::<Vec<_>>(), [3, 0, 0]);
    assert!(items[0]["error"]["message"].as_str().unwrap().contains("http://127.0.0.1:1"), "{}", items[0]);
    assert_eq!(items[0].get("answer"), None);
    for (item, context) in items.iter().zip(["broken", "calm", "stirring"]).skip(1) {
        let alone = clusters.run(&["predict", "-A", "-o", "json", "--context", context]).await;
        assert_eq!(item["answer"], serde_json::from_str::<Value>(&alone.stdout).unwrap(), "{context}");
    }
    let yaml = clusters.run(&["predict", "-A", "-o", "yaml", "--contexts", "all"]).await;
    assert_eq!(serde_yaml::from_str::<Value>(&yaml.stdout).unwrap(), document);
}

#[tokio::test(flavor = "multi_thread")]
async fn flags_for_one_cluster_are_refused_with_several_contexts() {
    let clusters = Clusters::start().await;
    let refused = async |arguments: &[&str], part: &str| {
        let run = clusters.run(arguments).await;
        assert_eq!((run.code, run.stdout.as_str()), (Some(2), ""), "{arguments:?}: {}", run.stderr);
        assert!(run.stderr.contains(part), "{arguments:?}: {}", run.stderr);
    };
    refused(&["predict", "--contexts", "calm,clam"], "context \"clam\" does not exist").await;
    refused(&["predict", "--contexts", "calm", "-o", "name"], "-o name cannot say to which cluster").await;
    refused(&["predict", "--contexts", "calm", "--sort-by", "SIZE"], "there is no column \"SIZE\"").await;
    refused(&["predict", "--contexts", ""], "--contexts").await;
    refused(&["predict", "--contexts", "calm", "-f", "x.json"], "--filename").await;
    for flag in ["--context", "--cluster", "--server", "--user", "--token", "--tls-server-name"] {
        refused(&[flag, "calm", "predict", "--contexts", "calm"], flag).await;
        refused(&["predict", "--contexts", "calm", flag, "calm"], flag).await;
    }
    assert!(clusters.calm.seen().is_empty(), "no request must reach a cluster");
    let empty = clusters.directory.path().join("none");
    let run =
        Run::new(&["predict", "--contexts", "all"]).current_dir(root()).env("KUBECONFIG", empty.to_str().unwrap());
    let run = run.finish();
    assert_eq!(run.code, Some(3), "{}", run.stderr);
    assert!(run.stderr.starts_with("error: there is no kubeconfig"), "{}", run.stderr);
}
