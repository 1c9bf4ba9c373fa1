//! `MatchTable`: why each volume fits a claim or not.

mod document;
mod table;
#[cfg(test)]
mod tests;
mod words;

pub use document::{AsksOut, MatchRow, MatchTable, Matched, candidate_rows};
pub(super) use table::rows_table;
