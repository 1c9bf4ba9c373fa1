//! The loop of the reconciler. Upstream: `reconciler/reconciler.go` and `reconciler_common.go`, 1.36.

use super::actual::{DeviceState, Mounted};
use super::call::{CallName, KubeletAction, Running};
use super::{VolumeManager, Work};
use crate::controllers::kubelet_volumes::populate::storage;
use crate::controllers::kubelet_volumes::{KubeletVolumes, MountBranch, VolumeStep};
use crate::controllers::pending_operations::{Key, Moment};
use crate::model::{PersistentVolumeClaim, Str};
use crate::world::Choices;
use std::collections::{BTreeMap, BTreeSet};

impl VolumeManager {
    /// Runs one loop. `cached` are the volumes that the kubelet's copy of the node lists as attached.
    pub fn reconcile(
        &mut self,
        kubelet: &KubeletVolumes<'_>,
        cached: &BTreeSet<Str>,
        now: Moment,
        choices: &mut Choices,
        out: &mut Vec<KubeletAction>,
    ) {
        let may_unmount = self.has_added_pods && self.attachability_unknown.is_empty();
        if may_unmount {
            self.unmount_volumes(now, choices, out);
        }
        for volume in self.desired.names() {
            self.mount_volume(kubelet, &volume, cached, now, choices, out);
        }
        if may_unmount {
            self.unmount_devices(now, out);
            self.remove_directories(now, out);
        }
        // Upstream: `updateReconstructedFromNodeStatus`, 1.36.
        if !self.attachability_unknown.is_empty() {
            out.push(KubeletAction::Decided(VolumeStep::StartReadsNode.into()));
        }
        for volume in std::mem::take(&mut self.attachability_unknown) {
            self.actual.set_attachable(&volume, kubelet.node.volumes_attached.contains(&volume));
        }
    }

    /// Unmounts the volumes of pods that no longer need them. The order is not fixed. It matters for the pods of one
    /// volume: a mount for another pod takes the place of the operation that was started first.
    fn unmount_volumes(&mut self, now: Moment, choices: &mut Choices, out: &mut Vec<KubeletAction>) {
        let mut open: BTreeMap<Str, Vec<(Str, Mounted)>> = BTreeMap::new();
        for (volume, uid, mounted) in self.actual.mounts() {
            let key = Key { volume: volume.clone(), part: Some(uid.clone()) };
            if self.desired.has(&volume, &uid) {
                continue;
            }
            if self.operations.may_start(&key, &unmount_of(&mounted).0, now) {
                open.entry(volume).or_default().push((uid, mounted));
            } else if !self.operations.is_running(&key) {
                out.push(KubeletAction::Decided(MountBranch::UnmountBackingOff.into()));
            }
        }
        for (volume, mut mounts) in open {
            while !mounts.is_empty() {
                let (uid, mounted) = mounts.swap_remove(choices.pick(mounts.len()));
                let (work, call) = unmount_of(&mounted);
                let key = Key { volume: volume.clone(), part: Some(uid.clone()) };
                let running = Running::without_event(&volume, &uid, mounted.spec.clone(), call);
                if self.begin(key, work, running, now, out) {
                    out.push(KubeletAction::Decided(MountBranch::UnmountStarted.into()));
                    if work == Work::Unmap {
                        self.actual.mount(&volume, &uid, &mounted.spec, false);
                    }
                }
            }
        }
    }

    /// Mounts a volume for the pods that need it. The order of the pods is not fixed.
    fn mount_volume(
        &mut self,
        kubelet: &KubeletVolumes<'_>,
        volume: &Str,
        cached: &BTreeSet<Str>,
        now: Moment,
        choices: &mut Choices,
        out: &mut Vec<KubeletAction>,
    ) {
        let Some(needed) = self.desired.get(volume) else { return };
        let (done, mut pods): (Vec<Str>, Vec<Str>) = needed
            .pods
            .keys()
            .cloned()
            .partition(|uid| self.mount_branch(volume, uid, cached) == MountBranch::MountDone);
        if !done.is_empty() {
            out.push(KubeletAction::Decided(MountBranch::MountDone.into()));
        }
        while !pods.is_empty() {
            let uid = pods.swap_remove(choices.pick(pods.len()));
            let leaf = self.mount_branch(volume, &uid, cached);
            out.push(KubeletAction::Decided(leaf.into()));
            let has_ended = match leaf {
                MountBranch::MountVerifies => {
                    self.verify(kubelet, volume, &uid, now, out);
                    self.actual.has(volume)
                }
                MountBranch::MountExpands => self.start_expanding(kubelet, volume, &uid, now, out),
                MountBranch::MountStarted => self.start_mounting(kubelet, volume, &uid, now, out),
                _ => false,
            };
            // The kubelet does this in the background. It may have ended before the loop comes to the next pod.
            if has_ended && !pods.is_empty() && choices.pick(2) == 1 {
                return;
            }
        }
    }

