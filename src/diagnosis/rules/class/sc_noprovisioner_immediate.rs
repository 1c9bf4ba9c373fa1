//! This rule reports a class that binds node-local volumes before the scheduler has selected a node.

use crate::diagnosis::case::volume_key;
use crate::diagnosis::mention::mention;
use crate::diagnosis::misfit::shown;
use crate::diagnosis::remedy::by_hand;
use crate::diagnosis::{Case, Detect, Detection, Page, Risk, Rule, Severity};
use crate::model::NO_PROVISIONER;
use crate::model::{BindingMode, Kind, PersistentVolume, StorageClass};

pub(super) static RULE: Rule = Rule {
    id: "sc-noprovisioner-immediate",
    title: "claims are bound to volumes of single nodes before their pods have a node",
    severity: Severity::Warning,
    risk: Risk::None,
    reads: &[Kind::PersistentVolume],
    hinders: &[],
    repairs: &[],
    page: Page {
        seen: "Claims of the class are Bound at once, and then pods stay Pending, because the node affinity of their \
               volume matches no node on which they may run. Claims for which no volume is left have an event \
               `ProvisioningFailed` with `no volume plugin matched name: kubernetes.io/no-provisioner`. This message \
               is misleading, because it is normal for such a class.",
        why: "With `volumeBindingMode: Immediate`, which is the default, the controller binds a claim to the smallest \
              volume that fits, and does not consider nodes. If only some nodes can use this volume, the pod has to \
              run on one of these nodes. So its possible nodes are decided before the scheduler considers what else \
              the pod needs.",
        confirm: "kubectl get sc NAME -o jsonpath='{.provisioner} {.volumeBindingMode}'\n\
                  kubectl get pv -o \
                  custom-columns=NAME:.metadata.name,CLASS:.spec.storageClassName,NODES:.spec.nodeAffinity",
        repair: "Create a new class with `volumeBindingMode: WaitForFirstConsumer`, because the binding mode of a \
                 class cannot be changed. Write the new class into `spec.storageClassName` of free volumes. Create the \
                 claims again with the new class.",
        prevention: "Give classes for local volumes WaitForFirstConsumer from the start.",
        hazard: "Bound claims keep their volumes, so their pods stay tied to the nodes of these volumes. If you delete \
                 such a claim, the reclaim policy of its volume is applied.",
        sources: &[
            "syncUnboundClaim, IsDelayBindingMode, Kubernetes 1.36 (C4, C11)",
            "https://kubernetes.io/docs/concepts/storage/storage-classes/#local",
            "kube-reporting/metering-operator#1515",
            "kubernetes/kubernetes#91299",
        ],
    },
    detect: Detect::Class(detect),
};

fn detect(case: &Case<'_>, class: &StorageClass) -> Option<Detection> {
    if class.provisioner != NO_PROVISIONER {
        return None;
    }
    let mode = match &class.binding_mode {
        Some(BindingMode::WaitForFirstConsumer | BindingMode::Other(_)) => return None,
        Some(BindingMode::Immediate) => BindingMode::Immediate.as_str(),
        None => "",
    };
    // Volumes that every node can use, such as NFS shares, may be bound immediately without a disadvantage.
    let is_tied = |volume: &&PersistentVolume| volume.class() == class.meta.name && volume.node_affinity.is_some();
    let mut tied = case.snapshot().volumes().iter().filter(is_tied);
    let first = tied.next()?;
    let name = &first.meta.name;
    let volumes = match tied.count() {
        0 => format!("only some nodes can use its volume {name}"),
        more => format!("only some nodes can use its {} volumes, such as {name}", more + 1),
    };
    let found = Detection::new(format!(
        "{} binds claims before their pods have a node, but {volumes}. The class has volumeBindingMode {}. The volume \
         then decides where the pod can run, and perhaps no node fits the pod",
        mention(&case.object()),
        shown(mode)
    ));
    Some(
        found
            .evidence(&case.object(), "provisioner", class.provisioner.as_str())
            .evidence(&case.object(), "volumeBindingMode", mode)
            .evidence(&volume_key(name), "spec.nodeAffinity.required", "present")
            .remedy(by_hand(
                "create a class with volumeBindingMode WaitForFirstConsumer and use it in new claims; set it in \
                 spec.storageClassName of free volumes",
            )),
    )
}
