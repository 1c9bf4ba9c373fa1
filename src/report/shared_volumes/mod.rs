//! `SharedVolumeList`: the volumes that servers in the cluster serve to many pods, and the path to each server.

mod document;
mod table;

pub use document::{
    DryRunOut, LeafOut, LeftoverOut, MountEndpointOut, ProviderOut, ServerOut, ServiceOut, ServicePortOut,
    SharedFindingOut, SharedInput, SharedRow, SharedVolumeList, SharedVolumeOut,
};

use crate::error::Error;
use crate::report::shared::format::formats;
use crate::report::shared::json::json;
use crate::report::shared::table::TableView;
use crate::report::shared::yaml::yaml;

formats! {
    /// How shared volumes are printed.
    SharedFormat {
        /// A table that is about 80 columns wide.
        Table = "table",
        /// The table with more columns.
        Wide = "wide",
        /// JSON, as the schema defines it.
        Json = "json",
        /// YAML with the content of the JSON.
        Yaml = "yaml",
        /// TYPE/NAME of each volume, one on each line.
        Name = "name",
    }
}

impl SharedFormat {
    /// Returns the columns of the table. The result is `None` if the format is not a table.
    pub fn columns(self) -> Option<&'static [&'static str]> {
        match self {
            Self::Table => Some(table::columns(false)),
            Self::Wide => Some(table::columns(true)),
            Self::Json | Self::Yaml | Self::Name => None,
        }
    }

    /// Returns the volumes in this format. `view` has the settings for a table.
    ///
    /// # Errors
    /// Returns an error if the volumes cannot be encoded in the format, which is a bug.
    pub fn render(self, list: &SharedVolumeList<'_>, view: TableView<'_>) -> Result<String, Error> {
        match self {
            Self::Table => Ok(table::text(list, view, false)),
            Self::Wide => Ok(table::text(list, view, true)),
            Self::Json => json(list),
            Self::Yaml => yaml(list),
            Self::Name => Ok(table::names(list)),
        }
    }
}
