//! What can go wrong inside one sync: refused writes, failed reads, and the end of the process.

use super::decide::Decision;
use crate::world::{Answers, Effect, Refusal};

/// A sync that goes wrong.
#[derive(Clone, Debug)]
pub(super) struct Failure {
    /// What the API server answers.
    pub(super) answers: Answers,
    /// The write before which the process ends, from 1.
    pub(super) crash_before: Option<u32>,
}

/// Every way in which a sync that did this can go wrong: each of its writes may be refused, the process may end before
/// it, and each of its live reads may fail.
pub(super) fn failures(decision: &Decision<'_>, answers: &Answers) -> Vec<Failure> {
    let unavailable = || "the server is currently unable to handle the request".to_owned();
    let mut all = Vec::new();
    let writes = decision.record.effects.iter().filter(|effect| matches!(effect, Effect::Write(_)));
    for (write, _) in (1..).zip(writes) {
        all.push(Failure { answers: answers.clone(), crash_before: Some(write) });
        let refused = Answers { refuse: Some((write, Refusal::Other(unavailable()))), ..answers.clone() };
        all.push(Failure { answers: refused, crash_before: None });
    }
    let reads = &decision.record.live_reads;
    for (place, read) in reads.iter().enumerate() {
        let number = reads[..=place].iter().filter(|earlier| *earlier == read).count();
        let failing = (*read, u32::try_from(number).unwrap_or(u32::MAX), Refusal::Other(unavailable()));
        let failed = Answers { failing_read: Some(failing), ..answers.clone() };
        all.push(Failure { answers: failed, crash_before: None });
    }
    all
}
