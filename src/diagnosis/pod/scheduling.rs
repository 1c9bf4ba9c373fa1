//! What kube-scheduler does with a pod that has no node. The answer has the nodes, grouped by the reasons that reject
//! them, the facts on which these reasons rest, and the difference to the last recorded message.

use super::facts::unschedulable;
use crate::controllers::scheduler::{
    Cause, Causes, ConditionReason, Cycle, NodeVerdicts, NotEvaluated, Plugin, Scheduler, SchedulerReason, Status,
    handles, untolerated_taint,
};
use crate::diagnosis::facts::node_selector_text;
use crate::model::{Kind, Node, Pod, Str, Timestamp, label};
use crate::snapshot::{Absence, Snapshot};
use crate::text::capitalized;
use std::collections::{BTreeMap, BTreeSet};

/// The plugins and parts of kube-scheduler that are not modelled and that can decide where a pod runs.
pub const UNMODELLED: [&str; 5] =
    ["DefaultPreemption", "DynamicResources", "extenders", "nominatedPods", "assumedPods"];

/// The kinds that the plugins for volumes read, besides claims, volumes, classes, pods and nodes.
const OF_VOLUMES: [Kind; 4] = [Kind::CsiNode, Kind::CsiDriver, Kind::CsiStorageCapacity, Kind::VolumeAttachment];

/// The largest number of causes that are stated for one group of nodes. It does not apply if the pod is rejected before
/// any node is tested.
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
    Tried(Box<Attempt>),
}

/// One attempt to find a node for a pod. It is assumed that no other waiting pod is scheduled first.
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
    /// The nodes that are rejected, grouped by their reasons. Groups with a reason about volumes come first.
    pub groups: Vec<NodeGroup>,
    /// The names of the nodes that fit, whatever the order of volumes in the scheduler's cache is.
    pub fitting: Vec<Str>,
    /// The names of the nodes that fit in some orders of the volumes only.
    pub perhaps_fitting: Vec<Str>,
    /// Whether a plugin fails. Then no node is chosen, and the message is the error.
    pub is_error: bool,
    /// Whether there may be further answers, because too many orders of volumes are possible.
    pub is_limited: bool,
    /// The kinds whose lists in the input are assumed to be complete, although the input does not state this.
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
    /// Whether a volume plugin gave a reason.
    pub is_about_volumes: bool,
    /// Whether the order of volumes in the scheduler's cache decides which of the reasons is given.
    pub depends_on_order: bool,
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
    /// Returns the attempt, if nodes were tested, none fits the pod, and the real scheduler certainly decides the same.
    pub fn certain_rejection(&self) -> Option<&Attempt> {
        match self {
            Self::Tried(attempt) if attempt.rejection().is_some() && attempt.is_certain() => Some(attempt),
            Self::Tried(_) | Self::NotTried(_) | Self::Unknown { .. } => None,
        }
    }
}

/// Returns a node that does not state how many resources it has, if there is one. Handmade files can have such nodes.
fn without_room(snapshot: &Snapshot) -> Option<&Node> {
    snapshot.nodes().iter().find(|node| node.allocatable.is_empty())
}

/// Returns whether every node states how many resources it has.
pub(in crate::diagnosis) fn nodes_state_room(snapshot: &Snapshot) -> bool {
    without_room(snapshot).is_none()
}

