//! The end states of volumes and claims.

use super::reclaim::{DataFate, data_fate};
use super::{DESTROYED, SCRUBBING};
use crate::controllers::{KubernetesBehavior, Outcome};
use crate::model::{ClaimPhase, ObjectId, PersistentVolume, PersistentVolumeClaim, Str, TypedId, VolumePhase};
use crate::world::World;

/// Returns the end states that a volume or a claim has if the simulation ends in this world. There are two end states
/// if a recycler pod may have erased the volume and no object shows whether it has.
pub fn ends(behavior: &KubernetesBehavior, world: &World<'_>, id: ObjectId, unsettled: bool) -> Option<Vec<Outcome>> {
    match id.typed() {
        TypedId::PersistentVolume(volume) => {
            let destroyed = world.has_mark(id, DESTROYED);
            let end = Outcome::of_volume(behavior, world.get(volume).as_deref(), destroyed, unsettled);
            Some(end.with_scrubbing(world.has_mark(id, SCRUBBING)))
        }
        TypedId::PersistentVolumeClaim(claim) => {
            let mut end = Outcome::of_claim(world.get(claim).as_deref(), unsettled);
            if let Outcome::Claim { created, .. } = &mut end {
                *created = world.is_new(claim);
            }
            Some(vec![end])
        }
        _ => None,
    }
}

impl Outcome {
    /// Returns the end state of a claim, as its object shows it. `None` means that the claim is gone.
    pub fn of_claim(claim: Option<&PersistentVolumeClaim>, unsettled: bool) -> Self {
        match claim {
            None => Self::Gone { data: None, unsettled },
            Some(claim) => Self::Claim {
                phase: claim.status.phase.clone(),
                volume_name: claim.volume_name.clone(),
                terminating: claim.terminating().then(|| claim.meta.finalizers.to_vec()),
                unsettled,
                created: false,
            },
        }
    }

    /// Returns the end states of a volume for which the controller may have started a recycler pod. The pod continues
    /// even if the volume's object vanishes, and the pod may fail. So the data may be erased or kept. Upstream:
    /// `recycleVolumeOperation` and `RecycleVolumeByWatchingPodUntilCompletion` (`pkg/volume/util/recyclerclient`),
    /// 1.36.
    pub fn with_scrubbing(self, scrubbing: bool) -> Vec<Self> {
        match self {
            Self::Gone { data: Some(DataFate::Kept), unsettled } if scrubbing => {
                vec![self, Self::Gone { data: Some(DataFate::Scrubbed), unsettled }]
            }
            other => vec![other],
        }
    }

    /// Returns the end state of a volume. `destroyed` says whether the controller or a provisioner has deleted its
    /// storage. If it is false and the object is gone, the storage is kept.
    pub fn of_volume(
        behavior: &KubernetesBehavior,
        volume: Option<&PersistentVolume>,
        destroyed: bool,
        unsettled: bool,
    ) -> Self {
        let lost = destroyed.then_some(DataFate::Destroyed);
        match volume {
            None => Self::Gone { data: Some(lost.unwrap_or(DataFate::Kept)), unsettled },
            Some(volume) => Self::Volume {
                phase: volume.status.phase.clone(),
                claim_ref: volume
                    .claim_ref
                    .as_ref()
                    .map(|named| (named.namespace.clone(), named.name.clone(), named.uid.clone())),
                terminating: volume.terminating().then(|| volume.meta.finalizers.to_vec()),
                data: lost.or_else(|| {
                    matches!(volume.status.phase, VolumePhase::Released | VolumePhase::Failed)
                        .then(|| data_fate(behavior, volume))
                }),
                unsettled,
            },
        }
    }
}

impl Outcome {
    /// Returns the end state of a claim that is bound to this volume, or that stays Pending without one.
    pub fn bound_claim(volume: Option<&PersistentVolume>) -> Self {
        Self::Claim {
            phase: if volume.is_some() { ClaimPhase::Bound } else { ClaimPhase::Pending },
            volume_name: volume.map(|volume| volume.meta.name.clone()).unwrap_or_default(),
            terminating: None,
            unsettled: false,
            created: false,
        }
    }

    /// Returns the end state of a volume that is bound to this claim, or that stays Available without one.
    pub fn plain_volume(claim: Option<&PersistentVolumeClaim>) -> Self {
        Self::Volume {
            phase: if claim.is_some() { VolumePhase::Bound } else { VolumePhase::Available },
            claim_ref: claim
                .map(|claim| (claim.meta.namespace.clone(), claim.meta.name.clone(), claim.meta.uid.clone())),
            terminating: None,
            data: None,
            unsettled: false,
        }
    }
}

impl Outcome {
    /// Returns the same end state with another volume, if it names a volume.
    #[must_use]
    pub fn with_volume(mut self, name: Str) -> Self {
        if let Self::Claim { volume_name, .. } = &mut self
            && !volume_name.is_empty()
        {
            *volume_name = name;
        }
        self
    }

    /// Returns the same end state with another claim, if it names a claim.
    #[must_use]
    pub fn with_claim(mut self, claim: (Str, Str, Str)) -> Self {
        if let Self::Volume { claim_ref: Some(named), .. } = &mut self {
            *named = claim;
        }
        self
    }
}
