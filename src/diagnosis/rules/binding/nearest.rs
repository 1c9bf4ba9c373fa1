//! The free volume that comes nearest to what a claim asks for. Volumes that no claim names are kept in groups of those
//! that are alike in all but size, labels and phase: a claim looks at a few members of each group, not at all volumes.

use super::{reserved_volumes, unbound_branch};
use crate::controllers::persistent_volume::matching::Query;
use crate::controllers::{CandidateVerdict, ClaimBranch};
use crate::diagnosis::Case;
use crate::model::NO_PROVISIONER;
use crate::model::{PersistentVolume, PersistentVolumeClaim, Quantity, StorageClass, newest_default};
use crate::snapshot::{CandidateGroup, Snapshot, VolumeId};
use crate::text::nearest;
use std::cmp::Ordering;

/// How many members of one group are looked at for their labels: of the claim's class or of none, and of another one.
const MEMBERS: usize = 100;
const STRANGERS: usize = 10;

/// How many groups of other classes are looked at.
const GROUPS: usize = 1000;

/// A free volume that a claim cannot have for one reason alone.
#[derive(Clone, Copy, Debug)]
pub(super) struct NearMiss<'a> {
    /// The volume.
    pub(super) volume: &'a PersistentVolume,
    /// The one test that it fails.
    pub(super) verdict: CandidateVerdict,
    /// No pod needs the claim yet.
    pub(super) is_early: bool,
}

/// The nearest volume for a claim that names none and for which nobody makes one; nothing where some volume fits.
pub(super) fn near_miss<'a>(case: &Case<'a>, claim: &PersistentVolumeClaim) -> Option<NearMiss<'a>> {
    let is_early = waits_in_vain(case, claim)?;
    let query = Query::new(case.rules(), claim, false).ok()?;
    let search = Search::new(case, &query, claim);
    let groups = case.snapshot().candidate_groups();
    let class = |group: &CandidateGroup| group.key.class.as_str().cmp(claim.class());
    let start = groups.partition_point(|group| class(group).is_lt());
    let length = groups[start..].partition_point(|group| class(group).is_eq());
    let (own, others) = (&groups[start..start + length], groups[..start].iter().chain(&groups[start + length..]));
    let mut best: Option<(VolumeId, CandidateVerdict)> = None;
    for group in own.iter().chain(others.take(GROUPS)) {
        for (id, misfits) in search.looked_at(group) {
            let verdict = match misfits.as_slice() {
                [] => return None,
                [verdict] => *verdict,
                _ => continue,
            };
            let nearer = |(other, of_other)| search.compare(case, (id, verdict), (other, of_other)).is_lt();
            if best.is_none_or(nearer) {
                best = Some((id, verdict));
            }
        }
    }
    let (id, verdict) = best?;
    Some(NearMiss { volume: case.snapshot().volume(id), verdict, is_early })
}

/// A free volume without a class that a claim of the default class would have but for that: also where somebody will
/// make another one for the claim.
pub(super) fn class_less<'a>(case: &Case<'a>, claim: &PersistentVolumeClaim) -> Option<&'a PersistentVolume> {
    let query = Query::new(case.rules(), claim, false).ok()?;
    let search = Search::new(case, &query, claim);
    let groups = case.snapshot().candidate_groups();
    let mut found = None;
    for group in groups.iter().filter(|group| group.key.class.is_empty() || group.key.class == claim.class()) {
        for (id, misfits) in search.looked_at(group) {
            match misfits.as_slice() {
                // The claim finds one of its own class.
                [] => return None,
                [CandidateVerdict::CandidateClass] => found = found.or(Some(id)),
                _ => {}
            }
        }
    }
    found.map(|id| case.snapshot().volume(id))
}

/// Whether the claim has the class that is the default one today.
pub(super) fn has_default_class(case: &Case<'_>, claim: &PersistentVolumeClaim) -> bool {
    let class = claim.class();
    !class.is_empty() && newest_default(case.snapshot().classes()).is_some_and(|default| default.meta.name == class)
}

/// Whether the two classes differ by a slip of the pen.
pub(super) fn is_a_slip(class: &str, other: &str) -> bool {
    !class.is_empty() && !other.is_empty() && !nearest(class, [other], 1).is_empty()
}

