//! Finds volumes and claims that do not agree, and claims whose class is missing.
//!
//! Two lists do not show the same moment. A volume and a claim that do not agree may have been bound or deleted between
//! the two lists. A class may have been created. So a missing object is read again before its absence counts. The
//! object that names the missing object is also read again, because both may have been deleted at the same time. If
//! many objects do not agree, the objects that both lists show at the same moment are not read again.

use crate::model::{
    ClaimPhase, Kind, ObjectKey, ObjectMeta, PersistentVolume, PersistentVolumeClaim, ResourceVersion, Str, VolumePhase,
};
use crate::snapshot::{CoverageState, Parts};
use std::collections::{BTreeSet, HashMap, HashSet};

pub(super) fn key_of(kind: Kind, meta: &ObjectMeta) -> ObjectKey {
    ObjectKey { kind, namespace: meta.namespace.clone(), name: meta.name.clone() }
}

/// Returns whether the lists show this claim and the volumes at the same moment, the moment of the list of volumes.
///
/// If a claim was written before this moment and listed after it, it had the same content at this moment. The resource
/// versions of both kinds can be compared if one store counts the writes of both. This is so on every cluster in which
/// the API server does not store the kinds separately (`--etcd-servers-overrides`).
fn is_of_one_moment(parts: &Parts, claim: &PersistentVolumeClaim) -> bool {
    let volumes = listed_at(parts, Kind::PersistentVolume, "");
    let claims = listed_at(parts, Kind::PersistentVolumeClaim, &claim.meta.namespace);
    match (recorded(&claim.meta.resource_version), volumes, claims) {
        (Some(written), Some(volumes), Some(claims)) => written <= volumes && volumes <= claims,
        _ => false,
    }
}

/// Returns the objects to read again, in order: volumes and claims that are missing, have another uid, or do not name
/// the other one, and classes that unbound claims name.
pub(super) fn suspects(parts: &Parts) -> BTreeSet<ObjectKey> {
    suspects_but(parts, |_, _| false)
}

/// Returns the suspects without the pairs that the lists show at the same moment. This function is used if there are
/// many suspects. Objects in `read_alone` are always included, because they were read at a later moment.
pub(super) fn suspects_of_different_moments(parts: &Parts, read_alone: &BTreeSet<ObjectKey>) -> BTreeSet<ObjectKey> {
    suspects_but(parts, |claim, volume| {
        let volume = ObjectKey { kind: Kind::PersistentVolume, namespace: Str::default(), name: Str::from(volume) };
        !read_alone.contains(&key_of(Kind::PersistentVolumeClaim, &claim.meta))
            && !read_alone.contains(&volume)
            && is_of_one_moment(parts, claim)
    })
}

