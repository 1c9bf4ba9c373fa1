//! Tests of `pvctl::report::plan`.

mod text;
