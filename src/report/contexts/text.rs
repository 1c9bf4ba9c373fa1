//! The answers of several clusters as text for people: one section for each context, and a summary.

use super::document::{Counts, Section};
use crate::report::shared::table::{Table, TableStyle};
use crate::text::sanitize;

impl Section {
    /// Returns the section of one context, with its heading.
    pub fn text(&self) -> String {
        let heading = heading(&self.context);
        match &self.answer {
            Ok((_, answer)) => format!("{heading}{}\n", String::from_utf8_lossy(answer)),
            Err(error) => format!("{heading}{}\n\n", sanitize(error.message())),
        }
    }
}

/// Returns a heading in the form that `head` and `tail` use for several files.
fn heading(of: &str) -> String {
    format!("==> {} <==\n", sanitize(of))
}

/// The columns of the summary.
const HEADERS: [&str; 6] = ["CONTEXT", "VOLUMES", "CLAIMS", "CHANGES", "UNKNOWN", "RESULT"];

/// The summary for people, which has one row for each context.
#[derive(Debug)]
pub struct Summary(Table);

impl Default for Summary {
    fn default() -> Self {
        Self(Table::new(HEADERS.to_vec()))
    }
}

impl Summary {
    /// Adds the row of a context.
    pub fn add(&mut self, section: &Section) {
        let (counts, result) = match &section.answer {
            Ok((counts, _)) => {
                let Counts { volumes, claims, changes, unknown } = counts;
                let result = if section.partial { "judged in part" } else { "judged" };
                ([volumes, claims, changes, unknown].map(ToString::to_string), result)
            }
            Err(error) => (["-"; 4].map(str::to_owned), error.message()),
        };
        let mut row = vec![section.context.clone()];
        row.extend(counts);
        row.push(result.to_owned());
        self.0.row(row);
    }

    /// Returns the table with its heading.
    pub fn text(&self, style: TableStyle) -> String {
        heading("all contexts") + &self.0.text(style)
    }
}
