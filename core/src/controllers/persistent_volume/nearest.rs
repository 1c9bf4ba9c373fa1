//! The search for the free volume that is nearest to what a claim asks for. All code uses this one definition of
//! nearness. A volume that fails fewer tests is nearer. If two volumes fail equally many tests, the kind of the failed
//! tests decides, and then the difference in size.
//!
//! A free volume has no `claimRef`. The search uses only those free volumes that are Available or being deleted.

use super::candidates::Candidate;
use crate::controllers::persistent_volume::matching::Query;
use crate::controllers::{CandidateVerdict, KubernetesBehavior};
use crate::model::{PersistentVolume, PersistentVolumeClaim, Quantity, StorageClass, newest_default};
use crate::snapshot::{CandidateGroup, Snapshot, VolumeId};
use crate::text::nearest;

/// The limit of each search for labels in one group. A group has up to three such searches: large volumes, small
/// volumes, and volumes that are being deleted. `MEMBERS` is for groups of the claim's class and for groups without a
/// class, `STRANGERS` for groups of other classes. The claim's own class has no limit if it delays binding.
const MEMBERS: usize = 100;
const STRANGERS: usize = 10;

/// The number of groups of other classes that are searched.
const GROUPS: usize = 1000;

/// The distance of a volume from what a claim asks for. A smaller value is nearer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Nearness {
    /// The number of tests that the volume fails.
    fails: usize,
    /// The rank of the worst failed test.
    rank: u8,
    /// The difference between size and request, in bytes.
    distance: i64,
}

/// The search for the nearest volume of one claim.
#[derive(Debug)]
pub struct Search<'s, 'q> {
    snapshot: &'s Snapshot,
    query: &'q Query<'q>,
    claim: &'q PersistentVolumeClaim,
    has_default_class: bool,
}

/// The result of a search among free volumes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Nearest {
    /// Whether some volume matches.
    pub fits: bool,
    /// The nearest volume that fails exactly one test, with that test. The test may be that the volume is being
    /// deleted.
    pub miss: Option<(VolumeId, CandidateVerdict)>,
    /// Whether some volume that is Available and not being deleted fails at most one test.
    pub nearly_fits: bool,
}

/// Returns whether a free volume fits the claim. If none fits, the result has the nearest free volume that fails
/// exactly one test. Free volumes that are neither Available nor being deleted are left out. It does not matter whether
/// the class of the claim delays binding or has a provisioner. The result is empty if the controller cannot search, for
/// example because the selector of the claim is invalid.
pub fn nearest_volume(snapshot: &Snapshot, behavior: &KubernetesBehavior, claim: &PersistentVolumeClaim) -> Nearest {
    let Ok(query) = Query::new(behavior, claim, false) else { return Nearest::default() };
    Search::new(snapshot, &query, claim).nearest()
}

/// Returns a free volume that has no class and matches the claim in everything else. Returns `None` if there is no such
/// volume, if another volume matches the claim in everything, or if the controller cannot search.
pub fn class_less_volume(
    snapshot: &Snapshot,
    behavior: &KubernetesBehavior,
    claim: &PersistentVolumeClaim,
) -> Option<VolumeId> {
    let query = Query::new(behavior, claim, false).ok()?;
    let search = Search::new(snapshot, &query, claim);
    let groups = snapshot.candidate_groups();
    let mut found = None;
    for group in groups.iter().filter(|group| group.key.class.is_empty() || group.key.class == claim.class()) {
        for (id, misfits) in search.looked_at(group) {
            match misfits.as_slice() {
                [] => return None,
                [CandidateVerdict::CandidateClass] => found = found.or(Some(id)),
                _ => {}
            }
        }
    }
    found
}

/// Returns whether the claim has the class that is the default class now.
pub fn has_default_class(snapshot: &Snapshot, claim: &PersistentVolumeClaim) -> bool {
    let class = claim.class();
    !class.is_empty() && newest_default(snapshot.classes()).is_some_and(|default| default.meta.name == class)
}

/// Returns whether the names of the two classes are similar: they differ by a few typing errors, or the second name
/// begins with the first.
pub fn differs_by_typo(class: &str, other: &str) -> bool {
    !class.is_empty() && !other.is_empty() && !nearest(class, [other], 1).is_empty()
}

impl<'s, 'q> Search<'s, 'q> {
    /// Prepares the search for one claim.
    pub fn new(snapshot: &'s Snapshot, query: &'q Query<'q>, claim: &'q PersistentVolumeClaim) -> Self {
        Self { snapshot, query, claim, has_default_class: has_default_class(snapshot, claim) }
    }

    /// Returns the nearness of a volume that fails these tests.
    pub fn nearness(&self, volume: &PersistentVolume, misfits: &[CandidateVerdict]) -> Nearness {
        let rank = misfits.iter().map(|verdict| self.rank(volume, *verdict)).max().unwrap_or(0);
        let size = volume.storage().copied().unwrap_or(Quantity::ZERO);
        let distance = size.value().saturating_sub(self.request().value()).saturating_abs();
        Nearness { fails: misfits.len(), rank, distance }
    }

    /// Measures the nearness of each listed volume.
    pub(super) fn measure(&self, listed: &mut [Candidate]) {
        for candidate in listed {
            let volume = self.snapshot.volume(candidate.volume);
            candidate.nearness = Some(self.nearness(volume, &self.query.misfits(volume)));
        }
    }

