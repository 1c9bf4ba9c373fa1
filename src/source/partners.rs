//! Pairs of volume and claim that do not agree. Two lists are not one moment: what looks like a broken pair may have
//! been bound, or deleted, between them. So one side of each is read again before its absence counts.

use crate::model::{Kind, ObjectKey, PersistentVolume, PersistentVolumeClaim, Str};
use crate::snapshot::{CoverageState, Parts};
use std::collections::{BTreeSet, HashMap};

/// The objects to read again, in order: partners that are missing, have another uid, or do not point back.
pub(super) fn suspects(parts: &Parts) -> BTreeSet<ObjectKey> {
    let claims: HashMap<(&str, &str), &PersistentVolumeClaim> =
        parts.claims.iter().map(|claim| ((claim.meta.namespace.as_str(), claim.meta.name.as_str()), claim)).collect();
    let volumes: HashMap<&str, &PersistentVolume> =
        parts.volumes.iter().map(|volume| (volume.meta.name.as_str(), volume)).collect();
    let listed = |kind, namespace: &str| parts.coverage.state(kind, namespace) == CoverageState::Complete;
    let mut suspects = BTreeSet::new();
    for volume in &parts.volumes {
        let Some(reference) = volume.claim_ref.as_ref().filter(|reference| !reference.name.is_empty()) else {
            continue;
        };
        let agrees = claims.get(&(reference.namespace.as_str(), reference.name.as_str())).is_some_and(|claim| {
            (reference.uid.is_empty() || reference.uid == claim.meta.uid)
                && (reference.uid.is_empty() || claim.volume_name == volume.meta.name)
        });
        if !agrees && listed(Kind::PersistentVolumeClaim, &reference.namespace) {
            suspects.insert(ObjectKey {
                kind: Kind::PersistentVolumeClaim,
                namespace: reference.namespace.clone(),
                name: reference.name.clone(),
            });
        }
    }
    for claim in parts.claims.iter().filter(|claim| !claim.volume_name.is_empty()) {
        let agrees = volumes.get(claim.volume_name.as_str()).and_then(|volume| volume.claim_ref.as_ref()).is_some_and(
            |reference| {
                reference.namespace == claim.meta.namespace
                    && reference.name == claim.meta.name
                    && reference.uid == claim.meta.uid
            },
        );
        if !agrees && listed(Kind::PersistentVolume, "") {
            suspects.insert(ObjectKey {
                kind: Kind::PersistentVolume,
                namespace: Str::default(),
                name: claim.volume_name.clone(),
            });
        }
    }
    suspects
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{ClaimRef, ObjectMeta};
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
        let parts = Parts { volumes, claims, coverage: Coverage::complete(), ..Parts::default() };
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

    #[test]
    fn what_could_not_be_listed_is_not_asked_for() {
        let mut parts = Parts { volumes: vec![volume("pv", "data", "u")], ..Parts::default() };
        parts.coverage = Coverage::complete();
        parts.coverage.set(CoverageEntry {
            kind: Kind::PersistentVolumeClaim,
            namespace: None,
            state: CoverageState::Forbidden,
            resource_version: None,
            reason: None,
        });
        assert!(suspects(&parts).is_empty());
    }
}
