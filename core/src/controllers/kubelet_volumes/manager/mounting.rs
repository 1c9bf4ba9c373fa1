//! The operations that mount a volume for a pod. Upstream: `GenerateMountVolumeFunc` and `GenerateMapVolumeFunc`,
//! `operation_generator.go`, 1.36.

use super::actual::DeviceState;
use super::call::{CallName, DriverError, KubeletAction, Mode, Running};
use super::{VolumeManager, Work};
use crate::controllers::kubelet_volumes::populate::is_for_one_pod;
use crate::controllers::kubelet_volumes::{KubeletVolumes, MountBranch, MountEvent};
use crate::controllers::pending_operations::{Key, Moment};
use crate::model::Str;

impl VolumeManager {
    /// Starts to mount a volume for a pod, unless this failed a short time ago. Returns whether the operation has
    /// failed already.
    pub(super) fn start_mounting(
        &mut self,
        kubelet: &KubeletVolumes<'_>,
        volume: &Str,
        uid: &Str,
        now: Moment,
        out: &mut Vec<KubeletAction>,
    ) -> bool {
        let Some(needed) = self.desired.get(volume) else { return false };
        let Some(by) = needed.pods.get(uid).cloned() else { return false };
        let is_block = by.spec.mode.is_block();
        let branch = kubelet.mount_attached(&by.volume, is_block);
        if is_block && branch != MountBranch::MountSucceeded {
            // This is found before the operation is started, so there is no back-off.
            fail(branch, is_block, &by.spec.name, "", &by.pod, out);
            return false;
        }
        let key = Key { volume: volume.clone(), part: (!needed.shared).then(|| uid.clone()) };
        let work = if is_block { Work::Map } else { Work::Mount };
        let is_exclusive = is_for_one_pod(&by.volume) && self.actual.is_mounted_elsewhere(volume, uid);
        let is_exclusive = is_exclusive && branch == MountBranch::MountSucceeded;
        let branch = if is_exclusive { MountBranch::MountExclusive } else { branch };
        let after_waiting = self.after_waiting(volume, by.spec.mode, needed.shared);
        let call = after_waiting.filter(|_| !kubelet.attaches(&by.volume)).unwrap_or(CallName::WaitForAttach);
        let (name, pod) = (by.spec.name.clone(), by.pod.clone());
        let running = Running::for_pod(volume, uid, by, call);
        if branch == MountBranch::MountSucceeded {
            self.begin(key, work, running, now, out);
            return false;
        }
        let started = self.operations.start(key, work, now, running);
        if let Some(at) = started {
            self.finish(at, true, now, out);
            fail(branch, is_block, &name, "", &pod, out);
        }
        started.is_some()
    }

    /// Returns the first call for a volume whose device is there. The value is `None` if the kubelet maps the device
    /// without the driver. Such a volume always has to be attached.
    fn after_waiting(&self, volume: &str, mode: Mode, shared: bool) -> Option<CallName> {
        let is_mounted = self.actual.device(volume) == DeviceState::Mounted;
        match mode {
            Mode::PlainBlock => None,
            Mode::Block if is_mounted => Some(CallName::MapPodDevice),
            Mode::Block => Some(CallName::SetUpDevice),
            Mode::Files if shared && !is_mounted => Some(CallName::MountDevice),
            Mode::Files => Some(CallName::SetUp),
        }
    }

    /// A driver has answered a call of an operation that mounts.
    pub(super) fn go_on_mounting(
        &mut self,
        kubelet: &KubeletVolumes<'_>,
        at: usize,
        running: &Running,
        answer: Result<(), &DriverError>,
        now: Moment,
        out: &mut Vec<KubeletAction>,
    ) {
        let Running { volume, uid, pod, spec, call, .. } = running;
        let is_block = spec.mode.is_block();
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
            self.finish(at, true, now, out);
            fail(leaf, is_block, &spec.name, &error.text, pod, out);
            return;
        }
        match call {
            CallName::WaitForAttach => out.push(KubeletAction::Decided(MountBranch::MountAttached.into())),
            CallName::MountDevice | CallName::SetUpDevice => {
                out.push(KubeletAction::Decided(MountBranch::MountDeviceMounted.into()));
            }
            _ => {}
        }
        let next = match call {
            // A volume that has to be attached always has a device that pods share.
            CallName::WaitForAttach => self.after_waiting(volume, spec.mode, true),
            CallName::MountDevice => Some(CallName::SetUp),
            CallName::SetUpDevice => Some(CallName::MapPodDevice),
            _ => None,
        };
        let is_mapped = *call == CallName::WaitForAttach && spec.mode == Mode::PlainBlock;
        if is_mapped || matches!(call, CallName::MountDevice | CallName::SetUpDevice) {
            self.actual.set_device(volume, DeviceState::Mounted);
        }
        let Some(next) = next else {
            out.push(KubeletAction::Decided(MountBranch::MountPublished.into()));
            // A block device has one event about the path of the node, and one about that of the pod.
            let event = MountEvent::of(MountBranch::MountSucceeded, is_block, &spec.name, "");
            let events = event.into_iter().flat_map(|event| std::iter::repeat_n(event, 2));
            out.extend(events.map(|event| KubeletAction::Event(pod.clone(), event)));
            if let Some(expanded) = self.expand_mounted(kubelet, at, running, out) {
                self.end_mounting(at, running, expanded, now, out);
            }
            return;
        };
        let running = Running { call: next, ..running.clone() };
        out.push(KubeletAction::Call { volume: volume.clone(), call: running.driver_call() });
        self.operations.all[at].running = Some(running);
    }
}

/// Records how a mount fails: the leaf and the event.
fn fail(leaf: MountBranch, is_block: bool, volume: &str, error: &str, pod: &Str, out: &mut Vec<KubeletAction>) {
    out.push(KubeletAction::Decided(leaf.into()));
    let event = MountEvent::of(leaf, is_block, volume, error);
    out.extend(event.map(|event| KubeletAction::Event(pod.clone(), event)));
}
