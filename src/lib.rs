//! What Kubernetes' controllers do with PersistentVolumes and PersistentVolumeClaims, computed in dry run.
//!
//! The modules in reading order, lowest rank first; each uses only those above it (see `docs/ARCHITECTURE.md`).
//! Those up to `report` are the core; the feature `command` adds what reaches a cluster, a file or a terminal.

pub mod parallel;
pub mod text;

pub mod error;
pub mod progress;

pub mod model;

pub mod snapshot;

pub mod world;

pub mod controllers;

pub mod simulate;

pub mod engines;

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
