//! Problems of claims that are created or deleted together with something else: an owner, a namespace, a StatefulSet or
//! a deployment tool. One rule reports claims that no pod uses.

crate::diagnosis::rules::section! {
    claim_owner_dead,
    claim_owned_cascade,
    ns_terminating_pvc,
    sts_retention_delete,
    sts_orphan_claims,
    sts_pod_forbidden,
    resize_sts_template_drift,
    gitops_prune_risk,
    claim_unused,
}

use crate::diagnosis::remedy::retain;
use crate::diagnosis::{Case, Detection, Remedy, Risk};
use crate::model::surroundings::StatefulSet;
use crate::model::{Kind, ObjectKey, ObjectMeta, Owner, PersistentVolume, PersistentVolumeClaim};
use crate::snapshot::Absence;
use crate::snapshot::PLACEHOLDER_UID;

/// The field that holds the owners.
const OWNERS: &str = "metadata.ownerReferences";
/// The finalizer of an owner that is deleted without its dependents. The garbage collector removes the references of
/// the dependents to the owner.
const ORPHAN_FINALIZER: &str = "orphan";

/// The state of an owner. An owner is looked up by its name and compared by its uid. If the kind of the owner has
/// namespaces, the owner is looked up in the namespace of the claim. Upstream: `classifyReferences` and `isDangling`,
/// `pkg/controller/garbagecollector`, 1.36.
enum OwnerState<'a> {
    /// The owner exists, or its kind is not read here.
    Present,
    /// The owner exists and is being deleted.
    Going(&'a ObjectMeta),
    /// An object with the name of the owner exists, but with this other uid.
    Replaced(&'a str),
    /// No known object has the name of the owner.
    NotSeen,
}

/// The kinds of owners that are looked up, besides claims.
const OWNER_KINDS: [Kind; 6] =
    [Kind::PersistentVolume, Kind::Pod, Kind::Node, Kind::StorageClass, Kind::StatefulSet, Kind::Namespace];

/// Returns the kind of the owner, if owners of this kind are looked up.
fn kind_of(owner: &Owner) -> Option<Kind> {
    let kind = Kind::from_manifest(&owner.kind).filter(|kind| kind.api_version() == owner.api_version)?;
    (kind == Kind::PersistentVolumeClaim || OWNER_KINDS.contains(&kind)).then_some(kind)
}

/// Returns the key of the owner, if owners of its kind are looked up.
fn owner_key(claim: &PersistentVolumeClaim, owner: &Owner) -> Option<ObjectKey> {
    let kind = kind_of(owner)?;
    let namespace = if kind.namespaced() { claim.meta.namespace.as_str() } else { "" };
    Some(crate::diagnosis::key(kind, namespace, &owner.name))
}

/// Returns the state of an owner of the claim. `NotSeen` does not prove that the owner does not exist.
fn standing<'a>(case: &Case<'a>, claim: &PersistentVolumeClaim, owner: &Owner) -> OwnerState<'a> {
    let Some(key) = owner_key(claim, owner) else { return OwnerState::Present };
    let snapshot = case.snapshot();
    match snapshot.object_id(&key).map(|id| snapshot.meta(id)) {
        // An object that was never on an API server has no uid. Then uids cannot be compared, and the owner is treated
        // as present.
        _ if owner.uid.is_empty() => OwnerState::Present,
        None => OwnerState::NotSeen,
        Some(meta) if meta.uid.is_empty() || meta.uid.starts_with(PLACEHOLDER_UID) => OwnerState::Present,
        Some(meta) if meta.uid != owner.uid => OwnerState::Replaced(&meta.uid),
        Some(meta) if meta.deleted.is_some() => OwnerState::Going(meta),
        Some(_) => OwnerState::Present,
    }
}

