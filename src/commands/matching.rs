//! `match`: explains for each volume whether it fits a claim.

use super::Status;
use super::shared::arguments;
use super::shared::gather::gather;
use crate::cli::{GlobalArgs, MatchArgs, one_object};
use crate::error::Error;
use crate::model::Kind;
use crate::ops::gather::Gathered;
use crate::ops::matching::{Claim, MatchOptions, matching};
use crate::report::match_table::MatchTable;
use crate::source::{FileOptions, files};
use crate::terminal::Terminal;
use std::path::Path;

/// Matches a claim with the volumes and prints the result.
pub(super) fn run(args: &MatchArgs, global: &GlobalArgs, terminal: &Terminal) -> Result<Status, Error> {
    let stdin = Path::new("-");
    if args.claim.as_deref() == Some(stdin) && args.source.filenames.iter().any(|path| path == stdin) {
        return Err(Error::usage("--claim and -f cannot both read from stdin"));
    }
    let claim = match &args.claim {
        Some(path) => read_claim(path, args)?,
        None => Claim::Named(one_object(&args.object, &[Kind::PersistentVolumeClaim])?.1),
    };
    let read = arguments::read(&args.model, &args.source, global)?;
    let options = MatchOptions { claim, node: args.node.clone(), read };
    let gathered = gather(options.question(), &args.source, global, terminal)?;
    matching(&options, &gathered, |answer| print(args, &gathered, answer, terminal))
}

fn print(args: &MatchArgs, gathered: &Gathered, answer: &MatchTable<'_>, terminal: &Terminal) -> Result<(), Error> {
    let mut output = terminal.output();
    if let Some(columns) = args.output.columns() {
        args.table.check(columns)?;
        for note in &gathered.notes {
            terminal.message(note);
        }
    }
    let view = args.table.view(terminal.width());
    args.output.render(answer, &gathered.snapshot, view, |text| output.print(text))?;
    output.finish()
}

/// Reads a file that contains exactly one claim.
fn read_claim(path: &Path, args: &MatchArgs) -> Result<Claim, Error> {
    let options = FileOptions {
        paths: vec![path.to_owned()],
        recursive: false,
        assume_complete: None,
        partial: Vec::new(),
        strict: true,
        ..arguments::files(&args.source)
    };
    Claim::planned(&path.display().to_string(), files::read(&options)?.parts)
}
