//! Tests of `pvctl::diagnosis`.

mod attaching;
mod graph;
mod mention;
mod pod;
mod reason;
mod remedy;
mod shared_volumes;
mod suppression;
