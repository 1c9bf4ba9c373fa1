//! The controller that prevents the removal of claims that pods use: `pkg/controller/volume/pvcprotection` of
//! Kubernetes 1.36.

pub mod leaves;

use super::spec::{Controller, ControllerSpec, Needs, informers_of, note_gap};
use super::{KubernetesBehavior, Settings, SyncContext, finalizers};
use crate::model::{HeldObject, Kind, PersistentVolumeClaim, Pod};
use crate::snapshot::{ClaimId, Snapshot};
use leaves::ClaimProtectionBranch;

/// The finalizer that prevents the removal of a claim.
pub const FINALIZER: &str = PersistentVolumeClaim::PROTECTION;

/// The controller that prevents the removal of claims that are used.
pub const CONTROLLER: Controller = Controller::of(&ControllerSpec {
    syncs: &[Kind::PersistentVolumeClaim],
    // At the start, the informer of pods may have old versions, which the settings state. The informer of claims has
    // the current claims.
    memory: |stated| informers_of(Kind::Pod, stated),
    same,
    is_hidden: |_| true,
    needs,
    ..ControllerSpec::named("persistentvolumeclaim-protection-controller", "pvc-protection", |sync, behavior, id| {
        let id = id.of().filter(|id| sync.world().get::<PersistentVolumeClaim>(*id).is_some())?;
        Some(sync_claim(sync, behavior, id).into())
    })
});

/// Returns whether two versions are equal in the fields that influence outcomes: they have the same finalizers, and
/// both or neither of them is being deleted. The condition `Unused` influences no outcome, so it is not compared.
fn same(a: &HeldObject<'_>, b: &HeldObject<'_>) -> bool {
    a.meta().deleted.is_some() == b.meta().deleted.is_some() && a.meta().finalizers == b.meta().finalizers
}

/// Prepares the function that returns the uncertain reads. For outcomes, the list of pods matters only if a claim is
/// being deleted and has the finalizer.
fn needs<'a>(snapshot: &'a Snapshot, _: &Settings<'a>) -> Needs<'a> {
    Box::new(|objects| {
        let claims = objects.iter().filter_map(|id| id.of()).map(|id| snapshot.claim(id));
        let mut found = Vec::new();
        for claim in claims.filter(|claim| claim.terminating() && claim.meta.has_finalizer(FINALIZER)) {
            let namespace = claim.meta.namespace.as_str();
            note_gap(&mut found, Kind::Pod, namespace, snapshot.coverage().absence(Kind::Pod, namespace));
        }
        found
    })
}

/// Returns whether a scheduled pod uses the claim. If the pod names the claim in a volume, the pod's phase and deletion
/// do not matter. Upstream: `podUsesPVCForDeletion`, `pkg/controller/volume/pvcprotection`, 1.36.
pub fn pod_uses_claim(pod: &Pod, claim: &PersistentVolumeClaim) -> bool {
    if pod.node_name.is_empty() {
        return false;
    }
    let name = &claim.meta.name;
    let shut_down = pod.meta.deleted.is_some() && pod.meta.deletion_grace_seconds == Some(0);
    let owned = claim.meta.controller_owner.as_ref() == Some(&pod.meta.uid);
    pod.named_claims().any(|claim| claim == name) || (pod.makes(name) && owned && !shut_down)
}

/// Returns whether the pod has not ended and refers to the claim. The pod need not be scheduled. Upstream:
/// `podUsesPVCForUnusedSince`, `pkg/controller/volume/pvcprotection`, 1.36.
fn pod_refers_to_claim(pod: &Pod, claim: &PersistentVolumeClaim) -> bool {
    let name = &claim.meta.name;
    let owned = claim.meta.controller_owner.as_ref() == Some(&pod.meta.uid);
    !pod.terminated() && (pod.named_claims().any(|claim| claim == name) || (pod.makes(name) && owned))
}

/// Syncs a claim. Upstream: `processPVC`, `pkg/controller/volume/pvcprotection`, 1.36.
pub fn sync_claim(sync: &mut SyncContext<'_, '_>, behavior: &KubernetesBehavior, id: ClaimId) -> ClaimProtectionBranch {
    let Some(claim) = sync.cached(id) else { return ClaimProtectionBranch::ClaimGone };
    if behavior.unused_condition && !claim.terminating() {
        let refers = |pod: &Pod| pod_refers_to_claim(pod, &claim);
        let mut used = sync.pods_of(&claim.meta.namespace, &claim.meta.name).iter().any(|pod| refers(pod));
        if !used {
            if let Some(error) = sync.live_list_failure(Kind::Pod) {
                sync.fail(format!("live list of pods failed: {error}"));
                return ClaimProtectionBranch::ClaimLiveListFailed;
            }
            used = lists(sync, &claim, refers);
        }
        if claim.status.unused != Some(!used) {
            let mut changed = (*claim).clone();
            changed.status.unused = Some(!used);
            sync.step(ClaimProtectionBranch::ClaimUnusedConditionSet.into());
            if let Err(error) = sync.update_status(id, changed) {
                sync.fail(error.to_string());
                return ClaimProtectionBranch::ClaimUnusedConditionSet;
            }
        }
    }
    // Upstream does not read the claim again after the write of the condition. If the finalizer is missing as well, the
    // next write has the old resourceVersion and fails with a conflict. The retry of the sync adds the finalizer.
    let protected = claim.meta.has_finalizer(FINALIZER);
    if claim.terminating() && protected {
        let users = sync.pods_of(&claim.meta.namespace, &claim.meta.name);
        if users.iter().any(|pod| pod_uses_claim(pod, &claim)) {
            let action = "delete the pods that use the claim, also finished pods; the claim is deleted after that";
            sync.wait_for("user", "", action);
            return ClaimProtectionBranch::ClaimKeptUsedByCachedPod;
        }
        if let Some(error) = sync.live_list_failure(Kind::Pod) {
            sync.fail(format!("live list of pods failed: {error}"));
            return ClaimProtectionBranch::ClaimLiveListFailed;
        }
        if lists(sync, &claim, |pod| pod_uses_claim(pod, &claim)) {
            return ClaimProtectionBranch::ClaimKeptUsedByLivePod;
        }
        let mut changed = (*claim).clone();
        changed.meta.finalizers = finalizers::without(&claim.meta.finalizers, FINALIZER);
        finalizers::finish(sync.update(id, changed).map(drop), sync);
        return ClaimProtectionBranch::ClaimProtectionRemoved;
    }
    if !claim.terminating() && !protected {
        let mut changed = (*claim).clone();
        changed.meta.finalizers = finalizers::with(&claim.meta.finalizers, FINALIZER);
        finalizers::finish(sync.update(id, changed).map(drop), sync);
        return ClaimProtectionBranch::ClaimProtectionAdded;
    }
    ClaimProtectionBranch::ClaimProtectionUnchanged
}

/// Returns whether a live list shows a wanted pod that the informer does not have. Upstream: `askAPIServer`,
/// `pkg/controller/volume/pvcprotection`, 1.36.
fn lists(sync: &SyncContext<'_, '_>, claim: &PersistentVolumeClaim, wanted: impl Fn(&Pod) -> bool) -> bool {
    sync.live_only_pods_of(&claim.meta.namespace, &claim.meta.name).iter().any(|pod| wanted(pod))
}