    /// Returns the rank of a failed test. A volume of the claim's own class is nearer than one of another class,
    /// because classes separate volumes that are unrelated.
    fn rank(&self, volume: &PersistentVolume, verdict: CandidateVerdict) -> u8 {
        match verdict {
            // The next sync of the volume makes it Available.
            CandidateVerdict::CandidatePhase => 0,
            CandidateVerdict::CandidateDeleting => 1,
            CandidateVerdict::CandidateTooSmall => 2,
            CandidateVerdict::CandidateAccessModes => 3,
            CandidateVerdict::CandidateVolumeMode => 4,
            CandidateVerdict::CandidateAttributesClass => 5,
            CandidateVerdict::CandidateSelector => 6,
            CandidateVerdict::CandidateClass if volume.class().is_empty() && self.has_default_class => 7,
            CandidateVerdict::CandidateClass if differs_by_typo(volume.class(), self.claim.class()) => 8,
            CandidateVerdict::CandidateClass => 9,
            _ => 10,
        }
    }

    fn nearest(&self) -> Nearest {
        let groups = self.snapshot.candidate_groups();
        let class = |group: &CandidateGroup| group.key.class.as_str().cmp(self.claim.class());
        let start = groups.partition_point(|group| class(group).is_lt());
        let length = groups[start..].partition_point(|group| class(group).is_eq());
        let (own, others) = (&groups[start..start + length], groups[..start].iter().chain(&groups[start + length..]));
        let mut found = Nearest::default();
        let mut best: Option<(Nearness, VolumeId, CandidateVerdict)> = None;
        for group in own.iter().chain(others.take(GROUPS)) {
            for (id, misfits) in self.looked_at(group) {
                let verdict = match misfits.as_slice() {
                    [] => return Nearest { fits: true, miss: None, nearly_fits: true },
                    [verdict] => *verdict,
                    _ => continue,
                };
                found.nearly_fits |= verdict != CandidateVerdict::CandidateDeleting;
                let nearness = self.nearness(self.snapshot.volume(id), &misfits);
                if best.is_none_or(|(nearest, of, _)| (nearness, id) < (nearest, of)) {
                    best = Some((nearness, id, verdict));
                }
            }
        }
        found.miss = best.map(|(_, id, verdict)| (id, verdict));
        found
    }

    /// Returns the members of a group that may be nearest, each with the tests that it fails. The result is empty if
    /// the group differs from the claim in more than one of class, volume mode and access modes.
    ///
    /// Volumes of one group differ only in size, labels, phase and deletion. So the search visits a few members of each
    /// group and not all volumes.
    fn looked_at(&self, group: &CandidateGroup) -> Vec<(VolumeId, Vec<CandidateVerdict>)> {
        let (key, claim) = (&group.key, self.claim);
        let differ =
            [key.class != claim.class(), key.mode != claim.mode(), !key.access_modes.contains_all(&claim.access_modes)];
        if differ.into_iter().filter(|differs| *differs).count() > 1 {
            return Vec::new();
        }
        let members = self.members(group);
        members.into_iter().map(|id| (id, self.query.misfits(self.snapshot.volume(id)))).collect()
    }

    /// Returns the smallest member that is large enough, or else the largest member. If the claim has a selector, a
    /// member with matching labels is added. All these members are Available and not being deleted. A member that is
    /// being deleted is added as well, if it is large enough and has matching labels.
    fn members(&self, group: &CandidateGroup) -> Vec<VolumeId> {
        let request = self.request();
        let is_small = |id: &VolumeId| self.size(*id).compare(&request).is_lt();
        let (small, large) = group.free.split_at(group.free.partition_point(is_small));
        let is_own = group.key.class == self.claim.class();
        // If the class delays binding, the scheduler searches for a volume, and the controller does not. So the
        // decision of the controller does not show whether a volume of the class matches, and all members are examined.
        let is_first = || self.snapshot.class(self.claim.class()).is_some_and(StorageClass::waits_for_first_consumer);
        let most = match is_own || group.key.class.is_empty() {
            _ if is_own && is_first() => usize::MAX,
            true => MEMBERS,
            false => STRANGERS,
        };
        let mut members: Vec<VolumeId> = Vec::new();
        if self.query.selector().is_some() {
            let mut labelled = large.iter().take(most).chain(small.iter().rev().take(most));
            members.extend(labelled.find(|id| self.has_labels(**id)));
        }
        members.extend(large.first().or(small.last()));
        if group.free.len() < group.members.len() {
            let large = &group.members[group.members.partition_point(is_small)..];
            let mut deleted = large.iter().take(most).filter(|id| self.snapshot.volume(**id).terminating());
            members.extend(deleted.find(|id| self.has_labels(**id)));
        }
        members
    }

    fn request(&self) -> Quantity {
        self.claim.requested().unwrap_or(Quantity::ZERO)
    }

    fn has_labels(&self, id: VolumeId) -> bool {
        self.query.selector().is_none_or(|selector| selector.matches(&self.snapshot.volume(id).meta.labels))
    }

    fn size(&self, id: VolumeId) -> Quantity {
        self.snapshot.volume(id).storage().copied().unwrap_or(Quantity::ZERO)
    }
}