impl PodScheduling {
    /// Returns what the scheduler does with the pod. Returns None if the pod has a node or has ended. `scheduler`
    /// returns the scheduler's view of the cluster.
    pub fn of<'a, 's: 'a>(
        snapshot: &'s Snapshot,
        scheduler: impl FnOnce() -> &'a Scheduler<'s>,
        pod: &'s Pod,
    ) -> Option<Self> {
        if !pod.node_name.is_empty() || pod.terminated() {
            return None;
        }
        if !handles(pod) {
            return Some(Self::NotTried(format!(
                "the pod names scheduler {}, and only the default profile of kube-scheduler is modelled",
                pod.scheduler_name
            )));
        }
        let scheduler = scheduler();
        let answer = scheduler.schedule(pod);
        match answer.cycle {
            Cycle::Gated(status) => {
                let reasons: Vec<&str> = status.reasons.iter().map(|reason| &*reason.text).collect();
                return Some(Self::NotTried(format!("it is {}", reasons.join(", "))));
            }
            Cycle::Skipped(_) => return Some(Self::NotTried("the pod is being deleted".to_owned())),
            Cycle::PreFilter(_) | Cycle::Nodes(_) => {}
        }
        let is_unread = |kind: Kind, absence: &Absence| match absence {
            Absence::Certain => false,
            // If a file has no node at all, the nodes are unknown.
            Absence::Assumed => kind == Kind::Node && snapshot.nodes().is_empty(),
            Absence::Unknown(_) => true,
        };
        let doubts = answer.doubts.iter();
        let mut unread: Vec<Kind> =
            doubts.filter(|(kind, absence)| is_unread(**kind, absence)).map(|(kind, _)| *kind).collect();
        // If one of the kinds that the volume plugins read is missing, the answer names all of these kinds that are
        // missing.
        if unread.iter().any(|kind| OF_VOLUMES.contains(kind)) {
            let is_missing = |kind: &Kind| is_unread(*kind, &snapshot.coverage().absence(*kind, ""));
            unread.extend(OF_VOLUMES.into_iter().filter(is_missing));
            unread.sort_unstable();
            unread.dedup();
        }
        if !unread.is_empty() {
            let names: Vec<&str> = unread.iter().map(|kind| kind.resource()).collect();
            let why = format!(
                "not all objects of these kinds were read: {}. `kubectl pvctl snapshot` reads them, and \
                 --assume-complete={} states that a file has all of them",
                names.join(", "),
                names.join(",")
            );
            return Some(Self::Unknown { kinds: unread, why });
        }
        // Each real node states its allocatable resources. A node in a file that was written by hand may not state
        // them.
        if let Some(node) = without_room(snapshot).filter(|_| !answer.nodes().is_empty()) {
            let why = format!("node {} does not state status.allocatable", node.meta.name);
            return Some(Self::Unknown { kinds: vec![Kind::Node], why });
        }
        let names = |certain: bool| -> Vec<Str> {
            let candidates = answer.candidates().filter(|node| node.fits() == certain);
            candidates.map(|node| node.node.clone()).collect()
        };
        let (fitting, perhaps_fitting) = (names(true), names(false));
        let is_error = answer.reason == Some(ConditionReason::SchedulerError);
        let assumed = answer.doubts.into_keys().collect();
        let causes = Causes::new(scheduler, pod);
        let (nodes, mut groups) = match answer.cycle {
            Cycle::Nodes(nodes) => {
                let groups = group(snapshot, pod, &causes, &nodes);
                (nodes, groups)
            }
            Cycle::PreFilter(status) => {
                let names = snapshot.nodes().iter().map(|node| node.meta.name.clone()).collect();
                let told = causes_of(&causes, &status, None);
                (Vec::new(), vec![NodeGroup::new(&[&status].into(), names, told)])
            }
            Cycle::Gated(_) | Cycle::Skipped(_) => (Vec::new(), Vec::new()),
        };
        groups.sort_by(|a, b| {
            let order = |group: &NodeGroup| (!group.is_about_volumes, usize::MAX - group.nodes.len());
            order(a).cmp(&order(b)).then_with(|| a.reasons.cmp(&b.reasons))
        });
        let recorded = unschedulable(snapshot, pod).map(|(said, since)| {
            Recorded::new(said, since, &answer.messages, fitting.first().or(perhaps_fitting.first()))
        });
        let mut messages = answer.messages.into_iter();
        // If a node fits in some orders of the volumes, the messages are those of the other orders.
        let is_rejected = fitting.is_empty() && perhaps_fitting.is_empty();
        let message = if is_rejected { messages.next() } else { None };
        Some(Self::Tried(Box::new(Attempt {
            is_rejected_early: nodes.is_empty() && !groups.is_empty(),
            is_error,
            is_limited: answer.limited,
            message,
            other_messages: messages.collect(),
            nodes,
            groups,
            fitting,
            perhaps_fitting,
            assumed,
            not_evaluated: answer.not_evaluated.into_iter().collect(),
            recorded,
        })))
    }
}

impl PodScheduling {
    /// Returns the attempt to find a node, if there is one and its result is known.
    pub fn attempt(&self) -> Option<&Attempt> {
        match self {
            Self::Tried(attempt) => Some(attempt),
            Self::NotTried(_) | Self::Unknown { .. } => None,
        }
    }
}

