//! `history`: lists the repairs that were made from this computer, from their journals.

use super::Status;
use super::shared::repair::journals;
use crate::cli::HistoryArgs;
use crate::error::Error;
use crate::ops::history::history;
use crate::report::history::History;
use crate::source::local_time;
use crate::terminal::Terminal;

/// Prints the list of journals, or one journal.
pub(super) fn run(args: &HistoryArgs, terminal: &Terminal) -> Result<Status, Error> {
    let items = history(&journals(&args.journal)?, args.id.as_deref())?;
    let document = History::new(items);
    let mut output = terminal.output();
    output.print(&args.output.render(&document, args.id.is_some(), local_time(), terminal.width())?)?;
    output.finish()?;
    Ok(Status::Done)
}
