//! This rule reports a hostPath volume in a cluster of several nodes.

use super::recorded_released;
use crate::diagnosis::mention::part_of;
use crate::diagnosis::remedy::{by_hand, patch_volume};
use crate::diagnosis::{Case, Detect, Detection, Page, Remedy, Risk, Rule, Severity, key};
use crate::model::{Kind, PersistentVolume, SourceKind, VolumePhase};
use serde_json::json;
use std::collections::BTreeSet;

/// The label that identifies the node in the node affinity of a volume that only one node can use.
const HOSTNAME: &str = "kubernetes.io/hostname";

pub(super) static RULE: Rule = Rule {
    id: "pv-hostpath-multinode",
    title: "a hostPath volume in a cluster of several nodes",
    severity: Severity::Warning,
    risk: Risk::Possible,
    reads: &[Kind::Node, Kind::Pod],
    hinders: &[],
    repairs: &[],
    page: Page {
        seen: "The volume is Bound, and everything works until the pod runs on another node. Then the application \
               finds an empty directory, or old data.",
        why: "A hostPath volume is the directory with that path on the node where the pod runs. Without \
              `spec.nodeAffinity`, the scheduler can select any node for the pod, and each node may have other data at \
              that path. In Kubernetes, hostPath is intended for tests on a single node. There is no problem if the \
              path is a share that all nodes have mounted.",
        confirm: "kubectl get pv VOLUME -o jsonpath='{.spec.hostPath.path} {.spec.nodeAffinity}'\n\
                  kubectl get nodes\n\
                  kubectl get pods -n NAMESPACE -o wide",
        repair: "Find the node whose directory has the right data. Set `spec.nodeAffinity` of the volume to that node: \
                 then pods that use the volume run only on that node. This field can be set only once. As a permanent \
                 solution, create a `local` volume, or use network storage.",
        prevention: "Use `local` volumes, which require a node affinity, or a provisioner of local volumes.",
        hazard: "If the affinity has the wrong node, the application cannot reach its data, and the affinity cannot be \
                 changed. Data that pods wrote on other nodes stay there, but pods cannot see them. With policy \
                 Delete, the controller removes directories below `/tmp/` on its own machine.",
        sources: &[
            "https://kubernetes.io/docs/concepts/storage/persistent-volumes/#types-of-persistent-volumes",
            "CheckNodeAffinity, component-helpers, Kubernetes 1.36",
            "ValidatePersistentVolumeUpdate, Kubernetes 1.36",
        ],
    },
    detect: Detect::Volume(detect),
};

fn detect(case: &Case<'_>, volume: &PersistentVolume) -> Option<Detection> {
    if volume.source.kind != SourceKind::HostPath || volume.node_affinity.is_some() {
        return None;
    }
    let nodes = case.snapshot().nodes().len();
    if nodes < 2 || volume.terminating() || recorded_released(volume) {
        return None;
    }
    let path = &volume.source.detail;
    let on = nodes_in_use(case, volume);
    let in_use = volume.status.phase == VolumePhase::Bound;
    let mut places = on.iter().copied();
    let fact = match (places.next(), places.next()) {
        (Some(one), Some(other)) => {
            let more = if on.len() > 2 { " and others" } else { "" };
            format!("Its pods run on nodes {one} and {other}{more}")
        }
        (Some(one), None) => format!(
            "Its pods run on node {one}, but nothing keeps them there: on another of the {nodes} nodes they may find \
             other data"
        ),
        (None, _) => {
            format!("Its pods may run on any of the {nodes} nodes, and where they run is not known here")
        }
    };
    let found = Detection::new(format!(
        "{} has no node affinity, so each node may have another directory there. {fact}. This is harmless only if all \
         nodes have the same share there",
        part_of(&case.object(), &format!("hostPath {path}"))
    ))
    .severity(if in_use { Severity::Warning } else { Severity::Info })
    .evidence(&case.object(), "spec.hostPath.path", path.as_str())
    .evidence(&case.object(), "spec.nodeAffinity", "")
    .evidence(&case.object(), "status.phase", volume.status.phase.as_str());
    let found = on.iter().take(2).fold(found, |found, node| {
        found.evidence(&key(Kind::Node, "", node), "metadata.labels[kubernetes.io/hostname]", hostname(case, node))
    });
    let pinned = if on.len() == 1 { on.first().and_then(|node| pin(case, volume, node)) } else { None };
    Some(found.remedy(by_hand(format!("find the node whose directory {path} has the right data"))).remedies(pinned))
}

/// Returns the names of the nodes that run pods which use the volume's claim, in order.
fn nodes_in_use<'a>(case: &Case<'a>, volume: &PersistentVolume) -> BTreeSet<&'a str> {
    let Some(named) = &volume.claim_ref else { return BTreeSet::new() };
    let pods = case.snapshot().pods_of(&named.namespace, &named.name);
    pods.filter(|pod| !pod.terminated() && !pod.node_name.is_empty()).map(|pod| pod.node_name.as_str()).collect()
}

/// Returns the hostname label of the node. It is empty if the label is not known.
fn hostname<'a>(case: &Case<'a>, node: &str) -> &'a str {
    let labels = case.snapshot().node(node).map(|node| &node.meta.labels);
    let label = labels.and_then(|labels| labels.iter().find(|(key, _)| key == HOSTNAME));
    label.map(|(_, value)| value.as_str()).unwrap_or_default()
}

/// Creates a remedy that restricts the volume's pods to the node on which they run.
fn pin(case: &Case<'_>, volume: &PersistentVolume, node: &str) -> Option<Remedy> {
    let hostname = hostname(case, node);
    if hostname.is_empty() || volume.meta.uid.is_empty() {
        return None;
    }
    let expression = json!({ "key": HOSTNAME, "operator": "In", "values": [hostname] });
    let terms = json!([{ "matchExpressions": [expression] }]);
    let write =
        json!({ "op": "add", "path": "/spec/nodeAffinity", "value": { "required": { "nodeSelectorTerms": terms } } });
    let does = format!("once you have seen that the data are on node {node}: keep its pods on that node permanently");
    Some(patch_volume(volume, vec![write], does))
}
