//! How far the kubelet comes with a volume that it has to mount.

use super::KubeletVolumes;
use super::leaves::MountBranch;
use super::populate::{Populated, Wanted};
use crate::controllers::attach_detach::AttachableVolume;
use crate::controllers::scheduler::migration::{InTree, affinity_in_csi};
use crate::controllers::scheduler::reads::Reads;
use crate::model::{AccessMode, CsiDriver, PersistentVolume, Pod, SourceKind, Str};
use std::borrow::Cow;

/// How far the kubelet comes with a volume.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MountState {
    /// The leaf that is reached if no other pod uses the volume.
    pub leaf: MountBranch,
    /// Whether only one pod may mount the volume: `ReadWriteOncePod` is its only access mode.
    pub for_one_pod: bool,
    /// The uids of the other pods of the node whose mounts of this volume take turns with those of this pod, each with
    /// the leaf that it reaches alone.
    pub others: Vec<(Str, MountBranch)>,
}

/// What has become of the mount of a volume at the end of a wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Outcome {
    /// The volume is mounted.
    Mounted,
    /// The volume is not mounted, as the leaf says. A failed mount has an event.
    Stopped(MountBranch),
    /// The volume is not mounted, because only the mounts for other pods have had their turn.
    WithoutTurn,
}

impl MountState {
    /// Returns what can become of the mount. `is_block` says whether the volume is a block device: then the node
    /// affinity is checked before a mount takes its turn.
    pub(super) fn outcomes(&self, is_block: bool) -> Vec<Outcome> {
        let is_failing = |leaf: MountBranch| leaf == MountBranch::MountOnWrongNode && !is_block;
        let is_mounted_for_other =
            self.for_one_pod && self.others.iter().any(|(_, leaf)| *leaf == MountBranch::MountSucceeded);
        let mut outcomes = Vec::new();
        if self.leaf == MountBranch::MountSucceeded {
            outcomes.push(Outcome::Mounted);
            if is_mounted_for_other {
                outcomes.push(Outcome::Stopped(MountBranch::MountExclusive));
            }
            if self.others.iter().any(|(_, leaf)| is_failing(*leaf)) || is_mounted_for_other && self.others.len() > 1 {
                outcomes.push(Outcome::WithoutTurn);
            }
        } else {
            outcomes.push(Outcome::Stopped(self.leaf));
            if is_failing(self.leaf) && !self.others.is_empty() {
                outcomes.push(Outcome::WithoutTurn);
            }
        }
        outcomes
    }
}

impl<'s> KubeletVolumes<'s> {
    /// Returns how far the kubelet comes with a volume of the pod.
    pub(super) fn mount(&self, reads: &mut Reads<'s>, pod: &Pod, wanted: &Wanted<'s>) -> MountState {
        let leaf = self.alone(reads, wanted);
        let mut others = Vec::new();
        if leaf != MountBranch::MountWaitsForAttach
            && let Some(shared) = &wanted.shared
        {
            let pods = reads.list::<Pod>();
            let is_other = |other: &&Pod| {
                other.node_name == self.node.meta.name && other.meta.uid != pod.meta.uid && !other.terminated()
            };
            for other in pods.filter(is_other) {
                let wants = |volume: &Populated<'s>| {
                    volume.wanted.clone().filter(|wanted| wanted.shared.as_ref() == Some(shared))
                };
                if let Some(wants) = self.populate(reads, other).iter().find_map(wants) {
                    others.push((other.meta.uid.clone(), self.alone(reads, &wants)));
                }
            }
        }
        MountState { leaf, for_one_pod: is_for_one_pod(wanted.volume), others }
    }

    /// Returns how far the kubelet comes with a volume, if no other pod uses the volume.
    fn alone(&self, reads: &mut Reads<'s>, wanted: &Wanted<'s>) -> MountBranch {
        if let Some(attachable) = &wanted.attachable
            && self.needs_attaching(reads, attachable)
            && !self.node.volumes_attached.contains(&attachable.unique_name())
        {
            return MountBranch::MountWaitsForAttach;
        }
        if wanted.is_block && matches!(wanted.volume.source.kind, SourceKind::HostPath | SourceKind::Nfs) {
            return MountBranch::MapWithoutPlugin;
        }
        let affinity = match InTree::of(wanted.volume) {
            Some(_) => affinity_in_csi(wanted.volume),
            None => wanted.volume.node_affinity.as_deref().map(Cow::Borrowed),
        };
        if affinity.is_some_and(|affinity| !affinity.matches(&self.node.meta.labels)) {
            return MountBranch::MountOnWrongNode;
        }
        MountBranch::MountSucceeded
    }

    /// Returns whether a volume has to be attached.
    pub(super) fn needs_attaching(&self, reads: &mut Reads<'s>, volume: &AttachableVolume) -> bool {
        if let Some(driver) = volume.driver() {
            // The read notes a doubt if the object of the driver may not have been read.
            reads.find::<CsiDriver>("", driver);
        }
        volume.needs_attaching(self.view)
    }
}

/// Returns whether `ReadWriteOncePod` is the only access mode of the volume.
fn is_for_one_pod(volume: &PersistentVolume) -> bool {
    matches!(volume.access_modes.0.as_ref(), [AccessMode::ReadWriteOncePod])
}
