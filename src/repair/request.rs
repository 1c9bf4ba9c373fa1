//! The request for a repair, as data.

use super::service::ClusterAddress;
use super::situation::{attachment_key, claim_key, volume_key};
use crate::model::{Kind, ObjectKey, Str};
use serde::{Deserialize, Serialize};

/// A request: a verb with its object and arguments. A plan is a function of the request and of the objects in the
/// cluster.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "verb", rename_all = "camelCase", rename_all_fields = "camelCase", deny_unknown_fields)]
pub enum Request {
    /// Keep the data of a volume, even if its claim is deleted.
    Retain {
        /// The volume.
        volume: Str,
    },
    /// Offer a volume again, after its claim is gone.
    Release {
        /// The volume.
        volume: Str,
        /// The recipient.
        to: Recipient,
    },
    /// Undo a binding that was never completed.
    Unbind {
        /// The volume.
        volume: Str,
        /// The recipient of the volume after the binding is undone.
        to: Recipient,
    },
    /// Leave the reclaiming of a volume to the component that does it, or have its data deleted.
    Reclaim {
        /// The volume.
        volume: Str,
        /// Whether policy Delete is set on a volume with policy Retain, so that its data are deleted.
        delete: bool,
    },
    /// Replace a claim that was never bound with a corrected one.
    Recreate {
        /// The claim's namespace.
        namespace: Str,
        /// The claim's name.
        name: Str,
        /// The settings that change.
        set: Vec<Setting>,
        /// Whether the person states that no provisioner is creating a volume for the claim.
        provisioner_stopped: bool,
    },
    /// Give a claim exactly the volume that it had.
    Restore {
        /// The claim's namespace.
        namespace: Str,
        /// The claim's name.
        name: Str,
        /// The volume. By default, it is the only volume that names the claim.
        from: Option<Str>,
        /// Whether the person states that no provisioner is creating a volume for the claim.
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
        /// Whether the person states that no provisioner is creating a volume for the claim.
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
        /// Whether the volume gets its former reclaim policy back at the end.
        restore_policy: bool,
    },
    /// Remove one finalizer from a volume or claim.
    Unfinalize {
        /// The object.
        object: ObjectKey,
        /// The finalizer.
        finalizer: Str,
        /// Whether the person agrees to remove a finalizer that protects data in use.
        protected: bool,
    },
    /// Give a claim back to the scheduler: remove the choice of a node that does not exist. Journals of earlier builds
    /// have the former name of this verb.
    #[serde(alias = "unselect")]
    Reschedule {
        /// The claim's namespace.
        namespace: Str,
        /// The claim's name.
        name: Str,
    },
    /// Have a volume detached from a node whose machine is off: delete the VolumeAttachment.
    Detach {
        /// The VolumeAttachment.
        attachment: Str,
        /// The node whose machine the person states to be off. Without it, the person has to type the name of the node.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        machine_off: Option<Str>,
    },
    /// Give the clients of a shared volume their server back: create the Service that has the address which they use.
    Reconnect {
        /// The volume.
        volume: Str,
        /// The address that the clients use, if the person states it. Otherwise the volume must record it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        address: Option<ClusterAddress>,
        /// The Service that the server has now, if the person states it: namespace and name.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        server: Option<(Str, Str)>,
    },
    /// Undo a repair, newest step first.
    Undo {
        /// The id of the journal of the repair.
        journal: String,
        /// Whether the person states that no provisioner is creating a volume for a claim that the repair created.
        #[serde(default)]
        provisioner_stopped: bool,
    },
}

