//! This module explains the lines of a log. It reads neither a cluster nor files with objects.

use super::arguments;
use crate::cli::{EXPLAINED, ExplainArgs, GlobalArgs, parse_objects};
use crate::error::Error;
use crate::ops::Status;
use crate::ops::explain_log::explain_log;
use crate::source;
use crate::terminal::Terminal;
use std::path::Path;

/// Reads the log and prints what its lines mean.
pub(in crate::commands) fn explained_log(
    path: &Path,
    args: &ExplainArgs,
    global: &GlobalArgs,
    terminal: &Terminal,
) -> Result<Status, Error> {
    if arguments::labels(global)?.is_some() {
        return Err(Error::usage("--log and -l cannot be used together: a log has no labels").hint("leave -l out"));
    }
    let objects = parse_objects(&args.object, &EXPLAINED)?;
    let text = source::log(path)?;
    let namespace = global.scope.namespace.as_deref();
    let reading = explain_log(&text, &objects, namespace);
    let mut output = terminal.output();
    output.print(&reading.render(args.output, terminal.width())?)?;
    output.finish()?;
    Ok(Status::Done)
}
