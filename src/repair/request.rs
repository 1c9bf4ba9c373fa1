//! What somebody asks for, as data.

use super::situation::{claim_key, volume_key};
use crate::model::{Kind, ObjectKey, Str};
use serde::{Deserialize, Serialize};

/// What somebody asks for: a verb with its object and its arguments. A plan is a function of this and of the world.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "verb", rename_all = "camelCase", rename_all_fields = "camelCase", deny_unknown_fields)]
pub enum Request {
    /// Keep the data of a volume whatever happens to its claim.
    Retain {
        /// The volume.
        volume: Str,
    },
    /// Offer a volume again whose claim is gone.
    Release {
        /// The volume.
        volume: Str,
        /// To whom.
        to: Recipient,
    },
    /// Roll back a binding that was never finished.
    Unbind {
        /// The volume.
        volume: Str,
        /// To whom the volume is offered then.
        to: Recipient,
    },
    /// Have the data of a volume deleted by whoever deletes them.
    Reclaim {
        /// The volume.
        volume: Str,
        /// Whether a volume that is kept is handed to deletion.
        delete: bool,
    },
    /// Replace a claim that never bound by a right one.
    Recreate {
        /// The claim's namespace.
        namespace: Str,
        /// The claim's name.
        name: Str,
        /// What is other than it was.
        set: Vec<Setting>,
        /// The person says that no provisioner is at work on it.
        provisioner_stopped: bool,
    },
    /// Make a claim that has exactly the volume that it had.
    Restore {
        /// The claim's namespace.
        namespace: Str,
        /// The claim's name.
        name: Str,
        /// The volume; the only one that names the claim, unless given.
        from: Option<Str>,
        /// The person says that no provisioner is at work on the claim.
        #[serde(default)]
        provisioner_stopped: bool,
    },
    /// Give a claim another volume.
    Rebind {
        /// The claim's namespace.
        namespace: Str,
        /// The claim's name.
        name: Str,
        /// The volume.
        to: Str,
        /// The person says that no provisioner is at work on the claim.
        #[serde(default)]
        provisioner_stopped: bool,
    },
    /// Give the volume of a claim to a claim of another name or namespace.
    Move {
        /// The claim's namespace.
        namespace: Str,
        /// The claim's name.
        name: Str,
        /// The namespace of the new claim.
        to_namespace: Str,
        /// The name of the new claim.
        to_name: Str,
        /// Whether the volume gets its reclaim policy back in the end.
        restore_policy: bool,
    },
    /// Take one finalizer from a volume or claim.
    Unfinalize {
        /// The object.
        object: ObjectKey,
        /// The finalizer.
        finalizer: Str,
        /// The person says that the owner of a protected finalizer is gone.
        protected: bool,
    },
    /// Take back the scheduler's choice of a node that cannot be.
    Unselect {
        /// The claim's namespace.
        namespace: Str,
        /// The claim's name.
        name: Str,
    },
    /// Take back a repair, newest step first.
    Undo {
        /// The id of its journal.
        journal: String,
        /// The person says that no provisioner is at work on a claim that the repair created.
        #[serde(default)]
        provisioner_stopped: bool,
    },
}

impl Request {
    /// The verb as it is typed.
    pub fn verb(&self) -> &'static str {
        match self {
            Self::Retain { .. } => "retain",
            Self::Release { .. } => "release",
            Self::Unbind { .. } => "unbind",
            Self::Reclaim { .. } => "reclaim",
            Self::Recreate { .. } => "recreate",
            Self::Restore { .. } => "restore",
            Self::Rebind { .. } => "rebind",
            Self::Move { namespace, to_namespace, .. } if namespace == to_namespace => "rename",
            Self::Move { .. } => "move",
            Self::Unfinalize { .. } => "unfinalize",
            Self::Unselect { .. } => "unselect",
            Self::Undo { .. } => "undo",
        }
    }

    /// The namespaces whose pods may use what it is about, as far as it names them.
    pub fn namespaces(&self) -> Vec<Str> {
        match self {
            Self::Retain { .. } | Self::Reclaim { .. } | Self::Undo { .. } => Vec::new(),
            Self::Release { to, .. } | Self::Unbind { to, .. } => match to {
                Recipient::Claim { namespace, .. } => vec![namespace.clone()],
                Recipient::LastClaim | Recipient::Anyone => Vec::new(),
            },
            Self::Recreate { namespace, .. }
            | Self::Restore { namespace, .. }
            | Self::Rebind { namespace, .. }
            | Self::Unselect { namespace, .. } => vec![namespace.clone()],
            Self::Move { namespace, to_namespace, .. } => vec![namespace.clone(), to_namespace.clone()],
            Self::Unfinalize { object, .. } => {
                if object.kind.namespaced() {
                    vec![object.namespace.clone()]
                } else {
                    Vec::new()
                }
            }
        }
    }

    /// The volume of which is asked who uses it.
    pub fn volume(&self) -> Option<&Str> {
        match self {
            Self::Retain { volume }
            | Self::Release { volume, .. }
            | Self::Unbind { volume, .. }
            | Self::Reclaim { volume, .. }
            | Self::Rebind { to: volume, .. }
            | Self::Restore { from: Some(volume), .. } => Some(volume),
            Self::Unfinalize { object, .. } if object.kind == Kind::PersistentVolume => Some(&object.name),
            Self::Unfinalize { .. }
            | Self::Restore { from: None, .. }
            | Self::Recreate { .. }
            | Self::Move { .. }
            | Self::Unselect { .. }
            | Self::Undo { .. } => None,
        }
    }

    /// The objects that have to be there for it to make sense. What may be gone is left out.
    pub fn wants(&self) -> Vec<ObjectKey> {
        match self {
            Self::Retain { volume }
            | Self::Release { volume, .. }
            | Self::Unbind { volume, .. }
            | Self::Reclaim { volume, .. }
            | Self::Restore { from: Some(volume), .. } => vec![volume_key(volume)],
            Self::Rebind { namespace, name, to, .. } => vec![claim_key(namespace, name), volume_key(to)],
            Self::Recreate { namespace, name, .. }
            | Self::Move { namespace, name, .. }
            | Self::Unselect { namespace, name } => vec![claim_key(namespace, name)],
            Self::Unfinalize { object, .. } => vec![object.clone()],
            Self::Restore { from: None, .. } | Self::Undo { .. } => Vec::new(),
        }
    }
}

/// To whom a volume is offered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "to", rename_all = "camelCase", rename_all_fields = "camelCase", deny_unknown_fields)]
pub enum Recipient {
    /// To a claim of the name that it had.
    LastClaim,
    /// To a claim of that name.
    Claim {
        /// Its namespace.
        namespace: Str,
        /// Its name.
        name: Str,
    },
    /// To whoever comes first, with all that is on it.
    Anyone,
}

/// Something of a claim that `recreate` sets.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "field", content = "to", rename_all = "camelCase", deny_unknown_fields)]
pub enum Setting {
    /// `metadata.name`.
    Name(Str),
    /// `spec.storageClassName`; empty for no class at all.
    Class(Str),
    /// `spec.resources.requests.storage`.
    Size(Str),
    /// `spec.accessModes`.
    Modes(Vec<Str>),
    /// `spec.volumeMode`.
    VolumeMode(Str),
    /// `spec.volumeName`; empty for none.
    VolumeName(Str),
    /// `spec.selector` goes.
    NoSelector,
}
