//! The distribution of pods over domains, such as zones. Upstream: `podtopologyspread`, 1.36. Only constraints with
//! `DoNotSchedule` reject nodes. The default constraints reject no nodes.

use super::cluster::{Cluster, NodeInfo, scheduling};
use super::nodes::{selects_node, untolerated_taint};
use super::verdict::{Plugin, Status};
use crate::controllers::KubernetesBehavior;
use crate::model::{CompiledSelector, LabelSelector, Labels, Node, Pod, SpreadConstraint, Str, label};
use rustc_hash::FxHashMap;

/// A constraint of the pod with the number of matching pods in each domain.
pub(super) struct Constraint<'s> {
    stated: &'s SpreadConstraint,
    selector: Option<CompiledSelector<'s>>,
    /// The labels of the pod that a counted pod has to have as well.
    same: Vec<(&'s str, &'s str)>,
    counts: FxHashMap<&'s str, i64>,
}

impl Constraint<'_> {
    fn matches(&self, labels: &Labels) -> bool {
        self.selector.is_some_and(|selector| selector.matches(labels))
            && self.same.iter().all(|(key, value)| label(labels, key) == Some(value))
    }

    /// Returns whether the selector has no requirement. Upstream counts no pods for such a selector.
    fn is_empty(&self) -> bool {
        let stated = self.stated.selector.as_ref();
        self.same.is_empty()
            && stated.is_some_and(|selector| selector.match_labels.is_empty() && selector.expressions.is_empty())
    }
}

/// Returns the constraints, each with the number of matching pods in each domain. Upstream: `calPreFilterState`, 1.36.
///
/// # Errors
/// Returns the status with which `PreFilter` fails if a selector is not valid.
pub(super) fn pre_filter<'s>(
    behavior: &KubernetesBehavior,
    cluster: &Cluster<'s>,
    pod: &'s Pod,
) -> Result<Vec<Constraint<'s>>, Status> {
    let mut constraints = Vec::new();
    for stated in &scheduling(pod).spread {
        let compile = |selector: &'s LabelSelector| selector.compile_with(behavior.value_lists);
        let selector = stated.selector.as_ref().map(compile).transpose().map_err(|error| {
            let place = "get constraints from pod: obtaining pod's hard topology spread constraints";
            Status::pre_filter_error(Plugin::PodTopologySpread, &format!("{place}: {error}"))
        })?;
        let same = |key: &'s Str| Some((key.as_str(), label(&pod.meta.labels, key)?));
        let same = stated.match_label_keys.iter().filter_map(same).collect();
        constraints.push(Constraint { stated, selector, same, counts: FxHashMap::default() });
    }
    let has_all = |node: &Node| {
        let mut all = scheduling(pod).spread.iter();
        all.all(|stated| label(&node.meta.labels, &stated.topology_key).is_some())
    };
    for info in cluster.nodes.iter().filter(|info| has_all(info.node)) {
        for constraint in &mut constraints {
            let stated = constraint.stated;
            let counts = (!stated.honors_affinity || selects_node(pod, info.node))
                && (!stated.honors_taints || untolerated_taint(pod, info.node).is_none());
            let Some(domain) = label(&info.node.meta.labels, &stated.topology_key).filter(|_| counts) else {
                continue;
            };
            let is_counted = |other: &&&Pod| {
                other.meta.deleted.is_none()
                    && other.meta.namespace == pod.meta.namespace
                    && constraint.matches(&other.meta.labels)
            };
            let pods = if constraint.is_empty() { 0 } else { info.pods.iter().filter(is_counted).count() };
            *constraint.counts.entry(domain).or_default() += i64::try_from(pods).unwrap_or(i64::MAX);
        }
    }
    Ok(constraints)
}

/// Rejects a node on which the pod would violate a constraint. Upstream: `Filter`, 1.36.
pub(super) fn filter(pod: &Pod, constraints: &[Constraint<'_>], info: &NodeInfo<'_>) -> Option<Status> {
    for constraint in constraints {
        let stated = constraint.stated;
        let Some(domain) = label(&info.node.meta.labels, &stated.topology_key) else {
            let text = "node(s) didn't match pod topology spread constraints (missing required label)";
            return Some(Status::unresolvable(Plugin::PodTopologySpread, text));
        };
        let domains = i64::try_from(constraint.counts.len()).unwrap_or(i64::MAX);
        // If there are fewer domains than `minDomains`, the smallest count is zero. If there is no domain, upstream
        // uses the largest number of 32 bits.
        let least = constraint.counts.values().min().copied().unwrap_or(i64::from(i32::MAX));
        let least = if domains < stated.min_domains { 0 } else { least };
        let own = i64::from(constraint.matches(&pod.meta.labels));
        let found = constraint.counts.get(domain).copied().unwrap_or_default();
        if found.saturating_add(own).saturating_sub(least) > stated.max_skew {
            let text = "node(s) didn't match pod topology spread constraints";
            return Some(Status::unschedulable(Plugin::PodTopologySpread, text));
        }
    }
    None
}
