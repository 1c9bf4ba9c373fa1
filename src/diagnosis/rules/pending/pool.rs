//! The volumes that could have been a claim's, had nobody else taken them: for claims for which nobody makes one.

use crate::controllers::persistent_volume::matching::Query;
use crate::controllers::{CandidateVerdict, ClaimBranch};
use crate::diagnosis::Case;
use crate::model::{AnnotationKey, NO_PROVISIONER, PersistentVolume, PersistentVolumeClaim};
use crate::snapshot::VolumeId;

/// Why nobody makes a volume for a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::diagnosis::rules) enum Unmade {
    /// It has no class.
    NoClass,
    /// Its class does not exist.
    NoSuchClass,
    /// Its class has the name of a plugin that does not exist.
    NoPlugin,
    /// Its class has no provisioner.
    NoProvisioner,
    /// The same, and binding waits for the pods that use it.
    NoProvisionerForPod,
    /// The same, and no pod uses it.
    NoProvisionerYet,
    /// Dynamic provisioning is switched off.
    SwitchedOff,
}

impl Unmade {
    /// Why nobody makes a volume for the claim; nothing where somebody does, or where it has one.
    pub(in crate::diagnosis::rules) fn of(case: &Case<'_>, claim: &PersistentVolumeClaim) -> Option<Self> {
        let without = || case.class(claim.class()).is_some_and(|class| class.provisioner == NO_PROVISIONER);
        match case.waiting_branch(claim)? {
            ClaimBranch::UnboundClaimNoVolumeNoClass => Some(Self::NoClass),
            // Before 1.30 a claim that asks for no class was given the default one in vain.
            ClaimBranch::UnboundClaimDefaultClassFailed if claim.has_class() && claim.class().is_empty() => {
                Some(Self::NoClass)
            }
            ClaimBranch::UnboundClaimClassMissing => Some(Self::NoSuchClass),
            ClaimBranch::UnboundClaimProvisioningDisabled => Some(Self::SwitchedOff),
            ClaimBranch::UnboundClaimInTreeProvisionerUnknown if without() => Some(Self::NoProvisioner),
            ClaimBranch::UnboundClaimInTreeProvisionerUnknown if case.dead_class(claim).is_some() => {
                Some(Self::NoPlugin)
            }
            ClaimBranch::UnboundClaimWaitForPodScheduled if without() => Some(Self::NoProvisionerForPod),
            ClaimBranch::UnboundClaimWaitForFirstConsumer if without() => Some(Self::NoProvisionerYet),
            _ => None,
        }
    }
}

/// So many volumes are named at most; the others are counted.
const NAMED: usize = 200;

/// Volumes that would fit a claim and that others have, or that are being deleted.
#[derive(Debug, Default)]
pub(in crate::diagnosis::rules) struct Pool<'a> {
    /// The first of them, the smallest of each kind first.
    pub(in crate::diagnosis::rules) volumes: Vec<&'a PersistentVolume>,
    /// How many there are.
    pub(in crate::diagnosis::rules) count: usize,
}

/// The volumes that would fit the claim and that others have; nothing where some volume is free for it, or will be.
pub(in crate::diagnosis::rules) fn taken<'a>(
    case: &Case<'a>,
    claim: &PersistentVolumeClaim,
    why: Unmade,
) -> Option<Pool<'a>> {
    let mut pool = Pool::default();
    // What cannot be matched is only noticed where some volume has the access modes that are asked for; none has.
    let Ok(query) = Query::new(case.behavior(), claim, false) else { return Some(pool) };
    let snapshot = case.snapshot();
    let request = claim.requested().unwrap_or_default();
    let is_small = |id: &VolumeId| snapshot.volume(*id).storage().is_none_or(|size| size.compare(&request).is_lt());
    // All that is compared but size and labels is alike in a group, so that one of it speaks for the others.
    let alike = |volumes: &[VolumeId]| {
        let labels = Some(CandidateVerdict::CandidateSelector);
        volumes.last().is_some_and(|id| could_fit(&query, snapshot.volume(*id), labels))
    };
    let has_selector = claim.selector.is_some();
    for group in snapshot.candidate_groups().iter().filter(|group| group.key.class == claim.class()) {
        if !alike(&group.members) {
            continue;
        }
        let fitting = &group.members[group.members.partition_point(is_small)..];
        for volume in case.volumes(fitting).filter(|volume| could_fit(&query, volume, None)) {
            if !volume.terminating() {
                return None;
            }
        }
    }
    for (_, volumes) in case.survey().taken(claim.class()).filter(|(_, volumes)| alike(volumes)) {
        let fitting = &volumes[volumes.partition_point(is_small)..];
        // A class that made its volumes itself is missed for other reasons than that these are taken.
        let counts = |volume: &&PersistentVolume| {
            (!has_selector || could_fit(&query, volume, None))
                && (why != Unmade::NoSuchClass || !volume.meta.annotations.has(AnnotationKey::ProvisionedBy))
        };
        if has_selector || why == Unmade::NoSuchClass {
            pool.count += case.volumes(fitting).filter(counts).count();
        } else {
            pool.count += fitting.len();
        }
        let room = NAMED.saturating_sub(pool.volumes.len());
        pool.volumes.extend(case.volumes(fitting).filter(counts).take(room));
    }
    Some(pool)
}

/// Whether nobody makes a volume for the claim, and others have all those that would fit. A class that exists and has
/// no provisioner is exhausted, too, while there is no such volume at all.
pub(in crate::diagnosis::rules) fn exhausted<'a>(
    case: &Case<'a>,
    claim: &PersistentVolumeClaim,
) -> Option<(Unmade, Pool<'a>)> {
    let why = Unmade::of(case, claim)?;
    let taken = taken(case, claim, why)?;
    let says_enough = match why {
        Unmade::NoClass | Unmade::NoSuchClass => taken.count > 0,
        Unmade::NoPlugin
        | Unmade::NoProvisioner
        | Unmade::NoProvisionerForPod
        | Unmade::NoProvisionerYet
        | Unmade::SwitchedOff => true,
    };
    says_enough.then_some((why, taken))
}

/// Whether the volume would fit if nobody had it, and if it did not fail that one test.
fn could_fit(query: &Query<'_>, volume: &PersistentVolume, but_for: Option<CandidateVerdict>) -> bool {
    query.misfits(volume).into_iter().all(|verdict| {
        Some(verdict) == but_for
            || matches!(
                verdict,
                CandidateVerdict::CandidateClaimedByOther
                    | CandidateVerdict::CandidatePhase
                    | CandidateVerdict::CandidateDeleting
            )
    })
}
