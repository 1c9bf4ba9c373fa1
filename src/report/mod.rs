//! How results are shown, one file for each format: values in, text out. Nothing here decides.

pub mod audit;
pub mod contexts;
pub mod decision;
pub mod ends;
pub mod explanation;
pub mod folded;
pub mod history;
pub mod machine;
pub mod match_table;
pub mod plan;
pub mod prediction;
pub mod rule_page;
pub mod table;
pub mod unread;
pub mod version;
pub mod why;
pub mod wrap;

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a test fails by panicking")]
mod schema;
#[cfg(test)]
#[expect(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]
mod testing;
