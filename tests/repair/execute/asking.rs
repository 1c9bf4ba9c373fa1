//! The requests that ask the API server something before anything is written: dry runs, rights and quotas.

use super::{NEW_LIST, NOW, OLD_LIST, PV, RecordingObserver, Server, options};
use crate::support::faults::Fault;
use pvctl::execute::{Journal, Options, PlanCompletion, StopKind, execute, receipts};
use pvctl::model::Kind;
use pvctl::repair::{self, Plan, Receipts};
use serde_json::{Value, json};

#[tokio::test(start_paused = true)]
async fn a_rehearsal_writes_nothing() {
    let server = Server::new();
    let confirmed = server.confirmed().await;
    let mut journal = Journal::rehearsal(confirmed.plan());
    let options = Options { server_dry_run: true, ..options() };
    let ear = RecordingObserver::new();
    let before = server.store(|store| store.objects().map(|(_, object)| object.clone()).collect::<Vec<_>>());
    let outcome = execute(&server.client(), confirmed, &mut journal, &options, &ear).await.unwrap();
    assert_eq!(outcome, PlanCompletion { written: false, done: vec![1, 5], untried: vec![2, 4] });
    assert_eq!(server.store(|store| store.objects().map(|(_, object)| object.clone()).collect::<Vec<_>>()), before);
    assert_eq!(server.writes().len(), 0);
    assert!(
        ear.heard.lock().unwrap().contains(
            &"2 untried: volume pv-1 is tied to claim db/data and has policy Delete: its data would be deleted with the claim"
                .to_owned()
        )
    );
    // Without a journal no plan is carried out.
    let confirmed = server.confirmed().await;
    let stop = execute(&server.client(), confirmed, &mut journal, &self::options(), &ear).await.unwrap_err();
    assert_eq!(stop.kind, StopKind::Refused);
    assert_eq!(server.writes().len(), 0);
}

#[tokio::test(start_paused = true)]
async fn receipts_say_what_is_permitted_and_accepted() {
    let server = Server::new();
    let plan = server.plan().await;
    let asked = receipts(&server.client(), &plan).await.unwrap();
    assert_eq!(asked.dry_run, Some(Ok(())));
    assert!(asked.rights.iter().all(|(_, given)| *given == Some(true)));
    let shown: Vec<String> = asked
        .rights
        .iter()
        .map(|(right, _)| format!("{} {} {}/{}", right.verb, right.kind.resource(), right.namespace, right.name))
        .collect();
    for wanted in [
        "get persistentvolumes /pv-1",
        "patch persistentvolumes /pv-1",
        "delete persistentvolumeclaims db/data",
        "create persistentvolumeclaims shop/",
        "list pods db/",
        "list volumeattachments /",
    ] {
        assert!(shown.contains(&wanted.to_owned()), "{wanted} in {shown:?}");
    }
    assert_eq!(server.writes().len(), 0);

    server.store(|store| store.denied.insert("delete".to_owned()));
    let asked = receipts(&server.client(), &plan).await.unwrap();
    let denied: Vec<_> = asked.rights.iter().filter(|(_, given)| *given == Some(false)).collect();
    assert!(denied.len() == 1 && denied[0].0.kind == Kind::PersistentVolumeClaim);

    let server = Server::new().fault("POST /apis/authorization", Fault::Refused(403, "not even that"));
    let asked = receipts(&server.client(), &plan).await.unwrap();
    assert_eq!(asked.rights.iter().filter(|(_, given)| given.is_none()).count(), 1);

    let server = Server::new().fault(&format!("dry POST {NEW_LIST}"), Fault::Refused(403, "policy says no"));
    let asked = receipts(&server.client(), &plan).await.unwrap();
    assert_eq!(asked.dry_run, Some(Err("create pvc/moved -n shop: HTTP 403: policy says no".to_owned())));
    let rejected = server.review(plan.clone(), &asked).await.unwrap_err();
    assert_eq!(rejected.refusal.by, "admission");

    let other: super::Act = |store, _| store.edit(PV, |volume| volume["metadata"]["uid"] = json!("another-uid"));
    let server = Server::new().acts("POST /apis/authorization", other);
    assert_eq!(receipts(&server.client(), &plan).await.unwrap_err().kind, StopKind::Changed);
}

