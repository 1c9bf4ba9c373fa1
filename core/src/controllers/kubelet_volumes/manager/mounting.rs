//! The operations that mount a volume for a pod. Upstream: `GenerateMountVolumeFunc` and `GenerateMapVolumeFunc`,
//! `operation_generator.go`, 1.36.

use super::actual::DeviceState;
use super::call::{CallName, DriverError, KubeletAction, Running};
use super::{Key, VolumeManager, Work};
use crate::controllers::kubelet_volumes::populate::is_for_one_pod;
use crate::controllers::kubelet_volumes::{KubeletVolumes, MountBranch, MountEvent};
use crate::controllers::pending_operations::Moment;
use crate::model::Str;

impl VolumeManager {
    /// Starts to mount a volume for a pod, unless this failed a short time ago.
    pub(super) fn start_mounting(
        &mut self,
        kubelet: &KubeletVolumes<'_>,
        volume: &Str,
        uid: &Str,
        now: Moment,
        out: &mut Vec<KubeletAction>,
    ) {
        let Some(needed) = self.desired.get(volume) else { return };
        let Some(by) = needed.pods.get(uid).cloned() else { return };
        let Some(persistent_volume) = by.spec.volume.clone() else { return };
        let is_block = by.spec.is_block;
        let branch = kubelet.mount_attached(&persistent_volume, is_block);
        if is_block && branch != MountBranch::MountSucceeded {
            // This is found before the operation is started, so there is no back-off.
            out.push(KubeletAction::decided(volume, uid, branch));
            let event = MountEvent::of(branch, is_block, &by.spec.name, "");
            out.extend(event.map(|event| KubeletAction::Event(by.pod, event)));
            return;
        }
        let key = Key { volume: volume.clone(), pod: (!needed.attachable && !needed.shared).then(|| uid.clone()) };
        let work = if is_block { Work::Map } else { Work::Mount };
        let is_exclusive = is_for_one_pod(&persistent_volume) && self.actual.is_mounted_elsewhere(volume, uid);
        let branch =
            if branch == MountBranch::MountSucceeded && is_exclusive { MountBranch::MountExclusive } else { branch };
        let shared = needed.shared;
        let call =
            if needed.attachable { CallName::WaitForAttach } else { self.after_waiting(volume, is_block, shared) };
        let (name, pod) = (by.spec.name.clone(), by.pod.clone());
        let running = Running { volume: volume.clone(), uid: uid.clone(), pod: by.pod, spec: by.spec, shared, call };
        if branch == MountBranch::MountSucceeded {
            let passes_device = call == CallName::MapPodDevice;
            if self.begin(key, work, running, now, out) && passes_device {
                self.actual.set_device(volume, DeviceState::Mounted);
            }
            return;
        }
        if let Some(at) = self.operations.start(key, work, now, running) {
            self.operations.finish(at, true, now);
            out.push(KubeletAction::decided(volume, uid, branch));
            out.extend(MountEvent::of(branch, is_block, &name, "").map(|event| KubeletAction::Event(pod, event)));
        }
    }

    /// Returns the first call for a volume whose device is there.
    fn after_waiting(&self, volume: &str, is_block: bool, shared: bool) -> CallName {
        let is_mounted = self.actual.device(volume) == DeviceState::Mounted;
        match (is_block, is_mounted) {
            (true, true) => CallName::MapPodDevice,
            (true, false) => CallName::SetUpDevice,
            (false, false) if shared => CallName::MountDevice,
            (false, _) => CallName::SetUp,
        }
    }

    /// A driver has answered a call of an operation that mounts.
    pub(super) fn go_on_mounting(
        &mut self,
        at: usize,
        running: &Running,
        answer: Result<(), &DriverError>,
        now: Moment,
        out: &mut Vec<KubeletAction>,
    ) {
        let Running { volume, uid, pod, spec, shared, call } = running;
        let is_block = spec.is_block;
        if let Err(error) = answer {
            let leaf = match call {
                CallName::MountDevice | CallName::SetUpDevice => {
                    self.actual.fail_device(volume, error.kind);
                    MountBranch::MountDeviceFailed
                }
                CallName::SetUp | CallName::MapPodDevice => {
                    self.actual.fail_mount(volume, uid, spec, error.kind);
                    MountBranch::MountSetUpFailed
                }
                _ => MountBranch::MountNotAttached,
            };
            self.operations.finish(at, true, now);
            out.push(KubeletAction::decided(volume, uid, leaf));
            let event = MountEvent::of(leaf, is_block, &spec.name, &error.text);
            out.extend(event.map(|event| KubeletAction::Event(pod.clone(), event)));
            return;
        }
        let next = match call {
            CallName::WaitForAttach => Some(self.after_waiting(volume, is_block, *shared)),
            CallName::MountDevice => Some(CallName::SetUp),
            CallName::SetUpDevice => Some(CallName::MapPodDevice),
            _ => None,
        };
        if matches!(next, Some(CallName::MapPodDevice)) || *call == CallName::MountDevice {
            self.actual.set_device(volume, DeviceState::Mounted);
        }
        let Some(next) = next else {
            self.actual.mount(volume, uid, spec, true);
            self.operations.finish(at, false, now);
            out.push(KubeletAction::decided(volume, uid, MountBranch::MountSucceeded));
            if let Some(event) = MountEvent::of(MountBranch::MountSucceeded, is_block, &spec.name, "") {
                // One event is about the path of the node, and one about that of the pod.
                out.extend([event.clone(), event].map(|event| KubeletAction::Event(pod.clone(), event)));
            }
            return;
        };
        let running = Running { call: next, ..running.clone() };
        out.push(KubeletAction::Call(running.driver_call()));
        self.operations.all[at].running = Some(running);
    }
}
