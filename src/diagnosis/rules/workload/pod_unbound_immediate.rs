//! This rule reports a pod that waits for a claim that is not bound.

use super::{blame, is_unscheduled, some_claims};
use crate::diagnosis::case::key_of_claim;
use crate::diagnosis::facts::is_unbound;
use crate::diagnosis::remedy::describe;
use crate::diagnosis::{Act, Case, Detect, Detection, Page, Risk, Rule, Severity};
use crate::model::{AnnotationKey, Kind, NO_PROVISIONER, PersistentVolumeClaim, Pod};

pub(super) static RULE: Rule = Rule {
    id: "pod-unbound-immediate",
    title: "the pod waits for a claim that is not bound",
    severity: Severity::Error,
    risk: Risk::None,
    reads: &[Kind::PersistentVolumeClaim, Kind::PersistentVolume, Kind::StorageClass],
    hinders: &[Act::Schedule],
    repairs: &[],
    page: Page {
        seen: "The pod is Pending without a node; an event `FailedScheduling` says that the pod has unbound immediate \
               PersistentVolumeClaims, or that there is no volume to bind. If the class of a claim has binding mode \
               WaitForFirstConsumer, there may be no event at all.",
        why: "If a claim of the pod has a class with binding mode Immediate, the scheduler searches for a node only \
              after the claim is bound. The same is true for a claim that names a volume, and for a claim whose class \
              does not exist. If the class has binding mode WaitForFirstConsumer, the scheduler selects a node first, \
              and then the pod waits until the volume is provisioned. If a person creates the volumes, the scheduler \
              selects only nodes that can use a free volume.",
        confirm: "kubectl describe pod NAME -n NAMESPACE\n\
                  kubectl get pvc -n NAMESPACE\n\
                  kubectl get sc",
        repair: "Repair the claim: see the finding on the claim. Then the scheduler tries again, without further \
                 action.",
        prevention: "See the finding on the claim.",
        hazard: "The pod itself has no problem. Do not create the claim again without a check: if the claim was \
                 restored, or should get its earlier volume again, a new claim would get an empty volume.",
        sources: &[
            "VolumeBinding PreFilter, GetPodVolumeClaims, kube-scheduler 1.36 (S6, S8, S19)",
            "https://kubernetes.io/docs/concepts/storage/storage-classes/#volume-binding-mode",
        ],
    },
    detect: Detect::Pod(detect),
};

fn detect(case: &Case<'_>, pod: &Pod) -> Option<Detection> {
    // No scheduler handles a pod with scheduling gates.
    if !is_unscheduled(pod) || pod.gated {
        return None;
    }
    let claims = pod.claim_names();
    let waits = |claim: &&PersistentVolumeClaim| waits_for(case, pod, claim);
    let waiting: Vec<&PersistentVolumeClaim> =
        claims.filter_map(|claim| case.claim(&pod.meta.namespace, claim)).filter(waits).collect();
    let first = *waiting.first()?;
    let name = &first.meta.name;
    let since = pod.meta.created.max(first.meta.created);
    let names: Vec<&str> = waiting.iter().map(|claim| claim.meta.name.as_str()).collect();
    let found = Detection::new(format!("it is not scheduled until {} is bound", some_claims(name, names.len() - 1)))
        .info_if(case.lasts(since).is_none())
        .as_bad_as_its_cause()
        .since(since)
        .evidence(&case.object(), "spec.nodeName", "")
        .remedy(describe(&key_of_claim(&first.meta), "see why the claim is not bound"));
    let found = waiting.iter().fold(found, |found, claim| {
        let key = key_of_claim(&claim.meta);
        found.evidence(&key, "status.phase", claim.status.phase.as_str()).evidence(
            &key,
            "spec.volumeName",
            claim.volume_name.as_str(),
        )
    });
    Some(blame(found, pod, &names))
}

/// Returns whether the scheduler cannot place the pod, or cannot finish the binding of the pod to its node, because
/// that claim is not bound. Upstream: `GetPodVolumeClaims`, `pkg/scheduler/framework/plugins/volumebinding`, 1.36.
fn waits_for(case: &Case<'_>, pod: &Pod, claim: &PersistentVolumeClaim) -> bool {
    if !is_unbound(claim) {
        return false;
    }
    let class = case.class(claim.class());
    let Some(class) = class.filter(|class| class.waits_for_first_consumer() && claim.volume_name.is_empty()) else {
        let is_known = class.is_some() || claim.class().is_empty() || !claim.volume_name.is_empty();
        return is_known || case.lacks(Kind::StorageClass, "", claim.class());
    };
    // It is normal that scheduling a pod and provisioning its volume take some minutes.
    if case.lasts(pod.meta.created.max(claim.meta.created)).is_none() {
        return false;
    }
    if class.provisioner == NO_PROVISIONER {
        return !case.nearest(claim).fits;
    }
    claim.meta.annotations.get(AnnotationKey::SelectedNode).is_some_and(|node| !node.is_empty())
}
