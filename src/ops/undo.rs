//! `undo`: what a repair has written is taken back, by its journal.

use super::journals::{
    JournalFolder, all_taken_back, directory, find, has_written, is_lost, recognise, resolve_doubt, usable,
};
use super::repair::{PlanSource, RepairOptions, Run};
use super::{Asker, Status, Writer};
use crate::error::{Error, ErrorKind};
use crate::execute::{End, Entry, Journal};
use crate::repair::{self, Origin, Proposed, Request, Sameness, Situation};
use std::time::Duration;

/// How long the API server works on a request at most.
/// Upstream: `--request-timeout` of kube-apiserver, 1.36.
const UNDER_WAY: Duration = Duration::from_mins(1);

/// Takes a repair back: that of the journal with that id, or the newest one that has written something. The person may
/// say that no provisioner is at work on a claim that the repair created.
///
/// # Errors
/// There is no such journal, why it is refused, and where it stopped.
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

/// A repair that is to be taken back.
#[derive(Debug)]
pub(super) struct TakenBack {
    /// Its journal.
    pub(super) journal: Box<Journal>,
    /// Whether somebody named it. Else it is the newest that will do, and where that has written nothing, an older one
    /// has to do.
    is_named: bool,
    /// The person says that no provisioner is at work on a claim that the repair created.
    provisioner_stopped: bool,
}

/// Who looks what became of a request.
#[derive(Debug)]
pub(super) struct RequestCheck<'a, C, A> {
    /// The cluster.
    pub(super) cluster: &'a C,
    /// Which one that is.
    pub(super) here: &'a Origin,
    /// Who is told.
    pub(super) asker: &'a A,
    /// Who writes waits until no request of a run that is taken back can be under way any more.
    pub(super) writes: bool,
}

impl TakenBack {
    /// The plan, on the world as it is.
    pub(super) fn propose(&self, situation: &Situation<'_>) -> Proposed {
        let entry = self.journal.entry();
        repair::undo(situation, &entry.id, self.provisioner_stopped, &entry.plan, &entry.done())
    }

    /// Looks whether the objects of the journal are still those, and what became of a request whose answer was lost.
    /// Says why there is nothing to do, where that shows.
    ///
    /// # Errors
    /// An object is another one by now, or nobody can tell what became of the request.
    pub(super) async fn resolve_doubt(
        &mut self,
        look: &RequestCheck<'_, impl Writer, impl Asker>,
    ) -> Result<Option<String>, Error> {
        recognise(&mut self.journal, look.here, look.cluster).await?;
        at_rest(&mut self.journal, look).await?;
        if !self.is_named {
            pass_over(&mut self.journal, look).await?;
        }
        not_begun(&self.journal, look).await
    }
}

/// The journal to take back, but none of those.
///
/// # Errors
/// There is none.
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
    find(journal_folder, id, back, "none of them has written anything that was not taken back already")
}

/// Takes an older journal in the place of one that has written nothing, as long as there is one.
async fn pass_over<C: Writer, A: Asker>(
    journal: &mut Box<Journal>,
    look: &RequestCheck<'_, C, A>,
) -> Result<(), Error> {
    let mut empty: Vec<String> = Vec::new();
    while !has_written(journal.entry()) {
        // Its only request was not carried out, and it would stand in the way of the older ones for ever.
        empty.push(journal.id().to_owned());
        let journal_folder = JournalFolder::<A> { directory: directory(journal), here: look.here, asker: None };
        let older = match written(&journal_folder, None, &empty) {
            Ok(older) => older,
            Err(error) if error.kind() == ErrorKind::Usage => return Ok(()),
            Err(error) => return Err(error),
        };
        usable(&older, look.here, look.asker)?;
        look.asker.message(&format!(
            "note: {} has written nothing: its request was not carried out; the one before it is {}",
            journal.id(),
            older.id()
        ));
        *journal = older;
        recognise(journal, look.here, look.cluster).await?;
        at_rest(journal, look).await?;
    }
    Ok(())
}

/// Whether nobody has begun to take a repair back: who plans that anew takes what is done of it for the doing of
/// somebody else. Says so where it came to its end, and nobody knew.
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
        at_rest(&mut back, look).await?;
        if back.entry().remaining().steps.is_empty() {
            return Ok(Some(format!("what {id} did was taken back by {}", back.id())));
        }
        if has_written(back.entry()) {
            return Err(Error::refused(format!(
                "{id} is taken back in part already, by {}, which was cut short: nothing was written",
                back.id()
            ))
            .hint(format!("kubectl pvctl apply --continue {} goes on with that", back.id())));
        }
    }
    Ok(None)
}

/// Settles a journal for good: a request that was not carried out so far, and still may be, would overtake what is
/// planned on what is there now. So it is waited for as long as it may be under way.
async fn at_rest(journal: &mut Journal, look: &RequestCheck<'_, impl Writer, impl Asker>) -> Result<(), Error> {
    resolve_doubt(journal, false, look.cluster).await?;
    let (Some(step), Some(rest)) = (journal.entry().in_doubt().map(|step| step.id), under_way(journal)) else {
        return Ok(());
    };
    let note = format!(
        "note: the request of step {step} of {} was sent less than a minute ago, was not carried out so far, and may still \
         be under way",
        journal.id()
    );
    if !look.writes {
        look.asker.message(&format!("{note}: undo waits for it before it writes"));
        return Ok(());
    }
    look.asker.message(&format!(
        "{note}: waiting {} s until it cannot be any more (Ctrl-C ends that; nothing is written)",
        rest.as_secs() + 1
    ));
    look.cluster.pause(rest).await;
    resolve_doubt(journal, false, look.cluster).await
}

/// For how long a request of a run that was cut short may still arrive; nothing where it cannot any more.
fn under_way(journal: &Journal) -> Option<Duration> {
    UNDER_WAY.checked_sub(journal.age().unwrap_or_default()).filter(|rest| !rest.is_zero())
}
