//! What an undo can take back, and what it cannot take back.

use super::{World, bound, changes, claim, class, done, moving, namespace, of, released, reviewed, volume, way_back};
use pvctl::repair::{Done, Expect, Manifests, Proposed, Receipts, Request, Undo, review, undo};
use serde_json::{Value, json};

/// Before the repair the claim was Lost. The undo removes the uid from the volume's claimRef again, but does not set
/// policy Delete again.
#[test]
fn a_restored_claim_is_taken_back_and_its_data_are_kept() {
    let mut before = volume("pv-1", "Available", of("db", "data", ""));
    before["spec"]["persistentVolumeReclaimPolicy"] = "Delete".into();
    let lost = World::new(vec![before, claim("db", "data", "pv-1", "Lost"), class("fast")]);
    let request =
        Request::Restore { namespace: "db".into(), name: "data".into(), from: None, provisioner_stopped: false };
    let plan = lost.accepted(&request);
    assert_eq!(changes(&plan), ["pv/pv-1: policy Retain", "pv/pv-1: claimRef db/data c-data"]);
    let done: Vec<Done> =
        plan.steps.iter().map(|step| Done { step: step.clone(), after: None, was_so: false }).collect();
    let world = World::new(vec![
        volume("pv-1", "Bound", of("db", "data", "c-data")),
        claim("db", "data", "pv-1", "Bound"),
        class("fast"),
    ]);
    let manifests = Manifests::default();
    let situation = world.situation(&manifests);
    let Proposed::Plan(back) = undo(&situation, "journal", false, &plan, &done) else { panic!() };
    assert_eq!(changes(&back), ["pv/pv-1: claimRef db/data"]);
    for note in ["pv-1 keeps policy Retain", "claim db/data is then Lost again"] {
        assert!(back.notes.iter().any(|known| known.contains(note)), "{:?}", back.notes);
    }
    let receipts = Receipts::granted(&back);
    let reviewed = review(&situation, *back, &receipts).unwrap_or_else(|rejected| panic!("{:?}", rejected.refusal));
    // The expected answer of the controllers also names the claim.
    let expected: Vec<String> =
        reviewed.plan().steps.iter().flat_map(|step| &step.expects).map(|expected| format!("{expected:?}")).collect();
    assert!(expected.iter().any(|line| line.contains("Lost")), "{expected:?}");
}

/// If no claim has the volume, or only a claim that is being deleted, policy Delete would delete the data. So Retain
/// stays.
#[test]
fn policy_delete_is_not_set_again_if_the_data_would_be_deleted() {
    let request = Request::Retain { volume: "pv-1".into() };
    let with = |phase: &str, claim: Option<Value>, policy: &str| {
        let mut objects = vec![volume("pv-1", phase, of("db", "data", "c-data")), class("fast")];
        objects[0]["spec"]["persistentVolumeReclaimPolicy"] = policy.into();
        objects.extend(claim);
        World::new(objects)
    };
    let lives = claim("db", "data", "pv-1", "Bound");
    let mut goes = lives.clone();
    goes["metadata"]["deletionTimestamp"] = "2026-06-01T10:00:00Z".into();
    let cases = [
        ("Bound", Some(lives), vec!["pv/pv-1: policy Delete"], "journal is undone", None),
        ("Bound", Some(goes), vec![], "nothing of journal is undone", Some("with its claim, which is being deleted")),
        ("Released", None, vec![], "nothing of journal is undone", Some("now that no claim has it")),
    ];
    for (phase, claim, steps, goal, why) in cases {
        let plan = with(phase, claim.clone(), "Delete").accepted(&request);
        let after = volume("pv-1", phase, of("db", "data", "c-data"));
        let done: Vec<Done> = plan
            .steps
            .iter()
            .map(|step| Done { step: step.clone(), after: Some(after.clone()), was_so: false })
            .collect();
        let world = with(phase, claim, "Retain");
        let manifests = Manifests::default();
        let Proposed::Plan(back) = undo(&world.situation(&manifests), "journal", false, &plan, &done) else { panic!() };
        assert_eq!((changes(&back), back.goal.as_str()), (steps.into_iter().map(str::to_owned).collect(), goal));
        let said = why.map(|why| {
            format!(
                "volume pv-1 keeps policy Retain: with its former policy Delete, its data would be \
                                   deleted {why}"
            )
        });
        assert!(said.is_none_or(|said| back.notes.contains(&said)), "{:?}", back.notes);
    }
}

/// These former policies are not set again, either: Recycle, because it erases data, and an unknown policy, because the
/// API server does not accept it.
#[test]
fn recycle_and_unknown_policies_are_not_set_again() {
    for (policy, why) in [
        ("Recycle", "policy Recycle is deprecated and erases data: set it by hand if you need it"),
        ("Keep", "policy Keep is not a policy that an API server accepts"),
    ] {
        let mut objects = released();
        objects[0]["spec"]["persistentVolumeReclaimPolicy"] = policy.into();
        let plan = World::new(objects).accepted(&Request::Retain { volume: "pv-1".into() });
        assert_eq!(plan.steps[0].undo, Undo::Impossible { why: why.to_owned() });
    }
}

