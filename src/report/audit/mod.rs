//! `Report`: the findings of audit.

mod document;
mod github;
mod junit;
mod listing;
pub mod markdown;
mod name;
mod prometheus;
mod sarif;
mod table;
mod words;

pub use document::{
    AuditCoverageOut, CauseOut, EvidenceOut, FindingOut, ObjectOut, RemedyOut, Report, SummaryOut, SuppressedOut,
    UnmatchedOut,
};
pub use listing::Audited;
pub use words::{assumed_words, summary_with_omissions, unjudged_words, unmatched_words};

use crate::diagnosis::{Finding, Rule};
use crate::error::Error;
use crate::report::shared::format::formats;
use crate::report::shared::json::json;
use crate::report::shared::machine::Model;
use crate::report::shared::table::TableView;
use crate::report::shared::yaml::yaml;

formats! {
    /// How the findings of an audit are printed.
    ReportFormat {
        /// A table of the roots.
        Table = "table",
        /// The table with more columns.
        Wide = "wide",
        /// JSON, as the schema defines it.
        Json = "json",
        /// YAML with the content of the JSON.
        Yaml = "yaml",
        /// TYPE/NAME of each object with a finding, one on each line.
        Name = "name",
        /// SARIF 2.1.0, for code scanners.
        Sarif = "sarif",
        /// `JUnit` XML, for CI servers.
        Junit = "junit",
        /// Markdown, for pull requests.
        Markdown = "markdown",
        /// Workflow commands of GitHub Actions.
        Github = "github",
        /// The text format of Prometheus.
        Prometheus = "prometheus",
    }
}

/// An audit and how it is printed.
#[derive(Clone, Copy)]
pub struct Printed<'a> {
    /// The result of the audit, and the part of it that is shown.
    pub audited: &'a Audited<'a>,
    /// What the model assumes about Kubernetes.
    pub model: &'a Model,
    /// The rules that were applied.
    pub rules: &'a [&'static Rule],
    /// Whether formats for people list all findings, including consequences.
    pub all: bool,
    /// Returns whether a finding changes the exit code.
    pub fails: &'a dyn Fn(&Finding) -> bool,
    /// How a table is sorted and printed.
    pub view: TableView<'a>,
}

impl ReportFormat {
    /// Returns the columns of the table by which it can be sorted.
    pub fn columns(self, all: bool) -> Vec<&'static str> {
        table::columns(all, self == Self::Wide)
    }

    /// Returns whether sentences for people are printed together with this format on stdout. They are printed around a
    /// table, and also if stdout stays empty because all formats have files.
    pub fn has_sentences(stdout: Option<Self>) -> bool {
        stdout.is_none_or(|format| matches!(format, Self::Table | Self::Wide))
    }

    /// Prints the audit in this format. Each part of the text is passed to `print`.
    ///
    /// # Errors
    /// Returns the error of `print`, or an error if the audit cannot be encoded in the format, which is a bug.
    pub fn render(self, printed: Printed<'_>, mut print: impl FnMut(&str) -> Result<(), Error>) -> Result<(), Error> {
        let Printed { audited, model, rules, all, fails, view } = printed;
        match self {
            Self::Table => table::write(audited, all, false, view, print),
            Self::Wide => table::write(audited, all, true, view, print),
            Self::Json => print(&json(&Report::new(model.clone(), audited))?),
            Self::Yaml => print(&yaml(&Report::new(model.clone(), audited))?),
            Self::Name => print(&name::names(audited)),
            Self::Sarif => print(&json(&sarif::sarif(audited, rules))?),
            Self::Junit => print(&junit::junit(audited, rules, fails)),
            Self::Markdown => print(&markdown::markdown(audited, all)),
            Self::Github => print(&github::github(audited, all)),
            Self::Prometheus => print(&prometheus::prometheus(audited)),
        }
    }
}
