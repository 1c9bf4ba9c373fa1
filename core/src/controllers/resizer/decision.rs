//! What the resizer decides, as data.

use super::input::{CallDetails, ModifyMemory, ResizeMemory};
use super::leaves::{ModifyBranch, ResizeBranch};
use crate::model::{Amount, Kind, ModifyVolume, Str, Timestamp};
use crate::snapshot::Absence;
use std::collections::{BTreeMap, BTreeSet};

/// What is not modelled, or not known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum NotEvaluated {
    /// The volume of a migrated plugin: what its translation to CSI contains.
    MigratedVolume,
    /// The fields of the volume that a snapshot does not keep. Also whether the call needs a Secret.
    Details,
    /// Whether the Secret for the call exists. The decision assumes that it exists.
    Secret,
}

/// `ControllerExpandVolumeRequest` of CSI.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExpandRequest {
    /// `volume_id`.
    pub handle: Str,
    /// `capacity_range.required_bytes`.
    pub bytes: i64,
    /// The access mode of `volume_capability`.
    pub mode: &'static str,
    /// Whether the volume is used as a block device.
    pub block: bool,
    /// The remaining fields, as they are sent. The value is `None` if they are not known.
    pub details: Option<CallDetails>,
    /// Whether the call is counted as one for the volume of a migrated plugin.
    pub migrated: bool,
}

/// `ControllerModifyVolumeRequest` of CSI.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModifyRequest {
    /// `volume_id`.
    pub handle: Str,
    /// The VolumeAttributesClass whose parameters are sent.
    pub class: Str,
    /// The names that are sent in addition to the parameters.
    pub names: Option<Names>,
    /// The namespace and the name of the Secret.
    pub secret: Option<(Str, Str)>,
}

/// The names that a driver is told with `--extra-modify-metadata`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Names {
    /// The namespace of the claim.
    pub namespace: Str,
    /// The name of the claim.
    pub claim: Str,
    /// The name of the volume.
    pub volume: Str,
}

/// What a request does with a field.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Change<T> {
    /// The field stays as it is.
    #[default]
    Kept,
    /// The field gets this value.
    Set(T),
    /// The field is removed, if it is there.
    Removed,
}

/// What a request does with the conditions of a claim.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ConditionChange {
    /// The condition replaces the one of the same type, or is added at the end. Its status is `True`.
    Set(NewCondition),
    /// The condition of this type is removed, if it is there.
    Removed(&'static str),
}

/// A condition that the resizer writes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewCondition {
    /// `type`.
    pub kind: &'static str,
    /// `reason`. It is empty if the field is left out.
    pub reason: Str,
    /// `message`. It is empty if the field is left out.
    pub message: String,
    /// `lastTransitionTime`.
    pub since: Option<Timestamp>,
    /// `lastProbeTime`.
    pub probed: Option<Timestamp>,
}

/// A patch of the status of the claim. It also changes an annotation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ClaimPatch {
    /// Whether the request fails if the claim has changed in the meantime.
    pub checks_version: bool,
    /// `status.conditions`.
    pub conditions: Vec<ConditionChange>,
    /// `status.capacity.storage`, if it changes.
    pub capacity: Option<Amount>,
    /// `status.allocatedResources.storage`, if it is written.
    pub allocated: Option<Amount>,
    /// `status.allocatedResourceStatuses.storage`.
    pub resize_status: Change<&'static str>,
    /// The annotation `node-expansion-not-required`, whose value is `true`.
    pub node_expansion_not_required: Change<()>,
    /// `status.modifyVolumeStatus`.
    pub modify: Change<ModifyVolume>,
    /// `status.currentVolumeAttributesClassName`, if it changes.
    pub current_class: Option<Str>,
}

/// A patch of the volume.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum VolumePatch {
    /// The annotation `pre-resize-capacity` is removed.
    RemovePreResizeCapacity,
    /// The capacity is changed.
    Capacity {
        /// `spec.capacity.storage`.
        to: Amount,
        /// The annotation `pre-resize-capacity`, if it is added.
        before: Option<String>,
    },
    /// `spec.volumeAttributesClassName` is changed.
    AttributesClass(Str),
}

/// An event about the claim.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// Whether the type is `Warning`. Otherwise it is `Normal`.
    pub warning: bool,
    /// `reason`.
    pub reason: &'static str,
    /// `message`.
    pub message: String,
}

/// One action of a sync.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Act {
    /// The driver is asked to expand the volume.
    Expand(Box<ExpandRequest>),
    /// The driver is asked to modify the volume.
    Modify(Box<ModifyRequest>),
    /// The claim is patched.
    Claim(Box<ClaimPatch>),
    /// The volume is patched.
    Volume(VolumePatch),
    /// An event is recorded.
    Event(Note),
}

/// An action with its circumstances.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// The time since the begin of the sync, in milliseconds.
    pub at: u64,
    /// The action.
    pub act: Act,
    /// Why the API server refuses the request.
    pub refused: Option<Str>,
}

/// What happens to the claim in the queue at the end of a sync.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Requeue {
    /// The claim is synced again after this time in milliseconds, which doubles with each failure.
    AfterFailure(u64),
    /// The claim is synced again after this time in milliseconds. This does not count as a failure.
    Later(u64),
    /// The failures of the claim are forgotten.
    Forgotten,
    /// Nothing: the driver has not answered yet, or the resizer has crashed.
    Untouched,
}

/// The decision of one controller about a claim.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Synced<Branch, Memory> {
    /// Where the sync ends. The value is `None` if this is not known: `not_evaluated` says why.
    pub leaf: Option<Branch>,
    /// The actions of the sync, in order.
    pub steps: Vec<Step>,
    /// The error that the controller logs.
    pub error: Option<String>,
    /// What happens to the claim in the queue.
    pub requeue: Requeue,
    /// What the controller remembers about the claim after the sync.
    pub memory: Memory,
    /// The kinds that the answer needs and that may not have been read completely. The value says whether an object
    /// that was not found is assumed not to exist, or whether this is unknown.
    pub doubts: BTreeMap<Kind, Absence>,
    /// What is not modelled and could change the answer.
    pub not_evaluated: BTreeSet<NotEvaluated>,
}

/// The decision of the resize controller.
pub type ResizeSync = Synced<ResizeBranch, ResizeMemory>;

/// The decision of the modify controller.
pub type ModifySync = Synced<ModifyBranch, ModifyMemory>;
