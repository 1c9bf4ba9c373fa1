//! `predict`: predicts the outcome of every volume and claim in scope.

use super::Status;
use super::shared::gather::gather;
use super::shared::{arguments, contexts};
use crate::cli::{GlobalArgs, PredictArgs, parse_objects};
use crate::controllers::attach_detach::Attachers;
use crate::error::Error;
use crate::ops::predict::{ATTACHER, KINDS, PredictOptions, predict};
use crate::report::contexts::Counts;
use crate::report::prediction::PredictionFormat as Format;
use crate::terminal::Terminal;

/// Predicts the outcomes and prints them.
pub(super) fn run(args: &PredictArgs, global: &GlobalArgs, terminal: &Terminal) -> Result<Status, Error> {
    let mut read = arguments::read(&args.model, &args.source, global)?;
    read.model.actors.clone_from(&args.actors.actors);
    let attachments = attachers(args)?;
    read.model.actors.retain(|actor| actor != ATTACHER);
    if args.pods && args.actors.actors.is_empty() {
        read.model.actors.push("scheduler".to_owned());
    }
    if args.pods && !read.model.actors.iter().any(|actor| actor == "scheduler" || actor == "*") {
        return Err(Error::usage("--pods shows where the scheduler leads pods, but --actors leaves the scheduler out")
            .hint("leave --actors out, or add scheduler to it"));
    }
    let options = PredictOptions {
        objects: parse_objects(&args.objects, &KINDS)?,
        labels: arguments::labels(global)?,
        changed: args.changed,
        stuck: args.stuck,
        diagnosis: args.diagnosis,
        pods: args.pods,
        attachments,
        may_schedule: !args.source.filenames.is_empty(),
        trace: args.trace,
        exit_code: args.exit_code,
        is_last: args.contexts.is_empty(),
        read,
    };
    options.read.question().check()?;
    args.table.check(&args.output.columns())?;
    if args.contexts.is_empty() {
        let (status, _) = answer(&options, args, args.output, global, terminal)?;
        return Ok(status);
    }
    // A document that is part of another document is rendered as JSON until the whole document is complete.
    let format = if args.output == Format::Yaml { Format::Json } else { args.output };
    contexts::run(&args.contexts, args.output.of_several(), &args.table, global, terminal, |global, terminal| {
        answer(&options, args, format, global, terminal)
    })
}

/// Returns whether the attachers act, if attachments are shown. They act unless `--actors` leaves them out.
fn attachers(args: &PredictArgs) -> Result<Option<Attachers>, Error> {
    let words = &args.actors.actors;
    if !args.attachments && words.iter().any(|word| word == ATTACHER) {
        return Err(Error::usage("--actors attacher changes only what --attachments shows").hint("add --attachments"));
    }
    let act = words.is_empty() || words.iter().any(|word| word == ATTACHER || word == "*");
    Ok(args.attachments.then_some(if act { Attachers::External } else { Attachers::Rest }))
}

/// Reads the objects, predicts and prints the outcomes, and returns the status and the counts.
fn answer(
    options: &PredictOptions,
    args: &PredictArgs,
    format: Format,
    global: &GlobalArgs,
    terminal: &Terminal,
) -> Result<(Status, Counts), Error> {
    let surroundings = options.surroundings();
    let gathered = gather(options.question(&surroundings), &args.source, global, terminal)?;
    predict(options, gathered, &*terminal.progress(), &|text| terminal.message(text), |predictions| {
        let mut output = terminal.output();
        format.write(predictions, args.table.view(terminal.width()), &mut output)?;
        output.finish()
    })
}