/// Returns the suspects without some pairs. A pair is left out if `is_known` says that it really is as the lists show
/// it.
fn suspects_but(parts: &Parts, is_known: impl Fn(&PersistentVolumeClaim, &str) -> bool) -> BTreeSet<ObjectKey> {
    let claims: HashMap<(&str, &str), &PersistentVolumeClaim> = parts
        .objects
        .claims
        .iter()
        .map(|claim| ((claim.meta.namespace.as_str(), claim.meta.name.as_str()), claim))
        .collect();
    let volumes: HashMap<&str, &PersistentVolume> =
        parts.objects.volumes.iter().map(|volume| (volume.meta.name.as_str(), volume)).collect();
    let listed = |kind, namespace: &str| parts.coverage.state(kind, namespace) == CoverageState::Complete;
    let mut suspects = BTreeSet::new();
    for volume in &parts.objects.volumes {
        let Some(reference) = volume.claim_ref.as_ref().filter(|reference| !reference.name.is_empty()) else {
            continue;
        };
        let claim = claims.get(&(reference.namespace.as_str(), reference.name.as_str()));
        let agrees = claim.is_some_and(|claim| {
            (reference.uid.is_empty() || reference.uid == claim.meta.uid)
                && (reference.uid.is_empty() || claim.volume_name == volume.meta.name)
        });
        let outlived = matches!(volume.status.phase, VolumePhase::Released | VolumePhase::Failed)
            && !reference.uid.is_empty()
            && claim.is_none_or(|claim| claim.meta.uid != reference.uid)
            && listed_since(parts, &reference.namespace, &volume.meta.resource_version);
        let known = || claim.is_some_and(|claim| is_known(claim, &volume.meta.name));
        if !agrees && !outlived && !known() && listed(Kind::PersistentVolumeClaim, &reference.namespace) {
            if volume.status.phase == VolumePhase::Bound && listed(Kind::PersistentVolume, "") {
                suspects.insert(key_of(Kind::PersistentVolume, &volume.meta));
            }
            suspects.insert(ObjectKey {
                kind: Kind::PersistentVolumeClaim,
                namespace: reference.namespace.clone(),
                name: reference.name.clone(),
            });
        }
    }
    for claim in parts.objects.claims.iter().filter(|claim| !claim.volume_name.is_empty()) {
        let agrees = volumes.get(claim.volume_name.as_str()).and_then(|volume| volume.claim_ref.as_ref()).is_some_and(
            |reference| {
                reference.namespace == claim.meta.namespace
                    && reference.name == claim.meta.name
                    && reference.uid == claim.meta.uid
            },
        );
        if !agrees && !is_known(claim, &claim.volume_name) && listed(Kind::PersistentVolume, "") {
            if claim.status.phase == ClaimPhase::Bound && listed(Kind::PersistentVolumeClaim, &claim.meta.namespace) {
                suspects.insert(key_of(Kind::PersistentVolumeClaim, &claim.meta));
            }
            suspects.insert(ObjectKey {
                kind: Kind::PersistentVolume,
                namespace: Str::default(),
                name: claim.volume_name.clone(),
            });
        }
    }
    let classes: HashSet<&str> = parts.objects.classes.iter().map(|class| class.meta.name.as_str()).collect();
    let unbound = parts.objects.claims.iter().filter(|claim| claim.volume_name.is_empty() && !claim.class().is_empty());
    for claim in unbound.filter(|claim| !classes.contains(claim.class())) {
        if listed(Kind::StorageClass, "") {
            let name = Str::from(claim.class());
            suspects.insert(ObjectKey { kind: Kind::StorageClass, namespace: Str::default(), name });
        }
    }
    suspects
}

/// Returns whether the claims of the namespace were listed after the volume was written. The uid in a claimRef is
/// written after the claim was created. So a claim that is missing in the list was deleted.
fn listed_since(parts: &Parts, namespace: &str, written: &ResourceVersion) -> bool {
    let listed = listed_at(parts, Kind::PersistentVolumeClaim, namespace);
    recorded(written).zip(listed).is_some_and(|(written, listed)| written <= listed)
}

/// Returns the resource version of the list of that kind in that namespace.
fn listed_at(parts: &Parts, kind: Kind, namespace: &str) -> Option<u64> {
    let of = |wanted: Option<&str>| {
        let mut all = parts.coverage.entries().iter();
        all.find(|entry| entry.kind == kind && entry.namespace.as_deref() == wanted)
    };
    of(Some(namespace)).or_else(|| of(None))?.resource_version.as_deref()?.parse().ok()
}

fn recorded(version: &ResourceVersion) -> Option<u64> {
    match version {
        ResourceVersion::Recorded(version) => version.parse().ok(),
        ResourceVersion::Next(_) => None,
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;
    use crate::model::ClaimRef;
    use crate::model::Objects;
    use crate::snapshot::{Coverage, CoverageEntry};

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

    /// Both objects may have been deleted between the lists. A volume that is Available or Released is not recorded as
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
            // The claim exists, but its state is that of another moment.
            assert_eq!(found(&released, vec![claim("data", "u", "")], "100"), asked);
            // The volume was bound to a claim that was created after the list of claims.
            assert_eq!(found(&released, Vec::new(), "98"), asked);
            assert_eq!(found(&released, Vec::new(), "?"), asked);
            released.claim_ref.as_mut().unwrap().uid = Str::default();
            assert_eq!(found(&released, Vec::new(), "100"), asked);
        }
    }

    /// The volumes are listed first and the claims later. If a claim was written before both lists, it existed when the
    /// volumes were listed.
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
            // One of the two was read again later, so the lists do not show both at the same moment.
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
}
