//! Where snapshots come from.

pub mod files;

pub use files::{FileOptions, Loaded, Report, Scope, SourceError};
