//! The verbs that repair, as they are typed, on an API server in this process: what is refused before anything is
//! written, what a plan file has to be, and what a journal leads to.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "the test writes plan files, looks at journals, and does things to a process that runs"
)]

use crate::project::schema::{assert_valid, validator};
use crate::support::fake_api::{Answer, FakeApi};
use crate::support::{Finished, Run};
use pvctl::repair::{Plan, StableHash};
use serde_json::{Value, json};
use std::io::Read as _;
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::Duration;

/// A volume whose claim is gone, kept by its policy or not.
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

pub(crate) async fn cluster(objects: impl IntoIterator<Item = Value>) -> FakeApi {
    let fake = FakeApi::start().await;
    fake.hold(around());
    fake.hold(objects);
    fake
}

/// Runs the program on that API server, with its journals in that directory and this on stdin.
pub(crate) async fn with(fake: &FakeApi, journals: &Path, input: &str, arguments: &[&str]) -> Finished {
    let mut words: Vec<String> = arguments.iter().map(|&word| word.to_owned()).collect();
    words.extend(["--server".to_owned(), fake.url()]);
    let (state, input) = (journals.to_str().unwrap().to_owned(), input.to_owned());
    let run = move || {
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        Run::new(&words).env("XDG_STATE_HOME", &state).stdin(input.as_bytes()).finish()
    };
    tokio::task::spawn_blocking(run).await.unwrap()
}

async fn run(fake: &FakeApi, arguments: &[&str]) -> Finished {
    let directory = tempfile::tempdir().unwrap();
    with(fake, directory.path(), "", arguments).await
}

/// A run that something is done to before it ends.
pub(crate) struct Running {
    child: Child,
    _home: tempfile::TempDir,
}

impl Running {
    pub(crate) fn start(fake: &FakeApi, journals: &Path, arguments: &[&str]) -> Self {
        Self::start_onto(fake, journals, arguments, Stdio::piped())
    }

    fn start_onto(fake: &FakeApi, journals: &Path, arguments: &[&str], stdout: Stdio) -> Self {
        let url = fake.url();
        let words = [arguments, &["--server", &url]].concat();
        let (mut command, home) = Run::new(&words).env("XDG_STATE_HOME", journals.to_str().unwrap()).into_command();
        let child = command.stdin(Stdio::null()).stdout(stdout).stderr(Stdio::piped()).spawn().unwrap();
        Self { child, _home: home }
    }

