//! What happens to a volume whose claim is gone.

use super::{error_of, last_warning};
use crate::controllers::{Branch, DeleteStep, ReclaimStep, RecycleStep};
use crate::model::{AnnotationKey, PersistentVolume, ReclaimPolicy};
use crate::simulate::Decision;

/// Says how the volume is reclaimed, as the second half of a sentence.
pub(super) fn reclaimed(volume: &PersistentVolume, decision: &Decision<'_>) -> String {
    let (mut reclaim, mut deletion, mut recycling) = (None, None, None);
    for step in &decision.record.steps {
        match step {
            Branch::ReclaimStep(step) => reclaim = reclaim.or(Some(*step)),
            Branch::DeleteStep(step) => deletion = Some(*step),
            Branch::RecycleStep(step) => recycling = Some(*step),
            _ => {}
        }
    }
    let Some(reclaim) = reclaim else { return format!("releasing it fails: {}", error_of(decision)) };
    match reclaim {
        ReclaimStep::ReclaimMigrated => migrated(volume),
        ReclaimStep::ReclaimRetain => "policy Retain keeps the data".to_owned(),
        ReclaimStep::ReclaimRecycle => recycled(recycling, decision),
        ReclaimStep::ReclaimDelete => deleted(deletion, decision),
        ReclaimStep::ReclaimUnknownPolicy => {
            format!("Kubernetes does not know its policy \"{}\"", volume.reclaim_policy.as_str())
        }
        ReclaimStep::ReclaimRunning => {
            format!("policy {} is being carried out", volume.reclaim_policy.as_str())
        }
        ReclaimStep::ReclaimBackoff => {
            format!("policy {} failed, and is tried again soon", volume.reclaim_policy.as_str())
        }
    }
}

fn migrated(volume: &PersistentVolume) -> String {
    let driver = volume.meta.annotations.get(AnnotationKey::MigratedTo).unwrap_or("its driver");
    match &volume.reclaim_policy {
        ReclaimPolicy::Delete => format!("policy Delete: {driver} has to delete the volume"),
        ReclaimPolicy::Retain => "policy Retain keeps the data".to_owned(),
        other => format!("policy {} does nothing to a volume of {driver}", other.as_str()),
    }
}

fn deleted(step: Option<DeleteStep>, decision: &Decision<'_>) -> String {
    let reason = || last_warning(decision).unwrap_or("see its message").to_owned();
    let Some(step) = step else {
        return match decision.record.waiting.first() {
            Some(waiting) => format!("policy Delete: waits for {}", waiting.name),
            None => "policy Delete".to_owned(),
        };
    };
    match step {
        DeleteStep::DeleteExternal => {
            let driver = decision
                .record
                .waiting
                .iter()
                .find(|waiting| waiting.component == "external-provisioner" && !waiting.name.is_empty())
                .map_or("its driver", |waiting| waiting.name.as_str());
            format!("policy Delete: {driver} has to delete the volume")
        }
        DeleteStep::DeletePluginMissing => "policy Delete, but nothing can delete its storage".to_owned(),
        DeleteStep::DeleteSucceeded => "policy Delete: its storage is deleted, then the volume".to_owned(),
        DeleteStep::DeleteObjectRefused => "its storage is deleted, but deleting the object was refused".to_owned(),
        DeleteStep::DeleteFailed => format!("policy Delete, but that fails: {}", reason()),
        DeleteStep::DeleteMarkFailed => "policy Delete fails, and the API server refused phase Failed".to_owned(),
        DeleteStep::DeleteInUse => "policy Delete: waits, because its storage is in use".to_owned(),
        DeleteStep::DeleteVolumeGone => "policy Delete, but the volume is gone already".to_owned(),
        DeleteStep::DeleteNotReleased => "policy Delete, but the volume is not released any more".to_owned(),
    }
}

fn recycled(step: Option<RecycleStep>, decision: &Decision<'_>) -> String {
    match step {
        None => "policy Recycle: a pod erases the data".to_owned(),
        Some(RecycleStep::RecycleSucceeded) => {
            "policy Recycle: the data are erased, and the volume is free again".to_owned()
        }
        Some(RecycleStep::RecycleVolumeUsed) => {
            let pods = decision.record.waiting.first().map_or("", |waiting| waiting.name.as_str());
            format!("policy Recycle: waits for pods {pods} to end")
        }
        Some(RecycleStep::RecyclePluginMissing) => "policy Recycle, but nothing can recycle its storage".to_owned(),
        Some(RecycleStep::RecycleFailed) => {
            format!("policy Recycle, but that fails: {}", last_warning(decision).unwrap_or("see its message"))
        }
        Some(RecycleStep::RecycleVolumeGone) => "policy Recycle, but the volume is gone already".to_owned(),
        Some(RecycleStep::RecycleNotReleased) => "policy Recycle, but the volume is not released any more".to_owned(),
    }
}
