//! Tests of `pvctl::source::partners`.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use pvctl::model::{
    ClaimPhase, ClaimRef, Kind, ObjectKey, ObjectMeta, Objects, PersistentVolume, PersistentVolumeClaim,
    ResourceVersion, Str, VolumePhase,
};
use pvctl::snapshot::{Coverage, CoverageEntry, CoverageState, Parts};
use pvctl::source::partners::{suspects, suspects_of_different_moments};
use std::collections::BTreeSet;

fn claim(name: &str, uid: &str, volume: &str) -> PersistentVolumeClaim {
    PersistentVolumeClaim {
        meta: ObjectMeta { namespace: "db".into(), name: name.into(), uid: uid.into(), ..ObjectMeta::default() },
        volume_name: volume.into(),
        ..PersistentVolumeClaim::default()
    }
}

fn volume(name: &str, claim: &str, uid: &str) -> PersistentVolume {
    let reference = ClaimRef { namespace: "db".into(), name: claim.into(), uid: uid.into(), ..ClaimRef::default() };
    PersistentVolume {
        meta: ObjectMeta { name: name.into(), ..ObjectMeta::default() },
        claim_ref: (!claim.is_empty()).then_some(reference),
        ..PersistentVolume::default()
    }
}

fn found(volumes: Vec<PersistentVolume>, claims: Vec<PersistentVolumeClaim>) -> Vec<String> {
    let parts = Parts {
        objects: Objects { volumes, claims, ..Objects::default() },
        coverage: Coverage::complete(),
        ..Parts::default()
    };
    suspects(&parts).iter().map(ToString::to_string).collect()
}

#[test]
fn agreeing_pairs_free_volumes_and_reservations_are_not_read_again() {
    assert!(found(vec![volume("pv", "data", "u")], vec![claim("data", "u", "pv")]).is_empty());
    assert!(found(vec![volume("pv", "", "")], vec![claim("data", "u", "")]).is_empty());
    assert!(found(vec![volume("pv", "data", "")], vec![claim("data", "u", "")]).is_empty());
}

#[test]
fn partners_that_are_missing_or_others_are_read_again() {
    assert_eq!(found(vec![volume("pv", "data", "u")], Vec::new()), ["pvc/data -n db"]);
    assert_eq!(found(Vec::new(), vec![claim("data", "u", "pv")]), ["pv/pv"]);
    let both = ["pv/pv", "pvc/data -n db"];
    assert_eq!(found(vec![volume("pv", "data", "old")], vec![claim("data", "new", "pv")]), both);
}

#[test]
fn a_half_made_binding_is_read_again_from_the_side_that_lacks_it() {
    assert_eq!(found(vec![volume("pv", "data", "u")], vec![claim("data", "u", "")]), ["pvc/data -n db"]);
    assert_eq!(found(vec![volume("pv", "", "")], vec![claim("data", "u", "pv")]), ["pv/pv"]);
}

/// Both objects may have been deleted between the two lists. A volume that is Available or Released is not recorded as
/// bound.
#[test]
fn a_pair_recorded_as_bound_is_read_again_together() {
    let mut held = volume("pv", "data", "u");
    held.status.phase = VolumePhase::Bound;
    assert_eq!(found(vec![held.clone()], Vec::new()), ["pv/pv", "pvc/data -n db"]);
    held.status.phase = VolumePhase::Available;
    assert_eq!(found(vec![held], Vec::new()), ["pvc/data -n db"]);
    let mut bound = claim("data", "u", "pv");
    bound.status.phase = ClaimPhase::Bound;
    assert_eq!(found(Vec::new(), vec![bound]), ["pv/pv", "pvc/data -n db"]);
}

