//! Reading what a use case asks for, from files or from a cluster.

use super::arguments::files;
use super::connect;
use super::live::Live;
use crate::cli::{GlobalArgs, SourceArgs};
use crate::error::Error;
use crate::ops::gather::{Gathered, Question, from_cluster, from_files};
use crate::source;
use crate::terminal::Terminal;

/// Reads from files or from a cluster.
///
/// # Errors
/// What cannot be read, or what a flag lacks.
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

/// Reads from files.
///
/// # Errors
/// As [`gather`].
pub(in crate::commands) fn gather_files(
    question: Question<'_>,
    source: &SourceArgs,
    terminal: &Terminal,
) -> Result<Gathered, Error> {
    terminal.progress().step("reading", 0);
    from_files(source::files::read(&question.of_files(files(source)))?, question)
}
