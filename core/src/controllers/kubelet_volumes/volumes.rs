//! What the kubelet decides about the volumes of one pod.

use super::KubeletVolumes;
use super::leaves::MountBranch;
use super::mount::needs_attaching;
use super::populate::Populated;
use crate::controllers::attach_detach::AttachableVolume;
use crate::controllers::scheduler::reads::Reads;
use crate::model::{Kind, Pod, Str};
use crate::snapshot::Absence;
use std::collections::{BTreeMap, BTreeSet};

/// What the kubelet decides about the volumes of a pod that use claims.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PodVolumes<'s> {
    /// The volumes in the order of the pod.
    pub volumes: Vec<PodVolume<'s>>,
    /// The volumes that the kubelet reports in `status.volumesInUse` because of this pod.
    pub in_use: BTreeSet<Str>,
    /// The kinds that may not have been read completely.
    pub doubts: BTreeMap<Kind, Absence>,
}

/// What the kubelet decides about a volume of a pod.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PodVolume<'s> {
    /// What the populator decides.
    pub populated: Populated<'s>,
    /// How far the kubelet comes with the volume if no other pod uses it. It is `None` if the kubelet does not have to
    /// mount the volume.
    pub mount: Option<MountBranch>,
}

impl<'s> KubeletVolumes<'s> {
    /// Returns what the kubelet decides about the volumes of a pod of its node.
    pub fn volumes_of(&self, pod: &Pod) -> PodVolumes<'s> {
        let mut reads = Reads::new(self.view);
        let mut in_use = BTreeSet::new();
        let mut volumes = Vec::new();
        for populated in self.populate(&mut reads, pod) {
            let mount = populated.wanted.as_ref().map(|wanted| self.mount(&mut reads, wanted));
            let attachable = populated.wanted.as_ref().and_then(|wanted| wanted.attachable.as_ref());
            in_use.extend(
                attachable
                    .filter(|attachable| needs_attaching(&mut reads, attachable))
                    .map(AttachableVolume::unique_name),
            );
            volumes.push(PodVolume { populated, mount });
        }
        PodVolumes { volumes, in_use, doubts: reads.into_doubts() }
    }
}
