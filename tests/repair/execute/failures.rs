//! Requests that fail, and answers that are lost.

use super::{Act, NEW_LIST, NOW, OLD, PV, RecordingObserver, Server, controllers, go_on, options, run};
use crate::support::api::{Seen, Store};
use crate::support::faults::Fault;
use pvctl::execute::{ApiAccess, Journal, ResolvedDoubt, Sent, StopKind, execute, resolve_doubt};
use serde_json::json;
use std::sync::Mutex;
use std::time::Duration;

#[tokio::test(start_paused = true)]
async fn refusals_are_final() {
    let cases = [
        (409, "PATCH", StopKind::Changed, 1),
        (404, "PATCH", StopKind::Changed, 1),
        (403, "PATCH", StopKind::Refused, 1),
        (409, "DELETE", StopKind::Partial, 2),
        (409, "POST", StopKind::Partial, 4),
        (422, "POST", StopKind::Partial, 4),
    ];
    for (code, method, kind, writes) in cases {
        let place = format!("{method} /api");
        let server = Server::new().fault(&place, Fault::Refused(code, "no"));
        let dir = tempfile::tempdir().unwrap();
        let (result, id) = run(&server, dir.path(), &RecordingObserver::new()).await;
        let stop = result.unwrap_err();
        assert_eq!((stop.kind, stop.written), (kind, writes > 1), "{code} {method}");
        assert_eq!(server.writes().len(), writes, "{code} {method}");
        let entry = Journal::read(dir.path(), &id).unwrap();
        assert!(
            entry.in_doubt().is_none(),
            "{code} {method}: the request must not be in doubt, because it was certainly not carried out"
        );
        // The same holds if a dry run is refused.
        let server = Server::new().fault(&format!("dry {place}"), Fault::Refused(code, "no"));
        let dir = tempfile::tempdir().unwrap();
        let stop = run(&server, dir.path(), &RecordingObserver::new()).await.0.unwrap_err();
        assert_eq!(stop.kind, kind, "dry {code} {method}");
        assert_eq!(server.writes().len(), writes - 1, "dry {code} {method}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_busy_server_is_asked_again() {
    let server = Server::new().fault("DELETE /api", Fault::Busy(429, 7));
    let (dir, ear) = (tempfile::tempdir().unwrap(), RecordingObserver::new());
    let begun = tokio::time::Instant::now();
    run(&server, dir.path(), &ear).await.0.unwrap();
    assert_eq!(begun.elapsed().as_secs(), 7);
    server.is_moved();
    let again = "2 again: HTTP 429: the server has received too many requests and has asked us to try again later";
    assert!(ear.heard.lock().unwrap().contains(&again.to_owned()));
    // The program does not try for ever.
    let server = (0..6).fold(Server::new(), |server, _| server.fault("PATCH /api", Fault::Busy(429, 600)));
    let begun = tokio::time::Instant::now();
    let stop = run(&server, tempfile::tempdir().unwrap().path(), &RecordingObserver::new()).await.0.unwrap_err();
    assert_eq!((stop.kind, stop.written), (StopKind::Unreadable, false));
    assert_eq!(begun.elapsed().as_secs(), 50);
    assert_eq!(server.writes().len(), 6);
}

/// If the answer to a write is lost, the program reads the object. It sends the write again only if the first request
/// changed nothing.
#[tokio::test(start_paused = true)]
async fn lost_answers_are_cleared_up() {
    for method in ["PATCH", "DELETE", "POST"] {
        for (fault, twice) in [
            (Fault::CutBefore, true),
            (Fault::Large, true),
            (Fault::CutAfter, false),
            (Fault::SilentBefore, true),
            (Fault::SilentAfter, false),
            (Fault::Refused(500, "etcdserver: request timed out"), true),
        ] {
            let server = Server::new().fault(&format!("{method} /api"), fault);
            let dir = tempfile::tempdir().unwrap();
            let (result, id) = run(&server, dir.path(), &RecordingObserver::new()).await;
            result.unwrap();
            server.is_moved();
            let writes = server.writes().len();
            assert_eq!(writes, if twice { 5 } else { 4 }, "{method}");
            assert!(Journal::read(dir.path(), &id).unwrap().in_doubt().is_none());
        }
    }
}

/// After three requests in a row without an answer, the run stops. The step is then in doubt.
#[tokio::test(start_paused = true)]
async fn a_server_that_never_answers_is_given_up() {
    let server = (0..3).fold(Server::new(), |server, _| server.fault("POST /api/v1/namespaces/shop", Fault::CutBefore));
    let dir = tempfile::tempdir().unwrap();
    let (result, id) = run(&server, dir.path(), &RecordingObserver::new()).await;
    let stop = result.unwrap_err();
    assert_eq!(stop.kind, StopKind::Partial);
    assert_eq!(server.writes().len(), 6);
    assert_eq!(Journal::read(dir.path(), &id).unwrap().in_doubt().unwrap().id, 5);
    go_on(&server, dir.path(), &id).await.unwrap();
    server.is_moved();
}

/// The request to create the claim has no answer. It arrives after the program has read that the claim does not exist.
/// Then the claim has the volume, and the program recognizes the claim as its own.
#[tokio::test(start_paused = true)]
async fn a_claim_that_arrives_late_is_known_for_ours() {
    fn arrives(store: &mut Store, seen: &[Seen]) {
        let lost = seen.iter().rev().find(|seen| seen.writes() && seen.method == "POST").unwrap();
        lost.carry_out(store).unwrap();
        controllers(store);
    }
    let sets = "GET /apis/apps/v1/namespaces/shop/statefulsets";
    let server =
        Server::new().fault(&format!("POST {NEW_LIST}"), Fault::CutBefore).acts(sets, |_, _| {}).acts(sets, arrives);
    let dir = tempfile::tempdir().unwrap();
    let (result, id) = run(&server, dir.path(), &RecordingObserver::new()).await;
    result.unwrap();
    server.is_moved();
    assert_eq!(server.writes().len(), 4, "the creation must be requested only once");
    assert!(Journal::read(dir.path(), &id).unwrap().in_doubt().is_none());
}

/// A request had no answer, and another client wrote afterwards.
#[tokio::test(start_paused = true)]
async fn a_step_in_doubt_can_be_continued() {
    let label: Act = |store, _| {
        for path in [PV, OLD] {
            store.edit(path, |object| object["metadata"]["labels"] = json!({ "touched": "yes" }));
        }
    };
    let recycle: Act =
        |store, _| store.edit(PV, |volume| volume["spec"]["persistentVolumeReclaimPolicy"] = json!("Recycle"));
    let cases = [
        ("PATCH /api", label, ResolvedDoubt::AsExpected),
        ("DELETE /api", label, ResolvedDoubt::NotWritten),
        ("PATCH /api", recycle, ResolvedDoubt::Unknown),
    ];
    for (place, touch, settled) in cases {
        let server = (0..3).fold(Server::new(), |server, _| server.fault(place, Fault::CutBefore));
        let dir = tempfile::tempdir().unwrap();
        let (result, id) = run(&server, dir.path(), &RecordingObserver::new()).await;
        assert_eq!(result.unwrap_err().kind, StopKind::Partial);
        server.store(|store| touch(store, &[]));
        {
            let mut journal = Journal::open(dir.path(), &id).unwrap();
            assert_eq!(resolve_doubt(&server.client(), &mut journal).await, Ok(settled), "{place}");
            assert!(
                journal.entry().in_doubt().is_some(),
                "the step must be in doubt, because the request may still arrive"
            );
        }
        if settled != ResolvedDoubt::Unknown {
            go_on(&server, dir.path(), &id).await.unwrap();
            server.is_moved();
        }
    }
}

#[tokio::test(start_paused = true)]
async fn requests_keep_to_their_limit_and_are_heard() {
    let server = Server::new().fault("PATCH /api", Fault::SilentBefore);
    let confirmed = server.confirmed().await;
    let dir = tempfile::tempdir().unwrap();
    let mut journal = Journal::create(dir.path(), confirmed.plan(), "", NOW).unwrap();
    let heard = Mutex::new(Vec::new());
    let hears =
        |sent: &Sent<'_>| heard.lock().unwrap().push(format!("{} {} {:?}", sent.method, sent.path, sent.status));
    let client = server.client();
    let way = ApiAccess::from(&client).within(Duration::from_secs(2)).observed_by(&hears);
    let begun = tokio::time::Instant::now();
    execute(way, confirmed, &mut journal, &options(), &RecordingObserver::new()).await.unwrap();
    // These seconds are the time limit and the pause before the next attempt.
    assert_eq!(begun.elapsed().as_secs(), 3);
    let heard = heard.into_inner().unwrap();
    assert_eq!(heard[0], format!("GET {OLD} Some(200)"));
    assert!(heard.contains(&format!("PATCH {PV}?fieldManager=kubectl-pvctl None")), "{heard:?}");
}
