//! Operations of which only one runs at a time for each key, and which wait after a failure. The attach/detach
//! controller and the kubelet use them. Upstream: `pkg/volume/util/nestedpendingoperations` and
//! `pkg/util/goroutinemap/exponentialbackoff`, 1.36.

use crate::model::Str;

/// A moment, in nanoseconds. All moments of a run count from the same time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Moment(pub u64);

impl Moment {
    /// Returns the moment that is this many nanoseconds later.
    #[must_use]
    pub fn after(self, nanoseconds: u64) -> Self {
        Self(self.0.saturating_add(nanoseconds))
    }

    /// Returns how many nanoseconds this moment is later than another one.
    pub fn since(self, earlier: Self) -> u64 {
        self.0.saturating_sub(earlier.0)
    }
}

/// One second, in nanoseconds.
pub(super) const SECOND: u64 = 1_000_000_000;
/// The first wait, in nanoseconds. Upstream: `initialDurationBeforeRetry`, `goroutinemap/exponentialbackoff`, 1.36.
const FIRST_BACKOFF: u64 = SECOND / 2;
/// The longest wait, in nanoseconds. Upstream: `maxDurationBeforeRetry`, 1.36.
pub const LONGEST_BACKOFF: u64 = 122 * SECOND;

/// The wait after the last failure of an operation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Backoff {
    failed: Option<Moment>,
    wait: u64,
}

impl Backoff {
    /// Returns whether the operation may be tried again. Upstream: `SafeToRetry`, 1.36.
    fn is_over(self, now: Moment) -> bool {
        self.failed.is_none_or(|failed| now.since(failed) > self.wait)
    }

    /// Returns the first moment at which the operation may be tried again. The value is `None` if it never failed.
    fn end(self) -> Option<Moment> {
        self.failed.map(|failed| failed.after(self.wait + 1))
    }

    /// Records a failure. Each wait is twice as long as the one before. Upstream: `Update`, 1.36.
    fn fail(&mut self, now: Moment) {
        self.wait = if self.wait == 0 { FIRST_BACKOFF } else { (2 * self.wait).min(LONGEST_BACKOFF) };
        self.failed = Some(now);
    }
}

/// What an operation excludes: other operations with the volume on one node or for one pod, or all others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Key {
    /// The unique name of the volume.
    pub(super) volume: Str,
    /// The node or the uid of the pod. The key matches all keys of the volume if the value is `None`.
    pub(super) part: Option<Str>,
}

impl Key {
    fn matches(&self, other: &Self) -> bool {
        self.volume == other.volume && (self.part.is_none() || other.part.is_none() || self.part == other.part)
    }
}

/// The operations that run, and those that failed. An operation has a key, a kind of work, and what it does while it
/// runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct PendingOperations<Work, Running> {
    pub(super) all: Vec<PendingOperation<Work, Running>>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct PendingOperation<Work, Running> {
    key: Key,
    /// The work to which the back-off belongs. As upstream, other work that starts when the back-off is over does not
    /// change this.
    work: Work,
    pub(super) running: Option<Running>,
    backoff: Backoff,
}

impl<Work, Running> Default for PendingOperations<Work, Running> {
    fn default() -> Self {
        Self { all: Vec::new() }
    }
}

impl<Work: PartialEq, Running> PendingOperations<Work, Running> {
    /// Returns the operation with a matching key. One that runs comes first, then one with the same key. Upstream:
    /// `isOperationExists`, 1.36.
    fn find(&self, key: &Key) -> Option<usize> {
        let matching = || (0..self.all.len()).filter(|at| self.all[*at].key.matches(key));
        let runs = matching().find(|at| self.all[*at].running.is_some());
        runs.or_else(|| matching().rfind(|at| self.all[*at].key == *key)).or_else(|| matching().next())
    }

    /// Returns whether an operation with a matching key runs. Upstream: `IsOperationPending`, 1.36.
    pub(super) fn is_running(&self, key: &Key) -> bool {
        self.find(key).is_some_and(|at| self.all[at].running.is_some())
    }

    /// Returns whether the operation could be started. Upstream: `IsOperationSafeToRetry`, 1.36.
    pub(super) fn may_start(&self, key: &Key, work: &Work, now: Moment) -> bool {
        self.find(key).is_none_or(|at| {
            let found = &self.all[at];
            found.running.is_none() && (found.backoff.is_over(now) || found.work != *work)
        })
    }

    /// Starts an operation. Returns its place, if it is started: another operation with a matching key may run, or the
    /// same operation may have failed a short time ago. Upstream: `Run`, 1.36.
    pub(super) fn start(&mut self, key: Key, work: Work, now: Moment, running: Running) -> Option<usize> {
        if !self.may_start(&key, &work, now) {
            return None;
        }
        let Some(at) = self.find(&key) else {
            self.all.push(PendingOperation { key, work, running: Some(running), backoff: Backoff::default() });
            return Some(self.all.len() - 1);
        };
        let found = &mut self.all[at];
        if !found.backoff.is_over(now) {
            found.backoff = Backoff::default();
            found.work = work;
        }
        found.running = Some(running);
        found.key = key;
        Some(at)
    }

    /// Returns the moments at which an operation that failed may be tried again.
    pub(super) fn retries(&self) -> impl Iterator<Item = Moment> {
        self.all.iter().filter(|operation| operation.running.is_none()).filter_map(|operation| operation.backoff.end())
    }

    /// Records the end of a running operation. Upstream: `operationComplete`, 1.36.
    pub(super) fn finish(&mut self, at: usize, failed: bool, now: Moment) {
        if failed {
            let operation = &mut self.all[at];
            operation.running = None;
            operation.backoff.fail(now);
        } else {
            self.all.swap_remove(at);
        }
    }
}
