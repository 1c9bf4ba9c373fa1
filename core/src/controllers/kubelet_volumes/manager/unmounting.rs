//! The ends of operations that unmount, and directories of unknown volumes. Upstream: `operation_generator.go` and
//! `cleanOrphanVolumes`, 1.36.

use super::actual::DeviceState;
use super::call::{CallName, KubeletAction, Mode, Plugin, Running, Spec};
use super::{VolumeManager, Work};
use crate::controllers::kubelet_volumes::VolumeStep;
use crate::controllers::pending_operations::{Key, Moment};

impl VolumeManager {
    /// Stores the end of an operation that unmounts.
    pub(super) fn end_unmounting(&mut self, running: &Running, has_failed: bool) {
        let Running { volume, uid, spec, call, .. } = running;
        match (call, has_failed) {
            (CallName::TearDown | CallName::UnmapPodDevice, false) => self.actual.unmount(volume, uid),
            (CallName::TearDown, true) => self.actual.mount(volume, uid, spec, false),
            (CallName::UnmountDevice | CallName::TearDownDevice, false) => {
                self.actual.set_device(volume, DeviceState::NotMounted);
            }
            (CallName::UnmountDevice, true) => self.actual.set_device(volume, DeviceState::Uncertain),
            // A block device is uncertain from the beginning of the operation.
            _ => {}
        }
    }

    /// Unmounts what is in directories that do not tell which volume they are of, once.
    pub(super) fn remove_directories(&mut self, now: Moment, out: &mut Vec<KubeletAction>) {
        if !self.unknown_directories.is_empty() {
            out.push(KubeletAction::Decided(VolumeStep::StartCleansUp.into()));
        }
        for found in std::mem::take(&mut self.unknown_directories) {
            if self.desired.has_named(&found.volume, &found.pod) {
                continue;
            }
            let key = Key { volume: found.volume.clone(), part: Some(found.pod.clone()) };
            let spec = Spec { name: found.volume.clone(), mode: Mode::Files, plugin: Plugin::Other };
            let running = Running::without_event(&found.volume, &found.pod, spec, CallName::TearDown);
            self.begin(key, Work::Unmount, running, now, out);
        }
    }
}
