//! Finds volumes and claims that do not agree, and claims whose class is missing.
//!
//! Two lists do not show the same moment. If a volume and a claim do not agree, they may have been bound or deleted
//! between the two lists. A class may have been created in between. So before an object is treated as absent, it is
//! read again. The object that names it is also read again, because both may have been deleted at the same time. If
//! many objects do not agree, a pair is not read again if both lists show it at the same moment.

use crate::model::{
    ClaimPhase, Kind, ObjectKey, ObjectMeta, PersistentVolume, PersistentVolumeClaim, ResourceVersion, Str, VolumePhase,
};
use crate::snapshot::{CoverageState, Parts};
use std::collections::{BTreeSet, HashMap, HashSet};

pub(super) fn key_of(kind: Kind, meta: &ObjectMeta) -> ObjectKey {
    ObjectKey { kind, namespace: meta.namespace.clone(), name: meta.name.clone() }
}

/// Returns whether the lists show this claim and the volumes at the same moment: the moment of the list of volumes.
///
/// If a claim was written before this moment and listed after it, the claim had the same content at this moment. The
/// resource versions of volumes and claims can be compared if one store counts the writes of both. This is true for
/// every cluster whose API server does not store the kinds separately (`--etcd-servers-overrides`).
fn is_of_one_moment(parts: &Parts, claim: &PersistentVolumeClaim) -> bool {
    let volumes = listed_at(parts, Kind::PersistentVolume, "");
    let claims = listed_at(parts, Kind::PersistentVolumeClaim, &claim.meta.namespace);
    match (recorded(&claim.meta.resource_version), volumes, claims) {
        (Some(written), Some(volumes), Some(claims)) => written <= volumes && volumes <= claims,
        _ => false,
    }
}

/// Returns the objects to read again, in order. They are volumes and claims that are missing, have another uid, or do
/// not name each other, and missing classes that unbound claims name.
pub fn suspects(parts: &Parts) -> BTreeSet<ObjectKey> {
    suspects_but(parts, |_, _| false)
}

/// Returns the suspects without the pairs that the lists show at the same moment. It is used if there are many
/// suspects. Objects in `read_alone` are always included, because they were read at a later moment.
pub fn suspects_of_different_moments(parts: &Parts, read_alone: &BTreeSet<ObjectKey>) -> BTreeSet<ObjectKey> {
    suspects_but(parts, |claim, volume| {
        let volume = ObjectKey { kind: Kind::PersistentVolume, namespace: Str::default(), name: Str::from(volume) };
        !read_alone.contains(&key_of(Kind::PersistentVolumeClaim, &claim.meta))
            && !read_alone.contains(&volume)
            && is_of_one_moment(parts, claim)
    })
}

/// Returns the suspects without those pairs for which `is_known` says that the pair really is as the lists show it.
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

/// Returns whether the claims of the namespace were listed after the volume was written. If they were, a missing claim
/// was deleted, because the uid in a claimRef is written after the claim was created.
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
