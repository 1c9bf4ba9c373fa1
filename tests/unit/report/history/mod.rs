//! Tests of `pvctl::report::history`.

mod table;
