//! The part about kube-scheduler in the explanation of a pod: which nodes the pod fits, and why it does not fit the
//! others.

use super::text::Page;
use crate::controllers::scheduler::{ConditionReason, NotEvaluated};
use crate::diagnosis::pod::{Attempt, NodeGroup, PodScheduling, Recorded, UNMODELLED};
use crate::report::shared::machine::is_false;
use crate::report::shared::node_verdict::NodeOut;
use crate::report::shared::table::Table;
use crate::text::capitalized;
use serde::Serialize;
use std::collections::BTreeMap;

/// The largest number of nodes that are named in one line.
const MOST_NODES: usize = 5;

/// The largest number of groups of nodes that are shown.
const MOST_GROUPS: usize = 6;

/// What kube-scheduler does with a pod that has no node.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct SchedulingOut {
    /// Whether the scheduler searches for a node for the pod.
    pub attempted: bool,
    /// Why the scheduler does not search for a node, or why the answer is unknown. The field is absent if there is an
    /// answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The resources of which objects are missing or incomplete. Because of them, the answer is unknown.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "schema", schemars(default))]
    pub unknown: Vec<&'static str>,
    /// The resources for which the input is assumed to hold all objects, because the input cannot show whether it does.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "schema", schemars(default))]
    pub assumed: Vec<&'static str>,
    /// Where the answer is given: `preFilter` (the pod is rejected before any node is tested) or `filter` (each node is
    /// tested). The field is absent if there is no answer, or if there are no nodes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stage: Option<&'static str>,
    /// The message that the scheduler writes into the condition `PodScheduled`, without the part about preemption. It
    /// is null if some node fits, or if there is no answer.
    pub message: Option<String>,
    /// `Unschedulable` or `SchedulerError`, the reason of the condition. `SchedulerError`: a plugin fails, so no node
    /// is chosen. The value is null if some node fits, or if there is no answer.
    pub condition_reason: Option<&'static str>,
    /// The verdict on each node, sorted by name. The list is empty if no node was tested.
    pub nodes: Vec<NodeOut>,
    /// Other possible answers. There are such answers if the order of volumes in the scheduler's cache decides.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "schema", schemars(default))]
    pub alternatives: Vec<AlternativeOut>,
    /// The facts behind the reasons, for the nodes that have the same reasons.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "schema", schemars(default))]
    pub groups: Vec<GroupOut>,
    /// The last message that the scheduler has recorded. The field is absent if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recorded: Option<RecordedOut>,
    /// The parts of kube-scheduler that are not modelled and that can decide on which node a pod runs.
    pub unmodelled: [&'static str; UNMODELLED.len()],
    /// What such a part decides about this pod, as sentences.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "schema", schemars(default))]
    pub not_evaluated: Vec<&'static str>,
    /// Whether there may be further answers, because too many orders of volumes are possible.
    #[serde(skip_serializing_if = "is_false")]
    #[cfg_attr(feature = "schema", schemars(default))]
    pub limited: bool,
}

/// Another possible answer.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AlternativeOut {
    /// The other message. It is null if the messages do not differ.
    pub message: Option<String>,
    /// The other verdicts on nodes.
    pub nodes: Vec<NodeOut>,
}

/// Nodes that are rejected for the same reasons.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct GroupOut {
    /// The reasons, in the words of kube-scheduler.
    pub reasons: Vec<String>,
    /// The names of the nodes.
    pub nodes: Vec<String>,
    /// The facts behind the reasons, as sentences without a full stop.
    pub causes: Vec<String>,
    /// Whether the order of volumes in the scheduler's cache decides which of the reasons is given.
    #[serde(skip_serializing_if = "is_false")]
    #[cfg_attr(feature = "schema", schemars(default))]
    pub depends_on_order: bool,
}

/// What the scheduler has recorded about the pod.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RecordedOut {
    /// The message.
    pub message: String,
    /// The time since which the condition of the pod has been false, as RFC 3339. If only an event has the message, it
    /// is the time at which the pod was created. The field is absent if no object states the time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<String>,
    /// Whether a predicted message means the same as the recorded one.
    pub agrees: bool,
    /// What has changed since then. The field is absent if the messages agree or cannot be compared.
    #[serde(skip_serializing_if = "String::is_empty")]
    #[cfg_attr(feature = "schema", schemars(default))]
    pub change: String,
}

