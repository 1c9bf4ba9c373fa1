//! The model of each Kubernetes component: pure functions of a world, in one folder for each component.
//!
//! The functions have upstream's names, so that a reader can compare them with upstream's code. In a simulation, a sync
//! reads, writes and reports only by the methods of [`SyncContext`]. The syncs of the scheduler and of the provisioner
//! also call functions that read a [`View`](crate::world::View) and return their results or actions as data. No code
//! here depends on permissions, files or terminals.

pub mod attach_detach;
pub mod attacher;
pub mod behavior;
pub mod branch;
mod csi_sidecar;
pub mod ephemeral_volume;
mod finalizers;
pub mod kubelet_volumes;
pub mod links;
pub mod log;
pub mod outcome;
pub mod pending_operations;
pub mod persistent_volume;
mod pods;
pub mod provisioner;
pub mod pv_protection;
pub mod pvc_protection;
pub mod resizer;
pub mod resizing;
pub mod scheduler;
pub mod settings;
pub mod shared_volume;
pub mod spec;

pub use behavior::{BehaviorError, KubeVersion, KubernetesBehavior, SchedulerBehavior};
pub use branch::Branch;
pub use ephemeral_volume::leaves::{EphemeralPodBranch, EphemeralVolumeStep};
pub use links::{Links, Participants};
pub use outcome::{DecidedBy, Outcome, OutcomeSet, PodPlace};
pub use persistent_volume::leaves::{
    BindStep, CandidateVerdict, ClaimBranch, DeleteStep, DispatchBranch, ProvisionStep, ReclaimStep, RecycleStep,
    UnbindStep, VolumeBranch,
};
pub use pv_protection::leaves::VolumeProtectionBranch;
pub use pvc_protection::leaves::ClaimProtectionBranch;
pub use scheduler::leaves::{SchedulerPodBranch, SchedulerVolumeStep};
pub use settings::{Budget, LISTED, Limit, Settings};
pub use spec::{Controller, ControllerSpec, InterchangeableChoices};

use crate::model::{Object, ObjectId};
use crate::snapshot::Snapshot;
use crate::world::World;

/// The context of a sync whose steps are leaves of the controllers.
pub type SyncContext<'a, 's> = crate::world::SyncContext<'a, 's, Branch>;

/// The modelled controllers, in the order of their names.
pub const CONTROLLERS: [Controller; 4] = [
    ephemeral_volume::CONTROLLER,
    persistent_volume::CONTROLLER,
    pv_protection::CONTROLLER,
    pvc_protection::CONTROLLER,
];

/// What the modelled components log, in the order of their names.
pub const LOGS: [&log::Log; 6] = [
    &ephemeral_volume::LOG,
    &kubelet_volumes::LOG,
    &attach_detach::LOG,
    &persistent_volume::LOG,
    &pv_protection::LOG,
    &pvc_protection::LOG,
];

/// The components outside of kube-controller-manager that can take part in a simulation.
pub const ACTORS: [Controller; 3] =
    [provisioner::actor::CONTROLLER, persistent_volume::recycler::CONTROLLER, scheduler::actor::CONTROLLER];

/// Returns the actors that take part, besides the controllers.
pub fn acting(controllers: &[Controller]) -> impl Iterator<Item = Controller> {
    controllers.iter().copied().filter(|controller| ACTORS.contains(controller))
}

/// Returns the objects that controllers may create for an object, in the form in which the API server first stores
/// them.
pub fn made(snapshot: &Snapshot, settings: &Settings<'_>, id: ObjectId) -> Vec<Object> {
    settings.controllers.iter().flat_map(|controller| (controller.makes)(snapshot, &settings.behavior, id)).collect()
}

/// Returns the end states that an object has if the simulation ends in this world. There are several end states if no
/// object shows which of them is reached. There is none if the kind has no end states. `unsettled` says whether the
/// world is in a cycle of states that never ends.
pub fn ends(settings: &Settings<'_>, world: &World<'_>, id: ObjectId, unsettled: bool) -> Vec<Outcome> {
    let of_controller = |controller: Controller| (controller.ends)(&settings.behavior, world, id, unsettled);
    CONTROLLERS.into_iter().chain(acting(&settings.controllers)).find_map(of_controller).unwrap_or_default()
}

/// Returns whether an object has end states. They come from a controller, or from an actor that takes part.
pub fn has_ends(settings: &Settings<'_>, world: &World<'_>, id: ObjectId) -> bool {
    CONTROLLERS.into_iter().chain(acting(&settings.controllers)).any(|controller| (controller.has_ends)(world, id))
}
