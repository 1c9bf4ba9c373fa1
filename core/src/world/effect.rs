//! The effects of a controller on the cluster, as data, in order.

use super::OperationState;
use crate::model::{Held, HeldObject, Kind, ObjectMeta, Resource, Str};
use crate::snapshot::{MergePatch, merge_patch};

/// One action of a controller that others can see.
#[derive(Clone, Debug)]
pub enum Effect<'s> {
    /// A request to the API server.
    Write(Write<'s>),
    /// An event that the controller records.
    Event(RecordedEvent),
    /// An attempt to start an asynchronous operation.
    Operation {
        /// The name of the operation in upstream, such as `delete-pv-1[uid]`.
        name: String,
        /// Whether this sync started the operation, or the operation already runs, or backs off.
        state: OperationState,
    },
    /// A key that the controller puts on a queue.
    Enqueue(ObjectRef),
}

/// A write request of a controller.
#[derive(Clone, Debug)]
pub struct Write<'s> {
    /// The content of the request.
    pub body: WriteBody<'s>,
    /// Why the API server would refuse the request. The value is `None` if the API server would accept the request.
    pub refused: Option<String>,
}

/// The content of a write request.
#[derive(Clone, Debug)]
pub enum WriteBody<'s> {
    /// An update of an object, or of only the status of an object.
    Update {
        /// Whether the request updates the status subresource.
        status: bool,
        /// The object before this write.
        before: HeldObject<'s>,
        /// The object after this write. If the API server refuses the request, it is the object that was sent.
        after: HeldObject<'s>,
    },
    /// A new object.
    Create {
        /// The object that is sent.
        sent: HeldObject<'s>,
        /// The object as the API server stores it.
        stored: HeldObject<'s>,
    },
    /// A deletion without preconditions.
    Delete(HeldObject<'s>),
}

impl<'s> WriteBody<'s> {
    /// Returns the object that the request writes or deletes.
    pub fn object(&self) -> &HeldObject<'s> {
        match self {
            Self::Update { after: object, .. } | Self::Create { sent: object, .. } | Self::Delete(object) => object,
        }
    }

    /// Returns the object after an update. The value is `None` if the request is not an update, or if the object is of
    /// another kind.
    pub fn updated<T: Resource>(&self) -> Option<&Held<'s, T>> {
        match self {
            Self::Update { after, .. } => after.of(),
            Self::Create { .. } | Self::Delete(_) => None,
        }
    }

    /// Returns the merge patch of an update, as RFC 7386 defines merge patches. The value is `None` for a creation or a
    /// deletion. The patch leaves out what the API server ignores: the status in an update of the object, and the spec
    /// in an update of the status.
    pub fn patch(&self) -> Option<MergePatch<'_>> {
        let Self::Update { status, before, after } = self else { return None };
        Some(merge_patch(before, after).without(if *status { "spec" } else { "status" }))
    }
}

/// A reference to an object that an event is about, or that is put on a queue.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ObjectRef {
    /// The kind.
    pub kind: Kind,
    /// The namespace. It is empty for kinds without namespaces.
    pub namespace: Str,
    /// The name.
    pub name: Str,
}

impl ObjectRef {
    /// Returns a reference to this object.
    pub fn to<T: Resource>(object: &T) -> Self {
        Self::of(T::KIND, object.meta())
    }

    /// Returns a reference to the object of this kind with this metadata.
    pub fn of(kind: Kind, meta: &ObjectMeta) -> Self {
        Self { kind, namespace: meta.namespace.clone(), name: meta.name.clone() }
    }
}

/// The type of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum EventType {
    /// An event for information.
    Normal,
    /// An event about something that is wrong.
    Warning,
}

impl EventType {
    /// Returns the type as events write it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Normal => "Normal",
            Self::Warning => "Warning",
        }
    }
}

/// An event as the controller passes it to the event recorder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordedEvent {
    /// The type.
    pub event_type: EventType,
    /// The reason.
    pub reason: &'static str,
    /// The message.
    pub message: String,
    /// Whether the real message may list its names in another order. In [`Self::message`], the names are sorted.
    pub message_varies: bool,
    /// The object that the event is about.
    pub about: ObjectRef,
}
