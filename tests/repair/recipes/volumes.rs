//! These tests are about recipes in which people free, keep or delete volumes.

use super::{position, release, step, terminating, unbind, with_policy};
use crate::repair::plans::{World, attachment, bound, changes, claim, complete, moving, of, pod, released};
use pvctl::model::Kind;
use pvctl::repair::{Change, Proposed, Recheck, Recipient, Request, volume_key};
use pvctl::snapshot::{CoverageEntry, CoverageState};
use serde_json::json;

/// Recipe 3: a person removes the claimRef of a Released volume. The verb `release` reserves the volume for a claim
/// name. It frees the volume for any claim only if the person types the name of the volume.
#[test]
fn r3_a_released_volume_is_reserved_and_freed_only_by_name() {
    // A claim of another namespace waits. If any claim could take the volume, this claim would get it with all its
    // data.
    let mut objects = released();
    objects.push(claim("new", "stranger", "", "Pending"));
    let world = World::new(objects);
    let plan = world.accepted(&release(Recipient::LastClaim));
    assert_eq!(changes(&plan), ["pv/pv-1: claimRef db/data"]);
    assert_eq!(plan.steps[0].expects[0].object, volume_key("pv-1"));
    assert_eq!(plan.steps[0].expects[0].states, ["Available, Retain, reserved for db/data"]);
    let reviewed = world.review(&release(Recipient::Anyone)).unwrap_or_else(|_| panic!());
    let plan = reviewed.plan();
    assert_eq!(changes(plan), ["pv/pv-1: no claimRef"]);
    assert_eq!(plan.type_name.as_deref(), Some("pv-1"));
    assert!(!plan.is_safe());
    let claimants = reviewed.guards().iter().find(|guard| guard.id == "claimants").unwrap_or_else(|| panic!());
    assert_eq!(claimants.looked_at, "volume pv-1: claim new/stranger gets it, with all its data");
    assert!(reviewed.confirm(None).is_err(), "without the name of the volume the plan must not be confirmed");
}

/// Recipes 4 and 6: a person removes the claimRef, or only its uid, while the claim exists. These requests are refused.
#[test]
fn r4_r6_the_volume_of_a_live_claim_is_not_taken() {
    let world = World::new(bound());
    for to in [Recipient::LastClaim, Recipient::Anyone] {
        for request in [release(to.clone()), unbind(to)] {
            let refusal = world.refusal(&request);
            assert_eq!(refusal.by, "held", "{request:?}");
            assert!(refusal.hints.iter().any(|hint| hint.contains("pvctl move")), "{refusal:?}");
        }
    }
}

/// Recipe 5: a person removes the claimRef of a volume that is being deleted. These requests are refused.
#[test]
fn r5_a_terminating_volume_is_not_freed() {
    let world = World::new(vec![terminating(released()[0].clone())]);
    assert_eq!(world.refusal(&release(Recipient::LastClaim)).by, "deletion");
    let mut objects = bound();
    objects[0] = terminating(objects[0].clone());
    let world = World::new(objects);
    for request in [moving(), release(Recipient::Anyone), unbind(Recipient::Anyone), unbind(Recipient::LastClaim)] {
        let refusal = world.refusal(&request);
        assert_eq!(refusal.by, "deletion", "{request:?}");
        assert!(refusal.hints.iter().any(|hint| hint.contains("pvctl retain pv/pv-1")), "{refusal:?}");
    }
}

/// Recipe 8: a person deletes the claim while the policy is Delete. A plan sets Retain first, and reads the policy
/// again right before the deletion.
#[test]
fn r8_no_claim_goes_before_its_volume_is_kept() {
    let plan = World::new(bound()).accepted(&moving());
    let retain = position(&plan, |change| matches!(change, Change::SetReclaimPolicy { to } if to == "Retain"));
    let delete = position(&plan, |change| matches!(change, Change::Delete));
    assert!(retain < delete);
    let kept = plan.steps[delete].recheck.iter().find_map(|recheck| match recheck {
        Recheck::Retained { volume } => Some(volume.clone()),
        _ => None,
    });
    let Some(kept) = kept else { panic!("the policy must be read again before the deletion") };
    assert_eq!((kept.name().as_str(), kept.uid().as_str()), ("pv-1", "v-pv-1"));
    // Listing all volumes may take long. So the users of the claim are checked after that list.
    assert_eq!(
        plan.steps[delete].recheck,
        [
            Recheck::AllRetained { namespace: "db".into(), name: "data".into() },
            Recheck::Unused { namespace: "db".into(), name: "data".into() },
            Recheck::Detached { volume: "pv-1".into() },
            Recheck::Retained { volume: kept },
        ]
    );
}

