//! Guards that examine more than one object. They are about two volumes with the same storage, about the recipient of a
//! volume that any claim may take, and about objects that are deleted with a claim. Expected values are those of
//! `docs/REPAIR.md`.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a world that cannot be made is a failed test")]

mod recipients;
mod storage;

use crate::repair::plans::{World, bound, changes, claim, class, complete, moving, of, pod, volume};
use pvctl::model::{Kind, Timestamp};
use pvctl::repair::{Guard, Holds, Recheck, Recipient, Request, Right, rights};
use pvctl::snapshot::{CoverageEntry, CoverageState};
use recipients::offer;
use serde_json::{Value, json};
use storage::with_source;

/// Returns a guard of a plan, no matter whether the plan is accepted.
fn guard(world: &World, request: &Request, id: &str) -> Guard {
    let guards = match world.review(request) {
        Ok(reviewed) => reviewed.guards().to_vec(),
        Err(rejected) => rejected.guards,
    };
    guards
        .iter()
        .find(|guard| guard.id == id)
        .cloned()
        .unwrap_or_else(|| panic!("the plan must have the guard {id}: {guards:#?}"))
}

/// If a StatefulSet deletes its claims when it is scaled down, its retention policy must be changed first.
#[test]
fn a_set_that_deletes_its_claims_must_be_changed_before_it_is_scaled_down() {
    let asked = |policy: Value| {
        let mut objects = bound();
        objects[1]["metadata"]["name"] = "data-db-0".into();
        objects[0]["spec"]["claimRef"]["name"] = "data-db-0".into();
        objects.push(json!({
            "apiVersion": "apps/v1", "kind": "StatefulSet",
            "metadata": { "namespace": "db", "name": "db", "uid": "s-db" },
            "spec": {
                "replicas": 1, "volumeClaimTemplates": [{ "metadata": { "name": "data" } }],
                "persistentVolumeClaimRetentionPolicy": policy,
            },
        }));
        let request = Request::Move {
            namespace: "db".into(),
            name: "data-db-0".into(),
            to_namespace: "new".into(),
            to_name: "data".into(),
            restore_policy: false,
        };
        let refusal = World::new(objects).refusal(&request);
        assert_eq!(refusal.by, "unused");
        refusal.message
    };
    let why =
        "StatefulSet db/db has 1 replicas and would create pods that use claim data-db-0, or the claim itself; first";
    assert_eq!(asked(json!({ "whenScaled": "Retain" })), format!("{why} scale StatefulSet db/db down"));
    assert_eq!(
        asked(json!({ "whenScaled": "Delete" })),
        format!(
            "{why} set whenScaled in the persistentVolumeClaimRetentionPolicy of StatefulSet db/db to Retain (now \
             scaling down deletes its claims, and their data if the volumes have policy Delete), and then scale it down"
        )
    );
}

/// A person who applies the volume may set policy Delete again while its claim is gone.
#[test]
fn a_policy_that_somebody_else_writes_does_not_keep_data() {
    let owned = |policy: &str, metadata: Value| {
        let mut objects = bound();
        objects[0]["spec"]["persistentVolumeReclaimPolicy"] = policy.into();
        for (field, value) in metadata.as_object().unwrap() {
            objects[0]["metadata"][field] = value.clone();
        }
        World::new(objects)
    };
    let argo = json!({ "labels": { "argocd.argoproj.io/instance": "storage" } });
    let refusal = owned("Delete", argo.clone()).refusal(&moving());
    assert_eq!(
        (refusal.by, refusal.message.as_str()),
        (
            "owner",
            "pv/pv-1 belongs to Argo CD (storage), which may write its former policy again while pvc/data -n db is \
             gone, and the data would be deleted: first set persistentVolumeReclaimPolicy to Retain there"
        )
    );
    owned("Retain", argo).accepted(&moving());
    let node = json!({ "ownerReferences": [{ "apiVersion": "v1", "kind": "Node", "name": "n1", "uid": "n" }] });
    owned("Delete", node).accepted(&moving());
}