/// A claim named a volume that it never had, and was Pending. The repair bound both. Separating them would make the
/// claim Lost. So the undo does not separate them after they are bound. It sets the old claimRef only if the volume is
/// not Bound yet.
#[test]
fn a_claim_that_got_its_volume_by_a_repair_is_not_made_lost_by_its_undo() {
    let gone = volume("pv-1", "Released", of("db", "data", "c-gone"));
    let pending = World::new(vec![gone, claim("db", "data", "pv-1", "Pending"), class("fast")]);
    let request =
        Request::Restore { namespace: "db".into(), name: "data".into(), from: None, provisioner_stopped: false };
    let plan = pending.accepted(&request);
    assert_eq!(changes(&plan), ["pv/pv-1: claimRef db/data c-data"]);
    let done: Vec<Done> =
        plan.steps.iter().map(|step| Done { step: step.clone(), after: None, was_so: false }).collect();
    let after = |volume_phase, claim_phase| {
        let volume = volume("pv-1", volume_phase, of("db", "data", "c-data"));
        World::new(vec![volume, claim("db", "data", "pv-1", claim_phase), class("fast")])
    };
    let manifests = Manifests::default();
    let waiting = after("Released", "Pending");
    let Proposed::Plan(back) = undo(&waiting.situation(&manifests), "journal", false, &plan, &done) else { panic!() };
    assert_eq!(changes(&back), ["pv/pv-1: claimRef db/data c-gone"]);
    let write = back.writes().next().unwrap();
    let unbound =
        |expect: &Expect| matches!(expect, Expect::VolumePhase { any_of } if !any_of.contains(&"Bound".into()));
    assert!(write.expect.iter().any(unbound), "{:?}", write.expect);
    for (volume_phase, claim_phase) in [("Bound", "Pending"), ("Bound", "Bound")] {
        let world = after(volume_phase, claim_phase);
        let Proposed::Refused(refusal) = undo(&world.situation(&manifests), "journal", false, &plan, &done) else {
            panic!("the undo must be refused for {volume_phase} {claim_phase}")
        };
        assert_eq!(refusal.by, "held");
    }
}

/// An undo is not refused because of something that was already unknown before the repair. It only gives access to
/// those who had access before the repair.
#[test]
fn a_restored_claim_of_storage_without_a_name_can_be_taken_back() {
    let flex = |mut volume: Value| {
        volume["spec"].as_object_mut().unwrap().remove("csi");
        volume["spec"]["flexVolume"] = json!({ "driver": "example.com/lvm" });
        volume
    };
    let mut objects = released();
    objects[0] = flex(objects[0].clone());
    let request =
        Request::Restore { namespace: "db".into(), name: "data".into(), from: None, provisioner_stopped: false };
    let plan = World::new(objects).accepted(&request);
    assert_eq!(changes(&plan), ["pv/pv-1: claimRef db/data", "pvc/data -n db: create, volume \"pv-1\""]);
    let after = Some(json!({ "metadata": { "uid": "c-data" } }));
    let done: Vec<Done> =
        plan.steps.iter().map(|step| Done { step: step.clone(), after: after.clone(), was_so: false }).collect();
    let world = World::new(vec![
        flex(volume("pv-1", "Bound", of("db", "data", "c-data"))),
        claim("db", "data", "pv-1", "Bound"),
        class("fast"),
    ]);
    let manifests = Manifests::default();
    let situation = world.situation(&manifests);
    let Proposed::Plan(back) = undo(&situation, "journal", false, &plan, &done) else { panic!() };
    assert_eq!(changes(&back), ["pvc/data -n db: delete", "wait", "pv/pv-1: claimRef db/data c-gone"]);
    let receipts = Receipts::granted(&back);
    let reviewed = review(&situation, *back, &receipts);
    assert!(reviewed.is_ok(), "{:?}", reviewed.err().map(|rejected| rejected.refusal));
}

/// A Lost claim names a volume that another claim has. The undo must not change that volume.
#[test]
fn the_undo_of_a_rebind_does_not_touch_the_volume_of_another_claim() {
    let objects = || {
        vec![
            volume("pv-0", "Bound", of("db", "owner", "c-owner")),
            claim("db", "owner", "pv-0", "Bound"),
            class("fast"),
        ]
    };
    let mut before = objects();
    before.extend([volume("pv-1", "Released", of("db", "old", "c-old")), claim("db", "data", "pv-0", "Lost")]);
    let request =
        Request::Rebind { namespace: "db".into(), name: "data".into(), to: "pv-1".into(), provisioner_stopped: false };
    let plan = World::new(before).accepted(&request);
    let mut after = objects();
    let mut rebound = claim("db", "data", "pv-1", "Bound");
    rebound["metadata"]["uid"] = "c-new".into();
    after.extend([volume("pv-1", "Bound", of("db", "data", "c-new")), rebound]);
    let world = World::new(after);
    let back = way_back(&world, &plan, &done(&plan.steps));
    assert_eq!(
        changes(&back),
        ["pvc/data -n db: delete", "wait", "pv/pv-1: claimRef db/old c-old", "pvc/data -n db: create, volume \"pv-0\"",]
    );
    let reviewed = reviewed(&world, &back);
    assert!(reviewed.is_ok(), "{:?}", reviewed.err().map(|rejected| rejected.refusal));
}

