//! The calls of drivers, their answers, and what else the kubelet does that others can see.

use super::VolumeManager;
use super::desired::NeededBy;
use super::expanding::{ClaimPatch, Expansion, Growing};
use crate::controllers::Branch;
use crate::controllers::kubelet_volumes::{KubeletVolumes, MountEvent, VolumeStep};
use crate::controllers::pending_operations::Moment;
use crate::model::Str;

/// A call of a driver. The names are those of the methods of a plugin. For CSI, `MountDevice` and `SetUpDevice` are
/// `NodeStageVolume`, `SetUp` and `MapPodDevice` are `NodePublishVolume`, and so on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum CallName {
    /// Waits until the device of an attached volume is there.
    WaitForAttach,
    /// Mounts the device for the node.
    MountDevice,
    /// Mounts the volume for a pod.
    SetUp,
    /// Unmounts the volume of a pod.
    TearDown,
    /// Unmounts the device.
    UnmountDevice,
    /// Prepares a block device for the node.
    SetUpDevice,
    /// Maps a block device for a pod.
    MapPodDevice,
    /// Removes the map of a pod.
    UnmapPodDevice,
    /// Removes a block device from the node.
    TearDownDevice,
    /// Expands the volume on the node. For CSI, this is `NodeExpandVolume`.
    NodeExpand,
}

impl CallName {
    /// Returns upstream's name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::WaitForAttach => "WaitForAttach",
            Self::MountDevice => "MountDevice",
            Self::SetUp => "SetUp",
            Self::TearDown => "TearDown",
            Self::UnmountDevice => "UnmountDevice",
            Self::SetUpDevice => "SetUpDevice",
            Self::MapPodDevice => "MapPodDevice",
            Self::UnmapPodDevice => "UnmapPodDevice",
            Self::TearDownDevice => "TearDownDevice",
            Self::NodeExpand => "NodeExpand",
        }
    }

    /// Returns whether the driver learns the pod.
    fn names_pod(self) -> bool {
        !matches!(self, Self::MountDevice | Self::UnmountDevice | Self::TearDownDevice | Self::NodeExpand)
    }
}

/// A call of a driver for a volume.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct DriverCall {
    /// The method.
    pub name: CallName,
    /// The name of the PersistentVolume.
    pub volume: Str,
    /// The uid of the pod. It is `None` if the driver does not learn the pod.
    pub pod: Option<Str>,
}

/// The error of a driver.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DriverError {
    /// The text.
    pub text: String,
    /// What is known about the volume then.
    pub kind: ErrorKind,
}

/// What is known about a volume after an error. Upstream: `pkg/volume/util/types`, 1.36.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorKind {
    /// Nothing has happened, or it was undone.
    Final,
    /// The driver may go on with it.
    Uncertain,
    /// The driver was not reached.
    Transient,
    /// The driver will never expand the volume to this size. A driver says this about an expansion only.
    Infeasible,
    /// The driver does not expand a volume that is in use. A driver says this about an expansion only.
    InUse,
    /// The driver cannot expand volumes on the node. A driver says this about an expansion only.
    Unsupported,
}

/// What the kubelet does. Others can see calls and events.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KubeletAction {
    /// It passes a leaf.
    Decided(Branch),
    /// It calls a driver. [`VolumeManager::answer`] needs the unique name of the volume.
    Call {
        /// The unique name of the volume.
        volume: Str,
        /// The call.
        call: DriverCall,
    },
    /// It records an event about the pod with this name.
    Event(Str, MountEvent),
    /// It records an event about the claim with this name.
    ClaimEvent(Str, MountEvent),
    /// It changes the status of a claim.
    Store(ClaimPatch),
}

/// An operation that waits for the answer of a driver.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Running {
    /// The unique name of the volume.
    pub(super) volume: Str,
    /// The uid of the pod. It is empty if the operation is for the node.
    pub(super) uid: Str,
    /// The name of the pod, for events.
    pub(super) pod: Str,
    pub(super) spec: Spec,
    pub(super) call: CallName,
    /// What the kubelet needs to know if the volume has grown. It is `None` if the operation never expands it.
    pub(super) growing: Option<Growing>,
    /// The expansion for which the driver is asked.
    pub(super) expansion: Option<Box<Expansion>>,
}

