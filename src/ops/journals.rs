//! Finding a journal, and checking that it may be used for this cluster.

use super::{Asker, Writer};
use crate::error::Error;
use crate::execute::{End, Entry, Journal, ResolvedDoubt, Summary};
use crate::repair::{self, Origin, Plan, Request, Sameness};
use std::path::Path;

/// The directory in which journals are searched, and the cluster to which they must belong.
#[derive(Debug)]
pub(super) struct JournalFolder<'a, A> {
    /// The directory of the journals.
    pub(super) directory: &'a Path,
    /// The cluster that a journal must belong to.
    pub(super) here: &'a Origin,
    /// The person who is told which journals are ignored. The value is `None` if the person was told before.
    pub(super) asker: Option<&'a A>,
}

/// Returns the journal with that id, or the newest wanted journal of that cluster.
pub(super) fn find<A: Asker>(
    journal_folder: &JournalFolder<'_, A>,
    id: Option<&str>,
    wanted: impl Fn(&Entry) -> bool,
    none: &str,
) -> Result<Box<Journal>, Error> {
    let JournalFolder { directory, here, asker } = *journal_folder;
    let open = |id: &str| Ok(Box::new(Journal::open(directory, id)?));
    if let Some(id) = id {
        return open(id);
    }
    let all = Journal::list(directory)?;
    if all.is_empty() {
        return Err(Error::usage(format!("there are no journals in {}", directory.display()))
            .hint("--journal names another directory"));
    }
    // The newest journal of another cluster that had the same address before. The person may mean this journal.
    let mut before: Option<Entry> = None;
    for summary in all {
        match summary.entry {
            Ok(entry) if !wanted(&entry) => {}
            Ok(entry) if entry.origin.sameness(here) != Sameness::None => {
                if let (Some(asker), Some(before)) = (asker, &before) {
                    asker.message(&format!(
                        "note: journal {} is ignored, because it belongs to {}, and this is {here}",
                        before.id, before.origin
                    ));
                }
                return open(&entry.id);
            }
            Ok(entry) if entry.origin.server == here.server => _ = before.get_or_insert(entry),
            Ok(_) => {}
            Err(unread) if unread.foreign => {
                if let Some(asker) = asker {
                    asker.message(&format!(
                        "note: {} among the journals is ignored, because it is not a journal: {}",
                        summary.id, unread.why
                    ));
                }
            }
            // The person may mean the newest journal, so it must not be ignored.
            Err(unread) => {
                return Err(Error::unreadable(format!("journal {} cannot be read", summary.id))
                    .cause(unread.why)
                    .hint("kubectl pvctl history lists all journals: name one by its id"));
            }
        }
    }
    if let Some(entry) = before {
        return Err(another(&format!("journal {}", entry.id), &entry.origin, here));
    }
    Err(Error::usage(format!("no journal of {here} in {} can be used: {none}", directory.display()))
        .hint("kubectl pvctl history lists the journals"))
}

/// Returns the id of the journal whose repair this journal has undone.
pub(super) fn taken_back(summary: &Summary) -> Option<String> {
    match &summary.entry {
        Ok(Entry { plan: Plan { request: Request::Undo { journal, .. }, .. }, end: End::Finished, .. }) => {
            Some(journal.clone())
        }
        _ => None,
    }
}

/// Returns the ids of the journals whose repairs were undone.
///
/// # Errors
/// Returns an error if the directory cannot be read.
pub(super) fn all_taken_back(directory: &Path) -> Result<Vec<String>, Error> {
    Ok(Journal::list(directory)?.iter().filter_map(taken_back).collect())
}

/// Returns whether the repair of a journal cannot continue because its volume is gone. Such a journal is used only if
/// its id is given.
pub(super) fn is_lost(entry: &Entry) -> bool {
    matches!(entry.end, End::Lost { .. })
}

/// Returns the directory of a journal.
pub(super) fn directory(journal: &Journal) -> &Path {
    journal.path().parent().unwrap_or(Path::new("."))
}

/// Returns whether a journal without a request in doubt has written anything.
pub(super) fn has_written(entry: &Entry) -> bool {
    entry.done().iter().any(|done| done.step.write.is_some() && !done.was_so)
}

