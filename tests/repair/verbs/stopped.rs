//! Plans that stop before their end, and how they are continued.

use super::{Running, cluster, newest, refused, released, run, stopped_at_second_step, waiting, with};
use crate::support::faults::Fault;
use pvctl::repair::{Plan, StableHash};
use serde_json::{Value, json};
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

/// If a write in the middle of a plan is refused, the journal can be continued.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_plan_that_stops_can_be_continued() {
    let state = tempfile::tempdir().unwrap();
    let journals = state.path();
    let (fake, stopped) = stopped_at_second_step(journals).await;
    let id = newest(&fake, journals).await;
    assert!(stopped.stderr.contains(&format!("\njournal: {id}\n")), "{}", stopped.stderr);
    assert!(stopped.stderr.contains("kubectl pvctl apply --continue"), "{}", stopped.stderr);
    assert_eq!(stopped.stderr.matches("kubectl pvctl undo").count(), 1, "{}", stopped.stderr);
    let listed = with(&fake, journals, "", &["history"]).await;
    assert!(listed.stdout.contains("stopped at step 2"), "{}", listed.stdout);
    assert!(listed.stdout.lines().next().is_some_and(|headers| headers.ends_with(" AGE")), "{}", listed.stdout);
    let ended = with(&fake, journals, "", &["apply", "--continue", "--yes"]).await;
    assert_eq!(ended.code, Some(0), "{}{}", ended.stdout, ended.stderr);
    assert!(ended.stdout.contains("pv/data is Available, reserved for db/data"), "{}", ended.stdout);
    let nothing = with(&fake, journals, "", &["apply", "--continue", "--yes"]).await;
    assert_eq!(nothing.code, Some(2), "{}", nothing.stderr);
    // The journal of one cluster is not used on another cluster.
    let other = cluster([released("data", "Delete")]).await;
    let elsewhere = with(&other, journals, "", &["undo", "--yes"]).await;
    assert_eq!(elsewhere.code, Some(2), "{}", elsewhere.stderr);
    assert!(elsewhere.stderr.contains("no journal of the cluster at"), "{}", elsewhere.stderr);
    let listed = with(&fake, journals, "", &["history", "-o", "json"]).await;
    let history: Value = serde_json::from_str(&listed.stdout).unwrap();
    let id = history["items"][0]["id"].as_str().unwrap();
    let elsewhere = with(&other, journals, "", &["undo", id, "--yes"]).await;
    assert_eq!(elsewhere.code, Some(6), "{}", elsewhere.stderr);
    assert!(elsewhere.stderr.contains("belongs to the cluster at"), "{}", elsewhere.stderr);
    let missing = with(&other, journals, "", &["undo", "20200101T000000Z-move-00000000", "--yes"]).await;
    assert_eq!(missing.code, Some(2), "{}", missing.stderr);
    assert!(other.writes().is_empty());
}

/// An earlier run has carried out a part of the plan. If a later run cannot continue, it says that an earlier run has
/// written a part, and how to continue. If the cluster has changed, the exit code is 5 (a part was written), and not 4
/// (nothing was written).
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_plan_that_cannot_be_continued_is_reported_as_done_in_part() {
    let state = tempfile::tempdir().unwrap();
    let journals = state.path();
    let (fake, _) = stopped_at_second_step(journals).await;
    let id = newest(&fake, journals).await;
    let part = "an earlier run has written a part of this plan, or may have written it";
    let ways = [
        format!("kubectl pvctl apply --continue {id} continues the repair as soon as nothing prevents this"),
        format!("kubectl pvctl undo {id} undoes what was done"),
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
    // A dry run does not mention the earlier run.
    let shown = with(&fake, journals, "", &["apply", "--continue", "--dry-run"]).await;
    assert_eq!(shown.code, Some(4), "{}{}", shown.stdout, shown.stderr);
    assert!(!shown.stderr.contains("an earlier run"), "{}", shown.stderr);
    fake.replace(as_it_was);
    // If there is no consent, a permission is missing, or a read fails, the exit code is that of the later run.
    begun(6, "there is no terminal to ask on: nothing was written", &go_on[..2]).await;
    fake.deny("patch");
    begun(6, "you may not: patch persistentvolumes data", &go_on).await;
    fake.fail("/api/v1/persistentvolumes", usize::MAX, Fault::Page(502));
    begun(3, "error: ", &go_on).await;
}

/// A repair that stopped and was then undone is not continued. A plan that does not follow from its request is not
/// continued, either.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_journal_is_continued_only_if_its_plan_follows_from_its_request() {
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
        ("/request", "to", json!({"to": "anyone"}), "it does not require that the name data is typed"),
    ];
    for (part, field, value, said) in changes {
        let mut header: Value = serde_json::from_str(header).unwrap();
        header["plan"].pointer_mut(part).unwrap()[field] = value;
        // If only the plan is edited, its hash does not fit any more.
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
    assert!(nothing.stderr.contains("all repairs are finished or undone"), "{}", nothing.stderr);
    let id = file.file_stem().unwrap().to_str().unwrap();
    let named = with(&fake, journals, "", &["apply", "--continue", id, "--yes"]).await;
    assert_eq!(named.code, Some(2), "{}", named.stderr);
    assert!(named.stderr.contains("was undone"), "{}", named.stderr);
}

