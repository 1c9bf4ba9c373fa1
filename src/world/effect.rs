//! What the real controller would do to the world, as data, in order.

use super::OperationState;
use crate::model::{Held, HeldObject, Kind, ObjectMeta, Resource, Str};
use crate::snapshot::{MergePatch, merge_patch};

/// One thing that a controller does and others can see.
#[derive(Clone, Debug)]
pub enum Effect<'s> {
    /// A request to the API server.
    Write(Write<'s>),
    /// An event.
    Event(RecordedEvent),
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
    /// An update of an object, or of its status alone.
    Update {
        /// The status subresource?
        status: bool,
        /// The object before this write.
        before: HeldObject<'s>,
        /// The object that is sent.
        after: HeldObject<'s>,
    },
    /// A new object.
    Create {
        /// The object that is sent.
        sent: HeldObject<'s>,
        /// What the API server makes of it.
        stored: HeldObject<'s>,
    },
    /// A deletion, without preconditions.
    Delete(HeldObject<'s>),
}

impl<'s> WriteBody<'s> {
    /// The object that is written.
    pub fn object(&self) -> &HeldObject<'s> {
        match self {
            Self::Update { after: object, .. } | Self::Create { sent: object, .. } | Self::Delete(object) => object,
        }
    }

    /// The object as an update sends it, if it is of that kind.
    pub fn updated<T: Resource>(&self) -> Option<&Held<'s, T>> {
        match self {
            Self::Update { after, .. } => after.of(),
            Self::Create { .. } | Self::Delete(_) => None,
        }
    }

    /// The merge patch of an update, by RFC 7386; none for a creation or a deletion. What the API server does not take
    /// from that kind of update is left out: the status of a main one, the spec of one of the status.
    pub fn patch(&self) -> Option<MergePatch<'_>> {
        let Self::Update { status, before, after } = self else { return None };
        Some(merge_patch(before, after).without(if *status { "spec" } else { "status" }))
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
    /// That object.
    pub fn to<T: Resource>(object: &T) -> Self {
        Self::of(T::KIND, object.meta())
    }

    /// The object of that kind with that metadata.
    pub fn of(kind: Kind, meta: &ObjectMeta) -> Self {
        Self { kind, namespace: meta.namespace.clone(), name: meta.name.clone() }
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
pub struct RecordedEvent {
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
