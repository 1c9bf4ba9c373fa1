//! How long the controller waits before it tries a failed operation again.

use super::{Moment, SECOND};

/// The first wait, in nanoseconds. Upstream: `initialDurationBeforeRetry`, `goroutinemap/exponentialbackoff`, 1.36.
const FIRST: u64 = SECOND / 2;
/// The longest wait, in nanoseconds. Upstream: `maxDurationBeforeRetry`, 1.36.
pub const LONGEST: u64 = 122 * SECOND;

/// The wait after the last failure of an operation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Backoff {
    failed: Option<Moment>,
    wait: u64,
}

impl Backoff {
    /// Returns whether the operation may be tried again. Upstream: `SafeToRetry`, 1.36.
    pub(super) fn is_over(self, now: Moment) -> bool {
        self.failed.is_none_or(|failed| now.since(failed) > self.wait)
    }

    /// Returns the first moment at which the operation may be tried again. The value is `None` if it never failed.
    pub(super) fn end(self) -> Option<Moment> {
        self.failed.map(|failed| failed.after(self.wait + 1))
    }

    /// Records a failure. Each wait is twice as long as the one before. Upstream: `Update`, 1.36.
    pub(super) fn fail(&mut self, now: Moment) {
        self.wait = if self.wait == 0 { FIRST } else { (2 * self.wait).min(LONGEST) };
        self.failed = Some(now);
    }
}
