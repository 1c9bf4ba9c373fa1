//! The core computes what Kubernetes' controllers do with PersistentVolumes and PersistentVolumeClaims, without any
//! request. It is a pure function of a snapshot: it reads no cluster, no file and no clock.
//!
//! The modules are in reading order, lowest rank first. Each module uses only the modules above it (see
//! `docs/ARCHITECTURE.md`). The crate `pvctl` has the modules of higher rank.

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
