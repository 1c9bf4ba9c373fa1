//! Claims that go with something else: with their owner, their namespace, or the set whose pods use them.

crate::diagnosis::rules::section! {
    claim_owner_dead,
    claim_owned_cascade,
    ns_terminating_pvc,
    sts_retention_delete,
    sts_orphan_claims,
}

use crate::diagnosis::remedy::retain;
use crate::diagnosis::{Case, Detection, Remedy, Risk};
use crate::model::surroundings::StatefulSet;
use crate::model::{Kind, ObjectKey, ObjectMeta, Owner, PersistentVolume, PersistentVolumeClaim};
use crate::snapshot::Absence;
use crate::snapshot::PLACEHOLDER_UID;

/// Where owners stand.
const OWNERS: &str = "metadata.ownerReferences";
/// The finalizer of an owner whose dependents are left alone: the garbage collector takes their references away.
const ORPHAN_FINALIZER: &str = "orphan";

/// What is known of an owner. Upstream: `classifyReferences` and `isDangling`, `pkg/controller/garbagecollector`, 1.36:
/// the owner is looked up by its name, in the namespace of the claim where its kind has one, and compared by its uid.
enum OwnerState<'a> {
    /// It is there, or is of a kind that nobody looks at here.
    Solid,
    /// It is there, and is being deleted.
    Going(&'a ObjectMeta),
    /// There is one of its name, with that uid.
    Replaced(&'a str),
    /// There is none of its name among those that are known.
    NotSeen,
}

/// The kinds of owners that are looked at besides claims.
const OWNER_KINDS: [Kind; 6] =
    [Kind::PersistentVolume, Kind::Pod, Kind::Node, Kind::StorageClass, Kind::StatefulSet, Kind::Namespace];

/// The kind of an owner, if it is one of those that are looked at.
fn kind_of(owner: &Owner) -> Option<Kind> {
    let kind = Kind::from_manifest(&owner.kind).filter(|kind| kind.api_version() == owner.api_version)?;
    (kind == Kind::PersistentVolumeClaim || OWNER_KINDS.contains(&kind)).then_some(kind)
}

/// What names an owner, if it is of a kind that can be looked at.
fn owner_key(claim: &PersistentVolumeClaim, owner: &Owner) -> Option<ObjectKey> {
    let kind = kind_of(owner)?;
    let namespace = if kind.namespaced() { claim.meta.namespace.as_str() } else { "" };
    Some(crate::diagnosis::key(kind, namespace, &owner.name))
}

/// What is known of an owner of the claim; of one that is not seen it is still open whether it exists.
fn standing<'a>(case: &Case<'a>, claim: &PersistentVolumeClaim, owner: &Owner) -> OwnerState<'a> {
    let Some(key) = owner_key(claim, owner) else { return OwnerState::Solid };
    let snapshot = case.snapshot();
    match snapshot.object_id(&key).map(|id| snapshot.meta(id)) {
        // What was never on an API server has no uid, and owns nothing so far.
        _ if owner.uid.is_empty() => OwnerState::Solid,
        None => OwnerState::NotSeen,
        Some(meta) if meta.uid.is_empty() || meta.uid.starts_with(PLACEHOLDER_UID) => OwnerState::Solid,
        Some(meta) if meta.uid != owner.uid => OwnerState::Replaced(&meta.uid),
        Some(meta) if meta.deleted.is_some() => OwnerState::Going(meta),
        Some(_) => OwnerState::Solid,
    }
}

/// Whether an owner that is not seen does not exist.
fn is_gone(case: &Case<'_>, claim: &PersistentVolumeClaim, owner: &Owner) -> bool {
    // Of files without any pod or node it is clear that they are not all there is.
    let snapshot = case.snapshot();
    let is_telling = |key: &ObjectKey| match key.kind {
        Kind::Pod if snapshot.pods().is_empty() => is_certain(case, key),
        Kind::Node if snapshot.nodes().is_empty() => is_certain(case, key),
        _ => true,
    };
    let key = owner_key(claim, owner).filter(is_telling);
    key.is_some_and(|key| case.lacks(key.kind, &key.namespace, &key.name))
}