/// If admission refuses the new claim, the repair is refused before the old claim is deleted. If a quota has room for
/// it only without the old claim, this is a warning.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_claim_is_not_deleted_for_one_that_is_not_admitted() {
    let words = ["recreate", "pvc/late", "-n", "db", "--set", "size=2Gi", "--provisioner-stopped", "--yes"];
    let tried = "/api/v1/namespaces/db/persistentvolumeclaims?fieldManager=kubectl-pvctl&dryRun=All";
    let fake = cluster([waiting("late")]).await;
    fake.fail(tried, 1, Fault::Refused(403, "admission webhook \"size.example.com\" denied the request"));
    let ended = refused(&fake, 6, &words).await;
    let said = ended.stderr.replace("\n  ", " ");
    assert!(said.contains("(tried with the name late-pvctl-1, because the old claim still has the real name)"));
    assert!(fake.object("PersistentVolumeClaim", "late").is_some());

    let fake = cluster([waiting("late")]).await;
    let full = "late is forbidden: exceeded quota: storage, requested: requests.storage=2Gi, used: requests.storage=9Gi, \
                limited: requests.storage=9Gi";
    fake.fail(tried, 1, Fault::Refused(403, full));
    let ended = refused(&fake, 6, &words).await;
    let said = ended.stderr.replace("\n  ", " ");
    assert!(said.contains("after its deletion there is still not enough of requests.storage"), "{}", ended.stderr);
    assert!(fake.object("PersistentVolumeClaim", "late").is_some());

    let fake = cluster([waiting("late")]).await;
    let tight = "late is forbidden: exceeded quota: storage, requested: requests.storage=2Gi, used: requests.storage=9Gi, \
                 limited: requests.storage=10Gi";
    fake.fail(tried, 1, Fault::Refused(403, tight));
    let ended = run(&fake, &words).await;
    assert_eq!(ended.code, Some(0), "{}{}", ended.stdout, ended.stderr);
    let shown = ended.stdout.replace("\n    ", " ");
    assert!(shown.contains("a quota has no room for it while the old claim exists"), "{}", ended.stdout);
    let made = fake.object("PersistentVolumeClaim", "late").unwrap();
    assert_eq!(made["spec"]["resources"]["requests"]["storage"], "2Gi");
    assert_ne!(made["metadata"]["uid"], "uid-late");
}

/// After Ctrl-C during the last request, the program waits for the answer. It says what was done, and writes it into
/// the journal.
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
    assert!(nothing.stderr.contains("all repairs are finished or undone"), "{}", nothing.stderr);

    // If the plan waits after the request, Ctrl-C ends the run before this wait.
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
        ended.stderr.contains(&format!("kubectl pvctl apply --continue {id} continues from here")),
        "{}",
        ended.stderr
    );
    let ended = with(&fake, journals, "", &["apply", "--continue", "--yes"]).await;
    assert_eq!((ended.code, fake.writes().len()), (Some(0), 1), "{}{}", ended.stdout, ended.stderr);
    assert!(ended.stdout.contains("pv/data is Available, reserved for db/data"), "{}", ended.stdout);
}