impl SchedulingOut {
    /// Returns this part of the document.
    pub(super) fn new(scheduling: &PodScheduling) -> Self {
        let none = Self {
            attempted: true,
            reason: None,
            unknown: Vec::new(),
            assumed: Vec::new(),
            stage: None,
            message: None,
            condition_reason: None,
            limited: false,
            nodes: Vec::new(),
            alternatives: Vec::new(),
            groups: Vec::new(),
            recorded: None,
            unmodelled: UNMODELLED,
            not_evaluated: Vec::new(),
        };
        match scheduling {
            PodScheduling::NotTried(reason) => Self { attempted: false, reason: Some(reason.clone()), ..none },
            PodScheduling::Unknown { kinds, why } => {
                Self { reason: Some(why.clone()), unknown: kinds.iter().map(|kind| kind.resource()).collect(), ..none }
            }
            PodScheduling::Tried(attempt) => Self {
                assumed: attempt.assumed.iter().map(|kind| kind.resource()).collect(),
                stage: stage(attempt),
                condition_reason: condition_reason(attempt),
                limited: attempt.is_limited,
                message: attempt.message.clone(),
                nodes: nodes(attempt),
                alternatives: alternatives(attempt),
                groups: attempt.groups.iter().map(group).collect(),
                recorded: attempt.recorded.as_ref().map(recorded),
                not_evaluated: attempt.not_evaluated.iter().copied().map(not_evaluated).collect(),
                ..none
            },
        }
    }

    /// Writes the section of the text. If `wide` is true, it has a table of all nodes.
    pub(super) fn section(&self, page: &mut Page, wide: bool) {
        page.heading("Scheduling");
        if let Some(reason) = &self.reason {
            let line = if self.attempted {
                format!("Which nodes fit is unknown: {reason}.")
            } else {
                format!("{}.", capitalized(reason))
            };
            page.line(1, &line);
            return;
        }
        self.nodes_lines(page);
        self.group_lines(page, wide);
        if let Some(recorded) = self.recorded.as_ref().filter(|recorded| !recorded.change.is_empty()) {
            page.line(1, &format!("The scheduler's last message differs. {}.", recorded.change));
        }
        for sentence in &self.not_evaluated {
            page.line(1, sentence);
        }
        if self.limited {
            page.line(1, "There may be other answers: too many orders of the volumes are possible.");
        }
        if !self.assumed.is_empty() {
            page.line(1, &format!("Assumed: the input holds all {}.", self.assumed.join(", ")));
        }
        if wide && !self.nodes.is_empty() {
            page.table(&self.table());
        }
    }

    /// Writes the message, or the nodes that fit.
    fn nodes_lines(&self, page: &mut Page) {
        if self.condition_reason == Some(ConditionReason::SchedulerError.as_str()) {
            page.line(1, "A plugin of the scheduler fails, so no node is chosen:");
        }
        if let Some(message) = &self.message {
            page.line(1, message);
        }
        let nodes = |some: &[&NodeOut]| names(some.iter().map(|node| node.name.as_str()));
        let all = self.nodes.len();
        let certain: Vec<&NodeOut> = self.nodes.iter().filter(|node| node.fits).collect();
        let perhaps: Vec<&NodeOut> = self.nodes.iter().filter(|node| !node.fits && node.can_fit).collect();
        if !certain.is_empty() {
            let fit = if certain.len() == 1 { "fits" } else { "fit" };
            page.line(1, &format!("{} of {all} nodes {fit}: {}.", certain.len(), nodes(&certain)));
            for line in volumes(&certain) {
                page.line(2, &line);
            }
        }
        if !perhaps.is_empty() {
            page.line(
                1,
                &format!(
                    "{} of {all} nodes can fit: {}. The order of volumes in the scheduler's cache decides.",
                    perhaps.len(),
                    nodes(&perhaps)
                ),
            );
        }
    }

    /// Writes the nodes that are rejected, by reason.
    fn group_lines(&self, page: &mut Page, wide: bool) {
        let most = if wide { usize::MAX } else { MOST_GROUPS };
        for group in self.groups.iter().take(most) {
            let nodes = names(group.nodes.iter().map(String::as_str));
            let or = if group.depends_on_order { ", or " } else { ", " };
            // If the pod was rejected before any node was tested, the message has the reason.
            if self.stage == Some("filter") {
                page.line(1, &format!("{} ({nodes})", group.reasons.join(or)));
            }
            for cause in &group.causes {
                page.line(2, &format!("{}.", capitalized(cause)));
            }
        }
        if self.groups.len() > most {
            page.line(1, &format!("and {} more groups of nodes; -o wide shows all", self.groups.len() - most));
        }
    }

