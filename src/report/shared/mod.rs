//! Code that several documents use: encoders, tables, lines, sentences, and the parts that their data have in common.

pub mod diagnosis;
pub mod format;
pub mod json;
pub mod list;
pub mod machine;
pub mod node_verdict;
pub mod table;
pub mod wrap;
pub mod yaml;
