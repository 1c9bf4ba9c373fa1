//! `rules`: lists the rules of `audit`.

use super::Status;
use crate::cli::RulesArgs;
use crate::diagnosis::{Rule, rules};
use crate::error::Error;
use crate::ops::rules::unknown;
use crate::terminal::Terminal;

/// Prints the list of rules, or explains one rule.
pub(super) fn run(args: &RulesArgs, terminal: &Terminal) -> Result<Status, Error> {
    let chosen: Vec<&'static Rule> = match &args.id {
        Some(id) => vec![rules::by_id(id).ok_or_else(|| unknown("rules", id))?],
        None => rules::all().to_vec(),
    };
    let mut output = terminal.output();
    output.print(&args.output.render(&chosen, args.id.is_some(), terminal.width())?)?;
    output.finish()?;
    Ok(Status::Done)
}
