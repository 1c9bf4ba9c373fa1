//! Where a plan comes from: words, a file, or a journal.

use super::here::{another, belongs};
use crate::cli::JournalArgs;
use crate::error::{Error, ErrorKind};
use crate::execute::{self, End, Entry, Journal, Settled, Summary, Way};
use crate::model::ObjectKey;
use crate::repair::{self, Origin, Plan, Proposed, Request, Sameness, Situation};
use crate::report::plan::{ModelStated, PlanDocument};
use crate::terminal::Terminal;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// How long the API server works on a request at most.
/// Upstream: `--request-timeout` of kube-apiserver, 1.36.
const UNDER_WAY: Duration = Duration::from_mins(1);

/// Where a plan comes from.
pub(super) enum Course {
    /// From the words of the command line.
    Asked(Request),
    /// From a file: it is made anew, and has to be the same.
    File(Box<PlanDocument<ModelStated>>),
    /// From a journal: what it did not do yet.
    Continue(Box<Journal>),
    /// From a journal: what it did is taken back. Where no journal was named, it is the newest that has written
    /// something, and an older one may have to do.
    Undo {
        /// The journal.
        journal: Box<Journal>,
        /// How it was chosen.
        choice: Choice,
        /// The person says that no provisioner is at work on a claim that the repair created.
        provisioner_stopped: bool,
    },
}

/// How a journal was chosen.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Choice {
    /// By its id.
    Named,
    /// It is the newest that will do.
    Newest,
}

/// What an earlier run left.
pub(super) struct Earlier {
    pub(super) entry: Entry,
}

impl Course {
    /// What is asked for.
    pub(super) fn request(&self) -> &Request {
        match self {
            Self::Asked(request) => request,
            Self::File(file) => &file.request,
            Self::Continue(journal) | Self::Undo { journal, .. } => &journal.entry().plan.request,
        }
    }

    /// Whether it begins with what was asked for, and with no journal.
    pub(super) fn is_new(&self) -> bool {
        match self {
            Self::Asked(_) | Self::File(_) => true,
            Self::Continue(_) | Self::Undo { .. } => false,
        }
    }

    /// Whether a plan that found another world may be made anew: it follows from what was asked for. That of a file was
    /// agreed to as it stands, and that of a journal is begun.
    pub(super) fn is_planned_anew(&self) -> bool {
        match self {
            Self::Asked(_) | Self::Undo { .. } => true,
            Self::File(_) | Self::Continue(_) => false,
        }
    }

    /// The objects of a plan that is there already.
    pub(super) fn objects(&self) -> Vec<ObjectKey> {
        match self {
            Self::Asked(_) | Self::File(_) => Vec::new(),
            Self::Continue(journal) | Self::Undo { journal, .. } => journal.entry().plan.objects(),
        }
    }

    /// The plan, on the world as it is.
    pub(super) fn propose(&self, situation: &Situation<'_>) -> Proposed {
        match self {
            Self::Asked(request) => repair::propose(situation, request),
            Self::File(file) => repair::propose(situation, &file.request),
            Self::Continue(journal) => {
                let remaining = journal.entry().remaining();
                if remaining.steps.is_empty() {
                    Proposed::Nothing(format!("all steps of {} are done", journal.id()))
                } else {
                    Proposed::Plan(Box::new(remaining))
                }
            }
            Self::Undo { journal, provisioner_stopped, .. } => {
                let entry = journal.entry();
                repair::undo(situation, &entry.id, *provisioner_stopped, &entry.plan, &entry.done())
            }
        }
    }

    /// Whether nothing leads on from a journal that was to be continued: its volume is gone.
    pub(super) fn is_lost(&self) -> bool {
        matches!(self, Self::Continue(journal) if is_lost(journal.entry()))
    }