/// The name of the new claim may be free only after the old claim is gone. Then the creation is tried under another
/// name before the deletion.
#[tokio::test(start_paused = true)]
async fn a_claim_whose_name_is_taken_is_tried_under_another() {
    let tried = |server: &Server| {
        assert_eq!(server.writes(), [""; 0]);
        let dry = format!("dry POST {OLD_LIST}");
        let bodies = server.log().into_iter().zip(server.bodies()).filter(|(line, _)| *line == dry);
        bodies.map(|(_, body)| body).collect::<Vec<Value>>()
    };
    let server = Server::new();
    let plan = server.plan_to_replace("late").await;
    let asked = receipts(&server.client(), &plan).await.unwrap();
    assert_eq!((asked.dry_run, asked.doubts), (Some(Ok(())), Vec::new()));
    let bodies = tried(&server);
    // The creation of the new claim is tried. The creation of the old claim is tried as well, because the way back
    // would create it.
    assert_eq!(bodies.len(), 2);
    assert_eq!(bodies[0]["metadata"]["name"], "late-pvctl-1");
    assert_eq!(bodies[0]["metadata"]["namespace"], "db");
    assert_eq!(bodies[0]["spec"]["resources"]["requests"]["storage"], "2Gi");
    assert!(server.log().contains(&format!("GET {OLD_LIST}/late-pvctl-1")));

    // A name that another claim already has is not used.
    let taken = json!({ "apiVersion": "v1", "kind": "PersistentVolumeClaim",
        "metadata": { "name": "late-pvctl-1", "namespace": "db", "uid": "other" }, "spec": {}, "status": {} });
    server.store(|store| store.put_at(&format!("{OLD_LIST}/late-pvctl-1"), taken));
    server.forget();
    assert_eq!(receipts(&server.client(), &plan).await.unwrap().dry_run, Some(Ok(())));
    assert_eq!(tried(&server)[0]["metadata"]["name"], "late-pvctl-2");

    // A name has a maximum length, so the old name is cut before the suffix is added. The cut name must not end with a
    // dot.
    let server = Server::new();
    let plan = server.plan_to_replace(&format!("{}.{}", "a".repeat(244), "b".repeat(8))).await;
    receipts(&server.client(), &plan).await.unwrap();
    assert_eq!(tried(&server)[0]["metadata"]["name"], format!("{}-pvctl-1", "a".repeat(244)));
}

/// If admission refuses the creation, the plan is refused before anything is deleted. If the creation is refused for
/// another reason, the plan has a warning.
#[tokio::test(start_paused = true)]
async fn a_creation_that_is_tried_under_another_name_refuses_or_warns() {
    const TRIED: &str =
        "create pvc/late -n db (tried with the name late-pvctl-1, because the old claim still has the real name)";
    for (code, message) in [
        (403, "admission webhook \"size.example.com\" denied the request: too large"),
        (422, "persistentvolumeclaims \"late-pvctl-1\" is forbidden: ValidatingAdmissionPolicy 'size' denied request"),
        (400, "admission webhook \"size.example.com\" denied the request: no"),
    ] {
        let server = Server::new();
        let plan = server.plan_to_replace("late").await;
        let server = server.fault(&format!("dry POST {OLD_LIST}"), Fault::Refused(code, message));
        let asked = receipts(&server.client(), &plan).await.unwrap();
        let why = format!("{TRIED}: HTTP {code}: {message}");
        assert_eq!((&asked.dry_run, asked.doubts.len()), (&Some(Err(why.clone())), 0));
        let rejected = server.review(plan, &asked).await.unwrap_err();
        assert_eq!(rejected.refusal.by, "admission");
        assert_eq!(rejected.refusal.message, format!("the API server refuses a write in a dry run: {why}"));
        assert_eq!(server.writes().len(), 0);
    }
    let quota = "persistentvolumeclaims \"late-pvctl-1\" is forbidden: exceeded quota: storage, requested: \
                 persistentvolumeclaims=1, used: persistentvolumeclaims=2, limited: persistentvolumeclaims=2";
    let right = "persistentvolumeclaims is forbidden: User \"jane\" cannot create resource \"persistentvolumeclaims\" in \
                 API group \"\" in the namespace \"db\"";
    for (code, message, doubt) in [
        (
            403,
            quota,
            "create pvc/late -n db: a quota has no room for it while the old claim exists; after its deletion \
             there is enough",
        ),
        (403, right, TRIED),
        (409, "Operation cannot be fulfilled on resourcequotas \"storage\"", TRIED),
    ] {
        let server = Server::new();
        let plan = server.plan_to_replace("late").await;
        let server = server.fault(&format!("dry POST {OLD_LIST}"), Fault::Refused(code, message));
        let asked = receipts(&server.client(), &plan).await.unwrap();
        assert_eq!(asked.dry_run, Some(Ok(())), "{message}");
        assert_eq!(asked.doubts, [format!("{doubt}: HTTP {code}: {message}")]);
        assert_eq!(server.writes().len(), 0);
    }
    // If the user may not look for a free name, the answer says that the creation was not tried.
    let server = Server::new();
    let plan = server.plan_to_replace("late").await;
    let server = server.fault(&format!("GET {OLD_LIST}/late-pvctl-1"), Fault::Refused(403, "not yours"));
    let asked = receipts(&server.client(), &plan).await.unwrap();
    let doubt = "create pvc/late -n db: this could not be tried, because the old claim still has the name, and no other free name was found";
    assert_eq!((asked.dry_run, asked.doubts), (Some(Ok(())), vec![doubt.to_owned()]));
}