/// Returns whether an owner in the state `NotSeen` does not exist, as far as it is known. The absence may be certain or
/// assumed.
fn is_gone(case: &Case<'_>, claim: &PersistentVolumeClaim, owner: &Owner) -> bool {
    // If files have no pods or nodes at all, these kinds were probably not saved to them.
    let snapshot = case.snapshot();
    let is_telling = |key: &ObjectKey| match key.kind {
        Kind::Pod if snapshot.pods().is_empty() => is_certain(case, key),
        Kind::Node if snapshot.nodes().is_empty() => is_certain(case, key),
        _ => true,
    };
    let key = owner_key(claim, owner).filter(is_telling);
    key.is_some_and(|key| case.lacks(key.kind, &key.namespace, &key.name))
}

/// Returns whether the reads prove that no such object exists.
fn is_certain(case: &Case<'_>, key: &ObjectKey) -> bool {
    case.snapshot().coverage().absence_of(key.kind, &key.namespace, &key.name) == Absence::Certain
}

/// Returns whether the owner is a pod, and the name of the claim shows that the claim was created for a generic
/// ephemeral volume of this pod. Such a claim is meant to be deleted with the pod.
fn is_ephemeral(claim: &PersistentVolumeClaim, owner: &Owner) -> bool {
    kind_of(owner) == Some(Kind::Pod)
        && claim.meta.name.strip_prefix(owner.name.as_str()).is_some_and(|rest| rest.starts_with('-'))
}

/// Returns the owner as a sentence names it.
fn called(owner: &Owner) -> String {
    format!("{} {}", owner.kind, owner.name)
}

/// Returns the owner as evidence shows it.
fn shown(owner: &Owner) -> String {
    format!("{}/{} uid {}", owner.kind, owner.name, owner.uid)
}

/// Returns the volume of the claim, if the `claimRef` of the volume has the claim's uid.
fn volume_of<'a>(case: &Case<'a>, claim: &PersistentVolumeClaim) -> Option<&'a PersistentVolume> {
    let is_ours = |volume: &&PersistentVolume| {
        volume.claim_ref.as_ref().is_some_and(|named| !named.uid.is_empty() && named.uid == claim.meta.uid)
    };
    if claim.volume_name.is_empty() { None } else { case.volume(&claim.volume_name).filter(is_ours) }
}

/// Returns the volume of the claim if its data are destroyed after the claim is deleted.
fn doomed<'a>(case: &Case<'a>, claim: &PersistentVolumeClaim) -> Option<&'a PersistentVolume> {
    volume_of(case, claim).filter(|volume| case.destroys(volume))
}

/// What happens to the data of a claim when the claim is deleted.
struct ClaimDeletionEffect {
    /// A further sentence, which begins with the full stop of the sentence before it. It is empty if the claim has no
    /// known volume.
    words: String,
    /// The risk to data if the claim is deleted without any further action by a person.
    risk: Risk,
    /// The remedy that keeps the data.
    retain: Option<Remedy>,
}

/// Returns what happens to the data of the claim when the claim is deleted.
fn fate(case: &Case<'_>, claim: &PersistentVolumeClaim) -> ClaimDeletionEffect {
    match volume_of(case, claim) {
        Some(volume) => {
            let risk = if case.destroys(volume) { Risk::Imminent } else { Risk::None };
            let words = format!(". Its volume {} is then released: {}", volume.meta.name, case.prospect(volume));
            ClaimDeletionEffect { words, risk, retain: retain(volume) }
        }
        // The policy of a volume that was not read is unknown.
        None if !claim.volume_name.is_empty() && case.volume(&claim.volume_name).is_none() => {
            ClaimDeletionEffect { words: String::new(), risk: Risk::Possible, retain: None }
        }
        None => ClaimDeletionEffect { words: String::new(), risk: Risk::None, retain: None },
    }
}

impl ClaimDeletionEffect {
    /// Adds the risk to data, and the remedy that keeps the data, to the detection.
    fn told(self, found: Detection) -> Detection {
        found.risk(self.risk).remedies(self.retain)
    }
}

/// Returns the existing claims whose names the StatefulSet generates, each with its ordinal.
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

/// Returns the first of these names, and how many more there are.
fn some<'n>(mut names: impl ExactSizeIterator<Item = &'n str>) -> String {
    let Some(first) = names.next() else { return "none".to_owned() };
    match names.len() {
        0 => first.to_owned(),
        more => format!("{first} and {more} more"),
    }
}