/// Volumes of earlier claims of the same name do not belong to the safety model. So they do not prevent the plan, even
/// if there are many.
#[test]
fn volumes_that_earlier_claims_left_do_not_hinder() {
    let mut objects = bound();
    objects.extend((0..20).map(|number| {
        let mut left = volume(&format!("left-{number}"), "Released", of("db", "data", &format!("c-{number}")));
        left["spec"]["persistentVolumeReclaimPolicy"] = "Delete".into();
        left
    }));
    let world = World::new(objects);
    world.accepted(&moving());
    world.accepted(&Request::Retain { volume: "left-3".into() });
}

/// Returns a claim that has another claim as its owner, and its volume.
fn dependent(owner: &str, policy: &str) -> [Value; 2] {
    let mut owned = claim("db", "prime", "pv-2", "Bound");
    owned["metadata"]["ownerReferences"] =
        json!([{ "apiVersion": "v1", "kind": "PersistentVolumeClaim", "name": "data", "uid": owner }]);
    let mut kept = volume("pv-2", "Bound", of("db", "prime", "c-prime"));
    kept["spec"]["persistentVolumeReclaimPolicy"] = policy.into();
    [owned, kept]
}

/// The garbage collector deletes the claims that a claim owns. If their volumes have policy Delete, the data are
/// deleted as well.
#[test]
fn a_plan_that_would_delete_the_data_of_owned_claims_is_refused() {
    let with = |owner: &str, policy: &str| {
        let mut objects = bound();
        objects.extend(dependent(owner, policy));
        World::new(objects)
    };
    let refusal = with("c-data", "Delete").refusal(&moving());
    assert_eq!(
        (refusal.by, refusal.message.as_str()),
        (
            "owned",
            "claim db/prime names claim db/data as its owner: it is deleted with that claim, and its volume does not \
             have policy Retain. First use `kubectl pvctl retain` for that volume"
        )
    );
    let kept = with("c-data", "Retain");
    kept.accepted(&moving());
    let judged = guard(&kept, &moving(), "owned");
    assert_eq!(
        (judged.holds, judged.looked_at.as_str()),
        (
            Holds::Warns,
            "these claims are deleted with claim db/data, their owner, and their volumes are kept: db/prime; other \
             objects that name it as their owner, such as VolumeSnapshots, are deleted as well and are not checked"
        )
    );
    // The owner is another claim of this name, which does not exist any more.
    let other = with("c-older", "Delete");
    other.accepted(&moving());
    assert_eq!(guard(&other, &moving(), "owned").holds, Holds::Yes);
}

#[test]
fn dependents_of_a_claim_are_unknown_if_claims_cannot_be_listed() {
    let mut coverage = complete();
    let mut partly = CoverageEntry::new(Kind::PersistentVolumeClaim, Some("db".into()), CoverageState::Partial);
    partly.absent.insert("new".into());
    coverage.set(partly);
    let rename = Request::Move {
        namespace: "db".into(),
        name: "data".into(),
        to_namespace: "db".into(),
        to_name: "new".into(),
        restore_policy: false,
    };
    let world = World::with(bound(), coverage);
    let judged = guard(&world, &rename, "owned");
    assert_eq!(
        (judged.holds, judged.looked_at.as_str()),
        (
            Holds::Unknown,
            "the claims of namespace db could not be listed, so nobody knows which of them are deleted with claim \
             db/data"
        )
    );
    assert_eq!(world.refusal(&rename).by, "owned");
}