/// Another client may write between the read and the dry run of a review. This is not a reason against the repair.
#[tokio::test(start_paused = true)]
async fn a_dry_run_is_repeated_if_another_client_writes() {
    const MODIFIED: &str = "the object has been modified";
    let server = Server::new();
    let plan = server.plan().await;
    let server = server.fault(&format!("dry PATCH {PV}"), Fault::Refused(409, MODIFIED));
    let asked = receipts(&server.client(), &plan).await.unwrap();
    assert_eq!((asked.dry_run, asked.doubts), (Some(Ok(())), Vec::new()));
    let tried = server.log().iter().filter(|line| line.starts_with("dry PATCH")).count();
    // The first write is tried twice. The other write to the volume is tried once, and so are the two writes of the way
    // back.
    assert_eq!(tried, 5);
    // If another client changes what the step depends on, the run stops.
    server.store(|store| store.edit(PV, |volume| volume["spec"]["persistentVolumeReclaimPolicy"] = json!("Recycle")));
    assert_eq!(server.writes().len(), 0);
    let stop = receipts(&server.client(), &plan).await.unwrap_err();
    assert_eq!(stop.kind, StopKind::Changed);
}

/// A plan is data, which anybody can change. The review refuses a step that does not follow from the request. It also
/// refuses a step that the API server has not tried.
#[tokio::test(start_paused = true)]
async fn a_review_accepts_only_steps_that_follow_from_the_request_and_were_tried() {
    let server = Server::new();
    let plan = server.plan().await;
    let rejected = async |change: &dyn Fn(&mut Plan, &mut Receipts), by: &str, said: &str| {
        let (mut plan, mut granted) = (plan.clone(), Receipts::granted(&plan));
        change(&mut plan, &mut granted);
        let rejected = server.review(plan, &granted).await.unwrap_err();
        assert_eq!((rejected.refusal.by, rejected.refusal.message.as_str()), (by, said));
    };
    let not_asked = "the plan does not match its request: it gives up the data of volume pv-1";
    rejected(&|plan, _| plan.volumes[0].given_up = vec![repair::GivenUp::Data], "request", not_asked).await;
    let object = "the plan does not match its request: it gives up the object of volume pv-1";
    let gives_object = |plan: &mut Plan| plan.volumes[0].given_up = vec![repair::GivenUp::Object];
    rejected(&|plan, _| gives_object(plan), "request", object).await;
    // An undo may make a claim Lost again, but it must not delete data.
    let undo =
        repair::Request::Undo { journal: "20261122T140134Z-move-00000000".to_owned(), provisioner_stopped: false };
    rejected(
        &|plan, _| {
            plan.request = undo.clone();
            plan.volumes[0].given_up = vec![repair::GivenUp::Claim, repair::GivenUp::Data];
        },
        "request",
        not_asked,
    )
    .await;
    let thief = "the plan does not match its request: it gives volume pv-1 to claim web/thief";
    rejected(&|plan, _| plan.volumes[0].for_claims.push(("web".into(), "thief".into())), "request", thief).await;
    let untyped = "the plan does not match its request: it does not require that the name pv-1 is typed";
    let reclaim = repair::Request::Reclaim { volume: "pv-1".into(), delete: true };
    rejected(
        &|plan, _| {
            plan.request = reclaim.clone();
            plan.volumes[0].given_up = vec![repair::GivenUp::Data];
        },
        "request",
        untyped,
    )
    .await;
    let unasked = "the API server was not asked about your right to: delete persistentvolumeclaims data in db";
    rejected(&|_, asked| asked.rights.retain(|(right, _)| right.verb != "delete"), "rights", unasked).await;
    let untried = "the API server was not asked whether it accepts the first write";
    rejected(&|_, asked| asked.dry_run = None, "admission", untried).await;
    // If it is unknown which repair an undo takes back, the undo may do only what every undo may do.
    let mut back = plan.clone();
    back.request = undo;
    back.volumes[0].given_up = vec![repair::GivenUp::Claim];
    assert_eq!(repair::keeps_to_request(&back, None), Ok(()));
    assert_eq!(repair::keeps_to_request(&back, Some(&plan)), Ok(()));
    back.volumes[0].given_up.push(repair::GivenUp::Privacy);
    let privacy = "it gives up the privacy of volume pv-1".to_owned();
    assert_eq!(repair::keeps_to_request(&back, Some(&plan)), Err(privacy));
}

