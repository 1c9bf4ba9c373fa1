//! The message of the condition `PodScheduled`.

use super::orders::Order;
use super::verdict::{Code, Status};
use super::volume_binding::Branches;
use std::collections::{BTreeMap, BTreeSet};

/// The largest number of states that the search follows.
const MOST_STATES: usize = 4000;

/// Returns the message of a pod that `PreFilter` rejects. Upstream: `FitError.Error`, `pkg/scheduler/framework`, 1.36.
pub(super) fn pre_filter(nodes: usize, status: &Status) -> String {
    let reasons: Vec<&str> = status.reasons.iter().map(|reason| &*reason.text).collect();
    format!("0/{nodes} nodes are available: {}.", reasons.join(", "))
}

/// How often each reason was given.
type Histogram<'v> = BTreeMap<&'v str, usize>;

fn text(nodes: usize, reasons: &Histogram<'_>) -> String {
    let mut counted: Vec<String> = reasons.iter().map(|(reason, count)| format!("{count} {reason}")).collect();
    counted.sort_unstable();
    let counted = if counted.is_empty() { String::new() } else { format!(" {}.", counted.join(", ")) };
    format!("0/{nodes} nodes are available:{counted}")
}

/// The possible messages about a pod, for the statuses of all nodes.
#[derive(Debug)]
pub(super) struct Messages {
    /// The messages for the orders of the volumes in which no node fits.
    pub(super) all: BTreeSet<String>,
    /// Whether more messages may be possible.
    pub(super) limited: bool,
}

/// Combines the branches of all nodes into messages. `counts` has the number of nodes in the group of each node. In
/// each combination, all nodes have the same order of the volumes. An order in which some node fits has no message.
pub(super) fn of_nodes(nodes: &[Branches<'_>], counts: &[usize]) -> Messages {
    let mut states: BTreeSet<(Histogram<'_>, Order<'_>)> = [(Histogram::new(), Order::default())].into();
    let mut limited = nodes.iter().any(|node| node.limited);
    for (node, count) in nodes.iter().zip(counts) {
        let rejected = || node.all.iter().filter(|branch| branch.verdict.status.code != Code::Success);
        let same = node.all.windows(2).all(|pair| match pair {
            [one, other] => one.verdict.status == other.verdict.status,
            _ => true,
        });
        let mut next = BTreeSet::new();
        for (histogram, order) in &states {
            for branch in rejected() {
                let mut order = order.clone();
                // If all branches have the same status, the order does not matter for this node.
                if !same && !order.join(&branch.order) {
                    continue;
                }
                let mut histogram = histogram.clone();
                for reason in &branch.verdict.status.reasons {
                    *histogram.entry(&reason.text).or_default() += count;
                }
                next.insert((histogram, order));
                if same {
                    break;
                }
            }
            if next.len() > MOST_STATES {
                limited = true;
                break;
            }
        }
        states = next;
        if states.is_empty() {
            break;
        }
    }
    Messages { all: states.iter().map(|(reasons, _)| text(counts.iter().sum(), reasons)).collect(), limited }
}
