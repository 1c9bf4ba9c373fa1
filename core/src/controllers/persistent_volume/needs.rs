//! The reads on which the outcomes of a component rest. An object that was not read could change the outcome of every
//! object in the component. So the reads belong to the component and not to one object.

use super::links::{PROVISIONED_PREFIX, is_permanent, may_have_no_claim, may_search, searched_classes};
use crate::controllers::spec::{Needs, note_gap};
use crate::controllers::{KubernetesBehavior, Settings};
use crate::model::{
    AnnotationKey, Kind, ObjectId, PersistentVolume, PersistentVolumeClaim, Quantity, ReclaimPolicy, Str, VolumePhase,
};
use crate::snapshot::{Absence, GroupKey, Snapshot};
use crate::world::Need;
use std::collections::BTreeMap;

/// Prepares the function that returns the uncertain reads of a component. The gaps of the snapshot are evaluated once
/// for all components.
pub fn needs<'a>(snapshot: &'a Snapshot, settings: &Settings<'a>) -> Needs<'a> {
    let gaps = Gaps::of(snapshot, settings);
    let settings = settings.clone();
    Box::new(move |objects| {
        let mut claims = objects.iter().filter_map(|id| id.of()).map(|id| snapshot.claim(id));
        uncertain_needs(snapshot, &settings, (objects, &mut claims), &gaps)
    })
}

/// Returns the uncertain reads on which the outcomes of new claims rest. `objects` is the component.
pub fn needs_of_new(
    snapshot: &Snapshot,
    settings: &Settings<'_>,
    (objects, new): (&[ObjectId], &[PersistentVolumeClaim]),
    gaps: &Gaps,
) -> Vec<(Need, Absence)> {
    uncertain_needs(snapshot, settings, (objects, &mut new.iter()), gaps)
}

/// What incomplete reads mean for more than one component.
#[derive(Debug)]
pub struct Gaps {
    /// Whether a claim may get a default class that was not read. Then the claim can take volumes of any class, also
    /// from other components.
    any_class: bool,
    /// The volumes that may become free. The controller bound each of them to a claim that was not read. If that claim
    /// has another volume, the controller removes the claimRef. For each group, namespace and doubt, only the largest
    /// capacity is stored.
    freed: BTreeMap<GroupKey, BTreeMap<(Str, Doubt), Quantity>>,
}

/// How doubtful it is that a claim that was not read still has its volume.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Doubt {
    /// The volume is Bound, so the claim once had it. The answer assumes that the claim still has the volume, even if
    /// no claims could be read. Without this assumption, no waiting claim could be predicted in a cluster with
    /// statically provisioned volumes that the controller has bound.
    Slight,
    /// The volume is not Bound, so nothing shows that the claim still has the volume.
    Full,
}

impl Gaps {
    /// Evaluates the incomplete reads of a snapshot.
    pub fn of(snapshot: &Snapshot, settings: &Settings<'_>) -> Self {
        let any_class = snapshot.coverage().absence(Kind::StorageClass, "") != Absence::Certain
            && snapshot.claims().iter().any(|claim| may_search(claim) && !claim.has_class());
        let mut freed: BTreeMap<GroupKey, BTreeMap<(Str, Doubt), Quantity>> = BTreeMap::new();
        for volume in snapshot.volumes() {
            if let Some((namespace, doubt)) = may_be_freed_by(snapshot, settings, volume) {
                let group = freed.entry(Snapshot::group_key(volume)).or_default();
                let capacity = volume.storage().copied().unwrap_or(Quantity::ZERO);
                let largest = group.entry((namespace.clone(), doubt)).or_insert(capacity);
                if largest.compare(&capacity).is_lt() {
                    *largest = capacity;
                }
            }
        }
        Self { any_class, freed }
    }

    /// Returns the namespaces of claims that were not read and whose volume may become free for this claim. Each
    /// namespace comes with the doubt.
    fn freeing<'g>(
        &'g self,
        snapshot: &'g Snapshot,
        behavior: &'g KubernetesBehavior,
        claim: &'g PersistentVolumeClaim,
    ) -> impl Iterator<Item = (&'g Str, Doubt)> {
        let request = claim.requested().unwrap_or(Quantity::ZERO);
        // If no volume can become free, the classes are not needed.
        let classes = if self.freed.is_empty() { Vec::new() } else { searched_classes(snapshot, behavior, claim) };
        let alike = move |key: &GroupKey| {
            classes.contains(&key.class)
                && key.mode == claim.mode()
                && (!behavior.attributes_class || key.attributes_class == claim.attributes_class())
                && key.access_modes.contains_all(&claim.access_modes)
        };
        let groups = self.freed.iter().filter(move |(key, _)| alike(key));
        groups
            .flat_map(|(_, group)| group)
            .filter(move |(_, largest)| largest.compare(&request).is_ge())
            .map(|((namespace, doubt), _)| (namespace, *doubt))
    }
}

