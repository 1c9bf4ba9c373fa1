//! On which readings the outcomes of a component rest. What nobody saw could change the end of every object in it, so
//! the needs are those of the component and not of one object.

use super::component::{Component, may_have_no_claim, may_search};
use super::decide::Settings;
use crate::controllers::Controller;
use crate::controllers::protection::CLAIM_FINALIZER;
use crate::model::{AnnotationKey, Kind, ReclaimPolicy, Str};
use crate::snapshot::{Absence, Snapshot};
use crate::world::Need;

/// Whether a claim could be given a default class that nobody saw: then it can take volumes of any class, also of
/// components other than its own.
pub(super) fn may_get_any_class(snapshot: &Snapshot) -> bool {
    snapshot.coverage().absence(Kind::StorageClass, "") != Absence::Certain
        && snapshot.claims().iter().any(|claim| may_search(claim) && !claim.has_class())
}

/// The readings that matter and are not certain, each with what its gaps mean. `any_class` is what
/// [`may_get_any_class`] says.
pub(super) fn uncertain_needs(
    snapshot: &Snapshot,
    settings: &Settings<'_>,
    component: &Component,
    any_class: bool,
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
            if any_class {
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
