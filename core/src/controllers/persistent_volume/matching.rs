//! The search for a volume that matches a claim.

use super::binding::{Volume, is_volume_bound_to_claim};
use crate::controllers::{CandidateVerdict, KubernetesBehavior, SyncContext};
use crate::model::selector::CompiledSelector;
use crate::model::{AccessModeSet, Kind, PersistentVolume, PersistentVolumeClaim, Quantity, VolumePhase};
use crate::snapshot::{CandidateGroup, GroupKey, Snapshot, VolumeId};

/// The volume that the search chooses.
#[derive(Clone, Debug)]
pub struct SelectedVolume<'s> {
    /// The volume.
    pub volume: Volume<'s>,
    /// Whether the claimRef of the volume names the claim, with the uid of the claim or without a uid. Then the phase,
    /// the labels and the class of the volume were not tested.
    pub reserved: bool,
}

/// The result of the tests of one volume, before it is compared with other volumes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fit {
    /// The volume does not match, for this reason.
    No(CandidateVerdict),
    /// The claimRef of the volume names the claim, with the uid of the claim or without a uid. The volume passes the
    /// tests that apply to such a volume.
    Reserved,
    /// The volume is free and matches.
    Free,
}

/// The criteria of a claim, prepared once for all candidate volumes.
#[derive(Debug)]
pub struct Query<'c> {
    claim: &'c PersistentVolumeClaim,
    request: Quantity,
    selector: Option<CompiledSelector<'c>>,
    delay: bool,
    attributes_class: bool,
    attributes_class_compared: bool,
}

impl<'c> Query<'c> {
    /// Prepares the search. `delay` says whether the claim's class delays binding.
    ///
    /// # Errors
    /// Returns upstream's error text if the selector is invalid, or if the claim has an attributes class and the
    /// feature gate is off.
    pub fn new(behavior: &KubernetesBehavior, claim: &'c PersistentVolumeClaim, delay: bool) -> Result<Self, String> {
        if behavior.attributes_class_compared && !behavior.attributes_class && !claim.attributes_class().is_empty() {
            return Err(format!(
                "unsupported volumeAttributesClassName is set on claim {} when the feature-gate \
                 VolumeAttributesClass is disabled",
                claim.key()
            ));
        }
        let selector = match &claim.selector {
            None => None,
            Some(selector) => Some(selector.compile_with(behavior.value_lists).map_err(|error| {
                format!("error creating internal label selector for claim: {}: {error}", claim.key())
            })?),
        };
        Ok(Self {
            claim,
            request: claim.requested().unwrap_or(Quantity::ZERO),
            selector,
            delay,
            attributes_class: behavior.attributes_class,
            attributes_class_compared: behavior.attributes_class_compared,
        })
    }

    /// Returns the selector, if the claim has one.
    pub fn selector(&self) -> Option<&CompiledSelector<'c>> {
        self.selector.as_ref()
    }

    /// Tests one volume in upstream's order. If the volume fails a test, the result has the first failed test. Access
    /// modes are not tested here, because the search has selected the volumes by access modes before. Upstream:
    /// `FindMatchingVolume`, component-helpers, 1.36.
    pub fn fit(&self, volume: &PersistentVolume) -> Fit {
        let claim = self.claim;
        let bound_to_claim = is_volume_bound_to_claim(volume, claim);
        if volume.claim_ref.is_some() && !bound_to_claim {
            return Fit::No(CandidateVerdict::CandidateClaimedByOther);
        }
        if self.is_too_large_for(volume) {
            return Fit::No(CandidateVerdict::CandidateTooSmall);
        }
        if volume.mode() != claim.mode() {
            return Fit::No(CandidateVerdict::CandidateVolumeMode);
        }
        if self.attributes_class_differs(volume) {
            return Fit::No(CandidateVerdict::CandidateAttributesClass);
        }
        if volume.terminating() {
            return Fit::No(CandidateVerdict::CandidateDeleting);
        }
        if bound_to_claim {
            return Fit::Reserved;
        }
        if self.delay {
            return Fit::No(CandidateVerdict::CandidateDelayed);
        }
        if volume.status.phase != VolumePhase::Available {
            return Fit::No(CandidateVerdict::CandidatePhase);
        }
        if self.selector_differs(volume) {
            return Fit::No(CandidateVerdict::CandidateSelector);
        }
        if volume.class() != claim.class() {
            return Fit::No(CandidateVerdict::CandidateClass);
        }
        Fit::Free
    }

    /// Returns every test that the volume fails, in the order of [`Query::fit`], and access modes last. The delay of
    /// binding is left out, because it does not depend on the volume.
    pub fn misfits(&self, volume: &PersistentVolume) -> Vec<CandidateVerdict> {
        let claim = self.claim;
        let reserved = is_volume_bound_to_claim(volume, claim);
        let tests = [
            (CandidateVerdict::CandidateClaimedByOther, volume.claim_ref.is_some() && !reserved),
            (CandidateVerdict::CandidateTooSmall, self.is_too_large_for(volume)),
            (CandidateVerdict::CandidateVolumeMode, volume.mode() != claim.mode()),
            (CandidateVerdict::CandidateAttributesClass, self.attributes_class_differs(volume)),
            (CandidateVerdict::CandidateDeleting, volume.terminating()),
            (CandidateVerdict::CandidatePhase, !reserved && volume.status.phase != VolumePhase::Available),
            (CandidateVerdict::CandidateSelector, !reserved && self.selector_differs(volume)),
            (CandidateVerdict::CandidateClass, !reserved && volume.class() != claim.class()),
            (CandidateVerdict::CandidateAccessModes, !volume.access_modes.set().contains_all(&claim.access_modes)),
        ];
        tests.into_iter().filter(|(_, fails)| *fails).map(|(verdict, _)| verdict).collect()
    }

    fn is_too_large_for(&self, volume: &PersistentVolume) -> bool {
        volume.storage().copied().unwrap_or(Quantity::ZERO).compare(&self.request).is_lt()
    }

    fn attributes_class_differs(&self, volume: &PersistentVolume) -> bool {
        self.attributes_class_compared
            && if self.attributes_class {
                volume.attributes_class() != self.claim.attributes_class()
            } else {
                !volume.attributes_class().is_empty()
            }
    }

    fn selector_differs(&self, volume: &PersistentVolume) -> bool {
        self.selector.as_ref().is_some_and(|selector| !selector.matches(&volume.meta.labels))
    }
}

