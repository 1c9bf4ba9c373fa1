//! `RuleList`: the catalogue of the rules of audit.

mod document;
mod page;
mod text;

pub use document::{RuleList, RuleOut};
pub use page::{overview, page};

use crate::diagnosis::Rule;
use crate::error::Error;
use crate::report::shared::format::formats;
use crate::report::shared::json::json;
use crate::report::shared::yaml::yaml;

formats! {
    /// How rules are printed.
    RulesFormat {
        /// A table of all rules, or the pages of rules.
        Text = "text",
        /// JSON, as the schema defines it.
        Json = "json",
        /// YAML with the content of the JSON.
        Yaml = "yaml",
    }
}

impl RulesFormat {
    /// Prints the rules in this format. If `pages` is true, the text for people is the pages of the rules. Otherwise it
    /// is a table. The text is wrapped at `columns`.
    ///
    /// # Errors
    /// Returns an error if the rules cannot be encoded in the format, which is a bug.
    pub fn render(self, rules: &[&'static Rule], pages: bool, columns: Option<usize>) -> Result<String, Error> {
        match self {
            Self::Text => Ok(text::text(rules, pages, columns)),
            Self::Json => json(&RuleList::new(rules)),
            Self::Yaml => yaml(&RuleList::new(rules)),
        }
    }
}