/// What the kubelet knows of a volume that it mounts or has mounted.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Spec {
    /// The name of the PersistentVolume.
    pub(super) name: Str,
    pub(super) mode: Mode,
    /// Whose volume it is.
    pub(super) plugin: Plugin,
}

/// The plugin of a volume, as far as it matters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Plugin {
    /// The plugin of CSI, with this driver.
    Csi(Str),
    /// The plugin of local volumes.
    Local,
    Other,
}

impl Spec {
    /// Returns whether the plugin can expand the volume on the node.
    pub(super) fn is_expandable(&self) -> bool {
        self.plugin != Plugin::Other
    }
}

/// What a volume is for the kubelet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    Files,
    /// A block device that the driver prepares and maps.
    Block,
    /// A block device that the kubelet maps without the driver, as those of Fibre Channel and iSCSI.
    PlainBlock,
}

impl Mode {
    pub(super) fn is_block(self) -> bool {
        self != Self::Files
    }
}

impl Running {
    /// Returns an operation for a pod that needs the volume with this unique name.
    pub(super) fn for_pod(volume: &Str, uid: &Str, by: NeededBy, call: CallName) -> Self {
        let growing = Some(Growing { volume: by.volume, read_only: by.read_only });
        let (volume, uid) = (volume.clone(), uid.clone());
        Self { volume, uid, pod: by.pod, spec: by.spec, call, growing, expansion: None }
    }

    /// Returns an operation whose end has no event.
    pub(super) fn without_event(volume: &str, uid: &str, spec: Spec, call: CallName) -> Self {
        let (volume, uid) = (volume.into(), uid.into());
        Self { volume, uid, pod: Str::default(), spec, call, growing: None, expansion: None }
    }

    /// Returns the call whose answer the operation needs.
    pub(super) fn driver_call(&self) -> DriverCall {
        let pod = self.call.names_pod().then(|| self.uid.clone());
        DriverCall { name: self.call, volume: self.spec.name.clone(), pod }
    }
}

impl VolumeManager {
    /// A driver answers a call about the volume with this unique name.
    pub fn answer(
        &mut self,
        kubelet: &KubeletVolumes<'_>,
        volume: &str,
        call: &DriverCall,
        answer: Result<(), &DriverError>,
        now: Moment,
        out: &mut Vec<KubeletAction>,
    ) {
        let is_it = |running: &Running| running.volume == volume && running.driver_call() == *call;
        let place = self.operations.all.iter().position(|one| one.running.as_ref().is_some_and(is_it));
        let Some((at, running)) = place.and_then(|at| Some((at, self.operations.all[at].running.clone()?))) else {
            return;
        };
        match call.name {
            CallName::WaitForAttach
            | CallName::MountDevice
            | CallName::SetUp
            | CallName::SetUpDevice
            | CallName::MapPodDevice => self.go_on_mounting(kubelet, at, &running, answer, now, out),
            CallName::NodeExpand => self.end_expansion(kubelet, at, &running, answer, now, out),
            CallName::TearDown | CallName::UnmountDevice | CallName::UnmapPodDevice | CallName::TearDownDevice => {
                self.end_unmounting(&running, answer.is_err());
                self.finish(at, answer.is_err(), now, out);
                let step = if answer.is_err() { VolumeStep::UnmountFailed } else { VolumeStep::UnmountSucceeded };
                out.push(KubeletAction::Decided(step.into()));
            }
        }
    }

    /// An operation ends.
    pub(super) fn finish(&mut self, at: usize, has_failed: bool, now: Moment, out: &mut Vec<KubeletAction>) {
        if has_failed {
            out.push(KubeletAction::Decided(VolumeStep::VolumeOperationFailed.into()));
        }
        self.operations.finish(at, has_failed, now);
    }
}
