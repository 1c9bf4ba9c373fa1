//! The actual state: which volumes are attached to the node, and for which pods they are mounted. Upstream:
//! `cache/actual_state_of_world.go`, 1.36.

use super::call::{ErrorKind, Spec};
use crate::model::{Quantity, Str};
use std::collections::{BTreeMap, BTreeSet};

/// The volumes that are attached, by their unique names. A volume that needs no attachment is here as soon as the
/// kubelet has read its claim (KR4).
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Actual {
    volumes: BTreeMap<Str, Attached>,
}

/// A volume that is attached.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Attached {
    /// The volume for which it was attached first.
    pub(super) spec: Spec,
    /// Whether the volume has to be attached. This is not known for a volume that was found on the disk, until the
    /// kubelet has read the node.
    pub(super) attachable: Option<bool>,
    pub(super) device: DeviceState,
    /// The pods, by their uids.
    pods: BTreeMap<Str, Mounted>,
    /// The size that the kubelet knows. It is zero if the kubelet knows none.
    size: Quantity,
    /// Whether the driver has refused to expand the volume because it is in use.
    is_unexpandable: bool,
    /// The pods for which the volume was found on the disk and has not been mounted since. It is `None` if the volume
    /// was not found there.
    reconstructed: Option<BTreeSet<Str>>,
}

/// Whether the device of a volume is mounted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum DeviceState {
    NotMounted,
    Uncertain,
    Mounted,
}

/// A volume that is mounted, or may be mounted, for a pod.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Mounted {
    pub(super) spec: Spec,
    pub(super) is_certain: bool,
    /// Whether the volume has to be mounted again although it is mounted.
    pub(super) is_due_again: bool,
}

impl Actual {
    /// Returns the unique names of the volumes that have to be attached.
    pub(super) fn attachable(&self) -> impl Iterator<Item = &Str> {
        self.volumes.iter().filter(|(_, volume)| volume.attachable == Some(true)).map(|(name, _)| name)
    }

    /// Returns whether the volume is attached.
    pub(super) fn has(&self, volume: &str) -> bool {
        self.volumes.contains_key(volume)
    }

    /// Returns whether the volume is mounted for the pod for certain.
    pub(super) fn is_mounted(&self, volume: &str, pod: &str) -> bool {
        self.mounted(volume, pod).is_some_and(|mounted| mounted.is_certain)
    }

    /// Returns the mount of the volume for a pod, if there is or may be one.
    pub(super) fn mounted(&self, volume: &str, pod: &str) -> Option<&Mounted> {
        self.volumes.get(volume)?.pods.get(pod)
    }

    /// The volumes of a pod have to be mounted again if their drivers require it. Upstream: `MarkRemountRequired`,
    /// 1.36.
    pub(super) fn mount_again(&mut self, pod: &str, is_required: impl Fn(&Spec) -> bool) {
        for mounted in self.volumes.values_mut().filter_map(|volume| volume.pods.get_mut(pod)) {
            mounted.is_due_again |= is_required(&mounted.spec);
        }
    }

    /// Returns whether the volume is or may be mounted for another pod. Upstream: `IsVolumeMountedElsewhere`, 1.36.
    pub(super) fn is_mounted_elsewhere(&self, volume: &str, pod: &str) -> bool {
        self.volumes.get(volume).is_some_and(|found| found.pods.keys().any(|other| other != pod))
    }

    /// Returns all mounts: the unique name of the volume, the uid of the pod, and the mount.
    pub(super) fn mounts(&self) -> Vec<(Str, Str, Mounted)> {
        let of_volume = |(name, volume): (&Str, &Attached)| {
            let mounts = volume.pods.iter();
            mounts.map(|(pod, mounted)| (name.clone(), pod.clone(), mounted.clone())).collect::<Vec<_>>()
        };
        self.volumes.iter().flat_map(of_volume).collect()
    }

    /// Returns the attached volumes that are mounted for no pod. Upstream: `GetUnmountedVolumes`, 1.36.
    pub(super) fn unmounted(&self) -> Vec<(Str, Attached)> {
        let unmounted = self.volumes.iter().filter(|(_, volume)| volume.pods.is_empty());
        unmounted.map(|(name, volume)| (name.clone(), volume.clone())).collect()
    }

    /// Returns the state of the device of a volume.
    pub(super) fn device(&self, volume: &str) -> DeviceState {
        self.volumes.get(volume).map_or(DeviceState::NotMounted, |found| found.device)
    }

    /// Stores the state of the device of a volume. Upstream: `SetDeviceMountState`, 1.36.
    pub(super) fn set_device(&mut self, volume: &str, device: DeviceState) {
        if let Some(found) = self.volumes.get_mut(volume) {
            found.device = device;
        }
    }

    /// The volume is attached. A volume that is attached already keeps its state. Upstream: `addVolume`, 1.36.
    pub(super) fn attach(&mut self, volume: &Str, spec: &Spec, attachable: Option<bool>) {
        self.volumes.entry(volume.clone()).or_insert_with(|| Attached {
            spec: spec.clone(),
            attachable,
            device: DeviceState::NotMounted,
            pods: BTreeMap::new(),
            size: Quantity::ZERO,
            is_unexpandable: false,
            reconstructed: None,
        });
    }