/// The protection finalizer of a claim was removed while a pod ran. If there is no VolumeAttachment, only the pod shows
/// that the volume is in use.
#[test]
fn a_volume_that_a_pod_still_has_mounted_does_not_change_hands() {
    let nfs = json!({ "nfs": { "server": "files.example.com", "path": "/a" } });
    let world = |more: &[Value], coverage| {
        let mut released = with_source(volume("pv-1", "Released", of("db", "data", "c-gone")), &nfs);
        released["metadata"]["annotations"] = json!({ "pv.kubernetes.io/provisioned-by": "nfs.example.com" });
        let mut objects = vec![released, class("fast"), claim("new", "data", "", "Pending")];
        objects.extend_from_slice(more);
        World::with(objects, coverage)
    };
    let heir = Recipient::Claim { namespace: "db".into(), name: "heir".into() };
    let requests = [
        Request::Release { volume: "pv-1".into(), to: Recipient::LastClaim },
        Request::Release { volume: "pv-1".into(), to: heir },
        offer(),
        Request::Rebind { namespace: "new".into(), name: "data".into(), to: "pv-1".into(), provisioner_stopped: false },
        Request::Restore {
            namespace: "new".into(),
            name: "data".into(),
            from: Some("pv-1".into()),
            provisioner_stopped: false,
        },
        Request::Reclaim { volume: "pv-1".into(), delete: true },
    ];
    let runs = pod("db", "web", "data");
    let mut goes = runs.clone();
    goes["metadata"]["deletionTimestamp"] = "2026-06-01T10:00:00Z".into();
    let mut waits = runs.clone();
    waits["spec"]["nodeName"] = Value::Null;
    waits["status"]["phase"] = "Pending".into();
    let mut ended = runs.clone();
    ended["status"]["phase"] = "Succeeded".into();
    let another = pod("db", "other", "other");
    let elsewhere = pod("new", "web-2", "data-2");
    for request in &requests {
        for there in [&runs, &goes] {
            let refusal = world(std::slice::from_ref(there), complete()).refusal(request);
            assert_eq!(
                (refusal.by, refusal.message.as_str()),
                ("unmounted", "claim db/data is gone, and pods still use its volume: web; stop what runs them first"),
                "{request:?}"
            );
        }
        let plan =
            world(&[waits.clone(), ended.clone(), another.clone(), elsewhere.clone()], complete()).accepted(request);
        let look = Recheck::Unmounted { namespace: "db".into(), name: "data".into(), before: None };
        assert!(plan.steps.iter().any(|step| step.recheck.contains(&look)), "{plan:#?}");
        let list = Right { verb: "list", kind: Kind::Pod, namespace: "db".into(), name: "".into() };
        assert!(rights(&plan).contains(&list), "{:?}", rights(&plan));
        let mut coverage = complete();
        coverage.set(CoverageEntry::new(Kind::Pod, None, CoverageState::Forbidden));
        let refusal = world(&[], coverage).refusal(request);
        assert_eq!(
            (refusal.by, refusal.message.as_str()),
            (
                "unmounted",
                "the pods of namespace db could not be listed, so nobody knows which pods still use the volume of \
                 claim data, which is gone"
            ),
            "{request:?}"
        );
    }
}

/// A claim was created again under its name and got another volume. A pod of the former claim still has the old volume
/// mounted.
#[test]
fn a_claim_of_the_same_name_does_not_hide_who_has_the_volume_mounted() {
    let at = |mut object: Value, created: &str| {
        object["metadata"]["creationTimestamp"] = created.into();
        object
    };
    let nfs = json!({ "nfs": { "server": "files.example.com", "path": "/a" } });
    let anew = claim("db", "data", "pv-9", "Bound");
    let world = |anew: &Value, pods: &[Value], coverage| {
        let mut released = with_source(volume("pv-1", "Released", of("db", "data", "c-gone")), &nfs);
        released["metadata"]["annotations"] = json!({ "pv.kubernetes.io/provisioned-by": "nfs.example.com" });
        let mut objects = vec![released, class("fast"), claim("new", "data", "", "Pending")];
        objects.extend([anew.clone(), volume("pv-9", "Bound", of("db", "data", "c-data"))]);
        objects.extend_from_slice(pods);
        World::with(objects, coverage)
    };
    let restore = |namespace: &str, name: &str| Request::Restore {
        namespace: namespace.into(),
        name: name.into(),
        from: Some("pv-1".into()),
        provisioner_stopped: false,
    };
    let to = Recipient::Claim { namespace: "db".into(), name: "rescue".into() };
    let requests = [
        Request::Release { volume: "pv-1".into(), to },
        offer(),
        restore("db", "rescue"),
        restore("new", "data"),
        Request::Rebind { namespace: "new".into(), name: "data".into(), to: "pv-1".into(), provisioner_stopped: false },
        Request::Reclaim { volume: "pv-1".into(), delete: true },
    ];
    let dated = at(anew.clone(), "2026-07-01T10:00:00Z");
    let runs = pod("db", "db-0", "data");
    let older = at(runs.clone(), "2026-07-01T09:59:59Z");
    let younger = at(runs.clone(), "2026-07-01T10:00:00Z");
    let mut ended = older.clone();
    ended["status"]["phase"] = "Failed".into();
    let hides = "claim db/data is not the claim that had the volume, and pods that may be older than it may still use \
                 the volume: db-0; stop what runs them first";
    for request in &requests {
        // If a pod has no creation time, it is unknown whether the pod is younger.
        for (anew, runs) in [(&dated, &older), (&dated, &runs), (&anew, &younger)] {
            let refusal = world(anew, std::slice::from_ref(runs), complete()).refusal(request);
            assert_eq!((refusal.by, refusal.message.as_str()), ("unmounted", hides), "{request:?}");
        }
        let world_of_today = world(&dated, std::slice::from_ref(&younger), complete());
        let plan = world_of_today.accepted(request);
        let before = Timestamp::parse("2026-07-01T10:00:00Z");
        let look = Recheck::Unmounted { namespace: "db".into(), name: "data".into(), before };
        assert!(plan.steps.iter().any(|step| step.recheck.contains(&look)), "{plan:#?}");
        assert_eq!(
            guard(&world_of_today, request, "unmounted"),
            Guard {
                id: "unmounted",
                holds: Holds::Yes,
                looked_at: "no running pod that is older than the present claim of that name uses the volume of an \
                            earlier claim db/data, which is gone"
                    .to_owned(),
                unseen: None,
            }
        );
        let mut coverage = complete();
        coverage.set(CoverageEntry::new(Kind::Pod, None, CoverageState::Forbidden));
        let refusal = world(&dated, &[], coverage).refusal(request);
        assert_eq!(
            (refusal.by, refusal.message.as_str()),
            (
                "unmounted",
                "the pods of namespace db could not be listed, so nobody knows which pods still use the volume of an \
                 earlier claim data, which is gone"
            ),
            "{request:?}"
        );
    }
    world(&dated, &[ended], complete()).accepted(&requests[0]);
}

