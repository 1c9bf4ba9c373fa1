//! Plans of `reconnect` for the clusters in `tests/shared/`, and for small worlds.

use super::{World, changes, complete};
use crate::support::text;
use pvctl::model::Kind;
use pvctl::repair::{
    ClusterAddress, Done, Manifests, Plan, Proposed, Receipts, Recheck, Refusal, Request, SearchReach, Undo, Verdict,
    judge, review, undo,
};
use pvctl::snapshot::{CoverageEntry, CoverageState};
use serde_json::{Value, json};

const OPENEBS: &str = "pvc-a005bf34-2769-55ad-92d3-7129d28994d1";
const LONGHORN: &str = "pvc-030f3483-930d-5177-8719-95149d051e69";

fn objects(path: &str) -> Vec<Value> {
    let all: Vec<Value> = serde_yaml::from_str_multiple(&text(&format!("tests/shared/{path}.yaml"))).unwrap();
    let is_known = |object: &Value| object["kind"].as_str().and_then(Kind::from_manifest).is_some();
    all.into_iter().filter(is_known).collect()
}

/// Returns the objects without the Service of that name.
fn without_service(path: &str, name: &str) -> Vec<Value> {
    let mut objects = objects(path);
    let before = objects.len();
    objects.retain(|object| object["kind"] != "Service" || object["metadata"]["name"] != name);
    assert_eq!(objects.len(), before - 1, "{path} must have Service {name}");
    objects
}

pub(crate) fn asked(volume: &str, address: Option<&str>, server: Option<(&str, &str)>) -> Request {
    Request::Reconnect {
        volume: volume.into(),
        address: address.map(|address| ClusterAddress::parse(address).unwrap()),
        server: server.map(|(namespace, name)| (namespace.into(), name.into())),
    }
}

fn manifest(plan: &Plan) -> Value {
    plan.steps[0].write.as_ref().and_then(pvctl::repair::Write::manifest).unwrap()
}

fn said(refusal: &Refusal, by: &str, words: &str) {
    assert_eq!(refusal.by, by, "{refusal:?}");
    assert!(refusal.message.contains(words), "{refusal:?}");
}

/// The Service as `OpenEBS` creates it, with the address that the volume records. `createService`,
/// `provisioner/helper_kernel_nfs_server.go`: no labels and no owner.
#[test]
fn a_deleted_service_comes_back_with_its_address() {
    let name = format!("nfs-{OPENEBS}");
    let mut objects = without_service("openebs-nfs/service-recreated", &name);
    let other = objects.iter().any(|object| object["kind"] == "Service");
    if !other {
        objects.push(service("default", "kubernetes", "10.96.0.1"));
    }
    let world = World::new(objects);
    let plan = world.accepted(&asked(OPENEBS, None, None));
    assert_eq!(changes(&plan), [format!("svc/{name} -n openebs: create, address 10.96.41.55")]);
    assert!(plan.is_safe(), "{plan:#?}");
    let sent = manifest(&plan);
    assert_eq!(
        sent["spec"],
        json!({
            "type": "ClusterIP", "clusterIP": "10.96.41.55",
            "selector": { "openebs.io/nfs-server": name },
            "ports": [
                { "name": "nfs", "protocol": "TCP", "port": 2049, "targetPort": 2049 },
                { "name": "rpcbind", "protocol": "TCP", "port": 111, "targetPort": 111 },
            ],
        })
    );
    assert_eq!(sent["metadata"]["annotations"], json!({ "pvctl.dev/plan": plan.id }));
    assert!(sent["metadata"].get("labels").is_none() && sent["metadata"].get("ownerReferences").is_none());
}

