//! What is read of clusters, on API servers in this process.

mod contexts;
mod liveness;
mod reading;
