//! The conditions for which a step waits before the next step, and whether they are met.

use super::identity::VolumeIdentity;
use super::situation::{claim_key, volume_key};
use super::write::{Reference, describe};
use crate::model::{ClaimPhase, ObjectKey, PersistentVolume, PersistentVolumeClaim, Str, VolumePhase};
use serde::{Deserialize, Serialize};

/// The condition for which a step waits.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "camelCase", rename_all_fields = "camelCase", deny_unknown_fields)]
pub enum Wait {
    /// The claim is gone.
    ClaimGone {
        /// The namespace of the claim.
        namespace: Str,
        /// The name of the claim.
        name: Str,
        /// The uid of the claim.
        uid: Str,
    },
    /// The controller has seen that the claim of the volume is gone: the volume is Released or Failed.
    Released {
        /// The volume.
        volume: VolumeIdentity,
    },
    /// The volume is Available, or already Bound.
    Available {
        /// The volume.
        volume: VolumeIdentity,
    },
    /// The claim and the volume are bound to each other, on both sides.
    Bound {
        /// The claim's namespace.
        namespace: Str,
        /// The claim's name.
        name: Str,
        /// The claim's uid. It is empty for the claim that the step itself creates, because only the journal has the
        /// uid of that claim.
        #[serde(default, skip_serializing_if = "Str::is_empty")]
        uid: Str,
        /// The volume.
        volume: VolumeIdentity,
    },
}

/// The progress of a wait.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Waited {
    /// The condition is met.
    Met,
    /// The condition is not met yet. The text describes the present state.
    NotYet(String),
    /// The condition will never be met. The text says what happened instead.
    Never(String),
    /// The condition will never be met, because the volume is gone, another volume has its name, or it has another
    /// storage. The text says what happened.
    Lost(String),
}

impl Wait {
    /// Returns the objects that the condition is about.
    pub fn objects(&self) -> Vec<ObjectKey> {
        match self {
            Self::ClaimGone { namespace, name, .. } => vec![claim_key(namespace, name)],
            Self::Released { volume } | Self::Available { volume } => vec![volume_key(volume.name())],
            Self::Bound { namespace, name, volume, .. } => vec![claim_key(namespace, name), volume_key(volume.name())],
        }
    }

    /// Returns the volume that the condition is about, if there is one.
    pub fn volume(&self) -> Option<&VolumeIdentity> {
        match self {
            Self::ClaimGone { .. } => None,
            Self::Released { volume } | Self::Available { volume } | Self::Bound { volume, .. } => Some(volume),
        }
    }

    /// Returns the progress, given the claim and the volume that have the names now.
    pub fn judge(&self, claim: Option<&PersistentVolumeClaim>, volume: Option<&PersistentVolume>) -> Waited {
        if let Some(why) = self.volume().zip(volume).and_then(|(wanted, found)| wanted.differs(found)) {
            return Waited::Lost(why);
        }
        match self {
            Self::ClaimGone { uid, .. } => match claim {
                None => Waited::Met,
                Some(claim) if claim.meta.uid != *uid => {
                    Waited::Never(format!("another claim has that name now, with uid {}", claim.meta.uid))
                }
                Some(claim) if claim.meta.deleted.is_none() => Waited::NotYet("it is not being deleted".to_owned()),
                Some(claim) => Waited::NotYet(format!("finalizers keep it: {}", claim.meta.finalizers.join(", "))),
            },
            Self::Released { volume: name } => match volume {
                None => Waited::Lost(format!("volume {name} is gone")),
                Some(volume) => match &volume.status.phase {
                    VolumePhase::Released | VolumePhase::Failed => Waited::Met,
                    phase => Waited::NotYet(format!("volume {name} is {}", phase.as_str())),
                },
            },
            Self::Available { volume: name } => match volume {
                None => Waited::Lost(format!("volume {name} is gone")),
                Some(volume) => match &volume.status.phase {
                    // The claim for which the volume is reserved may have been bound to the volume already.
                    VolumePhase::Available | VolumePhase::Bound => Waited::Met,
                    phase => Waited::NotYet(format!("volume {name} is {}", phase.as_str())),
                },
            },
            Self::Bound { name, uid, volume: wanted, .. } => match (claim, volume) {
                (None, _) => Waited::Never(format!("claim {name} is gone")),
                (_, None) => Waited::Lost(format!("volume {wanted} is gone")),
                (Some(claim), _) if !uid.is_empty() && claim.meta.uid != *uid => {
                    Waited::Never(format!("another claim has the name {name} now, with uid {}", claim.meta.uid))
                }
                (Some(claim), Some(volume)) => {
                    let ours = volume.claim_ref.as_ref().is_some_and(|named| named.uid == claim.meta.uid);
                    let reserved = volume.is_reserved_for(&claim.meta.namespace, &claim.meta.name);
                    if !claim.volume_name.is_empty() && claim.volume_name != *wanted.name() {
                        Waited::Never(format!("claim {name} got volume {} instead", claim.volume_name))
                    } else if !ours && !reserved {
                        let taker = volume.claim_ref.as_ref().map(Reference::from_stored);
                        Waited::Never(format!(
                            "volume {wanted} names {} instead",
                            taker.map_or_else(|| "nobody".to_owned(), |named| describe(&named))
                        ))
                    } else if claim.status.phase == ClaimPhase::Bound
                        && volume.status.phase == VolumePhase::Bound
                        && ours
                    {
                        Waited::Met
                    } else {
                        Waited::NotYet(format!(
                            "claim {name} is {}, volume {wanted} is {}",
                            claim.status.phase.as_str(),
                            volume.status.phase.as_str()
                        ))
                    }
                }
            },
        }
    }
}

impl std::fmt::Display for Wait {
    /// Writes the condition in the form that follows "until" in a sentence.
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::ClaimGone { namespace, name, .. } => write!(out, "claim {namespace}/{name} is gone"),
            Self::Released { volume } => write!(out, "volume {volume} is Released"),
            Self::Available { volume } => write!(out, "volume {volume} is Available"),
            Self::Bound { namespace, name, volume, .. } => {
                write!(out, "claim {namespace}/{name} and volume {volume} are bound to each other")
            }
        }
    }
}
