//! This rule reports a claim whose selected node no longer exists.

use super::{SELECTED_NODE, asked_since, driver_of, selected_node};
use crate::controllers::ClaimBranch;
use crate::diagnosis::mention::part_of;
use crate::diagnosis::remedy::{describe, reschedule};
use crate::diagnosis::{Act, Case, Detect, Detection, Page, Repair, Risk, Rule, Severity};
use crate::model::{Kind, PersistentVolumeClaim};

pub(super) static RULE: Rule = Rule {
    id: "pvc-selected-node-gone",
    title: "the node that was chosen for the claim does not exist",
    severity: Severity::Error,
    risk: Risk::None,
    reads: &[Kind::PersistentVolume, Kind::StorageClass, Kind::Node],
    hinders: &[Act::Bind],
    repairs: &[Repair::Reschedule],
    page: Page {
        seen: "The claim is Pending with events `ExternalProvisioning`, or with `ProvisioningFailed` of the driver \
               about a node that is not found. Its pod is Pending, and the scheduler says that no node has a volume to \
               bind.",
        why: "The scheduler wrote a node into the claim (annotation `volume.kubernetes.io/selected-node`), so that the \
              driver provisions a volume for this node. The node was removed before the volume existed, for example by \
              an autoscaler. As long as the claim has the annotation, the scheduler refuses every other node for the \
              pod. Nothing in Kubernetes itself removes the annotation. A recent provisioner removes it, if the \
              provisioner runs. An old provisioner does not remove it.",
        confirm: "kubectl get pvc NAME -n NAMESPACE -o jsonpath='{.metadata.annotations}'\n\
                  kubectl get node NODE\n\
                  kubectl describe pvc NAME -n NAMESPACE",
        repair: "Check in the events and the log of the driver that it does not provision a volume for the old node \
                 any more. Then use `kubectl pvctl reschedule`, which removes the annotation. The scheduler selects \
                 another node when it next schedules a pod that uses the claim.",
        prevention: "Update the driver's provisioner: since sig-storage-lib-external-provisioner#139 it removes the \
                     annotation if the node is gone, so that the scheduler selects another node. Let autoscalers drain \
                     nodes before they remove them.",
        hazard: "If the driver still provisions a volume for the old node, this volume may be left over in the storage \
                 system, and nobody deletes it. Existing data are not changed.",
        sources: &[
            "VolumeBinding Filter, Kubernetes 1.36 (S8)",
            "provisionClaim, Kubernetes 1.36 (C12)",
            "kubernetes/kubernetes#100485",
            "kubernetes-sigs/sig-storage-lib-external-provisioner#121",
            "kubernetes-sigs/sig-storage-lib-external-provisioner#139",
        ],
    },
    detect: Detect::Claim(detect),
};

fn detect(case: &Case<'_>, claim: &PersistentVolumeClaim) -> Option<Detection> {
    let node = selected_node(claim)?;
    // In most cases the node exists, and this check is the cheapest.
    if case.snapshot().node(node).is_some() {
        return None;
    }
    if !matches!(
        case.waiting_branch(claim)?,
        ClaimBranch::UnboundClaimProvisionExternal | ClaimBranch::UnboundClaimProvisionInTree
    ) {
        return None;
    }
    let class = case.class(claim.class())?;
    // A recent provisioner removes the annotation by itself.
    let early = case.may_heal(asked_since(case, claim, class))?;
    if case.always_ends("Bound")? || !case.lacks(Kind::Node, "", node) {
        return None;
    }
    let (driver, late) = (driver_of(case, class), class.waits_for_first_consumer());
    let consequence =
        if late { "The scheduler selects no other node" } else { "The driver is asked for no other node" };
    let found = Detection::new(format!(
        "{} does not exist, so driver {driver} provisions no volume. {consequence} until the annotation \
         volume.kubernetes.io/selected-node is removed. A recent external-provisioner removes it; the present one may \
         be older, or may not run. No data are at risk",
        part_of(&case.object(), &format!("the selected node {node}"))
    ));
    let does =
        if late { "let the scheduler choose another node" } else { "let the volume be provisioned for any node" };
    Some(
        found
            .early_if(early)
            .evidence(&case.object(), SELECTED_NODE, node)
            .evidence(&crate::diagnosis::key(Kind::Node, "", node), "metadata.name", "does not exist")
            .remedy(reschedule(claim, format!("if {driver} provisions no volume for that node any more, {does}")))
            .remedy(describe(&case.object(), format!("see whether {driver} still provisions a volume for that node"))),
    )
}
