//! The WHY of a volume.

use super::reclaim::reclaimed;
use super::{View, error_of, with};
use crate::controllers::VolumeBranch;
use crate::controllers::persistent_volume::candidates::delays_binding;
use crate::controllers::persistent_volume::matching::{Fit, Query};
use crate::controllers::persistent_volume::reclaim::{DataFate, data_fate};
use crate::diagnosis::misfit::{claim_name, misfit};
use crate::model::{AnnotationKey, ClaimRef, Kind, PersistentVolume, PersistentVolumeClaim, VolumePhase};
use crate::simulate::{Decision, Outcome};
use crate::snapshot::Absence;

/// Returns the sentence for one sync of the volume by the PersistentVolume controller.
pub(super) fn sentence(
    view: View<'_>,
    volume: &PersistentVolume,
    branch: VolumeBranch,
    decision: &Decision<'_>,
) -> String {
    let named = volume.claim_ref.as_ref();
    let claim = named.map_or_else(|| "no claim".to_owned(), claim_name);
    let other = named
        .and_then(|named| view.snapshot().claim_id(&named.namespace, &named.name))
        .map(|id| view.snapshot().claim(id));
    let other_volume = other.map_or("", |claim| claim.volume_name.as_str());
    let now = match branch {
        VolumeBranch::VolumeMigrationUpdateFailed => {
            format!("its migration annotation or finalizers cannot be written: {}", error_of(decision))
        }
        VolumeBranch::VolumeUnclaimed => return unclaimed(view),
        VolumeBranch::VolumeReserved => return reserved(view, volume),
        VolumeBranch::VolumeClaimLookupFailed => {
            format!("its claim {claim} cannot be looked up: {}", error_of(decision))
        }
        VolumeBranch::VolumeClaimMissing => {
            let reclaimed = reclaimed(volume, decision);
            let same = other.is_some_and(|other| named.is_some_and(|named| named.uid == other.meta.uid));
            if let Some(named) = named.filter(|named| named.namespace.is_empty()) {
                let name = &named.name;
                let now = format!("spec.claimRef names {name} without a namespace, so no claim is found; {reclaimed}");
                return with(now, view.doubt());
            }
            if !same {
                return with(format!("its claim {claim} is gone; {reclaimed}"), view.doubt());
            }
            // The claim exists, but the controller does not have it in its cache.
            let driver = match data_fate(view.behavior(), volume) {
                DataFate::HandedToDriver => ", and may do so before the claim is seen",
                DataFate::Kept | DataFate::Destroyed | DataFate::Scrubbed => "",
            };
            let now = format!(
                "the controller does not see claim {claim} and treats the volume as Released; {reclaimed}{driver}"
            );
            return with(now, view.doubt());
        }
        VolumeBranch::VolumeClaimReplaced => {
            let reclaimed = reclaimed(volume, decision);
            return with(format!("its claim is gone ({claim} is a new one); {reclaimed}"), view.doubt());
        }
        VolumeBranch::VolumeClaimModeMismatch => {
            let wanted = other.map(PersistentVolumeClaim::mode).unwrap_or_default();
            format!("volume mode {}, but {claim} wants {}", volume.mode().as_str(), wanted.as_str())
        }
        VolumeBranch::VolumeAwaitsClaim | VolumeBranch::VolumeDanglingAwaitsClaim => {
            if matches!(view.only_outcome(), Some(Outcome::Volume { phase: VolumePhase::Bound, .. })) {
                return format!("the controller binds its claim {claim} to it");
            }
            match other {
                Some(other) if other.meta.annotations.has(AnnotationKey::BindCompleted) => {
                    format!("waits for {claim}, which was bound and names no volume any more")
                }
                _ => match named.map(|named| why_not_taken(view, volume, named)).unwrap_or_default().as_str() {
                    "" => format!("waits until {claim} is bound to it"),
                    obstacle => format!("reserved for {claim}{obstacle}"),
                },
            }
        }
        VolumeBranch::VolumeBound => match other {
            None if named
                .is_some_and(|named| view.is_deleted::<PersistentVolumeClaim>(&named.namespace, &named.name)) =>
            {
                format!("bound to {claim}, whose deletion the controller does not know yet")
            }
            Some(other) if other.terminating() => format!("bound to {claim}, which is being deleted"),
            _ => format!("bound to {claim}"),
        },
        VolumeBranch::VolumeSurplusDynamic => {
            let reclaimed = reclaimed(volume, decision);
            format!("surplus: {claim} has {other_volume}; {reclaimed}")
        }
        VolumeBranch::VolumeSurplusUnbindController => format!("becomes free: {claim} has {other_volume}"),
        VolumeBranch::VolumeSurplusUnbindUser => {
            format!("stays reserved for {claim}, which has {other_volume}")
        }
    };
    match (view.only_outcome(), branch) {
        (
            Some(Outcome::Volume { phase: VolumePhase::Bound, claim_ref: Some((namespace, name, _)), .. }),
            VolumeBranch::VolumeSurplusUnbindController,
        ) => format!("{now}; then {namespace}/{name} gets it"),
        _ => with(now, view.doubt()),
    }
}

fn unclaimed(view: View<'_>) -> String {
    match view.only_outcome() {
        Some(Outcome::Volume { phase: VolumePhase::Bound, claim_ref: Some((namespace, name, _)), .. }) => {
            format!("free, and {namespace}/{name} gets it")
        }
        _ => with("free".to_owned(), view.doubt()),
    }
}

fn reserved(view: View<'_>, volume: &PersistentVolume) -> String {
    let Some(named) = &volume.claim_ref else { return "reserved".to_owned() };
    let name = claim_name(named);
    if let Some(Outcome::Volume { phase: VolumePhase::Bound, .. }) = view.only_outcome() {
        return format!("reserved for {name}, which gets it");
    }
    with(format!("reserved for {name}{}", why_not_taken(view, volume, named)), view.doubt())
}

/// Says why a volume is not bound to the claim for which it is reserved. The result is the end of a sentence.
fn why_not_taken(view: View<'_>, volume: &PersistentVolume, named: &ClaimRef) -> String {
    let snapshot = view.snapshot();
    let Some(id) = snapshot.claim_id(&named.namespace, &named.name) else {
        return match snapshot.coverage().absence(Kind::PersistentVolumeClaim, &named.namespace) {
            Absence::Certain | Absence::Assumed => ", which does not exist".to_owned(),
            Absence::Unknown(_) => String::new(),
        };
    };
    let claim = snapshot.claim(id);
    if claim.volume_name == volume.meta.name {
        // The claim was bound before. For such a claim, a `claimRef` without a uid is not enough.
        return ", but without the uid of that claim".to_owned();
    }
    if !claim.volume_name.is_empty() {
        return format!(", which has {}", claim.volume_name);
    }
    let delay = delays_binding(snapshot, view.behavior(), claim).unwrap_or(false);
    let Ok(query) = Query::new(view.behavior(), claim, delay) else { return String::new() };
    match query.fit(volume) {
        Fit::No(verdict) => match misfit(volume, claim, verdict) {
            Some(found) => format!(", but {}", found.words),
            None => String::new(),
        },
        Fit::Reserved if !volume.access_modes.set().contains_all(&claim.access_modes) => {
            let missing = crate::diagnosis::misfit::missing_modes(&volume.access_modes, &claim.access_modes);
            format!(", but lacks {}", missing.join(","))
        }
        Fit::Reserved | Fit::Free => String::new(),
    }
}
