//! How long work says what it is doing without knowing who listens.

/// Hears of progress. Whoever reads or computes calls it often; showing it sparingly is the listener's business.
pub trait Progress: Send + Sync {
    /// `what` is under way, for example "reading pvcs", and `done` items of it are finished.
    fn step(&self, what: &str, done: u64);
}

/// A listener that shows nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Progress for Silent {
    fn step(&self, _what: &str, _done: u64) {}
}
