//! Journals and plan files that are used on another cluster, on the same cluster at another address, and after objects
//! were replaced. Other tests are about journals of repairs that never began.
#![cfg(unix)]
#![expect(clippy::disallowed_methods, clippy::unwrap_used, reason = "a test changes journals, and fails by panicking")]

use crate::project::schema::{assert_valid, validator};
use crate::repair::verbs::{bound, cluster, newest, play, released, stopped_at_second_step, with};
use crate::support::api::ApiServer;
use crate::support::faults::Fault;
use crate::support::screen::{Screen, plain};
use crate::support::{Finished, Run};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The question after a plan.
const QUESTION: &str = "Carry out this plan?";

/// The words that continue the newest journal.
const ON: [&str; 3] = ["apply", "--continue", "--yes"];

/// The words that undo the newest journal.
const BACK: [&str; 2] = ["undo", "--yes"];

/// The words of a command line, and its exit code.
type Ran<'w> = (&'w [&'w str], i32);

/// Turns the server into another cluster at the same address.
fn another_cluster(fake: &ApiServer) {
    fake.replace(
        json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "kube-system", "uid": "uid-other"},
        "status": {"phase": "Active"}}),
    );
}

/// Lets the server refuse to tell which cluster it is.
fn hide(fake: &ApiServer) {
    fake.fail("/api/v1/namespaces/kube-system", usize::MAX, Fault::Refused(403, "namespaces is forbidden"));
}

/// Returns another address of the same server.
fn other_address(fake: &ApiServer) -> String {
    format!("http://localhost:{}", fake.port())
}

/// Runs the program on the server at this address.
async fn at(url: &str, journals: &Path, arguments: &[&str]) -> Finished {
    let state = journals.to_str().unwrap().to_owned();
    let words: Vec<String> = arguments.iter().chain(&["--server", url]).map(|&word| word.to_owned()).collect();
    let run = move || {
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        Run::new(&words).env("XDG_STATE_HOME", &state).finish()
    };
    tokio::task::spawn_blocking(run).await.unwrap()
}

fn flat(ended: &Finished) -> String {
    ended.stderr.replace("\n  ", " ")
}

fn file(journals: &Path, id: &str) -> PathBuf {
    journals.join("kubectl-pvctl").join(format!("{id}.jsonl"))
}

/// Changes the header of a journal.
fn edit_header(file: &Path, change: impl Fn(&mut Value)) {
    let whole = std::fs::read_to_string(file).unwrap();
    let (header, rest) = whole.split_once('\n').unwrap();
    let mut header: Value = serde_json::from_str(header).unwrap();
    change(&mut header);
    std::fs::write(file, format!("{header}\n{rest}")).unwrap();
}

/// A repair of an old cluster is not carried out on a new cluster at the same address.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn another_cluster_at_the_same_address_is_refused() {
    let state = tempfile::tempdir().unwrap();
    let journals = state.path();
    let (fake, _) = stopped_at_second_step(journals).await;
    let id = newest(&fake, journals).await;
    let plan = with(&fake, journals, "", &["release", "pv/data", "-o", "yaml"]).await;
    assert_eq!(plan.code, Some(0), "{}", plan.stderr);
    another_cluster(&fake);
    let url = fake.url();
    let names = [
        format!("belongs to the cluster at {url} with uid cluster-{}", fake.port()),
        format!("this is the cluster at {url} with uid uid-other: nothing was written"),
    ];
    for words in [
        &["apply", "--continue", "--yes"][..],
        &["apply", "--continue", &id, "--yes"],
        &["undo", "--yes"],
        &["undo", &id, "--yes"],
        &["undo", &id, "--dry-run"],
        &["apply", "-", "--yes"],
    ] {
        let ended = with(&fake, journals, &plan.stdout, words).await;
        assert_eq!((ended.code, fake.writes().len()), (Some(6), 2), "{words:?}: {}{}", ended.stdout, ended.stderr);
        for name in &names {
            assert!(flat(&ended).contains(name), "{words:?}: {}", ended.stderr);
        }
    }
    // Repairs of the new cluster are possible. Its journals are distinguished from those of the old cluster.
    let done = with(&fake, journals, "", &["release", "pv/data", "--yes"]).await;
    assert_eq!(done.code, Some(0), "{}{}", done.stdout, done.stderr);
    let back = with(&fake, journals, "", &["undo", "--yes"]).await;
    assert_eq!(back.code, Some(0), "{}{}", back.stdout, back.stderr);
    let listed = with(&fake, journals, "", &["history", "-o", "json"]).await;
    let history: Value = serde_json::from_str(&listed.stdout).unwrap();
    assert_valid(&validator("History"), &history, "history -o json");
    let clusters: Vec<&str> =
        history["items"].as_array().unwrap().iter().map(|item| item["cluster"].as_str().unwrap()).collect();
    assert_eq!(clusters, ["uid-other", "uid-other", &format!("cluster-{}", fake.port())]);
    let shown = with(&fake, journals, "", &["history", &id]).await;
    assert!(shown.stdout.contains(&format!("CLUSTER  cluster-{}", fake.port())), "{}", shown.stdout);
}

