//! The guard for a volume that is offered to any claim. It names the claims that may get the volume.

use super::{Guard, Holds};
use crate::controllers::persistent_volume::candidates::delays_binding;
use crate::controllers::persistent_volume::matching::{Fit, Query};
use crate::engines::simulation_on_demand;
use crate::model::{
    AnnotationKey, ClaimRef, Kind, ObjectId, Objects, PersistentVolume, PersistentVolumeClaim, Str, VolumePhase,
};
use crate::repair::situation::Situation;
use crate::simulate::{Outcome, Settings};
use crate::snapshot::{Coverage, CoverageState, Parts, Snapshot};
use rustc_hash::FxHashSet;

/// The number of claims that the guard names.
const NAMED: usize = 8;

/// Names the claims to which the simulation gives the free volume, and the claims to which the scheduler may give it.
pub(super) fn claimants(situation: &Situation<'_>, volume: &PersistentVolume) -> Guard {
    const ID: &str = "claimants";
    let name = &volume.meta.name;
    let kind = Kind::PersistentVolumeClaim;
    let readings = situation.snapshot.coverage().entries().iter().filter(|entry| entry.kind == kind);
    let all_read = readings.into_iter().all(|entry| entry.state == CoverageState::Complete);
    if !all_read || !situation.knows_all(kind, "") {
        return Guard::new(
            ID,
            Holds::Unknown,
            format!("the claims of all namespaces could not be listed, so nobody knows who would get volume {name}"),
        );
    }
    let freed = freed(situation.snapshot, volume);
    let winners = winners(&freed, &situation.settings, volume);
    let said = match winners.as_slice() {
        [] => "no claim waits for the volume now; the next claim that fits gets it, with all its data".to_owned(),
        [one] => format!("claim {one} gets it, with all its data"),
        several => {
            let more = several.len().saturating_sub(NAMED);
            let named = several.iter().take(NAMED).cloned().collect::<Vec<_>>().join(", ");
            let more = if more > 0 { format!(" and {more} more") } else { String::new() };
            format!("one of these claims gets it, with all its data: {named}{more}")
        }
    };
    Guard::new(ID, Holds::Warns, format!("volume {name}: {said}"))
}

/// Returns the snapshot in which the volume is free, without objects that cannot influence which claim gets it.
fn freed(snapshot: &Snapshot, volume: &PersistentVolume) -> Snapshot {
    let waits = |claim: &&PersistentVolumeClaim| {
        !claim.meta.annotations.has(AnnotationKey::BindCompleted)
            && !claim.terminating()
            && (claim.volume_name == volume.meta.name
                || claim.volume_name.is_empty() && (claim.class() == volume.class() || !claim.has_class()))
    };
    let claims: Vec<PersistentVolumeClaim> = snapshot.claims().iter().filter(waits).cloned().collect();
    let waiting: FxHashSet<(&Str, &Str)> =
        claims.iter().map(|claim| (&claim.meta.namespace, &claim.meta.name)).collect();
    let could_serve = |other: &&PersistentVolume| {
        let for_waiting = |named: &ClaimRef| waiting.contains(&(&named.namespace, &named.name));
        other.meta.name != volume.meta.name
            && other.class() == volume.class()
            && other.claim_ref.as_ref().is_none_or(for_waiting)
    };
    let mut volumes: Vec<PersistentVolume> = snapshot.volumes().iter().filter(could_serve).cloned().collect();
    let mut free = volume.clone();
    free.claim_ref = None;
    free.meta.annotations.remove(AnnotationKey::BoundByController);
    free.status.phase = VolumePhase::Available;
    volumes.push(free);
    Snapshot::new(Parts {
        objects: Objects {
            volumes,
            claims,
            classes: snapshot.classes().to_vec(),
            nodes: snapshot.nodes().to_vec(),
            ..Objects::default()
        },
        coverage: Coverage::complete(),
        now: snapshot.now(),
        ..Parts::default()
    })
}

/// Returns the claims that may get the volume, by namespace and name.
fn winners(freed: &Snapshot, settings: &Settings<'_>, volume: &PersistentVolume) -> Vec<String> {
    let Some(id) = freed.volume_id(&volume.meta.name) else { return Vec::new() };
    let simulation = simulation_on_demand(freed, Settings::new(settings.behavior.clone()));
    let outcomes = simulation.outcomes(ObjectId::from(id));
    let mut winners: Vec<String> = outcomes
        .representatives()
        .filter_map(|outcome| match outcome {
            Outcome::Volume { claim_ref: Some((namespace, name, _)), .. } => Some(format!("{namespace}/{name}")),
            _ => None,
        })
        .collect();
    for claim in freed.claims() {
        // If the class of a claim delays binding, the claim waits for a pod. Then the scheduler chooses a matching
        // volume for it.
        let waits = delays_binding(freed, &settings.behavior, claim) == Ok(true);
        let free = freed.volume(id);
        let fits = |query: Query<'_>| {
            query.fit(free) == Fit::Free && free.access_modes.set().contains_all(&claim.access_modes)
        };
        if waits && Query::new(&settings.behavior, claim, false).is_ok_and(fits) {
            winners.push(format!("{} (its class waits for a pod)", claim.key()));
        }
    }
    winners.sort();
    winners.dedup();
    winners
}
