//! What kube-scheduler does with a pod that has no node: the nodes by what rejects them, what would have to change, and
//! how the answer differs from the last recorded one.

use super::facts::unschedulable;
use crate::controllers::KubernetesBehavior;
use crate::controllers::scheduler::{
    Cause, Causes, Cycle, NodeVerdicts, NotEvaluated, Scheduler, SchedulerReason, Status, handles,
};
use crate::diagnosis::facts::node_selector_text;
use crate::model::{Kind, Node, Pod, Str, Timestamp};
use crate::snapshot::{Absence, Snapshot};
use std::collections::BTreeMap;

/// The plugins and parts of kube-scheduler that are not modelled and that can decide where a pod runs.
pub const UNMODELLED: [&str; 3] = ["DefaultPreemption", "DynamicResources", "extenders"];

/// The largest number of causes that are told for one group of nodes.
const MOST_CAUSES: usize = 3;

/// The largest number of pods that are named as users of a claim.
const MOST_PODS: usize = 3;

/// What kube-scheduler does with a pod that has no node.
#[derive(Clone, Debug)]
pub enum PodScheduling {
    /// The scheduler does not look for a node. The sentence says why.
    NotTried(String),
    /// The answer is unknown.
    Unknown {
        /// The kinds of the objects that are missing or incomplete.
        kinds: Vec<Kind>,
        /// Why, as a sentence without a full stop.
        why: String,
    },
    /// The scheduler looks for a node.
    Tried(Attempt),
}

/// One attempt to find a node for a pod. No other pod that waits has been scheduled before it.
#[derive(Clone, Debug)]
pub struct Attempt {
    /// Whether the pod was rejected before any node was tested.
    pub is_rejected_early: bool,
    /// The message of the condition `PodScheduled`, without the part about preemption. It is `None` if some node fits.
    pub message: Option<String>,
    /// The other possible messages. There are some if the order of volumes in the scheduler's cache decides.
    pub other_messages: Vec<String>,
    /// The verdict on each node, sorted by name.
    pub nodes: Vec<NodeVerdicts>,
    /// The nodes that are rejected, by reason. The reasons of volumes come first.
    pub groups: Vec<NodeGroup>,
    /// The names of the nodes that fit.
    pub fitting: Vec<Str>,
    /// The kinds of which no other objects are assumed to exist, because the input cannot show them.
    pub assumed: Vec<Kind>,
    /// What the plugin `DynamicResources`, which is not modelled, decides about the pod.
    pub not_evaluated: Vec<NotEvaluated>,
    /// The last recorded message, its time, and whether the prediction agrees with it.
    pub recorded: Option<Recorded>,
}

/// Nodes that are rejected for the same reasons.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeGroup {
    /// The reasons, in the words of kube-scheduler.
    pub reasons: Vec<String>,
    /// The names of the nodes.
    pub nodes: Vec<Str>,
    /// What the reasons rest on, as sentences without a full stop.
    pub causes: Vec<String>,
    /// Whether a volume plugin gave the first reason.
    pub is_about_volumes: bool,
}

/// What the scheduler has recorded about the pod.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recorded {
    /// The message.
    pub message: String,
    /// The time of the message, if an object states it.
    pub since: Option<Timestamp>,
    /// Whether the predicted message is the recorded one.
    pub agrees: bool,
    /// What has changed since then, as a sentence. It is empty if the messages agree or cannot be compared.
    pub change: String,
}

