//! Every place where the controllers' functions end, under the names of upstream's behaviour. The product prints them,
//! the tests reach them, and the parity table lists them: one definition, three uses. Each controller has its own ones
//! in its folder; here is the list of all.

use super::ephemeral_volume::leaves::{EphemeralPodBranch, EphemeralVolumeStep};
use super::persistent_volume::leaves::{
    BindStep, CandidateVerdict, ClaimBranch, DeleteStep, DispatchBranch, ProvisionStep, ReclaimStep, RecycleStep,
    UnbindStep, VolumeBranch,
};
use super::pv_protection::leaves::VolumeProtectionBranch;
use super::pvc_protection::leaves::ClaimProtectionBranch;

/// Defines the leaves of some functions of one controller: for each the id by which `docs/controllers/` defines
/// it, a name and a sentence.
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

                /// The name, as output prints it.
                pub fn name(self) -> &'static str {
                    match self { $(Self::$leaf => stringify!($leaf),)+ }
                }

                /// The id by which `docs/controllers/` defines it.
                pub fn id(self) -> &'static str {
                    match self { $(Self::$leaf => $id,)+ }
                }

                /// What is observed and what the controller does then, in one sentence.
                pub fn about(self) -> &'static str {
                    match self { $(Self::$leaf => $about,)+ }
                }
            }
        )+
    };
}
pub(super) use leaves;

macro_rules! functions {
    ($($enum:ident),+ $(,)?) => {
        /// Any leaf of any function.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Branch {
            $(
                #[doc = concat!("A leaf of [`", stringify!($enum), "`].")]
                $enum($enum),
            )+
        }

        impl Branch {
            /// Every leaf of every function, in the order of `docs/controllers/`.
            pub fn all() -> impl Iterator<Item = Self> {
                std::iter::empty()$(.chain($enum::ALL.iter().copied().map(Self::$enum)))+
            }

            /// The name, as output prints it.
            pub fn name(self) -> &'static str {
                match self { $(Self::$enum(leaf) => leaf.name(),)+ }
            }

            /// The id by which `docs/controllers/` defines it.
            pub fn id(self) -> &'static str {
                match self { $(Self::$enum(leaf) => leaf.id(),)+ }
            }

            /// What is observed and what the controller does then, in one sentence.
            pub fn about(self) -> &'static str {
                match self { $(Self::$enum(leaf) => leaf.about(),)+ }
            }

            /// The function whose leaf it is.
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
    EphemeralPodBranch, EphemeralVolumeStep,
}