/// Checks that a journal belongs to this cluster and that its plan matches its request.
///
/// # Errors
/// Returns an error if it belongs to another cluster, or if its plan allows more than its request.
pub(super) fn usable(journal: &Journal, here: &Origin, asker: &impl Asker) -> Result<(), Error> {
    let entry = journal.entry();
    belongs(&format!("journal {}", entry.id), &entry.origin, here, asker)?;
    allowed(journal)
}

/// Checks that the objects of a journal were not replaced by other objects with the same names.
///
/// # Errors
/// Returns an error if an object was replaced or cannot be read.
pub(super) async fn recognise(journal: &mut Journal, here: &Origin, cluster: &impl Writer) -> Result<(), Error> {
    let sameness = journal.entry().origin.sameness(here);
    Ok(cluster.recognise(journal, sameness).await?)
}

/// Finds out whether the request in doubt of that journal was carried out.
///
/// # Errors
/// Returns an error if the object cannot be read or the journal cannot be written. Also returns an error if the journal
/// will not be continued, and nobody can know whether the request was carried out.
pub(super) async fn resolve_doubt(journal: &mut Journal, goes_on: bool, cluster: &impl Writer) -> Result<(), Error> {
    let entry = journal.entry();
    let doubtful = entry.in_doubt().map(|step| (step.id, step.write.as_ref().map(|write| write.object.to_string())));
    match cluster.resolve_doubt(journal).await? {
        ResolvedDoubt::Nothing | ResolvedDoubt::Written | ResolvedDoubt::NotWritten | ResolvedDoubt::AsExpected => {
            Ok(())
        }
        // The step is reviewed again, and is carried out only if the object is as expected.
        ResolvedDoubt::Unknown if goes_on => Ok(()),
        ResolvedDoubt::Unknown => {
            let (step, object) = doubtful.unwrap_or_default();
            let object = object.unwrap_or_else(|| "its object".to_owned());
            Err(Error::refused(format!(
                "nobody can know whether step {step} of {} was carried out: somebody else has written to {object} \
                 since then",
                journal.id()
            ))
            .hint(format!("kubectl pvctl history {} shows the step; compare it with {object}", journal.id())))
        }
    }
}

/// Checks that the plan of a journal asks for the consent that its request needs, and gives up only what the request
/// gives up. The review and the questions to the person rely on this.
fn allowed(journal: &Journal) -> Result<(), Error> {
    let plan = &journal.entry().plan;
    // For an undo, the original plan is in the journal of the repair that is undone.
    let origin = match &plan.request {
        Request::Undo { journal: id, .. } => {
            // The journal is opened with its checks and not only read, because another person may have written the
            // file.
            Some(Journal::open(directory(journal), id)?.entry().plan.clone())
        }
        _ => None,
    };
    repair::keeps_to_request(plan, origin.as_ref()).map_err(|what| {
        Error::refused(format!("the plan of journal {} does not match its request: {what}", journal.id()))
            .hint("somebody has changed the journal: ask for the repair again")
    })
}

/// Checks that something belongs to the cluster of this run. If only the address proves this, a note says so.
///
/// # Errors
/// Returns an error if it belongs to another cluster.
pub(super) fn belongs(what: &str, origin: &Origin, here: &Origin, asker: &impl Asker) -> Result<(), Error> {
    match origin.sameness(here) {
        Sameness::Sure => Ok(()),
        Sameness::ByAddress => {
            let why = if here.uid.is_none() {
                "namespace kube-system, which has the uid of the cluster, cannot be read here"
            } else {
                "it does not record the uid of its cluster"
            };
            asker.message(&format!("note: only the address shows that {what} belongs to this cluster: {why}"));
            Ok(())
        }
        Sameness::None => Err(another(what, origin, here)),
    }
}

/// Returns the error that something belongs to another cluster.
fn another(what: &str, origin: &Origin, here: &Origin) -> Error {
    Error::refused(format!("{what} belongs to {origin}, but this is {here}: nothing was written"))
        .hint("choose its cluster with --context, or with --server")
}
