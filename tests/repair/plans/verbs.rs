//! What each verb writes.

use super::{
    World, bound, changes, claim, class, done, moving, namespace_of, of, released, reviewed, volume, way_back,
};
use pvctl::model::Kind;
use pvctl::repair::{
    Change, Done, Expect, Manifests, Proposed, Recipient, Request, Setting, claim_key, undo, volume_key,
};
use serde_json::{Value, json};

fn volume_request(verb: fn(pvctl::model::Str) -> Request) -> Request {
    verb("pv-1".into())
}

#[test]
fn retain_sets_the_policy_and_nothing_else() {
    let world = World::new(bound());
    let request = volume_request(|volume| Request::Retain { volume });
    assert_eq!(changes(&world.accepted(&request)), ["pv/pv-1: policy Retain"]);
    let again = World::new(released());
    assert!(matches!(again.propose(&request), Proposed::Nothing(_)));
}

/// A Released volume is reserved for a claim name. The claimRef is removed only if the person asks for this and types
/// the name of the volume (`docs/REPAIR.md`).
#[test]
fn release_reserves_unless_told_otherwise() {
    let world = World::new(released());
    let release = |to| Request::Release { volume: "pv-1".into(), to };
    assert_eq!(changes(&world.accepted(&release(Recipient::LastClaim))), ["pv/pv-1: claimRef db/data"]);
    let other = Recipient::Claim { namespace: "new".into(), name: "copy".into() };
    assert_eq!(changes(&world.accepted(&release(other))), ["pv/pv-1: claimRef new/copy"]);
    let plan = world.accepted(&release(Recipient::Anyone));
    assert_eq!(changes(&plan), ["pv/pv-1: no claimRef"]);
    assert_eq!(plan.type_name.as_deref(), Some("pv-1"));
}

/// A claim that has a volume does not take another one. But the next claim of this name would get the reserved volume
/// with its old data. So the reservation is refused.
#[test]
fn a_volume_is_not_reserved_for_a_claim_that_has_another_one() {
    let message = "claim db/data has volume pv-2 already: it does not take pv-1";
    let release = |to| Request::Release { volume: "pv-1".into(), to };
    let unbind = |to| Request::Unbind { volume: "pv-1".into(), to };
    let bound = [claim("db", "data", "pv-2", "Bound"), volume("pv-2", "Bound", of("db", "data", "c-data"))];
    let named = [claim("db", "data", "pv-2", "Pending"), volume("pv-2", "Available", of("db", "data", ""))];
    let on_its_way = [claim("db", "data", "", "Pending"), volume("pv-2", "Bound", of("db", "data", "c-data"))];
    for has in [bound, named, on_its_way] {
        let mut objects = released();
        objects.extend(has);
        let refusal = World::new(objects.clone()).refusal(&release(Recipient::LastClaim));
        assert_eq!((refusal.by, refusal.message.as_str()), ("bound", message));
        assert_eq!(
            refusal.hints,
            [
                "kubectl pvctl rebind pvc/data -n db --to pv/pv-1 replaces that claim by a claim that has this volume",
                "--reserve-for db/OTHER keeps the volume for a claim with another name",
            ]
        );
        objects[0] = volume("pv-1", "Available", of("db", "data", "c-gone"));
        let refusal = World::new(objects.clone()).refusal(&unbind(Recipient::LastClaim));
        assert_eq!((refusal.by, refusal.message.as_str()), ("bound", message));
        objects[0] = volume("pv-1", "Released", of("db", "other", "c-gone"));
        let to = Recipient::Claim { namespace: "db".into(), name: "data".into() };
        assert_eq!(World::new(objects).refusal(&release(to)).message, message);
    }
}

/// If a person asks for a former volume of a claim, the answer names this volume.
#[test]
fn a_claim_that_is_bound_is_not_restored_and_its_older_volumes_are_named() {
    let restore =
        Request::Restore { namespace: "db".into(), name: "data".into(), from: None, provisioner_stopped: false };
    let said = |objects: Vec<Value>| match World::new(objects).propose(&restore) {
        Proposed::Nothing(why) => why,
        other => panic!("{other:?}"),
    };
    assert_eq!(said(bound()), "claim db/data has volume pv-1 and is bound");
    let mut objects = bound();
    let mut old = volume("pv-0", "Released", of("db", "data", "c-older"));
    objects.push(old.clone());
    assert_eq!(
        said(objects),
        "claim db/data has volume pv-1 and is bound. Volume pv-0 also names this claim: it is Released, with policy \
         Retain. `kubectl pvctl rebind pvc/data -n db --to pv/pv-0` gives that volume to the claim"
    );
    let mut objects = bound();
    old["spec"]["persistentVolumeReclaimPolicy"] = "Delete".into();
    objects.push(old);
    assert_eq!(
        said(objects),
        "claim db/data has volume pv-1 and is bound. Volume pv-0 also names this claim: it is Released, with policy \
         Delete. `kubectl pvctl retain pv/pv-0` keeps its data; `kubectl pvctl rebind pvc/data -n db --to pv/pv-0` \
         gives that volume to the claim"
    );
    // The controller has not noticed yet that the claim exists again.
    let mut objects = bound();
    objects[0]["status"]["phase"] = "Released".into();
    assert_eq!(said(objects), "volume pv-1 names claim db/data by its uid: the controller binds them by itself");
}