/// A review asks for the rights to exactly those requests that the plan makes.
#[tokio::test(start_paused = true)]
async fn rights_are_asked_for_every_request() {
    let server = Server::new();
    let mut plan = server.plan().await;
    let volume =
        serde_json::from_value(json!({ "name": "pv-1", "uid": "volume-uid", "storage": "csi csi.example.com disk-1" }))
            .unwrap();
    plan.steps[0].recheck.extend([
        repair::Recheck::NotRecycled { volume: "pv-1".into() },
        repair::Recheck::Lives { namespace: "db".into(), name: "data".into(), volume },
        repair::Recheck::AllRetained { namespace: "shop".into(), name: "other".into() },
    ]);
    let rights = repair::rights(&plan);
    let shown = rights
        .iter()
        .map(|right| format!("{} {} {}/{}", right.verb, right.kind.resource(), right.namespace, right.name));
    let expected = [
        "create persistentvolumeclaims shop/",
        "delete persistentvolumeclaims db/data",
        "get persistentvolumeclaims db/data",
        "get persistentvolumeclaims shop/moved",
        "get persistentvolumeclaims shop/other",
        "get persistentvolumes /pv-1",
        "get pods default/recycler-for-pv-1",
        "list persistentvolumes /",
        "list pods db/",
        "list pods shop/",
        "list statefulsets db/",
        "list statefulsets shop/",
        "list volumeattachments /",
        "patch persistentvolumes /pv-1",
    ];
    let mut shown: Vec<String> = shown.collect();
    shown.sort();
    let unneeded: Vec<&String> = shown.iter().filter(|right| !expected.contains(&right.as_str())).collect();
    assert!(unneeded.is_empty(), "{unneeded:?}");

    let granted = Receipts::granted(&plan);
    let confirmed = server.review(plan, &granted).await.expect("the plan must be accepted");
    server.forget();
    let directory = tempfile::tempdir().unwrap();
    let mut journal = Journal::create(directory.path(), confirmed.plan(), "https://api.example.com", NOW).unwrap();
    execute(&server.client(), confirmed, &mut journal, &options(), &RecordingObserver::new()).await.unwrap();
    let requests: Vec<String> = rights
        .iter()
        .map(|right| {
            let path = repair::path(right.kind, &right.namespace, &right.name);
            let path = path.trim_end_matches('/');
            match right.verb {
                "get" | "list" => format!("GET {path}"),
                "create" => format!("POST {path}"),
                "delete" => format!("DELETE {path}"),
                _ => format!("PATCH {path}"),
            }
        })
        .collect();
    let log = server.log();
    for line in &log {
        assert!(requests.contains(&line.trim_start_matches("dry ").to_owned()), "{line}");
    }
    assert!(log.contains(&"GET /api/v1/namespaces/default/pods/recycler-for-pv-1".to_owned()));
}

