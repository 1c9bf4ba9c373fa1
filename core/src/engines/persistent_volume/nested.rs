//! The exact engine for the large common case: free volumes and pending claims that differ only in size. The number of
//! steps grows with n log n.
//!
//! A claim takes the smallest free volume that is large enough. The sizes that a set of claims uses up do not depend on
//! the order of the claims (mathematicians call this a parking process). So a claim can reach a larger size exactly
//! when other claims can fill all sizes between. This is a condition on prefix sums.
//!
//! A volume that is not Available yet, such as a new one, is found only after its own sync, which may run at any time.
//! Until then, the search of a claim does not find the volume, although the volume is free. In the end the volume is
//! Available like all others. So whether a claim can reach a larger size depends on the volumes that are Available from
//! the beginning. Whether claims can take all volumes of a range of sizes depends on all volumes.

use crate::controllers::outcome::{max_listed, smallest};
use crate::controllers::persistent_volume::links::{may_search, own_classes, searched_classes};
use crate::controllers::persistent_volume::plugins::{Provider, find_provisionable_plugin};
use crate::controllers::{Limit, Outcome, OutcomeSet, Settings};
use crate::model::{ClaimPhase, PersistentVolume, PersistentVolumeClaim, Quantity, VolumePhase};
use crate::simulate::Component;
use crate::snapshot::{ClaimId, Snapshot, VolumeId};
use std::collections::BTreeSet;

/// Returns the outcomes of a component, in the component's order of objects. The value is `None` if the component does
/// not belong to this case.
pub(super) fn nested(snapshot: &Snapshot, settings: &Settings<'_>, component: &Component) -> Option<Vec<OutcomeSet>> {
    let volumes = component.of().map(|id| snapshot.volume(id));
    let claims = component.of().map(|id| snapshot.claim(id));
    let key = Snapshot::group_key(volumes.clone().next()?);
    let eligible = volumes.clone().all(|volume| is_plain_volume(volume) && Snapshot::group_key(volume) == key)
        && claims.clone().all(|claim| is_plain_claim(snapshot, settings, claim, &key));
    eligible.then(|| solved(snapshot, settings, component))
}

/// Returns whether the volume belongs to the common case. A volume without a capacity does not belong to it: a claim
/// that requests nothing would take this volume, and the binding would stop before the claim is Bound.
fn is_plain_volume(volume: &PersistentVolume) -> bool {
    volume.claim_ref.is_none() && !volume.terminating() && volume.storage().is_some()
}

/// Returns whether a search can find the volume before the first sync of the volume.
pub(super) fn is_found_at_first(volume: &PersistentVolume) -> bool {
    volume.status.phase == VolumePhase::Available
}

fn is_plain_claim(
    snapshot: &Snapshot,
    settings: &Settings<'_>,
    claim: &PersistentVolumeClaim,
    key: &crate::snapshot::GroupKey,
) -> bool {
    let provisions_in_tree = snapshot
        .class(claim.class())
        .is_some_and(|class| matches!(find_provisionable_plugin(&settings.behavior, class), Provider::InTree(_)));
    may_search(claim)
        && claim.selector.is_none()
        && !claim.terminating()
        && claim.status.phase == ClaimPhase::Pending
        // A claim that may get a default class searches its own class only until it gets the default class. This also
        // matters if the default class delays binding.
        && own_classes(snapshot, &settings.behavior, claim) == [key.class.clone()]
        && searched_classes(snapshot, &settings.behavior, claim) == [key.class.clone()]
        && claim.mode() == key.mode
        && settings.behavior.attributes_class_compared
        && settings.behavior.attributes_class
        && claim.attributes_class() == key.attributes_class
        && key.access_modes.contains_all(&claim.access_modes)
        && !provisions_in_tree
        && snapshot.volumes_naming(&claim.meta.namespace, &claim.meta.name).is_empty()
}

/// One size of volumes, and the claims for which this size is the smallest that is large enough.
struct Level {
    volumes: Vec<VolumeId>,
    /// The number of these volumes that a search can find from the beginning.
    found_at_first: usize,
    claims: Vec<ClaimId>,
}

/// The sizes that claims of one level can get: from their own size to `last`. They may also stay Pending.
#[derive(Clone, Copy)]
struct ReachableSizes {
    last: usize,
    may_stay_pending: bool,
}