/// If the volume has policy Delete, Retain is set first.
#[test]
fn release_keeps_the_data_first() {
    let mut objects = released();
    objects[0]["spec"]["persistentVolumeReclaimPolicy"] = "Delete".into();
    let world = World::new(objects);
    let request = Request::Release { volume: "pv-1".into(), to: Recipient::LastClaim };
    assert_eq!(changes(&world.accepted(&request)), ["pv/pv-1: policy Retain", "pv/pv-1: claimRef db/data"]);
}

/// `move` has the safe order of `docs/REPAIR.md`: Retain, delete, wait, reserve, create with volumeName.
#[test]
fn move_follows_the_safe_order() {
    let plan = World::new(bound()).accepted(&moving());
    assert_eq!(
        changes(&plan),
        [
            "pv/pv-1: policy Retain",
            "pvc/data -n db: delete",
            "wait",
            "pv/pv-1: claimRef new/data",
            "pvc/data -n new: create, volume \"pv-1\""
        ]
    );
    let Some(Change::Create { manifest }) = plan.steps[4].write.as_ref().map(|write| &write.change) else { panic!() };
    assert_eq!(manifest["metadata"]["labels"], json!({ "app": "shop" }));
    assert_eq!(manifest["metadata"]["annotations"], json!({ "pvctl.dev/plan": plan.id }));
    assert!(
        plan.steps[4]
            .expects
            .iter()
            .any(|is| is.object == claim_key("new", "data") && is.states == ["Bound, volume pv-1"])
    );
    assert!(
        plan.steps[4]
            .expects
            .iter()
            .any(|is| is.object == volume_key("pv-1") && is.states == ["Bound, Retain, claimRef new/data"])
    );
}

/// Without its first step the same plan is refused by the adversary.
#[test]
fn a_move_without_retain_is_refused() {
    let world = World::new(bound());
    let mut plan = world.plan(&moving());
    plan.steps.remove(0);
    for step in &mut plan.steps {
        step.recheck.clear();
        if let Some(write) = &mut step.write {
            write.expect.clear();
        }
    }
    let verdict =
        pvctl::repair::judge(&world.situation(&Manifests::default()), &plan, pvctl::repair::SearchReach::REVIEW);
    let pvctl::repair::Verdict::Harmful(found) = verdict else { panic!("{verdict:?}") };
    assert_eq!(found.harm, pvctl::repair::Harm::DataDeleted);
}

/// If the plan removes the claimRef instead of reserving the volume, a stranger gets the volume.
#[test]
fn a_move_that_frees_is_refused() {
    let world = World::new(bound());
    let mut plan = world.plan(&moving());
    if let Some(write) = &mut plan.steps[3].write {
        write.change = Change::SetClaimRef { to: None, bound_by_controller: false };
    }
    let verdict =
        pvctl::repair::judge(&world.situation(&Manifests::default()), &plan, pvctl::repair::SearchReach::REVIEW);
    let pvctl::repair::Verdict::Harmful(found) = verdict else { panic!("{verdict:?}") };
    assert!(matches!(found.harm, pvctl::repair::Harm::Taken(..)), "{found:?}");
}

#[test]
fn lost_claims_are_given_their_volume_by_uid() {
    for claim_ref in [of("db", "data", ""), of("db", "data", "c-older")] {
        let world = World::new(vec![
            volume("pv-1", if claim_ref["uid"].is_null() { "Available" } else { "Released" }, claim_ref),
            claim("db", "data", "pv-1", "Lost"),
            class("fast"),
        ]);
        let request =
            Request::Restore { namespace: "db".into(), name: "data".into(), from: None, provisioner_stopped: false };
        let plan = world.accepted(&request);
        assert_eq!(changes(&plan), ["pv/pv-1: claimRef db/data c-data"]);
        assert!(plan.is_safe());
    }
}

