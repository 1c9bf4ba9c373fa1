//! Tests of `pvctl::diagnosis`.

mod graph;
mod mention;
mod pod;
mod reason;
mod remedy;
mod suppression;
