//! The verbs that repair, as people type them, on an API server in this process. The tests check what is refused before
//! anything is written, which plan files are accepted, and how journals are continued or undone.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "the test writes plan files, looks at journals, and controls a running process"
)]

mod asked;
mod detach;
mod files;
mod fix;
mod reconnect;
mod stopped;
mod undo;

use crate::support::api::{ApiServer, Seen, Store};
use crate::support::{Finished, Run};
use pvctl::model::{Kind, ObjectKey};
use serde_json::{Value, json};
use std::io::Read as _;
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::Duration;

/// Returns a volume with this policy whose claim is gone.
pub(crate) fn released(name: &str, policy: &str) -> Value {
    json!({
        "apiVersion": "v1", "kind": "PersistentVolume",
        "metadata": {"name": name, "uid": format!("uid-{name}"), "resourceVersion": "10",
            "creationTimestamp": "2026-06-01T00:00:00Z"},
        "spec": {
            "capacity": {"storage": "1Gi"}, "accessModes": ["ReadWriteOnce"], "storageClassName": "fast",
            "persistentVolumeReclaimPolicy": policy, "volumeMode": "Filesystem",
            "csi": {"driver": "d.example.com", "volumeHandle": name, "volumeAttributes": {"password": "s3cret"}},
            "claimRef": {"kind": "PersistentVolumeClaim", "apiVersion": "v1", "namespace": "db", "name": "data",
                "uid": "uid-gone", "resourceVersion": "3"}
        },
        "status": {"phase": "Released"}
    })
}

pub(crate) fn bound(namespace: &str, name: &str, volume: &str) -> [Value; 2] {
    let mut held = released(volume, "Delete");
    held["spec"]["claimRef"] = json!({"kind": "PersistentVolumeClaim", "apiVersion": "v1", "namespace": namespace,
        "name": name, "uid": format!("uid-{name}")});
    held["status"]["phase"] = "Bound".into();
    held["metadata"]["annotations"] = json!({"pv.kubernetes.io/bound-by-controller": "yes"});
    held["metadata"]["finalizers"] = json!(["kubernetes.io/pv-protection"]);
    let claim = json!({
        "apiVersion": "v1", "kind": "PersistentVolumeClaim",
        "metadata": {"namespace": namespace, "name": name, "uid": format!("uid-{name}"), "resourceVersion": "11",
            "finalizers": ["kubernetes.io/pvc-protection"],
            "annotations": {"pv.kubernetes.io/bind-completed": "yes", "pv.kubernetes.io/bound-by-controller": "yes",
                "example.com/note": "t0psecret"}},
        "spec": {"accessModes": ["ReadWriteOnce"], "storageClassName": "fast", "volumeName": volume,
            "volumeMode": "Filesystem", "resources": {"requests": {"storage": "1Gi"}}},
        "status": {"phase": "Bound", "capacity": {"storage": "1Gi"}, "accessModes": ["ReadWriteOnce"]}
    });
    [held, claim]
}

fn around() -> Vec<Value> {
    let namespaces = ["db", "web", "default"];
    let namespaces = namespaces.map(|name| {
        json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name, "uid": name, "creationTimestamp": "2026-01-01T00:00:00Z"},
            "status": {"phase": "Active"}})
    });
    let class = json!({
        "apiVersion": "storage.k8s.io/v1", "kind": "StorageClass", "metadata": {"name": "fast", "uid": "fast"},
        "provisioner": "d.example.com", "reclaimPolicy": "Delete", "volumeBindingMode": "Immediate"
    });
    namespaces.into_iter().chain([class]).collect()
}

/// Acts in place of the controllers, immediately. Deleted objects are removed. A Released volume without a uid in its
/// claimRef becomes Available. An Available volume with a uid in its claimRef becomes Released.
fn controllers(store: &mut Store, seen: &Seen) {
    if seen.method == "DELETE"
        && let Some(deleted) = store.history.last().map(|moment| moment.key.clone())
    {
        store.put(&deleted, None, "kube-controller-manager");
        return;
    }
    let volumes: Vec<(ObjectKey, Value)> =
        store.all(Kind::PersistentVolume, "").map(|(key, volume)| (key.clone(), volume.clone())).collect();
    for (key, mut volume) in volumes {
        let named = !volume["spec"]["claimRef"]["uid"].is_null();
        let phase = match volume["status"]["phase"].as_str() {
            Some("Released") if !named => "Available",
            Some("Available") if named => "Released",
            _ => continue,
        };
        volume["status"]["phase"] = phase.into();
        store.put(&key, Some(volume), "kube-controller-manager");
    }
}

pub(crate) async fn cluster(objects: impl IntoIterator<Item = Value>) -> ApiServer {
    let fake = ApiServer::start().await.playing(controllers);
    fake.hold(around());
    fake.hold(objects);
    fake
}

/// Runs the program on this API server, with its journals in this directory and `input` on stdin.
pub(crate) async fn with(fake: &ApiServer, journals: &Path, input: &str, arguments: &[&str]) -> Finished {
    let mut words: Vec<String> = arguments.iter().map(|&word| word.to_owned()).collect();
    words.extend(["--server".to_owned(), fake.url()]);
    let (state, input) = (journals.to_str().unwrap().to_owned(), input.to_owned());
    let run = move || {
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        Run::new(&words).env("XDG_STATE_HOME", &state).stdin(input.as_bytes()).finish()
    };
    tokio::task::spawn_blocking(run).await.unwrap()
}

async fn run(fake: &ApiServer, arguments: &[&str]) -> Finished {
    let directory = tempfile::tempdir().unwrap();
    with(fake, directory.path(), "", arguments).await
}

