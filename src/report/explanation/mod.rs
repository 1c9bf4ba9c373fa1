//! `Explanation`: why one object has its state, and who has to act.

mod attaching;
mod binding;
mod class;
mod divergence;
mod document;
mod driver;
mod ends;
mod node;
mod pods;
mod scheduling;
mod serving;
mod text;
mod users;

pub use attaching::AttachmentOut;
pub use binding::{BindingOut, FieldOut};
pub use class::ClassOut;
pub use divergence::{DivergenceOut, RESYNCS};
pub use document::{EvidenceOut, Explanation, ExplanationInput, NextOut};
pub use driver::{Awaited, DriverOut};
pub use node::NodeVolumesOut;
pub use scheduling::SchedulingOut;
pub use users::UserOut;

use crate::error::Error;
use crate::report::shared::format::formats;
use crate::report::shared::json::json;
use crate::report::shared::machine::API_VERSION;
use crate::report::shared::yaml::yaml;
use serde::Serialize;

formats! {
    /// How an explanation is printed.
    ExplanationFormat {
        /// Text for people.
        Text = "text",
        /// Text for people. If a pod has no node, the text has a table of the nodes.
        Wide = "wide",
        /// JSON, as the schema defines it.
        Json = "json",
        /// YAML with the content of the JSON.
        Yaml = "yaml",
    }
}

/// The document: the explanations of several objects.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ExplanationList<'a> {
    /// The version of the document.
    pub api_version: &'static str,
    /// `ExplanationList`.
    pub kind: &'static str,
    /// The explanation of each object, in the order in which the objects were named.
    pub items: Vec<Explanation<'a>>,
}

impl<'a> ExplanationList<'a> {
    /// Returns the list of these explanations.
    pub fn new(items: Vec<Explanation<'a>>) -> Self {
        Self { api_version: API_VERSION, kind: "ExplanationList", items }
    }
}

impl ExplanationFormat {
    /// Returns whether the format is for people.
    pub fn is_text(self) -> bool {
        matches!(self, Self::Text | Self::Wide)
    }

    /// Prints several explanations in this format, as [`Self::render`] does.
    ///
    /// # Errors
    /// Returns an error if the explanations cannot be encoded in the format, which is a bug.
    pub fn render_list(self, list: &ExplanationList<'_>, columns: Option<usize>, trace: bool) -> Result<String, Error> {
        match self {
            Self::Text | Self::Wide if list.items.is_empty() => Ok("No objects found.\n".to_owned()),
            Self::Text | Self::Wide => {
                let wide = self == Self::Wide;
                let texts: Vec<String> = list.items.iter().map(|one| one.page(columns, trace, wide)).collect();
                Ok(texts.join("\n---\n\n"))
            }
            Self::Json => json(list),
            Self::Yaml => yaml(list),
        }
    }

    /// Prints the explanation in this format. Text for people is wrapped at `columns`. If `trace` is true, the text has
    /// every comparison that was made.
    ///
    /// # Errors
    /// Returns an error if the explanation cannot be encoded in the format, which is a bug.
    pub fn render(self, explanation: &Explanation<'_>, columns: Option<usize>, trace: bool) -> Result<String, Error> {
        match self {
            Self::Text | Self::Wide => Ok(explanation.page(columns, trace, self == Self::Wide)),
            Self::Json => json(explanation),
            Self::Yaml => yaml(explanation),
        }
    }
}
