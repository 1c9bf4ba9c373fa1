//! `Explanation`: why one object is in its state, and who has to act.

mod binding;
mod class;
mod divergence;
mod document;
mod driver;
mod pods;
#[cfg(test)]
mod recycling_tests;
#[cfg(test)]
mod tests;
mod text;

pub use binding::{BindingOut, FieldOut};
pub use class::ClassOut;
pub use divergence::{DivergenceOut, RESYNCS};
pub use document::{EvidenceOut, Explanation, ExplanationInput, NextOut, UserOut};
pub use driver::{Awaited, DriverOut};

use crate::error::Error;
use crate::report::shared::format::formats;
use crate::report::shared::json::json;
use crate::report::shared::yaml::yaml;

formats! {
    /// How an explanation is printed.
    ExplanationFormat {
        /// Text for people.
        Text = "text",
        /// JSON, as the contract defines it.
        Json = "json",
        /// YAML with the content of the JSON.
        Yaml = "yaml",
    }
}

impl ExplanationFormat {
    /// Prints the explanation in this format. Text for people is wrapped at `columns`. With `trace` the text has every
    /// comparison that was made.
    ///
    /// # Errors
    /// Returns an error if the explanation cannot be encoded in the format, which is a bug.
    pub fn render(self, explanation: &Explanation<'_>, columns: Option<usize>, trace: bool) -> Result<String, Error> {
        match self {
            Self::Text => Ok(explanation.text(columns, trace)),
            Self::Json => json(explanation),
            Self::Yaml => yaml(explanation),
        }
    }
}
