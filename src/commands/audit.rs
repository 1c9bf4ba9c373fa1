//! `audit`: reports what is wrong, the root of it, and the consequences.

use super::Status;
use super::shared::arguments;
use super::shared::gather::gather;
use super::shared::offer;
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
    let objects = parse_objects(&args.objects, &KINDS)?;
    if !objects.is_empty() && global.scope.selector.is_some() {
        return Err(Error::usage("-l does not go with names of objects"));
    }
    let mut options = AuditOptions {
        objects,
        rules: rules::chosen(&args.rules, &args.skip_rules)?,
        labels: arguments::labels(global)?,
        read: arguments::read(&args.model, &args.source, global),
        min_age: args.min_age,
        suppressions: Vec::new(),
        baseline: None,
        threshold,
        exit_zero: args.exit_zero,
        // `fix` repairs only objects of a cluster, so no repair is offered for files.
        offers: args.source.filenames.is_empty() && args.output.is_table(),
    };
    let surroundings = options.surroundings();
    options.question(&surroundings).check()?;
    args.table.check(&args.output.columns(args.all))?;
    options.suppressions = suppressions_of(args.suppressions.as_deref())?;
    options.baseline = args.baseline.as_deref().map(baseline).transpose()?;
    let gathered = gather(options.question(&surroundings), &args.source, global, terminal)?;
    audit(&options, &gathered, &*terminal.progress(), |answer| print(args, global, &options, answer, terminal))
}

fn print(
    args: &AuditArgs,
    global: &GlobalArgs,
    options: &AuditOptions,
    answer: &Answer<'_>,
    terminal: &Terminal,
) -> Result<(), Error> {
    let audited = &answer.audited;
    for warning in &answer.warnings {
        terminal.message(warning);
    }
    let is_table = args.output.is_table();
    if is_table {
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
    let mut output = terminal.output();
    args.output.render(printed, |text| output.print(text))?;
    // The closing lines follow the table. They are left out if the reader has closed the output.
    output.finish()?;
    if is_table {
        terminal.message(&summary_with_omissions(audited, args.all, args.output == Format::Wide));
        if let Some(note) = unjudged_words(audited.findings) {
            terminal.message(&note);
        }
        if let Some(line) = offer::of_findings(answer.repairs, &args.objects, global) {
            terminal.message(&line);
        }
    }
    Ok(())
}
