//! The start of the kubelet with volumes on the disk. Upstream: `reconciler/reconstruct.go`, 1.36.

use super::VolumeManager;
use super::actual::DeviceState;
use super::call::{KubeletAction, Mode, Plugin, Spec};
use super::desired::unique_name;
use crate::controllers::attach_detach::CSI_PREFIX;
use crate::controllers::kubelet_volumes::VolumeStep;
use crate::model::Str;

/// A directory of a volume of a pod that the kubelet finds when it starts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VolumeOnDisk {
    /// The uid of the pod.
    pub pod: Str,
    /// The name of the PersistentVolume.
    pub volume: Str,
    /// What the directory tells about the volume.
    pub directory: Directory,
}

/// What a directory tells about its volume.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Directory {
    /// It does not tell which volume it is.
    Unreadable,
    /// It has the files of a volume without a device, such as one of NFS.
    OfPod,
    /// It has the files of a CSI volume.
    Files {
        /// The unique name of the volume.
        volume: Str,
    },
    /// It has a CSI volume that is a block device.
    Block {
        /// The unique name of the volume.
        volume: Str,
    },
}

impl VolumeManager {
    /// Returns the volume manager of a kubelet that is started with these directories on its disk. Each volume is or
    /// may be mounted.
    pub fn start(disk: &[VolumeOnDisk], out: &mut Vec<KubeletAction>) -> Self {
        let mut manager = Self::default();
        out.push(KubeletAction::Decided(VolumeStep::StartLooks.into()));
        for found in disk {
            let (shared, mode) = match &found.directory {
                Directory::Unreadable => {
                    out.push(KubeletAction::Decided(VolumeStep::StartUnreadable.into()));
                    manager.unknown_directories.push(found.clone());
                    continue;
                }
                Directory::OfPod => (None, Mode::Files),
                Directory::Files { volume } => (Some(volume), Mode::Files),
                Directory::Block { volume } => (Some(volume), Mode::Block),
            };
            out.push(KubeletAction::Decided(VolumeStep::StartFound.into()));
            // Only directories of CSI volumes have a name that pods share.
            let driver = shared.and_then(|name| name.strip_prefix(CSI_PREFIX)?.split('^').next());
            let plugin = driver.map_or(Plugin::Other, |driver| Plugin::Csi(driver.into()));
            let spec = Spec { name: found.volume.clone(), mode, plugin };
            let name = unique_name(shared, &found.pod, &found.volume);
            manager.actual.attach(&name, &spec, None);
            manager.actual.find(&name, &found.pod, &spec);
            if shared.is_some() {
                manager.actual.set_device(&name, DeviceState::Uncertain);
            }
            manager.attachability_unknown.push(name);
        }
        manager
    }
}
