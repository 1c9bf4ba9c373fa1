//! `rules`: the catalogue of what audit looks for.

use super::{Status, print_document};
use crate::cli::{Output as Format, RulesArgs};
use crate::diagnosis::{Rule, rules};
use crate::error::Error;
use crate::report::rules::{RuleList, page, table};
use crate::report::shared::table::TableStyle;
use crate::report::shared::wrap::wrap;
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
    match (args.output, args.id.is_some()) {
        (Format::Json | Format::Yaml, _) => print_document(&RuleList::new(&chosen), args.output, &mut output)?,
        (_, true) => {
            for rule in chosen {
                for line in page(rule).lines() {
                    output.print(&format!("{}\n", wrap(line, terminal.width(), 0)))?;
                }
            }
        }
        (_, false) => {
            let style = TableStyle { width: terminal.width(), headers: true };
            table(&chosen).render(style, |text| output.print(text))?;
        }
    }
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
