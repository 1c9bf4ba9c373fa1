//! What several documents need: tables and lines, sentences, and the parts that their data have in common.

pub mod machine;
pub mod table;
pub mod unread;
pub mod why;
pub mod wrap;
