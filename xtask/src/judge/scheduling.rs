//! Compares what kube-scheduler says about the pods without a node.

use super::{Judged, Verdict, binder, differ, name, target};
use crate::line::{Binding, NodeVerdicts, Object, Scheduling, SchedulingStatus};
use anyhow::{Context as _, Result, ensure};
use pvctl::controllers::scheduler::{self, Code, Cycle, NotEvaluated, Scheduler};
use pvctl::simulate::Settings;
use pvctl::simulate::decide::decide;
use pvctl::world::{Effect, World};
use serde::Serialize;
use serde_json::Value;
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
            self.compare_certainty(answer, &predicted, scheduler.is_incomplete_for(pod), verdict);
            self.compare_actor(answer, verdict)?;
            compare(answer, &parts(&answer.pod, predicted), verdict);
        }
        self.compare_on_nodes(answers, verdict);
        self.compare_scheduler_cuts(verdict)
    }
}

impl Judged<'_> {
    /// Compares whether the pod is rejected, what is not modelled, and whether the prediction calls itself certain.
    fn compare_certainty(
        &self,
        answer: &Scheduling,
        predicted: &scheduler::Scheduling,
        is_incomplete: bool,
        verdict: &mut Verdict,
    ) {
        if answer.sampled {
            return;
        }
        let fits = |node: &NodeVerdicts| node.verdicts.iter().any(|verdict| verdict.code == Code::Success.as_str());
        let is_rejected = answer.reason == "Unschedulable" && !answer.nodes.iter().any(fits);
        let mut missing = self.not_evaluated(&answer.pod);
        let real_incomplete = !missing.is_empty();
        if answer.post_filter.iter().any(|text| may_preempt(text)) {
            missing.insert(NotEvaluated::Preemption);
        }
        let texts = |missing: &BTreeSet<NotEvaluated>, is_rejected: bool, is_certain: bool, is_incomplete: bool| {
            let words = [
                format!("not evaluated: {missing:?}"),
                format!("rejected: {is_rejected}"),
                format!("certain: {is_certain}"),
                format!("plugins are missing: {is_incomplete}"),
            ];
            BTreeSet::from(words)
        };
        let is_certain = missing.is_empty() && predicted.doubts.is_empty();
        let real = texts(&missing, is_rejected, is_certain, real_incomplete);
        let found = texts(&predicted.not_evaluated, predicted.is_rejected(), predicted.is_certain(), is_incomplete);
        differ("scheduling: certainty", &answer.pod, &real, &found, verdict);
    }

    /// Compares what the scheduler does as an actor. If a node fits, the scheduler binds the pod, or it waits for the
    /// volumes that it reserves and requests. If no node fits, it records the message.
    fn compare_actor(&self, answer: &Scheduling, verdict: &mut Verdict) -> Result<()> {
        if answer.sampled {
            return Ok(());
        }
        let settings = Settings { controllers: vec![scheduler::actor::CONTROLLER], ..binder(self.behavior) };
        let decisions = decide(&World::new(self.snapshot), &settings, target(self.snapshot, &answer.pod)?);
        let namespace = &answer.pod.namespace;
        let fitting: Vec<&SchedulingStatus> = answer
            .nodes
            .iter()
            .flat_map(|node| &node.verdicts)
            .filter(|status| status.code == Code::Success.as_str())
            .collect();
        let waits = |status: &SchedulingStatus| {
            let bound = status.bindings.iter().map(|binding| &binding.claim).chain(&status.provisions);
            let claims: BTreeSet<String> =
                bound.map(|claim| format!("bind pvc/{claim} in namespace {namespace}")).collect();
            format!("waits for {claims:?}")
        };
        let mut real: BTreeSet<String> = fitting.iter().map(|status| waits(status)).collect();
        if answer.gate.is_some() || !answer.skip.is_empty() {
            real.insert("does nothing".to_owned());
        } else if fitting.is_empty() || answer.reason == "SchedulerError" {
            let fails = answer.reason == "SchedulerError";
            let varies = answer.messages.len() > 1;
            real = [format!("finds no node: one of {:?}, varies: {varies}, fails: {fails}", answer.messages)].into();
        }
        let (mut found, mut is_aborted) = (BTreeSet::new(), false);
        for decision in &decisions.listed {
            let record = &decision.record;
            let said = record.effects.iter().find_map(|effect| match effect {
                Effect::Event(event) if event.reason == "FailedScheduling" => Some(event),
                _ => None,
            });
            found.insert(match (decision.branch.name(), said) {
                ("SchedulerSkipsPod", None) => "does nothing".to_owned(),
                ("SchedulerFindsNoNode", Some(event)) if answer.messages.contains(&event.message) => {
                    let (varies, fails) = (event.message_varies, record.error.is_some());
                    format!("finds no node: one of {:?}, varies: {varies}, fails: {fails}", answer.messages)
                }
                ("SchedulerBindsPod" | "SchedulerBindWaits", None) => {
                    let claims: BTreeSet<&String> = record.waiting.iter().map(|waiting| &waiting.action).collect();
                    format!("waits for {claims:?}")
                }
                // A claim that is mounted twice is written twice with the same version. The second write is refused.
                ("SchedulerBindAborted", None) if record.error.is_some() => {
                    is_aborted = true;
                    continue;
                }
                (branch, _) => format!("{branch}: {:?}", record.effects),
            });
        }
        if is_aborted {
            real.retain(|text| found.contains(text));
        }
        differ("scheduling: actor", &answer.pod, &real, &found, verdict);
        Ok(())
    }

    /// Returns what the plugin `DynamicResources` decides about the pod. The objects for devices are in no world. So
    /// this follows from the recorded objects alone. Upstream: `shouldDelegateResourceToDRA` of `noderesources`, 1.36.
    fn not_evaluated(&self, pod: &Object) -> BTreeSet<NotEvaluated> {
        let of_kind = |kind: &'static str| self.line.world.items.iter().filter(move |item| item["kind"] == kind);
        let is_pod = |item: &&Value| {
            item["metadata"]["name"] == pod.name.as_str() && item["metadata"]["namespace"] == pod.namespace.as_str()
        };
        let Some(pod) = of_kind("Pod").find(is_pod) else { return BTreeSet::new() };
        let mut missing = BTreeSet::new();
        if pod["spec"]["schedulingGates"].as_array().is_some_and(|gates| !gates.is_empty())
            || !pod["metadata"]["deletionTimestamp"].is_null()
        {
            return missing;
        }
        if pod["spec"]["resourceClaims"].as_array().is_some_and(|claims| !claims.is_empty()) {
            missing.insert(NotEvaluated::DeviceClaims);
        }
        let lists = ["containers", "initContainers"].map(|list| pod["spec"][list].as_array());
        let requests = lists.into_iter().flatten().flatten();
        let requests = requests.filter_map(|container| container["resources"]["requests"].as_object()).flatten();
        // The names of extended resources have a domain.
        let extended: Vec<&String> = requests
            .filter(|(name, _)| name.contains('/') && !name.starts_with("requests."))
            .filter(|(_, amount)| !matches!(amount.as_str(), Some("0")) && **amount != 0)
            .map(|(name, _)| name)
            .collect();
        let lacks = |node: &Value| {
            extended.iter().any(|name| {
                let amount = &node["status"]["allocatable"][name.as_str()];
                amount.is_null() || *amount == 0 || *amount == "0"
            })
        };
        if self.behavior.scheduler.device_classes_have_resources && of_kind("Node").any(lacks) {
            missing.insert(NotEvaluated::DeviceClasses);
        }
        missing
    }
}

/// Returns whether the text of `PostFilter` shows that the scheduler has deleted pods, or has tried it on a node. The
/// text is empty if pods are deleted. Before 1.36 it is an error, because the API server of the oracle has no such
/// pods.
fn may_preempt(text: &str) -> bool {
    const NOTHING_TO_DELETE: [&str; 2] =
        ["No preemption victims found for incoming pod", "Preemption is not helpful for scheduling"];
    let Some((_, reasons)) = text.split_once("nodes are available: ") else {
        return text.is_empty() || text.starts_with("preemption: pods ");
    };
    let mut reasons = reasons.trim_end_matches('.').split(", ");
    reasons.any(|reason| !NOTHING_TO_DELETE.iter().any(|known| reason.ends_with(known)))
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