/// The newest journal of this cluster is used, although a journal of another cluster is newer. A note names the ignored
/// journal.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_journal_of_another_cluster_is_ignored_with_a_note() {
    let state = tempfile::tempdir().unwrap();
    let journals = state.path();
    let fake = cluster([released("data", "Retain"), released("more", "Delete")]).await;
    let done = with(&fake, journals, "", &["retain", "pv/more", "--yes"]).await;
    assert_eq!(done.code, Some(0), "{}{}", done.stdout, done.stderr);
    let done = with(&fake, journals, "", &["release", "pv/data", "--yes"]).await;
    assert_eq!(done.code, Some(0), "{}{}", done.stdout, done.stderr);
    let id = newest(&fake, journals).await;
    edit_header(&file(journals, &id), |header| header["cluster"] = "uid-before".into());
    let back = with(&fake, journals, "", &["undo", "--dry-run"]).await;
    assert_eq!(back.code, Some(0), "{}{}", back.stdout, back.stderr);
    assert!(back.stdout.contains("pv/more") || back.stdout.contains("volume more"), "{}", back.stdout);
    let note = format!(
        "note: journal {id} is ignored, because it belongs to the cluster at {} with uid uid-before",
        fake.url()
    );
    assert!(flat(&back).contains(&note), "{}", back.stderr);
}

/// An address does not identify a cluster. A repair that began at one address can be continued and undone at another
/// address.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_same_cluster_at_another_address_is_accepted() {
    let state = tempfile::tempdir().unwrap();
    let journals = state.path();
    let (fake, _) = stopped_at_second_step(journals).await;
    let other = other_address(&fake);
    let ended = at(&other, journals, &["apply", "--continue", "--yes"]).await;
    assert_eq!(ended.code, Some(0), "{}{}", ended.stdout, ended.stderr);
    assert!(!ended.stderr.contains("only the address shows"), "{}", ended.stderr);
    let back = at(&other, journals, &["undo", "--yes"]).await;
    assert_eq!(back.code, Some(0), "{}{}", back.stdout, back.stderr);
    let nothing = with(&fake, journals, "", &["undo", "--yes"]).await;
    assert_eq!(nothing.code, Some(2), "{}{}", nothing.stdout, nothing.stderr);
    let plan = with(&fake, journals, "", &["release", "pv/data", "-o", "json"]).await;
    let document: Value = serde_json::from_str(&plan.stdout).unwrap();
    assert_valid(&validator("Plan"), &document, "release -o json");
    assert_eq!(document["cluster"], json!({"server": fake.url(), "uid": format!("cluster-{}", fake.port())}));
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("plan.json");
    std::fs::write(&path, &plan.stdout).unwrap();
    let applied = at(&other, journals, &["apply", path.to_str().unwrap(), "--yes"]).await;
    assert_eq!(applied.code, Some(0), "{}{}", applied.stdout, applied.stderr);
}

