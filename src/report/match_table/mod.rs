//! `MatchTable`: why each volume fits a claim or not.

mod document;
mod name;
mod node;
mod table;
mod words;

pub use document::{AsksOut, MatchRow, MatchTable, Matched, candidate_rows};
pub use node::{OnNode, OnNodeOut, RowOnNode};
pub(super) use table::rows_table;

use crate::error::Error;
use crate::report::shared::format::formats;
use crate::report::shared::json::json;
use crate::report::shared::table::TableView;
use crate::report::shared::yaml::yaml;
use crate::snapshot::Snapshot;

formats! {
    /// How matches are printed.
    MatchFormat {
        /// A summary in sentences, and below it a table that is about 80 columns wide.
        Table = "table",
        /// The table with more columns.
        Wide = "wide",
        /// JSON, as the schema defines it.
        Json = "json",
        /// YAML with the content of the JSON.
        Yaml = "yaml",
        /// TYPE/NAME of each volume that may be chosen, one on each line.
        Name = "name",
    }
}

impl MatchFormat {
    /// Returns the columns of the table. The result is `None` if the format is not a table.
    pub fn columns(self) -> Option<&'static [&'static str]> {
        match self {
            Self::Table => Some(table::columns(false)),
            Self::Wide => Some(table::columns(true)),
            Self::Json | Self::Yaml | Self::Name => None,
        }
    }

    /// Prints the answer in this format. Each part of the text is passed to `print`. `view` has the settings for a
    /// table.
    ///
    /// # Errors
    /// Returns the error of `print`, or an error if the answer cannot be encoded in the format, which is a bug.
    pub fn render(
        self,
        answer: &MatchTable<'_>,
        snapshot: &Snapshot,
        view: TableView<'_>,
        mut print: impl FnMut(&str) -> Result<(), Error>,
    ) -> Result<(), Error> {
        match self {
            Self::Table => table::write(answer, snapshot, view, false, print),
            Self::Wide => table::write(answer, snapshot, view, true, print),
            Self::Json => print(&json(answer)?),
            Self::Yaml => print(&yaml(answer)?),
            Self::Name => print(&name::names(answer)),
        }
    }
}