    /// Until so many writes have arrived.
    pub(crate) async fn until_writes(fake: &FakeApi, count: usize) {
        for _ in 0..600 {
            if fake.writes().len() >= count {
                return;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        assert_eq!(fake.writes().len(), count, "the write never came");
    }

    /// What Ctrl-C does, once it has arrived.
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

/// A claim that waits for a volume.
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

/// The id of the newest journal.
pub(crate) async fn newest(fake: &FakeApi, journals: &Path) -> String {
    let listed = with(fake, journals, "", &["history", "-o", "json"]).await;
    let history: Value = serde_json::from_str(&listed.stdout).unwrap();
    history["items"][0]["id"].as_str().unwrap().to_owned()
}

/// Nothing was written: not to the cluster, and no journal.
pub(crate) async fn refused(fake: &FakeApi, code: i32, arguments: &[&str]) -> Finished {
    let directory = tempfile::tempdir().unwrap();
    let ended = with(fake, directory.path(), "", arguments).await;
    assert_eq!(ended.code, Some(code), "{arguments:?}: {}{}", ended.stdout, ended.stderr);
    assert!(fake.writes().is_empty(), "{arguments:?}: {:?}", fake.writes());
    assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 0, "{arguments:?} left a journal");
    ended
}

/// Words that are wrong are told from each other before any cluster is asked.
#[test]
fn wrong_words_are_usage() {
    let long = "a".repeat(254);
    let label = "n".repeat(64);
    let cases: [(&[&str], &str); 24] = [
        (&["retain"], "required"),
        (&["release", "pvc/data"], "this takes pv/NAME"),
        (&["retain", "pv/Data"], "\"Data\" is no name of an object"),
        (&["retain", &format!("pv/{long}")], "is no name of an object"),
        (&["retain", "pv/-a"], "\"-a\" is no name"),
        (&["retain", "pv/a..b"], "\"a..b\" is no name"),
        (&["retain", "pv/a%2f..%2fb"], "is no name of an object"),
        (&["retain", "pv/data", "-A"], "-A and -l do not go with it"),
        (&["retain", "pv/data", "-f", "x.yaml"], "unexpected argument '-f'"),
        (&["retain", "pv/data", "--dry-run=maybe"], "--dry-run"),
        (&["retain", "pv/data", "--timeout", "0s"], "longer than nothing"),
        (&["retain", "pv/data", "-o", "yaml", "--yes"], "cannot be used with"),
        (&["retain", "pv/data", "-o", "wide"], "text, json, yaml"),
        (&["release", "pv/data", "--reserve-for", "data"], "no NAMESPACE/NAME"),
        (&["release", "pv/data", "--reserve-for", "DB/data"], "no name of a namespace"),
        (&["release", "pv/data", "--reserve-for", "db/data", "--to-anyone"], "cannot be used with"),
        (&["restore", "pvc/data", "-n", &label], "no name of a namespace"),
        (&["restore", "pvc/data", "--from", "pvc/other"], "--from: this takes pv/NAME"),
        (&["recreate", "pvc/data", "--set", "size=lots"], "\"lots\" is no size"),
        (&["recreate", "pvc/data", "--set", "colour=red"], "the keys are class (or storageClassName), size"),
        (&["recreate", "pvc/data", "--set", "class=a", "--set", "class=b"], "--set class is given twice"),
        (&["recreate", "pvc/data", "--set", "modes=RWO,Sometimes"], "\"Sometimes\" is no access mode"),
        (&["rename", "pvc/data"], "the new name is missing"),
        (&["apply"], "FILE"),
    ];
    for (words, said) in cases {
        let ended = Run::new(&[words, &["--server", "http://127.0.0.1:1"]].concat()).finish();
        assert_eq!((ended.code, ended.stdout.as_str()), (Some(2), ""), "{words:?}: {}", ended.stderr);
        assert!(ended.stderr.contains(said), "{words:?}: {}", ended.stderr);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_object_that_is_not_there_is_usage_and_its_neighbour_is_offered() {
    let fake = cluster([released("data", "Retain")]).await;
    let ended = refused(&fake, 2, &["release", "pv/dta", "--yes"]).await;
    assert!(ended.stderr.contains("did you mean pv/data?"), "{}", ended.stderr);
}

/// Without a terminal and without --yes nothing is written, and it is said how to go on.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn without_anybody_to_agree_nothing_is_written() {
    let fake = cluster([released("data", "Retain")]).await;
    let ended = refused(&fake, 6, &["release", "pv/data"]).await;
    assert!(ended.stdout.contains("set spec.claimRef of pv/data to db/data, without a uid"), "{}", ended.stdout);
    assert!(ended.stderr.contains("no terminal to ask on: nothing was written"), "{}", ended.stderr);
    assert!(ended.stderr.contains("hint: --yes agrees"), "{}", ended.stderr);
    // Where data are given away, the name has to be typed as well.
    let ended = refused(&fake, 6, &["release", "pv/data", "--to-anyone", "--yes"]).await;
    assert!(ended.stderr.contains("--confirm data types the name"), "{}", ended.stderr);
    let ended = refused(&fake, 6, &["release", "pv/data", "--to-anyone", "--yes", "--confirm", "dta"]).await;
    assert!(ended.stderr.contains("what was typed is not data"), "{}", ended.stderr);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn rights_that_are_missing_and_guards_that_fail_refuse() {
    let fake = cluster([released("data", "Retain")]).await;
    fake.deny("patch");
    let ended = refused(&fake, 6, &["release", "pv/data", "--yes"]).await;
    assert!(ended.stderr.contains("you may not: patch persistentvolumes data"), "{}", ended.stderr);
    assert!(ended.stderr.contains("(rights)"), "{}", ended.stderr);

    let used = json!({
        "apiVersion": "v1", "kind": "Pod", "metadata": {"namespace": "db", "name": "web-0", "uid": "p"},
        "spec": {"nodeName": "n1", "volumes": [{"name": "v", "persistentVolumeClaim": {"claimName": "data"}}]},
        "status": {"phase": "Running"}
    });
    let fake = cluster(bound("db", "data", "disk").into_iter().chain([used])).await;
    let ended = refused(&fake, 6, &["move", "pvc/data", "-n", "db", "--to-namespace", "web", "--yes"]).await;
    assert!(ended.stderr.contains("pods use claim db/data: web-0"), "{}", ended.stderr);

    // A list that cannot be read is no empty list.
    let fake = cluster(bound("db", "data", "disk")).await;
    fake.fail("/api/v1/namespaces/db/pods", usize::MAX, Answer::Status(403, "no pods for you"));
    let ended = refused(&fake, 6, &["move", "pvc/data", "-n", "db", "--to-namespace", "web", "--yes"]).await;
    assert!(ended.stderr.contains("the pods of namespace db could not be listed"), "{}", ended.stderr);

    // The API server tries the first write.
    let fake = cluster([released("data", "Retain")]).await;
    let path = "/api/v1/persistentvolumes/data?fieldManager=kubectl-pvctl&dryRun=All";
    fake.fail(path, usize::MAX, Answer::Status(403, "admission webhook says no"));
    let ended = refused(&fake, 6, &["release", "pv/data", "--yes"]).await;
    assert!(ended.stderr.contains("admission webhook says no"), "{}", ended.stderr);
}

/// The pods that may erase a volume are looked at whichever way it is named, and whatever its policy and phase are.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_pods_of_recyclers_are_read_for_every_repair_that_asks_for_them() {
    let on_nfs = |mut volume: Value| {
        let spec = volume["spec"].as_object_mut().unwrap();
        spec.remove("csi");
        spec.insert("nfs".into(), json!({"server": "files.example.com", "path": "/a"}));
        volume
    };
    for policy in ["Delete", "Recycle", "Retain"] {
        for phase in ["Released", "Available"] {
            for nfs in [true, false] {
                let mut volume = released("pv-1", policy);
                if nfs {
                    volume = on_nfs(volume);
                }
                if phase == "Available" {
                    volume["spec"]["claimRef"].as_object_mut().unwrap().remove("uid");
                }
                volume["status"]["phase"] = phase.into();
                let fake = cluster([volume]).await;
                for arguments in [
                    &["restore", "pvc/data", "-n", "db"][..],
                    &["restore", "pvc/data", "-n", "db", "--from", "pv/pv-1"],
                    &["release", "pv/pv-1"],
                ] {
                    let finished = run(&fake, &[arguments, &["--dry-run=client"]].concat()).await;
                    let said = [finished.stdout.as_str(), &finished.stderr].concat();
                    assert_eq!(finished.code, Some(0), "{policy} {phase} {nfs} {arguments:?}: {said}");
                    assert!(!said.contains("could not be listed"), "{policy} {phase} {nfs} {arguments:?}: {said}");
                }
            }
        }
    }
    // The controller may begin to erase a volume once its claim goes.
    let [held, claim] = bound("db", "data", "pv-1");
    let mut held = on_nfs(held);
    held["spec"]["persistentVolumeReclaimPolicy"] = "Recycle".into();
    let fake = cluster([held, claim]).await;
    let finished = run(&fake, &["move", "pvc/data", "-n", "db", "--to-namespace", "web", "--dry-run=client"]).await;
    assert_eq!(finished.code, Some(0), "{}{}", finished.stdout, finished.stderr);
    assert!(finished.stdout.contains("no pod recycler-for-pv-1 is seen in namespace default"), "{}", finished.stdout);
}

/// `fix` of a script: what is safe is done once, and a refusal is one.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn fix_repairs_what_is_safe_and_says_what_is_refused() {
    let fake = cluster([released("data", "Retain")]).await;
    let ended = refused(&fake, 6, &["fix", "pv/data"]).await;
    assert!(ended.stdout.contains("release: volume data is offered again, to claim db/data alone (safe)"));
    assert!(ended.stderr.contains("no terminal to ask on: nothing was written"), "{}", ended.stderr);
    let ended = refused(&fake, 0, &["fix", "pv/data", "--yes", "--only", "lost-*"]).await;
    assert_eq!(ended.stdout, "Nothing is wrong that the rules of --only look for.\n");

    let ended = run(&fake, &["fix", "pv/data", "--yes"]).await;
    assert_eq!(ended.code, Some(0), "{}{}", ended.stdout, ended.stderr);
    assert_eq!(fake.writes().len(), 1);
    assert!(ended.stderr.ends_with("\n1 finding repaired, 0 left\n"), "{}", ended.stderr);
    let again = run(&fake, &["fix", "pv/data", "--yes"]).await;
    assert_eq!((again.code, fake.writes().len()), (Some(0), 1), "{}{}", again.stdout, again.stderr);

    let fake = cluster([released("data", "Retain")]).await;
    fake.deny("patch");
    let ended = refused(&fake, 1, &["fix", "pv/data", "--yes"]).await;
    assert!(ended.stderr.contains("you may not: patch persistentvolumes data"), "{}", ended.stderr);
    let left = "left: pv-released-retain on pv/data\n0 findings repaired, 1 left\n";
    assert!(ended.stderr.ends_with(left), "{}", ended.stderr);
}

/// Where fix has nothing to do it says why: because nothing is wrong, because it cannot, or because it cannot know.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn fix_without_a_repair_says_so() {
    let fake = cluster(bound("db", "data", "disk").map(|mut object| {
        if object["kind"] == "PersistentVolume" {
            object["metadata"]["annotations"]["pv.kubernetes.io/provisioned-by"] = json!("d.example.com");
        }
        object
    }))
    .await;
    let ended = refused(&fake, 0, &["fix", "pvc/data", "-n", "db"]).await;
    assert_eq!(ended.stdout, "Nothing is wrong that fix knows of.\n");
    assert!(!ended.stderr.contains("left"), "{}", ended.stderr);

    let mut lonely = waiting("late");
    lonely["spec"]["storageClassName"] = "gone".into();
    let fake = cluster([lonely]).await;
    for words in [&["fix", "pvc/late", "-n", "db"][..], &["fix", "pvc/late", "-n", "db", "--yes"]] {
        let ended = refused(&fake, 1, words).await;
        let said = "left: pvc-class-not-found on pvc/late -n db\n\
                    0 findings repaired, 1 left: fix has no repair for what is left\n";
        assert!(ended.stderr.ends_with(said), "{}", ended.stderr);
    }

    let fake = cluster([]).await;
    fake.fail("/api/v1/persistentvolumes?", usize::MAX, Answer::Status(403, "no volumes for you"));
    let ended = refused(&fake, 3, &["fix", "-n", "db"]).await;
    assert_eq!(ended.stdout, "Nothing is wrong that fix knows of, as far as it could be read.\n");
    assert!(ended.stderr.contains("warning: persistentvolumes may not be listed"), "{}", ended.stderr);
}

/// `audit` and `explain` say of `fix` where it has a repair, and only of a cluster.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_can_be_repaired_is_said_with_the_command() {
    let fake = cluster([released("data", "Retain")]).await;
    let url = fake.url();
    for (words, said) in [
        (&["audit", "-A"][..], format!("fix has 1 repair for these: kubectl pvctl fix -A --server {url}\n")),
        (&["audit", "-n", "db"], format!("fix has 1 repair for these: kubectl pvctl fix -n db --server {url}\n")),
        (
            &["audit", "-A", "-o", "wide", "-l", "!tier"],
            format!("fix has 1 repair for these: kubectl pvctl fix OBJECT -A --server {url}\n"),
        ),
        (&["explain", "pv/data"], format!("kubectl pvctl fix pv/data --server {url} proposes a repair\n")),
    ] {
        let ended = run(&fake, words).await;
        assert!(ended.stderr.replace("\n  ", " ").ends_with(&said), "{words:?}: {}", ended.stderr);
    }
    for words in
        [&["audit", "-A", "-o", "json"][..], &["audit", "-A", "-o", "markdown"], &["explain", "pv/data", "-o", "json"]]
    {
        let ended = run(&fake, words).await;
        assert!(!(ended.stdout + &ended.stderr).contains("pvctl fix"), "{words:?}");
    }
    // Where the kubeconfig says it all, there is nothing to add.
    let home = tempfile::tempdir().unwrap();
    let kubeconfig = home.path().join("config");
    let config = json!({
        "apiVersion": "v1", "kind": "Config", "current-context": "here",
        "clusters": [{"name": "here", "cluster": {"server": url}}],
        "contexts": [{"name": "here", "context": {"cluster": "here", "user": "me", "namespace": "db"}}],
        "users": [{"name": "me", "user": {}}]
    });
    std::fs::write(&kubeconfig, config.to_string()).unwrap();
    let path = kubeconfig.to_str().unwrap().to_owned();
    let audit = move || Run::new(&["audit"]).env("KUBECONFIG", &path).finish();
    let ended = tokio::task::spawn_blocking(audit).await.unwrap();
    assert!(ended.stderr.ends_with("\nfix has 1 repair for these: kubectl pvctl fix\n"), "{}", ended.stderr);
    // Nobody repairs a file.
    let objects = json!({"apiVersion": "v1", "kind": "List", "items": [released("data", "Retain")]});
    for words in [&["audit", "-f", "-"][..], &["explain", "pv/data", "-f", "-"]] {
        let ended = Run::new(words).stdin(objects.to_string().as_bytes()).finish();
        assert!(!ended.stderr.contains("pvctl fix"), "{words:?}: {}", ended.stderr);
    }
    // What is well needs none.
    fake.replace({
        let mut kept = released("data", "Retain");
        kept["metadata"]["annotations"] = json!({"pvctl.dev/ignore": "pv-released-retain=kept"});
        kept
    });
    let ended = run(&fake, &["audit", "-A"]).await;
    assert!(!ended.stderr.contains("for these: kubectl pvctl fix"), "{}", ended.stderr);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_dry_run_shows_the_plan_and_writes_nothing() {
    let fake = cluster(bound("db", "data", "disk")).await;
    let words = ["move", "pvc/data", "-n", "db", "--to-namespace", "web", "--dry-run", "--diff"];
    let ended = refused(&fake, 0, &words).await;
    for said in [
        "set spec.persistentVolumeReclaimPolicy of pv/disk to Retain",
        "- spec.persistentVolumeReclaimPolicy: Delete",
        "+ spec.persistentVolumeReclaimPolicy: Retain",
        "delete pvc/data -n db",
        "wait until claim db/data is gone",
        "create pvc/data -n web",
        "+ spec.volumeName: disk",
        "make sure that these are the data",
    ] {
        assert!(ended.stdout.contains(said), "{said}: {}", ended.stdout);
    }
    assert!(ended.stdout.lines().all(|line| line.chars().count() <= 200), "{}", ended.stdout);
    assert!(!ended.stdout.contains("t0psecret") && !ended.stdout.contains("s3cret"), "{}", ended.stdout);
    assert!(ended.stderr.contains("nothing was written (--dry-run=client)"), "{}", ended.stderr);
    let ended = refused(&fake, 0, &["retain", "pv/disk", "--dry-run=server"]).await;
    assert!(ended.stderr.contains("the API server accepts steps 1 in a dry run"), "{}", ended.stderr);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_plan_as_data_follows_its_schema_and_holds_no_secret() {
    let fake = cluster(bound("db", "data", "disk")).await;
    let words = ["move", "pvc/data", "-n", "db", "--to-namespace", "web", "--restore-policy"];
    let json = refused(&fake, 0, &[&words[..], &["-o", "json"]].concat()).await;
    let plan: Value = serde_json::from_str(&json.stdout).unwrap();
    assert_valid(&validator("Plan"), &plan, "move -o json");
    assert_eq!((&plan["apiVersion"], &plan["kind"]), (&json!("pvctl.dev/v1"), &json!("Plan")));
    assert_eq!(plan["request"]["verb"], "move");
    let create = plan["steps"].as_array().unwrap().iter().find(|step| step["write"]["verb"] == "create").unwrap();
    assert_eq!(create["write"]["resource"], "persistentvolumeclaims");
    assert_eq!(create["write"]["object"]["spec"]["volumeName"], "disk");
    assert_eq!(create["write"]["object"]["metadata"]["annotations"]["example.com/note"], "<redacted>");
    assert_eq!(create["write"]["object"]["metadata"]["annotations"]["pvctl.dev/plan"], plan["id"]);
    assert!(create["inverse"]["write"]["verb"] == "delete", "{create:#}");
    let yaml = refused(&fake, 0, &[&words[..], &["-o", "yaml"]].concat()).await;
    assert!(yaml.stdout.starts_with("apiVersion: pvctl.dev/v1\nkind: Plan\n"), "{}", yaml.stdout);
    for text in [&json.stdout, &yaml.stdout] {
        assert!(!text.contains("t0psecret") && !text.contains("s3cret"), "{text}");
    }
}

/// A plan is carried out, listed, and taken back; what is done twice is done once.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_plan_is_applied_listed_and_taken_back() {
    let fake = cluster([released("data", "Delete")]).await;
    let state = tempfile::tempdir().unwrap();
    let journals = state.path();
    let plan = with(&fake, journals, "", &["release", "pv/data", "-o", "yaml"]).await;
    assert_eq!(plan.code, Some(0), "{}", plan.stderr);
    let applied = with(&fake, journals, &plan.stdout, &["apply", "-", "--yes"]).await;
    assert_eq!(applied.code, Some(0), "{}{}", applied.stdout, applied.stderr);
    assert!(applied.stderr.contains("step 2 of 2: reserve volume data for claim db/data"), "{}", applied.stderr);
    assert!(applied.stdout.contains("pv/data is Available, reserved for db/data"), "{}", applied.stdout);
    let volume = fake.object("PersistentVolume", "data").unwrap();
    assert_eq!(volume["spec"]["persistentVolumeReclaimPolicy"], "Retain");
    assert_eq!(volume["spec"]["claimRef"]["uid"], Value::Null);
    assert_eq!(fake.writes().len(), 2);

    let again = with(&fake, journals, "", &["release", "pv/data", "--yes"]).await;
    assert_eq!(again.code, Some(0), "{}", again.stderr);
    assert!(again.stdout.contains("Nothing to do: volume data is Available already."), "{}", again.stdout);
    assert_eq!(fake.writes().len(), 2, "the second run writes nothing");

    let listed = with(&fake, journals, "", &["history", "-o", "json"]).await;
    let history: Value = serde_json::from_str(&listed.stdout).unwrap();
    assert_valid(&validator("History"), &history, "history -o json");
    assert_eq!((&history["items"][0]["state"], &history["items"][0]["written"]), (&json!("finished"), &json!(true)));
    let id = history["items"][0]["id"].as_str().unwrap().to_owned();
    let shown = with(&fake, journals, "", &["history", &id]).await;
    assert!(shown.stdout.contains("set spec.claimRef of pv/data to db/data"), "{}", shown.stdout);
    assert!(!shown.stdout.contains("s3cret"), "{}", shown.stdout);

    let undone = with(&fake, journals, "", &["undo", "--yes"]).await;
    assert_eq!(undone.code, Some(0), "{}{}", undone.stdout, undone.stderr);
    let volume = fake.object("PersistentVolume", "data").unwrap();
    assert_eq!(volume["spec"]["claimRef"]["uid"], "uid-gone");
    let listed = with(&fake, journals, "", &["history"]).await;
    assert!(listed.stdout.contains("taken back by "), "{}", listed.stdout);
    let nothing = with(&fake, journals, "", &["undo", "--yes"]).await;
    assert_eq!(nothing.code, Some(2), "{}", nothing.stderr);
    assert!(nothing.stderr.contains("not taken back already"), "{}", nothing.stderr);
}

/// A plan file is what it says, of this version, and of the world as it is.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn plan_files_that_are_not_understood_or_not_true_any_more_are_refused() {
    let fake = cluster([released("data", "Delete")]).await;
    let printed = run(&fake, &["release", "pv/data", "-o", "json"]).await.stdout;
    let plan: Value = serde_json::from_str(&printed).unwrap();
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("plan.json");
    let file = file.to_str().unwrap();
    let apply = async |change: &dyn Fn(&mut Value), code: i32, said: &str| {
        let mut changed = plan.clone();
        change(&mut changed);
        std::fs::write(file, changed.to_string()).unwrap();
        let ended = refused(&fake, code, &["apply", file, "--yes"]).await;
        assert!(ended.stderr.contains(said), "{said}: {}", ended.stderr);
    };
    apply(&|plan| plan["surprise"] = json!(1), 2, "unknown field `surprise`").await;
    apply(&|plan| plan["steps"][0]["surprise"] = json!(1), 2, "unknown field `surprise`").await;
    apply(&|plan| plan["request"]["surprise"] = json!(1), 2, "unknown field `surprise`").await;
    apply(&|plan| plan["model"]["surprise"] = json!(1), 2, "unknown field `surprise`").await;
    apply(&|plan| plan["apiVersion"] = json!("pvctl.dev/v2"), 2, "apiVersion is \"pvctl.dev/v2\"").await;
    apply(&|plan| plan["kind"] = json!("Report"), 2, "kind is \"Report\"").await;
    apply(&|plan| plan["request"]["volume"] = json!("../x"), 2, "is no name of an object").await;
    // Whoever edits a plan gets none: what is done follows from the request.
    apply(&|plan| plan["steps"][1]["write"]["name"] = json!("other"), 4, "steps[1].write.name").await;
    apply(&|plan| plan["world"] = json!("0"), 4, "world was").await;
    apply(&|plan| plan["request"]["volume"] = json!("gone"), 4, "does not exist").await;
    // The world changes: the claim is another one by now.
    let mut other = released("data", "Delete");
    other["spec"]["claimRef"]["uid"] = "uid-another".into();
    fake.replace(other);
    apply(&|_| (), 4, "uid-another").await;
    fake.replace({
        let mut available = released("data", "Delete");
        available["status"]["phase"] = "Bound".into();
        available
    });
    apply(&|_| (), 4, "there is no such plan").await;
}