    fn table(&self) -> Table {
        let mut table = Table::new(["NODE", "FITS", "PLUGIN", "REASON"].into());
        for node in &self.nodes {
            table.row(vec![
                node.name.clone(),
                match (node.fits, node.can_fit) {
                    (true, _) => "yes",
                    (false, true) => "perhaps",
                    (false, false) => "no",
                }
                .to_owned(),
                node.plugin.unwrap_or("<none>").to_owned(),
                if node.reasons.is_empty() { "<none>".to_owned() } else { node.reasons.join(", ") },
            ]);
        }
        table
    }
}

/// Returns some of the names, and the number of the other names.
fn names<'n>(all: impl Iterator<Item = &'n str>) -> String {
    let all: Vec<&str> = all.collect();
    match all.len() {
        few if few <= MOST_NODES => all.join(", "),
        many => format!("{} and {} more", all[..MOST_NODES].join(", "), many - MOST_NODES),
    }
}

/// Returns what happens to the claims of the pod on the nodes that fit. Nodes with the same answer share a line.
fn volumes(nodes: &[&NodeOut]) -> Vec<String> {
    let mut lines: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for node in nodes {
        let bound = node.bind.iter().map(|bind| match bind.volumes.as_slice() {
            [only] => format!("claim {} would be bound to volume {only}", bind.claim),
            several => format!("claim {} would be bound to one of the volumes {}", bind.claim, several.join(", ")),
        });
        let provisioned = node.provision.iter().map(|claim| format!("a volume would be provisioned for claim {claim}"));
        let all: Vec<String> = bound.chain(provisioned).collect();
        if !all.is_empty() {
            lines.entry(all.join(", and ")).or_default().push(&node.name);
        }
    }
    let line = |(what, nodes): (String, Vec<&str>)| {
        let names = names(nodes.into_iter());
        format!("On {names}: {what}.")
    };
    lines.into_iter().take(MOST_GROUPS).map(line).collect()
}

/// Returns the other answers: the other verdicts on nodes together with the first other message, and the further
/// messages.
fn alternatives(attempt: &Attempt) -> Vec<AlternativeOut> {
    let nodes: Vec<NodeOut> = attempt.nodes.iter().flat_map(NodeOut::others).collect();
    let mut messages = attempt.other_messages.iter().cloned();
    if nodes.is_empty() && attempt.other_messages.is_empty() {
        return Vec::new();
    }
    let first = AlternativeOut { message: messages.next(), nodes };
    let further = messages.map(|message| AlternativeOut { message: Some(message), nodes: Vec::new() });
    [first].into_iter().chain(further).collect()
}

/// Returns the verdict on each node. If a plugin fails on one node, no node takes the pod.
fn nodes(attempt: &Attempt) -> Vec<NodeOut> {
    let mut nodes: Vec<NodeOut> = attempt.nodes.iter().map(NodeOut::new).collect();
    if attempt.is_error {
        for node in &mut nodes {
            (node.fits, node.can_fit) = (false, false);
        }
    }
    nodes
}

/// Returns where the answer is given. Returns `None` if there are no nodes, because then no node is tested.
fn stage(attempt: &Attempt) -> Option<&'static str> {
    match (attempt.is_rejected_early, attempt.nodes.is_empty()) {
        (true, _) => Some("preFilter"),
        (false, true) => None,
        (false, false) => Some("filter"),
    }
}

fn condition_reason(attempt: &Attempt) -> Option<&'static str> {
    match (&attempt.message, attempt.is_error) {
        (_, true) => Some(ConditionReason::SchedulerError.as_str()),
        (Some(_), false) => Some(ConditionReason::Unschedulable.as_str()),
        (None, false) => None,
    }
}

fn group(group: &NodeGroup) -> GroupOut {
    GroupOut {
        reasons: group.reasons.clone(),
        nodes: group.nodes.iter().map(ToString::to_string).collect(),
        causes: group.causes.clone(),
        depends_on_order: group.depends_on_order,
    }
}

fn recorded(recorded: &Recorded) -> RecordedOut {
    RecordedOut {
        message: recorded.message.clone(),
        since: recorded.since.map(|since| since.to_string()),
        agrees: recorded.agrees,
        change: recorded.change.clone(),
    }
}

fn not_evaluated(what: NotEvaluated) -> &'static str {
    match what {
        NotEvaluated::DeviceClaims => {
            "The pod has claims for devices. Plugin DynamicResources also rejects nodes, and it is not evaluated."
        }
        NotEvaluated::DeviceClasses => {
            "A node without a requested resource fits if a DeviceClass provides the resource. This is not evaluated."
        }
        NotEvaluated::Preemption => {
            "Pods of lower priority are on a node, and the scheduler may delete them to make room. Preemption is not \
             evaluated."
        }
    }
}
