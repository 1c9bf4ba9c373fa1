//! Waiting, and runs that are interrupted or killed and continued later.

use super::{NOW, OLD, OLD_LIST, RecordingObserver, Server, WRITES, controllers, go_on, options, run};
use crate::support::faults::{At, Fault};
use pvctl::execute::{End, Journal, StopKind, execute};
use pvctl::repair::Receipts;
use std::time::Duration;

#[tokio::test(start_paused = true)]
async fn a_wait_has_a_limit() {
    let server = Server::new().acts("DELETE /api", |store, _| store.stands_still = true);
    let (dir, ear) = (tempfile::tempdir().unwrap(), RecordingObserver::new());
    let (result, id) = run(&server, dir.path(), &ear).await;
    let stop = result.unwrap_err();
    assert_eq!(stop.kind, StopKind::Partial);
    assert_eq!(
        stop.message,
        "step 2 gave up after 60 s: it waits until claim db/data is gone, but now finalizers keep it: \
         kubernetes.io/pvc-protection"
    );
    assert_eq!(
        stop.hints,
        [
            "--timeout DURATION makes it wait longer, for example --timeout 10m".to_owned(),
            format!("kubectl pvctl apply --continue {id} continues from here"),
            format!("kubectl pvctl undo {id} undoes what was done"),
        ]
    );
    assert!(ear.heard.lock().unwrap().contains(
        &"2 waits until claim db/data is gone, 59 s: finalizers keep it: kubernetes.io/pvc-protection".to_owned()
    ));
    let entry = Journal::read(dir.path(), &id).unwrap();
    assert_eq!(entry.remaining().steps.iter().map(|step| step.id).collect::<Vec<_>>(), [2, 3, 4, 5]);
    assert!(entry.remaining().steps[0].write.is_none(), "the remaining steps must not delete the claim again");
    server.store(|store| {
        store.stands_still = false;
        controllers(store);
    });
    go_on(&server, dir.path(), &id).await.unwrap();
    server.is_moved();
    assert_eq!(server.writes().len(), 4);
    assert_eq!(Journal::read(dir.path(), &id).unwrap().end, End::Finished);
}

/// If the API server fails during a wait, the wait continues.
#[tokio::test(start_paused = true)]
async fn a_wait_outlives_failures() {
    let server = Server::new()
        .acts(&format!("GET {OLD}"), |_, _| {})
        .acts(&format!("GET {OLD}"), |_, _| {})
        .acts(&format!("GET {OLD}"), |_, _| {})
        .acts(&format!("GET {OLD}"), |_, _| {})
        .fault(&format!("GET {OLD}"), Fault::CutBefore)
        .fault(&format!("GET {OLD}"), Fault::Refused(500, "etcd is away"))
        .fault(&format!("GET {OLD}"), Fault::Large);
    let (dir, ear) = (tempfile::tempdir().unwrap(), RecordingObserver::new());
    run(&server, dir.path(), &ear).await.0.unwrap();
    server.is_moved();
    let heard = ear.heard.lock().unwrap();
    let waits: Vec<&str> = heard.iter().filter(|line| line.contains("waits")).map(String::as_str).collect();
    assert_eq!(
        waits,
        [
            "2 waits until claim db/data is gone, 0 s: pvc/data -n db could not be read: no answer from the API server: \
             the connection broke",
            "2 waits until claim db/data is gone, 1 s: pvc/data -n db could not be read: HTTP 500: etcd is away",
            "2 waits until claim db/data is gone, 2 s: pvc/data -n db could not be read: the answer is larger than \
             8 MiB, which is the limit",
        ]
    );
}

#[tokio::test(start_paused = true)]
async fn an_interrupted_run_can_be_continued() {
    let mut kinds = Vec::new();
    for after in 0.. {
        let (server, dir, ear) = (Server::new(), tempfile::tempdir().unwrap(), RecordingObserver::patient_for(after));
        let (result, id) = run(&server, dir.path(), &ear).await;
        let Err(stop) = result else { break };
        let written = !server.writes().is_empty();
        assert_eq!(stop.kind, if written { StopKind::Partial } else { StopKind::Interrupted }, "{after}");
        assert_eq!(stop.written, written);
        assert!(stop.message.starts_with("interrupted at step "), "{}", stop.message);
        kinds.push(stop.kind);
        go_on(&server, dir.path(), &id).await.unwrap();
        server.is_moved();
        assert_eq!(server.writes().join(" "), WRITES.join(" "));
    }
    // At each of four writes the run asks three times whether it is interrupted: before both reads and before the
    // request. It also asks at the first read of each of four waits.
    assert_eq!(kinds.len(), 16);
    assert_eq!(kinds.iter().filter(|kind| **kind == StopKind::Interrupted).count(), 3);
}

