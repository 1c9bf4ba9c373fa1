//! Whether a namespace may belong to another tenant than the data of a volume.

use crate::model::{Namespace, PersistentVolume};
use crate::repair::situation::Situation;

/// Returns why a namespace may now belong to another tenant than the data: a namespace can be deleted and created
/// again. Only a namespace that is older than the volume is safe, because the last binding cannot be older than the
/// volume. The times of the phase and of the managed fields prove nothing, because they are later than the binding.
pub(super) fn strange_namespace(
    situation: &Situation<'_>,
    namespace: &str,
    volume: &PersistentVolume,
) -> Option<String> {
    let name = &volume.meta.name;
    let Some(found) = situation.snapshot.find::<Namespace>("", namespace) else {
        return Some(format!("namespace {namespace} was not found, and whoever creates it can read volume {name}"));
    };
    if found.meta.deleted.is_some() {
        return Some(format!(
            "namespace {namespace} is being deleted, and whoever creates it again can read volume {name}"
        ));
    }
    match (found.meta.created, volume.meta.created) {
        (Some(created), Some(volume)) if created <= volume => None,
        _ => Some(format!("namespace {namespace} is younger than volume {name}: it may belong to another tenant now")),
    }
}