impl Attempt {
    /// Returns the message of the scheduler if nodes were tested and none fits. Returns None if a plugin fails.
    pub fn rejection(&self) -> Option<&str> {
        self.message.as_deref().filter(|_| !self.is_error && !self.is_rejected_early)
    }

    /// Returns the message of the scheduler and the causes, as sentences.
    pub fn reasons(&self) -> Vec<String> {
        let message = self.message.iter().map(|message| format!("{}.", message.trim_end_matches('.')));
        message.chain(self.causes().into_iter().map(|cause| format!("{}.", capitalized(cause)))).collect()
    }

    /// Returns the most important objects because of which nodes are rejected, as sentences without a full stop.
    pub fn causes(&self) -> Vec<&str> {
        let mut causes: Vec<&str> = Vec::new();
        for cause in self.groups.iter().flat_map(|group| &group.causes) {
            if causes.len() < MOST_CAUSES && !causes.contains(&cause.as_str()) {
                causes.push(cause);
            }
        }
        causes
    }

    /// Returns whether the real scheduler certainly decides the same: every kind was read completely, every order of
    /// the volumes was followed, and every plugin that decides about the pod is modelled.
    pub fn is_certain(&self) -> bool {
        self.assumed.is_empty() && !self.is_limited && self.not_evaluated.is_empty()
    }

    /// Returns a node that fits now, if there is one and the last recorded message says that no node fitted.
    pub fn new_node(&self) -> Option<&Str> {
        let is_new = self.recorded.as_ref().is_some_and(|recorded| !recorded.change.is_empty());
        self.fitting.first().filter(|_| is_new)
    }
}

/// Groups the rejected nodes by their reasons. If the order of the volumes decides about the reasons, the group has the
/// reasons of all orders.
fn group<'s>(snapshot: &'s Snapshot, pod: &Pod, causes: &Causes<'_, 's>, nodes: &[NodeVerdicts]) -> Vec<NodeGroup> {
    let mut groups: BTreeMap<BTreeSet<&Status>, Vec<&Str>> = BTreeMap::new();
    for node in nodes.iter().filter(|node| !node.can_fit()) {
        groups.entry(node.verdicts.iter().map(|verdict| &verdict.status).collect()).or_default().push(&node.node);
    }
    let of_group = |(statuses, names): (BTreeSet<&Status>, Vec<&Str>)| {
        let mut told: Vec<String> = Vec::new();
        for node in names.iter().filter_map(|name| snapshot.find::<Node>("", name)) {
            for status in &statuses {
                add_new(&mut told, causes_of(causes, status, Some(node)));
                add_new(&mut told, taint_of(pod, status, node));
            }
            if told.len() >= MOST_CAUSES {
                break;
            }
        }
        told.truncate(MOST_CAUSES);
        NodeGroup::new(&statuses, names.into_iter().cloned().collect(), told)
    };
    groups.into_iter().map(of_group).collect()
}

/// Returns what the reasons rest on, in words. The node is `None` if the pod was rejected before any node was tested.
fn causes_of<'s>(causes: &Causes<'_, 's>, status: &Status, node: Option<&'s Node>) -> Vec<String> {
    let leaves = status.reasons.iter().filter_map(|reason| reason.leaf);
    leaves
        .flat_map(|leaf| causes.of(leaf, node).into_iter().map(move |cause| cause_words(leaf, &cause, node)))
        .collect()
}

/// Returns the taint because of which the node is rejected, in words. Since 1.34, the scheduler does not name it.
fn taint_of(pod: &Pod, status: &Status, node: &Node) -> Option<String> {
    let taint = untolerated_taint(pod, node).filter(|_| status.plugin == Some(Plugin::TaintToleration))?;
    let value = if taint.value.is_empty() { String::new() } else { format!("={}", taint.value) };
    let (name, key, effect) = (&node.meta.name, &taint.key, &taint.effect);
    Some(format!("node {name} has taint {key}{value}:{effect}, which the pod does not tolerate"))
}

/// Adds the words that are not there yet.
fn add_new(all: &mut Vec<String>, more: impl IntoIterator<Item = String>) {
    for one in more {
        if !all.contains(&one) {
            all.push(one);
        }
    }
}

