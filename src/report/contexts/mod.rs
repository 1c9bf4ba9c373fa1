//! `ContextList`: the answers of several clusters to one question.

mod document;

pub use document::{ContextList, ContextOut, Counts, ErrorOut, ListWriter, Section, Summary, SummaryOut};