/// A release that stopped at its second step: somebody else wrote between the dry run of that step and its write.
pub(crate) async fn stopped_at_second_step(journals: &Path) -> (FakeApi, Finished) {
    let fake = cluster([released("data", "Delete")]).await;
    fake.refuse_write(1, 409, "the object has been modified");
    let stopped = with(&fake, journals, "", &["release", "pv/data", "--yes"]).await;
    assert_eq!((stopped.code, fake.writes().len()), (Some(5), 2), "{}{}", stopped.stdout, stopped.stderr);
    (fake, stopped)
}

/// A write that is refused in the middle leaves a journal that is gone on with.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_plan_that_stops_is_gone_on_with() {
    let state = tempfile::tempdir().unwrap();
    let journals = state.path();
    let (fake, stopped) = stopped_at_second_step(journals).await;
    let id = newest(&fake, journals).await;
    assert!(stopped.stderr.contains(&format!("\njournal: {id}\n")), "{}", stopped.stderr);
    assert!(stopped.stderr.contains("kubectl pvctl apply --continue"), "{}", stopped.stderr);
    assert_eq!(stopped.stderr.matches("kubectl pvctl undo").count(), 1, "{}", stopped.stderr);
    let listed = with(&fake, journals, "", &["history"]).await;
    assert!(listed.stdout.contains("stopped at step 2"), "{}", listed.stdout);
    let ended = with(&fake, journals, "", &["apply", "--continue", "--yes"]).await;
    assert_eq!(ended.code, Some(0), "{}{}", ended.stdout, ended.stderr);
    assert!(ended.stdout.contains("pv/data is Available, reserved for db/data"), "{}", ended.stdout);
    let nothing = with(&fake, journals, "", &["apply", "--continue", "--yes"]).await;
    assert_eq!(nothing.code, Some(2), "{}", nothing.stderr);
    // The journal of one cluster is no journal of another.
    let other = cluster([released("data", "Delete")]).await;
    let elsewhere = with(&other, journals, "", &["undo", "--yes"]).await;
    assert_eq!(elsewhere.code, Some(2), "{}", elsewhere.stderr);
    assert!(elsewhere.stderr.contains("there is no such journal of the cluster at"), "{}", elsewhere.stderr);
    let listed = with(&fake, journals, "", &["history", "-o", "json"]).await;
    let history: Value = serde_json::from_str(&listed.stdout).unwrap();
    let id = history["items"][0]["id"].as_str().unwrap();
    let elsewhere = with(&other, journals, "", &["undo", id, "--yes"]).await;
    assert_eq!(elsewhere.code, Some(6), "{}", elsewhere.stderr);
    assert!(elsewhere.stderr.contains("is of the cluster at"), "{}", elsewhere.stderr);
    let missing = with(&other, journals, "", &["undo", "20200101T000000Z-move-00000000", "--yes"]).await;
    assert_eq!(missing.code, Some(2), "{}", missing.stderr);
    assert!(other.writes().is_empty());
}

