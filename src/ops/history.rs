//! `history`: returns the repairs that were made from this computer, from their journals.

use super::journals::taken_back;
use crate::error::Error;
use crate::execute::{End, Entry, Journal, Summary};
use crate::repair::Step;
use crate::report::history::{Repair, StepReport};
use crate::report::plan::what;
use std::path::Path;

/// Returns all repairs that were made from this computer, or the one with that id and its steps.
///
/// # Errors
/// Returns an error if there is no such journal, or if the journals cannot be read.
pub fn history(directory: &Path, id: Option<&str>) -> Result<Vec<Repair>, Error> {
    let all = Journal::list(directory)?;
    let back: Vec<(String, String)> =
        all.iter().filter_map(|summary| Some((taken_back(summary)?, summary.id.clone()))).collect();
    let by = |id: &str| back.iter().find(|(taken, _)| taken == id).map(|(_, by)| by.clone());
    match id {
        Some(id) => {
            let entry = Journal::read(directory, id)?;
            let steps = steps(&entry);
            let summary = Summary { id: id.to_owned(), entry: Ok(entry) };
            Ok(vec![Repair { steps, ..repair(&summary, by(id)) }])
        }
        None => Ok(all.iter().map(|summary| repair(summary, by(&summary.id))).collect()),
    }
}

fn repair(summary: &Summary, taken_back_by: Option<String>) -> Repair {
    let entry = match &summary.entry {
        Ok(entry) => entry,
        Err(unread) => {
            let why = Some(unread.why.clone());
            return Repair { id: summary.id.clone(), state: "unreadable", why, ..Repair::default() };
        }
    };
    let (state, why) = match &entry.end {
        End::Finished => ("finished", None),
        End::Stopped { why, .. } => ("stopped", Some(why.clone())),
        End::Lost { why } => ("lost", Some(why.clone())),
        End::Open => ("open", None),
    };
    let step = if entry.end == End::Finished { None } else { entry.remaining().steps.first().map(|step| step.id) };
    Repair {
        id: entry.id.clone(),
        at: Some(entry.at.clone()),
        server: Some(entry.origin.server.clone()),
        cluster: entry.origin.uid.clone(),
        goal: Some(entry.plan.goal.clone()),
        state,
        step,
        why,
        written: entry.written(),
        taken_back_by,
        steps: Vec::new(),
    }
}

fn steps(entry: &Entry) -> Vec<StepReport> {
    let done = entry.done();
    let remaining = entry.remaining();
    let doubtful = entry.in_doubt().map(|step| step.id);
    let state = |id: u32| {
        let done = done.iter().find(|done| done.step.id == id);
        let left = remaining.steps.iter().any(|step| step.id == id);
        match (done, left) {
            _ if doubtful == Some(id) => "inDoubt",
            (Some(done), false) if done.was_so => "wasSo",
            (Some(_), false) => "done",
            (Some(_), true) => "written",
            (None, _) => "notDone",
        }
    };
    let report = |step: &Step| StepReport {
        id: step.id,
        why: step.why.clone(),
        write: step.write.as_ref().map(what),
        state: state(step.id),
    };
    entry.plan.steps.iter().map(report).collect()
}
