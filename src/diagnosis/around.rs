//! Facts that follow from several objects. Rules and repairs use these facts.

use crate::model::{AnnotationKey, PersistentVolumeClaim, StorageClass};
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

/// Returns the class that a person probably meant by the name of a class that does not exist. Returns the only class
/// with a similar name. If no name is similar, returns the only default class. Otherwise returns None.
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
