//! Questions about several objects together, which both findings and repairs ask.

use super::case::volume_key;
use super::facts::names;
use crate::model::{AnnotationKey, ClaimRef, ObjectKey, PersistentVolume, PersistentVolumeClaim, StorageClass};
use crate::snapshot::Snapshot;
use crate::text::nearest;

/// Returns the provisioner that was asked to provision a volume for the claim and that may be doing so. Returns None if
/// the claim names a volume. Returns None if the class waits for the first consumer and no node is selected.
pub fn asked_provisioner<'c>(snapshot: &Snapshot, claim: &'c PersistentVolumeClaim) -> Option<&'c str> {
    let annotations = &claim.meta.annotations;
    let asked = annotations
        .get(AnnotationKey::StorageProvisioner)
        .or_else(|| annotations.get(AnnotationKey::BetaStorageProvisioner))
        .filter(|_| claim.volume_name.is_empty())?;
    let class = snapshot.class(claim.class());
    let waits =
        class.is_some_and(StorageClass::waits_for_first_consumer) && !annotations.has(AnnotationKey::SelectedNode);
    (!waits).then_some(asked)
}

/// Returns the volumes that concern a claim: the volume that it names, and the volumes whose `claimRef` has its name or
/// its uid.
pub(super) fn volumes_of_claim(snapshot: &Snapshot, claim: &PersistentVolumeClaim) -> Vec<ObjectKey> {
    let has_it = |volume: &&PersistentVolume| {
        let refers = |named: &ClaimRef| names(named, claim) || !named.uid.is_empty() && named.uid == claim.meta.uid;
        volume.meta.name == claim.volume_name || volume.claim_ref.as_ref().is_some_and(refers)
    };
    snapshot.volumes().iter().filter(has_it).map(|volume| volume_key(&volume.meta.name)).collect()
}

/// Returns the class that a person probably meant by the name of a class that does not exist. This is the only class
/// with a similar name. If there is none, it is the only default class. Returns None if several classes qualify.
pub fn meant_class<'s>(snapshot: &'s Snapshot, class: &str) -> Option<&'s str> {
    let classes = snapshot.classes();
    match nearest(class, classes.iter().map(|class| class.meta.name.as_str()), 2).as_slice() {
        [one] => Some(one),
        [] => {
            let mut defaults = classes.iter().filter(|class| class.is_default());
            defaults.next().filter(|_| defaults.next().is_none()).map(|class| class.meta.name.as_str())
        }
        _ => None,
    }
}
