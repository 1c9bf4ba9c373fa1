//! `fix`: repairs of findings.

use super::{Running, bound, cluster, refused, released, run, waiting};
use crate::support::Run;
use crate::support::faults::Fault;
use serde_json::{Value, json};
use std::time::Duration;

/// Without a terminal, `fix` writes nothing, and `fix --yes` makes each safe repair once. If a repair is refused, its
/// finding is left, and the exit code is 1.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn fix_repairs_what_is_safe_and_says_what_is_refused() {
    let fake = cluster([released("data", "Retain")]).await;
    let ended = refused(&fake, 6, &["fix", "pv/data"]).await;
    assert!(ended.stdout.contains("release: volume data is offered again, to claim db/data alone (safe)"));
    assert!(ended.stderr.contains("no terminal to ask on: nothing was written"), "{}", ended.stderr);
    let ended = refused(&fake, 0, &["fix", "pv/data", "--yes", "--only", "lost-*"]).await;
    assert_eq!(ended.stdout, "fix found no problem for the rules of --only.\n");

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

/// If `fix` has nothing to do, it says why: nothing is wrong, `fix` has no repair, or the objects could not be read.
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
    assert_eq!(ended.stdout, "fix found no problem.\n");
    assert!(!ended.stderr.contains("left"), "{}", ended.stderr);

    let mut lonely = waiting("late");
    lonely["spec"]["storageClassName"] = "gone".into();
    let fake = cluster([lonely]).await;
    for words in [&["fix", "pvc/late", "-n", "db"][..], &["fix", "pvc/late", "-n", "db", "--yes"]] {
        let ended = refused(&fake, 1, words).await;
        let said = "left: pvc-class-not-found on pvc/late -n db\n\
                    0 findings repaired, 1 left: fix has no repair for the remaining findings\n";
        assert!(ended.stderr.ends_with(said), "{}", ended.stderr);
    }

    let fake = cluster([]).await;
    fake.fail("/api/v1/persistentvolumes?", usize::MAX, Fault::Refused(403, "no volumes for you"));
    let ended = refused(&fake, 3, &["fix", "-n", "db"]).await;
    assert_eq!(ended.stdout, "fix found no problem, but not everything could be read.\n");
    assert!(ended.stderr.contains("warning: persistentvolumes cannot be listed"), "{}", ended.stderr);
}

/// `audit` and `explain` mention `fix` only for a cluster, and only if `fix` has a repair.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn audit_and_explain_name_the_command_that_repairs() {
    let fake = cluster([released("data", "Retain")]).await;
    let url = fake.url();
    for (words, said) in [
        (&["audit", "-A"][..], format!("fix has 1 repair for these findings: kubectl pvctl fix -A --server {url}\n")),
        (
            &["audit", "-n", "db"],
            format!("fix has 1 repair for these findings: kubectl pvctl fix -n db --server {url}\n"),
        ),
        (
            &["audit", "-A", "-o", "wide", "-l", "!tier"],
            format!("fix has 1 repair for these findings: kubectl pvctl fix OBJECT -A --server {url}\n"),
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
    // If the kubeconfig states the cluster and the namespace, the printed command needs no flags.
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
    assert!(ended.stderr.ends_with("\nfix has 1 repair for these findings: kubectl pvctl fix\n"), "{}", ended.stderr);
    // Files cannot be repaired.
    let objects = json!({"apiVersion": "v1", "kind": "List", "items": [released("data", "Retain")]});
    for words in [&["audit", "-f", "-"][..], &["explain", "pv/data", "-f", "-"]] {
        let ended = Run::new(words).stdin(objects.to_string().as_bytes()).finish();
        assert!(!ended.stderr.contains("pvctl fix"), "{words:?}: {}", ended.stderr);
    }
    // `audit` does not mention `fix` if all findings are suppressed.
    fake.replace({
        let mut kept = released("data", "Retain");
        kept["metadata"]["annotations"] = json!({"pvctl.dev/ignore": "pv-released-retain=kept"});
        kept
    });
    let ended = run(&fake, &["audit", "-A"]).await;
    assert!(!ended.stderr.contains("for these findings: kubectl pvctl fix"), "{}", ended.stderr);
}

/// `fix --yes --dry-run` shows the repairs that `fix --yes` would make.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_dry_run_of_fix_shows_what_it_would_do() {
    // The namespace is being deleted. For each volume that its claims have, there is a separate plan that keeps the
    // data.
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
    assert!(shown.stderr.contains("after these repairs, --yes would look for further findings"), "{}", shown.stderr);
    let done = run(&fake, &words).await;
    assert_eq!(done.code, Some(0), "{}{}", done.stdout, done.stderr);
    assert_eq!(fake.writes().len(), 2);

    // A repair that is not safe is not made, but this is not reported as a change of the cluster.
    let mut old = released("data", "Retain");
    old["metadata"]["creationTimestamp"] = "2025-06-01T00:00:00Z".into();
    let fake = cluster([old]).await;
    let shown = refused(&fake, 1, &["fix", "pv/data", "--yes", "--dry-run"]).await;
    assert!(shown.stdout.contains("(not safe)"), "{}", shown.stdout);
    assert!(!shown.stdout.contains("set spec.claimRef"), "{}", shown.stdout);
    assert!(!shown.stderr.contains("the cluster has changed"), "{}", shown.stderr);
    let note = "note: --yes would repair none of these findings: none has a repair that is safe without asking";
    assert!(shown.stderr.replace("\n  ", " ").contains(note), "{}", shown.stderr);
    // Without --yes the first repair that a person may choose is shown.
    let shown = refused(&fake, 1, &["fix", "pv/data", "--dry-run"]).await;
    assert!(shown.stdout.contains("set spec.claimRef of pv/data to db/data"), "{}", shown.stdout);

    let fake = cluster([released("data", "Retain")]).await;
    fake.deny("patch");
    let shown = refused(&fake, 1, &["fix", "pv/data", "--yes", "--dry-run"]).await;
    assert!(shown.stderr.contains("you may not: patch persistentvolumes data"), "{}", shown.stderr);
}

