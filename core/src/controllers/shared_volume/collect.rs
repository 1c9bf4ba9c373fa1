//! What other components do with the objects of a shared volume later. The controller itself deletes nothing.

use super::input::Stored;
use super::leaves::CollectionBranch;
use crate::controllers::scheduler::reads::Reads;
use crate::model::{EndpointSlice, Kind, Owner, PersistentVolumeClaim, Str};
use crate::snapshot::Absence;
use crate::world::View;
use std::collections::BTreeMap;

/// What happens to the objects of a shared volume.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Collected {
    /// The Service. It is `None` if there is none.
    pub service: Option<CollectionBranch>,
    /// The Endpoints. It is `None` if there are none.
    pub endpoints: Option<CollectionBranch>,
    /// The EndpointSlices that are owned by the Endpoints, with their names.
    pub slices: Vec<(Str, CollectionBranch)>,
    /// The kinds that the answer needs and that may not have been read completely. The value says whether an object
    /// that was not found is assumed not to exist, or whether this is unknown.
    pub doubts: BTreeMap<Kind, Absence>,
}

/// Returns what happens to the objects of a shared volume. `has_controller` says whether the endpoints controller runs.
pub fn collect<'s>(
    view: View<'_>,
    stored: &Stored,
    slices: impl IntoIterator<Item = &'s EndpointSlice>,
    has_controller: bool,
) -> Collected {
    let mut reads = Reads::new(view);
    let service = stored.service.as_ref().map(|service| {
        let lives = |owner: &Owner| lives(&mut reads, &service.meta.namespace, owner);
        match &*service.owners {
            [] => CollectionBranch::ServiceWithoutOwner,
            owners if owners.iter().any(lives) => CollectionBranch::ServiceKept,
            _ => CollectionBranch::ServiceCollected,
        }
    });
    let has_service = matches!(service, Some(CollectionBranch::ServiceKept | CollectionBranch::ServiceWithoutOwner));
    let has_selector = stored.service.as_ref().is_some_and(|service| !service.selector.is_empty());
    let endpoints = stored.endpoints.as_ref().map(|_| match (has_service, has_controller) {
        (true, true) if has_selector => CollectionBranch::EndpointsComputed,
        (true, _) => CollectionBranch::EndpointsKept,
        (false, true) => CollectionBranch::EndpointsDeleted,
        (false, false) => CollectionBranch::EndpointsLeft,
    });
    let are_gone = matches!(endpoints, None | Some(CollectionBranch::EndpointsDeleted));
    let uid = stored.endpoints.as_ref().map(|endpoints| &endpoints.meta.uid);
    let of_slice = |slice: &EndpointSlice| {
        let owner = slice.owners.iter().find(|owner| owner.kind == "Endpoints")?;
        let is_kept = !are_gone && uid == Some(&owner.uid);
        let leaf = if is_kept { CollectionBranch::SliceKept } else { CollectionBranch::SliceCollected };
        Some((slice.meta.name.clone(), leaf))
    };
    let slices = slices.into_iter().filter_map(of_slice).collect();
    Collected { service, endpoints, slices, doubts: reads.into_doubts() }
}

/// Returns whether an owner exists with its uid. Owners other than claims are taken for existing, because they are not
/// looked up here. Upstream: `isDangling` of the garbage collector, 1.36.
fn lives(reads: &mut Reads<'_>, namespace: &str, owner: &Owner) -> bool {
    if owner.kind != "PersistentVolumeClaim" {
        return true;
    }
    let claim = reads.find::<PersistentVolumeClaim>(namespace, &owner.name);
    claim.is_some_and(|claim| claim.meta.uid == owner.uid)
}
