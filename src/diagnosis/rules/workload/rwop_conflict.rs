//! This rule reports a pod that waits for a claim with `ReadWriteOncePod` that another pod uses.

use super::is_unscheduled;
use crate::diagnosis::case::claim_key;
use crate::diagnosis::mention::{elsewhere, mention};
use crate::diagnosis::pod::facts::pod_key;
use crate::diagnosis::remedy::{by_hand, describe};
use crate::diagnosis::{Act, Case, Detect, Detection, Page, Risk, Rule, Severity};
use crate::model::{AccessMode, Kind, PersistentVolumeClaim, Pod};

pub(super) static RULE: Rule = Rule {
    id: "rwop-conflict",
    title: "another pod uses the ReadWriteOncePod claim",
    severity: Severity::Error,
    risk: Risk::None,
    reads: &[Kind::PersistentVolumeClaim],
    hinders: &[Act::Schedule],
    repairs: &[],
    page: Page {
        seen: "The pod is Pending. The scheduler says that the claim with the access mode ReadWriteOncePod is already \
               in use by another pod.",
        why: "A claim with the access mode ReadWriteOncePod can be used by only one pod of the whole cluster. The \
              scheduler places no second pod. With a Deployment, a rolling update never ends: the new pod waits for \
              the old pod, and the old pod is stopped only when the new pod runs.",
        confirm: "kubectl get pvc CLAIM -n NAMESPACE -o jsonpath='{.spec.accessModes}'\n\
                  kubectl describe pvc CLAIM -n NAMESPACE",
        repair: "Stop the pod that uses the claim, or wait until it has ended. If two pods need the data at the same \
                 time, use ReadWriteOnce for pods on one node, or ReadWriteMany. For a Deployment, use the strategy \
                 Recreate.",
        prevention: "Use ReadWriteOncePod only for workloads with one pod, and only if the old pod is stopped before \
                     the new pod is started.",
        hazard: "If you delete the other pod by force while its containers still run, two pods can write to one \
                 volume.",
        sources: &[
            "VolumeRestrictions.PreFilter and Filter, kube-scheduler 1.36",
            "https://kubernetes.io/docs/concepts/storage/persistent-volumes/#access-modes",
            "kubernetes/kubernetes#103082",
        ],
    },
    detect: Detect::Pod(detect),
};

fn detect(case: &Case<'_>, pod: &Pod) -> Option<Detection> {
    if !is_unscheduled(pod) || pod.gated {
        return None;
    }
    let namespace = &pod.meta.namespace;
    let claims = pod.claim_names().filter_map(|name| case.claim(namespace, name)).filter(|claim| is_for_one_pod(claim));
    let (claim, user) = claims.into_iter().find_map(|claim| Some((claim, user(case, pod, claim)?)))?;
    let (name, other) = (&claim.meta.name, &user.meta.name);
    let leaves = if user.meta.deleted.is_some() { ", which is being deleted" } else { "" };
    Some(
        Detection::new(format!(
            "{}pod {other} uses {}, which is for one pod at a time (ReadWriteOncePod). The scheduler places pod {} when \
             pod {other}{leaves} has ended",
            elsewhere(&case.object(), &format!("pod {} waits, because ", pod.meta.name)),
            mention(&claim_key(namespace, name)),
            pod.meta.name
        ))
        .early_if(case.may_heal(pod.meta.created)?)
        .since(pod.meta.created)
        .evidence(&claim_key(namespace, name), "spec.accessModes", claim.access_modes.set().short())
        .evidence(&pod_key(user), "spec.nodeName", user.node_name.as_str())
        .evidence(&pod_key(user), "status.phase", user.phase.as_str())
        .affects(claim_key(namespace, name))
        .remedy(describe(
            &pod_key(user),
            format!("see whether pod {other} is still needed; when it has ended, the waiting pod can be scheduled"),
        ))
        .remedy(by_hand(
            "if both pods need the data: set policy Retain on the volume, stop the pods, delete the claim, change the \
             access mode of the volume to ReadWriteOnce (pods on one node) or ReadWriteMany if the storage supports \
             it, remove the uid from its claimRef, and create the claim again with this mode and spec.volumeName",
        )),
    )
}

/// Returns whether only one pod may use the claim.
fn is_for_one_pod(claim: &PersistentVolumeClaim) -> bool {
    claim.access_modes.0.contains(&AccessMode::ReadWriteOncePod)
}

/// Returns another scheduled pod that uses the claim and has not ended, if there is one. As in Kubernetes, a pod that
/// is being deleted uses the claim until it has ended or is removed.
fn user<'a>(case: &Case<'a>, pod: &Pod, claim: &PersistentVolumeClaim) -> Option<&'a Pod> {
    let mut users = case.snapshot().pods_of(&claim.meta.namespace, &claim.meta.name);
    users.find(|user| user.meta.name != pod.meta.name && !user.node_name.is_empty() && !user.terminated())
}