/// A namespace that was deleted and created again may belong to another tenant. That tenant can set the annotations of
/// a binding. So only a person may decide to give a volume to a claim there.
#[test]
fn a_namespace_that_is_younger_than_a_volume_gets_it_from_a_person_only() {
    let restore =
        Request::Restore { namespace: "db".into(), name: "data".into(), from: None, provisioner_stopped: false };
    let stale = || volume("pv-1", "Released", of("db", "data", "c-older"));
    for (case, claims) in [
        ("Lost", vec![claim("db", "data", "pv-1", "Lost")]),
        ("Lost, without a volume", vec![claim("db", "data", "", "Lost")]),
        ("naming the volume", vec![claim("db", "data", "pv-1", "Pending")]),
        ("waiting", vec![claim("db", "data", "", "Pending")]),
        ("gone", Vec::new()),
    ] {
        for (created, why) in [
            ("2026-06-01T10:00:00Z", None),
            (
                "2026-06-01T10:00:01Z",
                Some("namespace db is younger than volume pv-1: it may belong to another tenant now"),
            ),
        ] {
            let mut objects = vec![stale(), class("fast"), namespace_of("db", created)];
            objects.extend(claims.iter().cloned());
            let plan = World::new(objects).accepted(&restore);
            assert_eq!(plan.judgement.as_deref(), why, "{case}, {created}");
            let said = why.map(|why| format!("you have to decide this: {why}"));
            assert!(said.is_none_or(|said| plan.notes.contains(&said)), "{case}, {created}: {:?}", plan.notes);
            assert!(why.is_none() || !plan.is_safe(), "{case}");
        }
    }
}

#[test]
fn deleted_claims_are_created_again_with_their_volume() {
    let world = World::new(released());
    let request =
        Request::Restore { namespace: "db".into(), name: "data".into(), from: None, provisioner_stopped: false };
    let plan = world.accepted(&request);
    assert_eq!(changes(&plan), ["pv/pv-1: claimRef db/data", "pvc/data -n db: create, volume \"pv-1\""]);
}

#[test]
fn a_claim_that_was_created_anew_gets_the_old_volume() {
    let mut objects = released();
    objects.push(claim("db", "data", "", "Pending"));
    let world = World::new(objects);
    let request =
        Request::Restore { namespace: "db".into(), name: "data".into(), from: None, provisioner_stopped: false };
    let plan = world.accepted(&request);
    assert_eq!(changes(&plan), ["pv/pv-1: claimRef db/data", "pvc/data -n db: volumeName pv-1"]);
}

#[test]
fn rebind_replaces_a_bound_claim_and_keeps_both_volumes() {
    let mut objects = bound();
    objects.push(volume("pv-2", "Available", Value::Null));
    let world = World::new(objects);
    let request =
        Request::Rebind { namespace: "db".into(), name: "data".into(), to: "pv-2".into(), provisioner_stopped: false };
    let plan = world.accepted(&request);
    assert_eq!(
        changes(&plan),
        [
            "pv/pv-1: policy Retain",
            "pvc/data -n db: delete",
            "wait",
            "pv/pv-2: claimRef db/data",
            "pvc/data -n db: create, volume \"pv-2\""
        ]
    );
}

#[test]
fn recreate_replaces_a_claim_that_never_bound() {
    let world = World::new(vec![claim("db", "data", "", "Pending")]);
    let request = Request::Recreate {
        namespace: "db".into(),
        name: "data".into(),
        set: vec![Setting::Class("fast".into()), Setting::Size("2Gi".into())],
        provisioner_stopped: false,
    };
    let plan = world.accepted(&request);
    assert_eq!(changes(&plan), ["pvc/data -n db: delete", "pvc/data -n db: create, volume null"]);
}

