//! The result of matching for one claim and the volumes that the claim may get. A decision names only the chosen
//! volume. This module says for each other volume why it is not chosen.

use super::nearest::{Nearness, Search as NearestSearch};
use crate::controllers::persistent_volume::binding::is_volume_bound_to_claim;
use crate::controllers::persistent_volume::claim::{check_volume_satisfy_claim, newest_default};
use crate::controllers::persistent_volume::matching::{Fit, Query};
use crate::controllers::{CandidateVerdict, ClaimBranch, KubernetesBehavior};
use crate::model::{
    AccessModeSet, AnnotationKey, BindingMode, ClaimPhase, ClaimStatus, PersistentVolume, PersistentVolumeClaim,
    Quantity, StorageClass, Str, VolumeMode, VolumePhase,
};
use crate::snapshot::PLACEHOLDER_UID;
use crate::snapshot::{Snapshot, VolumeId};
use std::cmp::Ordering;
use std::collections::BTreeMap;

/// The way in which the controller finds the volume of a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Search {
    /// The controller searches all volumes.
    Matching,
    /// The claim names its volume, and the controller tests no other.
    Named,
    /// The binding was completed, and the controller no longer searches. The result is what matching would say of this
    /// claim.
    Completed,
}

/// The result of matching for one claim.
#[derive(Clone, Debug)]
pub struct Candidates {
    /// The way in which the controller finds the volume.
    pub search: Search,
    /// Whether the class delays binding. Then this controller takes only reserved volumes, and the scheduler chooses
    /// among the others.
    pub delayed: bool,
    /// Every volume that is tested, by name.
    pub listed: Vec<Candidate>,
}

/// The result of matching for one volume.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// The volume.
    pub volume: VolumeId,
    /// The first test that the volume fails, or the verdict that it may be chosen.
    pub verdict: CandidateVerdict,
    /// The verdict that the volume would get without the delay. It is present only if binding is delayed.
    pub without_delay: Option<CandidateVerdict>,
    /// Whether the volume matches as soon as its first sync makes it Available.
    pub once_available: bool,
    /// Whether the volume matches, but a volume with fewer access modes ends the search first.
    pub not_reached: bool,
    /// The nearness of the volume. It is absent if only the named volume was tested, or if the search is invalid. A
    /// smaller value is nearer.
    pub nearness: Option<Nearness>,
}

impl Candidate {
    /// Returns whether the controller may take this volume now.
    pub fn may_be_chosen(&self) -> bool {
        matches!(self.verdict, CandidateVerdict::CandidateChosen | CandidateVerdict::CandidateReserved)
    }
}

/// Returns the result of matching for this claim. If the claim names a volume and the binding was not completed, only
/// this volume is tested. Otherwise all volumes are tested.
///
/// # Errors
/// Returns the controller's error text if the controller cannot search at all.
pub fn match_claim(
    snapshot: &Snapshot,
    behavior: &KubernetesBehavior,
    claim: &PersistentVolumeClaim,
) -> Result<Candidates, String> {
    if claim.meta.annotations.has(AnnotationKey::BindCompleted) {
        return searched(snapshot, behavior, claim, Search::Completed);
    }
    if claim.volume_name.is_empty() {
        return searched(snapshot, behavior, claim, Search::Matching);
    }
    let listed = snapshot
        .volume_id(&claim.volume_name)
        .map(|volume| Candidate {
            volume,
            verdict: named_verdict(behavior, snapshot.volume(volume), claim),
            without_delay: None,
            once_available: false,
            not_reached: false,
            nearness: None,
        })
        .into_iter()
        .collect();
    Ok(Candidates { search: Search::Named, delayed: false, listed })
}

