//! The plugins that compare a pod with a node and with the other pods on this node, apart from volumes:
//! `NodeUnschedulable`, `TaintToleration`, `NodeAffinity`, `NodePorts`, `NodeResourcesFit` and `NodeDeclaredFeatures`
//! of Kubernetes 1.36.

use super::cluster::{NodeInfo, scheduling};
use super::verdict::{Code, Plugin, Reason, Status};
use crate::controllers::KubernetesBehavior;
use crate::model::{
    HostPort, Node, NodeFeature, NodeOperator, NodeSelector, Pod, Str, Taint, Toleration, TolerationOperator, label,
};
use std::collections::BTreeSet;

/// Returns whether a toleration tolerates a taint. Upstream: `ToleratesTaint`, `k8s.io/api/core/v1`, 1.36. The gate for
/// operators that compare numbers is off by default, so such tolerations tolerate nothing here.
fn tolerates(toleration: &Toleration, taint: &Taint) -> bool {
    (toleration.effect.is_empty() || toleration.effect == taint.effect)
        && (toleration.key.is_empty() || toleration.key == taint.key)
        && match &toleration.operator {
            TolerationOperator::Equal => toleration.value == taint.value,
            TolerationOperator::Exists => true,
            TolerationOperator::Other(_) => false,
        }
}

/// Returns the first taint of the node that has the effect `NoSchedule` or `NoExecute` and that the pod does not
/// tolerate. Upstream: `FindMatchingUntoleratedTaint` with `DoNotScheduleTaintsFilterFunc`, 1.36.
pub fn untolerated_taint<'n>(pod: &Pod, node: &'n Node) -> Option<&'n Taint> {
    let tolerations = &scheduling(pod).tolerations;
    let keeps_away = |taint: &&Taint| matches!(taint.effect.as_str(), "NoSchedule" | "NoExecute");
    node.taints.iter().filter(keeps_away).find(|taint| !tolerations.iter().any(|each| tolerates(each, taint)))
}

/// Rejects a node that is cordoned, unless the pod tolerates this. Upstream: `Filter` of `nodeunschedulable`, 1.36.
pub(super) fn node_unschedulable(pod: &Pod, node: &Node) -> Option<Status> {
    let taint =
        Taint { key: "node.kubernetes.io/unschedulable".into(), effect: "NoSchedule".into(), ..Taint::default() };
    let tolerated = || scheduling(pod).tolerations.iter().any(|each| tolerates(each, &taint));
    (node.unschedulable && !tolerated())
        .then(|| Status::unresolvable(Plugin::NodeUnschedulable, "node(s) were unschedulable"))
}

/// Rejects a node that has a taint which the pod does not tolerate. Upstream: `Filter` of `tainttoleration`, 1.33 and
/// 1.36.
pub(super) fn taint_toleration(behavior: &KubernetesBehavior, pod: &Pod, node: &Node) -> Option<Status> {
    let taint = untolerated_taint(pod, node)?;
    let reason: Reason = if behavior.scheduler.taint_is_named {
        format!("node(s) had untolerated taint {{{}: {}}}", taint.key, taint.value).into()
    } else {
        "node(s) had untolerated taint(s)".into()
    };
    Some(Status::unresolvable(Plugin::TaintToleration, reason))
}

/// Returns whether the pod's nodeSelector and node affinity fit the node. Upstream: `RequiredNodeAffinity.Match`,
/// component-helpers, 1.36.
pub(super) fn selects_node(pod: &Pod, node: &Node) -> bool {
    let stated = scheduling(pod);
    let labels = &node.meta.labels;
    stated.node_selector.iter().all(|(key, value)| label(labels, key) == Some(value))
        && stated.node_affinity.as_ref().is_none_or(|affinity| affinity.matches_node(&node.meta.name, labels))
}

/// Rejects a node that the pod's nodeSelector and node affinity do not select. Upstream: `Filter` of `nodeaffinity`,
/// 1.36.
pub(super) fn node_affinity(pod: &Pod, node: &Node) -> Option<Status> {
    (!selects_node(pod, node))
        .then(|| Status::unresolvable(Plugin::NodeAffinity, "node(s) didn't match Pod's node affinity/selector"))
}

/// Returns the names of the only nodes on which the pod can run, if every term of its node affinity names nodes.
/// Otherwise, returns `None`.
///
/// # Errors
/// Returns the status with which `PreFilter` rejects the pod, if no term allows any node name. Upstream: `PreFilter` of
/// `nodeaffinity`, 1.36.
pub(super) fn named_nodes(pod: &Pod) -> Result<Option<BTreeSet<&str>>, Status> {
    let Some(NodeSelector { terms }) = &scheduling(pod).node_affinity else { return Ok(None) };
    if terms.is_empty() {
        return Ok(None);
    }
    let mut all = BTreeSet::new();
    for term in terms {
        let named = term.fields.iter().filter(|field| field.key == "metadata.name");
        let named = named.filter(|field| field.operator == NodeOperator::In);
        let names = named.map(|field| field.values.iter().map(Str::as_str).collect::<BTreeSet<_>>());
        match names.reduce(|one, other| &one & &other) {
            Some(names) => all.extend(names),
            None => return Ok(None),
        }
    }
    if all.is_empty() {
        return Err(Status::unresolvable(Plugin::NodeAffinity, "pod affinity terms conflict"));
    }
    Ok(Some(all))
}

