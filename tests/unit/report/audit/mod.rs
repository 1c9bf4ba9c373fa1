//! Tests of `pvctl::report::audit`.

mod markdown;
