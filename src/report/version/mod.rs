//! `Version`: which pvctl this is, which Kubernetes it models, and which the cluster runs.

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
        /// A line for each, for people.
        Text = "text",
        /// JSON, as the contract defines it.
        Json = "json",
        /// YAML with the content of the JSON.
        Yaml = "yaml",
    }
}

impl VersionFormat {
    /// The versions in this format.
    ///
    /// # Errors
    /// Where they cannot be put into it, which is a bug.
    pub fn render(self, version: &Version) -> Result<String, Error> {
        match self {
            Self::Text => Ok(version.text()),
            Self::Json => json(version),
            Self::Yaml => yaml(version),
        }
    }
}