    /// That what a journal was begun for is so already, although it cannot go on: somebody else has done the rest. The
    /// journal says so from then on, where this run writes.
    ///
    /// # Errors
    /// The journal cannot be written.
    pub(super) fn reached_by_others(
        &mut self,
        situation: &Situation<'_>,
        writes: bool,
    ) -> Result<Option<String>, Error> {
        let Self::Continue(journal) = self else { return Ok(None) };
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

    /// Why there is no plan: for a file, there was one, so that the world has changed.
    pub(super) fn no_plan(&self, error: Error) -> Error {
        match self {
            Self::File(file) => {
                let changed = Error::new(
                    ErrorKind::Changed,
                    format!(
                        "the world changed since plan {} was made: on it as it is now there is no such plan",
                        file.id
                    ),
                );
                error.hints().iter().fold(changed.cause(error.message()), |all, hint| all.hint(hint.clone()))
            }
            Self::Asked(_) | Self::Continue(_) | Self::Undo { .. } => error,
        }
    }

    /// What an earlier run has written, or may have, of what is gone on with.
    pub(super) fn earlier(&self) -> Option<Earlier> {
        match self {
            Self::Continue(journal) => journal.entry().written().then(|| Earlier { entry: journal.entry().clone() }),
            Self::Asked(_) | Self::File(_) | Self::Undo { .. } => None,
        }
    }

    /// Looks whether a journal or a plan file may be used here.
    ///
    /// # Errors
    /// It is of another cluster, or a journal allows what its request does not.
    pub(super) fn check(&self, here: &Origin, terminal: &Terminal) -> Result<(), Error> {
        match self {
            Self::Asked(_) => Ok(()),
            Self::File(file) => file
                .cluster
                .as_ref()
                .map_or(Ok(()), |origin| belongs(&format!("plan {}", file.id), origin, here, terminal).map(drop)),
            Self::Continue(journal) | Self::Undo { journal, .. } => usable(journal, here, terminal),
        }
    }

    /// Looks whether the objects of a journal are still those, and what became of a request whose answer was lost,
    /// before it is gone on with or taken back.
    ///
    /// Says why there is nothing to do, where that shows.
    ///
    /// # Errors
    /// An object is another one by now, or nobody can tell what became of the request.
    pub(super) async fn settle(&mut self, look: Look<'_>) -> Result<Option<String>, Error> {
        match self {
            Self::Asked(_) | Self::File(_) => Ok(None),
            Self::Continue(journal) => {
                recognise(journal, look).await?;
                settle(journal, true, look.way).await.map(|()| None)
            }
            Self::Undo { journal, choice, .. } => {
                recognise(journal, look).await?;
                at_rest(journal, look).await?;
                if *choice == Choice::Newest {
                    pass_over(journal, look).await?;
                }
                not_begun(journal, look).await
            }
        }
    }
}

/// Who looks what became of a request.
#[derive(Clone, Copy)]
pub(super) struct Look<'a> {
    /// The way to the cluster.
    pub(super) way: Way<'a>,
    /// Which cluster that is.
    pub(super) here: &'a Origin,
    /// Where it is said.
    pub(super) terminal: &'a Terminal,
    /// Who writes waits until no request of a run that is taken back can be under way any more.
    pub(super) writes: bool,
}

/// Takes an older journal in the place of one that has written nothing, as long as there is one.
async fn pass_over(journal: &mut Box<Journal>, look: Look<'_>) -> Result<(), Error> {
    let mut empty: Vec<String> = Vec::new();
    while !has_written(journal.entry()) {
        // Its only request was not carried out, and it would stand in the way of the older ones for ever.
        empty.push(journal.id().to_owned());
        let shelf = Shelf { directory: directory(journal), here: look.here, terminal: None };
        let older = match written(shelf, None, &empty) {
            Ok(older) => older,
            Err(error) if error.kind() == ErrorKind::Usage => return Ok(()),
            Err(error) => return Err(error),
        };
        usable(&older, look.here, look.terminal)?;
        look.terminal.message(&format!(
            "note: {} has written nothing: its request was not carried out; the one before it is {}",
            journal.id(),
            older.id()
        ));
        *journal = older;
        recognise(journal, look).await?;
        at_rest(journal, look).await?;
    }
    Ok(())
}

