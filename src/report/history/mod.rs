//! `History`: the repairs that were made from one machine. It names objects and steps, and prints no object whole.

mod document;
mod table;

pub use document::{History, Repair, Taken};

use crate::error::Error;
use crate::report::shared::format::formats;
use crate::report::shared::json::json;
use crate::report::shared::yaml::yaml;

formats! {
    /// How repairs are printed.
    HistoryFormat {
        /// A table of all, or of the steps of one.
        Table = "table",
        /// JSON, as the contract defines it.
        Json = "json",
        /// YAML with the content of the JSON.
        Yaml = "yaml",
    }
}

impl HistoryFormat {
    /// The repairs in this format. For people there are the steps of the only one, where `steps` says so, on a page of
    /// so many columns.
    ///
    /// # Errors
    /// Where they cannot be put into it, which is a bug.
    pub fn render(self, history: &History, steps: bool, columns: Option<usize>) -> Result<String, Error> {
        match self {
            Self::Table => Ok(history.text(steps, columns)),
            Self::Json => json(history),
            Self::Yaml => yaml(history),
        }
    }
}
