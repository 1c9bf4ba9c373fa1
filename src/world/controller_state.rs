//! What a controller has in memory: its caches, where they lag behind the API, and its operations.

use super::Held;
use crate::model::{PersistentVolume, PersistentVolumeClaim, Pod, Str};
use crate::snapshot::{ClaimId, VolumeId};

/// The cached copy of an object where it differs from the API's.
#[derive(Clone, Debug)]
pub enum Cached<'s, T> {
    /// The controller has not seen the object yet, neither in its own cache nor in the informer's.
    Unseen,
    /// The informer has the object, the controller's own cache does not.
    InformerOnly,
    /// Both caches hold an older version.
    Stale(Held<'s, T>),
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

/// The memory of the PersistentVolume controller. By default its caches are in step with the API and no operation runs.
#[derive(Clone, Debug, Default)]
pub struct ControllerState<'s> {
    /// Volumes whose cached copy differs.
    pub volumes: Vec<(VolumeId, Cached<'s, PersistentVolume>)>,
    /// Claims whose cached copy differs.
    pub claims: Vec<(ClaimId, Cached<'s, PersistentVolumeClaim>)>,
    /// The namespaces and names of pods that the informer has not seen yet. Older versions of pods are not modelled.
    pub unseen_pods: Vec<(Str, Str)>,
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
        self.volumes.is_empty() && self.claims.is_empty() && self.unseen_pods.is_empty() && self.operations.is_empty()
    }

    /// How the cached copy of a volume differs, if it does.
    pub fn cached_volume(&self, id: VolumeId) -> Option<&Cached<'s, PersistentVolume>> {
        self.volumes.iter().find(|(cached, _)| *cached == id).map(|(_, cached)| cached)
    }

    /// How the cached copy of a claim differs, if it does.
    pub fn cached_claim(&self, id: ClaimId) -> Option<&Cached<'s, PersistentVolumeClaim>> {
        self.claims.iter().find(|(cached, _)| *cached == id).map(|(_, cached)| cached)
    }

    /// Whether the informer has the pod.
    pub fn has_seen(&self, pod: &Pod) -> bool {
        let unseen = |(namespace, name): &(Str, Str)| *namespace == pod.meta.namespace && *name == pod.meta.name;
        !self.unseen_pods.iter().any(unseen)
    }

    /// The state of the operation of that name, if it runs or backs off.
    pub fn operation(&self, name: &str) -> Option<OperationState> {
        self.operations.iter().find(|(known, _)| known == name).map(|(_, state)| *state)
    }
}