/// The claim that the repair deletes is still being deleted. The undo waits until it is gone.
#[test]
fn an_undo_waits_for_the_claim_that_is_being_deleted() {
    let plan = World::new(bound()).accepted(&moving());
    let world = |finalizers: &[&str]| {
        let mut going = claim("db", "data", "pv-1", "Bound");
        going["metadata"]["deletionTimestamp"] = "2026-06-01T10:00:00Z".into();
        going["metadata"]["finalizers"] = json!(finalizers);
        World::new(vec![volume("pv-1", "Bound", of("db", "data", "c-data")), going, class("fast")])
    };
    let going = world(&["kubernetes.io/pvc-protection"]);
    let back = way_back(&going, &plan, &done(&plan.steps[..2]));
    assert_eq!(
        changes(&back),
        [
            "wait",
            "wait",
            "pv/pv-1: claimRef db/data",
            "pvc/data -n db: create, volume \"pv-1\"",
            "pv/pv-1: policy Delete",
        ]
    );
    let accepted = reviewed(&going, &back);
    assert!(accepted.is_ok(), "{:?}", accepted.err().map(|rejected| rejected.refusal));
    let kept = world(&["kubernetes.io/pvc-protection", "example.com/keep"]);
    let back = way_back(&kept, &plan, &done(&plan.steps[..2]));
    let refused = reviewed(&kept, &back).map(|_| ()).map_err(|rejected| rejected.refusal.message);
    let why = "in the simulation, step 1 would wait until claim db/data is gone, and this never happens";
    assert_eq!(refused, Err(why.to_owned()));
}

/// The first step of the undo would stop because of a fact that already holds, even if no controller runs. The refusal
/// names this fact.
#[test]
fn an_undo_whose_first_step_would_stop_says_why() {
    let mut objects = bound();
    objects[0]["spec"]["persistentVolumeReclaimPolicy"] = "Delete".into();
    let plan = World::new(objects.clone()).accepted(&Request::Retain { volume: "pv-1".into() });
    // The claim is gone, but the controller has not synced the volume yet. Retain stays.
    objects[0]["spec"]["persistentVolumeReclaimPolicy"] = "Retain".into();
    objects.remove(1);
    let world = World::new(objects);
    let back = way_back(&world, &plan, &done(&plan.steps));
    assert_eq!(changes(&back), Vec::<String>::new());
    assert!(back.notes.iter().any(|note| note.contains("pv-1 keeps policy Retain")), "{:?}", back.notes);

    let waiting = |volume: &str, node: Option<&str>| {
        let mut claim = claim("db", "data", volume, "Pending");
        if let Some(node) = node {
            claim["metadata"]["annotations"]["volume.kubernetes.io/selected-node"] = node.into();
        }
        World::new(vec![claim, class("fast")])
    };
    let unselect = Request::Reschedule { namespace: "db".into(), name: "data".into() };
    let plan = waiting("", Some("node-gone")).accepted(&unselect);
    let world = waiting("pv-9", None);
    let back = way_back(&world, &plan, &done(&plan.steps));
    let refused = reviewed(&world, &back).map(|_| ()).map_err(|rejected| rejected.refusal.message);
    let why = "step 1 would stop: pvc/data -n db spec.volumeName is pv-9, but null was expected";
    assert_eq!(refused, Err(why.to_owned()));
}

/// The namespace is being deleted, and the data would be deleted with it. So Retain stays.
#[test]
fn policy_delete_is_not_set_again_if_the_namespace_is_being_deleted() {
    let mut objects = bound();
    objects[0]["spec"]["persistentVolumeReclaimPolicy"] = "Delete".into();
    let plan = World::new(objects.clone()).accepted(&Request::Retain { volume: "pv-1".into() });
    objects[0]["spec"]["persistentVolumeReclaimPolicy"] = "Retain".into();
    let mut going = namespace("db");
    going["metadata"]["deletionTimestamp"] = "2026-06-01T10:00:00Z".into();
    objects.push(going);
    let back = way_back(&World::new(objects), &plan, &done(&plan.steps));
    assert_eq!(changes(&back), Vec::<String>::new());
    let why = "volume pv-1 keeps policy Retain: with its former policy Delete, its data would be deleted with its \
               claim, whose namespace is being deleted";
    assert!(back.notes.contains(&why.to_owned()), "{:?}", back.notes);
}
