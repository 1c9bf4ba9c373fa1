//! On which readings the outcomes of a component rest. What nobody saw could change the end of every object in it, so
//! the needs are those of the component and not of one object.

use super::component::{Component, may_have_no_claim, may_search, searched_classes};
use super::decide::Settings;
use crate::controllers::protection::CLAIM_FINALIZER;
use crate::controllers::{Controller, Rules};
use crate::model::{
    AnnotationKey, Kind, PersistentVolume, PersistentVolumeClaim, Quantity, ReclaimPolicy, Str, VolumePhase,
};
use crate::snapshot::{Absence, GroupKey, Snapshot};
use crate::world::Need;
use std::collections::BTreeMap;

/// What gaps of a reading mean for more than one component.
pub(super) struct Gaps {
    /// A claim could be given a default class that nobody saw: then it can take volumes of any class, also of components
    /// other than its own.
    any_class: bool,
    /// Volumes that the controller gave to a claim that nobody saw: if that claim has another volume, it takes the
    /// claimRef away, and they are free. For each group the largest of each namespace.
    freed: BTreeMap<GroupKey, BTreeMap<Str, Quantity>>,
}

impl Gaps {
    pub(super) fn of(snapshot: &Snapshot) -> Self {
        let any_class = snapshot.coverage().absence(Kind::StorageClass, "") != Absence::Certain
            && snapshot.claims().iter().any(|claim| may_search(claim) && !claim.has_class());
        let mut freed: BTreeMap<GroupKey, BTreeMap<Str, Quantity>> = BTreeMap::new();
        for volume in snapshot.volumes() {
            if let Some(namespace) = may_be_freed_by(snapshot, volume) {
                let group = freed.entry(Snapshot::group_key(volume)).or_default();
                let capacity = volume.storage().copied().unwrap_or(Quantity::ZERO);
                let largest = group.entry(namespace.clone()).or_insert(capacity);
                if largest.compare(&capacity).is_lt() {
                    *largest = capacity;
                }
            }
        }
        Self { any_class, freed }
    }

    /// The namespaces with claims that nobody saw and that could set a volume free for this one.
    fn freeing<'g>(
        &'g self,
        snapshot: &'g Snapshot,
        rules: &'g Rules,
        claim: &'g PersistentVolumeClaim,
    ) -> impl Iterator<Item = &'g Str> {
        let request = claim.requested().unwrap_or(Quantity::ZERO);
        // Where nothing can be freed, nothing is looked up.
        let classes = if self.freed.is_empty() { Vec::new() } else { searched_classes(snapshot, rules, claim) };
        let alike = move |key: &GroupKey| {
            classes.contains(&key.class)
                && key.mode == claim.mode()
                && (!rules.attributes_class || key.attributes_class == claim.attributes_class())
                && key.access_modes.contains_all(&claim.access_modes)
        };
        let groups = self.freed.iter().filter(move |(key, _)| alike(key));
        groups
            .flat_map(|(_, group)| group)
            .filter(move |(_, largest)| largest.compare(&request).is_ge())
            .map(|(ns, _)| ns)
    }
}

/// The namespace of a claim that nobody saw, where the controller could take the volume from it: the controller gave it
/// to the claim, but the binding was never completed, which the phase would tell.
/// Upstream: `syncVolume`, a claim that is bound to another volume, 1.36.
fn may_be_freed_by<'s>(snapshot: &Snapshot, volume: &'s PersistentVolume) -> Option<&'s Str> {
    let named = volume.claim_ref.as_ref()?;
    let may = volume.meta.annotations.has(AnnotationKey::BoundByController)
        && !named.uid.is_empty()
        && !volume.terminating()
        && volume.status.phase != VolumePhase::Bound
        && snapshot.claim_id(&named.namespace, &named.name).is_none()
        && snapshot.coverage().absence(Kind::PersistentVolumeClaim, &named.namespace) != Absence::Certain;
    may.then_some(&named.namespace)
}

/// The readings that matter and are not certain, each with what its gaps mean.
pub(super) fn uncertain_needs(
    snapshot: &Snapshot,
    settings: &Settings<'_>,
    component: &Component,
    gaps: &Gaps,
) -> Vec<(Need, Absence)> {
    let mut found: Vec<(Need, Absence)> = Vec::new();
    let mut need = |kind: Kind, namespace: &str| {
        let absence = snapshot.coverage().absence(kind, namespace);
        let known = || found.iter().any(|(need, _)| need.kind == kind && need.namespace == namespace);
        if absence != Absence::Certain && !known() {
            found.push((Need { verb: "list", kind, namespace: Str::from(namespace) }, absence));
        }
    };
    let protects = settings.controllers.contains(&Controller::PersistentVolumeClaimProtection);
    for claim in component.claims.iter().map(|id| snapshot.claim(*id)) {
        let namespace = claim.meta.namespace.as_str();
        if may_search(claim) {
            need(Kind::PersistentVolume, "");
            if !claim.has_class() || (!claim.class().is_empty() && snapshot.class(claim.class()).is_none()) {
                need(Kind::StorageClass, "");
            }
            // A claim that nobody saw could take the volume.
            if !component.volumes.is_empty() {
                need(Kind::PersistentVolumeClaim, "");
            }
            for namespace in gaps.freeing(snapshot, &settings.rules, claim) {
                need(Kind::PersistentVolumeClaim, namespace);
            }
        } else if !claim.volume_name.is_empty() && snapshot.volume_id(&claim.volume_name).is_none() {
            need(Kind::PersistentVolume, "");
        }
        if protects && claim.terminating() && claim.meta.has_finalizer(CLAIM_FINALIZER) {
            need(Kind::Pod, namespace);
        }
        if let Some(node) = claim.meta.annotations.get(AnnotationKey::SelectedNode)
            && settings.rules.hostpath_provisioning
            && snapshot.node(node).is_none()
        {
            need(Kind::Node, "");
        }
    }
    for volume in component.volumes.iter().map(|id| snapshot.volume(*id)) {
        // A claim that nobody saw could take it; one that names it could, even while the volume is being deleted.
        if may_have_no_claim(snapshot, volume) {
            need(Kind::PersistentVolumeClaim, "");
            if gaps.any_class {
                need(Kind::StorageClass, "");
            }
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
    found
}
