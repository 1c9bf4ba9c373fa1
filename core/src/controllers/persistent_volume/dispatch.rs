//! This module takes a key from the work queue. It syncs the object of the key, or handles the deletion of the object.
//!
//! If the object of the key is gone, the version in the controller's cache decides which other object is enqueued.

use super::log::claim_name;
use super::{messages, sync_claim, sync_volume};
use crate::controllers::{Branch, DispatchBranch, KubernetesBehavior, SyncContext};
use crate::model::{Held, Kind, PersistentVolume, PersistentVolumeClaim, ResourceVersion, Str};
use crate::snapshot::{ClaimId, VolumeId};
use crate::world::{ApiError, ObjectRef};
use std::num::{IntErrorKind, ParseIntError};

/// What the informer and the controller's cache have for a key.
#[derive(Clone, Debug)]
pub enum Seen<'s, T> {
    /// The informer has the object. The cache may have a version of it.
    Present {
        /// The version in the controller's cache, if there is one.
        cached: Option<ResourceVersion>,
        /// The version in the informer.
        informer: ResourceVersion,
    },
    /// The informer does not have the object. The cache may still have it.
    Gone(Option<Held<'s, T>>),
}

/// Returns whether a key has more than one slash. Such a key cannot be split. Upstream: `SplitMetaNamespaceKey`.
fn unparsable(key: &str) -> bool {
    key.matches('/').count() > 1
}

/// Returns whether the controller stores the informer's version of an object in its cache. Returns an error if one of
/// the two versions is not a number. Upstream: `storeObjectUpdate`, 1.36.
fn is_not_older(
    kind: &str,
    key: &str,
    cached: Option<&ResourceVersion>,
    informer: &ResourceVersion,
) -> Result<bool, String> {
    let Some(cached) = cached else { return Ok(true) };
    let number = |which: &str, version: &ResourceVersion| match version {
        ResourceVersion::Recorded(text) => text.parse::<i64>().map_err(|error| {
            format!("error parsing {which} {text:?} of {kind} {key:?}: {}", go_parse_error(text, &error))
        }),
        ResourceVersion::Next(_) => Ok(i64::MAX),
    };
    let new = number("ResourceVersion", informer)?;
    Ok(number("old ResourceVersion", cached)? <= new)
}

/// Returns the error text of Go's `strconv.ParseInt`.
fn go_parse_error(text: &str, error: &ParseIntError) -> String {
    let why = match error.kind() {
        IntErrorKind::PosOverflow | IntErrorKind::NegOverflow => "value out of range",
        _ => "invalid syntax",
    };
    format!("strconv.ParseInt: parsing {text:?}: {why}")
}

/// Syncs the volume of a key. If the informer does not have it, enqueues the claim that the deleted volume named.
/// Upstream: `syncVolumeByKey`, `updateVolume`, `deleteVolume`, 1.36.
pub fn sync_volume_by_key(
    sync: &mut SyncContext<'_, '_>,
    behavior: &KubernetesBehavior,
    key: &str,
    lister: Result<Seen<'_, PersistentVolume>, ApiError>,
    id: Option<VolumeId>,
) -> Branch {
    if unparsable(key) {
        return DispatchBranch::KeyUnparsable.into();
    }
    match lister {
        Err(error) => {
            sync.fail(error.to_string());
            DispatchBranch::ListerFailed.into()
        }
        Ok(Seen::Present { cached, informer }) => match is_not_older("volume", key, cached.as_ref(), &informer) {
            Err(error) => {
                sync.fail(error);
                DispatchBranch::VersionUnparsable.into()
            }
            Ok(false) => DispatchBranch::StaleVersionIgnored.into(),
            Ok(true) => {
                sync.step(DispatchBranch::ObjectSynced.into());
                id.and_then(|id| sync_volume(sync, behavior, id))
                    .map_or(DispatchBranch::DeletionAlreadyProcessed.into(), Branch::from)
            }
        },
        Ok(Seen::Gone(None)) => DispatchBranch::DeletionAlreadyProcessed.into(),
        Ok(Seen::Gone(Some(volume))) => volume_deleted(sync, &volume),
    }
}

/// Handles the deletion of a volume: its claim is enqueued. `volume` is the version in the controller's cache.
/// Upstream: `deleteVolume`, 1.36.
pub fn volume_deleted(sync: &mut SyncContext<'_, '_>, volume: &PersistentVolume) -> Branch {
    sync.logs_volume(&messages::VOLUME_DELETED, volume);
    let Some(named) = &volume.claim_ref else { return DispatchBranch::VolumeDeletedUnclaimed.into() };
    sync.logs_claimed(&messages::CLAIM_SCHEDULED, volume);
    sync.enqueue(ObjectRef {
        kind: Kind::PersistentVolumeClaim,
        namespace: named.namespace.clone(),
        name: named.name.clone(),
    });
    DispatchBranch::VolumeDeletedClaimEnqueued.into()
}

/// Syncs the claim of a key. If the informer does not have it, enqueues the volume that the deleted claim named.
/// Upstream: `syncClaimByKey`, `updateClaim`, `deleteClaim`, 1.36.
pub fn sync_claim_by_key(
    sync: &mut SyncContext<'_, '_>,
    behavior: &KubernetesBehavior,
    key: &str,
    lister: Result<Seen<'_, PersistentVolumeClaim>, ApiError>,
    id: Option<ClaimId>,
) -> Branch {
    if unparsable(key) {
        return DispatchBranch::KeyUnparsable.into();
    }
    match lister {
        Err(error) => {
            sync.fail(error.to_string());
            DispatchBranch::ListerFailed.into()
        }
        Ok(Seen::Present { cached, informer }) => match is_not_older("claim", key, cached.as_ref(), &informer) {
            Err(error) => {
                sync.fail(error);
                DispatchBranch::VersionUnparsable.into()
            }
            Ok(false) => DispatchBranch::StaleVersionIgnored.into(),
            Ok(true) => {
                sync.step(DispatchBranch::ObjectSynced.into());
                id.and_then(|id| sync_claim(sync, behavior, id))
                    .map_or(DispatchBranch::DeletionAlreadyProcessed.into(), Branch::from)
            }
        },
        Ok(Seen::Gone(None)) => DispatchBranch::DeletionAlreadyProcessed.into(),
        Ok(Seen::Gone(Some(claim))) => claim_deleted(sync, &claim),
    }
}

/// Handles the deletion of a claim: its volume is enqueued. `claim` is the version in the controller's cache. Upstream:
/// `deleteClaim`, 1.36.
pub fn claim_deleted(sync: &mut SyncContext<'_, '_>, claim: &PersistentVolumeClaim) -> Branch {
    sync.logs_claim(&messages::CLAIM_DELETED, claim);
    if claim.volume_name.is_empty() {
        sync.logs_claim(&messages::NOTHING_SCHEDULED, claim);
        return DispatchBranch::ClaimDeletedUnbound.into();
    }
    sync.log(|| messages::VOLUME_SCHEDULED.entry([claim_name(claim), claim.volume_name.as_str().into()]));
    sync.enqueue(ObjectRef {
        kind: Kind::PersistentVolume,
        namespace: Str::default(),
        name: claim.volume_name.clone(),
    });
    DispatchBranch::ClaimDeletedVolumeEnqueued.into()
}