/// If the uid may not be read, the cluster is identified by its address, and the output says so. Every object must be
/// the same.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn without_the_uid_the_address_and_the_objects_decide() {
    for unstated in [false, true] {
        let state = tempfile::tempdir().unwrap();
        let journals = state.path();
        let (fake, _) = stopped_at_second_step(journals).await;
        let id = newest(&fake, journals).await;
        if unstated {
            // If the uid may not be read, the header of a journal looks like this.
            edit_header(&file(journals, &id), |header| {
                header.as_object_mut().unwrap().remove("cluster");
            });
        } else {
            hide(&fake);
        }
        let go_on = ["apply", "--continue", "--yes"];
        let elsewhere = at(&other_address(&fake), journals, &["apply", "--continue", &id, "--yes"]).await;
        assert_eq!(elsewhere.code, Some(6), "{}{}", elsewhere.stdout, elsewhere.stderr);
        assert!(flat(&elsewhere).contains("whose uid is not known"), "{}", elsewhere.stderr);
        let as_it_was = fake.object("PersistentVolume", "data").unwrap();
        let mut another = as_it_was.clone();
        another["metadata"]["uid"] = "uid-anew".into();
        fake.replace(another);
        let refused = with(&fake, journals, "", &go_on).await;
        assert_eq!((refused.code, fake.writes().len()), (Some(5), 2), "{}{}", refused.stdout, refused.stderr);
        let said = "pv/data is not the object that the repair was about: its uid is uid-anew, but journal";
        assert!(flat(&refused).contains(said), "{}", refused.stderr);
        assert!(flat(&refused).contains("another cluster may have the same address now"), "{}", refused.stderr);
        fake.replace(as_it_was);
        let ended = with(&fake, journals, "", &go_on).await;
        assert_eq!(ended.code, Some(0), "{}{}", ended.stdout, ended.stderr);
        assert!(flat(&ended).contains("only the address shows that"), "{}", ended.stderr);
    }
}

/// If the uid cannot be read for another reason than a missing right, the cluster is unknown. Then nothing is written.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_unknown_cluster_is_not_written_to() {
    let state = tempfile::tempdir().unwrap();
    let journals = state.path();
    let fake = cluster([released("data", "Delete")]).await;
    for answer in [
        Fault::Refused(500, "etcd is away"),
        Fault::Page(502),
        Fault::Body("{\"metadata\":{\"name\":\"x\",\"uid\":\"y\"}}"),
    ] {
        fake.fail("/api/v1/namespaces/kube-system", 1, answer);
        let ended = with(&fake, journals, "", &["retain", "pv/data", "--yes"]).await;
        assert_eq!((ended.code, fake.writes().len()), (Some(3), 0), "{}{}", ended.stdout, ended.stderr);
        assert!(ended.stderr.starts_with("error: "), "{}", ended.stderr);
    }
}

/// If a volume was created again under its name, or now has other storage, it is not the volume of the journal.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_repair_of_a_volume_that_was_replaced_is_not_continued() {
    let state = tempfile::tempdir().unwrap();
    let journals = state.path();
    let (fake, _) = stopped_at_second_step(journals).await;
    let id = newest(&fake, journals).await;
    let as_it_was = fake.object("PersistentVolume", "data").unwrap();
    let mut anew = as_it_was.clone();
    anew["metadata"]["uid"] = "uid-anew".into();
    anew["spec"]["csi"]["volumeHandle"] = "of-somebody-else".into();
    let mut restored = as_it_was.clone();
    restored["spec"]["csi"]["volumeHandle"] = "of-somebody-else".into();
    let (on, back) = (["apply", "--continue", &id, "--yes"], ["undo", &id, "--yes"]);
    let cases: [(Value, String, [Ran<'_>; 4]); 2] = [
        (
            restored,
            format!("it is csi d.example.com of-somebody-else, but journal {id} has csi d.example.com data"),
            [(&ON, 5), (&BACK, 4), (&on, 5), (&back, 4)],
        ),
        // This journal can neither be continued nor undone. So it does not block other journals, and is checked only if
        // its id is given.
        (
            anew,
            format!("its uid is uid-anew, but journal {id} has uid-data"),
            [(&ON, 5), (&back, 4), (&on, 5), (&back, 4)],
        ),
    ];
    for (object, said, runs) in cases {
        let is_lost = object["metadata"]["uid"] == "uid-anew";
        fake.replace(object);
        for (words, code) in runs {
            let ended = with(&fake, journals, "", words).await;
            let came = (ended.code, fake.writes().len());
            assert_eq!(came, (Some(code), 2), "{words:?}: {}{}", ended.stdout, ended.stderr);
            assert!(flat(&ended).contains(&said), "{words:?}: {}", ended.stderr);
            let leads_on = ended.stderr.contains("continues the repair as soon as nothing prevents this");
            assert_eq!(leads_on, code == 5 && !is_lost, "{words:?}: {}", ended.stderr);
        }
    }
    for words in [&ON[..], &BACK] {
        let ended = with(&fake, journals, "", words).await;
        assert_eq!((ended.code, fake.writes().len()), (Some(2), 2), "{words:?}: {}{}", ended.stdout, ended.stderr);
        assert!(flat(&ended).contains("no journal of "), "{words:?}: {}", ended.stderr);
    }
    let listed = with(&fake, journals, "", &["history"]).await;
    assert!(listed.stdout.contains("lost at step 2"), "{}", listed.stdout);
    // If the same volume exists again, the first reading was of another cluster, or it was wrong.
    fake.replace(as_it_was);
    let ended = with(&fake, journals, "", &on).await;
    assert_eq!(ended.code, Some(0), "{}{}", ended.stdout, ended.stderr);
}

/// An undo that wrote nothing has not begun. The repair that it should undo is continued instead.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_journal_without_a_write_is_never_continued() {
    let state = tempfile::tempdir().unwrap();
    let journals = state.path();
    let fake = cluster(bound("db", "data", "disk")).await;
    let words = ["move", "pvc/data", "-n", "db", "--to-namespace", "web", "--yes", "--timeout", "2s"];
    let stopped = with(&fake, journals, "", &words).await;
    assert_eq!((stopped.code, fake.writes().len()), (Some(5), 2), "{}{}", stopped.stdout, stopped.stderr);
    let mut volume = fake.object("PersistentVolume", "disk").unwrap();
    volume["status"]["phase"] = "Released".into();
    volume["metadata"]["resourceVersion"] = "seen".into();
    fake.replace(volume);
    fake.refuse_write(2, 403, "not now");
    let undo = with(&fake, journals, "", &["undo", "--yes"]).await;
    assert_eq!(undo.code, Some(6), "{}{}", undo.stdout, undo.stderr);
    let empty = newest(&fake, journals).await;
    assert!(empty.contains("-undo-"), "{empty}");
    let named = with(&fake, journals, "", &["apply", "--continue", &empty, "--yes"]).await;
    assert_eq!(named.code, Some(2), "{}{}", named.stdout, named.stderr);
    let said = format!("{empty} has written nothing, so there is nothing to continue");
    assert!(flat(&named).contains(&said), "{}", named.stderr);
    let player = play(&fake);
    let ended = with(&fake, journals, "", &["apply", "--continue", "--yes"]).await;
    player.abort();
    assert_eq!(ended.code, Some(0), "{}{}", ended.stdout, ended.stderr);
    assert_eq!(fake.object("PersistentVolumeClaim", "data").unwrap()["metadata"]["namespace"], "web");
}

