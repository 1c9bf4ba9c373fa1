//! `LogReading`: what the lines of a log say: the component, the function and the leaf of each line.

mod document;
mod text;

pub use document::{LeafOut, LogCounts, LogLineOut, LogReadingOut, LoggedObject, LoggedSyncOut, UnknownLineOut};

use crate::error::Error;
use crate::report::explanation::ExplanationFormat;
use crate::report::shared::json::json;
use crate::report::shared::yaml::yaml;

impl LogReadingOut {
    /// Prints the reading in one of the formats of `explain`. A table is as wide as `columns`.
    ///
    /// # Errors
    /// Returns an error if the reading cannot be encoded in the format, which is a bug.
    pub fn render(&self, format: ExplanationFormat, columns: Option<usize>) -> Result<String, Error> {
        match format {
            ExplanationFormat::Text | ExplanationFormat::Wide => Ok(self.text(columns)),
            ExplanationFormat::Json => json(self),
            ExplanationFormat::Yaml => yaml(self),
        }
    }
}
