//! `RuleList`: the catalogue of what audit looks for.

mod document;
mod page;
mod table;

pub use document::{RuleList, RuleOut};
pub use page::{overview, page};
pub use table::table;
