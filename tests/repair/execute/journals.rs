//! The journal of a run, as a file.

use super::{NOW, RecordingObserver, Server, go_on, run};
use pvctl::execute::{End, Journal, ResolvedDoubt, StopKind, resolve_doubt};
use pvctl::model::Timestamp;
use std::path::Path;

/// If a run is killed after all its steps, nothing is left to continue.
#[tokio::test(start_paused = true)]
async fn a_journal_without_its_last_line_is_closed() {
    let (server, dir) = (Server::new(), tempfile::tempdir().unwrap());
    let (result, id) = run(&server, dir.path(), &RecordingObserver::new()).await;
    result.unwrap();
    let path = dir.path().join(format!("{id}.jsonl"));
    let whole = std::fs::read_to_string(&path).unwrap();
    let lines = whole.trim_end().rfind('\n').unwrap() + 1;
    std::fs::write(&path, &whole[..lines]).unwrap();
    assert_eq!(Journal::read(dir.path(), &id).unwrap().end, End::Open);
    let mut journal = Journal::open(dir.path(), &id).unwrap();
    assert_eq!(resolve_doubt(&server.client(), &mut journal).await, Ok(ResolvedDoubt::Nothing));
    assert_eq!(Journal::read(dir.path(), &id).unwrap().end, End::Finished);
}

/// The newest journal is the one that was begun last, no matter which name its plan has. A file without lines is not a
/// journal.
#[tokio::test(start_paused = true)]
async fn journals_are_listed_by_when_they_were_begun() {
    let server = Server::new();
    let dir = tempfile::tempdir().unwrap();
    let mut plan = server.plan().await;
    for id in ["release-0000000a", "move-0000000b", "retain-00000001"] {
        id.clone_into(&mut plan.id);
        Journal::create(dir.path(), &plan, "", NOW).unwrap();
    }
    Journal::create(dir.path(), &plan, "", Timestamp(NOW.0 - 1)).unwrap();
    std::fs::write(dir.path().join("20261122T140200Z-undo-00000000.jsonl"), "{\"record\":\"hea").unwrap();
    let listed: Vec<String> = Journal::list(dir.path()).unwrap().into_iter().map(|summary| summary.id).collect();
    assert_eq!(
        listed,
        [
            "20261122T140134Z-retain-00000001-3",
            "20261122T140134Z-move-0000000b-2",
            "20261122T140134Z-release-0000000a",
            "20261122T140133Z-retain-00000001",
        ]
    );
}

/// A file that somebody else may have written is not used as a journal.
#[cfg(unix)]
#[tokio::test(start_paused = true)]
async fn journals_of_others_are_not_trusted() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let server = Server::new();
    let plan = server.plan().await;
    let home = tempfile::tempdir().unwrap();
    let dir = home.path().join("journals");
    let id = Journal::create(&dir, &plan, "", NOW).unwrap().id().to_owned();
    let file = dir.join(format!("{id}.jsonl"));
    let mode = |path: &Path, mode| std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
    let refused = |dir: &Path, cause: &str| {
        let stop = Journal::open(dir, &id).unwrap_err();
        assert_eq!((stop.kind, stop.causes.as_slice()), (StopKind::Refused, &[cause.to_owned()][..]));
        assert!(stop.message.ends_with(" is not trusted"), "{}", stop.message);
    };
    mode(&file, 0o640);
    refused(&dir, "its mode is 0640, but only its owner may have the right to read and write it");
    mode(&file, 0o600);
    mode(&dir, 0o770);
    refused(&dir, "its mode is 0770, but only its owner may have the right to write to it");
    assert_eq!(Journal::create(&dir, &plan, "", NOW).unwrap_err().kind, StopKind::Refused);
    mode(&dir, 0o755);
    let other = home.path().join("other");
    symlink(&dir, &other).unwrap();
    refused(&other, "it is a symbolic link");
    let elsewhere = home.path().join("elsewhere");
    std::fs::rename(&file, &elsewhere).unwrap();
    symlink(&elsewhere, &file).unwrap();
    refused(&dir, "it is a symbolic link");
    std::fs::remove_file(&file).unwrap();
    std::fs::rename(&elsewhere, &file).unwrap();
    assert_eq!(Journal::open(&dir, &id).unwrap().id(), id);
    assert_eq!(std::fs::read_dir(&dir).unwrap().count(), 1, "the directory must have no other file");
}