/// Returns the outcomes of the objects of a component that belongs to this case.
fn solved(snapshot: &Snapshot, settings: &Settings<'_>, component: &Component) -> Vec<OutcomeSet> {
    let (levels, level_of_volume, level_of_claim) = levels(snapshot, component);
    let reachable_sizes = reachable_sizes(&levels);
    let availability = availability(&levels);
    let limit = settings.outcomes;

    let volumes_up_to = sums(levels.iter().map(|level| level.volumes.len()));
    let first_volumes = FirstOf::new(levels.iter().map(|level| level.volumes.as_slice()), limit);
    let claim_sets: Vec<Option<OutcomeSet>> = levels
        .iter()
        .enumerate()
        .map(|(at, level)| {
            let reach = (!level.claims.is_empty()).then(|| reachable_sizes[at])?;
            let mut count = volumes_up_to[reach.last + 1] - volumes_up_to[at];
            let mut listed = Vec::new();
            if reach.may_stay_pending {
                listed.push(Outcome::bound_claim(None));
                count += 1;
            }
            let names = first_volumes.within(at, reach.last);
            listed.extend(names.into_iter().map(|id| Outcome::bound_claim(Some(snapshot.volume(id)))));
            Some(OutcomeSet::counted(listed, count, true, limit))
        })
        .collect();

    // The claims that can take a volume of a level. They are updated from level to level, in ascending order.
    let mut ending: Vec<Vec<usize>> = vec![Vec::new(); levels.len()];
    for (at, reach) in reachable_sizes.iter().enumerate() {
        ending[reach.last].push(at);
    }
    let mut takers: BTreeSet<ClaimId> = BTreeSet::new();
    let mut volume_sets: Vec<[OutcomeSet; 2]> = Vec::with_capacity(levels.len());
    for (at, level) in levels.iter().enumerate() {
        takers.extend(&level.claims);
        let set = |may_stay_free: bool| {
            let free = may_stay_free.then(|| Outcome::plain_volume(None));
            let names = takers.iter().take(max_listed(limit));
            let bound = names.map(|id| Outcome::plain_volume(Some(snapshot.claim(*id))));
            let count = takers.len() as u64 + u64::from(may_stay_free);
            OutcomeSet::counted(free.into_iter().chain(bound).collect(), count, true, limit)
        };
        volume_sets.push([set(availability[at].found_late), set(availability[at].found_at_first)]);
        for ended in &ending[at] {
            for claim in &levels[*ended].claims {
                takers.remove(claim);
            }
        }
    }

    let unreachable = OutcomeSet::single(Outcome::bound_claim(None));
    let volumes = component.of().zip(level_of_volume).map(|(id, level)| {
        let [late, at_first] = &volume_sets[level];
        if is_found_at_first(snapshot.volume(id)) { at_first.clone() } else { late.clone() }
    });
    let claims = level_of_claim
        .into_iter()
        .map(|level| claim_sets.get(level).cloned().flatten().unwrap_or_else(|| unreachable.clone()));
    volumes.chain(claims).collect()
}

/// Returns the prefix sums of the lengths: the sum before each place, and the total.
fn sums(lengths: impl Iterator<Item = usize>) -> Vec<u64> {
    let mut sums = vec![0];
    for length in lengths {
        sums.push(sums.last().copied().unwrap_or_default() + length as u64);
    }
    sums
}

/// The first volumes by name in any range of levels, up to the limit of listed outcomes. It is a binary tree of ranges.
struct FirstOf {
    /// The root is at 1. The children of `n` are at `2n` and `2n + 1`. The levels begin at `leaves`.
    nodes: Vec<Vec<VolumeId>>,
    leaves: usize,
    max_listed: usize,
}

impl FirstOf {
    fn new<'l>(levels: impl ExactSizeIterator<Item = &'l [VolumeId]>, limit: Limit) -> Self {
        let (leaves, max_listed) = (levels.len(), max_listed(limit));
        let mut nodes: Vec<Vec<VolumeId>> = vec![Vec::new(); leaves];
        nodes.extend(levels.map(|volumes| smallest(volumes.iter().copied(), limit)));
        // If everything is listed, a tree would store each volume many times. In that case `within` merges the levels
        // of the range.
        if limit != Limit::All {
            for node in (1..leaves).rev() {
                nodes[node] = merged([&nodes[2 * node], &nodes[2 * node + 1]].into_iter(), max_listed);
            }
        }
        Self { nodes, leaves, max_listed }
    }

    /// Returns the first volumes by name in the levels from `from` to `last`, both included.
    fn within(&self, from: usize, last: usize) -> Vec<VolumeId> {
        if self.max_listed == usize::MAX {
            return merged(self.nodes[self.leaves + from..=self.leaves + last].iter(), self.max_listed);
        }
        let (mut low, mut high) = (from + self.leaves, last + self.leaves + 1);
        let mut covering = Vec::new();
        while low < high {
            if low % 2 == 1 {
                covering.push(&self.nodes[low]);
                low += 1;
            }
            if high % 2 == 1 {
                high -= 1;
                covering.push(&self.nodes[high]);
            }
            low /= 2;
            high /= 2;
        }
        merged(covering.into_iter(), self.max_listed)
    }
}

fn merged<'l>(lists: impl Iterator<Item = &'l Vec<VolumeId>>, max_listed: usize) -> Vec<VolumeId> {
    let mut all: Vec<VolumeId> = lists.flatten().copied().collect();
    all.sort_unstable();
    all.truncate(max_listed);
    all
}

