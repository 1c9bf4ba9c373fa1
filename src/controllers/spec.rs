//! What a controller is for whoever runs it in a simulation: a row of functions, as the descriptors of
//! kube-controller-manager are. A new controller is a folder with such a row, and its name in [`super::CONTROLLERS`].

use super::{Branch, KubernetesBehavior, Links, Outcome, Settings, SyncContext};
use crate::model::{HeldObject, Kind, Object, ObjectId, Str};
use crate::snapshot::{Absence, Snapshot};
use crate::world::{Choices, ControllerState, Need, Record, World};
use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::Deref;

/// Decisions that are not listed one by one, because they are another one with an object in the place of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Alike {
    /// The object that was picked.
    pub chosen: ObjectId,
    /// The objects for which the very same is done, in the order of the decisions. They come right after this one.
    pub others: Vec<ObjectId>,
}

/// A step of one object in a simulation, from one version to another.
#[derive(Clone, Copy, Debug)]
pub struct Step<'a, 's> {
    /// What decides besides the objects.
    pub settings: &'a Settings<'s>,
    /// What the world was read from.
    pub snapshot: &'s Snapshot,
    /// The objects that can influence each other, the synced one among them.
    pub component: &'a [ObjectId],
    /// The object before the sync.
    pub before: &'a HeldObject<'s>,
    /// The object after it.
    pub after: &'a HeldObject<'s>,
}

/// For the objects of a component, the readings on which their outcomes rest and that are not certain.
pub type Needs<'a> = Box<dyn Fn(&[ObjectId]) -> Vec<(Need, Absence)> + Sync + 'a>;

/// What one controller is.
pub struct ControllerSpec {
    /// The name that kube-controller-manager's `--controllers` takes.
    pub name: &'static str,
    /// The older name that it still takes.
    pub alias: &'static str,
    /// The kinds whose objects it syncs.
    pub syncs: &'static [Kind],
    /// The objects of these kinds with which a sync may do something; none where these are all of them. Nothing is
    /// predicted of the others for its sake.
    pub takes: Option<fn(&HeldObject<'_>) -> bool>,
    /// Syncs one object; none where there is no such object.
    pub sync: for<'s> fn(&mut SyncContext<'_, 's>, &KubernetesBehavior, ObjectId) -> Option<Branch>,
    /// What of a memory that somebody states is this controller's: caches of its own, operations.
    pub memory: for<'s> fn(&ControllerState<'s>) -> ControllerState<'s>,
    /// Whether a sync that returned an error is tried again after a back-off.
    pub retries_errors: fn(&KubernetesBehavior) -> bool,
    /// Whether it syncs all objects again and again after a period, also where nothing happened to them.
    pub resyncs: bool,
    /// Joins the objects that can influence each other by what this controller does.
    pub links: fn(&Snapshot, &Settings<'_>, &mut Links<'_>),
    /// Whether two versions of an object are alike in all that this controller reads or changes.
    pub same: fn(&HeldObject<'_>, &HeldObject<'_>) -> bool,
    /// Whether this controller does the same, whether it sees the object before or after the step, and the step happens
    /// in any case.
    pub is_hidden: fn(&Step<'_, '_>) -> bool,
    /// Whether a sync of the first object reads the second one by its name, or may find it in a search.
    pub looks_at: fn(&World<'_>, ObjectId, ObjectId) -> bool,
    /// The readings on which the outcomes of components rest; prepared once for all components of a snapshot.
    pub needs: for<'a> fn(&'a Snapshot, &'a Settings<'a>) -> Needs<'a>,
    /// The worlds to which an operation that is under way may lead besides the syncs, where something goes wrong.
    pub late: for<'s> fn(&World<'s>, ObjectId) -> Vec<World<'s>>,
    /// How the next choices of a sync are the one that was made with another object in the place of its own, at most so
    /// many of them.
    pub alike: fn(&World<'_>, &Record<'_, Branch>, &Choices, usize) -> Option<Alike>,
    /// The objects that it may make for an object, as they are stored at first: none of them is there, or what has the
    /// name is being deleted.
    pub makes: fn(&Snapshot, &KubernetesBehavior, ObjectId) -> Vec<Object>,
    /// The states in which objects of the kinds that this controller is responsible for can be said to end; none for
    /// objects of other kinds. The last argument says that the object goes round such states.
    pub ends: fn(&KubernetesBehavior, &World<'_>, ObjectId, bool) -> Option<Vec<Outcome>>,
}

impl ControllerSpec {
    /// The answers of a controller that does nothing of the kind, for those that have none of their own.
    pub const fn named(
        name: &'static str,
        alias: &'static str,
        sync: for<'s> fn(&mut SyncContext<'_, 's>, &KubernetesBehavior, ObjectId) -> Option<Branch>,
    ) -> Self {
        Self {
            name,
            alias,
            syncs: &[],
            takes: None,
            sync,
            memory: |_| ControllerState::in_step(),
            retries_errors: |_| true,
            resyncs: false,
            links: |_, _, _| {},
            same: |a, b| a == b,
            is_hidden: |_| false,
            looks_at: |_, target, other| target == other,
            needs: |_, _| Box::new(|_| Vec::new()),
            late: |_, _| Vec::new(),
            alike: |_, _, _, _| None,
            makes: |_, _, _| Vec::new(),
            ends: |_, _, _, _| None,
        }
    }
}

/// A controller that is modelled. The order is that of names.
#[derive(Clone, Copy)]
pub struct Controller(&'static ControllerSpec);

impl Controller {
    /// The controller with that description.
    pub const fn of(spec: &'static ControllerSpec) -> Self {
        Self(spec)
    }
}

impl Deref for Controller {
    type Target = ControllerSpec;

    fn deref(&self) -> &ControllerSpec {
        self.0
    }
}

impl PartialEq for Controller {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for Controller {}

impl PartialOrd for Controller {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Controller {
    fn cmp(&self, other: &Self) -> Ordering {
        self.name.cmp(other.name)
    }
}

impl Hash for Controller {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.name.hash(state);
    }
}

impl fmt::Debug for Controller {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.name)
    }
}

/// Of a memory that somebody states, what the informers of a kind lack: for controllers that have no caches of their
/// own.
pub(super) fn informers_of<'s>(kind: Kind, stated: &ControllerState<'s>) -> ControllerState<'s> {
    let cached = stated.cached.iter().filter(|(id, _)| id.kind == kind);
    ControllerState { cached: cached.cloned().collect(), operations: Vec::new() }
}

/// Adds a reading, unless it is certain or known; what is known stands, since it is no less doubtful than what is
/// assumed.
pub fn note_gap(found: &mut Vec<(Need, Absence)>, kind: Kind, namespace: &str, absence: Absence) {
    let known = || found.iter().any(|(need, _)| need.kind == kind && need.namespace == namespace);
    if absence != Absence::Certain && !known() {
        found.push((Need { verb: "list", kind, namespace: Str::from(namespace) }, absence));
    }
}
