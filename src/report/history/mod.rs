//! `History`: the repairs that were made from one machine. The document names objects and steps. It never has a
//! complete object.

mod document;
mod table;

pub use document::{History, Repair, StepReport};

use crate::error::Error;
use crate::model::Timestamp;
use crate::report::shared::format::formats;
use crate::report::shared::json::json;
use crate::report::shared::yaml::yaml;

formats! {
    /// How repairs are printed.
    HistoryFormat {
        /// A table of all repairs, or of the steps of one.
        Table = "table",
        /// JSON, as the schema defines it.
        Json = "json",
        /// YAML with the content of the JSON.
        Yaml = "yaml",
    }
}

impl HistoryFormat {
    /// Prints the repairs in this format. If `steps` is true, there is only one repair, and the text has its steps.
    /// Ages are counted up to `now`. Text is wrapped at `columns`.
    ///
    /// # Errors
    /// Returns an error if the repairs cannot be encoded in the format, which is a bug.
    pub fn render(
        self,
        history: &History,
        steps: bool,
        now: Timestamp,
        columns: Option<usize>,
    ) -> Result<String, Error> {
        match self {
            Self::Table => Ok(history.text(steps, now, columns)),
            Self::Json => json(history),
            Self::Yaml => yaml(history),
        }
    }
}
