//! How results are shown, one file for each format: values in, text out. Nothing here decides.

pub mod machine;
pub mod misfit;
pub mod prediction;
pub mod why;