/// A quota states its limit and how much is used. If the rest is not enough even without the old claim, the old claim
/// must not be deleted.
#[tokio::test(start_paused = true)]
async fn a_quota_is_a_warning_only_where_the_old_claim_makes_room() {
    const BESIDE: &str = "create pvc/late -n db: a quota has no room for it while the old claim exists";
    // The old claim requests 1Gi of class standard, the new one 2Gi.
    let enough = [
        ("requests.storage=2Gi", "requests.storage=9Gi", "requests.storage=10Gi"),
        (
            "persistentvolumeclaims=1,requests.storage=2Gi",
            "persistentvolumeclaims=3,requests.storage=9Gi",
            "persistentvolumeclaims=3,requests.storage=10Gi",
        ),
        (
            "standard.storageclass.storage.k8s.io/requests.storage=2Gi",
            "standard.storageclass.storage.k8s.io/requests.storage=10239Mi",
            "standard.storageclass.storage.k8s.io/requests.storage=11Gi",
        ),
        (
            "standard.storageclass.storage.k8s.io/persistentvolumeclaims=1",
            "standard.storageclass.storage.k8s.io/persistentvolumeclaims=1",
            "standard.storageclass.storage.k8s.io/persistentvolumeclaims=1",
        ),
    ];
    let lacking = [
        ("requests.storage=2Gi", "requests.storage=10Gi", "requests.storage=10Gi", "requests.storage"),
        (
            "persistentvolumeclaims=1,requests.storage=2Gi",
            "persistentvolumeclaims=3,requests.storage=9729Mi",
            "persistentvolumeclaims=3,requests.storage=10Gi",
            "requests.storage",
        ),
        ("persistentvolumeclaims=1", "persistentvolumeclaims=4", "persistentvolumeclaims=3", "persistentvolumeclaims"),
        (
            "gold.storageclass.storage.k8s.io/persistentvolumeclaims=1",
            "gold.storageclass.storage.k8s.io/persistentvolumeclaims=2",
            "gold.storageclass.storage.k8s.io/persistentvolumeclaims=2",
            "gold.storageclass.storage.k8s.io/persistentvolumeclaims",
        ),
        (
            "gold.storageclass.storage.k8s.io/requests.storage=2Gi",
            "gold.storageclass.storage.k8s.io/requests.storage=9Gi",
            "gold.storageclass.storage.k8s.io/requests.storage=10Gi",
            "gold.storageclass.storage.k8s.io/requests.storage",
        ),
    ];
    let asked = async |message: String| {
        let server = Server::new();
        let plan = server.plan_to_replace("late").await;
        let message: &'static str = message.leak();
        let server = server.fault(&format!("dry POST {OLD_LIST}"), Fault::Refused(403, message));
        let asked = receipts(&server.client(), &plan).await.unwrap();
        assert_eq!(server.writes().len(), 0);
        asked
    };
    let said = |requested: &str, used: &str, limited: &str| {
        format!(
            "\"late-pvctl-1\" is forbidden: exceeded quota: q, requested: {requested}, used: {used}, limited: {limited}"
        )
    };
    for (requested, used, limited) in enough {
        let message = said(requested, used, limited);
        let asked = asked(message.clone()).await;
        assert_eq!(asked.dry_run, Some(Ok(())), "{message}");
        assert_eq!(asked.doubts, [format!("{BESIDE}; after its deletion there is enough: HTTP 403: {message}")]);
    }
    for (requested, used, limited, resource) in lacking {
        let message = said(requested, used, limited);
        let asked = asked(message.clone()).await;
        let why =
            format!("{BESIDE}, and after its deletion there is still not enough of {resource}: HTTP 403: {message}");
        assert_eq!((asked.dry_run, asked.doubts.len()), (Some(Err(why)), 0));
    }
    for message in [
        "\"late-pvctl-1\" is forbidden: exceeded quota: q",
        "\"late-pvctl-1\" is forbidden: exceeded quota: q, requested: requests.storage=2Gi, used: requests.storage=1Gi, limited: ",
        "\"late-pvctl-1\" is forbidden: exceeded quota: q, requested: requests.storage=lots, used: requests.storage=1Gi, limited: requests.storage=2Gi",
    ] {
        let asked = asked(message.to_owned()).await;
        let why = format!("{BESIDE}, and nobody knows whether there is enough after its deletion: HTTP 403: {message}");
        assert_eq!((asked.dry_run, asked.doubts.len()), (Some(Err(why)), 0));
    }
}
