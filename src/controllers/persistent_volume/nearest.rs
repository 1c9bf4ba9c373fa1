//! The volume that comes nearest to what a claim asks for. One definition for all who speak of it: the fewer tests a
//! volume fails the nearer it is; of those that fail equally many, it depends on which tests these are; and of those
//! that are alike in that, the one whose size is nearest.

use super::candidates::Candidate;
use crate::controllers::persistent_volume::matching::Query;
use crate::controllers::{CandidateVerdict, KubernetesBehavior};
use crate::model::{PersistentVolume, PersistentVolumeClaim, Quantity, StorageClass, newest_default};
use crate::snapshot::{CandidateGroup, Snapshot, VolumeId};
use crate::text::nearest;

/// How many members of one group are looked at for their labels: of the claim's class or of none, and of another one.
const MEMBERS: usize = 100;
const STRANGERS: usize = 10;

/// How many groups of other classes are looked at.
const GROUPS: usize = 1000;

/// How near a volume comes that a claim cannot have: the less, the nearer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Nearness {
    /// How many tests it fails.
    fails: usize,
    /// How much the worst of these keeps the two apart.
    rank: u8,
    /// By how many bytes the size differs from the request.
    distance: i64,
}

/// A claim that looks for a volume, and what measures how near one comes.
#[derive(Debug)]
pub struct Search<'s, 'q> {
    snapshot: &'s Snapshot,
    query: &'q Query<'q>,
    claim: &'q PersistentVolumeClaim,
    has_default_class: bool,
}

/// What a search among free volumes ends with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Nearest {
    /// Some volume fits.
    pub fits: bool,
    /// The nearest of those that fail one test alone, and that test; also one that is free but for being deleted.
    pub miss: Option<(VolumeId, CandidateVerdict)>,
    /// Some volume that is free, and not being deleted, fails one test alone or none.
    pub nearly_fits: bool,
}

/// The nearest free volume for that claim, whether or not somebody makes another one for it. Nothing where the
/// controller cannot search.
pub fn nearest_volume(snapshot: &Snapshot, behavior: &KubernetesBehavior, claim: &PersistentVolumeClaim) -> Nearest {
    let Ok(query) = Query::new(behavior, claim, false) else { return Nearest::default() };
    Search::new(snapshot, &query, claim).nearest()
}

/// A free volume without a class that the claim would have but for that; nothing where it finds one of its own class.
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

/// Whether the claim has the class that is the default one today.
pub fn has_default_class(snapshot: &Snapshot, claim: &PersistentVolumeClaim) -> bool {
    let class = claim.class();
    !class.is_empty() && newest_default(snapshot.classes()).is_some_and(|default| default.meta.name == class)
}

/// Whether the two classes differ by a slip of the pen.
pub fn is_a_slip(class: &str, other: &str) -> bool {
    !class.is_empty() && !other.is_empty() && !nearest(class, [other], 1).is_empty()
}

impl<'s, 'q> Search<'s, 'q> {
    /// Prepares the search of one claim.
    pub fn new(snapshot: &'s Snapshot, query: &'q Query<'q>, claim: &'q PersistentVolumeClaim) -> Self {
        Self { snapshot, query, claim, has_default_class: has_default_class(snapshot, claim) }
    }

    /// How near a volume comes that fails these tests.
    pub fn nearness(&self, volume: &PersistentVolume, misfits: &[CandidateVerdict]) -> Nearness {
        let rank = misfits.iter().map(|verdict| self.rank(volume, *verdict)).max().unwrap_or(0);
        let size = volume.storage().copied().unwrap_or(Quantity::ZERO);
        let distance = size.value().saturating_sub(self.request().value()).saturating_abs();
        Nearness { fails: misfits.len(), rank, distance }
    }

    /// How near each of the volumes comes that matching has looked at, in their order.
    pub(super) fn measure(&self, listed: &mut [Candidate]) {
        for candidate in listed {
            let volume = self.snapshot.volume(candidate.volume);
            candidate.nearness = Some(self.nearness(volume, &self.query.misfits(volume)));
        }
    }

    /// How much a test keeps a volume and the claim apart. One of the claim's own class comes before one of another,
    /// because classes are what keeps volumes apart that have nothing to do with each other.
    fn rank(&self, volume: &PersistentVolume, verdict: CandidateVerdict) -> u8 {
        match verdict {
            // The next sync makes it Available.
            CandidateVerdict::CandidatePhase => 0,
            CandidateVerdict::CandidateDeleting => 1,
            CandidateVerdict::CandidateTooSmall => 2,
            CandidateVerdict::CandidateAccessModes => 3,
            CandidateVerdict::CandidateVolumeMode => 4,
            CandidateVerdict::CandidateAttributesClass => 5,
            CandidateVerdict::CandidateSelector => 6,
            CandidateVerdict::CandidateClass if volume.class().is_empty() && self.has_default_class => 7,
            CandidateVerdict::CandidateClass if is_a_slip(volume.class(), self.claim.class()) => 8,
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

    /// The members of a group that may come nearest, with all that keeps each away; none of a group that differs in
    /// more than one thing. Volumes that no claim names are kept in groups of those that are alike in all but size,
    /// labels and phase, so that a claim looks at a few members of each group, not at all volumes.
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

    /// Of the free members the smallest that is large enough, or the largest; with a selector those of the right
    /// labels, too. And one that is free but for being deleted.
    fn members(&self, group: &CandidateGroup) -> Vec<VolumeId> {
        let request = self.request();
        let is_small = |id: &VolumeId| self.size(*id).compare(&request).is_lt();
        let (small, large) = group.free.split_at(group.free.partition_point(is_small));
        let is_own = group.key.class == self.claim.class();
        // The scheduler searches for claims of such classes, and nobody has found yet that no volume of the class fits.
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
