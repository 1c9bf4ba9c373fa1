//! The reasons against a plan, and the guards that state these reasons.

use super::{World, bound, changes, claim, class, complete, moving, of, pod, released, volume};
use pvctl::model::Kind;
use pvctl::repair::{
    Change, Done, Expect, Guard, Holds, Manifests, Proposed, Receipts, Request, Setting, claim_key, review, undo,
    volume_key,
};
use pvctl::snapshot::{CoverageEntry, CoverageState};
use serde_json::{Value, json};

/// If the claimRef of a volume has the uid of a claim that is gone, only the policy keeps the data. If a manifest sets
/// policy Delete, the plan must be refused.
#[test]
fn a_volume_whose_source_deletes_is_not_taken_from_its_claim() {
    let stale = volume("pv-1", "Released", of("db", "data", "c-older"));
    let lost = World::new(vec![stale, claim("db", "data", "pv-1", "Lost"), class("fast")]);
    let request =
        Request::Restore { namespace: "db".into(), name: "data".into(), from: None, provisioner_stopped: false };
    let plan = lost.accepted(&request);
    let done: Vec<Done> =
        plan.steps.iter().map(|step| Done { step: step.clone(), after: None, was_so: false }).collect();
    let judged = |applied: Option<&str>, signed: bool| {
        let mut bound = volume("pv-1", "Bound", of("db", "data", "c-data"));
        if signed {
            bound["metadata"]["labels"] = json!({ "argocd.argoproj.io/instance": "storage" });
        }
        if let Some(policy) = applied {
            let applied = json!({ "kind": "PersistentVolume", "spec": { "persistentVolumeReclaimPolicy": policy } });
            bound["metadata"]["annotations"] =
                json!({ "kubectl.kubernetes.io/last-applied-configuration": applied.to_string() });
        }
        let world = World::new(vec![bound, claim("db", "data", "pv-1", "Bound"), class("fast")]);
        let manifests = world.manifests(&[volume_key("pv-1"), claim_key("db", "data")]);
        let situation = world.situation(&manifests);
        let Proposed::Plan(back) = undo(&situation, "journal", false, &plan, &done) else { panic!() };
        assert_eq!(changes(&back), ["pv/pv-1: claimRef db/data c-older"]);
        let receipts = Receipts::granted(&back);
        match review(&situation, *back, &receipts) {
            Ok(reviewed) => {
                let owner = reviewed.guards().iter().find(|guard| guard.id == "owner");
                owner.map_or(("", String::new()), |guard| {
                    assert_eq!(guard.holds, Holds::Warns);
                    ("", guard.looked_at.clone())
                })
            }
            Err(rejected) => (rejected.refusal.by, rejected.refusal.message),
        }
    };
    let refused = "pv/pv-1 is applied by kubectl apply (annotation kubectl.kubernetes.io/last-applied-configuration), \
                   with policy Delete: the next apply sets that policy again, and the data are deleted when claim \
                   db/data has lost the volume. First set persistentVolumeReclaimPolicy to Retain in the source and \
                   apply it, then ask again";
    assert_eq!(judged(Some("Delete"), true), ("owner", refused.to_owned()));
    // It does not matter who applies the manifest.
    assert_eq!(judged(Some("Delete"), false), ("owner", refused.to_owned()));
    let warned = "pv/pv-1 belongs to Argo CD (storage), which may write it again: change it there as well";
    assert_eq!(judged(Some("Retain"), true), ("", warned.to_owned()));
    assert_eq!(judged(None, true), ("", warned.to_owned()));
    assert_eq!(judged(Some("Retain"), false), ("", String::new()));
}

/// If the applied manifest has another policy, a policy that was set by hand does not keep the data while the claim is
/// gone.
#[test]
fn a_claim_does_not_go_where_the_source_of_its_volume_deletes() {
    let judged = |policy: &str| {
        let mut objects = bound();
        objects[0]["spec"]["persistentVolumeReclaimPolicy"] = "Retain".into();
        let applied = json!({ "kind": "PersistentVolume", "spec": { "persistentVolumeReclaimPolicy": policy } });
        objects[0]["metadata"]["annotations"] =
            json!({ "kubectl.kubernetes.io/last-applied-configuration": applied.to_string() });
        World::new(objects)
    };
    let refusal = judged("Delete").refusal(&moving());
    assert_eq!(refusal.by, "owner");
    judged("Retain").accepted(&moving());
}

