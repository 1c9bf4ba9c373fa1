//! What each Kubernetes component would do: pure functions of a world, one file for each of upstream's.
//!
//! Names inside are upstream's, so that the two can be read side by side. What a sync reads, writes and says goes
//! through [`Sync`]; nothing here knows of permissions, files or terminals.

pub mod branch;
pub mod links;
pub mod persistent_volume;
mod pods;
pub mod protection;
pub mod rules;
pub mod settings;

pub use branch::{
    BindStep, Branch, CandidateVerdict, ClaimBranch, DeleteStep, DispatchBranch, ProtectionBranch, ProvisionStep,
    ReclaimStep, RecycleStep, UnbindStep, VolumeBranch,
};
pub use links::Links;
pub use rules::{KubeVersion, Rules, RulesError};
pub use settings::{Budget, LISTED, Limit, Settings};

/// A sync whose steps are leaves of the controllers.
pub type Sync<'a, 's> = crate::world::Sync<'a, 's, Branch>;

/// The controllers that are modelled, in the order of kube-controller-manager's names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Controller {
    /// Binds claims and volumes, and reclaims.
    PersistentVolumeBinder,
    /// Keeps bound volumes from vanishing.
    PersistentVolumeProtection,
    /// Keeps used claims from vanishing.
    PersistentVolumeClaimProtection,
}

impl Controller {
    /// Every controller.
    pub const ALL: [Self; 3] =
        [Self::PersistentVolumeBinder, Self::PersistentVolumeProtection, Self::PersistentVolumeClaimProtection];

    /// The name that kube-controller-manager's `--controllers` takes.
    pub fn name(self) -> &'static str {
        match self {
            Self::PersistentVolumeBinder => "persistentvolume-binder-controller",
            Self::PersistentVolumeProtection => "persistentvolume-protection-controller",
            Self::PersistentVolumeClaimProtection => "persistentvolumeclaim-protection-controller",
        }
    }

    /// The older name that it still takes.
    pub fn alias(self) -> &'static str {
        match self {
            Self::PersistentVolumeBinder => "persistentvolume-binder",
            Self::PersistentVolumeProtection => "pv-protection",
            Self::PersistentVolumeClaimProtection => "pvc-protection",
        }
    }
}
