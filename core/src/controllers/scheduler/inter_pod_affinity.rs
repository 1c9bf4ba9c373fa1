//! Pods that have to be in the same domain as certain other pods, or in another domain. Upstream: `interpodaffinity`,
//! 1.36. Preferences reject no nodes.

use super::cluster::{Cluster, NodeInfo, scheduling};
use super::reads::Reads;
use super::verdict::{Plugin, Status};
use crate::controllers::KubernetesBehavior;
use crate::model::{CompiledSelector, LabelSelector, Labels, ListForm, Namespace, Pod, PodAffinityTerm, Str, label};
use rustc_hash::FxHashSet;

/// A term of an affinity or anti-affinity, with its selectors.
struct Term<'s> {
    topology_key: &'s str,
    selector: Option<CompiledSelector<'s>>,
    namespaces: Vec<&'s str>,
    namespace_selector: Option<CompiledSelector<'s>>,
}

impl Term<'_> {
    /// Returns whether the term matches a pod. Upstream: `AffinityTerm.Matches`, 1.36.
    fn matches(&self, pod: &Pod, namespace: &[(Str, Str)]) -> bool {
        (self.namespaces.contains(&pod.meta.namespace.as_str())
            || self.namespace_selector.is_some_and(|selector| selector.matches(namespace)))
            && self.selector.is_some_and(|selector| selector.matches(&pod.meta.labels))
    }
}

/// Returns the terms of a pod. Upstream: `GetAffinityTerms`, 1.36.
///
/// # Errors
/// Returns upstream's words if a selector is not valid.
fn terms<'s>(lists: ListForm, pod: &'s Pod, stated: &'s [PodAffinityTerm]) -> Result<Vec<Term<'s>>, String> {
    let compiled = |selector: &'s Option<LabelSelector>| {
        selector.as_ref().map(|selector| selector.compile_with(lists).map_err(|error| error.to_string())).transpose()
    };
    let term = |stated: &'s PodAffinityTerm| {
        let is_own = stated.namespaces.is_empty() && stated.namespace_selector.is_none();
        let own = is_own.then_some(pod.meta.namespace.as_str());
        Ok(Term {
            topology_key: &stated.topology_key,
            selector: compiled(&stated.selector)?,
            namespaces: stated.namespaces.iter().map(Str::as_str).chain(own).collect(),
            namespace_selector: compiled(&stated.namespace_selector)?,
        })
    };
    stated.iter().map(term).collect()
}

/// Domains. Each domain is a label of nodes with a value.
type Domains<'s> = FxHashSet<(&'s str, &'s str)>;

/// The result of `PreFilter`.
pub(super) struct State<'s> {
    affinity: Vec<Term<'s>>,
    anti_affinity: Vec<Term<'s>>,
    /// The domains with pods that match all terms of the affinity.
    near: Domains<'s>,
    /// The domains with pods that match a term of the anti-affinity.
    far: Domains<'s>,
    /// The domains with pods whose anti-affinity matches this pod.
    kept_away: Domains<'s>,
}

