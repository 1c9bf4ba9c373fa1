//! Tests of `pvctl::report`.

mod audit;
mod explanation;
mod history;
mod match_table;
mod plan;
mod schema;
mod shared;