/// Returns the levels in ascending order of size, and the level of each volume and claim. A claim that is larger than
/// all volumes gets the level after the last one.
fn levels(snapshot: &Snapshot, component: &Component) -> (Vec<Level>, Vec<usize>, Vec<usize>) {
    let size = |id: VolumeId| snapshot.volume(id).storage().copied().unwrap_or(Quantity::ZERO);
    let mut sizes: Vec<Quantity> = component.of().map(size).collect();
    sizes.sort_by(Quantity::compare);
    sizes.dedup_by(|a, b| a.compare(b).is_eq());
    let level_at = |wanted: &Quantity| sizes.partition_point(|size| size.compare(wanted).is_lt());
    let mut levels: Vec<Level> =
        sizes.iter().map(|_| Level { volumes: Vec::new(), found_at_first: 0, claims: Vec::new() }).collect();
    let level_of_volume: Vec<usize> = component.of().map(|id| level_at(&size(id))).collect();
    for (id, level) in component.of().zip(&level_of_volume) {
        levels[*level].volumes.push(id);
        levels[*level].found_at_first += usize::from(is_found_at_first(snapshot.volume(id)));
    }
    let level_of_claim: Vec<usize> =
        component.of().map(|id| level_at(&snapshot.claim(id).requested().unwrap_or(Quantity::ZERO))).collect();
    for (id, level) in component.of().zip(&level_of_claim) {
        if let Some(level) = levels.get_mut(*level) {
            level.claims.push(id);
        }
    }
    (levels, level_of_volume, level_of_claim)
}

fn signed(length: usize) -> i64 {
    i64::try_from(length).unwrap_or(i64::MAX)
}

/// Computes which sizes the claims of each level can get, and whether they can stay Pending.
///
/// `balance(k)` is the number of claims minus the number of volumes that are found from the beginning, up to level k. A
/// claim of level a can get level l ≥ a exactly when the other claims can fill all levels between. That is: for every k
/// from a to below l, `balance(k) − 1` is at least the smallest balance before a. The volumes that are found later have
/// no influence here.
///
/// A claim of level a can stay Pending exactly when the other claims can take all volumes of level a and of the higher
/// levels. The number of claims that come from lower levels is at most `balance(a−1)` minus the smallest balance before
/// a. These claims find no volume on the lower levels while the volumes that are found later are hidden. All volumes of
/// level a and of the higher levels have to be taken.
fn reachable_sizes(levels: &[Level]) -> Vec<ReachableSizes> {
    let mut balance = Vec::with_capacity(levels.len());
    let mut floor_before = Vec::with_capacity(levels.len());
    let mut from_below = Vec::with_capacity(levels.len());
    // For each level, the balance with all volumes. The second loop computes the smallest of these balances from the
    // highest level downwards.
    let mut smallest_after: Vec<i64> = vec![i64::MAX; levels.len()];
    let mut full_before = Vec::with_capacity(levels.len());
    let (mut sum, mut floor, mut full) = (0i64, 0i64, 0i64);
    for (at, level) in levels.iter().enumerate() {
        floor_before.push(floor);
        from_below.push(sum - floor);
        full_before.push(full);
        sum += signed(level.claims.len()) - signed(level.found_at_first);
        full += signed(level.claims.len()) - signed(level.volumes.len());
        balance.push(sum);
        smallest_after[at] = full;
        floor = floor.min(sum);
    }
    // The first level at or after `at` whose balance is at most the floor. It is searched in a stack of suffix minima.
    let mut reachable_sizes = vec![ReachableSizes { last: 0, may_stay_pending: false }; levels.len()];
    let mut minima: Vec<usize> = Vec::new();
    let mut smallest = i64::MAX;
    for at in (0..levels.len()).rev() {
        smallest = smallest.min(smallest_after[at]);
        while minima.last().is_some_and(|later| balance[*later] >= balance[at]) {
            minima.pop();
        }
        minima.push(at);
        // From the bottom of the stack (the last level) to its top (this level), balances increase and levels decrease.
        let wanted = floor_before[at];
        let below = minima.partition_point(|level| balance[*level] <= wanted);
        let last = below.checked_sub(1).map_or(levels.len() - 1, |place| minima[place]);
        reachable_sizes[at] =
            ReachableSizes { last, may_stay_pending: from_below[at] + smallest - full_before[at] > 0 };
    }
    reachable_sizes
}

/// Whether a volume of a level can stay Available.
#[derive(Clone, Copy)]
struct Availability {
    /// The answer for a volume that is found from the beginning. Every claim that searches this level takes such a
    /// volume, so all these claims need other volumes on lower levels or on this level.
    found_at_first: bool,
    /// The answer for a volume that is found later. The volume may be found last, so it can stay Available if all
    /// claims that search this level or a lower level find other volumes, on any level.
    found_late: bool,
}

/// Computes which volumes can stay Available. If the searches can find all volumes, the number of claims that continue
/// to the next level is the same for every order.
fn availability(levels: &[Level]) -> Vec<Availability> {
    let mut volumes_above: usize = levels.iter().map(|level| level.volumes.len()).sum();
    let mut carried = 0;
    levels
        .iter()
        .map(|level| {
            volumes_above -= level.volumes.len();
            let wanting = level.claims.len() + carried;
            carried = wanting.saturating_sub(level.volumes.len());
            Availability {
                found_at_first: wanting < level.volumes.len(),
                found_late: wanting < level.volumes.len() + volumes_above,
            }
        })
        .collect()
}