/// Whether nobody will make a volume for a claim that names none; and if so, whether no pod needs it yet. Where a
/// volume is reserved for the claim, that one matters and no other.
pub(super) fn waits_in_vain(case: &Case<'_>, claim: &PersistentVolumeClaim) -> Option<bool> {
    if !claim.volume_name.is_empty() {
        return None;
    }
    let is_early = match unbound_branch(case, claim)? {
        ClaimBranch::UnboundClaimProvisioningDisabled
        | ClaimBranch::UnboundClaimClassMissing
        | ClaimBranch::UnboundClaimInTreeProvisionerUnknown
        | ClaimBranch::UnboundClaimNoVolumeNoClass => false,
        ClaimBranch::UnboundClaimWaitForFirstConsumer if is_made_by_hand(case, claim) => true,
        ClaimBranch::UnboundClaimWaitForPodScheduled if is_made_by_hand(case, claim) => false,
        _ => return None,
    };
    if reserved_volumes(case, claim).next().is_some() || case.ends()?.of_every_sort().any(|end| end.phase() == "Bound")
    {
        return None;
    }
    Some(is_early)
}

/// Whether the volumes of the claim's class are made by hand.
fn is_made_by_hand(case: &Case<'_>, claim: &PersistentVolumeClaim) -> bool {
    case.class(claim.class()).is_some_and(|class| class.provisioner == NO_PROVISIONER)
}

/// One claim that looks for a volume.
struct Search<'s, 'q> {
    snapshot: &'s Snapshot,
    query: &'q Query<'q>,
    claim: &'q PersistentVolumeClaim,
    /// The scheduler searches, and nobody has found yet that no volume of the claim's class fits.
    is_first: bool,
}

impl<'s, 'q> Search<'s, 'q> {
    fn new(case: &Case<'s>, query: &'q Query<'q>, claim: &'q PersistentVolumeClaim) -> Self {
        let is_first = case.class(claim.class()).is_some_and(StorageClass::waits_for_first_consumer);
        Self { snapshot: case.snapshot(), query, claim, is_first }
    }

    /// The members of a group that may come nearest, with all that keeps each away; none of a group that differs in
    /// more than one thing.
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
        let request = self.claim.requested().unwrap_or(Quantity::ZERO);
        let is_small = |id: &VolumeId| self.size(*id).compare(&request).is_lt();
        let (small, large) = group.free.split_at(group.free.partition_point(is_small));
        let is_own = group.key.class == self.claim.class();
        let most = match (is_own && self.is_first, is_own || group.key.class.is_empty()) {
            (true, _) => usize::MAX,
            (false, true) => MEMBERS,
            (false, false) => STRANGERS,
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

    fn has_labels(&self, id: VolumeId) -> bool {
        self.query.selector().is_none_or(|selector| selector.matches(&self.snapshot.volume(id).meta.labels))
    }

    fn size(&self, id: VolumeId) -> Quantity {
        self.snapshot.volume(id).storage().copied().unwrap_or(Quantity::ZERO)
    }

    /// Which of two comes nearer: the less. One of the claim's own class before one of another, because classes are
    /// what keeps volumes apart that have nothing to do with each other.
    fn compare(
        &self,
        case: &Case<'_>,
        (one, of_one): (VolumeId, CandidateVerdict),
        (other, of_other): (VolumeId, CandidateVerdict),
    ) -> Ordering {
        let rank = |id: VolumeId, verdict: CandidateVerdict| match verdict {
            CandidateVerdict::CandidateDeleting => 0,
            CandidateVerdict::CandidateTooSmall => 1,
            CandidateVerdict::CandidateAccessModes => 2,
            CandidateVerdict::CandidateVolumeMode => 3,
            CandidateVerdict::CandidateAttributesClass => 4,
            CandidateVerdict::CandidateSelector => 5,
            CandidateVerdict::CandidateClass => {
                let class = self.snapshot.volume(id).class();
                if class.is_empty() && has_default_class(case, self.claim) {
                    6
                } else if is_a_slip(class, self.claim.class()) {
                    7
                } else {
                    8
                }
            }
            _ => 9,
        };
        let larger_first = || match of_one {
            CandidateVerdict::CandidateTooSmall => self.size(other).compare(&self.size(one)),
            _ => Ordering::Equal,
        };
        rank(one, of_one).cmp(&rank(other, of_other)).then_with(larger_first).then(one.cmp(&other))
    }
}