impl PodScheduling {
    /// Returns what the scheduler does with the pod. Returns None if the pod has a node or has ended.
    pub fn of(snapshot: &Snapshot, behavior: &KubernetesBehavior, pod: &Pod) -> Option<Self> {
        if !pod.node_name.is_empty() || pod.terminated() {
            return None;
        }
        if !handles(pod) {
            let sentence = match pod.scheduler_name.as_str() {
                "" => "the pod has ended".to_owned(),
                name => {
                    format!(
                        "this is the task of scheduler {name}, and only kube-scheduler's default profile is modelled"
                    )
                }
            };
            return Some(Self::NotTried(sentence));
        }
        let scheduler = Scheduler::new(snapshot, behavior);
        let answer = scheduler.schedule(pod);
        match answer.cycle {
            Cycle::Gated(status) => {
                let reasons: Vec<&str> = status.reasons.iter().map(|reason| &*reason.text).collect();
                return Some(Self::NotTried(reasons.join(", ")));
            }
            Cycle::Skipped(_) => return Some(Self::NotTried("the pod is being deleted".to_owned())),
            Cycle::PreFilter(_) | Cycle::Nodes(_) => {}
        }
        let unread: Vec<Kind> = answer
            .doubts
            .iter()
            .filter(|(kind, absence)| match absence {
                Absence::Certain => false,
                // Without any node, a file says nothing about nodes.
                Absence::Assumed => **kind == Kind::Node && snapshot.nodes().is_empty(),
                Absence::Unknown(_) => true,
            })
            .map(|(kind, _)| *kind)
            .collect();
        if !unread.is_empty() {
            let names: Vec<&str> = unread.iter().map(|kind| kind.resource()).collect();
            let why = format!("these objects were not all read: {}", names.join(", "));
            return Some(Self::Unknown { kinds: unread, why });
        }
        // Each real node states what it has. A node in a file that was written by hand may not.
        let is_empty = |node: &&Node| node.allocatable.is_empty();
        if let Some(node) = snapshot.nodes().iter().find(is_empty).filter(|_| !answer.nodes().is_empty()) {
            let why = format!("node {} does not state status.allocatable", node.meta.name);
            return Some(Self::Unknown { kinds: vec![Kind::Node], why });
        }
        let fitting: Vec<Str> = answer.candidates().map(|node| node.node.clone()).collect();
        let assumed = answer.doubts.into_keys().collect();
        let causes = Causes::new(&scheduler, pod);
        let (nodes, mut groups) = match answer.cycle {
            Cycle::Nodes(nodes) => {
                let groups = group(snapshot, &causes, &nodes);
                (nodes, groups)
            }
            Cycle::PreFilter(status) => {
                let names = snapshot.nodes().iter().map(|node| node.meta.name.clone()).collect();
                (Vec::new(), vec![group_of(&causes, &status, names, None)])
            }
            Cycle::Gated(_) | Cycle::Skipped(_) => (Vec::new(), Vec::new()),
        };
        groups.sort_by(|a, b| {
            let order = |group: &NodeGroup| (!group.is_about_volumes, usize::MAX - group.nodes.len());
            order(a).cmp(&order(b)).then_with(|| a.reasons.cmp(&b.reasons))
        });
        let mut messages = answer.messages.into_iter();
        // If a node fits in one order of the volumes, the messages are those of the other orders.
        let message = if fitting.is_empty() { messages.next() } else { None };
        let recorded = unschedulable(snapshot, pod).map(|(said, since)| {
            let agrees = message.as_ref().is_some_and(|message| said.starts_with(message.as_str()));
            let change = if agrees { String::new() } else { change(said, message.as_deref(), &fitting) };
            Recorded { message: said.to_owned(), since, agrees, change }
        });
        Some(Self::Tried(Attempt {
            is_rejected_early: nodes.is_empty() && !groups.is_empty(),
            message,
            other_messages: messages.collect(),
            nodes,
            groups,
            fitting,
            assumed,
            not_evaluated: answer.not_evaluated.into_iter().collect(),
            recorded,
        }))
    }
}

