//! How long-running code reports its progress without knowing who receives the reports.

/// A receiver of progress reports. The code that reads or computes something calls the receiver often. The receiver
/// decides how often it shows something.
pub trait Progress: Send + Sync {
    /// Reports that `what` is in progress, for example "reading pvcs", and that `done` items of it are finished.
    fn step(&self, what: &str, done: u64);
}

/// A receiver that shows nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Progress for Silent {
    fn step(&self, _what: &str, _done: u64) {}
}