/// Where an earlier run has written a part, a run that cannot go on does not say that nothing was written, and says how
/// to lead on.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_plan_that_cannot_be_gone_on_with_is_done_in_part() {
    let state = tempfile::tempdir().unwrap();
    let journals = state.path();
    let (fake, _) = stopped_at_second_step(journals).await;
    let id = newest(&fake, journals).await;
    let part = "an earlier run has written a part of this, or may have";
    let ways = [
        format!("kubectl pvctl apply --continue {id} goes on once nothing stands against it"),
        format!("kubectl pvctl undo {id} takes back what was done"),
    ];
    let begun = async |code: i32, said: &str, words: &[&str]| {
        let ended = with(&fake, journals, "", words).await;
        assert_eq!(ended.code, Some(code), "{said}: {}{}", ended.stdout, ended.stderr);
        let flat = ended.stderr.replace("\n  ", " ");
        for said in [said, part].into_iter().chain(ways.iter().map(String::as_str)) {
            assert_eq!(flat.matches(said).count(), 1, "{said}: {}", ended.stderr);
        }
        assert_eq!(fake.writes().len(), 2, "{said}");
        flat
    };
    let go_on = ["apply", "--continue", "--yes"];
    let as_it_was = fake.object("PersistentVolume", "data").unwrap();
    let mut other = as_it_was.clone();
    other["spec"]["claimRef"]["uid"] = "uid-another".into();
    fake.replace(other);
    let said = begun(5, "pv/data is not as the plan expects it", &go_on).await;
    assert!(said.contains(&format!(" because: {part}\njournal: {id}\n")), "{said}");
    // Who only wants to see has written nothing.
    let shown = with(&fake, journals, "", &["apply", "--continue", "--dry-run"]).await;
    assert_eq!(shown.code, Some(4), "{}{}", shown.stdout, shown.stderr);
    assert!(!shown.stderr.contains("an earlier run"), "{}", shown.stderr);
    fake.replace(as_it_was);
    // Nobody agrees, a right is missing, nothing can be read: all of them say of this run that it wrote nothing.
    begun(6, "there is no terminal to ask on: nothing was written", &go_on[..2]).await;
    fake.deny("patch");
    begun(6, "you may not: patch persistentvolumes data", &go_on).await;
    fake.fail("/api/v1/persistentvolumes", usize::MAX, Answer::Html(502));
    begun(3, "error: ", &go_on).await;
}

/// A repair that was taken back after it had stopped is not gone on with, and neither is a plan that says something
/// else than its request.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_journal_is_gone_on_with_only_where_it_is_what_was_asked_for() {
    let fake = cluster([released("data", "Delete")]).await;
    let state = tempfile::tempdir().unwrap();
    let journals = state.path();
    fake.refuse_write(1, 409, "the object has been modified");
    let stopped = with(&fake, journals, "", &["release", "pv/data", "--yes", "-v", "6"]).await;
    assert_eq!(stopped.code, Some(5), "{}{}", stopped.stdout, stopped.stderr);
    let shown = "/api/v1/persistentvolumes/data?fieldManager=kubectl-pvctl 409 in ";
    assert!(stopped.stderr.contains(shown), "{}", stopped.stderr);

    let directory = journals.join("kubectl-pvctl");
    let file = std::fs::read_dir(&directory).unwrap().next().unwrap().unwrap().path();
    let whole = std::fs::read_to_string(&file).unwrap();
    let (header, rest) = whole.split_once('\n').unwrap();
    let changes = [
        ("/volumes/0", "givenUp", json!(["data"]), "it gives up the data of volume data"),
        ("/volumes/0", "forClaims", json!([["web", "thief"]]), "it gives volume data to claim web/thief"),
        ("/request", "to", json!({"to": "anyone"}), "it does not have data typed"),
    ];
    for (part, field, value, said) in changes {
        let mut header: Value = serde_json::from_str(header).unwrap();
        header["plan"].pointer_mut(part).unwrap()[field] = value;
        // Who edits the plan alone is noticed at once.
        std::fs::write(&file, format!("{header}\n{rest}")).unwrap();
        let ended = with(&fake, journals, "", &["apply", "--continue", "--yes"]).await;
        assert_eq!(ended.code, Some(3), "{said}: {}", ended.stderr);
        assert!(ended.stderr.contains("somebody has edited it"), "{said}: {}", ended.stderr);
        let plan: Plan = serde_json::from_value(header["plan"].clone()).unwrap();
        header["digest"] = StableHash::default().with(&serde_json::to_string(&plan).unwrap()).hex().into();
        std::fs::write(&file, format!("{header}\n{rest}")).unwrap();
        let ended = with(&fake, journals, "", &["apply", "--continue", "--yes"]).await;
        assert_eq!(ended.code, Some(6), "{said}: {}", ended.stderr);
        assert!(ended.stderr.contains(said), "{said}: {}", ended.stderr);
    }
    std::fs::write(&file, &whole).unwrap();

    let undone = with(&fake, journals, "", &["undo", "--yes"]).await;
    assert_eq!(undone.code, Some(0), "{}{}", undone.stdout, undone.stderr);
    let nothing = with(&fake, journals, "", &["apply", "--continue", "--yes"]).await;
    assert_eq!(nothing.code, Some(2), "{}", nothing.stderr);
    assert!(nothing.stderr.contains("all of them are finished or taken back"), "{}", nothing.stderr);
    let id = file.file_stem().unwrap().to_str().unwrap();
    let named = with(&fake, journals, "", &["apply", "--continue", id, "--yes"]).await;
    assert_eq!(named.code, Some(2), "{}", named.stderr);
    assert!(named.stderr.contains("was taken back"), "{}", named.stderr);
}