/// A foreign file is not a journal, even if it has the name of a journal. A damaged journal may belong to a repair that
/// has written something.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn foreign_files_are_ignored_and_damaged_journals_are_not() {
    let state = tempfile::tempdir().unwrap();
    let journals = state.path();
    let fake = cluster([released("data", "Retain")]).await;
    let done = with(&fake, journals, "", &["release", "pv/data", "--yes"]).await;
    assert_eq!(done.code, Some(0), "{}{}", done.stdout, done.stderr);
    for (name, text) in [("zzz", "{\"event\":1}\n"), ("zz-notes", "not json\nat all\n"), ("99990101T000000Z", "\n")] {
        std::fs::write(file(journals, name), text).unwrap();
    }
    std::fs::create_dir(file(journals, "zz-folder")).unwrap();
    let shown = with(&fake, journals, "", &["undo", "--dry-run"]).await;
    assert_eq!(shown.code, Some(0), "{}{}", shown.stdout, shown.stderr);
    for name in ["zzz", "zz-notes", "zz-folder", "99990101T000000Z"] {
        let note = format!("note: {name} among the journals is ignored, because it is not a journal: ");
        assert_eq!(flat(&shown).matches(&note).count(), 1, "{}", shown.stderr);
    }
    for (name, text, why) in [
        ("zzzz", "{\"record\":\"header\",\"version\":9}\n", "version 9 of journals is not known here"),
        ("zzzz", "{\"record\":\"header\",\"version\":2}\n", "missing field"),
        ("20991231T000000Z-move-0123abcd", "\0\0\0\n", "line 1: "),
        ("20991231T000000Z-move-0123abcd-2", "{}\n", "a journal begins with a header"),
    ] {
        std::fs::write(file(journals, name), text).unwrap();
        for words in [&["undo", "--yes"][..], &["apply", "--continue", "--yes"]] {
            let ended = with(&fake, journals, "", words).await;
            assert_eq!((ended.code, fake.writes().len()), (Some(3), 1), "{name}: {}{}", ended.stdout, ended.stderr);
            let said = flat(&ended);
            assert!(said.contains(&format!("journal {name} cannot be read")) && said.contains(why), "{name}: {said}");
        }
        std::fs::remove_file(file(journals, name)).unwrap();
    }
    let undone = with(&fake, journals, "", &["undo", "--yes"]).await;
    assert_eq!(undone.code, Some(0), "{}{}", undone.stdout, undone.stderr);
}

