//! Compares what kube-scheduler says about the pods without a node.

use super::{Judged, Verdict, differ, name};
use crate::line::{Binding, NodeVerdicts, Object, Scheduling, SchedulingStatus};
use anyhow::{Context as _, Result, ensure};
use pvctl::controllers::scheduler::{self, Cycle, Scheduler};
use serde::Serialize;
use std::collections::BTreeSet;

impl Judged<'_> {
    /// Compares the answers about all pods, and the list of these pods.
    pub(super) fn compare_scheduling(&self, verdict: &mut Verdict) -> Result<()> {
        let Some(answers) = &self.line.scheduling else { return Ok(()) };
        let pods = || self.snapshot.pods().iter().filter(|pod| scheduler::handles(pod));
        let object = |namespace: &str, name: &str| Object {
            kind: "Pod".to_owned(),
            namespace: namespace.to_owned(),
            name: name.to_owned(),
        };
        let real = answers.iter().map(|answer| name(&answer.pod)).collect();
        let predicted = pods().map(|pod| name(&object(&pod.meta.namespace, &pod.meta.name))).collect();
        differ("scheduling: pods", &object("", ""), &real, &predicted, verdict);
        let scheduler = Scheduler::new(self.snapshot, self.behavior);
        for answer in answers {
            let pod = self.snapshot.pod(&answer.pod.namespace, &answer.pod.name);
            let pod = pod.with_context(|| format!("the world has no {}", name(&answer.pod)))?;
            let predicted = scheduler.schedule(pod);
            ensure!(
                predicted.doubts.keys().all(|kind| !self
                    .snapshot
                    .coverage()
                    .entries()
                    .iter()
                    .any(|entry| entry.kind == *kind)),
                "{}: {:?}",
                name(&answer.pod),
                predicted.doubts
            );
            if !answer.sampled {
                ensure!(!predicted.limited, "{}: the answer is limited", name(&answer.pod));
            }
            verdict.counts.scheduling += 1;
            verdict.counts.scheduling_nodes += answer.nodes.len();
            verdict.counts.scheduling_open += answer.nodes.iter().filter(|node| node.verdicts.len() > 1).count();
            self.compare_causes(&scheduler, pod, &predicted.cycle, verdict)?;
            compare(answer, &parts(&answer.pod, predicted), verdict);
        }
        self.compare_on_nodes(answers, verdict);
        self.compare_scheduler_cuts(verdict)
    }
}

/// Returns the prediction in the format of the lines.
fn parts(pod: &Object, predicted: scheduler::Scheduling) -> Scheduling {
    let status = |status: scheduler::Status| SchedulingStatus {
        code: status.code.as_str().to_owned(),
        plugin: status.plugin.map(|plugin| plugin.name().to_owned()).unwrap_or_default(),
        reasons: status.reasons.into_iter().map(|reason| reason.text.into_owned()).collect(),
        bindings: Vec::new(),
        provisions: Vec::new(),
        reserve_error: String::new(),
    };
    let binding = |binding: scheduler::Binding| Binding {
        claim: binding.claim.to_string(),
        volume: binding.volume.to_string(),
        assumed: binding.assumed,
        bound_by_controller: binding.bound_by_controller,
    };
    let verdict = |verdict: scheduler::Verdict| {
        let mut bindings: Vec<Binding> = verdict.bindings.into_iter().map(binding).collect();
        bindings.sort();
        let mut provisions: Vec<String> = verdict.provisions.iter().map(ToString::to_string).collect();
        provisions.sort();
        SchedulingStatus { bindings, provisions, ..status(verdict.status) }
    };
    let node = |node: scheduler::NodeVerdicts| NodeVerdicts {
        node: node.node.to_string(),
        verdicts: node.verdicts.into_iter().map(verdict).collect(),
    };
    let mut made = Scheduling {
        pod: pod.clone(),
        gate: None,
        skip: String::new(),
        pre_filter: None,
        nodes: Vec::new(),
        reason: predicted.reason.map(|reason| reason.as_str().to_owned()).unwrap_or_default(),
        messages: predicted.messages.into_iter().collect(),
        post_filter: Vec::new(),
        orders: 0,
        sampled: false,
    };
    match predicted.cycle {
        Cycle::Gated(gate) => made.gate = Some(status(gate)),
        Cycle::Skipped(text) => made.skip = text,
        Cycle::PreFilter(rejected) => made.pre_filter = Some(status(rejected)),
        Cycle::Nodes(nodes) => made.nodes = nodes.into_iter().map(node).collect(),
    }
    made
}

fn texts<'v, T: Serialize + 'v>(values: impl IntoIterator<Item = &'v T>) -> BTreeSet<String> {
    values.into_iter().filter_map(|value| serde_json::to_string(value).ok()).collect()
}

/// Compares the answer about one pod, part by part. If the oracle tried only a sample of the orders of the volumes, the
/// prediction may have further verdicts and messages.
fn compare(real: &Scheduling, predicted: &Scheduling, verdict: &mut Verdict) {
    let pod = &real.pod;
    let mut part = |part: &str, one: BTreeSet<String>, mut other: BTreeSet<String>| {
        if real.sampled {
            other.retain(|text| one.contains(text));
        }
        differ(&format!("scheduling: {part}"), pod, &one, &other, verdict);
    };
    part("gate", texts(&real.gate), texts(&predicted.gate));
    part("skip", texts([&real.skip]), texts([&predicted.skip]));
    part("preFilter", texts(&real.pre_filter), texts(&predicted.pre_filter));
    let names = |nodes: &[NodeVerdicts]| nodes.iter().map(|node| node.node.clone()).collect();
    part("nodes", names(&real.nodes), names(&predicted.nodes));
    for (one, other) in real.nodes.iter().zip(&predicted.nodes) {
        part(&format!("verdicts[{}]", one.node), texts(&one.verdicts), texts(&other.verdicts));
    }
    part("reason", texts([&real.reason]), texts([&predicted.reason]));
    part("messages", texts(&real.messages), texts(&predicted.messages));
}
