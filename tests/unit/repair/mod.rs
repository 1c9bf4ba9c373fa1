//! Tests of `pvctl::repair`.

mod adversary;
mod clients;
mod guards;
mod origin;
