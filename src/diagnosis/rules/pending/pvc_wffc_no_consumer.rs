//! This rule reports a claim that waits for its first consumer, which is normal.

use super::pvc_wffc_nodename_bypass::past_the_scheduler;
use super::with_class;
use crate::controllers::ClaimBranch;
use crate::diagnosis::mention::mention;
use crate::diagnosis::remedy::by_hand;
use crate::diagnosis::{Act, Case, Detect, Detection, Page, Risk, Rule, Severity, key};
use crate::model::{Kind, PersistentVolumeClaim};

pub(super) static RULE: Rule = Rule {
    id: "pvc-wffc-no-consumer",
    title: "the claim waits for a pod that uses it",
    severity: Severity::Info,
    risk: Risk::None,
    reads: &[Kind::PersistentVolume, Kind::StorageClass, Kind::Pod, Kind::StatefulSet],
    hinders: &[Act::Bind],
    repairs: &[],
    page: Page {
        seen: "The claim is Pending with an event `WaitForFirstConsumer`.",
        why: "Its class has `volumeBindingMode: WaitForFirstConsumer`: the volume has to be usable where the pod runs. \
              So no volume is bound or provisioned before a pod uses the claim and the scheduler has selected a node \
              for that pod. This is normal.",
        confirm: "kubectl get sc CLASS -o jsonpath='{.volumeBindingMode}'\n\
                  kubectl describe pvc NAME -n NAMESPACE",
        repair: "Create the pod that uses the claim. A tool that creates the pod only after the claim is Bound never \
                 creates it. Configure the tool so that it does not wait.",
        prevention: "Do not let a tool wait for claims of such a class before their pods exist. Hooks and health checks \
                     that come before the pods must not test these claims. Do not use `helm --wait` for a chart that \
                     creates such a claim and no pod that uses it.",
        hazard: "If you change to a class that binds claims immediately, the volume may be created where the pod \
                 cannot run.",
        sources: &[
            "emitEventForUnboundDelayBindingClaim, Kubernetes 1.36 (C7)",
            "https://kubernetes.io/docs/concepts/storage/storage-classes/#volume-binding-mode",
            "rancher/local-path-provisioner#35",
        ],
    },
    detect: Detect::Claim(detect),
};

fn detect(case: &Case<'_>, claim: &PersistentVolumeClaim) -> Option<Detection> {
    if case.waiting_branch(claim)? != ClaimBranch::UnboundClaimWaitForFirstConsumer
        || past_the_scheduler(case, claim).is_some()
        || case.always_ends("Bound")?
    {
        return None;
    }
    let class = claim.class();
    let ended = case.snapshot().pods_of(&claim.meta.namespace, &claim.meta.name).next();
    let me = mention(&case.object());
    let who = match ended {
        Some(pod) => format!("{me} waits for a pod that uses it. Pod {} has ended or is about to end", pod.meta.name),
        None => format!("{me} waits for a pod that uses it"),
    };
    let found = Detection::new(format!(
        "{who}. This is normal for class \"{class}\", which has binding mode WaitForFirstConsumer. Do not wait for the \
         claim to be Bound before you create the pod"
    ));
    // The StatefulSet that creates the claim also creates the pod.
    let namespace = &claim.meta.namespace;
    let found = match case.snapshot().sets_making(namespace, &claim.meta.name).next() {
        Some(set) => found.follows_from(key(Kind::StatefulSet, namespace, &set.meta.name), Act::Schedule),
        None => found,
    };
    Some(
        with_class(found, case, claim)
            .evidence(&key(Kind::StorageClass, "", class), "volumeBindingMode", "WaitForFirstConsumer")
            .remedy(by_hand(
                "create a pod that uses the claim; then the scheduler selects a node, and the claim is bound",
            )),
    )
}