/// A policy that has something against the new claim has it before the old one is deleted; a quota that has room
/// without the old one is a warning.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_claim_is_not_deleted_for_one_that_is_not_admitted() {
    let words = ["recreate", "pvc/late", "-n", "db", "--set", "size=2Gi", "--provisioner-stopped", "--yes"];
    let tried = "/api/v1/namespaces/db/persistentvolumeclaims?fieldManager=kubectl-pvctl&dryRun=All";
    let fake = cluster([waiting("late")]).await;
    fake.fail(tried, 1, Answer::Status(403, "admission webhook \"size.example.com\" denied the request"));
    let ended = refused(&fake, 6, &words).await;
    let said = ended.stderr.replace("\n  ", " ");
    assert!(said.contains("(tried under the name late-pvctl-1, because its own is taken until the old claim is gone)"));
    assert!(fake.object("PersistentVolumeClaim", "late").is_some());

    let fake = cluster([waiting("late")]).await;
    let full = "late is forbidden: exceeded quota: storage, requested: requests.storage=2Gi, used: requests.storage=9Gi, \
                limited: requests.storage=9Gi";
    fake.fail(tried, 1, Answer::Status(403, full));
    let ended = refused(&fake, 6, &words).await;
    let said = ended.stderr.replace("\n  ", " ");
    assert!(said.contains("not enough of requests.storage when that is gone either"), "{}", ended.stderr);
    assert!(fake.object("PersistentVolumeClaim", "late").is_some());

    let fake = cluster([waiting("late")]).await;
    let tight = "late is forbidden: exceeded quota: storage, requested: requests.storage=2Gi, used: requests.storage=9Gi, \
                 limited: requests.storage=10Gi";
    fake.fail(tried, 1, Answer::Status(403, tight));
    let ended = run(&fake, &words).await;
    assert_eq!(ended.code, Some(0), "{}{}", ended.stdout, ended.stderr);
    let shown = ended.stdout.replace("\n    ", " ");
    assert!(shown.contains("a quota has no room for it beside the claim that goes first"), "{}", ended.stdout);
    let made = fake.object("PersistentVolumeClaim", "late").unwrap();
    assert_eq!(made["spec"]["resources"]["requests"]["storage"], "2Gi");
    assert_ne!(made["metadata"]["uid"], "uid-late");
}

/// Ctrl-C while the last request is on its way: it is waited for, what was done is said, and the journal knows it.
#[cfg(unix)]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_interrupt_during_the_last_request_loses_nothing() {
    let fake = cluster([released("data", "Delete")]).await;
    let state = tempfile::tempdir().unwrap();
    let journals = state.path();
    fake.hold_write(0);
    let running = Running::start(&fake, journals, &["retain", "pv/data", "--yes"]);
    Running::until_writes(&fake, 1).await;
    running.interrupt().await;
    fake.let_go();
    let ended = running.end().await;
    let id = newest(&fake, journals).await;
    assert_eq!(ended.code, Some(130), "{}{}", ended.stdout, ended.stderr);
    assert!(ended.stdout.contains("\nDone: the data of volume data are kept"), "{}", ended.stdout);
    assert!(ended.stderr.ends_with(&format!("error: interrupted, after {id} was done\n")), "{}", ended.stderr);
    assert_eq!(fake.object("PersistentVolume", "data").unwrap()["spec"]["persistentVolumeReclaimPolicy"], "Retain");
    let nothing = with(&fake, journals, "", &["apply", "--continue", "--yes"]).await;
    assert_eq!(nothing.code, Some(2), "{}", nothing.stderr);
    assert!(nothing.stderr.contains("all of them are finished or taken back"), "{}", nothing.stderr);

    // Where something is to be waited for after it, that is left, and nothing else.
    let fake = cluster([released("data", "Retain")]).await;
    fake.hold_write(0);
    let running = Running::start(&fake, journals, &["release", "pv/data", "--yes"]);
    Running::until_writes(&fake, 1).await;
    running.interrupt().await;
    fake.let_go();
    let ended = running.end().await;
    let id = newest(&fake, journals).await;
    assert_eq!(ended.code, Some(5), "{}{}", ended.stdout, ended.stderr);
    assert!(ended.stderr.starts_with("step 1 of 1: "), "{}", ended.stderr);
    assert!(ended.stderr.contains("\nerror: interrupted at step 1\n"), "{}", ended.stderr);
    assert!(
        ended.stderr.contains(&format!("kubectl pvctl apply --continue {id} goes on from here")),
        "{}",
        ended.stderr
    );
    let ended = with(&fake, journals, "", &["apply", "--continue", "--yes"]).await;
    assert_eq!((ended.code, fake.writes().len()), (Some(0), 1), "{}{}", ended.stdout, ended.stderr);
    assert!(ended.stdout.contains("pv/data is Available, reserved for db/data"), "{}", ended.stdout);
}

/// Ctrl-C when all is written and only the controllers are waited for: the waiting ends at once, also in the middle of a
/// reading, and what was done is said.
#[cfg(unix)]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_interrupt_after_the_last_step_ends_the_waiting() {
    let mut lost = waiting("late");
    lost["status"]["phase"] = "Lost".into();
    let lost = lost.to_string().leak();
    let path = "/api/v1/namespaces/db/persistentvolumeclaims/late";
    let silent = Duration::from_secs(25);
    for (answer, known) in [(Answer::Body(lost), true), (Answer::Late(silent), false)] {
        let fake = cluster([waiting("late")]).await;
        let state = tempfile::tempdir().unwrap();
        fake.hold_write(1);
        let running =
            Running::start(&fake, state.path(), &["recreate", "pvc/late", "-n", "db", "--set", "size=2Gi", "--yes"]);
        Running::until_writes(&fake, 2).await;
        // It is never as predicted.
        fake.fail(path, usize::MAX, answer);
        let read = fake.count(path);
        fake.let_go();
        while fake.count(path) == read {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        let begin = std::time::Instant::now();
        running.interrupt().await;
        let ended = running.end().await;
        assert!(begin.elapsed() < Duration::from_secs(8), "it went on for {:?}", begin.elapsed());
        let id = newest(&fake, state.path()).await;
        assert_eq!(ended.code, Some(130), "{}{}", ended.stdout, ended.stderr);
        assert!(ended.stdout.contains("\nDone: claim db/late is replaced"), "{}", ended.stdout);
        assert!(ended.stdout.contains(&format!("\nJournal: {id}\n")), "{}", ended.stdout);
        assert_eq!(ended.stdout.contains("\n  pvc/late -n db is Lost"), known, "{}", ended.stdout);
        assert_eq!(ended.stderr.contains("note: what is so now was not read to its end"), !known, "{}", ended.stderr);
        assert!(ended.stderr.ends_with(&format!("error: interrupted, after {id} was done\n")), "{}", ended.stderr);
        let nothing = with(&fake, state.path(), "", &["apply", "--continue", "--yes"]).await;
        assert_eq!(nothing.code, Some(2), "{}", nothing.stderr);
    }
}

/// Who cannot show the plan does not write; what was done is done, whether or not anybody reads of it.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_closed_output_writes_nothing_or_changes_nothing() {
    let fake = cluster([released("data", "Delete")]).await;
    let state = tempfile::tempdir().unwrap();
    let mut running = Running::start(&fake, state.path(), &["retain", "pv/data", "--yes"]);
    drop(running.child.stdout.take());
    let ended = running.end().await;
    assert_eq!(ended.code, Some(6), "{}", ended.stderr);
    let said = "the plan could not be shown, because the output is closed: nothing was written";
    assert!(ended.stderr.replace("\n  ", " ").contains(said), "{}", ended.stderr);
    assert!(fake.writes().is_empty());
    assert_eq!(std::fs::read_dir(state.path()).unwrap().count(), 0, "there is a journal");

    fake.hold_write(0);
    let mut running = Running::start(&fake, state.path(), &["retain", "pv/data", "--yes"]);
    Running::until_writes(&fake, 1).await;
    drop(running.child.stdout.take());
    fake.let_go();
    let ended = running.end().await;
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    assert_eq!(fake.object("PersistentVolume", "data").unwrap()["spec"]["persistentVolumeReclaimPolicy"], "Retain");
    let listed = with(&fake, state.path(), "", &["history", "-o", "json"]).await;
    let history: Value = serde_json::from_str(&listed.stdout).unwrap();
    assert_eq!(history["items"][0]["state"], "finished");
}

