//! `ContextList`: the answers of several clusters to one command.

mod document;
mod json;
mod text;
mod yaml;

pub use document::{ContextList, ContextOut, Counts, ErrorOut, Section, SummaryOut};
pub use json::ContextListWriter;
pub use text::Summary;
pub use yaml::yaml;

/// How the answers of several clusters are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ContextListFormat {
    /// One section for each context, and a summary.
    Sections,
    /// JSON, as the schema defines it.
    Json,
    /// YAML with the content of the JSON.
    Yaml,
}