/// Finds the domains of the pods that match the terms. Upstream: `PreFilter`, 1.36.
///
/// # Errors
/// Returns the status with which `PreFilter` rejects the pod if a selector is not valid.
pub(super) fn pre_filter<'s>(
    reads: &mut Reads<'s>,
    behavior: &KubernetesBehavior,
    cluster: &Cluster<'s>,
    pod: &'s Pod,
) -> Result<State<'s>, Status> {
    let invalid = |error: String| Status::unresolvable(Plugin::InterPodAffinity, format!("parsing pod: {error}"));
    let stated = scheduling(pod);
    let mut affinity = terms(behavior.value_lists, pod, &stated.affinity).map_err(invalid)?;
    let mut anti_affinity = terms(behavior.value_lists, pod, &stated.anti_affinity).map_err(invalid)?;
    for term in affinity.iter_mut().chain(&mut anti_affinity) {
        // The selected namespaces are added by name. As in upstream, the selector is still compared afterwards, with an
        // empty set of labels.
        if let Some(selector) = term.namespace_selector {
            let selected = reads.list::<Namespace>().filter(|found| selector.matches(&found.meta.labels));
            term.namespaces.extend(selected.map(|found| found.meta.name.as_str()));
        }
    }
    let mut state = State {
        affinity,
        anti_affinity,
        near: Domains::default(),
        far: Domains::default(),
        kept_away: Domains::default(),
    };
    let mut own_namespace: Option<Labels> = None;
    for info in &cluster.nodes {
        let labels = &info.node.meta.labels;
        let add = |to: &mut Domains<'s>, key: &'s str| to.extend(label(labels, key).map(|value| (key, value)));
        for other in &info.pods {
            if state.matches_affinity(other) {
                state.affinity.iter().for_each(|term| add(&mut state.near, term.topology_key));
            }
            let matching = state.anti_affinity.iter().filter(|term| term.matches(other, &[]));
            matching.for_each(|term| add(&mut state.far, term.topology_key));
            let theirs = &scheduling(other).anti_affinity;
            if !theirs.is_empty() {
                let namespace = own_namespace.get_or_insert_with(|| {
                    let found = reads.find::<Namespace>("", &pod.meta.namespace);
                    found.map(|found| found.meta.labels.clone()).unwrap_or_default()
                });
                // The scheduler ignores the terms of a pod if one of their selectors is not valid.
                let theirs = terms(behavior.value_lists, other, theirs).unwrap_or_default();
                let matching = theirs.iter().filter(|term| term.matches(pod, namespace));
                matching.for_each(|term| add(&mut state.kept_away, term.topology_key));
            }
        }
    }
    Ok(state)
}

/// Returns whether a pod on some node keeps this pod away from nodes.
pub(super) fn is_kept_away(reads: &mut Reads<'_>, cluster: &Cluster<'_>, pod: &Pod) -> bool {
    let namespace = reads.find::<Namespace>("", &pod.meta.namespace);
    let namespace = namespace.map(|found| found.meta.labels.clone()).unwrap_or_default();
    cluster.nodes.iter().flat_map(|info| &info.pods).any(|other| {
        let theirs = terms(ListForm::Json, other, &scheduling(other).anti_affinity).unwrap_or_default();
        theirs.iter().any(|term| term.matches(pod, &namespace))
    })
}

impl State<'_> {
    /// Returns whether there are terms of the affinity, and the pod matches all of them.
    fn matches_affinity(&self, pod: &Pod) -> bool {
        !self.affinity.is_empty() && self.affinity.iter().all(|term| term.matches(pod, &[]))
    }

    /// Returns whether the node satisfies the affinity of the pod. Upstream: `satisfyPodAffinity`, 1.36. If no pod
    /// matches the affinity yet and the pod matches its own affinity, every node with the labels of the terms satisfies
    /// it.
    fn satisfies_affinity(&self, pod: &Pod, info: &NodeInfo<'_>) -> bool {
        let labels = &info.node.meta.labels;
        let mut all_near = true;
        for term in &self.affinity {
            let Some(value) = label(labels, term.topology_key) else { return false };
            all_near &= self.near.contains(&(term.topology_key, value));
        }
        all_near || (self.near.is_empty() && self.matches_affinity(pod))
    }
}

/// Rejects a node that violates an affinity or anti-affinity. Upstream: `Filter`, 1.36.
pub(super) fn filter(pod: &Pod, state: &State<'_>, info: &NodeInfo<'_>) -> Option<Status> {
    let labels = &info.node.meta.labels;
    if !state.satisfies_affinity(pod, info) {
        return Some(Status::unresolvable(Plugin::InterPodAffinity, "node(s) didn't match pod affinity rules"));
    }
    let is_far = |term: &Term<'_>| {
        label(labels, term.topology_key).is_some_and(|value| state.far.contains(&(term.topology_key, value)))
    };
    if state.anti_affinity.iter().any(is_far) {
        return Some(Status::unschedulable(Plugin::InterPodAffinity, "node(s) didn't match pod anti-affinity rules"));
    }
    labels.iter().any(|(key, value)| state.kept_away.contains(&(key.as_str(), value.as_str()))).then(|| {
        let text = "node(s) didn't satisfy existing pods anti-affinity rules";
        Status::unschedulable(Plugin::InterPodAffinity, text)
    })
}
