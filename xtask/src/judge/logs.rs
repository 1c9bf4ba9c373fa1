//! Compares what the controllers log in a sync: with the entries that the prediction has, and with what `explain --log`
//! says about each entry.

use super::decisions::Shape;
use super::{Verdict, differ};
use crate::line::Case;
use anyhow::Result;
use pvctl::controllers::Branch;
use pvctl::controllers::log::read_log;
use pvctl::report::prediction::DecisionOut;
use pvctl::simulate::{Decision, Decisions};
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
    verdict.counts.log_leaves += usize::from(reading.syncs.first().is_some_and(|sync| sync.ends.len() == 1));
    differ(&format!("{part}: log"), &case.object, &BTreeSet::new(), &wrong, verdict);
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
