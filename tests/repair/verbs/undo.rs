//! `undo`: plans that undo what a journal records.

use super::{Running, bound, cluster, newest, play, released, waiting, with};
use crate::project::schema::{assert_valid, validator};
use serde_json::{Value, json};
use std::time::Duration;

/// A plan is carried out, listed, and undone. If a command is repeated, it has no further effect.
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
    assert_eq!(fake.writes().len(), 2, "the second run must not write anything");

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
    assert!(listed.stdout.contains("undone by "), "{}", listed.stdout);
    let nothing = with(&fake, journals, "", &["undo", "--yes"]).await;
    assert_eq!(nothing.code, Some(2), "{}", nothing.stderr);
    assert!(nothing.stderr.contains("not already undone"), "{}", nothing.stderr);
}

/// An undo that stopped can be continued, as its hint says. It cannot be undone itself.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_undo_that_stopped_can_be_continued() {
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
    assert_eq!(hints, [format!("kubectl pvctl apply --continue {id} continues from here")]);
    assert!(fake.object("PersistentVolumeClaim", "late").is_none());
    // If the undo is requested again, the message names the command that continues it. Writes of pvctl itself do not
    // count as writes of another client.
    let listed = with(&fake, journals, "", &["history", "-o", "json"]).await;
    let history: Value = serde_json::from_str(&listed.stdout).unwrap();
    let repair = history["items"][1]["id"].as_str().unwrap();
    let written = fake.writes().len();
    for words in [&["undo", "--yes"][..], &["undo", repair, "--yes"], &["undo", repair, "--dry-run"]] {
        let again = with(&fake, journals, "", words).await;
        assert_eq!((again.code, fake.writes().len()), (Some(6), written), "{}{}", again.stdout, again.stderr);
        let said = format!("error: {repair} was already undone in part, by {id}, which did not end");
        assert!(again.stderr.replace("\n  ", " ").contains(&said), "{}", again.stderr);
        let hints: Vec<&str> = again.stderr.lines().filter_map(|line| line.strip_prefix("hint: ")).collect();
        assert_eq!(hints, [format!("kubectl pvctl apply --continue {id} continues that undo")]);
    }
    let ended = with(&fake, journals, "", &["apply", "--continue", &id, "--yes"]).await;
    assert_eq!(ended.code, Some(0), "{}{}", ended.stdout, ended.stderr);
    let back = fake.object("PersistentVolumeClaim", "late").unwrap();
    assert_eq!(back["spec"]["resources"]["requests"]["storage"], "1Gi");
    // The repair now counts as undone.
    let nothing = with(&fake, journals, "", &["undo", "--yes"]).await;
    assert_eq!(nothing.code, Some(2), "{}", nothing.stderr);
    assert!(nothing.stderr.contains("not already undone"), "{}", nothing.stderr);
}

/// If no request of an undo was carried out, the undo has not begun. If all its requests were carried out, it is
/// finished, even if its journal does not say so.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_undo_that_was_killed_counts_by_the_requests_that_were_carried_out() {
    let fake = cluster([released("data", "Retain")]).await;
    let state = tempfile::tempdir().unwrap();
    let journals = state.path();
    let done = with(&fake, journals, "", &["release", "pv/data", "--yes"]).await;
    assert_eq!((done.code, fake.writes().len()), (Some(0), 1), "{}{}", done.stdout, done.stderr);
    let repair = newest(&fake, journals).await;
    // The request does not reach the server, and the program is killed.
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
    // The request still arrives later.
    let body = fake.writes()[1].body.clone();
    let mut back = released_again;
    back["spec"]["claimRef"] = body["spec"]["claimRef"].clone();
    back["status"]["phase"] = "Released".into();
    back["metadata"]["resourceVersion"] = "99".into();
    fake.replace(back);
    let again = with(&fake, journals, "", &["undo", &repair, "--yes"]).await;
    assert_eq!((again.code, fake.writes().len()), (Some(0), 2), "{}{}", again.stdout, again.stderr);
    let said = format!("Nothing to do: {repair} was already undone by {killed}.\n");
    assert_eq!(again.stdout.replace("\n  ", " "), said);
}

/// An undo may restore a bad state from before the repair: a Lost claim, or a volume that names a claim that is gone.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_undo_that_restores_a_lost_claim_can_be_continued() {
    let fake = cluster([released("data", "Retain")]).await;
    let state = tempfile::tempdir().unwrap();
    let journals = state.path();
    let done = with(&fake, journals, "", &["release", "pv/data", "--reserve-for", "web/new", "--yes"]).await;
    assert_eq!((done.code, fake.writes().len()), (Some(0), 1), "{}{}", done.stdout, done.stderr);
    fake.refuse_write(1, 403, "not now");
    let stopped = with(&fake, journals, "", &["undo", "--yes"]).await;
    assert_eq!(stopped.code, Some(6), "{}{}", stopped.stdout, stopped.stderr);
    // The undo has not begun, so there is nothing to continue.
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