    /// Returns whether the volume is smaller than the desired size, and can be expanded. Upstream:
    /// `volumeNeedsExpansion`, 1.36.
    pub(super) fn is_smaller(&self, volume: &str, desired: &Quantity) -> bool {
        self.volumes.get(volume).is_some_and(|found| {
            let is_smaller = !found.size.is_zero() && desired.compare(&found.size).is_gt();
            is_smaller && !found.is_unexpandable && found.spec.is_expandable()
        })
    }

    /// Stores the size of a volume, unless one is known. Upstream: `InitializeClaimSize`, 1.36.
    pub(super) fn learn_size(&mut self, volume: &str, size: Quantity) {
        if let Some(found) = self.volumes.get_mut(volume).filter(|found| found.size.is_zero()) {
            found.size = size;
        }
    }

    /// The volume has been expanded to this size. Returns whether it is still attached. Upstream:
    /// `MarkVolumeAsResized`, 1.36.
    pub(super) fn resize(&mut self, volume: &str, size: Quantity) -> bool {
        self.volumes.get_mut(volume).is_some_and(|found| {
            found.size = size;
            true
        })
    }

    /// The driver does not expand the volume because it is in use. Upstream: `MarkForInUseExpansionError`, 1.36.
    pub(super) fn refuse_expansion(&mut self, volume: &str) {
        if let Some(found) = self.volumes.get_mut(volume) {
            found.is_unexpandable = true;
        }
    }

    /// The volume is no longer attached, unless it is mounted for a pod. Upstream: `DeleteVolume`, 1.36.
    pub(super) fn detach(&mut self, volume: &str) {
        if self.volumes.get(volume).is_some_and(|found| found.pods.is_empty()) {
            self.volumes.remove(volume);
        }
    }

    /// The volume is mounted for the pod, or may be. Upstream: `AddPodToVolume`, 1.36.
    pub(super) fn mount(&mut self, volume: &str, pod: &Str, spec: &Spec, is_certain: bool) {
        let Some(found) = self.volumes.get_mut(volume) else { return };
        let before = found.pods.get(pod).filter(|mounted| mounted.is_certain).map(|mounted| mounted.spec.clone());
        let spec = before.unwrap_or_else(|| spec.clone());
        found.pods.insert(pod.clone(), Mounted { spec, is_certain, is_due_again: false });
        if let Some(pods) = found.reconstructed.as_mut().filter(|_| is_certain) {
            pods.remove(pod);
        }
    }

    /// The volume is not mounted for the pod. Upstream: `DeletePodFromVolume`, 1.36.
    pub(super) fn unmount(&mut self, volume: &str, pod: &str) {
        let Some(found) = self.volumes.get_mut(volume) else { return };
        found.pods.remove(pod);
        if let Some(pods) = &mut found.reconstructed {
            pods.remove(pod);
        }
    }

    /// The volume was found on the disk for the pod. Upstream: `CheckAndMarkVolumeAsUncertainViaReconstruction`, 1.36.
    pub(super) fn find(&mut self, volume: &str, pod: &Str, spec: &Spec) {
        let Some(found) = self.volumes.get_mut(volume) else { return };
        found.pods.insert(pod.clone(), Mounted { spec: spec.clone(), is_certain: false, is_due_again: false });
        found.reconstructed.get_or_insert_default().insert(pod.clone());
    }

    /// Stores whether a volume that was found on the disk has to be attached. Upstream:
    /// `UpdateReconstructedVolumeAttachability`, 1.36.
    pub(super) fn set_attachable(&mut self, volume: &str, attachable: bool) {
        if let Some(found) = self.volumes.get_mut(volume) {
            found.attachable.get_or_insert(attachable);
        }
    }

    /// The driver did not mount the device. Upstream: `markDeviceErrorState`, 1.36.
    pub(super) fn fail_device(&mut self, volume: &str, kind: ErrorKind) {
        let Some(found) = self.volumes.get_mut(volume) else { return };
        match (kind, found.device) {
            (ErrorKind::Final, DeviceState::Uncertain) if found.reconstructed.is_none() => {
                found.device = DeviceState::NotMounted;
            }
            (ErrorKind::Uncertain, DeviceState::NotMounted) => found.device = DeviceState::Uncertain,
            _ => {}
        }
    }

    /// The driver did not mount the volume for the pod. Upstream: `markVolumeErrorState`, 1.36.
    pub(super) fn fail_mount(&mut self, volume: &str, pod: &Str, spec: &Spec, kind: ErrorKind) {
        let Some(found) = self.volumes.get(volume) else { return };
        let is_found = found.reconstructed.as_ref().is_some_and(|pods| pods.contains(pod));
        match (kind, found.pods.get(pod)) {
            (ErrorKind::Final, Some(Mounted { is_certain: false, .. })) if !is_found => self.unmount(volume, pod),
            (ErrorKind::Uncertain, None) => self.mount(volume, pod, spec, false),
            _ => {}
        }
    }
}