/// Returns the verdict on a volume that the claim names.
fn named_verdict(
    behavior: &KubernetesBehavior,
    volume: &PersistentVolume,
    claim: &PersistentVolumeClaim,
) -> CandidateVerdict {
    if volume.claim_ref.is_some() {
        return if is_volume_bound_to_claim(volume, claim) {
            CandidateVerdict::CandidateReserved
        } else {
            CandidateVerdict::CandidateClaimedByOther
        };
    }
    match check_volume_satisfy_claim(behavior, volume, claim) {
        Ok(()) => CandidateVerdict::CandidateChosen,
        Err((branch, _)) => match branch {
            ClaimBranch::UnboundClaimVolumeMismatchDeleting => CandidateVerdict::CandidateDeleting,
            ClaimBranch::UnboundClaimVolumeMismatchTooSmall => CandidateVerdict::CandidateTooSmall,
            ClaimBranch::UnboundClaimVolumeMismatchClass => CandidateVerdict::CandidateClass,
            ClaimBranch::UnboundClaimVolumeMismatchMode => CandidateVerdict::CandidateVolumeMode,
            ClaimBranch::UnboundClaimVolumeMismatchAccessMode => CandidateVerdict::CandidateAccessModes,
            _ => CandidateVerdict::CandidateAttributesClass,
        },
    }
}

/// Tests all volumes. Upstream: `findByClaim`, 1.36, and `FindMatchingVolume`, component-helpers, 1.36.
fn searched(
    snapshot: &Snapshot,
    behavior: &KubernetesBehavior,
    claim: &PersistentVolumeClaim,
    search: Search,
) -> Result<Candidates, String> {
    let delayed = delays_binding(snapshot, behavior, claim)?;
    let query = match Query::new(behavior, claim, delayed) {
        Ok(query) => query,
        // Upstream returns the error only when it tests a volume with the requested access modes.
        Err(error) if snapshot.volumes().iter().any(|volume| has_modes(volume, claim)) => return Err(error),
        Err(_) => return Ok(Candidates { search, delayed, listed: without_modes(snapshot) }),
    };
    let at_once = if delayed { Some(Query::new(behavior, claim, false)?) } else { None };
    let mut listed = Vec::with_capacity(snapshot.volumes().len());
    // The groups by number of modes, each with its best match so far: a reserved volume, or the smallest capacity.
    let mut best: BTreeMap<(u32, AccessModeSet), Best> = BTreeMap::new();
    for (volume, id) in snapshot.volumes().iter().zip(0u32..) {
        let set = volume.access_modes.set();
        let (mut verdict, mut without_delay) = (CandidateVerdict::CandidateAccessModes, None);
        if set.contains_all(&claim.access_modes) {
            let place = (set.len(), set);
            verdict = match query.fit(volume) {
                Fit::No(verdict) => verdict,
                Fit::Reserved => {
                    best.insert(place, Best::Reserved);
                    CandidateVerdict::CandidateReserved
                }
                Fit::Free => {
                    let size = capacity(volume);
                    let smaller = best.get(&place).is_none_or(|best| best.is_larger_than(&size));
                    if smaller {
                        best.insert(place, Best::Free(size));
                    }
                    CandidateVerdict::CandidateChosen
                }
            };
            if verdict == CandidateVerdict::CandidateDelayed {
                without_delay = at_once.as_ref().map(|query| match query.fit(volume) {
                    Fit::No(verdict) => verdict,
                    Fit::Reserved => CandidateVerdict::CandidateReserved,
                    Fit::Free => CandidateVerdict::CandidateChosen,
                });
            }
        }
        let once_available =
            without_delay.unwrap_or(verdict) == CandidateVerdict::CandidatePhase && is_new(volume) && {
                let misfits = at_once.as_ref().unwrap_or(&query).misfits(volume);
                misfits.iter().all(|verdict| *verdict == CandidateVerdict::CandidatePhase)
            };
        listed.push(Candidate {
            volume: VolumeId::new(id),
            verdict,
            without_delay,
            once_available,
            not_reached: false,
            nearness: None,
        });
    }
    let first_tier = best.keys().next().map(|(modes, _)| *modes);
    for candidate in &mut listed {
        if !candidate.may_be_chosen() {
            continue;
        }
        let volume = snapshot.volume(candidate.volume);
        let set = volume.access_modes.set();
        candidate.not_reached = first_tier.is_some_and(|modes| modes < set.len());
        let is_best = match best.get(&(set.len(), set)) {
            Some(Best::Reserved) => candidate.verdict == CandidateVerdict::CandidateReserved,
            Some(Best::Free(smallest)) => capacity(volume).compare(smallest) == Ordering::Equal,
            None => false,
        };
        if candidate.not_reached || !is_best {
            candidate.verdict = CandidateVerdict::CandidateNotSmaller;
        }
    }
    NearestSearch::new(snapshot, &query, claim).measure(&mut listed);
    Ok(Candidates { search, delayed, listed })
}