/// Rejects a node if a pod on it uses a host port that the new pod needs. Upstream: `Filter` of `nodeports`, and
/// `HostPortInfo.CheckConflict`, 1.36.
pub(super) fn node_ports(behavior: &KubernetesBehavior, pod: &Pod, info: &NodeInfo<'_>) -> Option<Status> {
    let counts = |port: &&HostPort| behavior.scheduler.sidecar_ports_count || !port.of_sidecar;
    let wanted: Vec<&HostPort> = scheduling(pod).host_ports.iter().filter(counts).collect();
    if wanted.is_empty() {
        return None;
    }
    let is_any = |port: &HostPort| matches!(port.ip.as_str(), "" | "0.0.0.0");
    let conflict = |one: &HostPort, other: &HostPort| {
        one.port == other.port && one.protocol == other.protocol && (is_any(one) || is_any(other) || one.ip == other.ip)
    };
    let mut used = info.pods.iter().flat_map(|other| &scheduling(other).host_ports).filter(counts);
    used.any(|used| wanted.iter().any(|port| conflict(port, used)))
        .then(|| Status::unschedulable(Plugin::NodePorts, "node(s) didn't have free ports for the requested pod ports"))
}

/// Returns whether the resource is a scalar resource. The scheduler compares the requests for scalar resources, and
/// those for `cpu`, `memory` and `ephemeral-storage`. Upstream: `IsScalarResourceName`, `pkg/scheduler/util`, 1.36.
fn is_scalar(name: &str) -> bool {
    (name.contains('/') && !name.starts_with("requests."))
        || name.starts_with("hugepages-")
        || name.starts_with("attachable-volumes-")
}

/// Rejects a node that does not have enough of the resources that the pod requests. Upstream: `fitsRequest` of
/// `noderesources`, 1.36. The reasons for resources other than `cpu`, `memory` and `ephemeral-storage` are sorted by
/// name here. In upstream, their order is not defined.
pub(super) fn node_resources_fit(behavior: &KubernetesBehavior, pod: &Pod, info: &NodeInfo<'_>) -> Option<Status> {
    let allocatable = |name: &str| amount(&info.node.allocatable, name);
    let mut reasons: Vec<Reason> = Vec::new();
    let mut code = Code::Unschedulable;
    let pods = i64::try_from(info.pods.len()).unwrap_or(i64::MAX);
    if pods.saturating_add(1) > allocatable("pods") {
        reasons.push("Too many pods".into());
    }
    let requests = &scheduling(pod).requests;
    let known = ["cpu", "memory", "ephemeral-storage"];
    let others = requests.iter().map(|(name, _)| name.as_str()).filter(|name| is_scalar(name));
    for name in known.into_iter().chain(others) {
        let request = amount(requests, name);
        let used = info.requested.get(name).copied().unwrap_or_default();
        if request > 0 && request > allocatable(name).saturating_sub(used) {
            reasons.push(format!("Insufficient {name}").into());
            if behavior.scheduler.requests_can_be_unresolvable && request > allocatable(name) {
                code = Code::UnschedulableAndUnresolvable;
            }
        }
    }
    (!reasons.is_empty()).then_some(Status { code, plugin: Some(Plugin::NodeResourcesFit), reasons })
}

/// Returns whether the pod requests an extended resource that the node does not have. Only the name of such a resource
/// has a domain, and a DeviceClass can name only such a resource.
pub(super) fn lacks_resource(pod: &Pod, node: &Node) -> bool {
    let is_extended = |name: &str| is_scalar(name) && name.contains('/');
    let mut requests = scheduling(pod).requests.iter();
    requests.any(|(name, request)| *request > 0 && is_extended(name) && amount(&node.allocatable, name) <= 0)
}

/// Rejects a node that does not declare every feature that the pod needs. Upstream: `Filter` of `nodedeclaredfeatures`,
/// 1.36.
pub(super) fn node_declared_features(behavior: &KubernetesBehavior, pod: &Pod, node: &Node) -> Option<Status> {
    let declares = |feature: &NodeFeature| node.declared_features.iter().any(|declared| declared == feature.name());
    (behavior.scheduler.features_are_declared && !scheduling(pod).features.iter().all(declares))
        .then(|| Status::unresolvable(Plugin::NodeDeclaredFeatures, "node(s) didn't match Pod's required features"))
}

fn amount(amounts: &[(Str, i64)], name: &str) -> i64 {
    stated_amount(amounts, name).unwrap_or_default()
}

/// Returns the amount of the resource with this name from a list that is sorted by name.
pub(super) fn stated_amount(amounts: &[(Str, i64)], name: &str) -> Option<i64> {
    let found = amounts.binary_search_by(|(candidate, _)| candidate.as_str().cmp(name));
    found.ok().map(|place| amounts[place].1)
}
