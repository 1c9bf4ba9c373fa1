//! The volume manager of the kubelet: what it decides about the volumes of a pod, and the words with which its wait for
//! them ends. Upstream: `pkg/kubelet/volumemanager` and `pkg/volume/util/operationexecutor`, 1.36.
//!
//! [`KubeletVolumes`] is a kubelet that has just seen the pod, and that has reported all its volumes in
//! `status.volumesInUse`. Every driver mounts at once. [`manager`] has the kubelet's memory, and follows it in time.
//!
//! Not modelled:
//! - volumes without a claim: those of CSI, of in-tree plugins that are migrated, and of flexVolume;
//! - volumes of Azure files, vSphere and flexVolume;
//! - labels of `SELinux`;
//! - volumes of types for which only kubelets of some versions have a plugin.

mod ends;
mod event;
mod leaves;
mod log;
pub mod manager;
mod messages;
mod mount;
mod populate;
mod volumes;

pub use ends::WaitEnd;
pub use event::MountEvent;
pub use leaves::{ExpandBranch, MountBranch, PopulatorBranch, VolumeStep, WaitBranch};
pub use log::LOG;
pub use populate::{Populated, is_for_one_pod, misuse};
pub use volumes::{PodVolume, PodVolumes};

use crate::controllers::KubernetesBehavior;
use crate::model::Node;
use crate::world::View;

/// The name of the component.
pub const NAME: &str = "kubelet-volume-manager";

/// The kubelet of a node.
#[derive(Debug)]
pub struct KubeletVolumes<'s> {
    view: View<'s>,
    behavior: &'s KubernetesBehavior,
    node: &'s Node,
}

impl<'s> KubeletVolumes<'s> {
    /// Returns the kubelet of a node.
    pub fn new(view: View<'s>, behavior: &'s KubernetesBehavior, node: &'s Node) -> Self {
        Self { view, behavior, node }
    }
}
