//! What a controller has in memory: its caches, where they lag behind the API, and its operations.

use crate::model::{Held, HeldObject, Id, ObjectId, Resource};

/// The cached copy of an object where it differs from the API's.
#[derive(Clone, Debug)]
pub enum Cached<'s> {
    /// The controller has not seen the object yet, neither in its own cache nor in the informer's.
    Unseen,
    /// The informer has the object, the controller's own cache does not.
    InformerOnly,
    /// Both caches hold an older version.
    Stale(HeldObject<'s>),
}

/// The state of an asynchronous operation of a given name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum OperationState {
    /// It was started by this sync.
    Started,
    /// It was started earlier and is not done.
    Running,
    /// It failed a short while ago.
    Backoff,
}

impl OperationState {
    /// The state as the output contract writes it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Started => "started",
            Self::Running => "running",
            Self::Backoff => "backoff",
        }
    }
}

/// The memory of a controller. By default its caches are in step with the API and no operation runs.
#[derive(Clone, Debug, Default)]
pub struct ControllerState<'s> {
    /// The objects whose cached copy differs.
    pub cached: Vec<(ObjectId, Cached<'s>)>,
    /// Operations that run or back off, by name.
    pub operations: Vec<(String, OperationState)>,
}

impl<'s> ControllerState<'s> {
    /// Caches in step, nothing running.
    pub fn in_step() -> Self {
        Self::default()
    }

    /// Whether the caches are in step and no operation runs or backs off.
    pub fn in_step_with_all(&self) -> bool {
        self.cached.is_empty() && self.operations.is_empty()
    }

    /// Lets the cached copy of an object differ.
    pub fn lag(&mut self, id: impl Into<ObjectId>, cached: Cached<'s>) {
        self.cached.push((id.into(), cached));
    }

    /// Lets both caches hold an older version of an object.
    pub fn lag_behind<T: Resource>(&mut self, id: Id<T>, older: Held<'s, T>) {
        self.lag(id, Cached::Stale(T::hold(older)));
    }

    /// The caches take in the object as it is stored now.
    pub fn forget(&mut self, id: impl Into<ObjectId>) {
        let id = id.into();
        self.cached.retain(|(cached, _)| *cached != id);
    }

    /// How the cached copy of an object differs, if it does.
    pub fn cached(&self, id: impl Into<ObjectId>) -> Option<&Cached<'s>> {
        let id = id.into();
        self.cached.iter().find(|(cached, _)| *cached == id).map(|(_, cached)| cached)
    }

    /// The places of the objects of a kind whose cached copy differs.
    pub fn lagging<T: Resource>(&self) -> impl Iterator<Item = Id<T>> {
        self.cached.iter().filter_map(|(id, _)| id.of())
    }

    /// The state of the operation of that name, if it runs or backs off.
    pub fn operation(&self, name: &str) -> Option<OperationState> {
        self.operations.iter().find(|(known, _)| known == name).map(|(_, state)| *state)
    }
}
