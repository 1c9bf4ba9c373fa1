//! What Kubernetes' controllers do with PersistentVolumes and PersistentVolumeClaims, computed in dry run.
//!
//! The modules in reading order, lowest rank first; each uses only those above it (see `docs/ARCHITECTURE.md`).

pub mod text;

pub mod error;
pub mod progress;

pub mod model;

pub mod snapshot;

pub mod world;

pub mod controllers;

pub mod simulate;

pub mod report;

pub mod cli;
pub mod source;
pub mod terminal;

pub mod commands;
