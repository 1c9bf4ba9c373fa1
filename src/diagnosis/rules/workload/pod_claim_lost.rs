//! This rule reports a pod that waits for a claim that is Lost.

use super::{blame, is_unscheduled, some_claims};
use crate::diagnosis::case::key_of_claim;
use crate::diagnosis::facts::is_bound;
use crate::diagnosis::remedy::describe;
use crate::diagnosis::{Act, Case, Detect, Detection, Page, Risk, Rule, Severity};
use crate::model::{ClaimPhase, Kind, PersistentVolumeClaim, Pod};

pub(super) static RULE: Rule = Rule {
    id: "pod-claim-lost",
    title: "the pod's claim is Lost",
    severity: Severity::Error,
    risk: Risk::None,
    reads: &[Kind::PersistentVolumeClaim, Kind::PersistentVolume],
    hinders: &[Act::Schedule],
    repairs: &[],
    page: Page {
        seen: "The pod is Pending without a node; an event `FailedScheduling` says that its claim is bound to a \
               PersistentVolume that does not exist.",
        why: "The scheduler refuses pods whose claim has phase Lost. Its event always says that the volume does not \
              exist, even if this is not the reason. The volume may exist and name another claim, or it may name this \
              claim without its uid.",
        confirm: "kubectl describe pod NAME -n NAMESPACE\n\
                  kubectl get pvc -n NAMESPACE\n\
                  kubectl get pv",
        repair: "Repair the claim: see the finding on the claim. Then the scheduler tries again, without further \
                 action.",
        prevention: "See the finding on the claim.",
        hazard: "If you delete the claim and create it again, the pod gets an empty volume, and the reclaim policy \
                 applies to the old volume.",
        sources: &[
            "VolumeBinding PreFilter, kube-scheduler 1.36 (S3, S10)",
            "syncBoundClaim, Kubernetes 1.36 (C23, C24, C27)",
        ],
    },
    detect: Detect::Pod(detect),
};

fn detect(case: &Case<'_>, pod: &Pod) -> Option<Detection> {
    if !is_unscheduled(pod) {
        return None;
    }
    let claims = pod.claim_names();
    let lost: Vec<&PersistentVolumeClaim> = claims
        .filter_map(|claim| case.claim(&pod.meta.namespace, claim))
        .filter(|claim| is_lost(case, claim))
        .collect();
    let first = *lost.first()?;
    let (recorded, name) = (&first.status.phase, &first.meta.name);
    let claims = some_claims(name, lost.len() - 1);
    let message = match case.volume(&first.volume_name) {
        _ if *recorded != ClaimPhase::Lost => {
            format!("the next sync makes {claims} Lost, so the pod will not be scheduled")
        }
        Some(volume) if case.has_event("FailedScheduling") => format!(
            "it is not scheduled, because {claims} is Lost. The event says that volume {} does not exist, but it does \
             exist",
            volume.meta.name
        ),
        _ => format!("it is not scheduled, because {claims} is Lost"),
    };
    let found = Detection::new(message)
        .evidence(&case.object(), "spec.nodeName", "")
        .evidence(&key_of_claim(&first.meta), "status.phase", recorded.as_str())
        .evidence(&key_of_claim(&first.meta), "spec.volumeName", first.volume_name.as_str())
        .remedy(describe(&key_of_claim(&first.meta), "see why the claim is Lost, and repair it first"));
    let names: Vec<&str> = lost.iter().map(|claim| claim.meta.name.as_str()).collect();
    Some(blame(found, pod, &names))
}

/// Returns whether the claim is Lost after its next sync. If the volume has no `claimRef`, the sync binds it to the
/// claim again. If its `claimRef` has the claim's uid, the volume is already bound to the claim. Upstream:
/// `syncBoundClaim`, 1.36.
fn is_lost(case: &Case<'_>, claim: &PersistentVolumeClaim) -> bool {
    if claim.terminating() || !is_bound(claim) {
        return false;
    }
    let name = &claim.volume_name;
    match case.volume(name) {
        _ if name.is_empty() => true,
        Some(volume) => volume.claim_ref.as_ref().is_some_and(|named| named.uid != claim.meta.uid),
        None => case.lacks(Kind::PersistentVolume, "", name),
    }
}
