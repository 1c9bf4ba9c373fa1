//! `Report`: what audit found.

mod document;
mod github;
mod junit;
mod listing;
mod markdown;
mod prometheus;
mod sarif;
mod table;
mod words;

pub use document::{
    AuditCoverageOut, CauseOut, EvidenceOut, FindingOut, ObjectOut, RemedyOut, Report, SummaryOut, SuppressedOut,
    UnmatchedOut,
};
pub use github::github;
pub use junit::junit;
pub use listing::Audited;
pub use markdown::markdown;
pub use prometheus::prometheus;
pub use sarif::sarif;
pub use table::{columns, table};
pub use words::{closing_words, unmatched_words};

use crate::report::shared::format::formats;

formats! {
    /// How the findings of an audit are printed.
    ReportFormat {
        /// A table of the roots.
        Table = "table",
        /// The same with more columns.
        Wide = "wide",
        /// JSON, as the contract defines it.
        Json = "json",
        /// YAML with the content of the JSON.
        Yaml = "yaml",
        /// TYPE/NAME, one object a line.
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
