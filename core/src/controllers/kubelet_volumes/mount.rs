//! How far the kubelet comes with a volume that it has to mount, if no other pod uses the volume.

use super::KubeletVolumes;
use super::leaves::MountBranch;
use super::populate::Wanted;
use crate::controllers::attach_detach::AttachableVolume;
use crate::controllers::scheduler::migration::affinity_in_csi;
use crate::controllers::scheduler::reads::Reads;
use crate::model::{CsiDriver, PersistentVolume, SourceKind};

impl<'s> KubeletVolumes<'s> {
    /// Returns how far the kubelet comes with a volume, if no other pod uses the volume.
    pub(super) fn mount(&self, reads: &mut Reads<'s>, wanted: &Wanted<'s>) -> MountBranch {
        if let Some(attachable) = &wanted.attachable
            && needs_attaching(reads, attachable)
            && !self.node.volumes_attached.contains(&attachable.unique_name())
        {
            return MountBranch::MountWaitsForAttach;
        }
        self.mount_attached(wanted.volume, wanted.is_block)
    }

    /// Returns how far the kubelet comes with a volume that is attached, if no other pod uses the volume.
    pub(super) fn mount_attached(&self, volume: &PersistentVolume, is_block: bool) -> MountBranch {
        if is_block && matches!(volume.source.kind, SourceKind::HostPath | SourceKind::Nfs) {
            return MountBranch::MapWithoutPlugin;
        }
        if affinity_in_csi(volume).is_some_and(|affinity| !affinity.matches(&self.node.meta.labels)) {
            return MountBranch::MountOnWrongNode;
        }
        // Of the plugins that are modelled, only that of hostPath supports no mount options. Upstream:
        // `SupportsMountOption` of the plugins, 1.36.
        if !is_block && volume.has_mount_options && volume.source.kind == SourceKind::HostPath {
            return MountBranch::MountOptionsUnsupported;
        }
        MountBranch::MountSucceeded
    }
}

impl KubeletVolumes<'_> {
    /// Returns whether a PersistentVolume has to be attached, as its CSIDriver says now.
    pub(super) fn attaches(&self, volume: &PersistentVolume) -> bool {
        let attachable = AttachableVolume::of_volume(self.behavior, volume);
        attachable.is_some_and(|attachable| needs_attaching(&mut Reads::new(self.view), &attachable))
    }
}

/// Returns whether a volume has to be attached.
pub(super) fn needs_attaching(reads: &mut Reads<'_>, volume: &AttachableVolume) -> bool {
    volume.needs_attaching_if(|driver| reads.find::<CsiDriver>("", driver))
}