/// A result that cannot be printed in full is a result all the same, and what is needed of it is said.
#[cfg(unix)]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_result_that_cannot_be_printed_is_no_failure() {
    use std::io::Write as _;
    use std::os::fd::OwnedFd;
    use std::os::unix::net::UnixStream;
    let fake = cluster([released("data", "Delete")]).await;
    let state = tempfile::tempdir().unwrap();
    fake.hold_write(0);
    // Once it is full, whoever writes to it fails at once.
    let (_reader, mut stdout) = UnixStream::pair().unwrap();
    stdout.set_nonblocking(true).unwrap();
    let onto = Stdio::from(OwnedFd::from(stdout.try_clone().unwrap()));
    let running = Running::start_onto(&fake, state.path(), &["retain", "pv/data", "--yes"], onto);
    Running::until_writes(&fake, 1).await;
    for size in [4096, 1] {
        while stdout.write(&vec![b'x'; size]).is_ok() {}
    }
    fake.let_go();
    let ended = running.end().await;
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    let id = newest(&fake, state.path()).await;
    let flat = ended.stderr.replace("\n  ", " ");
    assert!(flat.contains("warning: it is done, and the answer could not be written in full: "), "{}", ended.stderr);
    assert!(flat.ends_with(&format!(": the journal is {id}\n")), "{}", ended.stderr);
}

/// A journal that somebody else may have written decides nothing, and none is begun where somebody else can write.
#[cfg(unix)]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn foreign_journals_are_refused() {
    use std::os::unix::fs::{PermissionsExt as _, symlink};
    let mode = |path: &Path, mode| std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
    let fake = cluster([waiting("late")]).await;
    let state = tempfile::tempdir().unwrap();
    let directory = state.path().join("kubectl-pvctl");
    let refused = async |arguments: &[&str], said: &str| {
        let before = fake.writes().len();
        let ended = with(&fake, state.path(), "", arguments).await;
        assert_eq!(ended.code, Some(6), "{arguments:?}: {}{}", ended.stdout, ended.stderr);
        let flat = ended.stderr.replace("\n  ", " ");
        assert!(flat.contains(" is not trusted") && flat.contains(said), "{arguments:?}: {}", ended.stderr);
        assert_eq!(fake.writes().len(), before, "{arguments:?}");
    };
    let words = ["recreate", "pvc/late", "-n", "db", "--set", "size=2Gi", "--provisioner-stopped", "--yes"];
    std::fs::create_dir(&directory).unwrap();
    mode(&directory, 0o777);
    refused(&words, "its mode is 0777, where only its owner may write to it").await;
    mode(&directory, 0o700);
    let elsewhere = state.path().join("elsewhere");
    std::fs::rename(&directory, &elsewhere).unwrap();
    symlink(&elsewhere, &directory).unwrap();
    refused(&words, "it is a symbolic link").await;
    std::fs::remove_file(&directory).unwrap();
    std::fs::rename(&elsewhere, &directory).unwrap();
    assert_eq!(std::fs::read_dir(&directory).unwrap().count(), 0);

    fake.refuse_write(1, 403, "not now");
    let stopped = with(&fake, state.path(), "", &words).await;
    assert_eq!(stopped.code, Some(5), "{}{}", stopped.stdout, stopped.stderr);
    let id = newest(&fake, state.path()).await;
    let file = directory.join(format!("{id}.jsonl"));
    for words in [&["apply", "--continue", "--yes"][..], &["undo", "--yes"], &["undo", &id, "--yes"]] {
        mode(&file, 0o620);
        refused(words, "its mode is 0620, where only its owner may read and write it").await;
        mode(&file, 0o600);
        std::fs::rename(&file, &elsewhere).unwrap();
        symlink(&elsewhere, &file).unwrap();
        refused(words, "it is a symbolic link").await;
        std::fs::remove_file(&file).unwrap();
        std::fs::rename(&elsewhere, &file).unwrap();
        mode(&directory, 0o770);
        refused(words, "its mode is 0770, where only its owner may write to it").await;
        mode(&directory, 0o700);
    }

    // What an undo may give up is what its repair was asked for: that journal has to be ours as well.
    let ended = with(&fake, state.path(), "", &["apply", "--continue", "--yes"]).await;
    assert_eq!(ended.code, Some(0), "{}{}", ended.stdout, ended.stderr);
    let done = fake.writes().len();
    fake.refuse_write(done + 1, 403, "not now");
    let stopped = with(&fake, state.path(), "", &["undo", "--yes"]).await;
    assert_eq!(stopped.code, Some(5), "{}{}", stopped.stdout, stopped.stderr);
    mode(&file, 0o660);
    refused(&["apply", "--continue", "--yes"], "its mode is 0660, where only its owner may read and write it").await;
}

/// An undo that stopped is gone on with, as its hint says; it is not taken back.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_undo_that_stopped_is_gone_on_with() {
    let fake = cluster([waiting("late")]).await;
    let state = tempfile::tempdir().unwrap();
    let journals = state.path();
    let words = ["recreate", "pvc/late", "-n", "db", "--set", "size=2Gi", "--provisioner-stopped", "--yes"];
    let done = with(&fake, journals, "", &words).await;
    assert_eq!(done.code, Some(0), "{}{}", done.stdout, done.stderr);
    assert_eq!(fake.writes().len(), 2);
    fake.refuse_write(3, 403, "not now");
    let stopped = with(&fake, journals, "", &["undo", "--yes"]).await;
    assert_eq!(stopped.code, Some(5), "{}{}", stopped.stdout, stopped.stderr);
    let id = newest(&fake, journals).await;
    assert!(id.contains("-undo-"), "{id}");
    let hints: Vec<&str> = stopped.stderr.lines().filter_map(|line| line.strip_prefix("hint: ")).collect();
    assert_eq!(hints, [format!("kubectl pvctl apply --continue {id} goes on from here")]);
    assert!(fake.object("PersistentVolumeClaim", "late").is_none());
    // Who asks for it anew is led on: what it did itself is not the doing of somebody else.
    let listed = with(&fake, journals, "", &["history", "-o", "json"]).await;
    let history: Value = serde_json::from_str(&listed.stdout).unwrap();
    let repair = history["items"][1]["id"].as_str().unwrap();
    let written = fake.writes().len();
    for words in [&["undo", "--yes"][..], &["undo", repair, "--yes"], &["undo", repair, "--dry-run"]] {
        let again = with(&fake, journals, "", words).await;
        assert_eq!((again.code, fake.writes().len()), (Some(6), written), "{}{}", again.stdout, again.stderr);
        let said = format!("error: {repair} is taken back in part already, by {id}, which was cut short");
        assert!(again.stderr.replace("\n  ", " ").contains(&said), "{}", again.stderr);
        let hints: Vec<&str> = again.stderr.lines().filter_map(|line| line.strip_prefix("hint: ")).collect();
        assert_eq!(hints, [format!("kubectl pvctl apply --continue {id} goes on with that")]);
    }
    let ended = with(&fake, journals, "", &["apply", "--continue", &id, "--yes"]).await;
    assert_eq!(ended.code, Some(0), "{}{}", ended.stdout, ended.stderr);
    let back = fake.object("PersistentVolumeClaim", "late").unwrap();
    assert_eq!(back["spec"]["resources"]["requests"]["storage"], "1Gi");
    // The repair counts as taken back now.
    let nothing = with(&fake, journals, "", &["undo", "--yes"]).await;
    assert_eq!(nothing.code, Some(2), "{}", nothing.stderr);
    assert!(nothing.stderr.contains("not taken back already"), "{}", nothing.stderr);
}

/// An undo of which no request was carried out is no beginning, and one of which all were carried out is an end, whether
/// or not its journal could say so.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_undo_that_was_killed_is_judged_by_what_became_of_it() {
    let fake = cluster([released("data", "Retain")]).await;
    let state = tempfile::tempdir().unwrap();
    let journals = state.path();
    let done = with(&fake, journals, "", &["release", "pv/data", "--yes"]).await;
    assert_eq!((done.code, fake.writes().len()), (Some(0), 1), "{}{}", done.stdout, done.stderr);
    let repair = newest(&fake, journals).await;
    // The request never arrives where it would be carried out, and the tool dies.
    fake.hold_write(1);
    let mut running = Running::start(&fake, journals, &["undo", "--yes"]);
    Running::until_writes(&fake, 2).await;
    running.child.kill().unwrap();
    assert_eq!(running.end().await.code, None);
    let killed = newest(&fake, journals).await;
    assert!(killed.contains("-undo-"), "{killed}");
    let released_again = fake.object("PersistentVolume", "data").unwrap();
    assert_eq!(released_again["spec"]["claimRef"]["uid"], Value::Null);
    let undone = with(&fake, journals, "", &["undo", "--yes", "--dry-run"]).await;
    assert_eq!(undone.code, Some(0), "{}{}", undone.stdout, undone.stderr);
    assert!(undone.stdout.contains("set spec.claimRef of pv/data to db/data"), "{}", undone.stdout);
    // It arrives after all.
    let body = fake.writes()[1].body.clone();
    let mut back = released_again;
    back["spec"]["claimRef"] = body["spec"]["claimRef"].clone();
    back["status"]["phase"] = "Released".into();
    back["metadata"]["resourceVersion"] = "99".into();
    fake.replace(back);
    let again = with(&fake, journals, "", &["undo", &repair, "--yes"]).await;
    assert_eq!((again.code, fake.writes().len()), (Some(0), 2), "{}{}", again.stdout, again.stderr);
    let said = format!("Nothing to do: what {repair} did was taken back by {killed}.\n");
    assert_eq!(again.stdout.replace("\n  ", " "), said);
}

