//! Tests of `pvctl::ops`.

mod repair;
