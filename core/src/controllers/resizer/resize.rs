//! The resize controller. Upstream: `syncPVC` and `expandAndRecover`, `pkg/controller`, v2.3.0.

use super::Resizer;
use super::decision::{Change, ClaimPatch, ConditionChange, NewCondition, VolumePatch};
use super::expand::Support;
use super::input::{Driver, Expansion, ResizeMemory};
use super::leaves::ResizeBranch;
use super::work::{End, Work, key};
use crate::controllers::csi_sidecar::RETRY_MAX;
use crate::controllers::resizing::{
    CONTROLLER_ERROR, CONTROLLER_IN_PROGRESS, CONTROLLER_INFEASIBLE, FILE_SYSTEM_PENDING, NODE_ERROR, NODE_IN_PROGRESS,
    NODE_INFEASIBLE, NODE_PENDING, RESIZING, allocated, progress, true_condition,
};
use crate::model::{
    Amount, AnnotationKey, ClaimPhase, PersistentVolume, PersistentVolumeClaim, Pod, Quantity, Timestamp,
};
use std::cmp::Ordering;

/// The reason of the events about an expansion that failed.
pub(super) const RESIZE_FAILED: &str = "VolumeResizeFailed";

/// A claim with its volume, and how the resizer handles the volume.
pub(super) struct Pair<'s, 'c> {
    pub(super) claim: &'c PersistentVolumeClaim,
    pub(super) volume: &'s PersistentVolume,
    pub(super) support: Support,
}

/// The next size of the volume, or why there is none.
enum Target {
    Size(Amount),
    LeftTo(ResizeBranch),
}

impl<'s> Resizer<'s> {
    pub(super) fn resize(
        &self,
        work: &mut Work<'_, 's>,
        claim: &PersistentVolumeClaim,
        memory: &mut ResizeMemory,
        driver: &Driver,
    ) -> End<ResizeBranch> {
        if self.sidecar.expansion == Expansion::Never {
            return End::Done(ResizeBranch::ResizeNotOffered);
        }
        let name = &claim.volume_name;
        if name.is_empty() {
            return End::Done(ResizeBranch::ResizeUnbound);
        }
        let Some(volume) = work.reads.find::<PersistentVolume>("", name) else {
            let error = format!("PV \"{name}\" bound to pvc \"{}\" not found", key(claim));
            return End::Failed(ResizeBranch::ResizeVolumeMissing, error);
        };
        let has = claim.status.storage().unwrap_or(&Quantity::ZERO);
        let capacity = volume.storage().unwrap_or(&Quantity::ZERO);
        if has.compare(capacity).is_ge()
            && volume.meta.annotations.has(AnnotationKey::PreResizeCapacity)
            && let Err(text) = work.patch_volume(name, VolumePatch::RemovePreResizeCapacity)
        {
            let annotation = AnnotationKey::PreResizeCapacity.as_str();
            let error = format!("failed removing annotation {annotation} from pv \"{name}\": {text}");
            return End::Failed(ResizeBranch::PreResizeCapacityKept, error);
        }
        let wants = claim.requested().unwrap_or(Quantity::ZERO);
        if claim.status.phase != ClaimPhase::Bound || wants.compare(has).is_le() {
            return End::Done(ResizeBranch::ResizeNotWanted);
        }
        let Some(support) = self.support(claim, volume) else {
            return End::Done(ResizeBranch::ResizeOfOtherDriver);
        };
        let is_ours = volume
            .claim_ref
            .as_ref()
            .is_some_and(|reference| reference.namespace == claim.meta.namespace && reference.uid == claim.meta.uid);
        if !is_ours {
            return End::Done(ResizeBranch::ResizeVolumeOfOtherClaim);
        }
        self.expand_and_recover(work, &Pair { claim, volume, support }, memory, driver)
    }

