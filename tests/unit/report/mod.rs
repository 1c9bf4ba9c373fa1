//! Tests of `pvctl::report`.

mod schema;
