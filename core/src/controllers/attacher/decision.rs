//! What the attacher decides, as data.

use super::input::PublishDetails;
use super::leaves::{AttachmentBranch, DetachmentBranch, VolumeFinalizerBranch};
use crate::model::{Kind, Str, Timestamp};
use crate::snapshot::Absence;
use std::collections::{BTreeMap, BTreeSet};

/// What is not modelled, or not known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum NotEvaluated {
    /// Whether the attachment has an inline volume, and which one.
    InlineVolume,
    /// The volume of a migrated plugin: what its translation to CSI contains.
    MigratedVolume,
    /// The fields of the volume that a snapshot does not keep. Also whether the call needs a Secret.
    Details,
    /// Whether the Secret for the call exists. The decision assumes that it exists.
    Secret,
}

/// `ControllerPublishVolumeRequest` of CSI.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PublishRequest {
    /// `volume_id`.
    pub handle: Str,
    /// `node_id`.
    pub node_id: Str,
    /// The access mode of `volume_capability`.
    pub mode: &'static str,
    /// Whether the volume is used as a block device.
    pub block: bool,
    /// The remaining fields, as they are sent. The value is `None` if they are not known.
    pub details: Option<PublishDetails>,
    /// Whether the call is counted as one for the volume of a migrated plugin.
    pub migrated: bool,
}

/// `ControllerUnpublishVolumeRequest` of CSI.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnpublishRequest {
    /// `volume_id`.
    pub handle: Str,
    /// `node_id`.
    pub node_id: Str,
    /// The namespace and the name of the Secret.
    pub secret: Option<(Str, Str)>,
    /// Whether the call is counted as one for the volume of a migrated plugin.
    pub migrated: bool,
}

/// One action of a sync.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Act {
    /// The driver is asked to attach the volume.
    Publish(Box<PublishRequest>),
    /// The driver is asked to detach the volume.
    Unpublish(UnpublishRequest),
    /// The finalizer of the attacher is added at the end of the list of a volume.
    AddVolumeFinalizer {
        /// The name of the volume.
        volume: Str,
        /// Whether the volume has no finalizers before.
        first: bool,
    },
    /// The finalizer of the attacher is removed from a volume.
    RemoveVolumeFinalizer {
        /// The place of the finalizer in the list, counted from 0.
        place: usize,
    },
    /// The finalizer and the id of the node are stored in the attachment.
    PrepareAttachment {
        /// The finalizers, if they change.
        finalizers: Option<Vec<Str>>,
        /// The id of the node, if it changes.
        node_id: Option<Str>,
    },
    /// The attachment loses the finalizer of the attacher. The list has the remaining finalizers.
    ReleaseAttachment(Vec<Str>),
    /// The attachment is marked as attached, with this publish context and without `attachError`.
    MarkAttached(BTreeMap<Str, Str>),
    /// The attachment is marked as not attached, without publish context and without `detachError`.
    MarkDetached,
    /// `attachError` of the attachment is set.
    SaveAttachError(SavedError),
    /// `detachError` of the attachment is set.
    SaveDetachError(SavedError),
}

/// An error in the status of an attachment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SavedError {
    /// `time`.
    pub time: Timestamp,
    /// `message`.
    pub message: String,
    /// `errorCode`: the number of the gRPC code, if the error is one of the driver and is an `attachError`.
    pub code: Option<u32>,
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

/// What happens to the object in the queue at the end of a sync.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Requeue {
    /// The object is synced again after this time in milliseconds.
    After(u64),
    /// The failures of the object are forgotten.
    Forgotten,
    /// Nothing.
    Untouched,
}

/// Where the sync of an attachment ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SyncEnd {
    /// A sync that attaches, or that calls no driver.
    Attach(AttachmentBranch),
    /// A sync that detaches.
    Detach(DetachmentBranch),
    /// It is not known how the sync ends: `not_evaluated` says why.
    Unknown,
}

/// The decision about an attachment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AttachmentSync {
    /// Where the sync ends.
    pub end: SyncEnd,
    /// The actions of the sync, in order.
    pub steps: Vec<Step>,
    /// The error of the sync.
    pub error: Option<String>,
    /// What happens to the attachment in the queue.
    pub requeue: Requeue,
    /// The kinds that the answer needs and that may not have been read completely. The value says whether an object
    /// that was not found is assumed not to exist, or whether this is unknown.
    pub doubts: BTreeMap<Kind, Absence>,
    /// What is not modelled and could change the answer.
    pub not_evaluated: BTreeSet<NotEvaluated>,
}

/// The decision about a volume.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VolumeSync {
    /// Where the sync ends.
    pub leaf: VolumeFinalizerBranch,
    /// The action of the sync, if there is one.
    pub step: Option<Step>,
    /// What happens to the volume in the queue.
    pub requeue: Requeue,
    /// The kinds that the answer needs and that may not have been read completely. The value says whether an object
    /// that was not found is assumed not to exist, or whether this is unknown.
    pub doubts: BTreeMap<Kind, Absence>,
}