impl NodeGroup {
    fn new(statuses: &BTreeSet<&Status>, nodes: Vec<Str>, causes: Vec<String>) -> Self {
        let given = || statuses.iter().flat_map(|status| &status.reasons);
        let mut reasons = Vec::new();
        add_new(&mut reasons, given().map(|reason| reason.text.to_string()));
        Self {
            reasons,
            nodes,
            causes,
            is_about_volumes: given().any(|reason| reason.leaf.is_some()),
            depends_on_order: statuses.len() > 1,
        }
    }
}

/// Returns what a reason rests on, in words: a sentence without a full stop.
pub fn cause_words(leaf: SchedulerReason, cause: &Cause<'_>, node: Option<&Node>) -> String {
    match cause {
        Cause::Claim(claim) => match leaf {
            SchedulerReason::PodClaimMissing => format!("claim {claim} does not exist"),
            SchedulerReason::PodEphemeralClaimPending => {
                format!("claim {claim}, which the pod's ephemeral volume needs, has not been created yet")
            }
            SchedulerReason::PodClaimLost => format!("claim {claim} is Lost"),
            SchedulerReason::PodClaimDeleting => format!("claim {claim} is being deleted"),
            SchedulerReason::PodClaimImmediateUnbound => {
                format!("claim {claim} is not bound to a volume: its own explanation says why")
            }
            SchedulerReason::PodClaimWithoutVolumeOrClass => {
                format!("the volume that claim {claim} names does not exist")
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
            let value = label(&volume.meta.labels, key).unwrap_or_default();
            let of_node = node.and_then(|node| label(&node.meta.labels, key)).unwrap_or("<unset>");
            format!("volume {} of claim {claim} has label {key}={value}, and the node has {of_node}", volume.meta.name)
        }
        Cause::SelectedNode { claim, node } => {
            format!("earlier, the scheduler selected node {node} for claim {claim}, so no other node is possible")
        }
        Cause::NothingProvisions { claim, class, node } => {
            format!(
                "earlier, the scheduler selected node {node} for claim {claim}, so it waits for a new volume, but class \
                 {class:?} provisions none; if the annotation volume.kubernetes.io/selected-node is removed from the \
                 claim, the scheduler searches for a volume again"
            )
        }
        Cause::ReservedElsewhere { claim, volume } => {
            format!(
                "volume {volume} is reserved for claim {claim} and cannot be used there, and the scheduler tries no \
                 other volume"
            )
        }
        Cause::NoVolume { claim, class } => {
            format!("no free volume of class {class:?} fits claim {claim} there, and nothing provisions one")
        }
        Cause::AllowedTopologies { claim, class } => {
            format!("class {class:?} of claim {claim} allows only other topologies (allowedTopologies)")
        }
        Cause::TooFewVolumes { claim, class } => {
            format!(
                "claim {claim} gets no volume there: other claims of the pod take the free volumes of class {class:?} \
                 that fit it, and nothing provisions one"
            )
        }
        Cause::Capacity { claim, largest } => {
            let request = claim.requested().map(|request| request.to_string()).unwrap_or_default();
            let (name, class) = (&claim.meta.name, claim.class());
            let limit = largest.and_then(|largest| match (&largest.maximum, &largest.capacity) {
                (Some(maximum), _) => Some(format!("maximumVolumeSize {maximum}")),
                (None, Some(capacity)) => Some(format!("capacity {capacity}")),
                (None, None) => None,
            });
            match limit {
                Some(limit) => format!(
                    "claim {name} requests {request}, and the CSIStorageCapacity of class {class:?} has only {limit} there"
                ),
                None => format!(
                    "claim {name} requests {request}, and no CSIStorageCapacity of class {class:?} states a capacity there"
                ),
            }
        }
        Cause::VolumeMissing { claim, volume } => format!("volume {volume} of claim {claim} does not exist"),
        Cause::Limit { driver, limit, used, new } => {
            let node = node.map(|node| node.meta.name.as_str()).unwrap_or_default();
            format!(
                "node {node}: {used} of {limit} volumes of driver {driver} are in use, and the pod needs {new} more"
            )
        }
        Cause::ClaimInUse { claim, pods } => {
            let shown: Vec<String> = pods
                .iter()
                .take(MOST_PODS)
                .map(|pod| format!("pod {} on node {}", pod.meta.name, pod.node_name))
                .collect();
            format!("claim {claim} is ReadWriteOncePod and in use by {}", shown.join(", "))
        }
    }
}

impl Recorded {
    /// Compares a recorded message with those that are predicted. `fitting` is a node on which the pod can run now.
    pub fn new(said: &str, since: Option<Timestamp>, messages: &BTreeSet<String>, fitting: Option<&Str>) -> Self {
        let now: Vec<Counts> = messages.iter().filter_map(|message| Counts::of(message)).collect();
        let (agrees, change) = match Counts::of(said) {
            Some(before) if now.contains(&before) => (true, String::new()),
            // The message of the event is cut off, so not all counts are known.
            Some(_) if said.len() >= LONGEST_EVENT => (false, String::new()),
            Some(before) => (false, before.change(now.first(), fitting)),
            // Another step failed, such as the binding, or the message is not about nodes.
            None => (messages.iter().any(|message| said.starts_with(message.as_str())), String::new()),
        };
        Self { message: said.to_owned(), since, agrees, change }
    }
}

/// The number of characters after which the scheduler cuts off the message of an event. Upstream: `truncateMessage`,
/// `pkg/scheduler`, 1.36.
const LONGEST_EVENT: usize = 1024;

/// The numbers in a message of the scheduler. Upstream: `FitError.Error`, `pkg/scheduler/framework`, 1.36.
#[derive(Debug, PartialEq, Eq)]
struct Counts {
    nodes: usize,
    /// The count of each reason. It is zero if the message states no count, because the reason concerns all nodes.
    reasons: BTreeMap<String, usize>,
}

impl Counts {
    fn of(message: &str) -> Option<Self> {
        let (nodes, rest) = message.strip_prefix("0/")?.split_once(" nodes are available: ")?;
        // The sentence about preemption comes after the reasons.
        let parts = rest.split_once(". ").map_or(rest, |(reasons, _)| reasons).trim_end_matches('.');
        let mut reasons = BTreeMap::new();
        for part in parts.split(", ") {
            let (count, reason) = match part.split_once(' ') {
                Some((count, reason)) if !count.is_empty() && count.bytes().all(|byte| byte.is_ascii_digit()) => {
                    (count.parse().ok()?, reason)
                }
                _ => (0, part),
            };
            *reasons.entry(of_newest(reason)).or_insert(0) += count;
        }
        Some(Self { nodes: nodes.parse().ok()?, reasons })
    }

    /// Returns what has changed between this earlier message and the present message. `fitting` is a node on which the
    /// pod can run now.
    fn change(&self, now: Option<&Self>, fitting: Option<&Str>) -> String {
        if let Some(node) = fitting {
            return format!("Something has changed since then: now the pod can run on a node, such as {node}");
        }
        let Some(now) = now else { return String::new() };
        let mut changes = Vec::new();
        if self.nodes != now.nodes {
            changes.push(format!("{} nodes before and {} now", self.nodes, now.nodes));
        }
        let reasons: BTreeSet<&String> = self.reasons.keys().chain(now.reasons.keys()).collect();
        for reason in reasons {
            match (self.reasons.get(reason), now.reasons.get(reason)) {
                (Some(before), Some(now)) if before == now => {}
                (Some(before), Some(now)) => changes.push(format!("\"{reason}\" {before} times before and {now} now")),
                (Some(_), None) => changes.push(format!("\"{reason}\" no longer applies")),
                (None, _) => changes.push(format!("\"{reason}\" is new")),
            }
        }
        format!("Something has changed since then: {}", changes.join(", "))
    }
}

/// Returns the reason in the words of Kubernetes 1.36. Earlier versions have other words for three of them
/// (`docs/controllers/scheduler.md`).
fn of_newest(reason: &str) -> String {
    if reason.starts_with("node(s) had untolerated taint {") {
        return "node(s) had untolerated taint(s)".to_owned();
    }
    match reason {
        "node(s) had volume node affinity conflict" => "node(s) didn't match PersistentVolume's node affinity",
        "node has pod using PersistentVolumeClaim with the same name and ReadWriteOncePod access mode" => {
            "node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by \
             another pod"
        }
        newest => newest,
    }
    .to_owned()
}