/// After Ctrl-C during the wait for the controllers, the wait ends immediately, even in the middle of a read. The
/// output says what was done.
#[cfg(unix)]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_interrupt_after_the_last_step_ends_the_waiting() {
    let mut lost = waiting("late");
    lost["status"]["phase"] = "Lost".into();
    let lost = lost.to_string().leak();
    let path = "/api/v1/namespaces/db/persistentvolumeclaims/late";
    let silent = Duration::from_secs(25);
    for (answer, known) in [(Fault::Body(lost), true), (Fault::Slow(silent), false)] {
        let fake = cluster([waiting("late")]).await;
        let state = tempfile::tempdir().unwrap();
        fake.hold_write(1);
        let running =
            Running::start(&fake, state.path(), &["recreate", "pvc/late", "-n", "db", "--set", "size=2Gi", "--yes"]);
        Running::until_writes(&fake, 2).await;
        // The claim never reaches the predicted state.
        fake.fail(path, usize::MAX, answer);
        let read = fake.count(path);
        fake.let_go();
        while fake.count(path) == read {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        let begin = std::time::Instant::now();
        running.interrupt().await;
        let ended = running.end().await;
        assert!(
            begin.elapsed() < Duration::from_secs(8),
            "the wait must end at once, but lasted {:?}",
            begin.elapsed()
        );
        let id = newest(&fake, state.path()).await;
        assert_eq!(ended.code, Some(130), "{}{}", ended.stdout, ended.stderr);
        assert!(ended.stdout.contains("\nDone: claim db/late is replaced"), "{}", ended.stdout);
        assert!(ended.stdout.contains(&format!("\nJournal: {id}\n")), "{}", ended.stdout);
        assert_eq!(ended.stdout.contains("\n  pvc/late -n db is Lost"), known, "{}", ended.stdout);
        assert_eq!(
            ended.stderr.contains("note: the present state was not read completely"),
            !known,
            "{}",
            ended.stderr
        );
        assert!(ended.stderr.ends_with(&format!("error: interrupted, after {id} was done\n")), "{}", ended.stderr);
        let nothing = with(&fake, state.path(), "", &["apply", "--continue", "--yes"]).await;
        assert_eq!(nothing.code, Some(2), "{}", nothing.stderr);
    }
}

/// If the plan cannot be shown, nothing is written. If it was carried out, the repair is complete, even if nobody reads
/// the output.
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
    assert_eq!(std::fs::read_dir(state.path()).unwrap().count(), 0, "there must be no journal");

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

/// If the result cannot be printed completely, this is not a failure. The most important part of it is printed on
/// stderr.
#[cfg(unix)]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_result_that_cannot_be_printed_is_no_failure() {
    use std::io::Write as _;
    use std::os::fd::OwnedFd;
    use std::os::unix::net::UnixStream;
    let fake = cluster([released("data", "Delete")]).await;
    let state = tempfile::tempdir().unwrap();
    fake.hold_write(0);
    // Once the socket is full, each write to it fails immediately.
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
    assert!(
        flat.contains("warning: the plan was carried out, but the answer could not be written in full: "),
        "{}",
        ended.stderr
    );
    assert!(flat.ends_with(&format!(": the journal is {id}\n")), "{}", ended.stderr);
}

/// A journal that somebody else may have written is not used. If somebody else can write in a directory, no journal is
/// begun there.
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
    refused(&words, "its mode is 0777, but only its owner may have the right to write to it").await;
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
        refused(words, "its mode is 0620, but only its owner may have the right to read and write it").await;
        mode(&file, 0o600);
        std::fs::rename(&file, &elsewhere).unwrap();
        symlink(&elsewhere, &file).unwrap();
        refused(words, "it is a symbolic link").await;
        std::fs::remove_file(&file).unwrap();
        std::fs::rename(&elsewhere, &file).unwrap();
        mode(&directory, 0o770);
        refused(words, "its mode is 0770, but only its owner may have the right to write to it").await;
        mode(&directory, 0o700);
    }

    // The journal of the repair says what its undo may give up. So this journal must be trusted as well.
    let ended = with(&fake, state.path(), "", &["apply", "--continue", "--yes"]).await;
    assert_eq!(ended.code, Some(0), "{}{}", ended.stdout, ended.stderr);
    let done = fake.writes().len();
    fake.refuse_write(done + 1, 403, "not now");
    let stopped = with(&fake, state.path(), "", &["undo", "--yes"]).await;
    assert_eq!(stopped.code, Some(5), "{}{}", stopped.stdout, stopped.stderr);
    mode(&file, 0o660);
    refused(
        &["apply", "--continue", "--yes"],
        "its mode is 0660, but only its owner may have the right to read and write it",
    )
    .await;
}
