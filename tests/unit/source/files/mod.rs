//! Tests of `pvctl::source::files`.

mod input;
mod yaml;
