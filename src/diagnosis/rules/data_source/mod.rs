//! Claims that are to be filled from something: another claim, a snapshot, a populator. The driver's provisioner tests
//! the source before it makes a volume, and tells of it by events on the claim alone.

crate::diagnosis::rules::section! {
    ds_size_smaller,
    ds_driver_mismatch,
    ds_clone_source_not_bound,
    ds_cross_namespace,
    ds_populator_absent,
}

use crate::controllers::ClaimBranch;
use crate::diagnosis::case::PATIENCE;
use crate::diagnosis::remedy::{by_hand, save_claim};
use crate::diagnosis::{Case, Remedy};
use crate::model::surroundings::Event;
use crate::model::{AnnotationKey, ClaimPhase, DataSource, PersistentVolumeClaim};

/// The kind of a source that is a claim.
const CLAIM: &str = "PersistentVolumeClaim";

/// What a claim is to be filled from that has no volume yet, names none and stays.
fn awaited(claim: &PersistentVolumeClaim) -> Option<&DataSource> {
    let source = claim.source()?;
    let waits = !claim.terminating()
        && claim.volume_name.is_empty()
        && !matches!(claim.status.phase, ClaimPhase::Bound | ClaimPhase::Lost)
        && !claim.meta.annotations.has(AnnotationKey::BindCompleted);
    waits.then_some(source)
}

/// Whether the source is an object of the claim's own namespace.
fn is_local(claim: &PersistentVolumeClaim, source: &DataSource) -> bool {
    source.namespace.is_empty() || source.namespace == claim.meta.namespace
}

/// Whether the source is a claim.
fn is_claim(source: &DataSource) -> bool {
    source.kind == CLAIM && source.group.is_empty()
}

/// The name of the claim of the same namespace whose copy the claim is to be.
fn clone_source(claim: &PersistentVolumeClaim) -> Option<&str> {
    awaited(claim).filter(|source| is_claim(source) && is_local(claim, source)).map(|source| source.name.as_str())
}

/// Where a claim stands that a driver is to fill.
#[derive(Clone, Copy, PartialEq, Eq)]
enum PopulationState {
    /// A driver is asked.
    Asked,
    /// A driver is asked as soon as a pod with the claim has a node.
    Later,
}

/// Where the claim stands, if a driver is to make its volume and no volume that exists is bound to it.
fn stage(case: &Case<'_>) -> Option<PopulationState> {
    match case.claim_branch()? {
        ClaimBranch::UnboundClaimProvisionExternal => Some(PopulationState::Asked),
        ClaimBranch::UnboundClaimWaitForFirstConsumer | ClaimBranch::UnboundClaimWaitForPodScheduled => {
            Some(PopulationState::Later)
        }
        _ => None,
    }
}

/// Whether the driver has had its time.
fn has_waited(case: &Case<'_>, claim: &PersistentVolumeClaim, stage: PopulationState) -> bool {
    stage == PopulationState::Asked && case.seconds_since(claim.meta.created).is_some_and(|waited| waited >= PATIENCE)
}

/// The newest event about the claim that says why provisioning fails.
fn failure<'a>(case: &Case<'a>, claim: &PersistentVolumeClaim) -> Option<&'a Event> {
    let mut events = case.snapshot().events_about(&case.object(), &claim.meta.uid);
    events.find(|event| event.reason == "ProvisioningFailed")
}

/// The event as it is shown: it tells what was so, and not what is.
fn told(event: &Event) -> String {
    const LONG: usize = 200;
    let at = event.last_seen.map_or_else(|| "time unknown".to_owned(), |moment| moment.to_string());
    format!("{} ({at}): {}", event.reason, crate::text::truncate(&event.message, LONG))
}

/// What a claim is to be filled from cannot be changed, nor what it requests before it is bound.
fn create_again(claim: &PersistentVolumeClaim, with: &str) -> [Remedy; 2] {
    [
        save_claim(claim, "save the claim as it is"),
        by_hand(format!("delete the claim, which has no volume, and create it again {with}")),
    ]
}
