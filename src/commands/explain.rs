//! `explain`: explains why objects have their present state, and who has to act.

use super::Status;
use super::shared::explained::{print_explanations, several};
use super::shared::explained_log::explained_log;
use super::shared::gather::gather_files;
use super::shared::live::Live;
use super::shared::{arguments, connect, offer};
use crate::cli::{EXPLAINED, ExplainArgs, GlobalArgs, parse_objects};
use crate::error::Error;
use crate::model::{Kind, ObjectArgument};
use crate::ops::explain::{ExplainOptions, Explained, explain, explain_files};
use crate::ops::explain_several::SeveralOptions;
use crate::terminal::Terminal;

/// Reads the objects, explains the named ones, and prints the explanations.
pub(super) fn run(args: &ExplainArgs, global: &GlobalArgs, terminal: &Terminal) -> Result<Status, Error> {
    if let Some(log) = &args.log {
        return explained_log(log, args, global, terminal);
    }
    let objects = parse_objects(&args.object, &EXPLAINED)?;
    let labels = arguments::labels(global)?;
    let mut read = arguments::read(&args.model, &args.source, global)?;
    read.model.actors.clone_from(&args.actors.actors);
    let may_schedule = !args.source.filenames.is_empty();
    read.question().check()?;
    if args.recheck && !args.source.filenames.is_empty() {
        return Err(Error::usage("--recheck reads a cluster a second time, but the files of -f do not change")
            .hint("leave --recheck out, or leave -f out to ask the cluster"));
    }
    match objects.as_slice() {
        [ObjectArgument { kind, name: Some(name) }]
            if labels.is_none()
                && (!args.recheck || matches!(kind, Kind::PersistentVolume | Kind::PersistentVolumeClaim)) =>
        {
            let offers = args.output.is_text();
            one(
                args,
                global,
                terminal,
                &ExplainOptions { kind: *kind, name: name.clone(), read, may_schedule, recheck: args.recheck, offers },
            )
        }
        _ if args.recheck => {
            Err(Error::usage("--recheck is for one pv or pvc: other objects are not predicted")
                .hint("leave --recheck out"))
        }
        _ => several(args, global, terminal, &SeveralOptions { objects, labels, may_schedule, read }),
    }
}

fn one(
    args: &ExplainArgs,
    global: &GlobalArgs,
    terminal: &Terminal,
    options: &ExplainOptions,
) -> Result<Status, Error> {
    let progress = terminal.progress();
    let show = |explained: Explained<'_>| {
        let text = args.output.render(explained.explanation, terminal.width(), args.trace)?;
        print_explanations(args, explained.notes.iter().copied(), &text, terminal)
    };
    if !args.source.filenames.is_empty() {
        let surroundings = options.surroundings();
        let gathered = gather_files(options.question(&surroundings), &args.source, terminal)?;
        return explain_files(options, gathered, &*progress, show);
    }
    connect::with_cluster(global, terminal, async |cluster| {
        let (status, repairable) = explain(options, &Live::new(cluster, terminal), &*progress, show).await?;
        if let Some(object) = repairable {
            terminal.message(&offer::of_object(&object, global));
        }
        Ok(status)
    })
}
