//! What kube-scheduler says about one node, as data.

use crate::controllers::scheduler::{NodeVerdicts, Plugin, Verdict};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// The verdict on one node.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct NodeOut {
    /// The name of the node.
    pub name: String,
    /// Whether the pod fits in every order of the volumes in the scheduler's cache.
    pub fits: bool,
    /// Whether the pod fits in some order of the volumes. The other verdicts are in `alternatives`.
    pub can_fit: bool,
    /// The plugin that rejects the node, or null.
    pub plugin: Option<&'static str>,
    /// The reasons of the plugin, in its own words.
    pub reasons: Vec<String>,
    /// The claims that would be bound to existing volumes.
    pub bind: Vec<BindOut>,
    /// The names of the claims for which a volume would be provisioned.
    pub provision: Vec<String>,
}

/// A claim that would be bound.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct BindOut {
    /// The name of the claim.
    pub claim: String,
    /// The names of the volumes that can be chosen.
    pub volumes: Vec<String>,
}

impl NodeOut {
    /// Returns the verdict on a node. There are several verdicts if the order of volumes in the scheduler's cache
    /// decides. Then the result is the first verdict with which the pod fits. If there is no such verdict, the result
    /// is the first of all verdicts.
    pub fn new(node: &NodeVerdicts) -> Self {
        let best = node.verdicts.iter().find(|verdict| verdict.fits()).or_else(|| node.verdicts.first());
        let same = |verdict: &&Verdict| best.is_some_and(|best| best.status == verdict.status);
        let all: Vec<&Verdict> = node.verdicts.iter().filter(same).collect();
        Self { fits: node.fits(), can_fit: node.can_fit(), ..verdict_out(&node.node, &all) }
    }

    /// Returns the other verdicts on the node, which have other reasons.
    pub fn others(node: &NodeVerdicts) -> Vec<Self> {
        let mut by_status: BTreeMap<_, Vec<&Verdict>> = BTreeMap::new();
        for verdict in &node.verdicts {
            by_status.entry(&verdict.status).or_default().push(verdict);
        }
        let shown = Self::new(node);
        let all = by_status.into_values().map(|verdicts| verdict_out(&node.node, &verdicts));
        all.filter(|other| other.reasons != shown.reasons).collect()
    }
}

/// Returns the answer about a node from verdicts that differ only in what is bound.
fn verdict_out(name: &str, verdicts: &[&Verdict]) -> NodeOut {
    let mut bind: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for binding in verdicts.iter().flat_map(|verdict| &verdict.bindings) {
        bind.entry(&binding.claim).or_default().insert(&binding.volume);
    }
    let mut provision: Vec<String> =
        verdicts.iter().flat_map(|verdict| &verdict.provisions).map(ToString::to_string).collect();
    provision.sort();
    provision.dedup();
    let status = verdicts.first().map(|verdict| &verdict.status);
    NodeOut {
        name: name.to_owned(),
        fits: verdicts.first().is_some_and(|verdict| verdict.fits()),
        can_fit: verdicts.first().is_some_and(|verdict| verdict.fits()),
        plugin: status.and_then(|status| status.plugin).map(Plugin::name),
        reasons: status.iter().flat_map(|status| &status.reasons).map(|reason| reason.text.to_string()).collect(),
        bind: bind
            .into_iter()
            .map(|(claim, volumes)| BindOut {
                claim: claim.to_owned(),
                volumes: volumes.into_iter().map(str::to_owned).collect(),
            })
            .collect(),
        provision,
    }
}
