//! Reading the objects that a use case needs, from files or from a cluster.

use super::arguments::files;
use super::connect;
use super::live::Live;
use crate::cli::{GlobalArgs, SourceArgs};
use crate::error::Error;
use crate::ops::gather::{Gathered, Question, from_cluster, from_files};
use crate::source;
use crate::terminal::Terminal;

/// Reads the objects from files or from a cluster.
///
/// # Errors
/// Returns an error if something cannot be read or a flag cannot be used.
pub(in crate::commands) fn gather(
    question: Question<'_>,
    source: &SourceArgs,
    global: &GlobalArgs,
    terminal: &Terminal,
) -> Result<Gathered, Error> {
    question.check()?;
    if source.filenames.is_empty() {
        return connect::with_cluster(global, terminal, async |cluster| {
            from_cluster(&Live::new(cluster, terminal), question).await
        });
    }
    gather_files(question, source, terminal)
}

/// Reads the objects from files.
///
/// # Errors
/// The errors are those of [`gather`].
pub(in crate::commands) fn gather_files(
    question: Question<'_>,
    source: &SourceArgs,
    terminal: &Terminal,
) -> Result<Gathered, Error> {
    terminal.progress().step("reading", 0);
    from_files(source::files::read(&question.of_files(files(source)))?, question)
}
