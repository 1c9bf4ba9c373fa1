//! Which journal is meant, and whether it may be used here.

use super::{Asker, Writer};
use crate::error::Error;
use crate::execute::{End, Entry, Journal, ResolvedDoubt, Summary};
use crate::repair::{self, Origin, Plan, Request, Sameness};
use std::path::Path;

/// Where journals are looked for.
#[derive(Debug)]
pub(super) struct JournalFolder<'a, A> {
    /// Their directory.
    pub(super) directory: &'a Path,
    /// The cluster of which they have to be.
    pub(super) here: &'a Origin,
    /// Who is told what was passed over; nobody where that was said before.
    pub(super) asker: Option<&'a A>,
}

/// The journal with that id, or the newest one of that cluster that is wanted.
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
    // The newest of a cluster that was behind this address before: it may be the one that is meant.
    let mut before: Option<Entry> = None;
    for summary in all {
        match summary.entry {
            Ok(entry) if !wanted(&entry) => {}
            Ok(entry) if entry.origin.sameness(here) != Sameness::None => {
                if let (Some(asker), Some(before)) = (asker, &before) {
                    asker.message(&format!(
                        "note: journal {} is passed over, because it is of {}, and this is {here}",
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
                        "note: {} among the journals is passed over, because it is none: {}",
                        summary.id, unread.why
                    ));
                }
            }
            // The newest may be the one that is meant.
            Err(unread) => {
                return Err(Error::unreadable(format!("journal {} cannot be read", summary.id))
                    .cause(unread.why)
                    .hint("kubectl pvctl history lists them all: name one by its id"));
            }
        }
    }
    if let Some(entry) = before {
        return Err(another(&format!("journal {}", entry.id), &entry.origin, here));
    }
    Err(Error::usage(format!("there is no such journal of {here} in {}: {none}", directory.display()))
        .hint("kubectl pvctl history lists them"))
}

/// The id of the journal whose repair this one has taken back.
pub(super) fn taken_back(summary: &Summary) -> Option<String> {
    match &summary.entry {
        Ok(Entry { plan: Plan { request: Request::Undo { journal, .. }, .. }, end: End::Finished, .. }) => {
            Some(journal.clone())
        }
        _ => None,
    }
}

/// The ids of the journals whose repairs were taken back.
///
/// # Errors
/// The directory cannot be read.
pub(super) fn all_taken_back(directory: &Path) -> Result<Vec<String>, Error> {
    Ok(Journal::list(directory)?.iter().filter_map(taken_back).collect())
}

/// Whether nothing leads on from a journal, because its volume is gone: only by its id it is looked at again.
pub(super) fn is_lost(entry: &Entry) -> bool {
    matches!(entry.end, End::Lost { .. })
}

/// Where a journal is kept.
pub(super) fn directory(journal: &Journal) -> &Path {
    journal.path().parent().unwrap_or(Path::new("."))
}

/// Whether a journal that is settled has written anything.
pub(super) fn has_written(entry: &Entry) -> bool {
    entry.done().iter().any(|done| done.step.write.is_some() && !done.was_so)
}

/// Whether a journal is of this cluster, and its plan the one of its request.
///
/// # Errors
/// It is of another cluster, or it allows what its request does not.
pub(super) fn usable(journal: &Journal, here: &Origin, asker: &impl Asker) -> Result<(), Error> {
    let entry = journal.entry();
    belongs(&format!("journal {}", entry.id), &entry.origin, here, asker)?;
    allowed(journal)
}

/// Whether the objects of a journal are those that have their names now.
///
/// # Errors
/// One of them is another one by now, or could not be read.
pub(super) async fn recognise(journal: &mut Journal, here: &Origin, cluster: &impl Writer) -> Result<(), Error> {
    let sameness = journal.entry().origin.sameness(here);
    Ok(cluster.recognise(journal, sameness).await?)
}

/// Looks what became of a request of that journal.
///
/// # Errors
/// Nobody can tell.
pub(super) async fn resolve_doubt(journal: &mut Journal, goes_on: bool, cluster: &impl Writer) -> Result<(), Error> {
    let entry = journal.entry();
    let doubtful = entry.in_doubt().map(|step| (step.id, step.write.as_ref().map(|write| write.object.to_string())));
    match cluster.resolve_doubt(journal).await? {
        ResolvedDoubt::Nothing | ResolvedDoubt::Written | ResolvedDoubt::NotWritten | ResolvedDoubt::AsExpected => {
            Ok(())
        }
        // It is reviewed anew, and carried out only where it finds what it expects.
        ResolvedDoubt::Unknown if goes_on => Ok(()),
        ResolvedDoubt::Unknown => {
            let (step, object) = doubtful.unwrap_or_default();
            let object = object.unwrap_or_else(|| "its object".to_owned());
            Err(Error::refused(format!(
                "whether step {step} of {} was carried out cannot be told: somebody else has written to {object} since",
                journal.id()
            ))
            .hint(format!("kubectl pvctl history {} shows the step; compare it with {object}", journal.id())))
        }
    }
}

/// Whether a plan of a journal asks for the consent that its request needs, and gives nothing up that the request does
/// not: what a review and the person are asked rests on it.
fn allowed(journal: &Journal) -> Result<(), Error> {
    let plan = &journal.entry().plan;
    // What is taken back was asked for by the request of the other journal.
    let origin = match &plan.request {
        Request::Undo { journal: id, .. } => {
            // Opened and not only read: what somebody else may have written allows nothing.
            Some(Journal::open(directory(journal), id)?.entry().plan.clone())
        }
        _ => None,
    };
    repair::keeps_to_request(plan, origin.as_ref()).map_err(|what| {
        Error::refused(format!("the plan of journal {} is not the one of its request: {what}", journal.id()))
            .hint("somebody has changed the journal: ask for the repair again")
    })
}

/// Whether something of one cluster may be used on the one that is asked now. Says so where nothing but the address
/// tells.
///
/// # Errors
/// It is of another cluster.
pub(super) fn belongs(what: &str, origin: &Origin, here: &Origin, asker: &impl Asker) -> Result<(), Error> {
    match origin.sameness(here) {
        Sameness::Sure => Ok(()),
        Sameness::ByAddress => {
            let why = if here.uid.is_none() {
                "namespace kube-system, which has the uid of the cluster, may not be read here"
            } else {
                "it does not have the uid of its cluster"
            };
            asker.message(&format!("note: that {what} is of this cluster is known by the address alone: {why}"));
            Ok(())
        }
        Sameness::None => Err(another(what, origin, here)),
    }
}

/// Something is of another cluster.
fn another(what: &str, origin: &Origin, here: &Origin) -> Error {
    Error::refused(format!("{what} is of {origin}, and this is {here}: nothing was written"))
        .hint("choose its cluster with --context, or with --server")
}
