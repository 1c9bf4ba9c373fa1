//! This rule reports a claim whose selected node has not registered the driver.

use super::{SELECTED_NODE, chosen, driver_of, stays_with_its_driver, tells_topology, unplaced, unselect};
use crate::diagnosis::mention::mention;
use crate::diagnosis::remedy::{describe, kubectl, quoted};
use crate::diagnosis::{Act, Case, Detect, Detection, Page, Risk, Rule, Severity, key};
use crate::model::{CsiNode, Kind, PersistentVolumeClaim};
use crate::text::human_age;

pub(super) static RULE: Rule = Rule {
    id: "pvc-selected-node-no-csinode",
    title: "the driver is not registered on the selected node",
    severity: Severity::Error,
    risk: Risk::None,
    reads: &[
        Kind::PersistentVolume,
        Kind::PersistentVolumeClaim,
        Kind::StorageClass,
        Kind::Pod,
        Kind::Node,
        Kind::CsiNode,
    ],
    hinders: &[Act::Bind],
    repairs: &[],
    page: Page {
        seen: "The claim is Pending; its events repeat `ExternalProvisioning`, and `ProvisioningFailed` says that no \
               topology key was found for a node, or that a CSINode was not found. Its pod has no node.",
        why: "The scheduler wrote a node to the claim (annotation `volume.kubernetes.io/selected-node`). It does not \
              check whether the driver runs there. The driver's provisioner needs the topology of that node, and reads \
              it from the entry of the driver in the CSINode object of the node. There is no entry, because the \
              driver's pod does not run on the node or cannot reach the kubelet. Without an entry, the provisioner \
              fails again and again, and does not remove the annotation. As long as the claim has the annotation, the \
              scheduler refuses every other node.",
        confirm: "kubectl get pvc NAME -n NAMESPACE -o jsonpath='{.metadata.annotations}'\n\
                  kubectl get csinode NODE -o yaml\n\
                  kubectl get pods -A -o wide --field-selector spec.nodeName=NODE\n\
                  kubectl describe pvc NAME -n NAMESPACE",
        repair: "Find out why the driver's pod does not run on the node: taints that its DaemonSet does not tolerate, \
                 a node selector, a crash, or another directory of the kubelet. After the driver has registered, it \
                 provisions the volume. If the driver should not run there, remove the annotation, and keep pods that \
                 need its volumes away from that node.",
        prevention: "Let the driver run on every node where pods with its volumes may run. Or keep these pods away \
                     from other nodes with `allowedTopologies` of the class or with node affinity. Give new nodes a \
                     startup taint until the driver has registered.",
        hazard: "If the driver is just creating a volume for that node and you remove the annotation, this volume may \
                 remain in the storage system. Do not write the name of another node by hand. No existing data are \
                 changed.",
        sources: &[
            "FindPodVolumes, volumebinding of kube-scheduler, Kubernetes 1.36 (S8)",
            "GenerateAccessibilityRequirements, topologyKeysLookup, kubernetes-csi/external-provisioner",
            "kubernetes-csi/external-provisioner#1437",
            "kubernetes-sigs/aws-ebs-csi-driver#1030",
        ],
    },
    detect: Detect::Claim(detect),
};

fn detect(case: &Case<'_>, claim: &PersistentVolumeClaim) -> Option<Detection> {
    let super::Chosen { node, class } = chosen(case, claim)?;
    let (driver, name) = (driver_of(case, class), node.meta.name.as_str());
    let csi_node = case.snapshot().find::<CsiNode>("", name);
    if csi_node.is_some_and(|csi_node| csi_node.driver(driver).is_some()) {
        return None;
    }
    // A driver needs some time to register on a new node.
    let pod = unplaced(case, claim).filter_map(|pod| pod.meta.created).min();
    let asked = [class.meta.created, node.meta.created, pod].into_iter().flatten().fold(claim.meta.created?, Ord::max);
    let early = case.may_heal(Some(asked))?;
    let waited = case.seconds_since(Some(asked)).unwrap_or_default();
    if !tells_topology(case, driver) {
        // If not all CSINodes are known, another one may report a topology.
        case.knows_all(Kind::CsiNode, "");
        return None;
    }
    if !stays_with_its_driver(case, claim)? || (csi_node.is_none() && !case.lacks(Kind::CsiNode, "", name)) {
        return None;
    }
    let fact = match csi_node {
        Some(_) => format!("CSINode {name} has no entry for it"),
        None => format!("CSINode {name} does not exist"),
    };
    let found = Detection::new(format!(
        "driver {driver} is not registered on node {name}, which is selected for {}. {fact}, so the provisioner does not \
         know where to create the volume. The scheduler selects no other node while the annotation \
         volume.kubernetes.io/selected-node exists. The claim has waited {}, and no data are at risk",
        mention(&case.object()),
        human_age(waited)
    ));
    let csi_key = key(Kind::CsiNode, "", name);
    let found = found.early_if(early).since(Some(asked)).evidence(&case.object(), SELECTED_NODE, name);
    let found = match csi_node {
        Some(csi_node) => {
            let drivers: Vec<&str> = csi_node.drivers.iter().map(|driver| driver.name.as_str()).collect();
            found.evidence(&csi_key, "spec.drivers[].name", drivers.join(", "))
        }
        None => found.evidence(&csi_key, "metadata.name", "does not exist"),
    };
    Some(
        found
            .evidence(&key(Kind::StorageClass, "", &class.meta.name), "provisioner", class.provisioner.as_str())
            .remedy(kubectl(
                format!("get pods -A -o wide --field-selector {}", quoted(&format!("spec.nodeName={name}"))),
                format!(
                    "see whether the pod of {driver} runs there: after the driver has registered, it provisions the \
                     volume"
                ),
            ))
            .remedy(describe(
                &case.object(),
                format!("see what {driver} says, and check that it is not provisioning a volume"),
            ))
            .remedy(unselect(claim, name, "if the driver should not run there: let the scheduler choose another node")),
    )
}