/// Whether nobody has begun to take a repair back: who plans that anew takes what is done of it for the doing of
/// somebody else. Says so where it came to its end, and nobody knew.
async fn not_begun(journal: &Journal, look: Look<'_>) -> Result<Option<String>, Error> {
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

fn directory(journal: &Journal) -> &Path {
    journal.path().parent().unwrap_or(Path::new("."))
}

/// Settles a journal for good: a request that was not carried out so far, and still may be, would overtake what is
/// planned on what is there now. So it is waited for as long as it may be under way.
async fn at_rest(journal: &mut Journal, look: Look<'_>) -> Result<(), Error> {
    settle(journal, false, look.way).await?;
    let (Some(step), Some(rest)) = (journal.entry().in_doubt().map(|step| step.id), under_way(journal)) else {
        return Ok(());
    };
    let note = format!(
        "note: the request of step {step} of {} was sent less than a minute ago, was not carried out so far, and may still \
         be under way",
        journal.id()
    );
    if !look.writes {
        look.terminal.message(&format!("{note}: undo waits for it before it writes"));
        return Ok(());
    }
    look.terminal.message(&format!(
        "{note}: waiting {} s until it cannot be any more (Ctrl-C ends that; nothing is written)",
        rest.as_secs() + 1
    ));
    tokio::time::sleep(rest).await;
    settle(journal, false, look.way).await
}

/// For how long a request of a run that was cut short may still arrive; nothing where it cannot any more.
fn under_way(journal: &Journal) -> Option<Duration> {
    UNDER_WAY.checked_sub(journal.age().unwrap_or_default()).filter(|rest| !rest.is_zero())
}

/// Whether a journal that is settled has written anything.
fn has_written(entry: &Entry) -> bool {
    entry.done().iter().any(|done| done.step.write.is_some() && !done.was_so)
}

/// Whether a journal is of this cluster, and its plan the one of its request.
fn usable(journal: &Journal, here: &Origin, terminal: &Terminal) -> Result<(), Error> {
    let entry = journal.entry();
    belongs(&format!("journal {}", entry.id), &entry.origin, here, terminal)?;
    allowed(journal)
}

/// Whether the objects of a journal are those that have their names now.
async fn recognise(journal: &mut Journal, look: Look<'_>) -> Result<(), Error> {
    let sameness = journal.entry().origin.sameness(look.here);
    Ok(execute::recognise(look.way, journal, sameness).await?)
}

/// Looks what became of a request of that journal.
async fn settle(journal: &mut Journal, goes_on: bool, way: Way<'_>) -> Result<(), Error> {
    let entry = journal.entry();
    let doubtful = entry.in_doubt().map(|step| (step.id, step.write.as_ref().map(|write| write.object.to_string())));
    match execute::settle(way, journal).await? {
        Settled::Nothing | Settled::Written | Settled::NotWritten | Settled::AsExpected => Ok(()),
        // It is reviewed anew, and carried out only where it finds what it expects.
        Settled::Unknown if goes_on => Ok(()),
        Settled::Unknown => {
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
        Request::Retain { .. }
        | Request::Release { .. }
        | Request::Unbind { .. }
        | Request::Reclaim { .. }
        | Request::Recreate { .. }
        | Request::Restore { .. }
        | Request::Rebind { .. }
        | Request::Move { .. }
        | Request::Unfinalize { .. }
        | Request::Unselect { .. } => None,
    };
    repair::keeps_to_request(plan, origin.as_ref()).map_err(|what| {
        Error::refused(format!("the plan of journal {} is not the one of its request: {what}", journal.id()))
            .hint("somebody has changed the journal: ask for the repair again")
    })
}

/// The directory of the journals.
///
/// # Errors
/// A usage error where nothing says where that is.
#[expect(clippy::disallowed_methods, reason = "the edge, where the environment is read")]
pub(in crate::commands) fn journals(args: &JournalArgs) -> Result<PathBuf, Error> {
    if let Some(directory) = &args.directory {
        return Ok(directory.clone());
    }
    let variable = |name| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    // A relative path there is to be ignored, by the XDG Base Directory Specification.
    let state = variable("XDG_STATE_HOME").filter(|path| path.is_absolute());
    let state = state.or_else(|| std::env::home_dir().map(|home| home.join(".local").join("state")));
    state.map(|state| state.join("kubectl-pvctl")).ok_or_else(|| {
        Error::usage("no directory for the journal is known: neither XDG_STATE_HOME nor HOME is set")
            .hint("--journal DIRECTORY names one")
    })
}

/// Where journals are looked for.
#[derive(Clone, Copy)]
pub(super) struct Shelf<'a> {
    /// Their directory.
    pub(super) directory: &'a Path,
    /// The cluster of which they have to be.
    pub(super) here: &'a Origin,
    /// Where it is said what was passed over.
    pub(super) terminal: Option<&'a Terminal>,
}

/// The journal to go on with.
///
/// # Errors
/// There is none.
pub(super) fn stopped(shelf: Shelf<'_>, id: Option<&str>) -> Result<Box<Journal>, Error> {
    let taken: Vec<String> = Journal::list(shelf.directory)?.iter().filter_map(taken_back).collect();
    if let Some(id) = id.filter(|id| taken.iter().any(|taken| taken == id)) {
        return Err(Error::usage(format!("what {id} did was taken back, so it is not gone on with"))
            .hint("ask for the repair again"));
    }
    let unfinished =
        |entry: &Entry| entry.end != End::Finished && !is_lost(entry) && entry.written() && !taken.contains(&entry.id);
    let none = "all of them are finished or taken back, have lost their volume, or have written nothing";
    let journal = find(shelf, id, unfinished, none)?;
    let entry = journal.entry();
    if entry.end != End::Finished && !entry.written() {
        return Err(Error::usage(format!("{} has written nothing, so there is nothing to go on with", entry.id))
            .hint("ask for the repair again: it is planned on what is there now"));
    }
    Ok(journal)
}

/// The journal to take back, but none of those.
///
/// # Errors
/// There is none.
pub(super) fn written(shelf: Shelf<'_>, id: Option<&str>, but: &[String]) -> Result<Box<Journal>, Error> {
    let taken: Vec<String> = Journal::list(shelf.directory)?.iter().filter_map(taken_back).collect();
    let back = |entry: &Entry| {
        entry.written()
            && !is_lost(entry)
            && !taken.contains(&entry.id)
            && !but.contains(&entry.id)
            && !matches!(entry.plan.request, Request::Undo { .. })
    };
    find(shelf, id, back, "none of them has written anything that was not taken back already")
}

/// Whether nothing leads on from a journal, because its volume is gone: only by its id it is looked at again.
fn is_lost(entry: &Entry) -> bool {
    matches!(entry.end, End::Lost { .. })
}

/// The id of the journal whose repair this one has taken back.
pub(in crate::commands) fn taken_back(summary: &Summary) -> Option<String> {
    match &summary.entry {
        Ok(Entry { plan: Plan { request: Request::Undo { journal, .. }, .. }, end: End::Finished, .. }) => {
            Some(journal.clone())
        }
        _ => None,
    }
}

/// The journal with that id, or the newest one of that cluster that is wanted.
fn find(
    shelf: Shelf<'_>,
    id: Option<&str>,
    wanted: impl Fn(&Entry) -> bool,
    none: &str,
) -> Result<Box<Journal>, Error> {
    let Shelf { directory, here, terminal } = shelf;
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
                if let (Some(terminal), Some(before)) = (terminal, &before) {
                    terminal.message(&format!(
                        "note: journal {} is passed over, because it is of {}, and this is {here}",
                        before.id, before.origin
                    ));
                }
                return open(&entry.id);
            }
            Ok(entry) if entry.origin.server == here.server => _ = before.get_or_insert(entry),
            Ok(_) => {}
            Err(unread) if unread.foreign => {
                if let Some(terminal) = terminal {
                    terminal.message(&format!(
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