/// kube-controller-manager deletes hostPath volumes with a path below `/tmp/`. Provisioners delete the volumes that
/// they created. Nobody deletes other volumes (`docs/controllers/reclaiming.md`).
#[test]
fn policy_delete_is_set_only_if_somebody_deletes_the_storage() {
    let request = Request::Reclaim { volume: "pv-1".into(), delete: true };
    let world = |field: &str, source: Value, provisioner: Option<&str>| {
        let mut objects = released();
        objects[0]["spec"].as_object_mut().unwrap().remove("csi");
        objects[0]["spec"][field] = source;
        if let Some(name) = provisioner {
            objects[0]["metadata"]["annotations"] = json!({ "pv.kubernetes.io/provisioned-by": name });
        }
        World::new(objects)
    };
    let plan = world("hostPath", json!({ "path": "/tmp/data" }), None).accepted(&request);
    assert_eq!(changes(&plan), ["pv/pv-1: policy Delete"]);
    assert_eq!(plan.goal, "kube-controller-manager deletes volume pv-1 and its data");
    let where_it_runs =
        "kube-controller-manager removes /tmp/data only on the machine on which it runs; on other nodes the path stays";
    assert!(plan.notes.iter().any(|note| note == where_it_runs), "{:?}", plan.notes);
    let plan = world("hostPath", json!({ "path": "/opt/data" }), Some("rancher.io/local-path")).accepted(&request);
    assert_eq!(plan.goal, "the provisioner of rancher.io/local-path deletes volume pv-1 and its data");
    for (field, source, why) in [
        (
            "hostPath",
            json!({ "path": "/srv/data" }),
            "host_path deleter only supports /tmp/.+ but received provided /srv/data",
        ),
        (
            "local",
            json!({ "path": "/mnt/a" }),
            "error getting deleter volume plugin for volume \"pv-1\": no volume plugin matched",
        ),
        (
            "nfs",
            json!({ "server": "s", "path": "/a" }),
            "error getting deleter volume plugin for volume \"pv-1\": no deletable volume plugin matched",
        ),
    ] {
        let refusal = world(field, source, None).refusal(&request);
        assert_eq!(
            (refusal.by, refusal.message),
            (
                "actor",
                format!(
                    "nobody in the cluster deletes the storage of volume pv-1: with policy Delete it would only become \
                     Failed, with event VolumeFailedDelete: {why}"
                )
            )
        );
    }
}

/// A binding was begun on the side of the volume. The claim does not exist, or it exists and fits, or it exists and
/// does not fit.
#[test]
fn a_half_made_binding_is_rolled_back_unless_the_controller_finishes_it() {
    let world = |policy: &str, phase: &str, uid: &str, claim_asks: Option<&str>| {
        let mut pv = volume("pv-1", phase, of("db", "data", uid));
        pv["spec"]["persistentVolumeReclaimPolicy"] = policy.into();
        let mut objects = vec![pv, class("fast")];
        if let Some(size) = claim_asks {
            let mut claim = claim("db", "data", "", "Pending");
            claim["spec"]["resources"]["requests"]["storage"] = size.into();
            objects.push(claim);
        }
        World::new(objects)
    };
    let unbind = Request::Unbind { volume: "pv-1".into(), to: Recipient::LastClaim };
    for phase in ["Pending", "Available"] {
        // After the first write, the controller notices that the claim is gone.
        let plan = world("Delete", phase, "c-gone", None).accepted(&unbind);
        assert_eq!(changes(&plan), ["pv/pv-1: policy Retain", "pv/pv-1: claimRef db/data"]);
        assert_eq!(plan.steps[0].expects[0].states, ["Released, Retain, claimRef db/data"]);
        assert_eq!(plan.steps[1].expects[0].states, ["Available, Retain, reserved for db/data"]);
        // The controller finishes the binding before the first write.
        let refusal = world("Delete", phase, "c-data", Some("1Gi")).refusal(&unbind);
        assert_eq!(refusal.by, "simulation");
        assert!(refusal.message.contains("status.phase is Bound"), "{refusal:?}");
    }
    // The volume is Bound before the claim names it. The volume alone does not show whether the claim already names it.
    for policy in ["Retain", "Delete"] {
        let refusal = world(policy, "Bound", "c-data", Some("1Gi")).refusal(&unbind);
        assert_eq!(
            (refusal.by, refusal.message.as_str()),
            ("held", "claim db/data exists, and the controller is about to complete this binding")
        );
    }
    for phase in ["Available", "Bound"] {
        let plan = world("Delete", phase, "c-data", Some("5Gi")).accepted(&unbind);
        assert_eq!(changes(&plan), ["pv/pv-1: policy Retain", "pv/pv-1: claimRef db/data"]);
    }
}

/// A repair created a claim, and a provisioner may be working on it. The undo deletes the claim only if the person says
/// that the provisioner is stopped.
#[test]
fn a_claim_is_taken_back_from_a_provisioner_that_is_stopped() {
    let request = Request::Recreate {
        namespace: "db".into(),
        name: "data".into(),
        set: vec![Setting::Class("fast".into()), Setting::Size("2Gi".into())],
        provisioner_stopped: false,
    };
    let plan = World::new(vec![claim("db", "data", "", "Pending")]).accepted(&request);
    let after = Some(json!({ "metadata": { "uid": "c-data" } }));
    let done: Vec<Done> =
        plan.steps.iter().map(|step| Done { step: step.clone(), after: after.clone(), was_so: false }).collect();
    let mut pending = claim("db", "data", "", "Pending");
    pending["metadata"]["annotations"] = json!({ "volume.kubernetes.io/storage-provisioner": "disk.csi.example.com" });
    let world = World::new(vec![pending, class("fast")]);
    let manifests = Manifests::default();
    let situation = world.situation(&manifests);
    let Proposed::Refused(refusal) = undo(&situation, "journal", false, &plan, &done) else { panic!() };
    assert_eq!(refusal.by, "provisioner");
    let Proposed::Plan(back) = undo(&situation, "journal", true, &plan, &done) else { panic!() };
    assert_eq!(changes(&back), ["pvc/data -n db: delete", "pvc/data -n db: create, volume null"]);
    assert_eq!(back.request, Request::Undo { journal: "journal".into(), provisioner_stopped: true });
}

