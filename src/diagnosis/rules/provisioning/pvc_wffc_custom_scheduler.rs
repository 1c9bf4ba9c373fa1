//! This rule reports a claim that waits for pods that the default scheduler does not handle, because they have
//! scheduling gates or another scheduler.

use crate::controllers::ClaimBranch;
use crate::diagnosis::case::PATIENCE;
use crate::diagnosis::facts::is_open;
use crate::diagnosis::mention::{elsewhere, mention};
use crate::diagnosis::remedy::{by_hand, describe, kubectl, quoted};
use crate::diagnosis::{Act, Case, Detect, Detection, Page, Risk, Rule, Severity, key};
use crate::model::{Kind, PersistentVolumeClaim, Pod};
use crate::text::human_age;

pub(super) static RULE: Rule = Rule {
    id: "pvc-wffc-custom-scheduler",
    title: "the claim waits for a pod that the default scheduler does not place",
    severity: Severity::Warning,
    risk: Risk::None,
    reads: &[Kind::PersistentVolume, Kind::StorageClass, Kind::Pod],
    hinders: &[Act::Bind],
    repairs: &[],
    page: Page {
        seen: "The claim is Pending with an event `WaitForPodScheduled`. Its pod has no node, and usually no event of \
               a scheduler: `kubectl get pod` shows `SchedulingGated`, or the pod has a `spec.schedulerName` of its \
               own.",
        why: "The class has binding mode WaitForFirstConsumer: the scheduler of the pod has to write the selected node \
              into the claim (annotation `volume.kubernetes.io/selected-node`), and only then a volume is bound or \
              provisioned. No scheduler places a pod with `spec.schedulingGates` until the component that set the \
              gates, usually a queue for batch work, removes them. Only the scheduler with the name in \
              `spec.schedulerName` places the pod. If this scheduler does not run, nobody places the pod. If it does \
              not support WaitForFirstConsumer, it never writes the annotation.",
        confirm: "kubectl get pod POD -n NAMESPACE -o jsonpath='{.spec.schedulerName} {.spec.schedulingGates}'\n\
                  kubectl describe pod POD -n NAMESPACE\n\
                  kubectl get pvc NAME -n NAMESPACE -o jsonpath='{.metadata.annotations}'",
        repair: "The claim needs no change. If the pod has scheduling gates, check the component that set them: its \
                 queue may be full, or its controller may not run. If the pod has another scheduler, check that this \
                 scheduler runs, that it has the name in `spec.schedulerName`, and that its volume binding is switched \
                 on.",
        prevention: "Use a class with WaitForFirstConsumer only with schedulers that support it.",
        hazard: "Do not write the annotation by hand: that scheduler may choose another node, and the volume is then \
                 where the pod cannot reach it.",
        sources: &[
            "emitEventForUnboundDelayBindingClaim, Kubernetes 1.36 (C8)",
            "VolumeBinding PreBind, kube-scheduler 1.36 (S18)",
            "SchedulingGates PreEnqueue, kube-scheduler 1.36",
            "volcano-sh/volcano#4369",
        ],
    },
    detect: Detect::Claim(detect),
};

fn detect(case: &Case<'_>, claim: &PersistentVolumeClaim) -> Option<Detection> {
    if !is_open(claim) {
        return None;
    }
    let pods = case.snapshot().pods_of(&claim.meta.namespace, &claim.meta.name);
    let waiting: Vec<&Pod> = pods.filter(|pod| !pod.terminated() && pod.meta.deleted.is_none()).collect();
    // If the default scheduler handles one of the pods, another rule reports the claim.
    if !waiting.iter().all(|pod| pod.node_name.is_empty() && (pod.gated || of_another(pod))) {
        return None;
    }
    let pod = waiting.iter().copied().min_by_key(|pod| (pod.gated, pod.meta.created))?;
    let since = pod.meta.created?.max(claim.meta.created?);
    let waited = case.seconds_since(Some(since)).filter(|waited| *waited >= PATIENCE)?;
    if case.claim_branch()? != ClaimBranch::UnboundClaimWaitForPodScheduled || case.always_ends("Bound")? {
        return None;
    }
    let others = match waiting.len() - 1 {
        0 => String::new(),
        more => format!(" (and {more} more)"),
    };
    let (name, age) = (&pod.meta.name, human_age(waited));
    let object = key(Kind::Pod, &pod.meta.namespace, name);
    let class = key(Kind::StorageClass, "", claim.class());
    let common = |found: Detection| {
        found
            .since(Some(since))
            .follows_from(object.clone(), Act::Schedule)
            .evidence(&class, "volumeBindingMode", "WaitForFirstConsumer")
            .evidence(&object, "spec.nodeName", "")
    };
    let later = elsewhere(&object, ", and the claim is bound only after that");
    if pod.gated {
        let found = Detection::new(format!(
            "{}{others} has been blocked by spec.schedulingGates for {age}{later}. This is intended: the component \
             that set the gates must remove them. Nothing is wrong with the claim",
            mention(&object)
        ));
        let gates = format!(
            "get pod {} -n {} -o jsonpath='{{.spec.schedulingGates}}'",
            quoted(name),
            quoted(&pod.meta.namespace)
        );
        return Some(
            common(found.severity(Severity::Info))
                .evidence(&object, "spec.schedulingGates", "present")
                .remedy(kubectl(gates, "see which gates the pod has"))
                .remedy(by_hand(
                    "find out what the component that set the gates waits for; it may be a queue for batch work",
                )),
        );
    }
    let scheduler = pod.scheduler_name.as_str();
    let found = Detection::new(format!(
        "scheduler {scheduler} has not scheduled {}{others} for {age}{later}. Kubernetes does not know whether that \
         scheduler runs, or whether it binds volumes",
        mention(&object)
    ));
    Some(
        common(found)
            .evidence(&object, "spec.schedulerName", scheduler)
            .remedy(describe(&object, format!("see whether {scheduler} has written an event: if so, it runs")))
            .remedy(by_hand(format!(
                "check that {scheduler} runs and that its volume binding is switched on; the claim needs no change"
            ))),
    )
}

/// Returns whether a scheduler of another name has to place the pod.
fn of_another(pod: &Pod) -> bool {
    pod.has_own_scheduler()
}