/// Server-side apply records who applies a volume. The owner of the policy field shows which policy is applied. If
/// pvctl has set the field since then, the applied policy is unknown.
#[test]
fn a_claim_does_not_go_where_a_manager_applies_another_policy() {
    let entry = |manager: &str, operation: &str, fields: Value| json!({ "manager": manager, "operation": operation, "fieldsType": "FieldsV1", "fieldsV1": { "f:spec": fields } });
    let policy = || json!({ "f:persistentVolumeReclaimPolicy": {} });
    let judged = |now: &str, entries: Vec<Value>| {
        let mut objects = bound();
        objects[0]["spec"]["persistentVolumeReclaimPolicy"] = now.into();
        objects[0]["metadata"]["managedFields"] = entries.into();
        World::new(objects)
    };
    let refused = |now: &str, entries: Vec<Value>| judged(now, entries).refusal(&moving());
    let refusal = refused("Delete", vec![entry("storage-sync", "Apply", policy())]);
    assert_eq!(refusal.by, "owner");
    assert!(refusal.message.contains("field manager storage-sync (server-side apply), with policy Delete"));
    let capacity = || entry("storage-sync", "Apply", json!({ "f:capacity": {} }));
    let hidden = refused("Retain", vec![capacity(), entry("kubectl-pvctl", "Update", policy())]);
    assert!(hidden.message.contains("perhaps with another policy than Retain"), "{}", hidden.message);
    // These are accepted: the manager applies Retain, or it only created the volume with this policy, or another client
    // also owns the field.
    judged("Retain", vec![entry("storage-sync", "Apply", policy())]).accepted(&moving());
    judged("Delete", vec![entry("csi-provisioner", "Update", policy())]).accepted(&moving());
    judged("Retain", vec![capacity(), entry("kubectl-edit", "Update", policy())]).accepted(&moving());
    // If a controller writes the status, this is not an apply of a manifest.
    let mut status = entry("storage-sync", "Apply", policy());
    status["subresource"] = json!("status");
    judged("Delete", vec![status]).accepted(&moving());
}

/// The owner of a claim is deleted after a part of the plan was carried out. The garbage collector would then
/// immediately delete the new claim.
#[test]
fn a_claim_is_not_created_with_an_owner_that_is_gone() {
    let set = |namespace: &str, uid: &str| {
        json!({
            "apiVersion": "apps/v1", "kind": "StatefulSet",
            "metadata": { "namespace": namespace, "name": "shop", "uid": uid },
            "spec": { "replicas": 0, "volumeClaimTemplates": [{ "metadata": { "name": "other" } }] },
        })
    };
    let mut objects = bound();
    objects[1]["metadata"]["ownerReferences"] =
        json!([{ "apiVersion": "apps/v1", "kind": "StatefulSet", "name": "shop", "uid": "s-1" }]);
    objects.extend([volume("pv-2", "Available", Value::Null), set("db", "s-1")]);
    let request =
        Request::Rebind { namespace: "db".into(), name: "data".into(), to: "pv-2".into(), provisioner_stopped: false };
    let world = World::new(objects);
    let reviewed = world.review(&request).unwrap_or_else(|rejected| panic!("{:?}", rejected.refusal));
    let seen =
        reviewed.guards().iter().find(|guard| guard.id == "adopted").map(|guard| (guard.holds, &guard.looked_at));
    assert_eq!(seen, Some((Holds::Yes, &"the owners of pvc/data -n db exist: StatefulSet shop".to_owned())));
    // Only this step remains after the claim is gone and the volume is reserved.
    let mut rest = reviewed.plan().clone();
    rest.steps.retain(|step| step.write.as_ref().is_some_and(|write| matches!(write.change, Change::Create { .. })));
    assert_eq!(changes(&rest), ["pvc/data -n db: create, volume \"pv-2\""]);
    let rest_in = |sets: Vec<Value>| {
        let mut objects = vec![
            volume("pv-1", "Released", of("db", "data", "c-data")),
            volume("pv-2", "Available", of("db", "data", "")),
            class("fast"),
        ];
        objects.extend(sets);
        let world = World::new(objects);
        let manifests = Manifests::default();
        review(&world.situation(&manifests), rest.clone(), &Receipts::granted(&rest))
            .map_err(|rejected| rejected.refusal)
    };
    let mut dying = set("db", "s-1");
    dying["metadata"]["deletionTimestamp"] = "2026-06-01T10:00:00Z".into();
    for sets in [vec![], vec![set("db", "s-2")], vec![set("new", "s-1")], vec![dying]] {
        let refusal = rest_in(sets).unwrap_err();
        assert_eq!(
            (refusal.by, refusal.message.as_str()),
            (
                "adopted",
                "the plan creates pvc/data -n db with an owner that is not known to exist in namespace db, so the \
                 garbage collector would delete the claim: StatefulSet shop; `kubectl pvctl undo` undoes what was \
                 written, and a new request for the repair leaves out such owners"
            )
        );
    }
    assert!(rest_in(vec![set("db", "s-1")]).is_ok());
}

