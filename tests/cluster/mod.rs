//! What is read from clusters. The API servers run in this process.

mod contexts;
mod liveness;
mod overview;
mod pods;
mod reading;