/// Finds the volume for a claim. Volumes are grouped by their exact access modes. Only groups with all requested modes
/// are searched, groups with the fewest modes first. The search ends at the smallest number of modes for which some
/// group has a volume that fits.
///
/// Upstream does not define the order of groups with the same number of modes, or of volumes with the same size in a
/// group. Any of these volumes can be chosen. Upstream: `findBestMatchForClaim`, `findByClaim`, 1.36.
pub(super) fn find_best_match_for_claim<'s>(
    sync: &mut SyncContext<'_, 's>,
    behavior: &KubernetesBehavior,
    claim: &PersistentVolumeClaim,
    delay: bool,
) -> Result<Option<SelectedVolume<'s>>, String> {
    sync.needs_list(Kind::PersistentVolume, "");
    let query = match Query::new(behavior, claim, delay) {
        Ok(query) => query,
        Err(_) if !any_group(sync, claim) => return Ok(None),
        Err(error) => return Err(error),
    };
    let Some(picked) = sync.pick(|sync| possible_volumes(sync, &query)) else { return Ok(None) };
    let Some(object) = sync.cached(picked) else { return Ok(None) };
    let reserved = is_volume_bound_to_claim(&object, claim);
    Ok(Some(SelectedVolume { volume: Volume { id: picked, object }, reserved }))
}

/// Returns the sets of access modes that contain the requested ones, grouped by the number of modes.
fn tiers(claim: &PersistentVolumeClaim) -> impl Iterator<Item = Vec<AccessModeSet>> {
    (0..=4).map(|length| {
        AccessModeSet::all()
            .filter(|set| set.len() == length && set.contains_all(&claim.access_modes))
            .collect::<Vec<_>>()
    })
}

/// Returns whether the controller's index has any volume with access modes that contain the requested ones.
fn any_group(sync: &mut SyncContext<'_, '_>, claim: &PersistentVolumeClaim) -> bool {
    let volumes = sync.world().places::<PersistentVolume>();
    volumes
        .into_iter()
        .any(|id| sync.cached(id).is_some_and(|volume| volume.access_modes.set().contains_all(&claim.access_modes)))
}

/// Returns the volumes that the search may choose, sorted by name. An order that upstream does not define decides which
/// of these volumes is chosen.
fn possible_volumes(sync: &mut SyncContext<'_, '_>, query: &Query<'_>) -> Vec<VolumeId> {
    let claim = query.claim;
    for tier in tiers(claim) {
        let mut volumes: Vec<VolumeId> = Vec::new();
        for set in tier {
            volumes.extend(best_of_group(sync, query, set));
        }
        if !volumes.is_empty() {
            volumes.sort_unstable();
            volumes.dedup();
            return volumes;
        }
    }
    Vec::new()
}

