//! Claims with a data source: another claim, a snapshot, or an object for a populator. The driver's provisioner checks
//! the source before it makes a volume, and reports problems only by events on the claim.

crate::diagnosis::rules::section! {
    ds_size_smaller,
    ds_driver_mismatch,
    ds_clone_source_not_bound,
    ds_cross_namespace,
    ds_snapshot_missing,
    ds_snapshot_error,
    ds_snapshot_not_ready,
    ds_populator_absent,
}

use crate::controllers::ClaimBranch;
use crate::diagnosis::case::PATIENCE;
use crate::diagnosis::remedy::{by_hand, save_claim};
use crate::diagnosis::{Case, Remedy, key};
use crate::model::surroundings::Event;
use crate::model::volume_snapshot::SnapshotError;
use crate::model::{
    AnnotationKey, ClaimPhase, DataSource, Kind, ObjectKey, PersistentVolumeClaim, VolumeSnapshot,
    VolumeSnapshotContent,
};

/// The API group of snapshots.
const SNAPSHOT_GROUP: &str = "snapshot.storage.k8s.io";

/// The kind of a data source that is a claim.
const CLAIM: &str = "PersistentVolumeClaim";

/// Returns the data source of a claim that has no volume yet, names no volume and is not being deleted.
fn awaited(claim: &PersistentVolumeClaim) -> Option<&DataSource> {
    let source = claim.source()?;
    let waits = !claim.terminating()
        && claim.volume_name.is_empty()
        && !matches!(claim.status.phase, ClaimPhase::Bound | ClaimPhase::Lost)
        && !claim.meta.annotations.has(AnnotationKey::BindCompleted);
    waits.then_some(source)
}

/// Returns whether the data source is in the claim's own namespace.
fn is_local(claim: &PersistentVolumeClaim, source: &DataSource) -> bool {
    source.namespace.is_empty() || source.namespace == claim.meta.namespace
}

/// Returns whether the data source is a claim.
fn is_claim(source: &DataSource) -> bool {
    source.kind == CLAIM && source.group.is_empty()
}

/// Returns the name of the claim in the same namespace from which the claim should be cloned.
fn clone_source(claim: &PersistentVolumeClaim) -> Option<&str> {
    awaited(claim).filter(|source| is_claim(source) && is_local(claim, source)).map(|source| source.name.as_str())
}

/// Returns the name of the VolumeSnapshot in the same namespace that the claim should be restored from.
fn snapshot_source(claim: &PersistentVolumeClaim) -> Option<&str> {
    let is_snapshot = |source: &&DataSource| source.kind == "VolumeSnapshot" && source.group == SNAPSHOT_GROUP;
    awaited(claim).filter(is_snapshot).filter(|source| is_local(claim, source)).map(|source| source.name.as_str())
}

/// Returns the VolumeSnapshot in the namespace of the claim from which the claim should be restored, if the
/// VolumeSnapshot was read.
fn snapshot_of<'a>(case: &Case<'a>, claim: &PersistentVolumeClaim) -> Option<&'a VolumeSnapshot> {
    case.snapshot().find::<VolumeSnapshot>(&claim.meta.namespace, snapshot_source(claim)?)
}

/// Returns the VolumeSnapshotContent to which the VolumeSnapshot is bound, if it was read.
fn content_of<'a>(case: &Case<'a>, snapshot: &VolumeSnapshot) -> Option<&'a VolumeSnapshotContent> {
    case.snapshot().find::<VolumeSnapshotContent>("", &snapshot.bound_content)
}

/// Returns the last error of the VolumeSnapshot or of its content, and the object that has it.
fn snapshot_failure<'a>(case: &Case<'a>, snapshot: &'a VolumeSnapshot) -> Option<(ObjectKey, &'a SnapshotError)> {
    let own = key(Kind::VolumeSnapshot, &snapshot.meta.namespace, &snapshot.meta.name);
    let of_content = || {
        let content = content_of(case, snapshot)?;
        Some((key(Kind::VolumeSnapshotContent, "", &content.meta.name), content.error.as_ref()?))
    };
    let failure = snapshot.error.as_ref().map(|error| (own, error)).or_else(of_content);
    failure.filter(|(_, error)| !error.message.is_empty())
}

/// The progress of a claim whose data source a driver has to process.
#[derive(Clone, Copy, PartialEq, Eq)]
enum PopulationState {
    /// A driver has been asked to provision the volume.
    Asked,
    /// A driver will be asked when a pod that uses the claim has a node.
    Later,
}

/// Returns the progress of the claim if a driver has to provision its volume. Returns None in all other cases, for
/// example if the claim is bound to an existing volume.
fn stage(case: &Case<'_>) -> Option<PopulationState> {
    match case.claim_branch()? {
        ClaimBranch::UnboundClaimProvisionExternal => Some(PopulationState::Asked),
        ClaimBranch::UnboundClaimWaitForFirstConsumer | ClaimBranch::UnboundClaimWaitForPodScheduled => {
            Some(PopulationState::Later)
        }
        _ => None,
    }
}

/// Returns whether a driver was asked and the claim is at least [`PATIENCE`] seconds old.
fn has_waited(case: &Case<'_>, claim: &PersistentVolumeClaim, stage: PopulationState) -> bool {
    stage == PopulationState::Asked && case.seconds_since(claim.meta.created).is_some_and(|waited| waited >= PATIENCE)
}

/// Returns the newest event about the claim that says why provisioning failed.
fn failure<'a>(case: &Case<'a>, claim: &PersistentVolumeClaim) -> Option<&'a Event> {
    let mut events = case.snapshot().events_about(&case.object(), &claim.meta.uid);
    events.find(|event| event.reason == "ProvisioningFailed")
}

/// Returns the event as it is shown. Its time shows that it describes the past and not necessarily the present.
fn told(event: &Event) -> String {
    const LONG: usize = 200;
    let at = event.last_seen.map_or_else(|| "time unknown".to_owned(), |moment| moment.to_string());
    format!("{} ({at}): {}", event.reason, crate::text::truncate(&event.message, LONG))
}

/// Creates remedies that create the claim again. The data source cannot be changed, and neither can the request before
/// the claim is bound.
fn create_again(claim: &PersistentVolumeClaim, with: &str) -> [Remedy; 2] {
    [
        save_claim(claim, "save the manifest of the claim before you delete it"),
        by_hand(format!("delete the claim, which has no volume, and create it again {with}")),
    ]
}
