//! `Version`: the version of pvctl, the versions that it models, and the version of the cluster.

mod document;
mod text;

pub use document::{ClientVersion, ModelledVersions, ServerOut, Version};

use crate::error::Error;
use crate::report::shared::format::formats;
use crate::report::shared::json::json;
use crate::report::shared::yaml::yaml;

formats! {
    /// How versions are printed.
    VersionFormat {
        /// Text for people, with one line for each version.
        Text = "text",
        /// JSON, as the schema defines it.
        Json = "json",
        /// YAML with the content of the JSON.
        Yaml = "yaml",
    }
}

impl VersionFormat {
    /// Prints the versions in this format.
    ///
    /// # Errors
    /// Returns an error if the versions cannot be encoded in the format, which is a bug.
    pub fn render(self, version: &Version) -> Result<String, Error> {
        match self {
            Self::Text => Ok(version.text()),
            Self::Json => json(version),
            Self::Yaml => yaml(version),
        }
    }
}
