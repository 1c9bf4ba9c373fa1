//! The topology requirement of a request: the topologies from which the new volume should be accessible. Upstream:
//! `pkg/controller/topology.go` of external-provisioner v6.4.0.
//!
//! If a request is sent again, the provisioner uses what it read about the nodes for the first attempt. The model does
//! not store this: it always answers as at a first attempt.

use super::decision::{Segments, TopologyRequirement};
use super::sidecar::Sidecar;
use crate::controllers::scheduler::reads::Reads;
use crate::model::class::TopologyTerm;
use crate::model::{CsiNode, Node, Str, label};
use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

/// A topology: keys with their values, sorted.
pub(super) type Term = Vec<(Str, Str)>;

/// The reason why no topology requirement can be made.
#[derive(Debug)]
pub(super) enum Unusable {
    /// The selected node has no CSINode.
    NotFound(String),
    /// Another reason.
    Other(String),
}

/// The claim for which a topology requirement is made, with the topologies that its class allows and the selected node.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wanted<'c> {
    pub(super) claim: &'c str,
    pub(super) allowed: &'c [TopologyTerm],
    pub(super) selected_node: &'c str,
}

/// Returns the topology requirement of a request, or `None` if the request needs none. Upstream:
/// `GenerateAccessibilityRequirements`, v6.4.0.
pub(super) fn generate_accessibility_requirements(
    reads: &mut Reads<'_>,
    sidecar: &Sidecar,
    wanted: Wanted<'_>,
) -> Result<Option<TopologyRequirement>, Unusable> {
    let Wanted { allowed, selected_node: node, .. } = wanted;
    let selected = if node.is_empty() { None } else { Some(selected_topology(reads, &sidecar.driver, node)?) };
    let mut requisite: Vec<Term> = Vec::new();
    if let Some((topology, _)) = selected.as_ref().filter(|_| sidecar.strict_topology) {
        if !allowed.is_empty() {
            let flat = flatten(allowed);
            if !flat.iter().any(|term| is_subset(term, topology)) {
                return Err(Unusable::Other(format!(
                    "selected node '{node:?}' topology '{}' is not in allowed topologies: {}",
                    printed(topology),
                    printed_all(&flat)
                )));
            }
        }
        requisite.push(topology.clone());
    }
    if requisite.is_empty() {
        if !allowed.is_empty() {
            requisite = flatten(allowed);
        } else if selected.is_none() && !sidecar.immediate_topology {
            return Ok(None);
        } else {
            let keys = selected.as_ref().map(|(_, keys)| keys.as_slice());
            requisite = aggregate_topologies(reads, &sidecar.driver, keys).map_err(Unusable::Other)?;
            if requisite.is_empty() {
                return Err(Unusable::Other("no available topology found".to_owned()));
            }
        }
    }
    if requisite.is_empty() {
        return Ok(None);
    }
    requisite.sort_by(compare);
    requisite.dedup();
    let first = match &selected {
        None => {
            let (hash, index) = name_hash_and_index_offset(wanted.claim);
            Some(hash.wrapping_add(index) as usize % requisite.len())
        }
        Some((topology, _)) => requisite.iter().position(|term| is_subset(term, topology)),
    };
    let Some(first) = first else {
        let topology = selected.map(|(topology, _)| topology).unwrap_or_default();
        return Err(Unusable::Other(format!(
            "topology {} from selected node {node:?} is not in requisite: {}",
            printed(&topology),
            printed_all(&requisite)
        )));
    };
    let mut preferred = requisite.clone();
    preferred.rotate_left(first);
    Ok(Some(TopologyRequirement { requisite: segments(&requisite), preferred: segments(&preferred) }))
}

/// Returns the topology of the selected node, and the topology keys of the driver on this node.
fn selected_topology(reads: &mut Reads<'_>, driver: &str, node: &str) -> Result<(Term, Vec<Str>), Unusable> {
    let Some(csi_node) = reads.find::<CsiNode>("", node) else {
        return Err(Unusable::NotFound(format!(
            "failed to get selected CSINode {node}: csinode.storage.k8s.io {node:?} not found"
        )));
    };
    let keys = topology_keys(csi_node, driver);
    if keys.is_empty() {
        return Err(Unusable::Other(format!("no topology key found for node {node}")));
    }
    let labels = reads.find::<Node>("", node).map(|node| &*node.meta.labels).unwrap_or_default();
    if let Some(topology) = topology_of(labels, keys) {
        return Ok((topology, keys.to_vec()));
    }
    let labels: Vec<String> = labels.iter().map(|(key, value)| format!("{key}:{value}")).collect();
    Err(Unusable::Other(format!(
        "topology labels from selected node map[{}] does not match topology keys from CSINode [{}]",
        labels.join(" "),
        keys.join(" ")
    )))
}

/// Returns the topology keys of the driver on the node. Upstream: `getTopologyKeys`, v6.4.0.
fn topology_keys<'n>(node: &'n CsiNode, driver: &str) -> &'n [Str] {
    node.driver(driver).map(|driver| &*driver.topology_keys).unwrap_or_default()
}

/// Returns the topology that the labels of a node have for these keys, or `None` if a label is missing. Upstream:
/// `extractTopologyTerm`, v6.4.0.
fn topology_of(labels: &[(Str, Str)], keys: &[Str]) -> Option<Term> {
    let mut term: Term =
        keys.iter().map(|key| Some((key.clone(), label(labels, key)?.into()))).collect::<Option<_>>()?;
    term.sort();
    Some(term)
}

