//! `rules`: the catalogue of what audit looks for.

use super::Status;
use crate::cli::RulesArgs;
use crate::diagnosis::{Rule, rules};
use crate::error::Error;
use crate::terminal::Terminal;
use crate::text::nearest;

/// How many ids are offered for one that does not exist.
const OFFERED: usize = 3;

/// Lists the rules, or explains one.
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

/// No rule has that id.
pub(super) fn unknown(place: &str, id: &str) -> Error {
    let near = nearest(id, rules::all().iter().map(|rule| rule.id), OFFERED);
    let error = Error::usage(format!("{place}: there is no rule {id:?}"));
    if near.is_empty() {
        error.hint("kubectl pvctl rules lists all of them")
    } else {
        error.hint(format!("did you mean {}?", near.join(" or ")))
    }
}
