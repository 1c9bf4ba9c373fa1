//! The description of a controller: a table of functions that the simulation calls. kube-controller-manager has similar
//! controller descriptors. A new controller needs a folder with such a table, and an entry in [`super::CONTROLLERS`].

use super::{Branch, DecidedBy, KubernetesBehavior, Limit, Links, Outcome, OutcomeSet, Settings, SyncContext};
use crate::model::{HeldObject, Kind, Object, ObjectId, Str};
use crate::snapshot::{Absence, Snapshot};
use crate::world::{Choices, ControllerState, Need, Record, World};
use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::Deref;

/// Decisions that need no computation of their own. Each of them equals a computed decision in which one object is
/// replaced by another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InterchangeableChoices {
    /// The object that the computed decision picked.
    pub chosen: ObjectId,
    /// The objects that the controller can pick instead, and with which it does exactly the same. In the list of
    /// decisions, the decisions with these objects directly follow the computed one, in this order.
    pub others: Vec<ObjectId>,
}

/// The change of one object from one version to another, in a simulation.
#[derive(Clone, Copy, Debug)]
pub struct Step<'a, 's> {
    /// The settings of the simulation.
    pub settings: &'a Settings<'s>,
    /// The snapshot from which the simulation started.
    pub snapshot: &'s Snapshot,
    /// The component: the objects that can influence each other. The synced object is one of them.
    pub component: &'a [ObjectId],
    /// The object before the sync.
    pub before: &'a HeldObject<'s>,
    /// The object after the sync.
    pub after: &'a HeldObject<'s>,
}

/// A function that takes the objects of a component. It returns the uncertain reads on which the outcomes of these
/// objects rest.
pub type Needs<'a> = Box<dyn Fn(&[ObjectId]) -> Vec<(Need, Absence)> + Send + Sync + 'a>;

