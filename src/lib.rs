//! The library computes in dry run what Kubernetes' controllers do with PersistentVolumes and PersistentVolumeClaims.
//!
//! The modules are listed in reading order, lowest rank first. Each module uses only modules above it in this list (see
//! `docs/ARCHITECTURE.md`). The modules of lowest rank are in the crate `pvctl_core`. They are re-exported here. The
//! feature `command` adds the modules that use a cluster, files or a terminal.

pub use pvctl_core::{controllers, engines, error, model, parallel, progress, simulate, snapshot, text, world};

pub mod diagnosis;

pub mod repair;

pub mod report;

#[cfg(feature = "command")]
pub mod cli;
#[cfg(feature = "command")]
pub mod execute;
#[cfg(feature = "command")]
pub mod source;
#[cfg(feature = "command")]
pub mod terminal;

#[cfg(feature = "command")]
pub mod ops;

#[cfg(feature = "command")]
pub mod commands;
