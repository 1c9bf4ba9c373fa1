//! The finalizer of the attacher on volumes. Upstream: `SyncNewOrUpdatedPersistentVolume` and `processFinalizers`,
//! v4.13.0.

use super::decision::{Act, Requeue, VolumeSync};
use super::leaves::VolumeFinalizerBranch;
use super::work::Work;
use super::{Attacher, Circumstances};
use crate::controllers::csi_sidecar::{backoff, is_migratable};
use crate::model::{AnnotationKey, PersistentVolume, VolumeAttachment};

impl Attacher<'_> {
    /// Returns whether a volume is put on the queue when it is created or changed. It is also put on the queue when a
    /// VolumeAttachment that names it is deleted. Upstream: `processFinalizers` and `vaDeleted`, v4.13.0.
    pub fn queues_volume(&self, volume: &PersistentVolume) -> bool {
        volume.meta.has_finalizer(&self.sidecar.finalizer()) && (volume.terminating() || self.is_rolled_back(volume))
    }

    /// Returns whether the volume belongs to an in-tree plugin, and the plugin is not migrated to the driver any more.
    fn is_rolled_back(&self, volume: &PersistentVolume) -> bool {
        let migrated_to = volume.meta.annotations.get(AnnotationKey::MigratedTo).unwrap_or_default();
        is_migratable(volume) && migrated_to != self.sidecar.driver
    }

    /// Returns what a sync of the volume does.
    pub fn sync_volume(&self, volume: &PersistentVolume, of: &Circumstances<'_>) -> VolumeSync {
        let mut work = Work::new(self, of);
        let leaf = self.synced_volume(&mut work, volume);
        let requeue = match leaf {
            VolumeFinalizerBranch::VolumeNotHandled => Requeue::Untouched,
            VolumeFinalizerBranch::VolumeFinalizerKept => Requeue::After(backoff(of.failures)),
            VolumeFinalizerBranch::VolumeStays
            | VolumeFinalizerBranch::VolumeHasNoFinalizer
            | VolumeFinalizerBranch::VolumeHasAttachment
            | VolumeFinalizerBranch::VolumeFinalizerRemoved => Requeue::Forgotten,
        };
        let Work { mut steps, reads, .. } = work;
        VolumeSync { leaf, step: steps.pop(), requeue, doubts: reads.into_doubts() }
    }

    fn synced_volume(&self, work: &mut Work<'_, '_>, volume: &PersistentVolume) -> VolumeFinalizerBranch {
        if !self.sidecar.attaches {
            return VolumeFinalizerBranch::VolumeNotHandled;
        }
        if !volume.terminating() && !self.is_rolled_back(volume) {
            return VolumeFinalizerBranch::VolumeStays;
        }
        let finalizer = self.sidecar.finalizer();
        let Some(place) = volume.meta.finalizers.iter().position(|present| *present == finalizer) else {
            return VolumeFinalizerBranch::VolumeHasNoFinalizer;
        };
        // Attachments of every attacher count.
        if work.reads.list::<VolumeAttachment>().any(|attachment| attachment.volume_name == volume.meta.name) {
            return VolumeFinalizerBranch::VolumeHasAttachment;
        }
        match work.request_volume(Act::RemoveVolumeFinalizer { place }) {
            Ok(()) => VolumeFinalizerBranch::VolumeFinalizerRemoved,
            Err(_) => VolumeFinalizerBranch::VolumeFinalizerKept,
        }
    }
}
