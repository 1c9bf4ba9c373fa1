//! The protection controllers: they keep claims that pods use, and volumes that are bound, from vanishing.

use super::{ProtectionBranch, Rules, Sync};
use crate::model::{Kind, PersistentVolumeClaim, Pod, Str, VolumePhase};
use crate::snapshot::{ClaimId, VolumeId};
use std::sync::Arc;

/// The finalizer that keeps a claim.
pub const CLAIM_FINALIZER: &str = "kubernetes.io/pvc-protection";
/// The finalizer that keeps a volume.
pub const VOLUME_FINALIZER: &str = "kubernetes.io/pv-protection";

/// Whether a scheduled pod uses the claim; for a claim volume neither the pod's phase nor its deletion counts.
/// Upstream: `podUsesPVCForDeletion`, `pkg/controller/volume/pvcprotection`, 1.36.
pub fn pod_uses_claim(pod: &Pod, claim: &PersistentVolumeClaim) -> bool {
    if pod.node_name.is_empty() {
        return false;
    }
    let name = &claim.meta.name;
    let shut_down = pod.meta.deleted.is_some() && pod.meta.deletion_grace_seconds == Some(0);
    let owned = claim.meta.controller_owner.as_ref() == Some(&pod.meta.uid);
    pod.claims.contains(name) || (pod.ephemeral_claims.contains(name) && owned && !shut_down)
}

/// Whether a pod that has not ended refers to the claim, scheduled or not.
/// Upstream: `podUsesPVCForUnusedSince`, `pkg/controller/volume/pvcprotection`, 1.36.
fn pod_refers_to_claim(pod: &Pod, claim: &PersistentVolumeClaim) -> bool {
    let name = &claim.meta.name;
    let owned = claim.meta.controller_owner.as_ref() == Some(&pod.meta.uid);
    !pod.terminated() && (pod.claims.contains(name) || (pod.ephemeral_claims.contains(name) && owned))
}

/// Upstream: `processPVC`, `pkg/controller/volume/pvcprotection`, 1.36.
pub fn sync_claim_protection(sync: &mut Sync<'_, '_>, rules: &Rules, id: ClaimId) -> ProtectionBranch {
    let Some(claim) = sync.cached(id) else { return ProtectionBranch::ClaimGone };
    if rules.unused_condition && !claim.terminating() {
        let refers = |pod: &Pod| pod_refers_to_claim(pod, &claim);
        let mut used = sync.pods_of(&claim.meta.namespace, &claim.meta.name).iter().any(|pod| refers(pod));
        if !used {
            if let Some(error) = sync.live_list_failure(Kind::Pod) {
                sync.fail(format!("live list of pods failed: {error}"));
                return ProtectionBranch::ClaimLiveListFailed;
            }
            used = lists(sync, &claim, refers);
        }
        if claim.status.unused != Some(!used) {
            let mut changed = (*claim).clone();
            changed.status.unused = Some(!used);
            sync.step(ProtectionBranch::ClaimUnusedConditionSet.into());
            if let Err(error) = sync.update_status(id, changed) {
                sync.fail(error.to_string());
                return ProtectionBranch::ClaimUnusedConditionSet;
            }
        }
    }
    // From here on upstream uses the claim as it was read, also after the condition was written: a finalizer that is
    // due then meets a conflict, and is added by the retry.
    let protected = claim.meta.has_finalizer(CLAIM_FINALIZER);
    if claim.terminating() && protected {
        let users = sync.pods_of(&claim.meta.namespace, &claim.meta.name);
        if users.iter().any(|pod| pod_uses_claim(pod, &claim)) {
            sync.wait_for("user", "", "delete the pods that use the claim, finished ones too; it vanishes after that");
            return ProtectionBranch::ClaimKeptUsedByCachedPod;
        }
        if let Some(error) = sync.live_list_failure(Kind::Pod) {
            sync.fail(format!("live list of pods failed: {error}"));
            return ProtectionBranch::ClaimLiveListFailed;
        }
        if lists(sync, &claim, |pod| pod_uses_claim(pod, &claim)) {
            return ProtectionBranch::ClaimKeptUsedByLivePod;
        }
        let mut changed = (*claim).clone();
        changed.meta.finalizers = without(&claim.meta.finalizers, CLAIM_FINALIZER);
        finish(sync.update(id, changed).map(drop), sync);
        return ProtectionBranch::ClaimProtectionRemoved;
    }
    if !claim.terminating() && !protected {
        let mut changed = (*claim).clone();
        changed.meta.finalizers = with(&claim.meta.finalizers, CLAIM_FINALIZER);
        finish(sync.update(id, changed).map(drop), sync);
        return ProtectionBranch::ClaimProtectionAdded;
    }
    ProtectionBranch::ClaimProtectionUnchanged
}

/// Whether a live list shows such a pod beside those that the informer has. Upstream: `askAPIServer`,
/// `pkg/controller/volume/pvcprotection`, 1.36.
fn lists(sync: &Sync<'_, '_>, claim: &PersistentVolumeClaim, wanted: impl Fn(&Pod) -> bool) -> bool {
    sync.live_only_pods_of(&claim.meta.namespace, &claim.meta.name).iter().any(|pod| wanted(pod))
}

/// Upstream: `processPV`, `pkg/controller/volume/pvprotection`, 1.36. Only the recorded phase counts.
pub fn sync_volume_protection(sync: &mut Sync<'_, '_>, id: VolumeId) -> ProtectionBranch {
    let Some(volume) = sync.cached(id) else { return ProtectionBranch::VolumeProtectionUnchanged };
    let protected = volume.meta.has_finalizer(VOLUME_FINALIZER);
    if volume.terminating() && protected {
        if volume.status.phase == VolumePhase::Bound {
            return ProtectionBranch::VolumeKeptBound;
        }
        let mut changed = (*volume).clone();
        changed.meta.finalizers = without(&volume.meta.finalizers, VOLUME_FINALIZER);
        finish(sync.update(id, changed).map(drop), sync);
        return ProtectionBranch::VolumeProtectionRemoved;
    }
    if !volume.terminating() && !protected {
        let mut changed = (*volume).clone();
        changed.meta.finalizers = with(&volume.meta.finalizers, VOLUME_FINALIZER);
        finish(sync.update(id, changed).map(drop), sync);
        return ProtectionBranch::VolumeProtectionAdded;
    }
    ProtectionBranch::VolumeProtectionUnchanged
}

fn finish(result: Result<(), crate::world::ApiError>, sync: &mut Sync<'_, '_>) {
    if let Err(error) = result {
        sync.fail(error.to_string());
    }
}

fn with(finalizers: &[Str], added: &'static str) -> Arc<[Str]> {
    finalizers.iter().cloned().chain([Str::const_new(added)]).collect()
}

fn without(finalizers: &[Str], removed: &str) -> Arc<[Str]> {
    finalizers.iter().filter(|finalizer| *finalizer != removed).cloned().collect()
}
