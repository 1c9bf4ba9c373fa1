//! This rule reports a pod that waits for a claim that does not exist.

use super::super::volume::RELEASED_RETAIN;
use super::{blame, is_of_set, is_unscheduled, some_claims};
use crate::diagnosis::case::{claim_key, volume_key};
use crate::diagnosis::remedy::{by_hand, kubectl, quoted};
use crate::diagnosis::{Act, Case, Detect, Detection, Page, Risk, Rule, Severity};
use crate::model::{Kind, Pod, Str};

pub(super) static RULE: Rule = Rule {
    id: "pod-claim-missing",
    title: "the pod's claim does not exist",
    severity: Severity::Error,
    risk: Risk::None,
    reads: &[Kind::PersistentVolumeClaim],
    hinders: &[Act::Schedule],
    repairs: &[],
    page: Page {
        seen: "The pod is Pending without a node; an event `FailedScheduling` says that a PersistentVolumeClaim is not \
               found.",
        why: "The scheduler searches for the claims of a pod before it checks the nodes, and only in the pod's own \
              namespace. Usually the name is misspelt, the claim is in another namespace, or the claim was deleted. \
              Only a StatefulSet, or the controller of ephemeral volumes, creates claims for pods.",
        confirm: "kubectl describe pod NAME -n NAMESPACE\n\
                  kubectl get pvc -n NAMESPACE\n\
                  kubectl get pv -o custom-columns=NAME:.metadata.name,PHASE:.status.phase,\
                  NS:.spec.claimRef.namespace,CLAIM:.spec.claimRef.name",
        repair: "Compare the name in the pod with the claims of its namespace. If the claim was deleted and a volume \
                 still names it, reserve that volume for the name first, and then create the claim. Then the scheduler \
                 tries again, without further action.",
        prevention: "Apply claims before the pods that use them, or together with them, and in the same namespace.",
        hazard: "If you create a claim of that name without a check, it may get an empty volume, while the old data \
                 are on another volume.",
        sources: &[
            "VolumeBinding PreFilter, kube-scheduler 1.36 (S1)",
            "https://kubernetes.io/docs/concepts/storage/persistent-volumes/#claims-as-volumes",
        ],
    },
    detect: Detect::Pod(detect),
};

fn detect(case: &Case<'_>, pod: &Pod) -> Option<Detection> {
    if !is_unscheduled(pod) {
        return None;
    }
    let namespace = &pod.meta.namespace;
    // A StatefulSet creates its claims again, and another rule reports these claims.
    let missing: Vec<&str> = pod
        .named_claims()
        .map(Str::as_str)
        .filter(|claim| case.claim(namespace, claim).is_none() && !is_of_set(pod, claim))
        .filter(|claim| case.lacks(Kind::PersistentVolumeClaim, namespace, claim))
        .collect();
    let name = *missing.first()?;
    let holder = case.volumes(case.snapshot().volumes_naming(namespace, name)).next();
    let trace = match holder {
        Some(volume) => format!(
            ". Volume {} ({}) still names it and may have its data",
            volume.meta.name,
            volume.status.phase.as_str()
        ),
        None => String::new(),
    };
    let found = Detection::new(format!(
        "it is not scheduled, because {} does not exist in namespace {namespace}{trace}",
        some_claims(name, missing.len() - 1)
    ))
    .early_if(case.is_young(pod.meta.created))
    .evidence(&case.object(), "spec.volumes[].persistentVolumeClaim.claimName", name)
    .evidence(&claim_key(namespace, name), "metadata.name", "");
    let found = match holder {
        Some(volume) => {
            let name_of = &volume.meta.name;
            let way = format!(
                "if its data are needed, reserve volume {name_of} for that name before you create the claim again, and \
                 name the volume in spec.volumeName of the claim"
            );
            let volume = volume_key(name_of);
            found.evidence(&volume, "spec.claimRef.name", name).remedy(by_hand(way)).settles(&RELEASED_RETAIN, volume)
        }
        None => found,
    };
    let found = found
        .remedy(kubectl(
            format!("get pvc -n {}", quoted(namespace)),
            format!(
                "see whether the claim has another name \
                                                                              than {name}"
            ),
        ))
        .remedy(by_hand(format!("correct the name in the pod's template, or create the claim {namespace}/{name}")));
    Some(blame(found, pod, &missing))
}