/// Returns the topologies of all nodes of the driver. If keys are given, returns only those of nodes on which the
/// driver has registered these keys. Upstream: `aggregateTopologies`, v6.4.0.
fn aggregate_topologies(reads: &mut Reads<'_>, driver: &str, keys: Option<&[Str]>) -> Result<Vec<Term>, String> {
    let registered: BTreeMap<&str, BTreeSet<&str>> = (reads.list::<CsiNode>())
        .map(|node| (node.meta.name.as_str(), topology_keys(node, driver)))
        .filter(|(_, keys)| !keys.is_empty())
        .map(|(name, keys)| (name, keys.iter().map(Str::as_str).collect()))
        .collect();
    let sets: BTreeSet<Vec<Str>> = match keys {
        Some(keys) => [keys.to_vec()].into(),
        None => (reads.list::<CsiNode>())
            .map(|node| topology_keys(node, driver).to_vec())
            .filter(|keys| !keys.is_empty())
            .map(|mut keys| {
                keys.sort();
                keys
            })
            .collect(),
    };
    if sets.is_empty() {
        return Ok(Vec::new());
    }
    let mut terms = Vec::new();
    for keys in &sets {
        let has_keys = |node: &&Node| {
            let known = registered.get(node.meta.name.as_str());
            known.is_some_and(|known| keys.iter().all(|key| known.contains(key.as_str())))
        };
        let nodes = reads.list::<Node>().filter(has_keys);
        terms.extend(nodes.filter_map(|node| topology_of(&node.meta.labels, keys)));
    }
    if terms.is_empty() {
        let all: Vec<String> = sets.iter().map(|keys| format!("[{}]", keys.join(" "))).collect();
        let all = if keys.is_some() { all.concat() } else { format!("[{}]", all.join(" ")) };
        return Err(format!("topologyKeys {all} were not found on any nodes"));
    }
    Ok(terms)
}

/// Returns the topologies that `allowedTopologies` of a class allows: for each term, all combinations of the values of
/// its keys. Upstream: `flatten`, v6.4.0.
fn flatten(allowed: &[TopologyTerm]) -> Vec<Term> {
    let mut all = Vec::new();
    for selector in allowed {
        let mut terms: Vec<Term> = Vec::new();
        for (key, values) in selector {
            let with = |term: &Term, value: &Str| term.iter().cloned().chain([(key.clone(), value.clone())]).collect();
            // As in upstream, an expression without values discards the expressions before it.
            terms = if terms.is_empty() {
                values.iter().map(|value| vec![(key.clone(), value.clone())]).collect()
            } else {
                values.iter().flat_map(|value| terms.iter().map(move |term| with(term, value))).collect()
            };
        }
        all.extend(terms);
    }
    for term in &mut all {
        term.sort();
    }
    all
}

/// Compares two topologies: by the number of keys, then by keys and values. Upstream: `topologyTerm.compare`, v6.4.0.
fn compare(one: &Term, other: &Term) -> Ordering {
    one.len().cmp(&other.len()).then_with(|| one.cmp(other))
}

/// Returns whether the other topology has all keys of the first topology, with the same values. Upstream:
/// `topologyTerm.subset`, v6.4.0.
fn is_subset(term: &Term, other: &Term) -> bool {
    let mut wanted = term.iter().peekable();
    for (key, value) in other {
        match wanted.peek() {
            None => return true,
            Some((wanted_key, _)) if wanted_key != key => {}
            Some((_, wanted_value)) if wanted_value != value => return false,
            Some(_) => {
                wanted.next();
            }
        }
    }
    wanted.peek().is_none()
}

/// Returns the topologies in the form of CSI, without empty topologies. Upstream: `toCSITopology`, v6.4.0.
fn segments(terms: &[Term]) -> Vec<Segments> {
    terms.iter().filter(|term| !term.is_empty()).map(|term| term.iter().cloned().collect()).collect()
}

fn printed(term: &Term) -> String {
    let pairs: Vec<String> = term.iter().map(|(key, value)| format!("{{{key} {value}}}")).collect();
    format!("[{}]", pairs.join(" "))
}

fn printed_all(terms: &[Term]) -> String {
    let all: Vec<String> = terms.iter().map(printed).collect();
    format!("[{}]", all.join(" "))
}

/// Returns a hash and an index from the name of a claim. Their sum selects the topology that is preferred most. So the
/// claims of a StatefulSet prefer different topologies. Upstream: `getPVCNameHashAndIndexOffset`, v6.4.0.
pub fn name_hash_and_index_offset(name: &str) -> (u32, u32) {
    let numbered = name.rsplit_once('-').and_then(|(before, number)| {
        let is_number = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
        Some((before, number.parse::<u32>().ok().filter(|_| is_number)?))
    });
    let (hashed, index) = match numbered {
        Some((before, index)) => (before.rsplit_once('-').map_or(before, |(_, last)| last), index),
        None => (name, 0),
    };
    // This is FNV-1.
    let step = |hash: u32, byte: u8| hash.wrapping_mul(0x0100_0193) ^ u32::from(byte);
    (hashed.bytes().fold(0x811c_9dc5, step), index)
}
