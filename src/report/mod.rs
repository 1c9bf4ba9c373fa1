//! The output of results. The functions convert values to text and decide nothing.
//!
//! Each document has a folder. In it, `document.rs` holds the document as data, and each format has a file. `shared`
//! has what several documents need.

pub mod audit;
pub mod contexts;
pub mod explanation;
pub mod history;
pub mod log_reading;
pub mod match_table;
pub mod overview;
pub mod plan;
pub mod prediction;
pub mod rules;
pub mod shared;
pub mod shared_volumes;
pub mod version;