/// The labels, the selector and the owner as Longhorn sets them. The owner is that of the share-manager pod.
#[test]
fn the_service_of_longhorn_gets_its_owner_from_the_server_pod() {
    let world = World::new(objects("longhorn/service-deleted"));
    let refused = world.refusal(&asked(LONGHORN, None, None));
    said(&refused, "address", "does not record the address that its clients use");
    assert!(refused.hints.iter().any(|hint| hint.contains("--address ADDRESS")), "{refused:?}");
    let address = "10.43.210.77";
    let plan = world.accepted(&asked(LONGHORN, Some(address), None));
    assert!(!plan.is_safe(), "a stated address needs a person: {plan:#?}");
    let sent = manifest(&plan);
    let labels = json!({ "longhorn.io/managed-by": "longhorn-manager", "longhorn.io/share-manager": LONGHORN });
    assert_eq!((&sent["metadata"]["labels"], &sent["spec"]["selector"]), (&labels, &labels));
    assert_eq!(sent["spec"]["clusterIP"], address);
    let pods = objects("longhorn/service-deleted").into_iter().filter(|object| object["kind"] == "Pod");
    let owner = pods.flat_map(|pod| pod["metadata"]["ownerReferences"].as_array().cloned().unwrap_or_default());
    let owner = owner.into_iter().find(|owner| owner["kind"] == "ShareManager");
    assert_eq!(
        sent["metadata"]["ownerReferences"].as_array().map(|owners| owners[0]["uid"].clone()),
        owner.map(|owner| owner["uid"].clone())
    );
}

/// The server has another Service by now, so the old address gets one in addition.
#[test]
fn a_recreated_service_gets_an_alias_with_the_old_address() {
    let world = World::new(objects("openebs-nfs/service-recreated"));
    let plan = world.accepted(&asked(OPENEBS, None, None));
    let sent = manifest(&plan);
    let name = format!("nfs-{OPENEBS}");
    assert_eq!(sent["metadata"]["labels"], json!({ "pvctl.dev/alias-of": name }));
    assert_eq!(sent["spec"]["clusterIP"], "10.96.41.55");
    assert_eq!(sent["spec"]["selector"], json!({ "openebs.io/nfs-server": name }));
    assert!(sent["metadata"]["name"].as_str().unwrap().ends_with("-10-96-41-55"), "{sent}");
    let server = |recheck: &Recheck| matches!(recheck, Recheck::SameServer { .. });
    assert!(plan.steps[0].recheck.iter().any(server), "{plan:#?}");
    // A second request finds the alias.
    let mut objects = objects("openebs-nfs/service-recreated");
    objects.push(sent);
    let Proposed::Nothing(why) = World::new(objects).propose(&asked(OPENEBS, None, None)) else { panic!() };
    assert!(why.contains("has address 10.96.41.55"), "{why}");
}

/// Only a person can say which server has the data.
#[test]
fn an_unknown_server_has_to_be_stated_and_typed() {
    let path = "ganesha-provisioner/service-recreated";
    let world = World::new(objects(path));
    let volumes: Vec<_> = world.snapshot.volumes().iter().map(|volume| volume.meta.name.to_string()).collect();
    let refused = world.refusal(&asked(&volumes[0], None, None));
    said(&refused, "server", "which Service the server");
    assert!(refused.hints.iter().any(|hint| hint.ends_with("--service nfs/nfs-provisioner")), "{refused:?}");
    let plan = world.accepted(&asked(&volumes[0], None, Some(("nfs", "nfs-provisioner"))));
    assert_eq!(plan.type_name.as_deref(), Some("nfs-provisioner"));
    assert!(plan.judgement.is_some());
    assert_eq!(manifest(&plan)["spec"]["clusterIP"], "10.96.45.230");
    said(&world.refusal(&asked(&volumes[0], None, Some(("nfs", "other")))), "missing", "nfs/other does not exist");
    let Proposed::Nothing(_) =
        World::new(objects("ganesha-provisioner/healthy-alias")).propose(&asked(&volumes[0], None, None))
    else {
        panic!("an alias that exists is enough")
    };
}

fn service(namespace: &str, name: &str, address: &str) -> Value {
    json!({
        "apiVersion": "v1", "kind": "Service",
        "metadata": { "namespace": namespace, "name": name, "uid": format!("uid-{name}") },
        "spec": { "type": "ClusterIP", "clusterIP": address, "clusterIPs": [address],
            "selector": { "app": name }, "ports": [{ "port": 80, "protocol": "TCP", "targetPort": 80 }] },
    })
}