/// The program is killed at one of the requests, before or after the server has acted. With the journal the run can be
/// continued to its end.
#[tokio::test(start_paused = true)]
async fn a_run_that_was_killed_can_be_continued() {
    let mut runs = 0;
    'all: for at in 1.. {
        for acted in [false, true] {
            let (server, dir) = (Server::new(), tempfile::tempdir().unwrap());
            let fault = if acted { Fault::SilentAfter } else { Fault::SilentBefore };
            server.0.fault(At::Request(at), fault);
            let id = {
                let confirmed = server.confirmed().await;
                let mut journal = Journal::create(dir.path(), confirmed.plan(), "", NOW).unwrap();
                let (client, ear, options) = (server.client(), RecordingObserver::new(), options());
                let whole = execute(&client, confirmed, &mut journal, &options, &ear);
                if tokio::time::timeout(Duration::from_secs(20), whole).await.is_ok() {
                    break 'all;
                }
                journal.id().to_owned()
            };
            go_on(&server, dir.path(), &id).await.unwrap_or_else(|stop| panic!("request {at}, {acted}: {stop:?}"));
            server.is_moved();
            assert_eq!(Journal::read(dir.path(), &id).unwrap().done().len(), 5);
            runs += 1;
        }
    }
    assert!(runs >= 40, "{runs}");
}

/// After Ctrl-C, the program does not wait for the answer to a read or a dry run. But it always waits for the answer to
/// a write.
#[tokio::test(start_paused = true)]
async fn an_interrupt_ends_what_only_reads() {
    for place in ["GET", "dry PATCH", "GET /api/v1/namespaces/db/pods"] {
        let server = Server::new().fault(place, Fault::SilentBefore);
        let begun = tokio::time::Instant::now();
        let stop =
            run(&server, tempfile::tempdir().unwrap().path(), &RecordingObserver::patient_for(9)).await.0.unwrap_err();
        assert!(stop.message.starts_with("interrupted at step "), "{place}: {}", stop.message);
        assert!(begun.elapsed() <= Duration::from_secs(2), "{place}: {:?}", begun.elapsed());
    }
    let server = Server::new().fault("PATCH /api", Fault::SilentAfter);
    let begun = tokio::time::Instant::now();
    let dir = tempfile::tempdir().unwrap();
    let (result, id) = run(&server, dir.path(), &RecordingObserver::patient_for(3)).await;
    assert_eq!(result.unwrap_err().kind, StopKind::Partial);
    assert_eq!(begun.elapsed().as_secs(), 30);
    go_on(&server, dir.path(), &id).await.unwrap();
    assert_eq!(server.writes().len(), 4);
}

/// The quota controller updates the quota only some time after the old claim is gone. Until then the creation is tried
/// again.
#[tokio::test(start_paused = true)]
async fn a_quota_that_still_counts_the_old_claim_is_waited_for() {
    const FULL: Fault = Fault::Refused(
        403,
        "exceeded quota: q, requested: persistentvolumeclaims=1, used: \
        persistentvolumeclaims=1, limited: persistentvolumeclaims=1",
    );
    let replaced = async |dry: usize, written: usize| {
        let server = Server::new();
        let plan = server.plan_to_replace("late").await;
        let granted = Receipts::granted(&plan);
        let confirmed = server.review(plan, &granted).await.expect("the plan is safe");
        for (start, count) in [("dry POST", dry), ("POST", written)] {
            for _ in 0..count {
                server.0.fault(At::Line(&format!("{start} {OLD_LIST}")), FULL);
            }
        }
        let directory = tempfile::tempdir().unwrap();
        let mut journal = Journal::create(directory.path(), confirmed.plan(), "https://api.example.com", NOW).unwrap();
        let begun = tokio::time::Instant::now();
        let ended = execute(&server.client(), confirmed, &mut journal, &options(), &RecordingObserver::new()).await;
        let there = server.store(|store| store.has(&format!("{OLD_LIST}/late")));
        (ended, there, begun.elapsed().as_secs())
    };
    let (ended, there, seconds) = replaced(3, 0).await;
    assert!(ended.is_ok() && there && seconds >= 6, "{ended:?} after {seconds} s");
    let (ended, there, seconds) = replaced(0, 2).await;
    assert!(ended.is_ok() && there && seconds >= 4, "{ended:?} after {seconds} s");
    // The run does not try for ever.
    let (ended, there, seconds) = replaced(6, 0).await;
    let stopped = ended.unwrap_err();
    assert_eq!((stopped.kind, there), (StopKind::Partial, false));
    assert!(stopped.message.ends_with("the API server refuses to create pvc/late -n db"), "{stopped:?}");
    assert!((10..20).contains(&seconds), "{seconds}");
}