/// A run of the program during which the test acts.
pub(crate) struct Running {
    child: Child,
    _home: tempfile::TempDir,
}

impl Running {
    pub(crate) fn start(fake: &ApiServer, journals: &Path, arguments: &[&str]) -> Self {
        Self::start_onto(fake, journals, arguments, Stdio::piped())
    }

    fn start_onto(fake: &ApiServer, journals: &Path, arguments: &[&str], stdout: Stdio) -> Self {
        let url = fake.url();
        let words = [arguments, &["--server", &url]].concat();
        let (mut command, home) = Run::new(&words).env("XDG_STATE_HOME", journals.to_str().unwrap()).into_command();
        let child = command.stdin(Stdio::null()).stdout(stdout).stderr(Stdio::piped()).spawn().unwrap();
        Self { child, _home: home }
    }

    /// Waits until `count` writes have arrived.
    pub(crate) async fn until_writes(fake: &ApiServer, count: usize) {
        for _ in 0..600 {
            if fake.writes().len() >= count {
                return;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        assert_eq!(fake.writes().len(), count, "the expected number of writes did not arrive");
    }

    /// Sends the signal of Ctrl-C, and gives the program half a second to receive it.
    async fn interrupt(&self) {
        let kill = format!("kill -INT {}", self.child.id());
        let sent = Run::of(Path::new("/bin/sh"), &["-c", &kill]).finish();
        assert_eq!(sent.code, Some(0), "{}", sent.stderr);
        tokio::time::sleep(Duration::from_millis(500)).await;
    }

    pub(crate) async fn end(mut self) -> Finished {
        let wait = move || {
            let (mut stdout, mut stderr) = (String::new(), String::new());
            if let Some(mut stream) = self.child.stdout.take() {
                stream.read_to_string(&mut stdout).unwrap();
            }
            self.child.stderr.take().unwrap().read_to_string(&mut stderr).unwrap();
            Finished { stdout, stderr, code: self.child.wait().unwrap().code() }
        };
        tokio::task::spawn_blocking(wait).await.unwrap()
    }
}

/// Returns a claim that waits for a volume.
pub(crate) fn waiting(name: &str) -> Value {
    json!({
        "apiVersion": "v1", "kind": "PersistentVolumeClaim",
        "metadata": {"namespace": "db", "name": name, "uid": format!("uid-{name}"), "resourceVersion": "12",
            "finalizers": ["kubernetes.io/pvc-protection"]},
        "spec": {"accessModes": ["ReadWriteOnce"], "storageClassName": "fast", "volumeMode": "Filesystem",
            "resources": {"requests": {"storage": "1Gi"}}},
        "status": {"phase": "Pending"}
    })
}

/// Returns the id of the newest journal.
pub(crate) async fn newest(fake: &ApiServer, journals: &Path) -> String {
    let listed = with(fake, journals, "", &["history", "-o", "json"]).await;
    let history: Value = serde_json::from_str(&listed.stdout).unwrap();
    history["items"][0]["id"].as_str().unwrap().to_owned()
}

/// Runs the program. Asserts that it ended with this exit code, wrote nothing to the cluster and left no journal.
pub(crate) async fn refused(fake: &ApiServer, code: i32, arguments: &[&str]) -> Finished {
    let directory = tempfile::tempdir().unwrap();
    let ended = with(fake, directory.path(), "", arguments).await;
    assert_eq!(ended.code, Some(code), "{arguments:?}: {}{}", ended.stdout, ended.stderr);
    assert!(fake.writes().is_empty(), "{arguments:?}: {:?}", fake.writes());
    assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 0, "{arguments:?} must not leave a journal");
    ended
}

/// Returns a release that stopped at its second step, because another client wrote between the dry run and the write of
/// this step.
pub(crate) async fn stopped_at_second_step(journals: &Path) -> (ApiServer, Finished) {
    let fake = cluster([released("data", "Delete")]).await;
    fake.refuse_write(1, 409, "the object has been modified");
    let stopped = with(&fake, journals, "", &["release", "pv/data", "--yes"]).await;
    assert_eq!((stopped.code, fake.writes().len()), (Some(5), 2), "{}{}", stopped.stdout, stopped.stderr);
    (fake, stopped)
}

/// Acts as the controller for the volume `disk` and the claim `data`, until the task is aborted. A Bound volume whose
/// claim is gone becomes Released. A Pending claim is bound to a volume whose claimRef has no uid.
pub(crate) fn play(fake: &ApiServer) -> tokio::task::JoinHandle<()> {
    let fake = fake.clone();
    tokio::spawn(async move {
        for turn in 0_u32.. {
            tokio::time::sleep(Duration::from_millis(20)).await;
            let Some(mut volume) = fake.object("PersistentVolume", "disk") else { continue };
            let version = |object: &mut Value| object["metadata"]["resourceVersion"] = format!("played-{turn}").into();
            match fake.object("PersistentVolumeClaim", "data") {
                None if volume["status"]["phase"] == "Bound" => {
                    volume["status"]["phase"] = "Released".into();
                    version(&mut volume);
                    fake.replace(volume);
                }
                Some(mut claim)
                    if claim["status"]["phase"] == "Pending" && volume["spec"]["claimRef"]["uid"].is_null() =>
                {
                    volume["spec"]["claimRef"]["uid"] = claim["metadata"]["uid"].clone();
                    volume["status"]["phase"] = "Bound".into();
                    claim["status"]["phase"] = "Bound".into();
                    claim["metadata"]["annotations"]["pv.kubernetes.io/bind-completed"] = "yes".into();
                    version(&mut volume);
                    version(&mut claim);
                    fake.replace(volume);
                    fake.replace(claim);
                }
                None | Some(_) => {}
            }
        }
    })
}