/// A small world: an `OpenEBS` volume whose Service is missing.
pub(crate) fn missing() -> Vec<Value> {
    vec![
        json!({
            "apiVersion": "v1", "kind": "PersistentVolume",
            "metadata": { "name": "pv-1", "uid": "pv-uid", "labels": { "openebs.io/cas-type": "nfs-kernel" } },
            "spec": {
                "capacity": { "storage": "1Gi" }, "accessModes": ["ReadWriteMany"],
                "persistentVolumeReclaimPolicy": "Delete", "nfs": { "server": "10.96.0.7", "path": "/" },
                "claimRef": { "namespace": "db", "name": "data", "uid": "claim-uid" },
            },
            "status": { "phase": "Bound" },
        }),
        json!({
            "apiVersion": "v1", "kind": "PersistentVolumeClaim",
            "metadata": { "namespace": "db", "name": "data", "uid": "claim-uid" },
            "spec": {
                "accessModes": ["ReadWriteMany"], "volumeName": "pv-1",
                "resources": { "requests": { "storage": "1Gi" } },
            },
            "status": { "phase": "Bound" },
        }),
        super::namespace("openebs"),
        json!({
            "apiVersion": "v1", "kind": "Pod",
            "metadata": {
                "namespace": "openebs", "name": "server", "uid": "s", "labels": { "openebs.io/nfs-server": "nfs-pv-1" },
            },
            "spec": { "nodeName": "n" }, "status": { "phase": "Running" },
        }),
        service("default", "kubernetes", "10.96.0.1"),
    ]
}

#[test]
fn what_is_not_known_or_not_free_is_refused() {
    let ask = || asked("pv-1", None, None);
    let refused = |change: &dyn Fn(&mut Vec<Value>)| {
        let mut objects = missing();
        change(&mut objects);
        World::new(objects).refusal(&ask())
    };
    assert!(World::new(missing()).accepted(&ask()).is_safe());
    said(&refused(&|all| all.push(service("app", "web", "10.96.0.7"))), "address", "app/web has address 10.96.0.7");
    said(&refused(&|all| all[0]["spec"]["nfs"]["server"] = "172.20.0.7".into()), "range", "not in the range");
    said(&refused(&|all| all[0]["spec"]["nfs"]["server"] = "nfs.example.com".into()), "address", "does not record");
    said(&refused(&|all| drop(all.remove(3))), "server", "no pod in namespace openebs is the server");
    said(&refused(&|all| all[3]["status"]["phase"] = "Failed".into()), "server", "no pod in namespace openebs");
    said(&refused(&|all| drop(all.remove(2))), "namespace", "namespace openebs does not exist");
    said(&refused(&|all| all[1]["metadata"]["uid"] = "another".into()), "unused", "no claim has volume pv-1");
    said(
        &refused(&|all| all[1]["metadata"]["deletionTimestamp"] = "2026-06-01T10:00:00Z".into()),
        "unused",
        "is being deleted",
    );
    said(
        &refused(&|all| all[0]["metadata"]["labels"] = json!({})),
        "server",
        "which Service the server of volume pv-1",
    );
    let world = World::new(missing());
    said(&world.refusal(&asked("pv-1", Some("10.96.0.8"), None)), "usage", "records 10.96.0.7");
    said(&world.refusal(&asked("pv-1", None, Some(("a", "b")))), "usage", "--service has no meaning");
    said(&world.refusal(&asked("pv-2", None, None)), "missing", "volume pv-2 does not exist");
    let mut coverage = complete();
    coverage.set(CoverageEntry::new(Kind::Service, None, CoverageState::Failed));
    said(&World::with(missing(), coverage).refusal(&ask()), "unknown", "which Service the server of volume pv-1");
    let mut coverage = complete();
    coverage.set(CoverageEntry::new(Kind::Pod, None, CoverageState::Failed));
    let mut objects = missing();
    objects.remove(3);
    said(&World::with(objects, coverage).refusal(&ask()), "unknown", "could not be listed");
}

/// Names and values that the API server would not accept are refused before anything is sent.
#[test]
fn odd_names_are_refused() {
    for address in
        ["10.96.0.7.1", "", "0.0.0.0", "127.0.0.1", "224.0.0.1", "::ffff:10.96.0.7", "10.96.0.7/24", "\u{1b}[1m"]
    {
        assert!(ClusterAddress::parse(address).is_err(), "{address:?}");
    }
    assert_eq!(ClusterAddress::parse("fd00:0::7").unwrap().to_string(), "fd00::7");
    let mut all = missing();
    all[0]["metadata"]["name"] = "Pv_1".into();
    all[1]["spec"]["volumeName"] = "Pv_1".into();
    all[3]["metadata"]["labels"]["openebs.io/nfs-server"] = "nfs-Pv_1".into();
    said(&World::new(all).refusal(&asked("Pv_1", None, None)), "spec", "not a valid name of a Service");
    let text = serde_json::to_string(&asked("pv-1", Some("10.96.0.7"), None)).unwrap();
    assert!(serde_json::from_str::<Request>(&text.replace("10.96.0.7", "127.0.0.1")).is_err(), "{text}");
}

