//! Tests of `pvctl::diagnosis::pod`.

mod scheduling;