#[tokio::test(start_paused = true)]
async fn journals_are_private_and_exclusive() {
    let server = Server::new();
    let plan = server.plan().await;
    let home = tempfile::tempdir().unwrap();
    let dir = home.path().join("state").join("journals");
    assert!(Journal::list(&dir).unwrap().is_empty(), "without a directory there must be no journals");
    let first = Journal::create(&dir, &plan, "https://api.example.com", NOW).unwrap();
    let second = Journal::create(&dir, &plan, "https://api.example.com", NOW).unwrap();
    assert_eq!(second.id(), format!("{}-2", first.id()));
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(&dir), mode(first.path())), (0o700, 0o600));
    }
    let stop = Journal::open(&dir, first.id()).unwrap_err();
    assert_eq!(stop.kind, StopKind::Refused);
    assert!(stop.message.starts_with("another run uses the journal "), "{}", stop.message);
    let id = first.id().to_owned();
    drop(first);
    assert_eq!(Journal::open(&dir, &id).unwrap().entry().plan, plan);
    let all: Vec<String> = Journal::list(&dir).unwrap().into_iter().map(|summary| summary.id).collect();
    assert_eq!(all, [format!("{id}-2"), id.clone()]);
    assert!(
        !format!("{:?}", Journal::read(&dir, &id).unwrap()).contains("claim-uid"),
        "debug output must not contain objects"
    );
    for id in ["../x", "x.jsonl", "", "no-such-journal"] {
        assert_eq!(Journal::open(&dir, id).unwrap_err().kind, StopKind::NoJournal, "{id}");
    }
    // The directory cannot be created, because a file has its name.
    std::fs::write(home.path().join("file"), "").unwrap();
    let stop = Journal::create(&home.path().join("file"), &plan, "", NOW).unwrap_err();
    assert_eq!((stop.kind, stop.written), (StopKind::Refused, false));
}

/// A program that is just being started shares the open files of this process for a moment. So it also shares the lock
/// of a journal.
#[cfg(unix)]
#[tokio::test(start_paused = true)]
async fn starting_a_program_does_not_keep_the_lock_of_a_journal() {
    let plan = Server::new().plan().await;
    let dir = tempfile::tempdir().unwrap();
    let id = Journal::create(dir.path(), &plan, "", NOW).unwrap().id().to_owned();
    let starts = std::thread::spawn(|| {
        for _ in 0..300 {
            let ended = crate::support::Run::of(Path::new("/bin/sh"), &["-c", "exit 0"]).finish();
            assert_eq!(ended.code, Some(0), "{}", ended.stderr);
        }
    });
    while !starts.is_finished() {
        Journal::open(dir.path(), &id).unwrap();
    }
    starts.join().unwrap();
}

#[tokio::test(start_paused = true)]
async fn journals_are_read_strictly_but_for_a_torn_end() {
    let server = Server::new();
    let dir = tempfile::tempdir().unwrap();
    let (result, id) = run(&server, dir.path(), &RecordingObserver::patient_for(6)).await;
    assert_eq!(result.unwrap_err().kind, StopKind::Partial);
    let path = dir.path().join(format!("{id}.jsonl"));
    let whole = std::fs::read_to_string(&path).unwrap();
    let read = |text: &str| {
        std::fs::write(&path, text).unwrap();
        Journal::read(dir.path(), &id)
    };
    // The file is cut after every fifth byte, as on a full disk.
    let mut seen = Vec::new();
    for end in (0..whole.len()).step_by(5) {
        let lines = whole[..end].matches('\n').count();
        match read(&whole[..end]) {
            Ok(entry) => seen.push(entry.done().len()),
            Err(stop) => assert!(lines == 0 && stop.causes[0].contains("nothing was written"), "{stop:?}"),
        }
    }
    assert!(seen.is_sorted() && seen.last() == Some(&2), "{seen:?}");
    // An incomplete last line is removed before anything is appended.
    let torn = &whole[..whole.trim_end().rfind('\n').unwrap() + 20];
    std::fs::write(&path, torn).unwrap();
    go_on(&server, dir.path(), &id).await.unwrap();
    server.is_moved();
    assert_eq!(Journal::read(dir.path(), &id).unwrap().end, End::Finished);

    for (text, cause) in [
        (whole.replacen("\"version\":2", "\"version\":3", 1), "line 1: version 3 of journals is not known here"),
        (
            whole.replacen("\"record\":\"header\"", "\"record\":\"header\",\"more\":1", 1),
            "line 1: unknown field `more`",
        ),
        (whole.replacen("\"record\":\"saved\"", "\"record\":\"saved\",\"more\":1", 1), "line 2: unknown field `more`"),
        (whole.replacen("\"record\":\"saved\"", "\"record\":\"hidden\"", 1), "line 2: unknown variant `hidden`"),
        (whole.replacen("\"step\":1", "\"step\":9", 1), "line 4: the plan has no step 9"),
        (
            whole.lines().skip(1).fold(String::new(), |all, line| all + line + "\n"),
            "line 1: a journal begins with a header",
        ),
    ] {
        let stop = read(&text).unwrap_err();
        assert_eq!(stop.kind, StopKind::Unreadable);
        assert!(stop.message.contains(path.to_str().unwrap()), "{}", stop.message);
        assert!(stop.causes[0].starts_with(cause), "{:?}", stop.causes);
        let listed = Journal::list(dir.path()).unwrap();
        // The file cannot be read. But its name is that of a journal of this program.
        assert!(listed.len() == 1 && listed[0].entry.as_ref().is_err_and(|unread| !unread.foreign));
    }
}
