//! The integration tests.
mod conformance;
