//! This rule reports a class that binds node-local volumes before the scheduler has selected a node.

use crate::diagnosis::case::volume_key;
use crate::diagnosis::misfit::shown;
use crate::diagnosis::remedy::by_hand;
use crate::diagnosis::{Case, Detect, Detection, Page, Risk, Rule, Severity};
use crate::model::NO_PROVISIONER;
use crate::model::{BindingMode, Kind, PersistentVolume, StorageClass};

pub(super) static RULE: Rule = Rule {
    id: "sc-noprovisioner-immediate",
    title: "claims get a node's volume before their pods get a node",
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
        0 => format!("volume {name}, which only some nodes can use"),
        more => format!("volumes such as {name} ({} in all), which only some nodes can use", more + 1),
    };
    let found = Detection::new(format!(
        "it binds at once (volumeBindingMode {}), and it has {volumes}: the claim's volume then decides on the pod's \
         node before the scheduler does, and may leave the pod none",
        shown(mode)
    ));
    Some(
        found
            .evidence(&case.object(), "provisioner", class.provisioner.as_str())
            .evidence(&case.object(), "volumeBindingMode", mode)
            .evidence(&volume_key(name), "spec.nodeAffinity.required", "present")
            .remedy(by_hand(
                "create a class with volumeBindingMode WaitForFirstConsumer and use it in new claims; free volumes can \
                 be given it by spec.storageClassName",
            )),
    )
}