#[test]
fn a_claim_that_a_volume_outlived_is_not_asked_for() {
    let found = |volume: &PersistentVolume, claims: Vec<PersistentVolumeClaim>, listed: &str| {
        let mut parts = Parts {
            objects: Objects { volumes: vec![volume.clone()], claims, ..Objects::default() },
            coverage: Coverage::complete(),
            ..Parts::default()
        };
        parts.coverage.set(CoverageEntry {
            resource_version: Some(listed.into()),
            ..CoverageEntry::new(Kind::PersistentVolumeClaim, None, CoverageState::Complete)
        });
        suspects(&parts).iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    let asked = ["pvc/data -n db"];
    for phase in [VolumePhase::Released, VolumePhase::Failed] {
        let mut released = volume("pv", "data", "u");
        released.status.phase = phase;
        released.meta.resource_version = ResourceVersion::Recorded("99".into());
        assert!(found(&released, Vec::new(), "99").is_empty());
        assert!(found(&released, vec![claim("data", "new", "")], "100").is_empty());
        // The claim exists. But the list shows its state at another moment.
        assert_eq!(found(&released, vec![claim("data", "u", "")], "100"), asked);
        // The claim to which the volume was bound may have been created after the list of claims.
        assert_eq!(found(&released, Vec::new(), "98"), asked);
        assert_eq!(found(&released, Vec::new(), "?"), asked);
        released.claim_ref.as_mut().unwrap().uid = Str::default();
        assert_eq!(found(&released, Vec::new(), "100"), asked);
    }
}

/// Volumes are listed first, and claims are listed after them. If a claim was written before both lists, it existed
/// when the volumes were listed.
#[test]
fn lists_that_show_one_moment_need_no_second_reading() {
    let at = |kind, version: &str| CoverageEntry {
        resource_version: Some(version.into()),
        ..CoverageEntry::new(kind, None, CoverageState::Complete)
    };
    let found = |volumes: &[PersistentVolume], written: &str, listed: [&str; 2], alone: &[&ObjectKey]| {
        let mut claim = claim("data", "u", "pv");
        claim.meta.resource_version = ResourceVersion::Recorded(written.into());
        let (volumes, claims) = (volumes.to_vec(), vec![claim]);
        let mut parts = Parts {
            objects: Objects { volumes, claims, ..Objects::default() },
            coverage: Coverage::complete(),
            ..Parts::default()
        };
        parts.coverage.set(at(Kind::PersistentVolume, listed[0]));
        parts.coverage.set(at(Kind::PersistentVolumeClaim, listed[1]));
        let all = suspects(&parts);
        assert!(!all.is_empty());
        !suspects_of_different_moments(&parts, &alone.iter().copied().cloned().collect()).is_empty()
    };
    let [of_claim, of_volume, of_other] = [
        (Kind::PersistentVolumeClaim, "db", "data"),
        (Kind::PersistentVolume, "", "pv"),
        (Kind::PersistentVolume, "", "other"),
    ]
    .map(|(kind, namespace, name)| ObjectKey { kind, namespace: namespace.into(), name: name.into() });
    for volumes in [&[][..], &[volume("pv", "", "")], &[volume("pv", "data", "old")]] {
        assert!(!found(volumes, "50", ["50", "50"], &[]));
        assert!(!found(volumes, "49", ["50", "60"], &[&of_other]));
        // The claim was written after the list of volumes.
        assert!(found(volumes, "51", ["50", "60"], &[]));
        // The claims were listed before the volumes. The claim and then its volume may have been deleted between
        // the two lists.
        assert!(found(volumes, "49", ["50", "49"], &[]));
        // One of the two kinds was read again later. So the lists do not show both objects at the same moment.
        assert!(found(volumes, "49", ["50", "60"], &[&of_claim]));
        assert!(found(volumes, "49", ["50", "60"], &[&of_volume]));
        for (written, listed) in [("?", ["50", "60"]), ("49", ["?", "60"]), ("49", ["50", "?"])] {
            assert!(found(volumes, written, listed, &[]));
        }
    }
    // A missing claim does not show when it was deleted.
    let mut parts = Parts {
        objects: Objects { volumes: vec![volume("pv", "data", "u")], ..Objects::default() },
        ..Parts::default()
    };
    parts.coverage = Coverage::complete();
    parts.coverage.set(at(Kind::PersistentVolume, "50"));
    parts.coverage.set(at(Kind::PersistentVolumeClaim, "60"));
    assert_eq!(suspects_of_different_moments(&parts, &BTreeSet::new()).len(), 1);
}

#[test]
fn a_class_that_a_waiting_claim_names_and_that_is_not_there_is_read_again() {
    let mut waiting = claim("data", "u", "");
    waiting.class_name = Some("fast".into());
    assert_eq!(found(Vec::new(), vec![waiting.clone()]), ["sc/fast"]);
    waiting.class_name = Some(Str::default());
    assert!(found(Vec::new(), vec![waiting]).is_empty());
}

#[test]
fn kinds_that_could_not_be_listed_are_not_requested_by_name() {
    let mut parts = Parts {
        objects: Objects { volumes: vec![volume("pv", "data", "u")], ..Objects::default() },
        ..Parts::default()
    };
    parts.coverage = Coverage::complete();
    parts.coverage.set(CoverageEntry::new(Kind::PersistentVolumeClaim, None, CoverageState::Forbidden));
    assert!(suspects(&parts).is_empty());
}