/// If a volume is being deleted, `retain` says that its object may be deleted. It does not ask for a name. A `retain`
/// that has begun can be continued.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_retain_of_a_volume_that_is_being_deleted_can_be_continued() {
    let mut going = released("data", "Delete");
    going["metadata"]["deletionTimestamp"] = "2026-06-02T00:00:00Z".into();
    going["metadata"]["finalizers"] = json!(["external-provisioner.volume.kubernetes.io/finalizer"]);
    let fake = cluster([going]).await;
    let state = tempfile::tempdir().unwrap();
    let journals = state.path();
    // The request does not reach the server, and the program is killed.
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

/// A request that was certainly not carried out needs no undo. It does not prevent the undo of an earlier repair.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn undo_ignores_a_repair_that_wrote_nothing() {
    let fake = cluster([released("data", "Retain"), released("other", "Delete")]).await;
    let state = tempfile::tempdir().unwrap();
    let journals = state.path();
    let done = with(&fake, journals, "", &["release", "pv/data", "--yes"]).await;
    assert_eq!((done.code, fake.writes().len()), (Some(0), 1), "{}{}", done.stdout, done.stderr);
    let repair = newest(&fake, journals).await;
    // The request does not reach the server, and the program is killed.
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
    // A dry run does not wait, and does not change the time of the journal.
    let note =
        format!("note: {empty} has written nothing: its request was not carried out; the repair before it is {repair}");
    let file = aged(57);
    let shown = with(&fake, journals, "", &["undo", "--yes", "--dry-run"]).await;
    assert_eq!((shown.code, fake.writes().len()), (Some(0), 2), "{}{}", shown.stdout, shown.stderr);
    assert!(shown.stderr.replace("\n  ", " ").contains(&note), "{}", shown.stderr);
    assert!(!shown.stderr.contains("waiting"), "{}", shown.stderr);
    let age = || file.metadata().unwrap().modified().unwrap().elapsed().unwrap();
    assert!(age() >= Duration::from_secs(57), "{:?}", age());
    // The request may still arrive within a minute. Until then it is unknown what has to be undone.
    aged(57);
    let undone = with(&fake, journals, "", &["undo", "--yes"]).await;
    assert_eq!(undone.code, Some(0), "{}{}", undone.stdout, undone.stderr);
    assert!(age() >= Duration::from_mins(1), "{:?}", age());
    let flat = undone.stderr.replace("\n  ", " ");
    let waited = format!("note: the request of step 1 of {empty} was sent less than a minute ago");
    assert!(flat.contains(&waited) && flat.contains(&note), "{}", undone.stderr);
    assert_eq!(fake.object("PersistentVolume", "data").unwrap()["spec"]["claimRef"]["uid"], "uid-gone");
    assert_eq!(fake.object("PersistentVolume", "other").unwrap()["spec"]["persistentVolumeReclaimPolicy"], "Delete");
    // The journal is used if its id is given, or if no other repair is left to undo.
    for words in [&["undo", "--yes"][..], &["undo", &empty, "--yes"]] {
        let nothing = with(&fake, journals, "", words).await;
        assert_eq!(nothing.code, Some(0), "{}", nothing.stderr);
        let said = format!("Nothing to do: {empty} has written nothing, so there is nothing to undo.");
        assert!(nothing.stdout.replace("\n  ", " ").contains(&said), "{}", nothing.stdout);
    }
}

/// A request that arrives after the program was killed is undone like any other. `undo` waits for such a request.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_write_that_arrives_late_is_undone() {
    let fake = cluster([released("data", "Delete")]).await;
    let state = tempfile::tempdir().unwrap();
    let journals = state.path();
    fake.hold_write(0);
    let mut running = Running::start(&fake, journals, &["retain", "pv/data", "--yes"]);
    Running::until_writes(&fake, 1).await;
    running.child.kill().unwrap();
    assert_eq!(running.end().await.code, None);
    let repair = newest(&fake, journals).await;
    // A dry run does not wait. It says what is not certain.
    let shown = with(&fake, journals, "", &["undo", "--dry-run"]).await;
    assert_eq!(shown.code, Some(0), "{}", shown.stderr);
    let said = shown.stderr.replace("\n  ", " ");
    assert!(said.contains("may still arrive: undo waits for it before it writes"), "{said}");
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
    assert!(said.contains("may still arrive"), "{said}");
    assert!(!said.contains("has written nothing"), "{said}");
    // With policy Delete the data would be deleted, because no claim has the volume.
    assert!(said.replace("\n  ", " ").contains("volume data keeps policy Retain"), "{said}");
}
