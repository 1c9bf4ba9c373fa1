//! `undo`: undoes what a repair has written, as its journal records it.

use super::journals::{
    JournalFolder, all_taken_back, directory, find, has_written, is_lost, recognise, resolve_doubt, usable,
};
use super::repair::{PlanSource, RepairOptions, Run};
use super::{Asker, Status, Writer};
use crate::error::{Error, ErrorKind};
use crate::execute::{End, Entry, Journal};
use crate::repair::{self, Origin, Proposed, Request, Sameness, Situation};
use std::time::Duration;

/// The maximum time for which the API server works on a request. Upstream: `--request-timeout` of kube-apiserver, 1.36.
const UNDER_WAY: Duration = Duration::from_mins(1);

/// Undoes the repair of the journal with that id, or the newest repair that has written something. With
/// `provisioner_stopped` the person states that no provisioner works on a claim that the repair created.
///
/// # Errors
/// Returns an error if there is no such journal, if the repair is refused, or if it stops.
pub async fn undo(
    options: &RepairOptions,
    cluster: &impl Writer,
    asker: &impl Asker,
    id: Option<&str>,
    provisioner_stopped: bool,
) -> Result<Status, Error> {
    let run = Run::new(options, cluster, asker).await?;
    let journal_folder = JournalFolder { directory: &options.journals, here: &run.here, asker: Some(asker) };
    let journal = written(&journal_folder, id, &[])?;
    run.repair(PlanSource::TakenBack(TakenBack { journal, is_named: id.is_some(), provisioner_stopped })).await
}

/// A repair that is being undone.
#[derive(Debug)]
pub(super) struct TakenBack {
    /// The journal of the repair.
    pub(super) journal: Box<Journal>,
    /// Whether the person gave the id of the journal. If not, `journal` is the newest usable journal. If it
    /// has written nothing, an older journal replaces it.
    is_named: bool,
    /// Whether the person states that no provisioner works on a claim that the repair created.
    provisioner_stopped: bool,
}

/// The context in which a request in doubt is resolved.
#[derive(Debug)]
pub(super) struct RequestCheck<'a, C, A> {
    /// The access to the cluster.
    pub(super) cluster: &'a C,
    /// The identity of the cluster.
    pub(super) here: &'a Origin,
    /// The person who is informed.
    pub(super) asker: &'a A,
    /// Whether this run writes. A run that writes waits until the earlier requests of the repair cannot arrive any
    /// more.
    pub(super) writes: bool,
}

impl TakenBack {
    /// Makes the plan for the present state.
    pub(super) fn propose(&self, situation: &Situation<'_>) -> Proposed {
        let entry = self.journal.entry();
        repair::undo(situation, &entry.id, self.provisioner_stopped, &entry.plan, &entry.done())
    }

    /// Checks that the objects of the journal are still the same, and finds out whether a request in doubt was carried
    /// out. If the repair was already undone, so that there is nothing to do, returns a text that says so.
    ///
    /// # Errors
    /// Returns an error if an object was replaced, or if nobody can know whether the request was carried out.
    pub(super) async fn resolve_doubt(
        &mut self,
        look: &RequestCheck<'_, impl Writer, impl Asker>,
    ) -> Result<Option<String>, Error> {
        recognise(&mut self.journal, look.here, look.cluster).await?;
        wait_until_resolved(&mut self.journal, look).await?;
        if !self.is_named {
            use_older_journal(&mut self.journal, look).await?;
        }
        not_begun(&self.journal, look).await
    }
}

/// Returns the journal of the repair to undo. The journals in `but` are skipped.
///
/// # Errors
/// Returns an error if there is none.
fn written<A: Asker>(
    journal_folder: &JournalFolder<'_, A>,
    id: Option<&str>,
    but: &[String],
) -> Result<Box<Journal>, Error> {
    let taken = all_taken_back(journal_folder.directory)?;
    let back = |entry: &Entry| {
        entry.written()
            && !is_lost(entry)
            && !taken.contains(&entry.id)
            && !but.contains(&entry.id)
            && !matches!(entry.plan.request, Request::Undo { .. })
    };
    find(journal_folder, id, back, "none of them has written anything that is not already undone")
}

