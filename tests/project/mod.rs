//! The project itself: its rules, and the files that are generated or must agree with the code.

mod documents;
mod generated;
mod licences;
mod readme;
mod rule_book;
pub(crate) mod schema;
mod tidy;
mod versions;