/// If the claimRef of a volume has the uid of a claim that does not exist, the volume becomes Released. With policy
/// Delete its data are then deleted. If another client sets Delete before the answer of the person, the undo stops.
#[test]
fn a_volume_is_parted_from_its_claim_with_policy_retain_only() {
    let gone = volume("pv-1", "Released", of("db", "data", "c-gone"));
    let lost = World::new(vec![gone, claim("db", "data", "pv-1", "Lost"), class("fast")]);
    let request =
        Request::Restore { namespace: "db".into(), name: "data".into(), from: None, provisioner_stopped: false };
    let plan = lost.accepted(&request);
    assert_eq!(changes(&plan), ["pv/pv-1: claimRef db/data c-data"]);
    for (policy, expected) in [
        ("Retain", vec!["pv/pv-1: claimRef db/data c-gone"]),
        ("Delete", vec!["pv/pv-1: policy Retain", "pv/pv-1: claimRef db/data c-gone"]),
    ] {
        let mut held = volume("pv-1", "Bound", of("db", "data", "c-data"));
        held["spec"]["persistentVolumeReclaimPolicy"] = policy.into();
        let world = World::new(vec![held, claim("db", "data", "pv-1", "Bound"), class("fast")]);
        let back = way_back(&world, &plan, &done(&plan.steps));
        assert_eq!(changes(&back), expected);
        let last = back.writes().last().unwrap();
        assert!(last.expect.contains(&Expect::ReclaimPolicy { is: "Retain".into() }), "{:?}", last.expect);
        let reviewed = reviewed(&world, &back);
        assert!(reviewed.is_ok(), "{policy}: {:?}", reviewed.err().map(|rejected| rejected.refusal));
    }
}

/// The claim requested more than the capacity of the volume that it names. So it waited. A reservation would bind them
/// although the volume is too small.
#[test]
fn a_claim_that_never_had_the_volume_that_it_names_gets_no_reservation_of_it() {
    let mut waiting = claim("db", "data", "pv-1", "Pending");
    waiting["spec"]["resources"]["requests"]["storage"] = "100Gi".into();
    let before = World::new(vec![volume("pv-1", "Available", Value::Null), waiting, class("fast")]);
    let request = Request::Recreate {
        namespace: "db".into(),
        name: "data".into(),
        set: vec![Setting::Size("1Gi".into())],
        provisioner_stopped: false,
    };
    let plan = before.accepted(&request);
    let mut smaller = claim("db", "data", "pv-1", "Bound");
    smaller["metadata"]["uid"] = "c-new".into();
    let held = volume("pv-1", "Bound", of("db", "data", "c-new"));
    let world = World::new(vec![held, smaller, class("fast")]);
    let back = way_back(&world, &plan, &done(&plan.steps));
    let create = "pvc/data -n db: create, volume \"pv-1\"";
    assert_eq!(changes(&back), ["pvc/data -n db: delete", "wait", create]);
    assert!(back.notes.iter().any(|note| note.contains("it never had this volume")), "{:?}", back.notes);
    let reviewed = reviewed(&world, &back).unwrap_or_else(|rejected| panic!("{:?}", rejected.refusal));
    let expected: Vec<&[String]> = reviewed
        .plan()
        .steps
        .last()
        .unwrap()
        .expects
        .iter()
        .filter(|expected| expected.object.kind == Kind::PersistentVolumeClaim)
        .map(|expected| &*expected.states)
        .collect();
    assert!(expected.iter().all(|states| states.iter().all(|state| state.contains("Pending"))), "{expected:?}");
    // The repair stopped after the deletion. So the volume names no claim.
    let cut = World::new(vec![volume("pv-1", "Available", Value::Null), class("fast")]);
    let back = way_back(&cut, &plan, &done(&plan.steps[..1]));
    assert_eq!(changes(&back), [create]);
}
