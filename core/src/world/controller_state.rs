//! The memory of a controller: its caches, if they lag behind the API, and its operations.

use crate::model::{Held, HeldObject, Id, ObjectId, Resource};

/// How the cached copy of an object differs from the API's object.
#[derive(Clone, Debug)]
pub enum Cached<'s> {
    /// The controller has not seen the object yet, neither in its own cache nor in the informer's.
    Unseen,
    /// The informer's cache has the object, but the controller's own cache does not.
    InformerOnly,
    /// Both caches hold an older version.
    Stale(HeldObject<'s>),
    /// The object was deleted. The informer's cache no longer has it, and the controller's own cache still has this
    /// version.
    Deleted(HeldObject<'s>),
}

/// The state of an asynchronous operation with a given name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum OperationState {
    /// This sync started the operation.
    Started,
    /// An earlier sync started the operation, and it is not done.
    Running,
    /// The operation failed a short time ago, and its back-off has not ended.
    Backoff,
}

impl OperationState {
    /// Returns the word that documents print for the state.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Started => "started",
            Self::Running => "running",
            Self::Backoff => "backoff",
        }
    }
}

/// The memory of a controller. By default, its caches have the same objects as the API, and no operation runs.
#[derive(Clone, Debug, Default)]
pub struct ControllerState<'s> {
    /// The objects whose cached copy differs from the API's object.
    pub cached: Vec<(ObjectId, Cached<'s>)>,
    /// The operations that run or back off, by name.
    pub operations: Vec<(String, OperationState)>,
}

impl<'s> ControllerState<'s> {
    /// Returns a memory whose caches have the same objects as the API, without operations.
    pub fn in_step() -> Self {
        Self::default()
    }

    /// Returns whether the caches have the same objects as the API and no operation runs or backs off.
    pub fn in_step_with_all(&self) -> bool {
        self.cached.is_empty() && self.operations.is_empty()
    }

    /// Records that the cached copy of an object differs from the API's object.
    pub fn lag(&mut self, id: impl Into<ObjectId>, cached: Cached<'s>) {
        self.cached.push((id.into(), cached));
    }

    /// Records that both caches hold an older version of an object.
    pub fn lag_behind<T: Resource>(&mut self, id: Id<T>, older: Held<'s, T>) {
        self.lag(id, Cached::Stale(T::hold(older)));
    }

    /// Records that the caches hold the object as it is stored now.
    pub fn forget(&mut self, id: impl Into<ObjectId>) {
        let id = id.into();
        self.cached.retain(|(cached, _)| *cached != id);
    }

    /// Returns how the cached copy of an object differs from the API's object. The value is `None` if there is no
    /// difference.
    pub fn cached(&self, id: impl Into<ObjectId>) -> Option<&Cached<'s>> {
        let id = id.into();
        self.cached.iter().find(|(cached, _)| *cached == id).map(|(_, cached)| cached)
    }

    /// Returns the objects of the kind `T` whose cached copy differs from the API's object.
    pub fn lagging<T: Resource>(&self) -> impl Iterator<Item = Id<T>> {
        self.cached.iter().filter_map(|(id, _)| id.of())
    }

    /// Returns the state of the operation of this name. The value is `None` if the operation neither runs nor backs
    /// off.
    pub fn operation(&self, name: &str) -> Option<OperationState> {
        self.operations.iter().find(|(known, _)| known == name).map(|(_, state)| *state)
    }
}