/// Returns whether the next sync of the volume makes it Available. Upstream: `syncVolume`, 1.36.
fn is_new(volume: &PersistentVolume) -> bool {
    volume.status.phase == VolumePhase::Pending && volume.claim_ref.is_none() && !volume.terminating()
}

fn has_modes(volume: &PersistentVolume, claim: &PersistentVolumeClaim) -> bool {
    volume.access_modes.set().contains_all(&claim.access_modes)
}

/// Returns all volumes as candidates. Each verdict is that the volume does not have the requested access modes.
fn without_modes(snapshot: &Snapshot) -> Vec<Candidate> {
    (0u32..)
        .zip(snapshot.volumes())
        .map(|(id, _)| Candidate {
            volume: VolumeId::new(id),
            verdict: CandidateVerdict::CandidateAccessModes,
            without_delay: None,
            once_available: false,
            not_reached: false,
            nearness: None,
        })
        .collect()
}

/// The best volume of a group so far.
enum Best {
    Reserved,
    Free(Quantity),
}

impl Best {
    fn is_larger_than(&self, size: &Quantity) -> bool {
        match self {
            Self::Reserved => false,
            Self::Free(smallest) => size.compare(smallest).is_lt(),
        }
    }
}

fn capacity(volume: &PersistentVolume) -> Quantity {
    volume.storage().copied().unwrap_or(Quantity::ZERO)
}

/// Returns whether the claim's class delays binding. Upstream: `IsDelayBindingMode`, component-helpers, 1.36.
///
/// # Errors
/// Returns upstream's words if the class has no binding mode.
pub fn delays_binding(
    snapshot: &Snapshot,
    behavior: &KubernetesBehavior,
    claim: &PersistentVolumeClaim,
) -> Result<bool, String> {
    if claim.class().is_empty()
        || (behavior.selected_node_ends_delay && claim.meta.annotations.has(AnnotationKey::SelectedNode))
    {
        return Ok(false);
    }
    match snapshot.class(claim.class()) {
        None => Ok(false),
        Some(StorageClass { binding_mode: Some(mode), .. }) => Ok(*mode == BindingMode::WaitForFirstConsumer),
        Some(_) => Err(format!("VolumeBindingMode not set for StorageClass {:?}", claim.class())),
    }
}

/// A planned claim, as the API server would store it.
#[derive(Clone, Debug)]
pub struct Planned {
    /// The claim.
    pub claim: PersistentVolumeClaim,
    /// The default class that admission would write into the claim, if the claim states none.
    pub default_class: Option<Str>,
}

/// Returns a new claim as the API server stores it: with a uid and the phase Pending. If the claim states no volume
/// mode, it gets the mode Filesystem. If it states no class, it gets the default class. Upstream: the admission plugin
/// `DefaultStorageClass`, 1.36.
pub fn planned(snapshot: &Snapshot, mut claim: PersistentVolumeClaim) -> Planned {
    claim.meta.uid = Str::from(format!("{PLACEHOLDER_UID}{}/{}", claim.meta.namespace, claim.meta.name));
    claim.status = ClaimStatus { phase: ClaimPhase::Pending, ..ClaimStatus::default() };
    claim.volume_mode.get_or_insert(VolumeMode::Filesystem);
    let mut assigned = None;
    if !claim.has_class()
        && let Some(class) = newest_default(snapshot.classes())
    {
        claim.class_name = Some(class.meta.name.clone());
        assigned = Some(class.meta.name.clone());
    }
    Planned { claim, default_class: assigned }
}