/// Whether it was read that no such object exists.
fn is_certain(case: &Case<'_>, key: &ObjectKey) -> bool {
    case.snapshot().coverage().absence_of(key.kind, &key.namespace, &key.name) == Absence::Certain
}

/// Whether the claim was made for a generic ephemeral volume of that pod, with which it is meant to go.
fn is_ephemeral(claim: &PersistentVolumeClaim, owner: &Owner) -> bool {
    kind_of(owner) == Some(Kind::Pod)
        && claim.meta.name.strip_prefix(owner.name.as_str()).is_some_and(|rest| rest.starts_with('-'))
}

/// An owner as people call it.
fn called(owner: &Owner) -> String {
    format!("{} {}", owner.kind, owner.name)
}

/// An owner as evidence shows it.
fn shown(owner: &Owner) -> String {
    format!("{}/{} uid {}", owner.kind, owner.name, owner.uid)
}

/// The volume that the claim has, which has to name it in turn.
fn volume_of<'a>(case: &Case<'a>, claim: &PersistentVolumeClaim) -> Option<&'a PersistentVolume> {
    let is_ours = |volume: &&PersistentVolume| {
        volume.claim_ref.as_ref().is_some_and(|named| !named.uid.is_empty() && named.uid == claim.meta.uid)
    };
    if claim.volume_name.is_empty() { None } else { case.volume(&claim.volume_name).filter(is_ours) }
}

/// The volume of a claim whose data are destroyed once the claim is gone.
fn doomed<'a>(case: &Case<'a>, claim: &PersistentVolumeClaim) -> Option<&'a PersistentVolume> {
    volume_of(case, claim).filter(|volume| case.destroys(volume))
}

/// What becomes of a claim's data when the claim goes.
struct ClaimDeletionEffect {
    /// As a sentence that begins with a blank; empty where the claim has no volume.
    words: String,
    /// What that means, if the claim goes without anybody doing anything more.
    risk: Risk,
    /// How to keep the data.
    retain: Option<Remedy>,
}

/// What becomes of the claim's data when the claim goes.
fn fate(case: &Case<'_>, claim: &PersistentVolumeClaim) -> ClaimDeletionEffect {
    match volume_of(case, claim) {
        Some(volume) => {
            let risk = if case.destroys(volume) { Risk::Imminent } else { Risk::None };
            let words = format!(". Of its volume {}: {}", volume.meta.name, case.prospect(volume));
            ClaimDeletionEffect { words, risk, retain: retain(volume) }
        }
        // Of a volume that was not read nobody knows the policy.
        None if !claim.volume_name.is_empty() && case.volume(&claim.volume_name).is_none() => {
            ClaimDeletionEffect { words: String::new(), risk: Risk::Possible, retain: None }
        }
        None => ClaimDeletionEffect { words: String::new(), risk: Risk::None, retain: None },
    }
}

impl ClaimDeletionEffect {
    /// Adds what it means for the data, and how to keep them, to what was found.
    fn told(self, found: Detection) -> Detection {
        found.risk(self.risk).remedies(self.retain)
    }
}

/// The claims that have the name which a set gives, each with its ordinal.
fn claims_of<'a>(case: &Case<'a>, set: &StatefulSet) -> Vec<(i64, &'a PersistentVolumeClaim)> {
    let claims = case.snapshot().claims_in(&set.meta.namespace);
    let mut found = Vec::new();
    for template in &set.templates {
        let prefix = format!("{}-{}-", template.name, set.meta.name);
        let start = claims.partition_point(|claim| claim.meta.name.as_str() < prefix.as_str());
        let named = claims.iter().skip(start).take_while(|claim| claim.meta.name.starts_with(&*prefix));
        found.extend(named.filter_map(|claim| Some((set.ordinal(template, &claim.meta.name)?, claim))));
    }
    found
}

/// The first of these names, and how many more there are.
fn some<'n>(mut names: impl ExactSizeIterator<Item = &'n str>) -> String {
    let Some(first) = names.next() else { return "none".to_owned() };
    match names.len() {
        0 => first.to_owned(),
        more => format!("{first} and {more} more"),
    }
}
