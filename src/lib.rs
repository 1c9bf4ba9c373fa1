//! What Kubernetes' controllers do with PersistentVolumes and PersistentVolumeClaims, computed in dry run.
//!
//! The modules in reading order, lowest rank first; each uses only those above it (see `docs/ARCHITECTURE.md`).

pub mod model;

pub mod snapshot;

pub mod source;
