//! `apply`: carries out a plan from a file if the plan is still the same, or continues a repair that stopped.

use super::journals::{JournalFolder, all_taken_back, find, is_lost};
use super::repair::{PlanSource, RepairOptions, Run};
use super::{Asker, Status, Writer};
use crate::error::{Error, ErrorKind};
use crate::execute::{self, End, Entry, Journal};
use crate::repair::{self, Proposed, Request, Situation, Step, Undo};
use crate::report::plan::{ModelStated, PlanDocument};
use serde_json::Value;

/// A plan that was read from a file.
pub type PlanFile = PlanDocument<ModelStated>;

/// Decodes the data of a file to a plan.
///
/// # Errors
/// Returns a usage error that says what is wrong with the file.
pub fn plan_file(name: &str, data: Value) -> Result<PlanFile, Error> {
    let file = PlanDocument::read(data).map_err(|reason| Error::usage(format!("{name}: {reason}")))?;
    repair::check_names(&file.request)?;
    Ok(file)
}

/// Carries out a plan from a file. The plan is made again for the present state and must be the same.
///
/// # Errors
/// Returns an error if the plan is not the same, if the repair is refused, or if it stops.
pub async fn apply(
    options: &RepairOptions,
    cluster: &impl Writer,
    asker: &impl Asker,
    file: PlanFile,
) -> Result<Status, Error> {
    Run::new(options, cluster, asker).await?.repair(PlanSource::File(Box::new(file))).await
}

/// Continues a repair that stopped: the repair of the journal with that id, or the newest repair that can continue.
///
/// # Errors
/// Returns an error if there is no such journal, if the repair is refused, or if it stops.
pub async fn go_on(
    options: &RepairOptions,
    cluster: &impl Writer,
    asker: &impl Asker,
    id: Option<&str>,
) -> Result<Status, Error> {
    let run = Run::new(options, cluster, asker).await?;
    let journal = stopped(&JournalFolder { directory: &options.journals, here: &run.here, asker: Some(asker) }, id)?;
    run.repair(PlanSource::Begun(journal)).await
}

/// Returns the journal to continue.
///
/// # Errors
/// Returns an error if there is none, if its repair was undone, or if it has written nothing.
fn stopped<A: Asker>(journal_folder: &JournalFolder<'_, A>, id: Option<&str>) -> Result<Box<Journal>, Error> {
    let taken = all_taken_back(journal_folder.directory)?;
    if let Some(id) = id.filter(|id| taken.iter().any(|taken| taken == id)) {
        return Err(
            Error::usage(format!("repair {id} was undone, so it cannot be continued")).hint("ask for the repair again")
        );
    }
    let unfinished =
        |entry: &Entry| entry.end != End::Finished && !is_lost(entry) && entry.written() && !taken.contains(&entry.id);
    let none = "all repairs are finished or undone, have lost their volume, or have written nothing";
    let journal = find(journal_folder, id, unfinished, none)?;
    let entry = journal.entry();
    if entry.end != End::Finished && !entry.written() {
        return Err(Error::usage(format!("{} has written nothing, so there is nothing to continue", entry.id))
            .hint("ask for the repair again: it is then planned for the present state"));
    }
    Ok(journal)
}

/// Checks that a plan for the present state is the same as the plan of a file. The predictions are compared only after
/// the review.
///
/// # Errors
/// An error that names the differences is returned if the plans differ.
pub(super) fn is_same(file: &PlanFile, now: &PlanDocument, reviewed: bool) -> Result<(), Error> {
    let differences = now.differs_from(file, reviewed);
    if differences.is_empty() {
        return Ok(());
    }
    let error = Error::new(
        ErrorKind::Changed,
        format!("the cluster changed since plan {} was made: for the present state, the plan is different", file.id),
    );
    let error = differences.iter().fold(error, |error, difference| error.cause(difference.to_string()));
    Err(error.hint("nothing was written; make the plan again, and read it again"))
}

/// Returns the error that no plan exists for the present state although the file has one.
pub(super) fn no_plan(file: &PlanFile, error: &Error) -> Error {
    let changed = Error::new(
        ErrorKind::Changed,
        format!("the cluster changed since plan {} was made: for the present state, there is no such plan", file.id),
    );
    error.hints().iter().fold(changed.cause(error.message()), |all, hint| all.hint(hint.clone()))
}

/// Returns the steps that a journal has not done yet, as a plan.
pub(super) fn remaining(journal: &Journal) -> Proposed {
    let remaining = journal.entry().remaining();
    if remaining.steps.is_empty() {
        Proposed::Nothing(format!("all steps of {} are done", journal.id()))
    } else {
        Proposed::Plan(Box::new(remaining))
    }
}

/// Returns a text if somebody else has reached the goal of the remaining steps of a journal. Then the repair need not
/// continue, and the journal records this if the run writes.
///
/// # Errors
/// Returns an error if the journal cannot be written.
pub(super) fn reached_by_others(
    journal: &mut Journal,
    situation: &Situation<'_>,
    writes: bool,
) -> Result<Option<String>, Error> {
    let plan = &journal.entry().plan;
    if !repair::is_met_by_others(plan, &journal.entry().remaining()) {
        return Ok(None);
    }
    let Proposed::Nothing(why) = repair::propose(situation, &plan.request) else { return Ok(None) };
    if writes {
        execute::reached_by_others(journal)?;
    }
    Ok(Some(format!("the goal of {} was reached without it: {why}", journal.id())))
}

/// Adds to an error that an earlier run may have written something, and how to continue. The error comes from a run
/// that had to continue the repair of that earlier run, and that stopped without writing anything. If the volume of the
/// repair is lost, no way to continue is added.
pub(super) fn begun(error: Error, earlier: &Entry, is_lost: bool) -> Error {
    let ways_on = |error: Error| if is_lost { error } else { ways_on(error, earlier) };
    let part = "an earlier run has written a part of this plan, or may have written it";
    match error.kind() {
        // The exit code for a changed cluster says that nothing was written. That is not true here, because the earlier
        // run may have written something.
        ErrorKind::Changed => {
            let partial = Error::new(ErrorKind::Partial, error.message());
            let partial = error.causes().iter().cloned().fold(partial, Error::cause);
            let partial = error.hints().iter().cloned().fold(partial, Error::hint);
            ways_on(partial.cause(part).journal(&earlier.id))
        }
        ErrorKind::Refused | ErrorKind::Unreadable => ways_on(error.hint(part)),
        ErrorKind::Usage | ErrorKind::Partial | ErrorKind::Bug | ErrorKind::Interrupted | ErrorKind::OutputClosed => {
            error
        }
    }
}

/// Adds the commands that continue or undo a repair that has begun.
fn ways_on(error: Error, entry: &Entry) -> Error {
    let id = &entry.id;
    let error = error
        .hint(format!("kubectl pvctl apply --continue {id} continues the repair as soon as nothing prevents this"));
    let is_lasting = |step: &Step| matches!(step.undo, Undo::Impossible { .. });
    let lasting = entry.done().iter().any(|done| done.step.write.is_some() && !done.was_so && is_lasting(&done.step));
    // An `undo` itself cannot be undone.
    if lasting || matches!(entry.plan.request, Request::Undo { .. }) {
        return error;
    }
    error.hint(format!("kubectl pvctl undo {id} undoes what was done"))
}
