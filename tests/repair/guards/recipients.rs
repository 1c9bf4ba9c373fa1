//! Tests of the guard that names the recipient of a volume that any claim may take.

use super::guard;
use crate::repair::plans::{World, claim, class, complete, of, released, volume};
use pvctl::model::Kind;
use pvctl::repair::{Holds, Recipient, Request};
use pvctl::snapshot::{CoverageEntry, CoverageState};
use serde_json::Value;

pub(super) fn offer() -> Request {
    Request::Release { volume: "pv-1".into(), to: Recipient::Anyone }
}

fn waiting(name: &str, size: &str) -> Value {
    let mut waiting = claim("new", name, "", "Pending");
    waiting["spec"]["resources"]["requests"]["storage"] = size.into();
    waiting
}

/// The guard names the claim to which the simulation gives the volume, and no other claim.
#[test]
fn the_recipient_of_a_volume_offered_to_anyone_is_named() {
    let claimants = |more: &[Value]| {
        let mut objects = released();
        objects.extend_from_slice(more);
        let world = World::new(objects);
        world.accepted(&offer());
        let judged = guard(&world, &offer(), "claimants");
        assert_eq!(judged.holds, Holds::Warns);
        judged.looked_at
    };
    assert_eq!(
        claimants(&[]),
        "volume pv-1: no claim waits for the volume now; the next claim that fits gets it, with all its data"
    );
    // Of the other claims, one requests too much, one names another class, and one gets a volume that fits better.
    let mut other = waiting("other", "1Gi");
    other["spec"]["storageClassName"] = "slow".into();
    assert_eq!(
        claimants(&[waiting("small", "1Gi"), waiting("large", "2Gi"), other]),
        "volume pv-1: claim new/small gets it, with all its data"
    );
    let mut better = volume("pv-0", "Available", Value::Null);
    better["spec"]["capacity"]["storage"] = "512Mi".into();
    assert_eq!(
        claimants(&[waiting("tiny", "512Mi"), better]),
        "volume pv-1: no claim waits for the volume now; the next claim that fits gets it, with all its data"
    );
    assert_eq!(
        claimants(&[waiting("a", "1Gi"), waiting("b", "1Gi")]),
        "volume pv-1: one of these claims gets it, with all its data: new/a, new/b"
    );
}

/// If the class of a claim waits for a pod, the scheduler chooses a volume, and may choose this one.
#[test]
fn a_claim_that_waits_for_its_pod_may_get_the_volume() {
    let mut late = class("fast");
    late["volumeBindingMode"] = "WaitForFirstConsumer".into();
    let mut objects = released();
    objects[1] = late;
    objects.push(waiting("late", "1Gi"));
    let world = World::new(objects);
    world.accepted(&offer());
    assert_eq!(
        guard(&world, &offer(), "claimants").looked_at,
        "volume pv-1: claim new/late (its class waits for a pod) gets it, with all its data"
    );
}

#[test]
fn nothing_is_offered_to_anyone_while_claims_cannot_be_listed() {
    let mut coverage = complete();
    coverage.set(CoverageEntry::new(Kind::PersistentVolumeClaim, Some("elsewhere".into()), CoverageState::Forbidden));
    let refusal = World::with(released(), coverage).refusal(&offer());
    assert_eq!(refusal.by, "claimants");
}

/// A claim names the volume. If the volume were reserved for another claim, the first claim would become Lost, or would
/// wait for ever.
#[test]
fn a_volume_that_another_claim_names_is_not_given_away() {
    for (phase, how) in [("Pending", "it waits for it"), ("Lost", "it was bound to it, and its pods may still use it")]
    {
        let mut objects = released();
        objects.push(claim("new", "other", "pv-1", phase));
        let world = World::new(objects);
        let to = Recipient::Claim { namespace: "db".into(), name: "heir".into() };
        for to in [Recipient::LastClaim, to, Recipient::Anyone] {
            let refusal = world.refusal(&Request::Release { volume: "pv-1".into(), to });
            assert_eq!((refusal.by, refusal.message), ("held", format!("claim new/other names volume pv-1: {how}")));
        }
        let itself = Recipient::Claim { namespace: "new".into(), name: "other".into() };
        let proposed = world.propose(&Request::Release { volume: "pv-1".into(), to: itself });
        assert!(!matches!(proposed, pvctl::repair::Proposed::Nothing(_)), "{proposed:?}");
    }
    let mut objects = vec![volume("pv-1", "Available", of("db", "data", "c-gone")), class("fast")];
    objects.push(claim("new", "other", "pv-1", "Pending"));
    let refusal = World::new(objects).refusal(&Request::Unbind { volume: "pv-1".into(), to: Recipient::LastClaim });
    assert_eq!((refusal.by, refusal.message.as_str()), ("held", "claim new/other names volume pv-1: it waits for it"));
}
