//! How a plan is carried out step by step, and at which step it stops if the cluster has changed.

use super::{Act, NEW, NOW, OLD, PV, RecordingObserver, Server, WRITES, options, run};
use crate::support::api::{Seen, Store};
use crate::support::faults::Fault;
use pvctl::execute::{
    End, Journal, PlanCompletion, ResolvedDoubt, StopKind, execute, manifests, receipts, resolve_doubt,
};
use pvctl::repair::{self, Receipts, volume_key};
use serde_json::{Value, json};

#[tokio::test(start_paused = true)]
async fn a_claim_moves() {
    let (server, dir, ear) = (Server::new(), tempfile::tempdir().unwrap(), RecordingObserver::new());
    let (result, id) = run(&server, dir.path(), &ear).await;
    assert_eq!(result, Ok(PlanCompletion { written: true, done: vec![1, 2, 3, 4, 5], untried: vec![] }));
    server.is_moved();
    assert!(id.starts_with("20261122T140134Z-move-"), "{id}");
    let entry = Journal::read(dir.path(), &id).unwrap();
    assert_eq!(entry.end, End::Finished);
    assert_eq!(entry.saved().len(), 2);
    assert_eq!(entry.done().len(), 5);
    assert_eq!(entry.remaining().steps, []);
    assert!(entry.in_doubt().is_none() && entry.written());
    let created = entry.done()[4].after.clone().unwrap();
    assert_eq!(server.writes(), WRITES);
    let (log, bodies) = (server.log(), server.bodies());
    assert_eq!(created["metadata"]["uid"], server.store(|store| store.at(NEW)["metadata"]["uid"].clone()));
    // Each write is first tried as a dry run. The write contains the uid and the resource version of the object that
    // was just read.
    let at = log.iter().position(|line| line == WRITES[0]).unwrap();
    assert_eq!(log[at - 2..at], [format!("dry {}", WRITES[0]), format!("GET {PV}")]);
    assert_eq!(
        bodies[at],
        json!({ "metadata": { "uid": "volume-uid", "resourceVersion": "1" },
            "spec": { "persistentVolumeReclaimPolicy": "Retain" } })
    );
    let at = log.iter().position(|line| line == WRITES[1]).unwrap();
    assert_eq!(bodies[at]["preconditions"], json!({ "uid": "claim-uid", "resourceVersion": "2" }));
    // After the dry run, the objects on which the write depends are read once more.
    let looks = [
        format!("dry {}", WRITES[1]),
        format!("GET {OLD}"),
        // This read shows whether the volume still has the policy that the plan set.
        format!("GET {PV}"),
        format!("GET {OLD}"),
        "GET /api/v1/persistentvolumes".to_owned(),
        "GET /api/v1/namespaces/db/pods".to_owned(),
        "GET /apis/apps/v1/namespaces/db/statefulsets".to_owned(),
        "GET /apis/storage.k8s.io/v1/volumeattachments".to_owned(),
        format!("GET {PV}"),
    ];
    assert_eq!(log[at - 9..at], looks);
    assert_eq!(
        *ear.heard.lock().unwrap(),
        ["1 starts", "1 done", "2 starts", "2 done", "3 starts", "3 done", "4 starts", "4 done", "5 starts", "5 done"]
    );
    let lines = std::fs::read_to_string(dir.path().join(format!("{id}.jsonl"))).unwrap();
    let records: Vec<String> = lines
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap()["record"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(
        records,
        [
            "header", "saved", "saved", "intent", "done", "intent", "done", "waited", "waited", "intent", "done",
            "waited", "intent", "done", "waited", "finished"
        ]
    );
}

#[tokio::test(start_paused = true)]
async fn a_changed_world_stops_before_the_first_write() {
    let other: Act = |store, _| store.edit(PV, |volume| volume["metadata"]["uid"] = json!("another-uid"));
    let recycle: Act =
        |store, _| store.edit(PV, |volume| volume["spec"]["persistentVolumeReclaimPolicy"] = json!("Recycle"));
    let gone: Act = |store, _| store.remove(OLD);
    let cases = [
        (
            other,
            "step 1: pv/pv-1 is not as the plan expects it: another object has that name now, with uid another-uid",
        ),
        (
            recycle,
            "step 1: pv/pv-1 is not as the plan expects it: spec.persistentVolumeReclaimPolicy is Recycle, but \
             \"Delete\" was expected",
        ),
        (gone, "pvc/data -n db does not exist any more"),
    ];
    for (change, message) in cases {
        let server = Server::new().acts("GET", change);
        let dir = tempfile::tempdir().unwrap();
        let (result, id) = run(&server, dir.path(), &RecordingObserver::new()).await;
        let stop = result.unwrap_err();
        assert_eq!((stop.kind, stop.written, stop.message.as_str()), (StopKind::Changed, false, message));
        assert_eq!(server.writes().len(), 0);
        let entry = Journal::read(dir.path(), &id).unwrap();
        assert_eq!(entry.end, End::Stopped { why: message.to_owned(), written: false });
    }
}

#[tokio::test(start_paused = true)]
async fn a_changed_world_stops_after_a_write_and_says_how_to_go_on() {
    let pod: Act = |store, _| {
        store.put_at(
            "/api/v1/namespaces/db/pods/web",
            json!({ "apiVersion": "v1", "kind": "Pod", "metadata": { "name": "web", "namespace": "db", "uid": "pod" },
                "spec": { "nodeName": "node-1",
                    "volumes": [{ "name": "v", "persistentVolumeClaim": { "claimName": "data" } }] } }),
        );
    };
    let attachment: Act = |store, _| {
        store.put_at(
            "/apis/storage.k8s.io/v1/volumeattachments/va",
            json!({ "apiVersion": "storage.k8s.io/v1", "kind": "VolumeAttachment",
                "metadata": { "name": "va", "uid": "va" },
                "spec": { "attacher": "csi.example.com", "nodeName": "node-1", "source": { "persistentVolumeName": "pv-1" } } }),
        );
    };
    let delete: Act =
        |store, _| store.edit(PV, |volume| volume["spec"]["persistentVolumeReclaimPolicy"] = json!("Delete"));
    let cases = [
        (pod, "step 2: pods use claim db/data: web"),
        (attachment, "step 2: VolumeAttachments attach volume pv-1 to node-1"),
        (delete, "step 2: the policy of volume pv-1 is Delete, but Retain was expected"),
    ];
    for (change, message) in cases {
        let server = Server::new().acts("GET /api/v1/namespaces/db/pods", change);
        let dir = tempfile::tempdir().unwrap();
        let (result, id) = run(&server, dir.path(), &RecordingObserver::new()).await;
        let stop = result.unwrap_err();
        assert_eq!((stop.kind, stop.written, stop.message.as_str()), (StopKind::Partial, true, message));
        let hints = [
            format!("kubectl pvctl apply --continue {id} continues from here"),
            format!("kubectl pvctl undo {id} undoes what was done"),
        ];
        assert!(hints.iter().all(|hint| stop.hints.contains(hint)), "{:?}", stop.hints);
        assert_eq!(server.writes(), WRITES[..1]);
        assert!(server.store(|store| store.has(OLD)));
    }
}

/// A list that could not be read must not be taken for an empty list.
#[tokio::test(start_paused = true)]
async fn an_unread_list_stops() {
    let forbidden = Fault::Refused(403, "pods is forbidden");
    let server = Server::new().fault("GET /api/v1/namespaces/db/pods", forbidden);
    let dir = tempfile::tempdir().unwrap();
    let stop = run(&server, dir.path(), &RecordingObserver::new()).await.0.unwrap_err();
    assert_eq!(stop.kind, StopKind::Partial);
    assert_eq!(stop.message, "step 2: pods in namespace db could not be listed");
    assert_eq!(stop.causes, ["HTTP 403: pods is forbidden"]);
    assert_eq!(server.writes().len(), 1);
}

/// A plan sets policy Delete again only if the claim exists whose uid is in the claimRef of the volume. Another claim
/// of the same name is not enough.
#[tokio::test(start_paused = true)]
async fn a_namesake_does_not_keep_the_data() {
    let namesake: Act = |store, _| {
        store.stands_still = true;
        store.edit(NEW, |claim| claim["metadata"]["uid"] = json!("another"));
    };
    let server = Server::new();
    let request = repair::Request::Move {
        namespace: "db".into(),
        name: "data".into(),
        to_namespace: "shop".into(),
        to_name: "moved".into(),
        restore_policy: true,
    };
    let plan = server.plan_of(&request).await;
    let granted = Receipts::granted(&plan);
    let confirmed = server.review(plan, &granted).await.expect("the plan is safe");
    server.forget();
    let nothing: Act = |_, _| {};
    let server =
        [nothing, nothing, namesake].into_iter().fold(server, |server, act| server.acts("dry PATCH /api", act));
    let dir = tempfile::tempdir().unwrap();
    let mut journal = Journal::create(dir.path(), confirmed.plan(), "https://api.example.com", NOW).unwrap();
    let stop =
        execute(&server.client(), confirmed, &mut journal, &options(), &RecordingObserver::new()).await.unwrap_err();
    let said =
        "claim shop/moved does not have the uid that volume pv-1 names: with policy Delete the data would be deleted";
    assert!(stop.message.ends_with(said), "{stop:?}");
    assert_eq!(server.store(|store| store.at(PV)["spec"]["persistentVolumeReclaimPolicy"].clone()), "Retain");
}

/// If another client has already done what the step does, a conflict does not end the run. The way back does not undo
/// that step.
#[tokio::test(start_paused = true)]
async fn a_step_that_another_client_has_done_counts_as_done() {
    let retain: Act =
        |store, _| store.edit(PV, |volume| volume["spec"]["persistentVolumeReclaimPolicy"] = json!("Retain"));
    for (place, writes) in [("PATCH /api", 4), ("dry PATCH /api", 3)] {
        let server = Server::new().acts(place, retain);
        let dir = tempfile::tempdir().unwrap();
        let (result, id) = run(&server, dir.path(), &RecordingObserver::new()).await;
        result.unwrap();
        server.is_moved();
        assert_eq!(server.writes().len(), writes, "{place}");
        let done = Journal::read(dir.path(), &id).unwrap().done();
        assert_eq!(
            done.iter().map(|done| done.was_so).collect::<Vec<_>>(),
            [true, false, false, false, false],
            "{place}"
        );
    }
}

/// Another client creates a claim of this name while our request to create it is under way.
#[tokio::test(start_paused = true)]
async fn the_claim_of_a_stranger_is_not_taken_for_ours() {
    fn stranger(store: &mut Store, _: &[Seen]) {
        store.stands_still = true;
        store.put_at(
            NEW,
            json!({ "apiVersion": "v1", "kind": "PersistentVolumeClaim",
                "metadata": { "name": "moved", "namespace": "shop", "uid": "stranger" },
                "spec": { "volumeName": "pv-1" }, "status": { "phase": "Pending" } }),
        );
    }
    let server = Server::new()
        .fault("POST /api/v1/namespaces/shop", Fault::CutBefore)
        .acts("GET /api/v1/namespaces/shop", |_, _| {})
        .acts("GET /api/v1/namespaces/shop", |_, _| {})
        .acts("GET /api/v1/namespaces/shop", stranger);
    let dir = tempfile::tempdir().unwrap();
    let (result, id) = run(&server, dir.path(), &RecordingObserver::new()).await;
    let stop = result.unwrap_err();
    assert_eq!(stop.kind, StopKind::Partial);
    assert_eq!(
        stop.message,
        "step 5: pvc/moved -n shop is not as the plan expects it: an object with that name exists already"
    );
    let mut journal = Journal::open(dir.path(), &id).unwrap();
    assert_eq!(resolve_doubt(&server.client(), &mut journal).await, Ok(ResolvedDoubt::NotWritten));
    assert_eq!(
        journal.entry().done().len(),
        4,
        "the claim must not be in the journal, because another client created it"
    );
    assert_eq!(server.store(|store| store.at(NEW)["metadata"]["uid"].clone()), "stranger");
}

/// If a step cannot be undone, the message says so. It does not propose a command that would be refused.
#[tokio::test(start_paused = true)]
async fn a_stop_does_not_promise_to_undo_what_cannot_be_undone() {
    let server = Server::new();
    let mut plan = server.plan().await;
    plan.steps[1].undo = repair::Undo::Impossible { why: "gone is gone".to_owned() };
    let granted = Receipts::granted(&plan);
    let confirmed = server.review(plan, &granted).await.expect("the plan is safe");
    let server = server.acts("DELETE /api", |store, _| store.stands_still = true);
    let dir = tempfile::tempdir().unwrap();
    let mut journal = Journal::create(dir.path(), confirmed.plan(), "https://api.example.com", NOW).unwrap();
    let stop =
        execute(&server.client(), confirmed, &mut journal, &options(), &RecordingObserver::new()).await.unwrap_err();
    let id = journal.id();
    assert_eq!(
        stop.hints[1..],
        [
            format!("kubectl pvctl apply --continue {id} continues from here"),
            "step 2 cannot be undone: gone is gone".to_owned(),
        ]
    );
}

#[tokio::test(start_paused = true)]
async fn names_cannot_change_the_path_of_a_request() {
    let server = Server::new();
    for name in ["../namespaces/x", "a?x=1", "a/b", "", ".."] {
        let stop = manifests(&server.client(), &[volume_key(name)]).await.unwrap_err();
        assert_eq!(stop.kind, StopKind::Refused, "{name}");
    }
    let mut plan = server.plan().await;
    server.forget();
    let last = plan.steps.last_mut().unwrap().write.as_mut().unwrap();
    let repair::Change::Create { manifest } = &mut last.change else { panic!("the last step must create a claim") };
    manifest["metadata"]["name"] = json!("another");
    assert_eq!(receipts(&server.client(), &plan).await.unwrap_err().kind, StopKind::Refused);
    // Writes that no repair makes are refused. Writes to objects of another kind are refused as well.
    let plan = server.plan().await;
    server.forget();
    let refused = async |change: &dyn Fn(&mut repair::Write), said: &str| {
        let mut changed = plan.clone();
        change(changed.steps[0].write.as_mut().unwrap());
        let stop = receipts(&server.client(), &changed).await.unwrap_err();
        assert_eq!((stop.kind, stop.message.as_str()), (StopKind::Refused, said));
    };
    let recycle = repair::Change::SetReclaimPolicy { to: "Recycle".into() };
    refused(&|write| write.change = recycle.clone(), "no repair sets the policy of pv/pv-1 to \"Recycle\"").await;
    let said = "no repair does this: delete pv/pv-1 (only claims, attachments and Services are deleted)";
    refused(&|write| write.change = repair::Change::Delete, said).await;
    let said = "no repair does this: patch pv/pv-1 (this change is only for claims)";
    refused(&|write| write.change = repair::Change::SetClass { class: "fast".into() }, said).await;
    let said = "no repair does this: patch pvc/data -n db (this change is only for volumes)";
    refused(&|write| write.object = repair::claim_key("db", "data"), said).await;
    assert_eq!(server.log().len(), 0, "no request must be sent");
}

/// The claim was created and got the volume. But the answer was lost, and another client deleted the claim. A second
/// claim of this name would wait for ever, because the volume names the uid of the first one.
#[tokio::test(start_paused = true)]
async fn a_claim_is_not_created_for_a_volume_that_knows_another() {
    fn deleter(store: &mut Store, _: &[Seen]) {
        store.stands_still = true;
        store.remove(NEW);
        store.edit(PV, |volume| {
            volume["spec"]["claimRef"]["uid"] = json!("first");
            volume["status"]["phase"] = json!("Released");
        });
    }
    // The claim is read twice before the request and once after it.
    let read = format!("GET {NEW}");
    let server = Server::new()
        .fault("POST /api/v1/namespaces/shop", Fault::CutAfter)
        .acts(&read, |_, _| {})
        .acts(&read, |_, _| {})
        .acts(&read, deleter);
    let dir = tempfile::tempdir().unwrap();
    let (result, id) = run(&server, dir.path(), &RecordingObserver::new()).await;
    let stop = result.unwrap_err();
    assert_eq!(stop.kind, StopKind::Partial);
    assert_eq!(
        stop.message,
        "step 5: volume pv-1 names claim shop/moved with uid \"first\", so it is not reserved for claim shop/moved"
    );
    let way_on = "kubectl pvctl restore pvc/moved -n shop --from pv/pv-1 reserves the volume for the claim again, and \
                  creates the claim";
    assert_eq!(stop.hints[0], way_on);
    assert_eq!(server.writes().len(), 4, "the claim must be created only once");
    assert!(!server.store(|store| store.has(NEW)));
    // If the repair is continued, the review says this before anything is written.
    let mut journal = Journal::open(dir.path(), &id).unwrap();
    assert_eq!(resolve_doubt(&server.client(), &mut journal).await, Ok(ResolvedDoubt::NotWritten));
    let rest = journal.entry().remaining();
    let granted = Receipts::granted(&rest);
    let rejected = server.review(rest, &granted).await.unwrap_err();
    assert_eq!(
        rejected.refusal.message,
        "step 5 would stop: this condition does not hold: volume pv-1 is reserved for claim shop/moved"
    );
    assert_eq!(rejected.refusal.hints[0], way_on);
}

/// The claim has another volume than an earlier claim of the same name. A pod of the earlier claim may still exist.
#[tokio::test(start_paused = true)]
async fn a_pod_of_the_earlier_claim_stops_the_run() {
    let with_pod = |store: &mut Store, created: &str| {
        store.put_at(
            "/api/v1/namespaces/db/pods/db-0",
            json!({ "apiVersion": "v1", "kind": "Pod",
                "metadata": { "name": "db-0", "namespace": "db", "uid": "pod", "creationTimestamp": created },
                "spec": { "nodeName": "node-1",
                    "volumes": [{ "name": "v", "persistentVolumeClaim": { "claimName": "data" } }] } }),
        );
    };
    for (created, said) in [
        (
            "2026-11-21T09:59:59Z",
            Some(
                "step 1: claim db/data was deleted, and pods that may be older than 2026-11-21T10:00:00Z still use its \
                 volume: db-0",
            ),
        ),
        ("2026-11-21T10:00:00Z", None),
    ] {
        let server = Server::new();
        server.store(|store| {
            store.edit(PV, |volume| {
                volume["spec"]["persistentVolumeReclaimPolicy"] = json!("Retain");
                volume["spec"]["claimRef"]["uid"] = json!("gone");
                volume["status"]["phase"] = json!("Released");
            });
            store.edit(OLD, |claim| {
                claim["metadata"]["creationTimestamp"] = json!("2026-11-21T10:00:00Z");
                claim["spec"]["volumeName"] = json!("pv-9");
            });
            let mut other = store.at(PV).clone();
            other["metadata"]["name"] = json!("pv-9");
            other["metadata"]["uid"] = json!("other-uid");
            other["spec"]["csi"]["volumeHandle"] = json!("disk-9");
            other["spec"]["claimRef"]["uid"] = json!("claim-uid");
            other["status"]["phase"] = json!("Bound");
            store.put_at("/api/v1/persistentvolumes/pv-9", other);
        });
        let to = repair::Recipient::Claim { namespace: "shop".into(), name: "moved".into() };
        let plan = server.plan_of(&repair::Request::Release { volume: "pv-1".into(), to }).await;
        let granted = Receipts::granted(&plan);
        let confirmed = server.review(plan, &granted).await.expect("the plan is safe");
        server.forget();
        server.store(|store| with_pod(store, created));
        let dir = tempfile::tempdir().unwrap();
        let mut journal = Journal::create(dir.path(), confirmed.plan(), "https://api.example.com", NOW).unwrap();
        let result = execute(&server.client(), confirmed, &mut journal, &options(), &RecordingObserver::new()).await;
        match said {
            Some(said) => assert_eq!(result.unwrap_err().message, said),
            None => assert_eq!(result, Ok(PlanCompletion { written: true, done: vec![1], untried: vec![] })),
        }
        assert_eq!(server.writes().len(), usize::from(said.is_none()));
    }
}

/// A copy of a claim may be deleted if an existing claim has the volume that the copy names. If that claim is gone, the
/// step stops, because the data would be deleted with the copy.
#[tokio::test(start_paused = true)]
async fn the_volume_of_a_living_claim_does_not_stop() {
    const COPY: &str = "/api/v1/namespaces/shop/persistentvolumeclaims/copy";
    let gone: Act = |store, _| store.remove(OLD);
    for dies in [false, true] {
        let server = Server::new();
        server.store(|store| {
            let mut copy = store.at(OLD).clone();
            copy["metadata"]["name"] = json!("copy");
            copy["metadata"]["namespace"] = json!("shop");
            copy["metadata"]["uid"] = json!("copy-uid");
            copy["status"]["phase"] = json!("Lost");
            store.put_at(COPY, copy);
            let mut spare = store.at(PV).clone();
            spare["metadata"] = json!({ "name": "pv-2", "uid": "spare-uid" });
            spare["spec"]["csi"]["volumeHandle"] = json!("disk-2");
            spare["spec"]["claimRef"] = Value::Null;
            spare["status"]["phase"] = json!("Available");
            store.put_at("/api/v1/persistentvolumes/pv-2", spare);
        });
        let request = repair::Request::Rebind {
            namespace: "shop".into(),
            name: "copy".into(),
            to: "pv-2".into(),
            provisioner_stopped: false,
        };
        let plan = server.plan_of(&request).await;
        let granted = Receipts::granted(&plan);
        let confirmed = server.review(plan, &granted).await.expect("the plan is safe");
        server.forget();
        let server = if dies { server.acts("GET /api/v1/persistentvolumes", gone) } else { server };
        let dir = tempfile::tempdir().unwrap();
        let mut journal = Journal::create(dir.path(), confirmed.plan(), "https://api.example.com", NOW).unwrap();
        let stop = execute(&server.client(), confirmed, &mut journal, &options(), &RecordingObserver::new())
            .await
            .unwrap_err();
        let deleted = format!("DELETE {COPY}");
        let wrote = server.writes().contains(&deleted);
        assert_eq!(wrote, !dies, "{stop:?}");
        if dies {
            assert_eq!(
                stop.message,
                "step 1: volume pv-1 is tied to claim shop/copy and has policy Delete: its data would be deleted with \
                 the claim"
            );
        }
    }
}

/// A list of StatefulSets that could not be read must not be taken for an empty list.
#[tokio::test(start_paused = true)]
async fn unread_stateful_sets_stop() {
    let forbidden = Fault::Refused(403, "statefulsets is forbidden");
    let server = Server::new().fault("GET /apis/apps/v1/namespaces/db/statefulsets", forbidden);
    let dir = tempfile::tempdir().unwrap();
    let stop = run(&server, dir.path(), &RecordingObserver::new()).await.0.unwrap_err();
    assert_eq!(stop.message, "step 2: statefulsets in namespace db could not be listed");
    assert_eq!(server.writes().len(), 1);
}