/// Groups the rejected nodes by their reasons.
fn group(snapshot: &Snapshot, causes: &Causes<'_, '_>, nodes: &[NodeVerdicts]) -> Vec<NodeGroup> {
    let mut groups: BTreeMap<Vec<&str>, (&Status, Vec<&Str>)> = BTreeMap::new();
    for node in nodes {
        // If the order of the volumes decides whether the node fits, the node fits.
        let Some(status) = node.verdicts.first().map(|verdict| &verdict.status) else { continue };
        if node.can_fit() {
            continue;
        }
        let reasons = status.reasons.iter().map(|reason| &*reason.text).collect();
        groups.entry(reasons).or_insert((status, Vec::new())).1.push(&node.node);
    }
    let find = |name: &Str| snapshot.find::<Node>("", name);
    let of_group = |(status, names): (&Status, Vec<&Str>)| {
        let mut told: Vec<String> = Vec::new();
        for node in names.iter().filter_map(|name| find(name)) {
            let more = group_of(causes, status, Vec::new(), Some(node)).causes;
            told.extend(more.into_iter().filter(|cause| !told.contains(cause)).collect::<Vec<_>>());
            if told.len() >= MOST_CAUSES {
                break;
            }
        }
        told.truncate(MOST_CAUSES);
        let names = names.into_iter().cloned().collect();
        NodeGroup { causes: told, ..group_of(causes, status, names, None) }
    };
    groups.into_values().map(of_group).collect()
}

/// Makes a group with the causes on one node, or with those of a pod that was rejected before any node was tested.
fn group_of(causes: &Causes<'_, '_>, status: &Status, nodes: Vec<Str>, node: Option<&Node>) -> NodeGroup {
    let leaves = status.reasons.iter().filter_map(|reason| reason.leaf);
    let told = leaves.flat_map(|leaf| causes.of(leaf, node).into_iter().map(move |cause| words(leaf, &cause, node)));
    NodeGroup {
        reasons: status.reasons.iter().map(|reason| reason.text.to_string()).collect(),
        nodes,
        causes: told.collect(),
        is_about_volumes: status.reasons.iter().any(|reason| reason.leaf.is_some()),
    }
}

/// Returns what a reason rests on, in words.
fn words(leaf: SchedulerReason, cause: &Cause<'_>, node: Option<&Node>) -> String {
    match cause {
        Cause::Claim(claim) => match leaf {
            SchedulerReason::PodClaimMissing => format!("claim {claim} does not exist"),
            SchedulerReason::PodEphemeralClaimPending => {
                format!("claim {claim}, which the pod's ephemeral volume needs, has not been created yet")
            }
            SchedulerReason::PodClaimLost => format!("claim {claim} is Lost"),
            SchedulerReason::PodClaimDeleting => format!("claim {claim} is being deleted"),
            SchedulerReason::PodClaimImmediateUnbound => format!("claim {claim} is not bound to a volume"),
            SchedulerReason::PodClaimWithoutVolumeOrClass => {
                format!("the volume or the class that claim {claim} names does not exist")
            }
            _ => format!("claim {claim} was not created for this pod"),
        },
        Cause::VolumeAffinity { claim, volume, affinity } => {
            format!(
                "volume {} of claim {claim} can be used only on nodes with {}",
                volume.meta.name,
                node_selector_text(affinity)
            )
        }
        Cause::VolumeZone { claim, volume, key } => {
            let value = crate::model::label(&volume.meta.labels, key).unwrap_or_default();
            format!("volume {} of claim {claim} has label {key}={value}", volume.meta.name)
        }
        Cause::SelectedNode { claim, node } => {
            format!("the scheduler selected node {node} for claim {claim} before, so that no other node is possible")
        }
        Cause::NoVolume { claim, class } => {
            format!("no free volume of class {class:?} fits claim {claim} there, and nothing provisions one")
        }
        Cause::AllowedTopologies { claim, class } => {
            format!("allowedTopologies of class {class:?}, which claim {claim} has, does not match the labels there")
        }
        Cause::Capacity { claim } => {
            let request = claim.requested().map(|request| request.to_string()).unwrap_or_default();
            let (name, class) = (&claim.meta.name, claim.class());
            format!(
                "claim {name} requests {request}, and no CSIStorageCapacity of class {class:?} reports as much there"
            )
        }
        Cause::VolumeMissing { claim, volume } => format!("volume {volume} of claim {claim} does not exist"),
        Cause::Limit { driver, limit, used, new } => {
            let node = node.map(|node| node.meta.name.as_str()).unwrap_or_default();
            format!(
                "node {node} takes {limit} volumes of driver {driver}; {used} count already, and the pod adds {new}"
            )
        }
        Cause::ClaimInUse { claim, pods } => {
            let shown: Vec<String> = pods
                .iter()
                .take(MOST_PODS)
                .map(|pod| format!("pod {} on node {}", pod.meta.name, pod.node_name))
                .collect();
            format!("claim {claim} is ReadWriteOncePod, and {} uses it", shown.join(", "))
        }
    }
}

