//! What several objects say together, and what both findings and repairs ask.

use crate::model::{AnnotationKey, PersistentVolumeClaim, StorageClass};
use crate::snapshot::Snapshot;
use crate::text::nearest;

/// The provisioner that was asked for a volume for the claim and may be making it. None where the claim names a volume,
/// or where the class waits for a node that nobody has chosen.
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

/// The class that a name may mean which no class has: the only one that nearly has it, else the default one. None where
/// there are several.
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