/// What the controller does with the volume `disk` and the claim `data`, again and again: a volume whose claim is gone
/// is released, and one that a claim names is bound to it.
pub(crate) fn play(fake: &FakeApi) -> tokio::task::JoinHandle<()> {
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

/// An undo makes a claim Lost again, and a volume name a claim that is gone: both were so before the repair.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_undo_that_stopped_is_gone_on_with_where_a_volume_changed_hands() {
    let fake = cluster([released("data", "Retain")]).await;
    let state = tempfile::tempdir().unwrap();
    let journals = state.path();
    let done = with(&fake, journals, "", &["release", "pv/data", "--reserve-for", "web/new", "--yes"]).await;
    assert_eq!((done.code, fake.writes().len()), (Some(0), 1), "{}{}", done.stdout, done.stderr);
    fake.refuse_write(1, 403, "not now");
    let stopped = with(&fake, journals, "", &["undo", "--yes"]).await;
    assert_eq!(stopped.code, Some(6), "{}{}", stopped.stdout, stopped.stderr);
    // It has not begun, so that there is nothing to go on with.
    let nothing = with(&fake, journals, "", &["apply", "--continue", "--yes"]).await;
    assert_eq!(nothing.code, Some(2), "{}{}", nothing.stdout, nothing.stderr);
    let ended = with(&fake, journals, "", &["undo", "--yes"]).await;
    assert_eq!(ended.code, Some(0), "{}{}", ended.stdout, ended.stderr);
    let named = &fake.object("PersistentVolume", "data").unwrap()["spec"]["claimRef"];
    assert_eq!((&named["name"], &named["uid"]), (&json!("data"), &json!("uid-gone")));

    let fake = cluster(bound("db", "data", "disk")).await;
    let state = tempfile::tempdir().unwrap();
    let journals = state.path();
    let player = play(&fake);
    let words = ["move", "pvc/data", "-n", "db", "--to-namespace", "web", "--yes"];
    let done = with(&fake, journals, "", &words).await;
    assert_eq!((done.code, fake.writes().len()), (Some(0), 4), "{}{}", done.stdout, done.stderr);
    assert_eq!(fake.object("PersistentVolumeClaim", "data").unwrap()["metadata"]["namespace"], "web");
    fake.refuse_write(5, 403, "not now");
    let stopped = with(&fake, journals, "", &["undo", "--yes"]).await;
    assert_eq!(stopped.code, Some(5), "{}{}", stopped.stdout, stopped.stderr);
    assert!(fake.object("PersistentVolumeClaim", "data").is_none());
    let ended = with(&fake, journals, "", &["apply", "--continue", "--yes"]).await;
    assert_eq!(ended.code, Some(0), "{}{}", ended.stdout, ended.stderr);
    player.abort();
    let back = fake.object("PersistentVolumeClaim", "data").unwrap();
    assert_eq!((&back["metadata"]["namespace"], &back["status"]["phase"]), (&json!("db"), &json!("Bound")));
    let volume = fake.object("PersistentVolume", "disk").unwrap();
    assert_eq!(volume["spec"]["claimRef"]["uid"], back["metadata"]["uid"]);
}

/// That the object of a volume that is being deleted may go is what `retain` says of it, and asks for no name: what it
/// began is gone on with.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_retain_of_a_volume_that_is_being_deleted_is_gone_on_with() {
    let mut going = released("data", "Delete");
    going["metadata"]["deletionTimestamp"] = "2026-06-02T00:00:00Z".into();
    going["metadata"]["finalizers"] = json!(["external-provisioner.volume.kubernetes.io/finalizer"]);
    let fake = cluster([going]).await;
    let state = tempfile::tempdir().unwrap();
    let journals = state.path();
    // The request never arrives where it would be carried out, and the tool dies.
    fake.hold_write(0);
    let mut running = Running::start(&fake, journals, &["retain", "pv/data", "--yes"]);
    Running::until_writes(&fake, 1).await;
    running.child.kill().unwrap();
    assert_eq!(running.end().await.code, None);
    let ended = with(&fake, journals, "", &["apply", "--continue", "--yes"]).await;
    assert_eq!(ended.code, Some(0), "{}{}", ended.stdout, ended.stderr);
    assert_eq!(fake.object("PersistentVolume", "data").unwrap()["spec"]["persistentVolumeReclaimPolicy"], "Retain");
    let back = with(&fake, journals, "", &["undo", "--yes"]).await;
    assert_eq!(back.code, Some(0), "{}{}", back.stdout, back.stderr);
}

/// A request that was surely not carried out is nothing to take back, and does not stand in the way of what is.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_repair_that_wrote_nothing_is_passed_over_by_undo() {
    let fake = cluster([released("data", "Retain"), released("other", "Delete")]).await;
    let state = tempfile::tempdir().unwrap();
    let journals = state.path();
    let done = with(&fake, journals, "", &["release", "pv/data", "--yes"]).await;
    assert_eq!((done.code, fake.writes().len()), (Some(0), 1), "{}{}", done.stdout, done.stderr);
    let repair = newest(&fake, journals).await;
    // The request never arrives where it would be carried out, and the tool dies.
    fake.hold_write(1);
    let mut running = Running::start(&fake, journals, &["retain", "pv/other", "--yes"]);
    Running::until_writes(&fake, 2).await;
    running.child.kill().unwrap();
    assert_eq!(running.end().await.code, None);
    let empty = newest(&fake, journals).await;
    assert!(empty.contains("-retain-"), "{empty}");
    let aged = |seconds: u64| {
        let file = journals.join("kubectl-pvctl").join(format!("{empty}.jsonl"));
        let file = std::fs::File::options().append(true).open(file).unwrap();
        file.set_modified(std::time::SystemTime::now() - Duration::from_secs(seconds)).unwrap();
        file
    };
    // Who only looks waits for nothing, and does not make the journal younger.
    let note =
        format!("note: {empty} has written nothing: its request was not carried out; the one before it is {repair}");
    let file = aged(57);
    let shown = with(&fake, journals, "", &["undo", "--yes", "--dry-run"]).await;
    assert_eq!((shown.code, fake.writes().len()), (Some(0), 2), "{}{}", shown.stdout, shown.stderr);
    assert!(shown.stderr.replace("\n  ", " ").contains(&note), "{}", shown.stderr);
    assert!(!shown.stderr.contains("waiting"), "{}", shown.stderr);
    let age = || file.metadata().unwrap().modified().unwrap().elapsed().unwrap();
    assert!(age() >= Duration::from_secs(57), "{:?}", age());
    // For a minute it may still arrive, so that nobody knows what there is to take back.
    aged(57);
    let undone = with(&fake, journals, "", &["undo", "--yes"]).await;
    assert_eq!(undone.code, Some(0), "{}{}", undone.stdout, undone.stderr);
    assert!(age() >= Duration::from_mins(1), "{:?}", age());
    let flat = undone.stderr.replace("\n  ", " ");
    let waited = format!("note: the request of step 1 of {empty} was sent less than a minute ago");
    assert!(flat.contains(&waited) && flat.contains(&note), "{}", undone.stderr);
    assert_eq!(fake.object("PersistentVolume", "data").unwrap()["spec"]["claimRef"]["uid"], "uid-gone");
    assert_eq!(fake.object("PersistentVolume", "other").unwrap()["spec"]["persistentVolumeReclaimPolicy"], "Delete");
    // By its name, and where there is no other, it is what is meant.
    for words in [&["undo", "--yes"][..], &["undo", &empty, "--yes"]] {
        let nothing = with(&fake, journals, "", words).await;
        assert_eq!(nothing.code, Some(0), "{}", nothing.stderr);
        let said = format!("Nothing to do: {empty} has written nothing, so there is nothing to take back.");
        assert!(nothing.stdout.replace("\n  ", " ").contains(&said), "{}", nothing.stdout);
    }
}

