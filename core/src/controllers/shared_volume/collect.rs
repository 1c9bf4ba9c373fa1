//! What other components do with the objects of a shared volume later. The controller itself deletes nothing.

use super::input::Stored;
use super::leaves::CollectionBranch;
use crate::model::{EndpointSlice, Owner, PersistentVolumeClaim, Str};
use crate::world::View;

/// What happens to the objects of a shared volume.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Collected {
    /// The Service. It is `None` if there is none.
    pub service: Option<CollectionBranch>,
    /// The Endpoints. It is `None` if there are none.
    pub endpoints: Option<CollectionBranch>,
    /// The EndpointSlices that are owned by the Endpoints, with their names.
    pub slices: Vec<(Str, CollectionBranch)>,
}

/// Returns what happens to the objects of a shared volume. `has_controller` says whether the endpoints controller runs.
pub fn collect<'s>(
    view: View<'_>,
    stored: &Stored,
    slices: impl IntoIterator<Item = &'s EndpointSlice>,
    has_controller: bool,
) -> Collected {
    let service = stored.service.as_ref().map(|service| {
        let lives = |owner: &Owner| lives(view, &service.meta.namespace, owner);
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
    Collected { service, endpoints, slices: slices.into_iter().filter_map(of_slice).collect() }
}

/// Returns whether an owner exists with its uid. Owners other than claims are taken for existing, because they are not
/// looked up here. Upstream: `isDangling` of the garbage collector, 1.36.
fn lives(view: View<'_>, namespace: &str, owner: &Owner) -> bool {
    if owner.kind != "PersistentVolumeClaim" {
        return true;
    }
    let claim: Option<&PersistentVolumeClaim> = view.find(namespace, &owner.name);
    claim.is_some_and(|claim| claim.meta.uid == owner.uid)
}
