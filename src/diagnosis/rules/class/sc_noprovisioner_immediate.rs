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
        seen: "Claims of the class are Bound at once, and then pods stay Pending because their volume's node affinity \
               fits no node that they may run on. Claims for which no volume is left show `ProvisioningFailed` with \
               `no volume plugin matched name: kubernetes.io/no-provisioner`, which is the normal answer of this class \
               and misleads.",
        why: "With `volumeBindingMode: Immediate`, which is the default, the controller binds a claim to the smallest \
              volume that fits, without a look at nodes. Volumes that can be used on some nodes only so decide where \
              the pod has to run, before the scheduler knows what else the pod needs.",
        confirm: "kubectl get sc NAME -o jsonpath='{.provisioner} {.volumeBindingMode}'\n\
                  kubectl get pv -o \
                  custom-columns=NAME:.metadata.name,CLASS:.spec.storageClassName,NODES:.spec.nodeAffinity",
        repair: "Create a class with `volumeBindingMode: WaitForFirstConsumer`, since the mode of a class cannot be \
                 changed. Free volumes can be given the new class by their `spec.storageClassName`; claims are created \
                 again with it.",
        prevention: "Give classes for local volumes WaitForFirstConsumer from the start.",
        hazard: "Claims that are bound keep their volume and its node. Deleting them to choose again starts their \
                 volumes' reclaim policy.",
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