/// If the state after a repair differs from the predicted one, the finding does not count as repaired, and the exit
/// code is not 0.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn fix_does_not_count_a_repair_with_an_unexpected_result() {
    let fake = cluster(bound("db", "data", "disk")).await;
    fake.hold_write(0);
    let words = ["fix", "pv/disk", "--yes", "--only", "pv-delete-static-surprise"];
    let state = tempfile::tempdir().unwrap();
    let running = Running::start(&fake, state.path(), &words);
    Running::until_writes(&fake, 1).await;
    // A later read of the volume shows that another client has set the former policy again.
    let [back, _] = bound("db", "data", "disk");
    fake.fail("/api/v1/persistentvolumes/disk", usize::MAX, Fault::Body(back.to_string().leak()));
    fake.let_go();
    let ended = running.end().await;
    assert_eq!(ended.code, Some(1), "{}{}", ended.stdout, ended.stderr);
    assert!(
        ended.stderr.contains("warning: pv/disk has policy Delete, although Retain was written"),
        "{}",
        ended.stderr
    );
    assert!(ended.stderr.contains("\n0 findings repaired, 0 left\n"), "{}", ended.stderr);
}

/// A repair was safe when the finding was made. If it is not safe when it is planned, the cluster has changed.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_repair_that_is_no_longer_safe_is_a_change_of_the_cluster() {
    let mut old = released("data", "Retain");
    old["metadata"]["creationTimestamp"] = "2025-06-01T00:00:00Z".into();
    let fake = cluster([old]).await;
    // The first read shows a volume that is younger than the namespace.
    let list = json!({"kind": "PersistentVolumeList", "apiVersion": "v1", "metadata": {"resourceVersion": "7"},
        "items": [released("data", "Retain")]});
    fake.fail("/api/v1/persistentvolumes?", 1, Fault::Body(list.to_string().leak()));
    let ended = refused(&fake, 4, &["fix", "pv/data", "--yes"]).await;
    assert!(ended.stdout.contains("release: volume data is offered again, to claim db/data alone (safe)"));
    let said = "error: the cluster has changed, and the repair is not safe any more: nothing was written\n";
    assert!(ended.stderr.replace("\n  ", " ").contains(said), "{}", ended.stderr);
}

/// If the cluster cannot be read after a repair, the exit code is 1, and not that of a failed read.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn fix_that_cannot_read_again_says_what_it_did() {
    let fake = cluster([released("data", "Retain")]).await;
    fake.hold_write(0);
    let state = tempfile::tempdir().unwrap();
    let running = Running::start(&fake, state.path(), &["fix", "pv/data", "--yes"]);
    Running::until_writes(&fake, 1).await;
    fake.fail("/api/v1/persistentvolumes?", usize::MAX, Fault::Page(502));
    fake.let_go();
    let ended = running.end().await;
    assert_eq!(ended.code, Some(1), "{}{}", ended.stdout, ended.stderr);
    assert!(ended.stdout.contains("\nDone: volume data is offered again"), "{}", ended.stdout);
    assert!(ended.stderr.contains("\nerror: "), "{}", ended.stderr);
    let said = "note: the remaining findings could not be determined; `kubectl pvctl history` lists the repairs that \
                were made\n";
    assert!(ended.stderr.replace("\n  ", " ").ends_with(said), "{}", ended.stderr);
    // If nothing was repaired, the exit code is that of a failed read.
    let fake = cluster([released("data", "Retain")]).await;
    fake.deny("patch");
    fake.fail("/api/v1/persistentvolumes?", 2, Fault::Slow(Duration::ZERO));
    fake.fail("/api/v1/persistentvolumes?", usize::MAX, Fault::Page(502));
    let ended = refused(&fake, 3, &["fix", "pv/data", "--yes"]).await;
    assert!(ended.stderr.contains("you may not: patch persistentvolumes data"), "{}", ended.stderr);
}
