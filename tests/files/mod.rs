//! What is read from files, and what of it is written down again: snapshots, without what is secret.

mod bounds;
pub(crate) mod hostile;
pub(crate) mod kinds;
mod reading;
mod redaction;
mod round_trip;
mod snapshot;
