//! The volumes that would fit a claim if other claims did not have them. The rules search for them if nobody provisions
//! a volume for the claim.

use crate::controllers::persistent_volume::matching::Query;
use crate::controllers::{CandidateVerdict, ClaimBranch};
use crate::diagnosis::Case;
use crate::model::{AnnotationKey, NO_PROVISIONER, PersistentVolume, PersistentVolumeClaim};
use crate::snapshot::VolumeId;

/// The reason why nobody provisions a volume for a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::diagnosis::rules) enum Unmade {
    /// The claim has no class.
    NoClass,
    /// The class of the claim does not exist.
    NoSuchClass,
    /// The provisioner of the class is a plugin that does not exist.
    NoPlugin,
    /// The class has no provisioner.
    NoProvisioner,
    /// The class has no provisioner, and binding waits until the pods that use the claim are scheduled.
    NoProvisionerForPod,
    /// The class has no provisioner, binding waits for a first consumer, and no pod uses the claim.
    NoProvisionerYet,
    /// Dynamic provisioning is switched off.
    SwitchedOff,
}

impl Unmade {
    /// Returns why nobody provisions a volume for the claim. Returns None if somebody provisions one, or if the claim
    /// has or names a volume.
    pub(in crate::diagnosis::rules) fn of(case: &Case<'_>, claim: &PersistentVolumeClaim) -> Option<Self> {
        let without = || case.class(claim.class()).is_some_and(|class| class.provisioner == NO_PROVISIONER);
        match case.waiting_branch(claim)? {
            ClaimBranch::UnboundClaimNoVolumeNoClass => Some(Self::NoClass),
            // Before 1.30 the controller tried to assign the default class to a claim that requests no class, and
            // failed.
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

/// The maximum number of volumes that are listed. Further volumes are only counted.
const NAMED: usize = 200;

/// Volumes that would fit a claim but belong to other claims or are being deleted.
#[derive(Debug, Default)]
pub(in crate::diagnosis::rules) struct Pool<'a> {
    /// The first of these volumes. In each group the smallest volume comes first.
    pub(in crate::diagnosis::rules) volumes: Vec<&'a PersistentVolume>,
    /// The number of all these volumes.
    pub(in crate::diagnosis::rules) count: usize,
}

/// Returns the volumes that would fit the claim but belong to other claims. Returns None if a free volume fits the
/// claim, or will fit it when it becomes Available.
pub(in crate::diagnosis::rules) fn taken<'a>(
    case: &Case<'a>,
    claim: &PersistentVolumeClaim,
    why: Unmade,
) -> Option<Pool<'a>> {
    let mut pool = Pool::default();
    // The query fails if the selector is invalid or the attributes class is not supported. The controller notices this
    // only if some volume has the requested access modes. Here the controller has not noticed it, so no volume has
    // these access modes.
    let Ok(query) = Query::new(case.behavior(), claim, false) else { return Some(pool) };
    let snapshot = case.snapshot();
    let request = claim.requested().unwrap_or_default();
    let is_small = |id: &VolumeId| snapshot.volume(*id).storage().is_none_or(|size| size.compare(&request).is_lt());
    // The volumes of a group differ only in size and labels, so all other tests have the same result for each of them.
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
        // If the class does not exist, volumes that a driver provisioned are not counted, because the claim then needs
        // a driver and not a free volume.
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

/// Returns why nobody provisions a volume for the claim, and the volumes that would fit. Returns None if somebody
/// provisions a volume, or if a free volume fits. Also returns None if the claim has no class, or its class does not
/// exist, and no volume would fit. In all other cases, the result may have no volumes at all.
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

/// Returns whether the volume would fit if no other claim had it, if it were not being deleted, and if it passed the
/// test `but_for`.
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