    fn expand_and_recover(
        &self,
        work: &mut Work<'_, 's>,
        pair: &Pair<'s, '_>,
        memory: &mut ResizeMemory,
        driver: &Driver,
    ) -> End<ResizeBranch> {
        let claim = pair.claim;
        let slow_until = memory.slow_until;
        // After a restart, the resizer learns from the claim that the driver has refused its size.
        if progress(claim) == CONTROLLER_INFEASIBLE {
            memory.slow_until.get_or_insert(work.at.saturating_add(RETRY_MAX));
        }
        let size = match self.target(pair, memory) {
            Target::LeftTo(leaf) => return End::Done(leaf),
            Target::Size(size) => size,
        };
        let is_same = allocated(claim).is_some_and(|allocated| allocated.compare(&size.quantity).is_eq());
        if is_same && let Some(until) = slow_until {
            return End::Delayed(ResizeBranch::ResizeDelayed, until);
        }
        if let Err(text) = work.patch_claim(claim, begin(work.moment(), size.clone(), !is_same)) {
            let error = format!("marking pvc \"{}\" as resizing failed: {text}", key(claim));
            return End::Failed(ResizeBranch::ResizeMarkFailed, error);
        }
        if memory.in_use && self.is_used(work, claim) {
            let error = format!(
                "Unable to expand {} because CSI driver {} only supports offline expansion and volume is currently \
                 in-use",
                key(claim),
                self.sidecar.driver
            );
            work.note(true, RESIZE_FAILED, error.as_str());
            return End::Failed(ResizeBranch::ResizeWaitsForPods, error);
        }
        let volume = &pair.volume.meta.name;
        work.note(false, "Resizing", format!("External resizer is resizing volume {volume}"));
        memory.in_use = false;
        let end = self.expand(work, pair, size, memory, driver);
        if let End::Failed(_, error) = &end {
            work.note(true, RESIZE_FAILED, error.as_str());
        }
        end
    }

    /// Returns the size to which the volume is expanded next. An expansion that may go on is ended first, even if the
    /// claim requests another size by now.
    fn target(&self, pair: &Pair<'_, '_>, memory: &ResizeMemory) -> Target {
        let claim = pair.claim;
        let wants = || Target::Size(claim.request.clone().unwrap_or(Quantity::ZERO.into()));
        let resumed = || allocated(claim).map_or_else(wants, |size| Target::Size(size.into()));
        let capacity = pair.volume.storage().unwrap_or(&Quantity::ZERO);
        let requested = claim.requested().unwrap_or(Quantity::ZERO);
        if capacity.compare(&requested) == Ordering::Less {
            return match progress(claim) {
                NODE_PENDING | NODE_IN_PROGRESS => match resumed() {
                    Target::Size(size) if capacity.compare(&size.quantity).is_ge() => {
                        Target::LeftTo(ResizeBranch::ResizeLeftToNode)
                    }
                    target => target,
                },
                NODE_INFEASIBLE => resumed(),
                CONTROLLER_IN_PROGRESS if !memory.failed_for_certain => resumed(),
                _ => wants(),
            };
        }
        match progress(claim) {
            NODE_PENDING | NODE_IN_PROGRESS => Target::LeftTo(ResizeBranch::ResizeLeftToNode),
            NODE_INFEASIBLE if self.sidecar.expansion == Expansion::OnlyByNode => wants(),
            NODE_INFEASIBLE | CONTROLLER_IN_PROGRESS | CONTROLLER_INFEASIBLE => resumed(),
            "" if allocated(claim).is_some() => resumed(),
            _ if true_condition(claim, FILE_SYSTEM_PENDING).is_some() => {
                Target::LeftTo(ResizeBranch::ResizeLeftToFileSystem)
            }
            _ => wants(),
        }
    }

    /// Returns whether a pod uses the claim. Generic ephemeral volumes do not count. Upstream: `inUsePVCStore`, v2.3.0.
    fn is_used(&self, work: &mut Work<'_, 's>, claim: &PersistentVolumeClaim) -> bool {
        self.sidecar.watches_pods
            && work.reads.list::<Pod>().any(|pod| {
                pod.meta.namespace == claim.meta.namespace
                    && !pod.terminated()
                    && pod.named_claims().any(|name| *name == claim.meta.name)
            })
    }
}

/// Returns the conditions of an expansion without the condition of the type `kept`.
pub(super) fn without_conditions_but(kept: &str) -> Vec<ConditionChange> {
    let kinds = [RESIZING, FILE_SYSTEM_PENDING, CONTROLLER_ERROR, NODE_ERROR];
    kinds.into_iter().filter(|kind| *kind != kept).map(ConditionChange::Removed).collect()
}

/// Returns a condition of an expansion.
pub(super) fn condition(kind: &'static str, message: String, now: Timestamp) -> ConditionChange {
    ConditionChange::Set(NewCondition { kind, reason: "".into(), message, since: Some(now), probed: None })
}

/// Returns the patch with which an expansion begins. Upstream: `markControllerResizeInProgress`, v2.3.0.
fn begin(now: Timestamp, size: Amount, is_new: bool) -> ClaimPatch {
    let mut conditions = if is_new { without_conditions_but(RESIZING) } else { Vec::new() };
    conditions.push(condition(RESIZING, String::new(), now));
    ClaimPatch {
        checks_version: true,
        conditions,
        allocated: Some(size),
        resize_status: if is_new { Change::Set(CONTROLLER_IN_PROGRESS) } else { Change::Kept },
        node_expansion_not_required: Change::Removed,
        ..ClaimPatch::default()
    }
}