    /// Returns what the loop does with a volume that a pod needs. Upstream: `mountOrAttachVolumes`, 1.36.
    fn mount_branch(&self, volume: &Str, uid: &str, cached: &BTreeSet<Str>) -> MountBranch {
        let needed = self.desired.get(volume);
        let waits = needed.is_some_and(|needed| needed.attachable);
        let is_reported = needed.is_some_and(|needed| needed.reported);
        let mounted = self.actual.mounted(volume, uid).filter(|mounted| mounted.is_certain);
        let (is_mounted, is_due_again) = (mounted.is_some(), mounted.is_some_and(|mounted| mounted.is_due_again));
        let has_grown = || needed.is_some_and(|needed| self.actual.is_smaller(volume, &needed.size));
        if is_mounted && !is_due_again && !has_grown() {
            MountBranch::MountDone
        } else if self.operations.is_running(&Key { volume: volume.clone(), part: None }) {
            MountBranch::MountBusy
        } else if is_mounted && !is_due_again {
            MountBranch::MountExpands
        } else if self.actual.has(volume) {
            MountBranch::MountStarted
        } else if waits && !is_reported {
            MountBranch::MountWaitsForReport
        } else if waits && !cached.contains(volume) {
            MountBranch::MountWaitsForAttach
        } else {
            MountBranch::MountVerifies
        }
    }

    /// Reads the claim, and the node if the volume has to be attached. Upstream:
    /// `GenerateVerifyControllerAttachedVolumeFunc`, 1.36.
    fn verify(
        &mut self,
        kubelet: &KubeletVolumes<'_>,
        volume: &Str,
        uid: &Str,
        now: Moment,
        out: &mut Vec<KubeletAction>,
    ) {
        let Some(needed) = self.desired.get(volume) else { return };
        let Some(by) = needed.pods.get(uid) else { return };
        let (attachable, spec) = (needed.attachable, by.spec.clone());
        let attaches = kubelet.attaches(&by.volume);
        let claim = by.volume.claim_ref.as_ref();
        let claim = claim.and_then(|claim| kubelet.view.find::<PersistentVolumeClaim>(&claim.namespace, &claim.name));
        let is_verified = claim.is_some() && (!attachable || kubelet.node.volumes_attached.contains(volume));
        let key = Key { volume: volume.clone(), part: None };
        let running = Running::without_event(volume, uid, spec.clone(), CallName::WaitForAttach);
        let Some(at) = self.operations.start(key, Work::Verify, now, running) else { return };
        let step = if is_verified { VolumeStep::VerifySucceeded } else { VolumeStep::VerifyFailed };
        out.push(KubeletAction::Decided(step.into()));
        self.finish(at, !is_verified, now, out);
        if is_verified {
            self.actual.attach(volume, &spec, Some(attaches));
            self.actual.learn_size(volume, storage(claim.and_then(|claim| claim.status.storage())));
        }
    }

    /// Unmounts the devices that no pod needs, and forgets volumes that are not mounted at all. Upstream:
    /// `unmountDetachDevices`, 1.36.
    fn unmount_devices(&mut self, now: Moment, out: &mut Vec<KubeletAction>) {
        for (volume, attached) in self.actual.unmounted() {
            let key = Key { volume: volume.clone(), part: None };
            if self.desired.get(&volume).is_some() || self.operations.is_running(&key) {
                continue;
            }
            if attached.device == DeviceState::NotMounted {
                self.actual.detach(&volume);
                out.push(KubeletAction::Decided(MountBranch::VolumeForgotten.into()));
                continue;
            }
            let (work, call) = if attached.spec.mode.is_block() {
                (Work::UnmapDevice, CallName::TearDownDevice)
            } else {
                (Work::UnmountDevice, CallName::UnmountDevice)
            };
            let running = Running::without_event(&volume, "", attached.spec, call);
            if self.begin(key, work, running, now, out) {
                out.push(KubeletAction::Decided(MountBranch::UnmountDeviceStarted.into()));
                if work == Work::UnmapDevice {
                    self.actual.set_device(&volume, DeviceState::Uncertain);
                }
            } else {
                out.push(KubeletAction::Decided(MountBranch::UnmountBackingOff.into()));
            }
        }
    }

    /// Starts an operation that begins with a call of a driver. Returns whether it is started.
    pub(super) fn begin(
        &mut self,
        key: Key,
        work: Work,
        running: Running,
        now: Moment,
        out: &mut Vec<KubeletAction>,
    ) -> bool {
        let (volume, call) = (running.volume.clone(), running.driver_call());
        let is_started = self.operations.start(key, work, now, running).is_some();
        if is_started {
            out.push(KubeletAction::Call { volume, call });
        }
        is_started
    }
}

/// Returns how a volume is unmounted for a pod.
fn unmount_of(mounted: &Mounted) -> (Work, CallName) {
    if mounted.spec.mode.is_block() {
        (Work::Unmap, CallName::UnmapPodDevice)
    } else {
        (Work::Unmount, CallName::TearDown)
    }
}
