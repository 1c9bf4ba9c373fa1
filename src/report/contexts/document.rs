//! The answers of several clusters to one question, as data and as a summary.

use crate::error::Error;
use crate::report::prediction::PredictionList;
use crate::report::shared::machine::API_VERSION;
use crate::report::shared::table::Table;
use crate::text::{escape_json, sanitize};
use serde::Serialize;
use std::io::{self, Write};
use std::ops::AddAssign;

/// The whole document. It is written piece by piece, with the same fields in the same order.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ContextList<'a> {
    /// `pvctl.dev/v1`.
    pub api_version: &'static str,
    /// `ContextList`.
    pub kind: &'static str,
    /// One item for each context, in the order in which they were asked for.
    pub items: Vec<ContextOut<'a>>,
    /// All of them together.
    pub summary: SummaryOut,
}

/// What came of one context.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ContextOut<'a> {
    /// The name of the context.
    pub context: &'a str,
    /// The exit code that the verb would have for this cluster alone.
    pub exit_code: u8,
    /// Why there is no answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<ErrorOut<'a>>,
    /// How much there is; absent without an answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub counts: Option<Counts>,
    /// The answer, as for one cluster.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answer: Option<PredictionList<'a>>,
}

/// A failure, as people are told of it.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ErrorOut<'a> {
    /// What could not be done.
    pub message: &'a str,
    /// Why, the nearest reason first.
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    #[cfg_attr(test, schemars(default))]
    pub causes: &'a [String],
    /// What can be done.
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    #[cfg_attr(test, schemars(default))]
    pub hints: &'a [String],
}

/// How many objects of each sort are in scope.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Counts {
    /// Volumes.
    pub volumes: usize,
    /// Claims.
    pub claims: usize,
    /// Those of both that will change.
    pub changes: usize,
    /// Those of both of which a part could not be judged.
    pub unknown: usize,
}

impl AddAssign for Counts {
    fn add_assign(&mut self, other: Self) {
        self.volumes += other.volumes;
        self.claims += other.claims;
        self.changes += other.changes;
        self.unknown += other.unknown;
    }
}

/// All contexts together.
#[derive(Clone, Copy, Debug, Default, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct SummaryOut {
    /// How many contexts were asked.
    pub contexts: usize,
    /// How many of them gave no answer.
    pub failed: usize,
    /// How much there is in those that did.
    #[serde(flatten)]
    pub counts: Counts,
}

/// The answer of one cluster, already written.
#[derive(Debug)]
pub struct Section {
    /// The name of the context.
    pub context: String,
    /// The exit code that the verb would have for this cluster alone.
    pub exit_code: u8,
    /// Whether something of the answer could not be judged.
    pub partial: bool,
    /// How much there is and the answer itself, or why there is none.
    pub answer: Result<(Counts, Vec<u8>), Error>,
}

impl Section {
    /// The section for people, below its heading.
    pub fn text(&self) -> String {
        let heading = heading(&self.context);
        match &self.answer {
            Ok((_, answer)) => format!("{heading}{}\n", String::from_utf8_lossy(answer)),
            Err(error) => format!("{heading}{}\n\n", sanitize(error.message())),
        }
    }
}

/// As `head` and `tail` print it for several files.
fn heading(of: &str) -> String {
    format!("==> {} <==\n", sanitize(of))
}

/// Writes the document as the sections come.
#[derive(Debug)]
pub struct ListWriter<W> {
    output: W,
    summary: SummaryOut,
}

impl<W: Write> ListWriter<W> {
    /// Writes what stands before the items.
    ///
    /// # Errors
    /// The writer's.
    pub fn start(mut output: W) -> io::Result<Self> {
        write!(output, "{{\"apiVersion\":\"{API_VERSION}\",\"kind\":\"ContextList\",\"items\":[")?;
        Ok(Self { output, summary: SummaryOut::default() })
    }

    /// Writes one item.
    ///
    /// # Errors
    /// The writer's.
    pub fn item(&mut self, section: &Section) -> io::Result<()> {
        let parted = if self.summary.contexts == 0 { "\n" } else { ",\n" };
        self.output.write_all(parted.as_bytes())?;
        self.summary.add(section);
        let Section { context, exit_code, answer, .. } = section;
        let (error, counts, written) = match answer {
            Ok((counts, written)) => (None, Some(*counts), written.trim_ascii_end()),
            Err(error) => {
                let (message, causes, hints) = (error.message(), error.causes(), error.hints());
                (Some(ErrorOut { message, causes, hints }), None, &[][..])
            }
        };
        let item = ContextOut { context, exit_code: *exit_code, error, counts, answer: None };
        let item = serde_json::to_string(&item)?;
        if written.is_empty() {
            self.output.write_all(&escape_json(item.as_bytes()))?;
        } else {
            self.output.write_all(&escape_json(item.strip_suffix('}').unwrap_or(&item).as_bytes()))?;
            self.output.write_all(b",\"answer\":")?;
            self.output.write_all(written)?;
            self.output.write_all(b"}")?;
        }
        // The next one may be long in coming.
        self.output.flush()
    }

    /// Writes what stands after the items.
    ///
    /// # Errors
    /// The writer's.
    pub fn end(mut self) -> io::Result<W> {
        writeln!(self.output, "\n],\"summary\":{}}}", serde_json::to_string(&self.summary)?)?;
        Ok(self.output)
    }
}

impl SummaryOut {
    fn add(&mut self, section: &Section) {
        self.contexts += 1;
        match &section.answer {
            Ok((counts, _)) => self.counts += *counts,
            Err(_) => self.failed += 1,
        }
    }
}

/// The columns of the summary.
const HEADERS: [&str; 6] = ["CONTEXT", "VOLUMES", "CLAIMS", "CHANGES", "UNKNOWN", "RESULT"];

/// The summary for people: a row for each context.
#[derive(Debug)]
pub struct Summary(Table);

impl Default for Summary {
    fn default() -> Self {
        Self(Table::new(HEADERS.to_vec()))
    }
}

impl Summary {
    /// Adds a context.
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

    /// What stands above the table.
    pub fn heading() -> String {
        heading("all contexts")
    }

    /// The table.
    pub fn table(&self) -> &Table {
        &self.0
    }
}