/// Starts a repair in a terminal.
fn screen(fake: &ApiServer, journals: &Path, words: &[&str]) -> Screen {
    let url = fake.url();
    let directory = journals.join("kubectl-pvctl");
    let all = [words, &["--server", &url, "--journal", directory.to_str().unwrap()]].concat();
    Screen::start(160, &[], &all)
}

/// Returns a bound volume with policy Delete, and its claim, which is being deleted.
fn going() -> [Value; 2] {
    let [volume, mut claim] = bound("db", "data", "disk");
    claim["metadata"]["deletionTimestamp"] = "2023-11-14T22:00:00Z".into();
    claim["metadata"]["deletionGracePeriodSeconds"] = 0.into();
    [volume, claim]
}

/// A restore waits until its claim is gone. The claim goes while the program asks the person. The plan accepts this,
/// and the data are kept.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_claim_that_is_gone_before_the_answer_does_not_stop_the_plan() {
    let state = tempfile::tempdir().unwrap();
    let fake = cluster(going()).await;
    let mut terminal = screen(&fake, state.path(), &["restore", "pvc/data", "-n", "db"]);
    terminal.until(QUESTION);
    fake.remove("PersistentVolumeClaim", "data");
    terminal.press("y\r");
    // The controllers are slow: the volume is still Bound when the first step is done.
    terminal.until("step 2 of");
    let player = play(&fake);
    let (code, shown) = tokio::task::spawn_blocking(|| terminal.end()).await.unwrap();
    player.abort();
    assert_eq!(code, Some(0), "{}", plain(shown.as_bytes()));
    let volume = fake.object("PersistentVolume", "disk").unwrap();
    assert_eq!(volume["spec"]["persistentVolumeReclaimPolicy"], "Retain");
    let claim = fake.object("PersistentVolumeClaim", "data").unwrap();
    assert_eq!(volume["spec"]["claimRef"]["uid"], claim["metadata"]["uid"]);
}

/// Another client changes the claimRef of the volume while the program asks the person. Then there is another plan, and
/// the program asks again. With `--yes` the new plan is carried out if it does no more than what was requested.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_world_that_changes_at_the_question_is_planned_anew() {
    let changed = || {
        let mut other = released("data", "Retain");
        other["spec"]["claimRef"]["uid"] = "uid-another".into();
        other["metadata"]["resourceVersion"] = "20".into();
        other
    };
    let again = "note: the cluster has changed since you agreed, and nothing was written";
    for (key, code, writes) in [("y\r", 0, 1), ("n\r", 6, 0)] {
        let state = tempfile::tempdir().unwrap();
        let fake = cluster([released("data", "Retain")]).await;
        let mut terminal = screen(&fake, state.path(), &["release", "pv/data"]);
        terminal.until(QUESTION);
        fake.replace(changed());
        terminal.press("y\r");
        terminal.until(again);
        terminal.until(QUESTION);
        terminal.press(key);
        let (ended, shown) = tokio::task::spawn_blocking(|| terminal.end()).await.unwrap();
        let shown = plain(shown.as_bytes());
        assert_eq!((ended, fake.writes().len()), (Some(code), writes), "{shown}");
    }

    // The dry run of the review is slow. Meanwhile an object changes on which the plan depends.
    let tried = "/api/v1/persistentvolumes/data?fieldManager=kubectl-pvctl&dryRun=All";
    let meanwhile = async |words: &'static [&'static str], change: Value| {
        let state = tempfile::tempdir().unwrap();
        let fake = cluster([released("data", "Retain")]).await;
        fake.fail(tried, 1, Fault::Slow(Duration::from_secs(2)));
        let (own, path) = (fake.clone(), state.path().to_owned());
        let run = tokio::spawn(async move { with(&own, &path, "", words).await });
        while fake.count(tried) == 0 {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        fake.replace(change);
        (run.await.unwrap(), fake, state)
    };
    let (ended, fake, _) = meanwhile(&["release", "pv/data", "--yes"], changed()).await;
    assert_eq!((ended.code, fake.writes().len()), (Some(0), 1), "{}{}", ended.stdout, ended.stderr);
    assert!(flat(&ended).contains(again), "{}", ended.stderr);
    // There is no plan for the changed cluster. The error first says that the cluster has changed.
    let mut held = released("data", "Retain");
    held["status"]["phase"] = "Bound".into();
    let (ended, fake, state) = meanwhile(&["release", "pv/data", "--yes"], held).await;
    assert_eq!((ended.code, fake.writes().len()), (Some(4), 0), "{}{}", ended.stdout, ended.stderr);
    assert!(flat(&ended).contains("because: there is no plan for the present state: "), "{}", ended.stderr);
    // The journal of a repair that has not begun does not block another repair.
    let nothing = with(&fake, state.path(), "", &["apply", "--continue", "--yes"]).await;
    assert_eq!(nothing.code, Some(2), "{}{}", nothing.stdout, nothing.stderr);
}