/// A request that arrives after the tool has died is taken back like any other: it is waited for.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_arrives_late_is_taken_back() {
    let fake = cluster([released("data", "Delete")]).await;
    let state = tempfile::tempdir().unwrap();
    let journals = state.path();
    fake.hold_write(0);
    let mut running = Running::start(&fake, journals, &["retain", "pv/data", "--yes"]);
    Running::until_writes(&fake, 1).await;
    running.child.kill().unwrap();
    assert_eq!(running.end().await.code, None);
    let repair = newest(&fake, journals).await;
    // Who only wants to see does not wait, and is told what is not sure.
    let shown = with(&fake, journals, "", &["undo", "--dry-run"]).await;
    assert_eq!(shown.code, Some(0), "{}", shown.stderr);
    let said = shown.stderr.replace("\n  ", " ");
    assert!(said.contains("may still be under way: undo waits for it before it writes"), "{said}");
    let file = journals.join("kubectl-pvctl").join(format!("{repair}.jsonl"));
    let file = std::fs::File::options().append(true).open(file).unwrap();
    file.set_modified(std::time::SystemTime::now() - Duration::from_secs(56)).unwrap();
    let undo = Running::start(&fake, journals, &["undo", "--yes"]);
    tokio::time::sleep(Duration::from_secs(1)).await;
    let mut kept = released("data", "Retain");
    kept["metadata"]["resourceVersion"] = "99".into();
    fake.replace(kept);
    let undone = undo.end().await;
    let said = format!("{}{}", undone.stdout, undone.stderr);
    assert!(said.contains("may still be under way"), "{said}");
    assert!(!said.contains("has written nothing"), "{said}");
    // With Delete again its data would go: no claim has it.
    assert!(said.replace("\n  ", " ").contains("volume data keeps policy Retain"), "{said}");
}

/// What `fix --yes --dry-run` shows is what `fix --yes` would do.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_dry_run_of_fix_shows_what_it_would_do() {
    // Each volume of a namespace that is being deleted is kept by a plan of its own.
    let mut objects: Vec<Value> = bound("db", "data", "disk").into();
    objects.extend(bound("db", "logs", "plate"));
    for object in objects.iter_mut().filter(|object| object["kind"] == "PersistentVolume") {
        object["metadata"]["annotations"]["pv.kubernetes.io/provisioned-by"] = json!("d.example.com");
    }
    let fake = cluster(objects).await;
    fake.replace(json!({"apiVersion": "v1", "kind": "Namespace",
        "metadata": {"name": "db", "uid": "db", "creationTimestamp": "2026-01-01T00:00:00Z",
            "deletionTimestamp": "2023-11-14T20:00:00Z"},
        "spec": {"finalizers": ["kubernetes"]}, "status": {"phase": "Terminating"}}));
    let words = ["fix", "--all", "-n", "db", "--only", "ns-terminating-pvc", "--yes"];
    let shown = refused(&fake, 1, &[&words[..], &["--dry-run"]].concat()).await;
    for name in ["disk", "plate"] {
        let said = format!("set spec.persistentVolumeReclaimPolicy of pv/{name} to Retain");
        assert_eq!(shown.stdout.matches(&said).count(), 1, "{name}: {}", shown.stdout);
    }
    assert!(shown.stderr.contains("after these repairs --yes looks again"), "{}", shown.stderr);
    let done = run(&fake, &words).await;
    assert_eq!(done.code, Some(0), "{}{}", done.stdout, done.stderr);
    assert_eq!(fake.writes().len(), 2);

    // What is not safe is not done, and that is no change of the world.
    let mut old = released("data", "Retain");
    old["metadata"]["creationTimestamp"] = "2025-06-01T00:00:00Z".into();
    let fake = cluster([old]).await;
    let shown = refused(&fake, 1, &["fix", "pv/data", "--yes", "--dry-run"]).await;
    assert!(shown.stdout.contains("(not without being asked)"), "{}", shown.stdout);
    assert!(!shown.stdout.contains("set spec.claimRef"), "{}", shown.stdout);
    assert!(!shown.stderr.contains("the world has changed"), "{}", shown.stderr);
    let note = "note: --yes would repair nothing of this: no repair is safe without being asked";
    assert!(shown.stderr.replace("\n  ", " ").contains(note), "{}", shown.stderr);
    // Without --yes the first repair is shown, which a person may choose.
    let shown = refused(&fake, 1, &["fix", "pv/data", "--dry-run"]).await;
    assert!(shown.stdout.contains("set spec.claimRef of pv/data to db/data"), "{}", shown.stdout);

    let fake = cluster([released("data", "Retain")]).await;
    fake.deny("patch");
    let shown = refused(&fake, 1, &["fix", "pv/data", "--yes", "--dry-run"]).await;
    assert!(shown.stderr.contains("you may not: patch persistentvolumes data"), "{}", shown.stderr);
}

/// A repair after which things are not as predicted has repaired nothing, and the exit code says so.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn fix_does_not_count_what_came_out_otherwise() {
    let fake = cluster(bound("db", "data", "disk")).await;
    fake.hold_write(0);
    let words = ["fix", "pv/disk", "--yes", "--only", "pv-delete-static-surprise"];
    let state = tempfile::tempdir().unwrap();
    let running = Running::start(&fake, state.path(), &words);
    Running::until_writes(&fake, 1).await;
    // Whoever reads the volume afterwards sees that somebody has taken the policy back.
    let [back, _] = bound("db", "data", "disk");
    fake.fail("/api/v1/persistentvolumes/disk", usize::MAX, Answer::Body(back.to_string().leak()));
    fake.let_go();
    let ended = running.end().await;
    assert_eq!(ended.code, Some(1), "{}{}", ended.stdout, ended.stderr);
    assert!(ended.stderr.contains("warning: pv/disk has policy Delete, where Retain was written"), "{}", ended.stderr);
    assert!(ended.stderr.contains("\n0 findings repaired, 0 left\n"), "{}", ended.stderr);
}

/// What was safe when it was found and is not when it is planned is a world that has changed.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_not_safe_any_more_is_a_change_of_the_world() {
    let mut old = released("data", "Retain");
    old["metadata"]["creationTimestamp"] = "2025-06-01T00:00:00Z".into();
    let fake = cluster([old]).await;
    // Who looks first sees a volume that is younger than the namespace.
    let list = json!({"kind": "PersistentVolumeList", "apiVersion": "v1", "metadata": {"resourceVersion": "7"},
        "items": [released("data", "Retain")]});
    fake.fail("/api/v1/persistentvolumes?", 1, Answer::Body(list.to_string().leak()));
    let ended = refused(&fake, 4, &["fix", "pv/data", "--yes"]).await;
    assert!(ended.stdout.contains("release: volume data is offered again, to claim db/data alone (safe)"));
    let said = "error: the world has changed, and the repair is not a safe one any more: nothing was written\n";
    assert!(ended.stderr.replace("\n  ", " ").contains(said), "{}", ended.stderr);
}

/// That the cluster cannot be read after a repair does not make the repair a failure to read.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn fix_that_cannot_look_again_says_what_it_did() {
    let fake = cluster([released("data", "Retain")]).await;
    fake.hold_write(0);
    let state = tempfile::tempdir().unwrap();
    let running = Running::start(&fake, state.path(), &["fix", "pv/data", "--yes"]);
    Running::until_writes(&fake, 1).await;
    fake.fail("/api/v1/persistentvolumes?", usize::MAX, Answer::Html(502));
    fake.let_go();
    let ended = running.end().await;
    assert_eq!(ended.code, Some(1), "{}{}", ended.stdout, ended.stderr);
    assert!(ended.stdout.contains("\nDone: volume data is offered again"), "{}", ended.stdout);
    assert!(ended.stderr.contains("\nerror: "), "{}", ended.stderr);
    let said = "note: what is left could not be looked at; `kubectl pvctl history` lists the repairs that were made\n";
    assert!(ended.stderr.replace("\n  ", " ").ends_with(said), "{}", ended.stderr);
    // Where nothing was repaired, it is one.
    let fake = cluster([released("data", "Retain")]).await;
    fake.deny("patch");
    fake.fail("/api/v1/persistentvolumes?", 2, Answer::Late(Duration::ZERO));
    fake.fail("/api/v1/persistentvolumes?", usize::MAX, Answer::Html(502));
    let ended = refused(&fake, 3, &["fix", "pv/data", "--yes"]).await;
    assert!(ended.stderr.contains("you may not: patch persistentvolumes data"), "{}", ended.stderr);
}
