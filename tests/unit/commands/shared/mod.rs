//! Tests of `pvctl::commands::shared`.

mod complete;
mod connect;
mod contexts;
