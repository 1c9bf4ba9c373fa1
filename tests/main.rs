//! The one binary of integration tests; each module is one subject.

mod cluster;
mod clusters;
mod conformance;
mod fake_api;
mod files;
mod properties;
mod redaction;
mod worlds;