/// Returns what has changed since the recorded message.
fn change(recorded: &str, message: Option<&str>, fitting: &[Str]) -> String {
    let Some(message) = message else {
        let nodes = match fitting {
            [only] => format!("node {only} fits"),
            [first, ..] => format!("{} nodes fit, such as {first}", fitting.len()),
            [] => "the answer is open".to_owned(),
        };
        return format!("Something has changed since: now {nodes}. The scheduler tries again within 5 minutes");
    };
    let (Some(before), Some(now)) = (Counts::of(recorded), Counts::of(message)) else {
        return String::new();
    };
    let mut changes = Vec::new();
    if before.nodes != now.nodes {
        changes.push(format!("there were {} nodes, and now there are {}", before.nodes, now.nodes));
    }
    let lists = |counts: &BTreeMap<&str, &str>, others: &BTreeMap<&str, &str>| {
        let only = counts.iter().filter(|(reason, count)| others.get(**reason) != Some(*count));
        only.map(|(reason, count)| format!("{count} {reason}").trim_start().to_owned()).collect::<Vec<_>>().join(", ")
    };
    let (gone, new) = (lists(&before.reasons, &now.reasons), lists(&now.reasons, &before.reasons));
    if !gone.is_empty() {
        changes.push(format!("no longer true: {gone}"));
    }
    if !new.is_empty() {
        changes.push(format!("new: {new}"));
    }
    format!("Something has changed since: {}", changes.join("; "))
}

/// The numbers in a message of the scheduler. Upstream: `FitError.Error`, `pkg/scheduler/framework`, 1.36.
struct Counts<'m> {
    nodes: &'m str,
    /// The count of each reason. It is empty for a reason without a count.
    reasons: BTreeMap<&'m str, &'m str>,
}

impl<'m> Counts<'m> {
    fn of(message: &'m str) -> Option<Self> {
        let (nodes, rest) = message.strip_prefix("0/")?.split_once(" nodes are available: ")?;
        // The sentence about preemption comes after the reasons.
        let reasons = rest.split_once(". ").map_or(rest, |(reasons, _)| reasons).trim_end_matches('.');
        let counted = |part: &'m str| match part.split_once(' ') {
            Some((count, reason)) if count.bytes().all(|byte| byte.is_ascii_digit()) => (reason, count),
            _ => (part, ""),
        };
        Some(Self { nodes, reasons: reasons.split(", ").map(counted).collect() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The messages are those of a real kube-scheduler 1.34, with the part about preemption.
    #[test]
    fn what_has_changed_since_a_message_is_said() {
        let before = "0/3 nodes are available: 1 node(s) had untolerated taint(s), 2 Insufficient cpu. no new claims to \
                      deallocate, preemption: 0/3 nodes are available: 3 Preemption is not helpful for scheduling.";
        let now = "0/2 nodes are available: 2 Insufficient cpu.";
        assert_eq!(
            change(before, Some(now), &[]),
            "Something has changed since: there were 3 nodes, and now there are 2; no longer true: 1 node(s) had \
             untolerated taint(s)"
        );
        let unbound = "0/2 nodes are available: pod has unbound immediate PersistentVolumeClaims. not found";
        assert_eq!(
            change(unbound, Some(now), &[]),
            "Something has changed since: no longer true: pod has unbound immediate PersistentVolumeClaims; new: 2 \
             Insufficient cpu"
        );
        assert_eq!(
            change(before, None, &["n1".into()]),
            "Something has changed since: now node n1 fits. The scheduler tries again within 5 minutes"
        );
        assert_eq!(change("unable to find a node", Some(now), &[]), "", "the messages cannot be compared");
    }
}
