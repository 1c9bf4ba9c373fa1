//! The leaves: the ends of the functions of the controllers, of the scheduler and of the external provisioner. Each
//! leaf is named after what upstream does there. The output, the tests and `docs/PARITY.md` take ids and names from
//! here.
//! The leaves of each controller, of the scheduler and of the provisioner are defined in its own folder, by the macro
//! `leaves`. [`Branch`] has the leaves of the enums that are listed at the end of this file. The leaves of the
//! provisioner's finalizers and of cloning protection are not among them.

use super::attach_detach::{AttachBranch, AttachStep, DetachBranch};
use super::ephemeral_volume::leaves::{EphemeralPodBranch, EphemeralVolumeStep};
use super::kubelet_volumes::{ExpandBranch, MountBranch, PopulatorBranch, VolumeStep, WaitBranch};
use super::persistent_volume::leaves::{
    BindStep, CandidateVerdict, ClaimBranch, DeleteStep, DispatchBranch, ProvisionStep, ReclaimStep, RecycleStep,
    UnbindStep, VolumeBranch,
};
use super::provisioner::{DeletionBranch, ProvisionBranch};
use super::pv_protection::leaves::VolumeProtectionBranch;
use super::pvc_protection::leaves::ClaimProtectionBranch;
use super::scheduler::leaves::{SchedulerPodBranch, SchedulerVolumeStep};

/// Defines the leaves of some functions of upstream. Each leaf has an id, a name and a sentence. `docs/controllers/`
/// defines the leaf under the same id and name.
macro_rules! leaves {
    ($($(#[$doc:meta])* $enum:ident { $($id:literal $leaf:ident $about:literal,)+ })+) => {
        $(
            $(#[$doc])*
            #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
            pub enum $enum {
                $(#[doc = $about] $leaf,)+
            }

            impl $enum {
                /// Every leaf, in the order of `docs/controllers/`.
                pub const ALL: &'static [Self] = &[$(Self::$leaf,)+];

                /// Returns the name of the leaf, as output prints it.
                pub fn name(self) -> &'static str {
                    match self { $(Self::$leaf => stringify!($leaf),)+ }
                }

                /// Returns the id of the leaf in `docs/controllers/`.
                pub fn id(self) -> &'static str {
                    match self { $(Self::$leaf => $id,)+ }
                }

                /// Returns the sentence of the leaf: what upstream finds there, and what upstream does then.
                pub fn about(self) -> &'static str {
                    match self { $(Self::$leaf => $about,)+ }
                }
            }
        )+
    };
}
pub(super) use leaves;

/// Defines [`Branch`], which has the leaves of all listed enums.
macro_rules! functions {
    ($($enum:ident),+ $(,)?) => {
        /// A leaf of a function of a controller, of the scheduler, of the external provisioner or of the kubelet.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Branch {
            $(
                #[doc = concat!("A leaf of [`", stringify!($enum), "`].")]
                $enum($enum),
            )+
        }

        impl Branch {
            /// Returns every leaf of the listed enums.
            pub fn all() -> impl Iterator<Item = Self> {
                std::iter::empty()$(.chain($enum::ALL.iter().copied().map(Self::$enum)))+
            }

            /// Returns the name of the leaf, as output prints it.
            pub fn name(self) -> &'static str {
                match self { $(Self::$enum(leaf) => leaf.name(),)+ }
            }

            /// Returns the id of the leaf in `docs/controllers/`.
            pub fn id(self) -> &'static str {
                match self { $(Self::$enum(leaf) => leaf.id(),)+ }
            }

            /// Returns the sentence of the leaf: what upstream finds there, and what upstream does then.
            pub fn about(self) -> &'static str {
                match self { $(Self::$enum(leaf) => leaf.about(),)+ }
            }

            /// Returns the name of the enum to which the leaf belongs.
            pub fn function(self) -> &'static str {
                match self { $(Self::$enum(_) => stringify!($enum),)+ }
            }
        }

        $(
            impl From<$enum> for Branch {
                fn from(leaf: $enum) -> Self {
                    Self::$enum(leaf)
                }
            }
        )+
    };
}

functions! {
    DispatchBranch, ClaimBranch, VolumeBranch, CandidateVerdict, BindStep, UnbindStep, ReclaimStep, DeleteStep,
    RecycleStep, ProvisionStep, ClaimProtectionBranch, VolumeProtectionBranch,
    EphemeralPodBranch, EphemeralVolumeStep, SchedulerPodBranch, SchedulerVolumeStep,
    ProvisionBranch, DeletionBranch, AttachBranch, DetachBranch, AttachStep,
    PopulatorBranch, MountBranch, ExpandBranch, WaitBranch, VolumeStep,
}
