//! This module explains several objects, and prints one or more explanations.

use super::connect;
use super::gather::gather_files;
use super::live::Live;
use crate::cli::{ExplainArgs, GlobalArgs};
use crate::error::Error;
use crate::ops::Status;
use crate::ops::explain_several::{SeveralOptions, explain_several, explain_several_files};
use crate::report::explanation::ExplanationList;
use crate::terminal::Terminal;

/// Explains several objects and prints the explanations.
pub(in crate::commands) fn several(
    args: &ExplainArgs,
    global: &GlobalArgs,
    terminal: &Terminal,
    options: &SeveralOptions,
) -> Result<Status, Error> {
    let progress = terminal.progress();
    let show = |notes: &[String], list: &ExplanationList<'_>| {
        print_explanations(
            args,
            notes.iter().map(String::as_str),
            &args.output.render_list(list, terminal.width(), args.trace)?,
            terminal,
        )
    };
    if !args.source.filenames.is_empty() {
        let surroundings = options.surroundings();
        let gathered = gather_files(options.question(&surroundings), &args.source, terminal)?;
        return explain_several_files(options, gathered, &*progress, show);
    }
    connect::with_cluster(global, terminal, async |cluster| {
        explain_several(options, &Live::new(cluster, terminal), &*progress, show).await
    })
}

/// Prints the explanations. If the format is text, the notes are printed first.
pub(in crate::commands) fn print_explanations<'n>(
    args: &ExplainArgs,
    notes: impl Iterator<Item = &'n str>,
    text: &str,
    terminal: &Terminal,
) -> Result<(), Error> {
    let mut output = terminal.output();
    if args.output.is_text() {
        notes.for_each(|note| terminal.message(note));
    }
    output.print(text)?;
    output.finish()
}