impl Request {
    /// Returns the verb as a person types it.
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
            Self::Reschedule { .. } => "reschedule",
            Self::Detach { .. } => "detach",
            Self::Reconnect { .. } => "reconnect",
            Self::Undo { .. } => "undo",
        }
    }

    /// Returns the namespaces whose pods may use the objects of the request. Only namespaces that the request names are
    /// known.
    pub fn namespaces(&self) -> Vec<Str> {
        match self {
            // The namespace of the claim is in the volume that the attachment names.
            Self::Retain { .. }
            | Self::Reclaim { .. }
            | Self::Detach { .. }
            | Self::Reconnect { .. }
            | Self::Undo { .. } => Vec::new(),
            Self::Release { to, .. } | Self::Unbind { to, .. } => match to {
                Recipient::Claim { namespace, .. } => vec![namespace.clone()],
                Recipient::LastClaim | Recipient::Anyone => Vec::new(),
            },
            Self::Recreate { namespace, .. }
            | Self::Restore { namespace, .. }
            | Self::Rebind { namespace, .. }
            | Self::Reschedule { namespace, .. } => vec![namespace.clone()],
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

    /// Returns the volume or the attachment whose users must be read, if the request names one.
    pub fn used(&self) -> Option<(Kind, &Str)> {
        let volume = match self {
            Self::Retain { volume }
            | Self::Release { volume, .. }
            | Self::Unbind { volume, .. }
            | Self::Reclaim { volume, .. }
            | Self::Rebind { to: volume, .. }
            | Self::Reconnect { volume, .. }
            | Self::Restore { from: Some(volume), .. } => volume,
            Self::Unfinalize { object, .. } if object.kind == Kind::PersistentVolume => &object.name,
            Self::Detach { attachment, .. } => return Some((Kind::VolumeAttachment, attachment)),
            Self::Unfinalize { .. }
            | Self::Restore { from: None, .. }
            | Self::Recreate { .. }
            | Self::Move { .. }
            | Self::Reschedule { .. }
            | Self::Undo { .. } => return None,
        };
        Some((Kind::PersistentVolume, volume))
    }

    /// Returns the objects without which the request makes no sense. Objects that may be gone are left out.
    pub fn wants(&self) -> Vec<ObjectKey> {
        match self {
            Self::Retain { volume }
            | Self::Release { volume, .. }
            | Self::Unbind { volume, .. }
            | Self::Reclaim { volume, .. }
            | Self::Reconnect { volume, .. }
            | Self::Restore { from: Some(volume), .. } => vec![volume_key(volume)],
            Self::Rebind { namespace, name, to, .. } => vec![claim_key(namespace, name), volume_key(to)],
            Self::Recreate { namespace, name, .. }
            | Self::Move { namespace, name, .. }
            | Self::Reschedule { namespace, name } => vec![claim_key(namespace, name)],
            Self::Unfinalize { object, .. } => vec![object.clone()],
            Self::Detach { attachment, .. } => vec![attachment_key(attachment)],
            Self::Restore { from: None, .. } | Self::Undo { .. } => Vec::new(),
        }
    }
}

/// The recipient of an offered volume.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "to", rename_all = "camelCase", rename_all_fields = "camelCase", deny_unknown_fields)]
pub enum Recipient {
    /// Any claim with the name of the last claim.
    LastClaim,
    /// Any claim with this name.
    Claim {
        /// The namespace of the claim.
        namespace: Str,
        /// The name of the claim.
        name: Str,
    },
    /// The first claim that matches. It gets all data on the volume.
    Anyone,
}

/// A field of a claim that `recreate` sets.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "field", content = "to", rename_all = "camelCase", deny_unknown_fields)]
pub enum Setting {
    /// The field `metadata.name`.
    Name(Str),
    /// The field `spec.storageClassName`. It is empty for no class.
    Class(Str),
    /// The field `spec.resources.requests.storage`.
    Size(Str),
    /// The field `spec.accessModes`.
    Modes(Vec<Str>),
    /// The field `spec.volumeMode`.
    VolumeMode(Str),
    /// The field `spec.volumeName`. It is empty for no volume.
    VolumeName(Str),
    /// The field `spec.selector` is removed.
    NoSelector,
}
