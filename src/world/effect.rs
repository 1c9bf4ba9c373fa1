//! What the real controller would do to the world, as data, in order.

use super::{Held, OperationState};
use crate::model::{Kind, ObjectMeta, PersistentVolume, PersistentVolumeClaim, Str};

/// One thing that a controller does and others can see.
#[derive(Clone, Debug)]
pub enum Effect<'s> {
    /// A request to the API server.
    Write(Write<'s>),
    /// An event.
    Event(Event),
    /// An asynchronous operation, under upstream's name.
    Operation {
        /// Such as `delete-pv-1[uid]`.
        name: String,
        /// Whether this sync started it.
        state: OperationState,
    },
    /// A key put on a queue.
    Enqueue(ObjectRef),
}

/// A request of a controller.
#[derive(Clone, Debug)]
pub struct Write<'s> {
    /// What is written.
    pub body: WriteBody<'s>,
    /// Why the API server would refuse it, if it would.
    pub refused: Option<String>,
}

/// What a request writes.
#[derive(Clone, Debug)]
pub enum WriteBody<'s> {
    /// An update of a volume, or of its status alone.
    UpdateVolume {
        /// The status subresource?
        status: bool,
        /// The object before this write.
        before: Held<'s, PersistentVolume>,
        /// The object that is sent.
        after: Held<'s, PersistentVolume>,
    },
    /// An update of a claim, or of its status alone.
    UpdateClaim {
        /// The status subresource?
        status: bool,
        /// The object before this write.
        before: Held<'s, PersistentVolumeClaim>,
        /// The object that is sent.
        after: Held<'s, PersistentVolumeClaim>,
    },
    /// A new volume.
    CreateVolume(Held<'s, PersistentVolume>),
    /// A deletion, without preconditions.
    DeleteVolume(Held<'s, PersistentVolume>),
}

impl WriteBody<'_> {
    /// The object that is written.
    pub fn target(&self) -> (Kind, &ObjectMeta) {
        match self {
            Self::UpdateVolume { after, .. } | Self::CreateVolume(after) | Self::DeleteVolume(after) => {
                (Kind::PersistentVolume, &after.meta)
            }
            Self::UpdateClaim { after, .. } => (Kind::PersistentVolumeClaim, &after.meta),
        }
    }
}

/// An object that an event is about, or that is put on a queue.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ObjectRef {
    /// The kind.
    pub kind: Kind,
    /// The namespace; empty for kinds that have none.
    pub namespace: Str,
    /// The name.
    pub name: Str,
}

impl ObjectRef {
    /// The volume of that name.
    pub fn volume(volume: &PersistentVolume) -> Self {
        Self { kind: Kind::PersistentVolume, namespace: Str::default(), name: volume.meta.name.clone() }
    }

    /// That claim.
    pub fn claim(claim: &PersistentVolumeClaim) -> Self {
        Self {
            kind: Kind::PersistentVolumeClaim,
            namespace: claim.meta.namespace.clone(),
            name: claim.meta.name.clone(),
        }
    }
}

/// The type of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum EventType {
    /// For information.
    Normal,
    /// Something is wrong.
    Warning,
}

impl EventType {
    /// The type as events write it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Normal => "Normal",
            Self::Warning => "Warning",
        }
    }
}

/// An event as handed to the recorder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// Its type.
    pub event_type: EventType,
    /// Its reason.
    pub reason: &'static str,
    /// Its message.
    pub message: String,
    /// Only the order of names inside the message is open; they are sorted here.
    pub message_varies: bool,
    /// The object that it is about.
    pub about: ObjectRef,
}