/// Replaces the journal with an older one, as long as the journal has written nothing and an older one exists.
async fn use_older_journal<C: Writer, A: Asker>(
    journal: &mut Box<Journal>,
    look: &RequestCheck<'_, C, A>,
) -> Result<(), Error> {
    let mut empty: Vec<String> = Vec::new();
    while !has_written(journal.entry()) {
        // The only request of this journal was not carried out. If the journal were not skipped, it would always hide
        // the older journals.
        empty.push(journal.id().to_owned());
        let journal_folder = JournalFolder::<A> { directory: directory(journal), here: look.here, asker: None };
        let older = match written(&journal_folder, None, &empty) {
            Ok(older) => older,
            Err(error) if error.kind() == ErrorKind::Usage => return Ok(()),
            Err(error) => return Err(error),
        };
        usable(&older, look.here, look.asker)?;
        look.asker.message(&format!(
            "note: {} has written nothing: its request was not carried out; the repair before it is {}",
            journal.id(),
            older.id()
        ));
        *journal = older;
        recognise(journal, look.here, look.cluster).await?;
        wait_until_resolved(journal, look).await?;
    }
    Ok(())
}

/// Checks that no other journal has begun to undo this repair. In a new plan, the steps that were already undone would
/// look like changes by somebody else. Returns a text if another journal has already undone the repair completely.
///
/// # Errors
/// Returns an error if the repair was undone in part.
async fn not_begun(
    journal: &Journal,
    look: &RequestCheck<'_, impl Writer, impl Asker>,
) -> Result<Option<String>, Error> {
    let (id, directory) = (journal.id(), directory(journal));
    for summary in Journal::list(directory)? {
        let Ok(entry) = summary.entry else { continue };
        let is_back = matches!(&entry.plan.request, Request::Undo { journal: taken, .. } if taken == id);
        let is_elsewhere = entry.origin.sameness(&journal.entry().origin) == Sameness::None;
        if !is_back || entry.end == End::Finished || !entry.written() || is_elsewhere {
            continue;
        }
        let mut back = Journal::open(directory, &entry.id)?;
        wait_until_resolved(&mut back, look).await?;
        if back.entry().remaining().steps.is_empty() {
            return Ok(Some(format!("{id} was already undone by {}", back.id())));
        }
        if has_written(back.entry()) {
            return Err(Error::refused(format!(
                "{id} was already undone in part, by {}, which did not end: nothing was written",
                back.id()
            ))
            .hint(format!("kubectl pvctl apply --continue {} continues that undo", back.id())));
        }
    }
    Ok(None)
}

/// Resolves the request in doubt of a journal. A request that was not carried out may still arrive, and would conflict
/// with a plan for the present state. So a run that writes waits here until the request cannot arrive any more. A run
/// that does not write only shows a note.
async fn wait_until_resolved(
    journal: &mut Journal,
    look: &RequestCheck<'_, impl Writer, impl Asker>,
) -> Result<(), Error> {
    resolve_doubt(journal, false, look.cluster).await?;
    let (Some(step), Some(rest)) = (journal.entry().in_doubt().map(|step| step.id), under_way(journal)) else {
        return Ok(());
    };
    let note = format!(
        "note: the request of step {step} of {} was sent less than a minute ago, was not carried out so far, and may \
         still arrive",
        journal.id()
    );
    if !look.writes {
        look.asker.message(&format!("{note}: undo waits for it before it writes"));
        return Ok(());
    }
    look.asker.message(&format!(
        "{note}: waiting {} s until it cannot arrive any more (Ctrl-C ends the run; nothing is written)",
        rest.as_secs() + 1
    ));
    look.cluster.pause(rest).await;
    resolve_doubt(journal, false, look.cluster).await
}

/// Returns for how long a request of a run that stopped may still arrive. Returns `None` if it cannot arrive any more.
fn under_way(journal: &Journal) -> Option<Duration> {
    UNDER_WAY.checked_sub(journal.age().unwrap_or_default()).filter(|rest| !rest.is_zero())
}
