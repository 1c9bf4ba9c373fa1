//! Tests of `pvctl::repair`.

mod adversary;
mod guards;
mod origin;
