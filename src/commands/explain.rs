//! `explain`: explains why one object has its present state, and who has to act.

use super::Status;
use super::shared::gather::gather_files;
use super::shared::live::Live;
use super::shared::{arguments, connect, offer};
use crate::cli::{EXPLAINED, ExplainArgs, GlobalArgs, one_object};
use crate::error::Error;
use crate::model::Kind;
use crate::ops::explain::{ExplainOptions, Explained, explain, explain_files};
use crate::ops::rules::all_reads;
use crate::report::explanation::ExplanationFormat as Format;
use crate::terminal::Terminal;

/// Reads the objects, explains one of them and prints the explanation.
pub(super) fn run(args: &ExplainArgs, global: &GlobalArgs, terminal: &Terminal) -> Result<Status, Error> {
    let (kind, name) = one_object(&args.object, &EXPLAINED)?;
    if args.recheck && !matches!(kind, Kind::PersistentVolume | Kind::PersistentVolumeClaim) {
        return Err(Error::usage(
            "--recheck is for a pv or a pvc: of other objects nothing is predicted that could differ",
        )
        .hint("leave --recheck out"));
    }
    let options = ExplainOptions {
        kind,
        name,
        read: arguments::read(&args.model, &args.source, global),
        recheck: args.recheck,
        offers: args.output == Format::Text,
    };
    let surroundings = all_reads();
    options.question(&surroundings).check()?;
    let progress = terminal.progress();
    let show = |explained: Explained<'_>| print(args, &explained, terminal);
    if !args.source.filenames.is_empty() {
        if args.recheck {
            return Err(Error::usage("--recheck reads a cluster a second time, and the files of -f stay as they are")
                .hint("leave --recheck out, or leave -f out to ask the cluster"));
        }
        let gathered = gather_files(options.question(&surroundings), &args.source, terminal)?;
        return explain_files(&options, &gathered, &*progress, show);
    }
    connect::with_cluster(global, terminal, async |cluster| {
        let (status, repairable) = explain(&options, &Live::new(cluster, terminal), &*progress, show).await?;
        if let Some(object) = repairable {
            terminal.message(&offer::of_object(&object, global));
        }
        Ok(status)
    })
}

fn print(args: &ExplainArgs, explained: &Explained<'_>, terminal: &Terminal) -> Result<(), Error> {
    let Explained { notes, explanation } = explained;
    let mut output = terminal.output();
    if args.output == Format::Text {
        for note in notes {
            terminal.message(note);
        }
    }
    output.print(&args.output.render(explanation, terminal.width(), args.trace)?)?;
    output.finish()
}
