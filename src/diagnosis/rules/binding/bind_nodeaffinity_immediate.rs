//! This rule reports a bound claim whose volume no node can use, because the class binds before a node is selected.

use super::bound_volume;
use crate::controllers::ClaimBranch;
use crate::controllers::persistent_volume::reclaim::{DataFate, data_fate, migrated_to};
use crate::diagnosis::case::volume_key;
use crate::diagnosis::remedy::{by_hand, kubectl, retain};
use crate::diagnosis::{Act, Case, Detect, Detection, Page, Risk, Rule, Severity};
use crate::model::{BindingMode, Kind, NodeSelector, NodeSelectorTerm, PersistentVolumeClaim, Str};

pub(super) static RULE: Rule = Rule {
    id: "bind-nodeaffinity-immediate",
    title: "the claim is bound to a volume that no node can reach",
    severity: Severity::Error,
    risk: Risk::Possible,
    reads: &[Kind::PersistentVolume, Kind::StorageClass, Kind::Node],
    hinders: &[Act::Schedule],
    repairs: &[],
    page: Page {
        seen: "The claim is Bound and looks well. Its pods stay Pending, and the scheduler says that no node matches \
               the PersistentVolume's node affinity.",
        why: "A class with binding mode Immediate binds a claim as soon as it exists, and the controller that does so \
              never looks at nodes. The volume's `spec.nodeAffinity` says on which nodes it can be used, and none of \
              today's nodes has such labels: they are in other zones, were replaced under other names, or lost a \
              label.",
        confirm: "kubectl get pv VOLUME -o jsonpath='{.spec.nodeAffinity.required}'\nkubectl get nodes --show-labels",
        repair: "Bring a node back that has the labels, or add one in that zone. If the volume holds nothing that is \
                 needed, create the claim again in a class with binding mode WaitForFirstConsumer.",
        prevention: "Use WaitForFirstConsumer for storage that not every node can reach.",
        hazard: "Deleting the claim deletes the data of a volume with policy Delete. Labels that are added to a wrong \
                 node only move the failure to the mount.",
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
    let (name, policy, wanted) = (&volume.meta.name, volume.reclaim_policy.as_str(), affinity_words(affinity));
    let none = match nodes.len() {
        1 => "the only node does not match".to_owned(),
        several => format!("none of the {several} nodes matches"),
    };
    let why = if class.is_empty() {
        "The controller binds a claim without a class without looking at nodes".to_owned()
    } else {
        format!("Class \"{class}\" binds claims immediately, without looking at nodes")
    };
    let required = wanted.clone();
    let kept = data_fate(case.behavior(), volume) == DataFate::Kept;
    let found = Detection::new(format!(
        "no node matches the node affinity of volume {name}. The volume requires \
                                        nodes with {wanted}, and {none}. {why}"
    ));
    // A zone without nodes is normal as long as no pod waits for a node.
    let mut users = case.snapshot().pods_of(&claim.meta.namespace, &claim.meta.name);
    let waits = users.any(|pod| pod.node_name.is_empty() && !pod.terminated());
    let mut found = found
        .severity(if waits { Severity::Error } else { Severity::Warning })
        .risk(if kept { Risk::None } else { Risk::Possible })
        .follows_from(volume_key(name), Act::Reach)
        .evidence(&volume_key(name), "spec.nodeAffinity.required", wanted)
        .evidence(&volume_key(name), "spec.persistentVolumeReclaimPolicy", policy)
        .remedy(by_hand(format!(
            "bring back a node with {required}; or, if the data are not needed, create the claim again in a class with \
             binding mode WaitForFirstConsumer"
        )))
        .remedy(kubectl("get nodes --show-labels", "see which nodes lack the labels"));
    if !kept {
        found = found.remedies(retain(volume));
    }
    Some(found)
}

/// Returns the node selector in the syntax of `kubectl -l`. If it has more than two alternatives, the first two are
/// shown.
pub(in crate::diagnosis::rules) fn affinity_words(affinity: &NodeSelector) -> String {
    let term = |term: &NodeSelectorTerm| {
        let requirements = term.expressions.iter().chain(&term.fields).map(|requirement| {
            let values: Vec<&str> = requirement.values.iter().map(Str::as_str).collect();
            format!("{} {} ({})", requirement.key, requirement.operator.as_str(), values.join(","))
        });
        requirements.collect::<Vec<_>>().join(" and ")
    };
    let terms: Vec<String> = affinity.terms.iter().take(2).map(term).collect();
    match affinity.terms.len() {
        0 => "labels that no node can have".to_owned(),
        1 | 2 => terms.join(", or "),
        _ => format!("{}, or others", terms.join(", or ")),
    }
}
