//! Which events of Volumes lead to a reconciliation.

use super::leaves::VolumeBranch;
use crate::model::StorageOsVolume;

/// An event of a Volume that an informer delivers. After a start, and after a connection is lost, there is an event for
/// each Volume again: `Create` after a start, and `Update` otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VolumeEvent {
    /// The Volume is new for the informer.
    Create,
    /// The Volume was changed, or is delivered again.
    Update,
    /// The Volume is gone.
    Delete,
    /// An event that does not come from the API server.
    Generic,
}

/// Returns whether the event of a Volume passes the filters, and why. The volume is the newer one of both. Upstream:
/// `SetupWithManager`, api-manager v1.2.16.
pub fn filter(event: VolumeEvent, volume: &StorageOsVolume) -> VolumeBranch {
    match event {
        VolumeEvent::Create | VolumeEvent::Delete | VolumeEvent::Generic => VolumeBranch::VolumeEventIgnored,
        VolumeEvent::Update if volume.deleted.is_some() => VolumeBranch::VolumeBeingDeleted,
        VolumeEvent::Update if volume.id.is_empty() => VolumeBranch::VolumeWithoutId,
        VolumeEvent::Update if volume.service_endpoint.is_none() => VolumeBranch::VolumeNotExported,
        VolumeEvent::Update => VolumeBranch::VolumeEventPasses,
    }
}