/// The description of one controller.
pub struct ControllerSpec {
    /// The name. For a controller, it is the name in the flag `--controllers` of kube-controller-manager. For an actor,
    /// it is the name in the flag `--actors` of this program.
    pub name: &'static str,
    /// The older name of a controller, which the flag `--controllers` still accepts. For an actor, no flag accepts it.
    pub alias: &'static str,
    /// The kinds whose objects the controller syncs.
    pub syncs: &'static [Kind],
    /// A filter that accepts the objects of these kinds for which a sync can do something. Without a filter, every
    /// object is accepted. This controller syncs no object that the filter does not accept.
    pub takes: Option<fn(&HeldObject<'_>) -> bool>,
    /// Syncs one object. Returns nothing if the object does not exist, or if the sync has nothing to do.
    pub sync: for<'s> fn(&mut SyncContext<'_, 's>, &KubernetesBehavior, ObjectId) -> Option<Branch>,
    /// Selects the part of the given controller state that belongs to this controller: its caches and operations.
    pub memory: for<'s> fn(&ControllerState<'s>) -> ControllerState<'s>,
    /// Whether a sync that returned an error is retried after a back-off.
    pub retries_errors: fn(&KubernetesBehavior) -> bool,
    /// Whether the controller syncs all objects again after each resync period, even if nothing happened to them.
    pub resyncs: bool,
    /// Joins the objects that can influence each other through this controller.
    pub links: fn(&Snapshot, &Settings<'_>, &mut Links<'_>),
    /// Whether two versions of an object are equal in all fields that this controller reads or changes.
    pub same: fn(&HeldObject<'_>, &HeldObject<'_>) -> bool,
    /// Whether this controller acts the same with the object before and after the step, and no other sync can prevent
    /// or replace the step.
    pub is_hidden: fn(&Step<'_, '_>) -> bool,
    /// Whether a sync of the first object reads the second object by its name, or may find it in a search.
    pub looks_at: fn(&World<'_>, ObjectId, ObjectId) -> bool,
    /// Prepares the function that returns the uncertain reads of a component. It is called once for all components of a
    /// snapshot.
    pub needs: for<'a> fn(&'a Snapshot, &Settings<'a>) -> Needs<'a>,
    /// Returns the worlds to which an operation that still runs may lead. The simulation adds these worlds if requests
    /// may fail or caches may lag.
    pub late: for<'s> fn(&World<'s>, ObjectId) -> Vec<World<'s>>,
    /// What decides between outcomes if a sync of this controller has a choice. It is absent for controllers whose
    /// choices an engine explains.
    pub decides: Option<DecidedBy>,
    /// Returns whether a sync of the object may have a choice later, although it has none now.
    pub may_choose: fn(&Snapshot, ObjectId) -> bool,
    /// Returns the world in which the controller has stopped waiting for something that concerns the object. A
    /// controller stops waiting only after a long time, so the simulation uses this world only if no sync of any object
    /// changes anything any more.
    pub gives_up: for<'s> fn(&World<'s>, ObjectId) -> Option<World<'s>>,
    /// Returns all end states of an object, if the given end states only represent them. For example, a simulation may
    /// use one node for a whole group of nodes. The last argument limits the number of listed end states.
    pub widen: fn(&Snapshot, &KubernetesBehavior, ObjectId, &[Outcome], Limit) -> Option<OutcomeSet>,
    /// Returns the number of objects that each sync reads. It is 0 if this number does not grow with the snapshot.
    pub effort: fn(&Snapshot, &KubernetesBehavior) -> usize,
    /// Returns the next choices of a sync, if their decisions equal the recorded decision, except that one object is
    /// replaced by another. The last argument limits the number of these choices.
    pub alike: fn(&World<'_>, &Record<'_, Branch>, &Choices, usize) -> Option<InterchangeableChoices>,
    /// Returns the objects that the controller may create for an object, in the form in which the API server first
    /// stores them. No object of the same name exists yet, or the existing one is being deleted.
    pub makes: fn(&Snapshot, &KubernetesBehavior, ObjectId) -> Vec<Object>,
    /// Returns whether `ends` returns end states of the object. It is quicker than `ends`.
    pub has_ends: fn(&World<'_>, ObjectId) -> bool,
    /// Returns the end states of an object, if this controller is responsible for its kind. The last argument says
    /// whether the object is in a cycle of states that never ends.
    pub ends: fn(&KubernetesBehavior, &World<'_>, ObjectId, bool) -> Option<Vec<Outcome>>,
}

impl ControllerSpec {
    /// Returns a description whose functions do nothing. A controller replaces the functions that it needs.
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
            decides: None,
            may_choose: |_, _| false,
            gives_up: |_, _| None,
            widen: |_, _, _, _, _| None,
            effort: |_, _| 0,
            alike: |_, _, _, _| None,
            makes: |_, _, _| Vec::new(),
            has_ends: |_, _| false,
            ends: |_, _, _, _| None,
        }
    }
}

/// A modelled controller. Controllers are ordered by name.
#[derive(Clone, Copy)]
pub struct Controller(&'static ControllerSpec);

impl Controller {
    /// Makes a controller from its description.
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

/// Selects the cached versions of one kind from the given controller state. Controllers whose only caches are informers
/// use this function.
pub(super) fn informers_of<'s>(kind: Kind, stated: &ControllerState<'s>) -> ControllerState<'s> {
    let cached = stated.cached.iter().filter(|(id, _)| id.kind == kind);
    ControllerState { cached: cached.cloned().collect(), operations: Vec::new() }
}

/// Adds a read, unless its result is certain. If a read of the same kind and namespace is listed already, it stays, but
/// an unknown result replaces an assumed one. Only reads with an uncertain result are listed.
pub fn note_gap(found: &mut Vec<(Need, Absence)>, kind: Kind, namespace: &str, absence: Absence) {
    if absence == Absence::Certain {
        return;
    }
    match found.iter_mut().find(|(need, _)| need.kind == kind && need.namespace == namespace) {
        Some((_, known)) if *known == Absence::Assumed => *known = absence,
        Some(_) => {}
        None => found.push((Need { verb: "list", kind, namespace: Str::from(namespace) }, absence)),
    }
}
