//! The answer to a command line without a verb: what is not well.

mod document;

pub use document::{Overview, Problem};
