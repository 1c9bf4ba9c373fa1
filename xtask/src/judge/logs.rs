//! Compares what the controllers log in a sync: with the entries that the prediction has, and with what `explain --log`
//! says about each entry.

use super::decisions::Shape;
use super::{Difference, Verdict, differ};
use crate::attaching::Operation;
use crate::line::Case;
use anyhow::{Result, bail, ensure};
use pvctl::controllers::Branch;
use pvctl::controllers::attach_detach::{AttachBranch, DetachBranch, loop_entries};
use pvctl::controllers::log::{Message, identify, lines, read_log};
use pvctl::model::Kind;
use pvctl::report::prediction::DecisionOut;
use pvctl::simulate::{Decision, Decisions};
use pvctl::world::{Effect, RecordedEvent, quoted};
use serde_json::Value;
use std::collections::BTreeSet;

/// Returns whether the recorded decisions of a case have log entries.
pub(super) fn is_logged(case: &Case) -> bool {
    case.decisions.iter().any(|decision| decision.get("logs").is_some())
}

/// Compares the entries of a case. The recorded decisions may have no entries. Then nothing is compared.
pub(super) fn compare_logs(
    case: &Case,
    part: &str,
    shape: Shape<'_>,
    decisions: &Decisions<'_>,
    verdict: &mut Verdict,
) -> Result<()> {
    let mut real: BTreeSet<String> = BTreeSet::new();
    for decision in &case.decisions {
        let entries: Vec<&str> = decision["logs"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        if entries.is_empty() {
            continue;
        }
        let done = shape.text(decision.clone());
        let mut said = Vec::new();
        for entry in &entries {
            said.push(without_header(entry));
        }
        real.insert(format!("{done}\n{}", comparable(case, shape, &said)));
        let mut same = Vec::new();
        for predicted in &decisions.listed {
            if shape.text(serde_json::to_value(DecisionOut::new(predicted))?) == done {
                same.push(predicted);
            }
        }
        for predicted in same {
            read(case, part, &entries, predicted, verdict);
        }
    }
    if real.is_empty() || decisions.listed.is_empty() {
        return Ok(());
    }
    let mut predicted = BTreeSet::new();
    for decision in &decisions.listed {
        let said: Vec<String> = decision.record.log.iter().map(ToString::to_string).collect();
        let done = shape.text(serde_json::to_value(DecisionOut::new(decision))?);
        predicted.insert(format!("{done}\n{}", comparable(case, shape, &said)));
    }
    verdict.counts.logged += 1;
    differ(&format!("{part}: logs"), &case.object, &real, &predicted, verdict);
    Ok(())
}

/// Reads the entries as `explain --log` reads them. Each entry must be known and belong to a sync of the object. The
/// sync must end at the predicted leaf, and each entry must be written at a leaf of the decision.
fn read(case: &Case, part: &str, entries: &[&str], predicted: &Decision<'_>, verdict: &mut Verdict) {
    // The next sync begins after the entries, so that they are known to be all.
    let text = [entries, &entries[..1]].concat().join("\n");
    let reading = read_log(&text);
    let taken = |leaf: &Branch| *leaf == predicted.branch || predicted.record.steps.contains(leaf);
    verdict.counts.log_lines += entries.len();
    let mut wrong: BTreeSet<String> =
        reading.unknown.iter().map(|line| format!("entry {} is unknown", line.number)).collect();
    for sync in &reading.syncs {
        if sync.log.component != predicted.controller.name {
            wrong.insert(format!("of another component: {}", sync.log.component));
        }
        let object = sync.object.as_ref().map(|object| format!("{} {}", object.kind, object.name));
        if sync.object.is_some() && object != Some(format!("{} {}", case.object.kind, case.object.name)) {
            wrong.insert(format!("of another object: {}", object.unwrap_or_default()));
        }
        if !sync.ends.is_empty() && !sync.ends.contains(&predicted.branch) {
            let ends: Vec<&str> = sync.ends.iter().map(|leaf| leaf.id()).collect();
            wrong.insert(format!("ends at {} and not at {}", predicted.branch.id(), ends.join(", ")));
        }
        for line in &sync.lines {
            if !line.steps.is_empty() && !line.steps.iter().any(taken) {
                let steps: Vec<&str> = line.steps.iter().map(|leaf| leaf.id()).collect();
                let texts: Vec<&str> = line.messages.iter().map(|message| message.text).collect();
                wrong.insert(format!("{texts:?} is not written at {}", steps.join(", ")));
            }
        }
    }
    for effect in &predicted.record.effects {
        let Effect::Event(event) = effect else { continue };
        let entry = event_entry(event);
        let leaves: Vec<Branch> = lines(&entry)
            .filter_map(Result::ok)
            .flat_map(|line| identify(&line))
            .filter(|(log, _)| log.component == predicted.controller.name)
            .flat_map(|(_, message)| message.leaves())
            .collect();
        if !leaves.iter().any(taken) {
            wrong.insert(format!("the event is not found with its leaf: {entry}"));
        }
    }
    verdict.counts.log_leaves += usize::from(reading.syncs.first().is_some_and(|sync| sync.ends.len() == 1));
    differ(&format!("{part}: log"), &case.object, &BTreeSet::new(), &wrong, verdict);
}

/// Returns the entry with which a controller logs an event. Upstream: `StartStructuredLogging` and `StartLogging`,
/// `k8s.io/client-go/tools/record`, 1.36.
fn event_entry(event: &RecordedEvent) -> String {
    let RecordedEvent { event_type, reason, message, about, .. } = event;
    let (kind, namespace, name) = (about.kind.as_str(), &about.namespace, &about.name);
    let text = if about.kind == Kind::Pod {
        format!(
            "Event(v1.ObjectReference{{Kind:{kind:?}, Namespace:{:?}, Name:{:?}, UID:\"\", APIVersion:\"v1\", \
             ResourceVersion:\"\", FieldPath:\"\"}}): type: '{}' reason: '{reason}' {message}",
            namespace.as_str(),
            name.as_str(),
            event_type.as_str(),
        )
    } else {
        let separator = if namespace.is_empty() { "" } else { "/" };
        format!(
            "\"Event occurred\" object={} fieldPath=\"\" kind={kind:?} apiVersion=\"v1\" type={:?} reason={reason:?} \
             message={}",
            quoted(&format!("{namespace}{separator}{name}")),
            event_type.as_str(),
            quoted(message),
        )
    };
    format!("I0101 00:00:00.000000       1 event.go:389] {text}")
}

/// Returns an entry without its header.
fn without_header(entry: &str) -> String {
    entry.split_once("] ").map_or(entry, |(_, after)| after).to_owned()
}

/// Returns the entries in the form in which they are compared. The informer has pods in no order, so the name of the
/// pod that uses a claim is left out. The simulation takes the object of the sync into the cache before the sync. The
/// volumes of a pod that are not ephemeral are not modelled, so the entries that only name them are left out.
fn comparable(case: &Case, shape: Shape<'_>, entries: &[String]) -> String {
    let own = case.cached.iter().any(|copy| copy.object == case.object && copy.how == "informerOnly");
    let mut said: Vec<String> = entries
        .iter()
        .filter(|entry| {
            let named = entry.strip_prefix("\"Ephemeral: checking volume\" volumeName=\"");
            named.is_none_or(|name| shape.is_ephemeral(&case.object, name.trim_end_matches('"')))
        })
        .map(|entry| match entry.split_once(" pod=") {
            Some((message, _)) => message.to_owned(),
            None => entry.clone(),
        })
        .collect();
    if own && let Some(first) = said.get_mut(1) {
        *first = first.replace("storeObjectUpdate, adding obj", "storeObjectUpdate updating obj with version");
    }
    said.join("\n")
}

/// Returns what the controller is said to log when it starts an operation. The pods are not known. The oracle replaces
/// durations.
pub(super) fn started(operation: &Operation) -> Result<Vec<String>> {
    let leaf = match (operation.name.as_str(), operation.forced.as_str()) {
        ("attach", _) => AttachBranch::AttachStarted.into(),
        ("detach", "") => DetachBranch::DetachStarted.into(),
        ("detach", "timeout") => DetachBranch::DetachTimedOut.into(),
        ("detach", "out-of-service") => DetachBranch::DetachOutOfService.into(),
        (name, forced) => bail!("the controller starts {name} {forced}"),
    };
    let entries = loop_entries(leaf, &operation.volume, &operation.node, &[]);
    ensure!(!entries.is_empty(), "nothing is said about {} {}", operation.name, operation.forced);
    let as_recorded =
        |entry: String| entry.trim_end_matches(" scheduledPods=[]").replace("duration=\"6m0s\"", "duration=\"0s\"");
    Ok(entries.iter().map(|entry| as_recorded(entry.to_string())).collect())
}

/// The largest number of entries that are shown as a difference.
const MOST_SHOWN: usize = 20;

/// The entries that a component without syncs logs in a run.
pub(super) struct Logged {
    component: &'static str,
    /// All entries.
    text: String,
    /// What is wrong with entries.
    wrong: Vec<String>,
    lines: usize,
    leaves: usize,
}

impl Logged {
    pub(super) fn new(component: &'static str) -> Self {
        Self { component, text: String::new(), wrong: Vec::new(), lines: 0, leaves: 0 }
    }

    /// Compares the entries of one moment. Each must be a message of the component, at one of the leaves that the model
    /// passed at this moment. `passed` has the ids of these leaves.
    pub(super) fn compare(&mut self, entries: &[&str], passed: &BTreeSet<&'static str>) {
        for entry in entries {
            self.lines += 1;
            self.text.push_str(entry);
            self.text.push('\n');
            let line = lines(entry).next().and_then(Result::ok);
            let found = line.as_ref().map(identify).unwrap_or_default();
            let own = found.into_iter().filter(|(log, _)| log.component == self.component);
            let own: Vec<&Message> = own.map(|(_, message)| message).collect();
            if own.is_empty() {
                self.wrong.push(format!("unknown: {entry}"));
                continue;
            }
            if own.iter().all(|message| !entry.starts_with(message.level.letter())) {
                self.wrong.push(format!("of another severity: {entry}"));
            }
            let leaves: BTreeSet<&str> = own.iter().flat_map(|message| message.leaves()).map(Branch::id).collect();
            self.leaves += usize::from(leaves.len() == 1);
            let waits = DetachBranch::DetachWaitsForUnmount;
            if leaves == BTreeSet::from([Branch::from(waits).id()]) {
                let value = |key| line.as_ref().and_then(|line| line.value(key)).unwrap_or_default();
                let said = loop_entries(waits.into(), value("volumeName"), value("node"), &[]);
                if said.iter().all(|said| said.to_string() != without_header(entry)) {
                    self.wrong.push(format!("not said at the leaf: {entry}"));
                }
            }
            if !leaves.is_empty() && leaves.is_disjoint(passed) {
                self.wrong.push(format!("written at {leaves:?}, but only {passed:?} were passed: {entry}"));
            }
        }
    }

    /// Compares entries that the program says with those of the run, if the log of the run was recorded.
    pub(super) fn expect(&mut self, entries: &[String]) {
        if self.lines > 0 {
            let absent = entries.iter().filter(|entry| !self.text.contains(entry.as_str()));
            self.wrong.extend(absent.map(|entry| format!("never logged: {entry}")));
        }
    }

    /// Reads all entries as one log, and states what is wrong.
    pub(super) fn judge(mut self, part: &str, verdict: &mut Verdict) {
        if self.lines == 0 {
            return;
        }
        let reading = read_log(&self.text);
        self.wrong.extend(reading.unknown.iter().map(|line| format!("entry {} of the log is unknown", line.number)));
        let others = reading.syncs.iter().filter(|sync| sync.log.component != self.component);
        self.wrong.extend(others.map(|sync| format!("of another component: {}", sync.log.component)));
        let found = reading.syncs.iter().flat_map(|sync| &sync.lines);
        let named = found.map(|line| line.objects.len() + line.volumes.len());
        verdict.counts.log_lines += self.lines;
        verdict.counts.log_leaves += self.leaves;
        verdict.counts.log_objects += named.sum::<usize>();
        *verdict.compared.entry(part.to_owned()).or_default() += 1;
        if !self.wrong.is_empty() {
            self.wrong.truncate(MOST_SHOWN);
            verdict.differences.push(Difference {
                part: part.to_owned(),
                object: self.component.to_owned(),
                only_real: self.wrong,
                only_predicted: Vec::new(),
            });
        }
    }
}
