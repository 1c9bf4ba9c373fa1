//! `apply`: a plan from a file is carried out where it is still the plan, and one that was cut short is gone on with.

use super::journals::{JournalFolder, all_taken_back, find, is_lost};
use super::repair::{PlanSource, RepairOptions, Run};
use super::{Asker, Status, Writer};
use crate::error::{Error, ErrorKind};
use crate::execute::{self, End, Entry, Journal};
use crate::repair::{self, Proposed, Request, Situation, Step, Undo};
use crate::report::plan::{ModelStated, PlanDocument};
use serde_json::Value;

/// A plan from a file.
pub type PlanFile = PlanDocument<ModelStated>;

/// A plan from the data of a file.
///
/// # Errors
/// What is wrong with it, in a usage error.
pub fn plan_file(name: &str, data: Value) -> Result<PlanFile, Error> {
    let file = PlanDocument::read(data).map_err(|reason| Error::usage(format!("{name}: {reason}")))?;
    repair::check_names(&file.request)?;
    Ok(file)
}

/// Carries out a plan from a file: it is made anew, and has to be the same.
///
/// # Errors
/// It is not the same, why it is refused, and where it stopped.
pub async fn apply(
    options: &RepairOptions,
    cluster: &impl Writer,
    asker: &impl Asker,
    file: PlanFile,
) -> Result<Status, Error> {
    Run::new(options, cluster, asker).await?.repair(PlanSource::File(Box::new(file))).await
}

/// Goes on with a repair that was cut short: that of the journal with that id, or the newest one.
///
/// # Errors
/// There is no such journal, why it is refused, and where it stopped.
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

/// The journal to go on with.
///
/// # Errors
/// There is none.
fn stopped<A: Asker>(journal_folder: &JournalFolder<'_, A>, id: Option<&str>) -> Result<Box<Journal>, Error> {
    let taken = all_taken_back(journal_folder.directory)?;
    if let Some(id) = id.filter(|id| taken.iter().any(|taken| taken == id)) {
        return Err(Error::usage(format!("what {id} did was taken back, so it is not gone on with"))
            .hint("ask for the repair again"));
    }
    let unfinished =
        |entry: &Entry| entry.end != End::Finished && !is_lost(entry) && entry.written() && !taken.contains(&entry.id);
    let none = "all of them are finished or taken back, have lost their volume, or have written nothing";
    let journal = find(journal_folder, id, unfinished, none)?;
    let entry = journal.entry();
    if entry.end != End::Finished && !entry.written() {
        return Err(Error::usage(format!("{} has written nothing, so there is nothing to go on with", entry.id))
            .hint("ask for the repair again: it is planned on what is there now"));
    }
    Ok(journal)
}

/// Whether a plan that is made now, as a document, is the one of a file. What the controllers answer does not count
/// until it was reviewed.
///
/// # Errors
/// The world has changed, and how.
pub(super) fn is_same(file: &PlanFile, now: &PlanDocument, reviewed: bool) -> Result<(), Error> {
    let differences = now.differs_from(file, reviewed);
    if differences.is_empty() {
        return Ok(());
    }
    let error = Error::new(
        ErrorKind::Changed,
        format!("the world changed since plan {} was made: on it as it is now the plan is another one", file.id),
    );
    let error = differences.iter().fold(error, |error, difference| error.cause(difference.to_string()));
    Err(error.hint("nothing was written; make the plan anew, and read it again"))
}

/// That there is no plan where there was one in a file: the world has changed.
pub(super) fn no_plan(file: &PlanFile, error: &Error) -> Error {
    let changed = Error::new(
        ErrorKind::Changed,
        format!("the world changed since plan {} was made: on it as it is now there is no such plan", file.id),
    );
    error.hints().iter().fold(changed.cause(error.message()), |all, hint| all.hint(hint.clone()))
}

/// What a journal leaves to be done.
pub(super) fn remaining(journal: &Journal) -> Proposed {
    let remaining = journal.entry().remaining();
    if remaining.steps.is_empty() {
        Proposed::Nothing(format!("all steps of {} are done", journal.id()))
    } else {
        Proposed::Plan(Box::new(remaining))
    }
}

/// That what a journal was begun for is so already, although it cannot go on: somebody else has done the rest. The
/// journal says so from then on, where this run writes.
///
/// # Errors
/// The journal cannot be written.
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
    Ok(Some(format!("what {} was begun for is so by now: {why}", journal.id())))
}

/// What to say where a repair of which an earlier run has written a part is not gone on with, and this run has written
/// nothing. Where its volume is lost, nothing leads on.
pub(super) fn begun(error: Error, earlier: &Entry, is_lost: bool) -> Error {
    let ways_on = |error: Error| if is_lost { error } else { ways_on(error, earlier) };
    let part = "an earlier run has written a part of this, or may have";
    match error.kind() {
        // Of the plan as a whole that is not true which the exit code of a changed world says.
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

/// How a repair is led on that was begun.
fn ways_on(error: Error, entry: &Entry) -> Error {
    let id = &entry.id;
    let error = error.hint(format!("kubectl pvctl apply --continue {id} goes on once nothing stands against it"));
    let is_lasting = |step: &Step| matches!(step.undo, Undo::Impossible { .. });
    let lasting = entry.done().iter().any(|done| done.step.write.is_some() && !done.was_so && is_lasting(&done.step));
    // What takes a repair back is not taken back.
    if lasting || matches!(entry.plan.request, Request::Undo { .. }) {
        return error;
    }
    error.hint(format!("kubectl pvctl undo {id} takes back what was done"))
}