/// A repair waits until a claim has gone. If somebody creates a claim of the same name, no plan takes the volume from
/// this claim.
#[test]
fn a_claim_of_the_same_name_keeps_what_a_repair_reserved() {
    let mut going = claim("db", "data", "pv-1", "Bound");
    going["metadata"]["deletionTimestamp"] = "2026-06-01T10:00:00Z".into();
    going["metadata"]["finalizers"] = json!(["kubernetes.io/pvc-protection"]);
    let held = volume("pv-1", "Bound", of("db", "data", "c-data"));
    let request =
        Request::Restore { namespace: "db".into(), name: "data".into(), from: None, provisioner_stopped: false };
    let plan = World::new(vec![held, going, class("fast")]).accepted(&request);
    assert_eq!(changes(&plan)[1..3], ["wait", "pv/pv-1: claimRef db/data"]);
    // The claim was deleted and the volume was reserved. Then a claim of the same name took the volume before the
    // repair created the new claim.
    let done: Vec<Done> =
        plan.steps.iter().take(3).map(|step| Done { step: step.clone(), after: None, was_so: false }).collect();
    let mut namesake = claim("db", "data", "pv-1", "Bound");
    namesake["metadata"]["uid"] = "c-new".into();
    let world = World::new(vec![volume("pv-1", "Bound", of("db", "data", "c-new")), namesake, class("fast")]);
    let manifests = Manifests::default();
    let situation = world.situation(&manifests);
    let Proposed::Refused(refusal) = undo(&situation, "journal", false, &plan, &done) else { panic!() };
    assert_eq!(refusal.by, "held");
}

#[test]
fn a_guard_that_fails_is_named() {
    let mut objects = bound();
    objects.push(pod("db", "shop-0", "data"));
    let refusal = World::new(objects).refusal(&moving());
    assert_eq!(refusal.by, "unused");
    assert!(refusal.message.contains("shop-0"), "{refusal:?}");
}

#[test]
fn a_guard_does_not_hold_if_its_objects_are_unknown() {
    let mut coverage = complete();
    coverage.set(CoverageEntry::new(Kind::Pod, None, CoverageState::Forbidden));
    let refusal = World::with(bound(), coverage).refusal(&moving());
    assert_eq!(refusal.by, "unused");
    let mut coverage = complete();
    coverage.set(CoverageEntry::new(Kind::VolumeAttachment, None, CoverageState::Failed));
    assert_eq!(World::with(bound(), coverage).refusal(&moving()).by, "detached");
}

#[test]
fn every_guard_says_what_it_looked_at() {
    let world = World::new(bound());
    let reviewed = world.review(&moving()).unwrap();
    let ids: Vec<&str> = reviewed.guards().iter().map(|guard: &Guard| guard.id).collect();
    for wanted in ["unused", "detached", "retained", "saved", "copies", "unique-backing", "identity", "adversary"] {
        assert!(ids.contains(&wanted), "{wanted} is missing among {ids:?}");
    }
    assert!(reviewed.guards().iter().all(|guard| !guard.looked_at.is_empty() && guard.holds != Holds::No));
}

/// A reservation checks each condition only once. This includes Retain if the claim is gone.
#[test]
fn a_reservation_expects_each_thing_once() {
    let request =
        Request::Restore { namespace: "db".into(), name: "data".into(), from: None, provisioner_stopped: false };
    let plan = World::new(released()).accepted(&request);
    let named = pvctl::repair::Reference { namespace: "db".into(), name: "data".into(), uid: "c-gone".into() };
    assert_eq!(
        plan.steps[0].write.as_ref().unwrap().expect,
        [
            Expect::ClaimRef { is: Some(named) },
            Expect::Terminating { is: false },
            Expect::ReclaimPolicy { is: "Retain".into() },
        ]
    );
}

/// The controller gives a claim without a volume name the smallest free volume that fits. The prediction says which
/// volume this is, even if several volumes have the same size.
#[test]
fn a_claim_that_is_created_gets_a_volume_that_is_free() {
    let free = |name: &str, size: &str| {
        let mut free = volume(name, "Available", Value::Null);
        free["spec"]["capacity"]["storage"] = size.into();
        free
    };
    let asks = || {
        let mut asks = claim("db", "data", "", "Pending");
        asks["spec"]["storageClassName"] = "typo".into();
        asks
    };
    let set = vec![Setting::Class("fast".into())];
    let request = Request::Recreate { namespace: "db".into(), name: "data".into(), set, provisioner_stopped: false };
    let predicted = |volumes: Vec<Value>| {
        let plan = World::new([vec![asks(), class("fast")], volumes].concat()).accepted(&request);
        let last = plan.steps.last().unwrap().expects.clone();
        last.into_iter().map(|expected| (expected.object.name.to_string(), expected.states)).collect::<Vec<_>>()
    };
    let states = |states: &[&str]| vec![("data".to_owned(), states.iter().map(|&state| state.to_owned()).collect())];
    assert_eq!(predicted(Vec::new()), states(&["Pending"]));
    let volumes = vec![free("large", "5Gi"), free("small", "1Gi"), free("tiny", "1Mi")];
    assert_eq!(predicted(volumes), states(&["Bound, volume small"]));
    let volumes = vec![free("one", "1Gi"), free("other", "1Gi")];
    assert_eq!(predicted(volumes), states(&["Bound, volume one", "Bound, volume other"]));
    // There are too many volumes for the simulation. So the prediction does not say which one the claim gets.
    assert_eq!(predicted((0..20).map(|number| free(&format!("pv-{number}"), "1Gi")).collect()), []);
}
