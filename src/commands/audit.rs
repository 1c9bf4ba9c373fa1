//! `audit`: reports what is wrong, the roots, and the consequences.

use super::Status;
use super::shared::arguments;
use super::shared::gather::gather;
use super::shared::offer;
use super::shared::outputs::Outputs;
use crate::cli::{AuditArgs, GlobalArgs, parse_objects};
use crate::error::Error;
use crate::ops::audit::{Answer, AuditOptions, KINDS, Threshold, audit};
use crate::ops::rules;
use crate::report::audit::{Printed, ReportFormat as Format, assumed_words, summary_with_omissions, unjudged_words};
use crate::source::suppressions::{baseline, suppressions_of};
use crate::terminal::Terminal;

/// Reads the objects, applies the rules and prints the findings.
pub(super) fn run(args: &AuditArgs, global: &GlobalArgs, terminal: &Terminal) -> Result<Status, Error> {
    let threshold = Threshold::of(&args.fail_on)?;
    let outputs = Outputs::new(&args.output)?;
    let objects = parse_objects(&args.objects, &KINDS)?;
    if !objects.is_empty() && global.scope.selector.is_some() {
        return Err(Error::usage("-l cannot be combined with names of objects"));
    }
    let mut options = AuditOptions {
        objects,
        rules: rules::chosen(&args.rules, &args.skip_rules)?,
        labels: arguments::labels(global)?,
        read: arguments::read(&args.model, &args.source, global)?,
        min_age: args.min_age,
        suppressions: Vec::new(),
        baseline: None,
        threshold,
        exit_zero: args.exit_zero,
        // `fix` repairs only objects of a cluster, so no repair is offered for files.
        offers: args.source.filenames.is_empty() && Format::has_sentences(outputs.stdout),
    };
    let surroundings = options.surroundings();
    options.question(&surroundings).check()?;
    outputs.formats().try_for_each(|format| args.table.check(&format.columns(args.all)))?;
    options.suppressions = suppressions_of(args.suppressions.as_deref())?;
    options.baseline = args.baseline.as_deref().map(baseline).transpose()?;
    let gathered = gather(options.question(&surroundings), &args.source, global, terminal)?;
    audit(&options, &gathered, &*terminal.progress(), |answer| {
        print(args, global, &options, &outputs, answer, terminal)
    })
}

fn print(
    args: &AuditArgs,
    global: &GlobalArgs,
    options: &AuditOptions,
    outputs: &Outputs<Format>,
    answer: &Answer<'_>,
    terminal: &Terminal,
) -> Result<(), Error> {
    let audited = &answer.audited;
    for warning in &answer.warnings {
        terminal.message(warning);
    }
    let is_for_people = Format::has_sentences(outputs.stdout);
    if is_for_people {
        for note in answer.notes {
            terminal.message(note);
        }
        if let Some(note) = assumed_words(audited.shown) {
            terminal.message(&note);
        }
    }
    let printed = Printed {
        audited,
        model: &answer.model,
        rules: &options.rules,
        all: args.all,
        fails: &|finding| options.threshold.counts(finding),
        view: args.table.view(terminal.width()),
    };
    // The files are written before stdout: if a file cannot be written, stdout stays empty, so nobody mistakes it for
    // an answer.
    let in_file = Printed { view: args.table.view(None), ..printed };
    terminal.without_color(|| outputs.write_files(|format, print| format.render(in_file, print)))?;
    let mut output = terminal.output();
    if let Some(format) = outputs.stdout {
        format.render(printed, |text| output.print(text))?;
    }
    // The closing lines follow the table. They are not printed if the reader has closed the output.
    output.finish()?;
    if is_for_people {
        terminal.message(&summary_with_omissions(audited, args.all, outputs.stdout == Some(Format::Wide)));
        if let Some(note) = unjudged_words(audited.findings) {
            terminal.message(&note);
        }
        if let Some(line) = offer::of_findings(answer.repairs, &args.objects, global) {
            terminal.message(&line);
        }
    }
    Ok(())
}
