//! What helps people to follow a sync: its comparisons, and what it logs.

use super::{ComparisonStep, SyncContext};
use crate::world::LogEntry;

impl<Step> SyncContext<'_, '_, Step> {
    /// Records a comparison. The comparison is built only if tracing was asked for.
    pub fn test(&mut self, test: impl FnOnce() -> ComparisonStep) {
        if self.tracing {
            self.record.tests.push(test());
        }
    }

    /// Records an entry of the log. The entry is built only if tracing was asked for.
    pub fn log(&mut self, entry: impl FnOnce() -> LogEntry) {
        if self.tracing && !self.crashed() {
            self.record.log.push(entry());
        }
    }

    /// Returns the error that the sync function returns, if it was recorded.
    pub fn error(&self) -> Option<&str> {
        self.record.error.as_deref()
    }
}
