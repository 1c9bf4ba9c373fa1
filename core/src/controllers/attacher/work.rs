//! The results of a sync so far.

use super::decision::{Act, NotEvaluated, SavedError, Step};
use super::input::{Refusal, Refused};
use super::{Attacher, Circumstances};
use crate::controllers::scheduler::reads::Reads;
use crate::model::Timestamp;
use std::collections::BTreeSet;
use std::mem;

/// The results of a sync so far: its reads, its actions, the time that has passed, and what is not modelled.
pub(super) struct Work<'a, 's> {
    pub(super) reads: Reads<'s>,
    pub(super) steps: Vec<Step>,
    pub(super) not_evaluated: BTreeSet<NotEvaluated>,
    /// The time since the begin of the sync, in milliseconds.
    pub(super) at: u64,
    now: i64,
    refused: &'a Refused,
    /// How many requests of each kind were sent.
    sent: Sent,
    /// Whether the attachment is gone, because it was being deleted and has lost its last finalizer.
    pub(super) gone: Option<Refusal>,
}

#[derive(Default)]
struct Sent {
    volume: usize,
    attachment: usize,
    status: usize,
}

/// Returns the answer to the next request of a kind, and counts the request.
fn next(answers: &[Refusal], sent: &mut usize) -> Result<(), Refusal> {
    let number = mem::replace(sent, sent.saturating_add(1));
    answers.get(number).map_or(Ok(()), |refusal| Err(refusal.clone()))
}

impl<'a, 's> Work<'a, 's> {
    pub(super) fn new(attacher: &Attacher<'s>, of: &'a Circumstances<'_>) -> Self {
        Self {
            reads: Reads::new(attacher.view),
            steps: Vec::new(),
            not_evaluated: BTreeSet::new(),
            at: 0,
            now: of.now,
            refused: &of.refused,
            sent: Sent::default(),
            gone: None,
        }
    }

    /// Records a call of the driver.
    pub(super) fn call(&mut self, act: Act) {
        self.steps.push(Step { at: self.at, act, refused: None });
    }

    fn request(&mut self, act: Act, answer: Result<(), Refusal>) -> Result<(), Refusal> {
        let refused = answer.as_ref().err().map(|refusal| refusal.text.clone());
        self.steps.push(Step { at: self.at, act, refused });
        answer
    }

    /// Sends a patch of a volume.
    pub(super) fn request_volume(&mut self, act: Act) -> Result<(), Refusal> {
        let answer = next(&self.refused.volume, &mut self.sent.volume);
        self.request(act, answer)
    }

    /// Sends a patch of the metadata of the attachment.
    pub(super) fn request_attachment(&mut self, act: Act) -> Result<(), Refusal> {
        let answer = next(&self.refused.attachment, &mut self.sent.attachment);
        self.request(act, answer)
    }

    /// Sends a patch of the status of the attachment.
    pub(super) fn request_status(&mut self, act: Act) -> Result<(), Refusal> {
        let answer = next(&self.refused.status, &mut self.sent.status);
        let answer = answer.and_then(|()| self.gone.clone().map_or(Ok(()), Err));
        self.request(act, answer)
    }

    /// Returns an error for the status of the attachment, with the time that it is now.
    pub(super) fn error(&self, message: &str, code: Option<u32>) -> SavedError {
        let now = self.now.saturating_add_unsigned(self.at);
        SavedError { time: Timestamp(now.div_euclid(1_000)), message: message.to_owned(), code }
    }
}