/// Recipe 10: a person sets policy Delete on many volumes at the same time. A plan sets it on one volume, and the
/// person must type the name of the volume.
#[test]
fn r10_policy_delete_is_set_on_one_volume_at_a_time_and_by_name() {
    let world = World::new(released());
    let request = Request::Reclaim { volume: "pv-1".into(), delete: true };
    let plan = world.accepted(&request);
    assert_eq!(plan.type_name.as_deref(), Some("pv-1"));
    assert!(!plan.is_safe());
    let reviewed = world.review(&request).unwrap_or_else(|_| panic!());
    let reviewed = reviewed
        .confirm(None)
        .map(drop)
        .map_err(|back| *back)
        .err()
        .unwrap_or_else(|| panic!("the plan must not be confirmed without a name"));
    let reviewed = reviewed
        .confirm(Some("pv-2"))
        .map(drop)
        .map_err(|back| *back)
        .err()
        .unwrap_or_else(|| panic!("the plan must not be confirmed with another name"));
    assert!(reviewed.confirm(Some("pv-1")).is_ok());
    assert!(matches!(world.propose(&Request::Reclaim { volume: "pv-1".into(), delete: false }), Proposed::Nothing(_)));
}

/// Recipe 23: a person repairs the mount of a Failed volume with policy Recycle. Then the recycler erases the data. A
/// plan sets Retain first.
#[test]
fn r23_recycle_is_set_to_retain_first() {
    let nfs = |phase: &str| {
        let mut objects = with_policy(released(), "Recycle");
        objects[0]["spec"].as_object_mut().unwrap_or_else(|| panic!()).remove("csi");
        objects[0]["spec"]["nfs"] = json!({ "server": "files.example.com", "path": "/a" });
        objects[0]["status"]["phase"] = phase.into();
        objects
    };
    let plan = World::new(nfs("Failed")).accepted(&release(Recipient::LastClaim));
    assert_eq!(changes(&plan), ["pv/pv-1: policy Retain", "pv/pv-1: claimRef db/data"]);
    let recycler = pod("default", "recycler-for-pv-1", "none");
    // If the policy becomes Retain, the recycler pod continues.
    for policy in ["Recycle", "Retain"] {
        let mut objects = with_policy(nfs("Released"), policy);
        objects.push(recycler.clone());
        let refusal = World::new(objects).refusal(&release(Recipient::LastClaim));
        assert_eq!(
            (refusal.by, refusal.message.as_str()),
            (
                "recycler",
                "pod default/recycler-for-pv-1 is erasing volume pv-1, or has erased it: wait until the pod is gone, \
                 and check the data"
            ),
            "{policy}"
        );
    }
    // The uid was removed from the claimRef. So the volume is Available while it is being erased.
    let restore =
        Request::Restore { namespace: "db".into(), name: "data".into(), from: None, provisioner_stopped: false };
    for policy in ["Recycle", "Retain"] {
        let mut objects = with_policy(nfs("Available"), policy);
        objects[0]["spec"]["claimRef"] = of("db", "data", "");
        objects.push(recycler.clone());
        assert_eq!(World::new(objects).refusal(&restore).by, "recycler", "{policy}");
    }
    // If the pods of the namespace were not listed, this pod is read right before the write.
    let mut coverage = complete();
    coverage.set(CoverageEntry::new(Kind::Pod, Some("default".into()), CoverageState::Forbidden));
    let plan = World::with(with_policy(nfs("Released"), "Retain"), coverage).accepted(&release(Recipient::LastClaim));
    assert!(plan.steps[0].recheck.contains(&Recheck::NotRecycled { volume: "pv-1".into() }), "{plan:#?}");
}

/// Recipe 9: a person deletes a Bound volume "to reset it". No verb deletes a volume. A request for policy Delete is
/// refused, and the message names the claim that holds the volume.
#[test]
fn r9_a_bound_volume_is_not_handed_to_deletion() {
    let refusal = World::new(bound()).refusal(&Request::Reclaim { volume: "pv-1".into(), delete: true });
    assert_eq!(refusal.by, "held");
    assert!(refusal.message.contains("claim db/data"), "{refusal:?}");
}

/// Recipe 11: a volume that is still attached to a node is not given to another claim.
#[test]
fn r11_an_attached_volume_does_not_change_hands() {
    let mut objects = bound();
    objects.push(attachment("pv-1"));
    let refusal = World::new(objects).refusal(&moving());
    assert_eq!(
        (refusal.by, refusal.message.as_str()),
        ("detached", "VolumeAttachments attach volume pv-1 to node-1; they are deleted when no pod uses it")
    );
}

/// Recipe 24: the policy of a class does not apply to existing volumes. Only the policy of the volume itself decides
/// about its data.
#[test]
fn r24_the_policy_of_the_volume_counts_and_not_that_of_its_class() {
    let mut objects = bound();
    objects[2]["reclaimPolicy"] = "Retain".into();
    let plan = World::new(objects).accepted(&moving());
    assert_eq!(position(&plan, |change| matches!(change, Change::SetReclaimPolicy { to } if to == "Retain")), 0);
    let kept = World::new(with_policy(bound(), "Retain")).accepted(&moving());
    assert!(step(&kept, |change| matches!(change, Change::SetReclaimPolicy { .. })).is_none(), "{kept:#?}");
}
