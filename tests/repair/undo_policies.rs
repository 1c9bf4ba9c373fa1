//! `undo` sets policy Delete again only if the volume still has the claim that it had when the policy was set to
//! Retain. The claim is compared by its uid.
#![expect(clippy::panic, reason = "a plan that is missing is a failed test")]

use crate::repair::plans::{World, bound, changes, claim, class, moving, of, volume};
use pvctl::repair::{Change, Done, Expect, Manifests, Plan, Proposed, Reference, Refusal, Request, undo};
use serde_json::{Value, json};

fn retain() -> Request {
    Request::Retain { volume: "pv-1".into() }
}

/// Returns the volume with this phase and this `claimRef`, as it was after the step.
fn stood(phase: &str, claim_ref: &Value) -> Value {
    volume("pv-1", phase, claim_ref.clone())
}

/// Returns what `undo` proposes in the present world, after `retain` was carried out on a volume in the state `then`.
fn back(then: &Value, today: Vec<Value>) -> Proposed {
    let mut before = then.clone();
    before["spec"]["persistentVolumeReclaimPolicy"] = "Delete".into();
    let plan = World::new(vec![before, class("fast")]).plan(&retain());
    of_plan(&plan, then, today)
}

fn of_plan(plan: &Plan, then: &Value, today: Vec<Value>) -> Proposed {
    let done: Vec<Done> = plan
        .steps
        .iter()
        .filter(|step| step.write.as_ref().is_some_and(pvctl::repair::Write::retains))
        .map(|step| Done { step: step.clone(), after: Some(then.clone()), was_so: false })
        .collect();
    assert!(!done.is_empty(), "{plan:#?}");
    let manifests = Manifests::default();
    let world = World::new(today);
    undo(&world.situation(&manifests), "journal", false, plan, &done)
}

fn refused(proposed: Proposed) -> Refusal {
    match proposed {
        Proposed::Refused(refusal) => refusal,
        other => panic!("the undo must be refused: {other:#?}"),
    }
}

/// Returns a volume, and the claim with this name and uid to which the volume is bound.
fn has(name: &str, uid: &str) -> Vec<Value> {
    let mut holder = claim("db", name, "pv-1", "Bound");
    holder["metadata"]["uid"] = uid.into();
    vec![volume("pv-1", "Bound", of("db", name, uid)), holder, class("fast")]
}

#[test]
fn the_claim_that_had_it_all_the_time_gets_the_policy_back() {
    let then = stood("Bound", &of("db", "data", "c-data"));
    let Proposed::Plan(plan) = back(&then, has("data", "c-data")) else { panic!("a plan must be proposed") };
    assert_eq!(changes(&plan), ["pv/pv-1: policy Delete"]);
    let step = &plan.steps[0];
    let expect = step.write.as_ref().map(|write| write.expect.clone()).unwrap_or_default();
    // The uid also shows whether the claim was replaced between the plan and the write.
    let named = Reference { namespace: "db".into(), name: "data".into(), uid: "c-data".into() };
    assert!(expect.contains(&Expect::ClaimRef { is: Some(named) }), "{expect:?}");
    let rechecks: Vec<String> = step.recheck.iter().map(ToString::to_string).collect();
    assert_eq!(rechecks, ["claim db/data has volume pv-1 and is not being deleted"]);
}

/// If another claim has the volume now, Retain stays. The refusal says which claim has the volume, and which claim had
/// it before.
#[test]
fn another_claim_keeps_its_data() {
    let cases = [
        (stood("Bound", &of("db", "data", "c-data")), ("other", "c-other"), "claim db/data with uid c-data had it"),
        // The claim has the same name, but another uid.
        (stood("Bound", &of("db", "data", "c-old")), ("data", "c-data"), "claim db/data with uid c-old had it"),
        (stood("Released", &of("db", "data", "c-gone")), ("data", "c-data"), "claim db/data with uid c-gone had it"),
        (stood("Released", &of("db", "data", "c-gone")), ("next", "c-next"), "claim db/data with uid c-gone had it"),
        (stood("Available", &json!(null)), ("data", "c-data"), "no claim had it"),
        (stood("Available", &of("db", "data", "")), ("data", "c-data"), "no claim had it, it was reserved for db/data"),
    ];
    for (then, (name, uid), before) in cases {
        let refusal = refused(back(&then, has(name, uid)));
        let said = format!(
            "volume pv-1 keeps policy Retain: with its former policy Delete, the data of claim db/{name} would be \
             deleted with that claim. It has the volume now, with uid {uid}; before, {before}"
        );
        assert_eq!((refusal.by, refusal.message.as_str()), ("held", said.as_str()));
    }
}

/// A longer repair that stopped after its first step has only set a policy, which nobody asked for. The answer says why
/// Retain stays. The journal is nevertheless treated as undone.
#[test]
fn a_repair_that_stopped_early_leaves_another_claim_its_data() {
    let plan = World::new(bound()).plan(&moving());
    let then = stood("Bound", &of("db", "data", "c-data"));
    let Proposed::Plan(back) = of_plan(&plan, &then, has("other", "c-other")) else {
        panic!("a plan must be proposed")
    };
    assert!(changes(&back).is_empty(), "{back:#?}");
    let stays = "volume pv-1 keeps policy Retain: with its former policy Delete, the data of claim db/other would be \
                 deleted";
    assert!(back.notes.iter().any(|note| note.starts_with(stays)), "{:?}", back.notes);
    let Proposed::Plan(back) = of_plan(&plan, &then, has("data", "c-data")) else { panic!("a plan must be proposed") };
    assert_eq!(changes(&back), ["pv/pv-1: policy Delete"]);
}

/// The journal is about another volume of this name. So its write is not undone.
#[test]
fn a_volume_of_the_same_name_keeps_its_policy() {
    let then = stood("Bound", &of("db", "data", "c-data"));
    let mut today = has("data", "c-data");
    today[0]["metadata"]["uid"] = "v-anew".into();
    assert_eq!(refused(back(&then, today)).by, "changed");
}

/// If the journal does not have the answer of the API server, it is unknown which claim had the volume. So the policy
/// is not set again.
#[test]
fn without_the_volume_as_it_was_nothing_is_given_back() {
    let then = stood("Bound", &of("db", "data", "c-data"));
    let mut before = then.clone();
    before["spec"]["persistentVolumeReclaimPolicy"] = "Delete".into();
    let plan = World::new(vec![before, class("fast")]).plan(&retain());
    let done: Vec<Done> =
        plan.steps.iter().map(|step| Done { step: step.clone(), after: None, was_so: false }).collect();
    assert!(matches!(&plan.steps[0].write, Some(write) if matches!(write.change, Change::SetReclaimPolicy { .. })));
    let manifests = Manifests::default();
    let world = World::new(has("data", "c-data"));
    assert_eq!(refused(undo(&world.situation(&manifests), "journal", false, &plan, &done)).by, "unknown");
}
