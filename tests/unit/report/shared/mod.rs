//! Tests of `pvctl::report::shared`.

mod list;
mod table;
mod wrap;
