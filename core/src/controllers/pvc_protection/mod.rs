//! The controller that prevents the removal of claims that pods use: `pkg/controller/volume/pvcprotection` of
//! Kubernetes 1.36.

pub mod leaves;
mod messages;

use super::log::{Log, Message, Named};
use super::spec::{Controller, ControllerSpec, Needs, informers_of, note_gap};
use super::{Branch, KubernetesBehavior, Settings, SyncContext, finalizers};
use crate::model::{HeldObject, Kind, PersistentVolumeClaim, Pod};
use crate::snapshot::{ClaimId, Snapshot};
use crate::world::{ApiError, LogValue};
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
    ..ControllerSpec::named(NAME, "pvc-protection", |sync, behavior, id| {
        let id = id.of::<PersistentVolumeClaim>()?;
        let key = sync.world().get(id)?.key().to_string();
        sync.log(|| messages::PROCESSING.entry([key.as_str().into()]));
        let branch = sync_claim(sync, behavior, id);
        sync.log(|| messages::FINISHED.entry([key.as_str().into(), "0s".into()]));
        Some(branch.into())
    })
});

const NAME: &str = "persistentvolumeclaim-protection-controller";

/// What the controller logs.
pub const LOG: Log = Log {
    component: NAME,
    files: &["pvc_protection_controller.go"],
    messages: &[messages::MESSAGES],
    ends: |leaf| matches!(leaf, Branch::ClaimProtectionBranch(_)),
    names: |values| {
        let named = |(key, value): &(&str, &str)| {
            let kind = match *key {
                "PVC" | "pvc" => Kind::PersistentVolumeClaim,
                "pod" => Kind::Pod,
                _ => return None,
            };
            Named::namespaced(kind, value)
        };
        values.iter().filter_map(named).collect()
    },
};

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
    // The live list of pods is made at most once in a sync.
    let mut listed = false;
    if behavior.unused_condition && !claim.terminating() {
        let used = match users(sync, &claim, &mut listed, &messages::REFERENCES, pod_refers_to_claim) {
            Ok(users) => users != Users::None,
            Err(error) => {
                sync.fail(error);
                return ClaimProtectionBranch::ClaimLiveListFailed;
            }
        };
        if claim.status.unused != Some(!used) {
            let mut changed = (*claim).clone();
            changed.status.unused = Some(!used);
            sync.step(ClaimProtectionBranch::ClaimUnusedConditionSet.into());
            let status = if used { "False" } else { "True" };
            let result = sync.update_status(id, changed);
            sync.log(|| match &result {
                Ok(_) => messages::UNUSED_SET.entry([name(&claim), status.into()]),
                Err(error) => messages::UNUSED_FAILED.entry([error.to_string().into(), name(&claim)]),
            });
            if let Err(error) = result {
                sync.fail(error.to_string());
                return ClaimProtectionBranch::ClaimUnusedConditionSet;
            }
        }
    }
    // Upstream does not read the claim again after the write of the condition. If the finalizer is missing as well, the
    // next write has the old resourceVersion and fails with a conflict. The retry of the sync adds the finalizer.
    let protected = claim.meta.has_finalizer(FINALIZER);
    if claim.terminating() && protected {
        match users(sync, &claim, &mut listed, &messages::USES, pod_uses_claim) {
            Err(error) => {
                sync.fail(error);
                return ClaimProtectionBranch::ClaimLiveListFailed;
            }
            Ok(Users::Cached) => {
                let action = "delete the pods that use the claim, also finished pods; the claim is deleted after that";
                sync.wait_for("user", "", action);
                sync.log(|| messages::KEEPING.entry([name(&claim)]));
                return ClaimProtectionBranch::ClaimKeptUsedByCachedPod;
            }
            Ok(Users::Live) => {
                sync.log(|| messages::KEEPING.entry([name(&claim)]));
                return ClaimProtectionBranch::ClaimKeptUsedByLivePod;
            }
            Ok(Users::None) => {}
        }
        let mut changed = (*claim).clone();
        changed.meta.finalizers = finalizers::without(&claim.meta.finalizers, FINALIZER);
        let result = sync.update(id, changed).map(drop);
        log_result(sync, &claim, &result, [&messages::REMOVED, &messages::REMOVE_FAILED]);
        finalizers::finish(result, sync);
        return ClaimProtectionBranch::ClaimProtectionRemoved;
    }
    if !claim.terminating() && !protected {
        let mut changed = (*claim).clone();
        changed.meta.finalizers = finalizers::with(&claim.meta.finalizers, FINALIZER);
        let result = sync.update(id, changed).map(drop);
        log_result(sync, &claim, &result, [&messages::ADDED, &messages::ADD_FAILED]);
        finalizers::finish(result, sync);
        return ClaimProtectionBranch::ClaimProtectionAdded;
    }
    ClaimProtectionBranch::ClaimProtectionUnchanged
}

/// Who shows that pods use a claim.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Users {
    /// The informer.
    Cached,
    /// Only a live list.
    Live,
    /// No pod uses the claim.
    None,
}

/// Looks for a wanted pod, first in the informer and then in a live list. `listed` says whether the live list was made
/// before in this sync. Upstream: `isBeingUsedWith`, `askInformer`, `askAPIServer`,
/// `pkg/controller/volume/pvcprotection`, 1.36.
fn users(
    sync: &mut SyncContext<'_, '_>,
    claim: &PersistentVolumeClaim,
    listed: &mut bool,
    found: &Message,
    wanted: fn(&Pod, &PersistentVolumeClaim) -> bool,
) -> Result<Users, String> {
    let (namespace, title) = (&claim.meta.namespace, &claim.meta.name);
    sync.log(|| messages::ASKING_INFORMER.entry([name(claim)]));
    if let Some(pod) = sync.pods_of(namespace, title).iter().find(|pod| wanted(pod, claim)) {
        sync.log(|| found.entry([format!("{namespace}/{}", pod.meta.name).into(), name(claim)]));
        return Ok(Users::Cached);
    }
    sync.log(|| messages::INFORMER_HAS_NONE.entry([name(claim)]));
    sync.log(|| messages::ASKING_SERVER.entry([name(claim)]));
    if !*listed {
        sync.log(|| messages::LISTING.entry([namespace.as_str().into()]));
    }
    if let Some(error) = sync.live_list_failure(Kind::Pod) {
        return Err(format!("live list of pods failed: {error}"));
    }
    *listed = true;
    if let Some(pod) = sync.live_only_pods_of(namespace, title).iter().find(|pod| wanted(pod, claim)) {
        sync.log(|| found.entry([format!("{namespace}/{}", pod.meta.name).into(), name(claim)]));
        return Ok(Users::Live);
    }
    sync.log(|| messages::UNUSED.entry([name(claim)]));
    Ok(Users::None)
}

/// Returns the name of a claim as it is logged.
fn name(claim: &PersistentVolumeClaim) -> LogValue {
    claim.key().to_string().into()
}

/// Logs that a finalizer was written, or that it could not be written.
fn log_result(
    sync: &mut SyncContext<'_, '_>,
    claim: &PersistentVolumeClaim,
    result: &Result<(), ApiError>,
    [done, failed]: [&Message; 2],
) {
    sync.log(|| match result {
        Ok(()) => done.entry([name(claim)]),
        Err(error) => failed.entry([error.to_string().into(), name(claim)]),
    });
}