/// Returns the volumes of one group that the search may choose: all volumes whose claimRef names the claim or, if there
/// are none, the smallest free volumes that match.
fn best_of_group(sync: &mut SyncContext<'_, '_>, query: &Query<'_>, set: AccessModeSet) -> Vec<VolumeId> {
    let claim = query.claim;
    let snapshot: &Snapshot = sync.world().snapshot();
    // The indexes have the volumes as they were read. Volumes that were written later, or that differ in the cache, are
    // tested one by one.
    let mut changed: Vec<VolumeId> = sync.world().changed_of::<PersistentVolume>().map(|(id, _)| id).collect();
    changed.extend(sync.lagging::<PersistentVolume>());
    changed.sort_unstable();
    changed.dedup();
    let mut reserved: Vec<VolumeId> = Vec::new();
    let mut best: Option<(Quantity, Vec<VolumeId>)> = None;

    let naming = snapshot.volumes_naming(&claim.meta.namespace, &claim.meta.name).iter().copied();
    let unchanged = naming.filter(|id| !changed.contains(id));
    for id in unchanged.chain(changed.iter().copied()) {
        let Some(volume) = sync.cached(id) else { continue };
        if volume.access_modes.set() != set {
            continue;
        }
        match query.fit(&volume) {
            Fit::Reserved => reserved.push(id),
            Fit::Free => keep_smallest(&mut best, volume.storage().copied().unwrap_or(Quantity::ZERO), id),
            Fit::No(_) => {}
        }
    }
    if !reserved.is_empty() {
        return reserved;
    }
    // If binding is delayed, a claim gets only a volume whose claimRef names the claim. In a focused world, only the
    // volumes of the overlay exist, and all of them were tested above.
    if query.delay || sync.world().is_focused(Kind::PersistentVolume) {
        return best.map(|(_, volumes)| volumes).unwrap_or_default();
    }
    for group in groups_of(snapshot, query, set) {
        let size = |id: VolumeId| snapshot.volume(id).storage().copied().unwrap_or(Quantity::ZERO);
        // If no volume has changed, and attributes classes are enabled and compared, every volume of `group.free` that
        // is large enough fits a claim without a selector.
        if changed.is_empty() && query.selector.is_none() && query.attributes_class && query.attributes_class_compared {
            let start = group.free.partition_point(|id| size(*id).compare(&query.request).is_lt());
            let large = &group.free[start..];
            let Some(smallest) = large.first().map(|id| size(*id)) else { continue };
            let end = large.partition_point(|id| size(*id).compare(&smallest).is_eq());
            return large[..end].to_vec();
        }
        let start = group.members.partition_point(|id| size(*id).compare(&query.request).is_lt());
        for id in &group.members[start..] {
            let capacity = size(*id);
            if best.as_ref().is_some_and(|(smallest, _)| smallest.compare(&capacity).is_lt()) {
                break;
            }
            if changed.contains(id) {
                continue;
            }
            let fits = sync.cached(*id).is_some_and(|volume| query.fit(&volume) == Fit::Free);
            if fits {
                keep_smallest(&mut best, capacity, *id);
            }
        }
    }
    best.map(|(_, volumes)| volumes).unwrap_or_default()
}

/// Returns the groups of free volumes with these access modes whose volumes the claim may take. Since 1.31, there is at
/// most one such group. Before 1.31, attributes classes are not compared, so there can be several groups.
fn groups_of<'s>(snapshot: &'s Snapshot, query: &Query<'_>, set: AccessModeSet) -> Vec<&'s CandidateGroup> {
    let claim = query.claim;
    let key = GroupKey {
        class: claim.class().into(),
        mode: claim.mode(),
        attributes_class: if query.attributes_class { claim.attributes_class().into() } else { "".into() },
        access_modes: set,
    };
    if query.attributes_class_compared {
        return snapshot.candidate_group(&key).into_iter().collect();
    }
    let alike = |group: &&CandidateGroup| {
        group.key.class == key.class && group.key.mode == key.mode && group.key.access_modes == key.access_modes
    };
    snapshot.candidate_groups().iter().filter(alike).collect()
}

fn keep_smallest(best: &mut Option<(Quantity, Vec<VolumeId>)>, capacity: Quantity, id: VolumeId) {
    match best {
        Some((smallest, volumes)) => match capacity.compare(smallest) {
            std::cmp::Ordering::Less => *best = Some((capacity, vec![id])),
            std::cmp::Ordering::Equal => volumes.push(id),
            std::cmp::Ordering::Greater => {}
        },
        None => *best = Some((capacity, vec![id])),
    }
}
