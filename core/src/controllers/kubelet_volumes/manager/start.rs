//! The start of the kubelet with volumes on the disk. Upstream: `reconciler/reconstruct.go`, 1.36.

use super::VolumeManager;
use super::actual::DeviceState;
use super::call::Spec;
use super::desired::unique_name;
use crate::model::Str;

/// A directory of a volume of a pod that the kubelet finds when it starts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VolumeOnDisk {
    /// The uid of the pod.
    pub pod: Str,
    /// The name of the PersistentVolume.
    pub volume: Str,
    /// Whether the directory is that of a block device.
    pub is_block: bool,
    /// What the directory tells about the volume. It is `None` if it cannot be read.
    pub contents: Option<DirectoryContents>,
}

/// What a directory tells about its volume.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DirectoryContents {
    /// The unique name of the volume, if all pods share one mount of the device.
    pub shared: Option<Str>,
}

impl VolumeManager {
    /// Returns the volume manager of a kubelet that is started with these directories on its disk. Each volume is or
    /// may be mounted.
    pub fn start(disk: &[VolumeOnDisk]) -> Self {
        let mut manager = Self::default();
        for found in disk {
            let Some(contents) = &found.contents else {
                manager.unknown_directories.push(found.clone());
                continue;
            };
            let spec = Spec { name: found.volume.clone(), is_block: found.is_block, volume: None };
            let name = unique_name(contents.shared.as_ref(), &found.pod, &found.volume);
            manager.actual.attach(&name, &spec, None);
            manager.actual.find(&name, &found.pod, &spec);
            if contents.shared.is_some() {
                manager.actual.set_device(&name, DeviceState::Uncertain);
            }
            manager.unread.push(name);
        }
        manager
    }
}