/// A plan stores the conditions that it checks again. One of them has the creation time of another claim that has the
/// name now. A journal of an earlier version does not have this time.
#[test]
fn a_plan_keeps_since_when_a_claim_is_another_one() {
    let before = Timestamp::parse("2026-07-01T10:00:00Z");
    for (before, written) in [
        (before, json!({ "type": "unmounted", "namespace": "db", "name": "data", "before": "2026-07-01T10:00:00Z" })),
        (None, json!({ "type": "unmounted", "namespace": "db", "name": "data" })),
    ] {
        let look = Recheck::Unmounted { namespace: "db".into(), name: "data".into(), before };
        assert_eq!(serde_json::to_value(&look).unwrap(), written);
        assert_eq!(serde_json::from_value::<Recheck>(written).unwrap(), look);
    }
    let unread = json!({ "type": "unmounted", "namespace": "db", "name": "data", "before": "yesterday" });
    let error = serde_json::from_value::<Recheck>(unread).unwrap_err().to_string();
    assert_eq!(error, "yesterday is not a time such as 2026-06-01T10:00:00Z");
}

/// A copy of a claim names the volume of an existing claim. Deleting the copy does not affect the volume.
#[test]
fn the_volume_of_another_claim_is_not_in_the_way() {
    let world = |uid: &str, phase: &str| {
        let mut theirs = volume("pv-0", phase, of("new", "owner", uid));
        theirs["spec"]["persistentVolumeReclaimPolicy"] = "Delete".into();
        World::new(vec![
            theirs,
            claim("new", "owner", "pv-0", "Bound"),
            claim("db", "data", "pv-0", "Lost"),
            volume("pv-2", "Available", Value::Null),
            class("fast"),
        ])
    };
    let request =
        Request::Rebind { namespace: "db".into(), name: "data".into(), to: "pv-2".into(), provisioner_stopped: false };
    let replaced = ["pvc/data -n db: delete", "pv/pv-2: claimRef db/data", "pvc/data -n db: create, volume \"pv-2\""];
    let living = world("c-owner", "Bound");
    assert_eq!(changes(&living.accepted(&request)), replaced);
    // No existing claim has this uid. So the plan sets policy Retain on the volume first.
    let kept = changes(&world("c-gone", "Released").plan(&request));
    assert_eq!(kept[0], "pv/pv-0: policy Retain");
    assert_eq!(kept[1..], replaced);
}
