//! What each Kubernetes component would do: pure functions of a world, a folder for each component.
//!
//! Names inside are upstream's, so that the two can be read side by side. What a sync reads, writes and says goes
//! through [`SyncContext`]; nothing here knows of permissions, files or terminals.

pub mod behavior;
pub mod branch;
pub mod ephemeral_volume;
mod finalizers;
pub mod links;
pub mod outcome;
pub mod persistent_volume;
mod pods;
pub mod pv_protection;
pub mod pvc_protection;
pub mod settings;
pub mod spec;

pub use behavior::{BehaviorError, KubeVersion, KubernetesBehavior};
pub use branch::Branch;
pub use ephemeral_volume::leaves::{EphemeralPodBranch, EphemeralVolumeStep};
pub use links::{Links, Participants};
pub use outcome::{DecidedBy, Outcome, OutcomeSet};
pub use persistent_volume::leaves::{
    BindStep, CandidateVerdict, ClaimBranch, DeleteStep, DispatchBranch, ProvisionStep, ReclaimStep, RecycleStep,
    UnbindStep, VolumeBranch,
};
pub use pv_protection::leaves::VolumeProtectionBranch;
pub use pvc_protection::leaves::ClaimProtectionBranch;
pub use settings::{Budget, LISTED, Limit, Settings};
pub use spec::{Alike, Controller, ControllerSpec};

use crate::model::{Object, ObjectId};
use crate::snapshot::Snapshot;
use crate::world::World;

/// A sync whose steps are leaves of the controllers.
pub type SyncContext<'a, 's> = crate::world::SyncContext<'a, 's, Branch>;

/// The controllers that are modelled, in the order of their names.
pub const CONTROLLERS: [Controller; 4] = [
    ephemeral_volume::CONTROLLER,
    persistent_volume::CONTROLLER,
    pv_protection::CONTROLLER,
    pvc_protection::CONTROLLER,
];

/// The objects that controllers may make for an object, as they are stored at first.
pub fn made(snapshot: &Snapshot, settings: &Settings<'_>, id: ObjectId) -> Vec<Object> {
    settings.controllers.iter().flat_map(|controller| (controller.makes)(snapshot, &settings.behavior, id)).collect()
}

/// The states in which an object ends, if it stays as it is in that world: several where no object tells which it is.
/// None for objects of kinds that have no ends. `unsettled` says that the world goes round several states.
pub fn ends(behavior: &KubernetesBehavior, world: &World<'_>, id: ObjectId, unsettled: bool) -> Vec<Outcome> {
    let of_controller = |controller: &Controller| (controller.ends)(behavior, world, id, unsettled);
    CONTROLLERS.iter().find_map(of_controller).unwrap_or_default()
}