/// Returns the namespace of the claim that the volume names, if this claim was not read and the volume may become free.
/// Only a volume that the controller itself bound can become free. A provisioned volume with policy Delete does not
/// become free, because the controller releases and reclaims it.
///
/// A volume whose claimRef has no uid can become free only if syncs may be interrupted: the first write of a binding
/// adds the uid, and then the binding ends early. Upstream: the case of a claim that is bound to another volume in
/// `syncVolume`, 1.36.
fn may_be_freed_by<'s>(
    snapshot: &Snapshot,
    settings: &Settings<'_>,
    volume: &'s PersistentVolume,
) -> Option<(&'s Str, Doubt)> {
    let named = volume.claim_ref.as_ref()?;
    let released =
        volume.meta.annotations.has(AnnotationKey::ProvisionedBy) && volume.reclaim_policy == ReclaimPolicy::Delete;
    let may = volume.meta.annotations.has(AnnotationKey::BoundByController)
        && !released
        && (!named.uid.is_empty() || settings.may_be_interrupted())
        && !volume.terminating()
        && snapshot.claim_id(&named.namespace, &named.name).is_none()
        && snapshot.coverage().absence(Kind::PersistentVolumeClaim, &named.namespace) != Absence::Certain;
    let doubt = if volume.status.phase == VolumePhase::Bound { Doubt::Slight } else { Doubt::Full };
    may.then_some((&named.namespace, doubt))
}

/// Returns the reads that matter and whose results are not certain, each with the reason for the doubt.
fn uncertain_needs(
    snapshot: &Snapshot,
    settings: &Settings<'_>,
    (objects, claims): (&[ObjectId], &mut dyn Iterator<Item = &PersistentVolumeClaim>),
    gaps: &Gaps,
) -> Vec<(Need, Absence)> {
    let mut found: Vec<(Need, Absence)> = Vec::new();
    let mut need = |kind: Kind, namespace: &str| {
        note_gap(&mut found, kind, namespace, snapshot.coverage().absence(kind, namespace));
    };
    let mut assumed: Vec<&Str> = Vec::new();
    // The controller itself may create volumes for claims. A volume with the name of the new volume may exist already,
    // or other claims may name the new volume.
    let provisions = settings.behavior.hostpath_provisioning;
    let all_volumes = || objects.iter().filter_map(|id| id.of()).map(|id| snapshot.volume(id));
    let mut volumes = all_volumes();
    let recycles = volumes.any(|volume| volume.reclaim_policy == ReclaimPolicy::Recycle);
    for claim in claims {
        let namespace = claim.meta.namespace.as_str();
        if may_search(claim) {
            need(Kind::PersistentVolume, "");
            if !claim.has_class() || (!claim.class().is_empty() && snapshot.class(claim.class()).is_none()) {
                need(Kind::StorageClass, "");
            }
            // A claim that was not read could take a volume of the component. The controller could also create a volume
            // for such a claim, and this volume could become free.
            if all_volumes().next().is_some() || provisions {
                need(Kind::PersistentVolumeClaim, "");
            }
            if provisions && gaps.any_class {
                need(Kind::StorageClass, "");
            }
            for (namespace, doubt) in gaps.freeing(snapshot, &settings.behavior, claim) {
                match doubt {
                    Doubt::Slight => assumed.push(namespace),
                    Doubt::Full => need(Kind::PersistentVolumeClaim, namespace),
                }
            }
        } else if !claim.volume_name.is_empty() && snapshot.volume_id(&claim.volume_name).is_none() {
            if snapshot.coverage().absence_of(Kind::PersistentVolume, "", &claim.volume_name) != Absence::Certain {
                need(Kind::PersistentVolume, "");
            }
            if provisions && claim.volume_name.starts_with(PROVISIONED_PREFIX) {
                need(Kind::PersistentVolumeClaim, "");
            }
        }
        // A claim that is being deleted and has no finalizers will be gone. Then pods that use it may prevent the
        // recycling of its volume.
        if claim.terminating() && claim.meta.finalizers.is_empty() && recycles {
            need(Kind::Pod, namespace);
        }
        if let Some(node) = claim.meta.annotations.get(AnnotationKey::SelectedNode)
            && settings.behavior.hostpath_provisioning
            && snapshot.node(node).is_none()
        {
            need(Kind::Node, "");
        }
    }
    for volume in all_volumes() {
        // A claim that was not read could take the volume. If the claim names the volume, this is possible even while
        // the volume is being deleted.
        if may_have_no_claim(snapshot, settings, volume) {
            need(Kind::PersistentVolumeClaim, "");
            if gaps.any_class {
                need(Kind::StorageClass, "");
            }
        }
        if provisions && volume.meta.name.starts_with(PROVISIONED_PREFIX) && !is_permanent(volume) {
            need(Kind::PersistentVolumeClaim, "");
        }
        if let Some(named) = &volume.claim_ref
            && snapshot.claim_id(&named.namespace, &named.name).is_none()
        {
            need(Kind::PersistentVolumeClaim, &named.namespace);
            if volume.reclaim_policy == ReclaimPolicy::Recycle {
                need(Kind::Pod, &named.namespace);
            }
        }
    }
    for namespace in assumed {
        note_gap(&mut found, Kind::PersistentVolumeClaim, namespace, Absence::Assumed);
    }
    found
}
