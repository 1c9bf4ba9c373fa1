//! A command line without a verb says what is not well in the namespace. `predict --stuck` lists the same objects.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use crate::support::api::ApiServer;
use crate::support::faults::Fault;
use crate::support::{Finished, Run};
use serde_json::{Value, json};

fn claim(namespace: &str, name: &str, spec: &Value, phase: &str) -> Value {
    let mut claim = json!({
        "apiVersion": "v1", "kind": "PersistentVolumeClaim",
        "metadata": {
            "namespace": namespace, "name": name, "uid": format!("uid-{name}"), "resourceVersion": "7",
            "creationTimestamp": "2023-11-01T00:00:00Z",
        },
        "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}},
        "status": {"phase": phase}
    });
    for (key, value) in spec.as_object().unwrap() {
        claim["spec"][key] = value.clone();
    }
    claim
}

async fn run(api: &ApiServer, arguments: &[&str]) -> Finished {
    let mut all: Vec<String> = arguments.iter().map(ToString::to_string).collect();
    all.extend(["--server".to_owned(), api.url()]);
    let work = move || Run::new(&all.iter().map(String::as_str).collect::<Vec<_>>()).env("COLUMNS", "80").finish();
    tokio::task::spawn_blocking(work).await.unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_command_line_without_a_verb_shows_what_is_not_well() {
    let api = ApiServer::start().await;
    let mut lost = claim("db", "lost", &json!({"volumeName": "gone"}), "Lost");
    lost["metadata"]["annotations"] = json!({"pv.kubernetes.io/bind-completed": "yes"});
    api.hold([
        claim("db", "typo", &json!({"storageClassName": "fasd"}), "Pending"),
        claim("db", "typo-2", &json!({"storageClassName": "fasd"}), "Pending"),
        lost,
        claim("web", "other", &json!({"storageClassName": "fasd"}), "Pending"),
    ]);
    let seen = run(&api, &["-n", "db"]).await;
    assert_eq!((seen.code, seen.stderr.as_str()), (Some(0), ""));
    let text = &seen.stdout;
    assert!(
        text.starts_with("3 problems with the 3 claims and 0 volumes of namespace db:\n\nClaim db/lost is Lost: "),
        "{text}"
    );
    for command in ["explain pvc/lost -n db", "explain pvc/typo -n db", "audit -n db", "fix -n db"] {
        assert!(text.contains(&format!("kubectl pvctl {command}\n")), "{command} is not in {text}");
    }
    assert!(!text.contains("web"), "{text}");
    let blocks: Vec<&str> = text.split("\n\n").filter(|block| block.starts_with("Claim ")).collect();
    assert!(blocks.len() == 3 && blocks.iter().all(|block| block.lines().count() <= 3), "{text}");
    let stuck = run(&api, &["predict", "--stuck", "-n", "db", "-o", "name"]).await.stdout;
    assert_eq!(stuck.lines().count(), 3, "{stuck}");
    let well = run(&api, &["-n", "empty"]).await.stdout;
    assert!(well.starts_with("Nothing is wrong with the 0 claims and 0 volumes of namespace empty.\n"), "{well}");
}

/// If the server does not answer, the program says so once.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_that_does_not_answer_is_named_after_three_seconds() {
    let api = ApiServer::start().await;
    api.fail("/", usize::MAX, Fault::SilentBefore);
    let ended = run(&api, &["predict", "-n", "db", "--request-timeout", "4s"]).await;
    assert_eq!((ended.code, ended.stdout.as_str()), (Some(3), ""));
    let note = "note: the server has not answered for 3 seconds; Ctrl-C ends the run\n";
    assert_eq!(ended.stderr.matches(note).count(), 1, "{}", ended.stderr);
}
