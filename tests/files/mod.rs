//! Reading from files, and writing snapshots that contain no secrets.

mod bounds;
pub(crate) mod hostile;
pub(crate) mod kinds;
mod reading;
mod redaction;
mod round_trip;
mod snapshot;
