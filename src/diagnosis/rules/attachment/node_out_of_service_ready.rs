//! This rule reports a node that is ready although an administrator has stated that it is shut down.

use super::attachment_key;
use crate::diagnosis::mention::mention;
use crate::diagnosis::remedy::{describe, kubectl, quoted};
use crate::diagnosis::{Case, Detect, Detection, Page, Risk, Rule, Severity};
use crate::model::{Kind, Node, VolumeAttachment};

pub(super) static RULE: Rule = Rule {
    id: "node-out-of-service-ready",
    title: "a node that runs has the taint out-of-service, so mounted volumes are taken from it",
    severity: Severity::Error,
    risk: Risk::Possible,
    reads: &[Kind::VolumeAttachment],
    hinders: &[],
    repairs: &[],
    page: Page {
        seen: "A node is Ready and has the taint `node.kubernetes.io/out-of-service`. New pods do not stay on it.",
        why: "The taint states that the machine of the node is off. kube-controller-manager believes it: as soon as no \
              pod on the node needs a volume, the volume is detached without a check, also while the node lists it as \
              mounted. For this the condition Ready does not matter. A machine that runs may still write. Often somebody \
              forgot to remove the taint after the machine was started again.",
        confirm: "kubectl describe node NODE\n\
                  kubectl get volumeattachments | grep NODE",
        repair: "If the machine runs, remove the taint. If pods had volumes mounted there since, check their file systems.",
        prevention: "Remove the taint right after the machine is back.",
        hazard: "If a second node gets a disk while the first node still writes, the file system is destroyed.",
        sources: &[
            "reconcile and hasOutOfServiceTaint, attach/detach controller, Kubernetes 1.36",
            "kubernetes/enhancements/keps/sig-storage/2268-non-graceful-shutdown",
        ],
    },
    detect: Detect::Node(detect),
};

fn detect(case: &Case<'_>, node: &Node) -> Option<Detection> {
    if !node.is_ready() || !node.is_out_of_service() {
        return None;
    }
    let name = &node.meta.name;
    let mut held = case.snapshot().all::<VolumeAttachment>().iter().filter(|held| held.attached);
    let held = held.find(|held| held.node_name == *name)?;
    let ready = node.readiness()?;
    let remove = format!("taint nodes {} node.kubernetes.io/out-of-service-", quoted(name));
    Some(
        Detection::new(format!(
            "{} is Ready, but has the taint node.kubernetes.io/out-of-service. So its volumes are detached without a \
             check as soon as no pod there needs them, also while they are mounted",
            mention(&case.object())
        ))
        .since(ready.since)
        .evidence(&case.object(), "spec.taints", "node.kubernetes.io/out-of-service")
        .evidence(&case.object(), "status.conditions[Ready].status", ready.status.as_str())
        .evidence(&attachment_key(held), "status.attached", "true")
        .remedy(kubectl(remove, "if the machine runs: remove the taint"))
        .remedy(describe(&case.object(), "see since when the node is ready")),
    )
}