/// Returns the plan that undoes a plan, or why it is refused.
fn undo_of(world: &World, plan: &Plan, done: &[Done]) -> Result<Plan, String> {
    let manifests = Manifests::default();
    let situation = world.situation(&manifests);
    let back = match undo(&situation, "journal", false, plan, done) {
        Proposed::Plan(back) => back,
        Proposed::Nothing(why) => return Err(why),
        Proposed::Refused(refusal) => return Err(format!("{}: {}", refusal.by, refusal.message)),
    };
    let receipts = Receipts::granted(&back);
    let reviewed = review(&situation, *back, &receipts);
    reviewed
        .map(|reviewed| reviewed.plan().clone())
        .map_err(|rejected| format!("{}: {}", rejected.refusal.by, rejected.refusal.message))
}

/// The undo deletes the Service only if nobody uses the address.
#[test]
fn the_undo_is_refused_while_clients_use_the_address() {
    let world = World::new(missing());
    let plan = world.accepted(&asked("pv-1", None, None));
    let mut after = manifest(&plan);
    after["metadata"]["uid"] = "created".into();
    after["metadata"]["resourceVersion"] = "9".into();
    let done = vec![Done { step: plan.steps[0].clone(), after: Some(after.clone()), was_so: false }];
    let user = |claim: &str| {
        json!({
            "apiVersion": "v1", "kind": "Pod", "metadata": { "namespace": "db", "name": "web-0", "uid": "w" },
            "spec": { "nodeName": "n", "volumes": [{ "name": "v", "persistentVolumeClaim": { "claimName": claim } }] },
            "status": { "phase": "Running" },
        })
    };
    let with = |more: Vec<Value>| World::new([missing(), vec![after.clone()], more].concat());
    let back = undo_of(&with(Vec::new()), &plan, &done).unwrap();
    assert_eq!(changes(&back), ["svc/nfs-pv-1 -n openebs: delete"]);
    assert_eq!(back.steps[0].write.as_ref().unwrap().uid, "created");
    assert!(undo_of(&with(vec![user("other")]), &plan, &done).is_ok());
    let refused = undo_of(&with(vec![user("data")]), &plan, &done).unwrap_err();
    assert!(refused.contains("clients") && refused.contains("pod db/web-0"), "{refused}");
    // Another Service has the name now.
    let mut another = after.clone();
    another["metadata"]["uid"] = "another".into();
    let refused = undo_of(&World::new([missing(), vec![another]].concat()), &plan, &done).unwrap_err();
    assert!(refused.contains("is not the Service that the repair created"), "{refused}");
    assert!(matches!(plan.steps[0].undo, Undo::Write { .. }));
}

/// The adversary finds the harm of a plan that leaves out one of its rechecks.
#[test]
fn every_recheck_prevents_a_harm() {
    let worlds = [
        (World::new(missing()), asked("pv-1", None, None)),
        (World::new(objects("openebs-nfs/service-recreated")), asked(OPENEBS, None, None)),
    ];
    for (world, request) in worlds {
        let plan = world.accepted(&request);
        let manifests = world.manifests(&[]);
        let verdict = |plan: &Plan| judge(&world.situation(&manifests), plan, SearchReach::REVIEW);
        assert!(matches!(verdict(&plan), Verdict::Safe { .. }));
        for (place, recheck) in plan.steps[0].recheck.iter().enumerate() {
            // The API server itself refuses an address that is in use.
            if matches!(recheck, Recheck::AddressFree { .. }) {
                continue;
            }
            let mut careless = plan.clone();
            careless.steps[0].recheck.remove(place);
            assert!(matches!(verdict(&careless), Verdict::Harmful(_)), "{recheck:?}");
        }
        let Undo::Write { write, .. } = &plan.steps[0].undo else { panic!() };
        let mut back = plan.clone();
        back.steps[0].write = Some((**write).clone());
        back.steps[0].recheck.clear();
        assert!(matches!(verdict(&back), Verdict::Harmful(_)));
    }
}