/// A plan from a file is either carried out unchanged, or not at all.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_plan_of_a_file_is_not_planned_anew() {
    let state = tempfile::tempdir().unwrap();
    let fake = cluster([released("data", "Retain")]).await;
    let plan = with(&fake, state.path(), "", &["release", "pv/data", "-o", "json"]).await;
    let path = state.path().join("plan.json");
    std::fs::write(&path, &plan.stdout).unwrap();
    let mut terminal = screen(&fake, state.path(), &["apply", path.to_str().unwrap()]);
    terminal.until(QUESTION);
    let mut other = released("data", "Retain");
    other["spec"]["claimRef"]["uid"] = "uid-another".into();
    fake.replace(other);
    terminal.press("y\r");
    let (code, shown) = tokio::task::spawn_blocking(|| terminal.end()).await.unwrap();
    assert_eq!((code, fake.writes().len()), (Some(4), 0), "{}", plain(shown.as_bytes()));
}

/// If the clock of the machine is before 1970, the journal has that time. But certificates cannot be checked.
#[cfg(all(target_os = "linux", target_env = "gnu", any(target_arch = "x86_64", target_arch = "aarch64")))]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_clock_before_1970_is_no_bug() {
    const CLOCK: &str = r#"
        use std::ffi::{c_int, c_long};
        #[repr(C)] pub struct Time { seconds: i64, nanoseconds: c_long }
        unsafe extern "C" { fn syscall(number: c_long, ...) -> c_long; }
        const NUMBER: c_long = if cfg!(target_arch = "x86_64") { 228 } else { 113 };
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn clock_gettime(clock: c_int, time: *mut Time) -> c_int {
            unsafe {
                let done = syscall(NUMBER, clock, time);
                if done == 0 && clock == 0 { (*time).seconds = -31_536_000; }
                done as c_int
            }
        }
    "#;
    let state = tempfile::tempdir().unwrap();
    let (source, library) = (state.path().join("clock.rs"), state.path().join("libclock.so"));
    std::fs::write(&source, CLOCK).unwrap();
    let rustc = Path::new(env!("CARGO")).with_file_name("rustc");
    let words = ["--edition=2024", "--crate-type=cdylib", "-o", library.to_str().unwrap(), source.to_str().unwrap()];
    let built = Run::of(&rustc, &words).finish();
    assert_eq!(built.code, Some(0), "{}", built.stderr);
    let run = async |words: Vec<String>| {
        let (library, home) = (library.to_str().unwrap().to_owned(), state.path().to_str().unwrap().to_owned());
        let run = move || {
            let words: Vec<&str> = words.iter().map(String::as_str).collect();
            Run::new(&words).env("LD_PRELOAD", &library).env("XDG_STATE_HOME", &home).finish()
        };
        tokio::task::spawn_blocking(run).await.unwrap()
    };
    let words = |words: &[&str]| words.iter().map(|&word| word.to_owned()).collect::<Vec<_>>();
    let fake = cluster([released("data", "Retain")]).await;
    let url = fake.url();
    for verb in [&["release", "pv/data"][..], &["undo"], &["release", "pv/data"]] {
        let ended = run(words(&[verb, &["--yes", "--server", &url]].concat())).await;
        assert_eq!(ended.code, Some(0), "{verb:?}: {}{}", ended.stdout, ended.stderr);
    }
    // No server is needed: if certificates cannot be checked, no request is sent.
    let ended = run(words(&["retain", "pv/data", "--server", "https://127.0.0.1:1", "--yes"])).await;
    assert_eq!(ended.code, Some(3), "{}{}", ended.stdout, ended.stderr);
    assert!(flat(&ended).contains("the clock of this machine shows a time before 1970"), "{}", ended.stderr);
}
