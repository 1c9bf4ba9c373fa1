//! This rule reports a bound claim whose volume no node can use. The controller bound it before a node was selected.

use super::bound_volume;
use crate::controllers::ClaimBranch;
use crate::controllers::persistent_volume::reclaim::{DataFate, data_fate, migrated_to};
use crate::diagnosis::case::volume_key;
use crate::diagnosis::facts::node_selector_text;
use crate::diagnosis::mention::part_of;
use crate::diagnosis::remedy::{by_hand, kubectl, retain};
use crate::diagnosis::{Act, Case, Detect, Detection, Page, Risk, Rule, Severity};
use crate::model::{BindingMode, Kind, PersistentVolumeClaim};

pub(super) static RULE: Rule = Rule {
    id: "bind-nodeaffinity-immediate",
    title: "the claim is bound to a volume that no node can reach",
    severity: Severity::Error,
    risk: Risk::Possible,
    reads: &[Kind::PersistentVolume, Kind::StorageClass, Kind::Node],
    hinders: &[Act::Schedule],
    repairs: &[],
    page: Page {
        seen: "The claim is Bound and shows no problem. Its pods stay Pending, and the scheduler says that no node \
               matches the PersistentVolume's node affinity.",
        why: "If a class has binding mode Immediate, the controller binds the claim without a check of the nodes. The \
              volume's `spec.nodeAffinity` says on which nodes it can be used. No node has these labels now. Perhaps \
              the nodes are in other zones, have new names, or lost a label.",
        confirm: "kubectl get pv VOLUME -o jsonpath='{.spec.nodeAffinity.required}'\nkubectl get nodes --show-labels",
        repair: "Start a node that has the labels again, or add a node in that zone. If nobody needs the data of the \
                 volume, create the claim again in a class with binding mode WaitForFirstConsumer.",
        prevention: "Use WaitForFirstConsumer for storage that not every node can reach.",
        hazard: "If you delete the claim, the data of a volume with policy Delete are deleted. If you add the labels \
                 to a node that cannot reach the storage, the pod is scheduled and the mount fails.",
        sources: &[
            "CheckNodeAffinity, component-helpers, Kubernetes 1.36",
            "FindMatchingVolume, component-helpers, Kubernetes 1.36 (M13 is for the scheduler alone)",
            "kubernetes/kubernetes#91299",
            "kubernetes/kubernetes#108560",
        ],
    },
    detect: Detect::Claim(detect),
};

fn detect(case: &Case<'_>, claim: &PersistentVolumeClaim) -> Option<Detection> {
    let volume = bound_volume(case, claim)?;
    let affinity = volume.node_affinity.as_deref()?;
    let class = claim.class();
    let is_immediate =
        class.is_empty() || case.class(class).is_some_and(|class| class.binding_mode == Some(BindingMode::Immediate));
    let nodes = case.snapshot().nodes();
    if !is_immediate || nodes.iter().any(|node| affinity.matches(&node.meta.labels)) {
        return None;
    }
    // For a migrated volume, the scheduler evaluates the node affinity that the CSI driver would have written.
    if migrated_to(case.behavior(), volume).is_some() {
        return None;
    }
    if case.claim_branch()? != ClaimBranch::BoundClaimVolumeOurs || !case.knows_all(Kind::Node, "") || nodes.is_empty()
    {
        return None;
    }
    let (name, policy, wanted) = (&volume.meta.name, volume.reclaim_policy.as_str(), node_selector_text(affinity));
    let none = match nodes.len() {
        1 => "the only node does not match".to_owned(),
        several => format!("none of the {several} nodes matches"),
    };
    let why = if class.is_empty() {
        "For a claim that has no class, the controller does not check the nodes before it binds".to_owned()
    } else {
        format!("Class \"{class}\" binds claims immediately, without a check of the nodes")
    };
    let required = wanted.clone();
    let kept = data_fate(case.behavior(), volume) == DataFate::Kept;
    let found = Detection::new(format!(
        "no node matches {}. The volume requires nodes with {wanted}, and {none}. {why}",
        part_of(&volume_key(name), "the node affinity")
    ));
    // If no pod waits for a node, the severity is only Warning: a zone without nodes can be normal.
    let mut users = case.snapshot().pods_of(&claim.meta.namespace, &claim.meta.name);
    let waits = users.any(|pod| pod.node_name.is_empty() && !pod.terminated());
    let mut found = found
        .severity(if waits { Severity::Error } else { Severity::Warning })
        .risk(if kept { Risk::None } else { Risk::Possible })
        .follows_from(volume_key(name), Act::Reach)
        .evidence(&volume_key(name), "spec.nodeAffinity.required", wanted)
        .evidence(&volume_key(name), "spec.persistentVolumeReclaimPolicy", policy)
        .remedy(by_hand(format!(
            "start or add a node with {required}; or, if the data are not needed, create the claim again in a class \
             with binding mode WaitForFirstConsumer"
        )))
        .remedy(kubectl("get nodes --show-labels", "see which nodes do not have the labels"));
    if !kept {
        found = found.remedies(retain(volume));
    }
    Some(found)
}
