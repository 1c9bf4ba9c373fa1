//! This rule reports a pod that uses one claim in two of its volumes, which older kubelets never mount.

use crate::diagnosis::case::claim_key;
use crate::diagnosis::mention::{elsewhere, mention};
use crate::diagnosis::pod::facts::{is_about_volume, is_starting, mount_failure, used_claims};
use crate::diagnosis::remedy::by_hand;
use crate::diagnosis::{Case, Detect, Detection, Page, Risk, Rule, Severity};
use crate::model::{Kind, Pod};

pub(super) static RULE: Rule = Rule {
    id: "mount-same-claim-twice",
    title: "two volumes of the pod use the same claim",
    severity: Severity::Error,
    risk: Risk::None,
    reads: &[Kind::PersistentVolumeClaim, Kind::Event],
    hinders: &[],
    repairs: &[],
    page: Page {
        seen: "The pod stays in ContainerCreating without an event that names a cause. The kubelet only says that one of \
               the volumes is not mounted.",
        why: "Kubelets before Kubernetes 1.35 identify a volume of a pod by its storage. So they treat two volumes of \
              one pod with the same claim as one volume, and wait for the second volume without a limit.",
        confirm: "kubectl get pod NAME -n NAMESPACE -o jsonpath='{.spec.volumes}'",
        repair: "Use one volume for the claim in the pod's template, and mount it several times, with subPath if the \
                 containers need different folders.",
        prevention: "Name each claim only once in the volumes of a pod.",
        hazard: "None. The claim and its data need no change.",
        sources: &[
            "GetUniqueVolumeNameFromSpec, pkg/kubelet/volumemanager/cache, Kubernetes 1.34",
            "kubernetes/kubernetes#122140",
            "kubernetes/kubernetes#127004",
        ],
    },
    detect: Detect::Pod(detect),
};

fn detect(case: &Case<'_>, pod: &Pod) -> Option<Detection> {
    // Later kubelets mount both volumes. So the rule reports only a pod whose kubelet says that it still waits.
    if pod.meta.deleted.is_some() || !is_starting(pod) {
        return None;
    }
    let event = mount_failure(case.snapshot(), pod)?;
    let since = pod.started.or(pod.meta.created);
    let used = used_claims(pod);
    let (first, second) = used.clone().find_map(|first| {
        let second = used.clone().find(|other| other.claim == first.claim && other.volume != first.volume)?;
        Some((first, second))
    })?;
    // The kubelet must say that one of the two is missing.
    let is_missing =
        |name: &str| event.message.contains("unmounted volumes=[") && is_about_volume(&event.message, name, "");
    if !is_missing(first.volume) && !is_missing(second.volume) {
        return None;
    }
    let claim = claim_key(&pod.meta.namespace, first.claim);
    Some(
        Detection::new(format!(
            "volumes {} and {}{} both use {}, which kubelets before 1.35 cannot mount twice",
            first.volume,
            second.volume,
            elsewhere(&case.object(), &format!(" of pod {}", pod.meta.name)),
            mention(&claim)
        ))
        .early_if(case.may_heal(since)?)
        .since(since)
        .evidence(&case.object(), "spec.volumes[].persistentVolumeClaim.claimName", first.claim.as_str())
        .evidence(&case.object(), "events[FailedMount].message", event.message.as_str())
        .affects(claim)
        .remedy(by_hand(format!(
            "use one volume for claim {} in the pod's template, and mount it several times, with subPath for different \
             directories; or update the nodes to Kubernetes 1.35",
            first.claim
        ))),
    )
}
