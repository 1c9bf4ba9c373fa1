//! How far a plan is, said on stderr while it is carried out.

use crate::execute::{Event, Hears, Observer, Sent, Way};
use crate::repair::Plan;
use crate::source::Cluster;
use crate::terminal::{HeldInterrupts, Terminal};
use std::sync::{Mutex, PoisonError};

/// After so many seconds of waiting it is said what it is for.
const LONG: u64 = 2;

/// Shows the requests of whoever writes as those of whoever reads.
pub(super) fn hearing(cluster: &Cluster<'_>) -> impl Fn(&Sent<'_>) + Send + Sync {
    |sent| cluster.tell(sent.method, sent.path, sent.status, sent.milliseconds)
}

/// The way to the cluster, as flags want it.
pub(super) fn way<'a>(cluster: &'a Cluster<'_>, hears: Hears<'a>) -> Way<'a> {
    let way = Way::from(cluster.client()).heard_by(hears);
    cluster.timeout().map_or(way, |limit| way.within(limit))
}

/// Says what happens, and knows whether the person wants it to end.
pub(super) struct Told<'a> {
    terminal: &'a Terminal,
    held: &'a HeldInterrupts,
    /// The id of the last step: of a plan that is gone on with only the later ones are left.
    last: u32,
    /// What was said last of a wait.
    said: Mutex<String>,
}

impl<'a> Told<'a> {
    /// For that plan.
    pub(super) fn new(terminal: &'a Terminal, held: &'a HeldInterrupts, plan: &Plan) -> Self {
        let last = plan.steps.last().map_or(0, |step| step.id);
        Self { terminal, held, last, said: Mutex::default() }
    }

    /// Says what is waited for, and what is there instead, where that is news.
    fn waits(&self, text: String) {
        let mut said = self.said.lock().unwrap_or_else(PoisonError::into_inner);
        if *said != text {
            self.terminal.message(&text);
            *said = text;
        }
    }
}

impl Observer for Told<'_> {
    fn event(&self, event: Event<'_>) {
        match event {
            Event::StepStarts { step } => {
                self.terminal.message(&format!("step {} of {}: {}", step.id, self.last, step.why));
            }
            Event::Again { step, why } => {
                self.terminal.message(&format!("step {}: once more, because {why}", step.id));
            }
            Event::Waiting { step, what, seconds, so_far } => {
                if seconds >= LONG {
                    self.waits(format!("step {} of {} waits until {what}; so far {so_far}", step.id, self.last));
                }
                self.terminal.progress().step("waiting, Ctrl-C stops; seconds", seconds);
            }
            Event::StepDone { step, was_so: true } => {
                self.terminal.message(&format!("step {}: it is so already", step.id));
            }
            Event::StepDone { step: _, was_so: false } => {}
            Event::Untried { step, why } => {
                self.terminal.message(&format!("step {} cannot be tried before the ones before it: {why}", step.id));
            }
        }
    }

    fn interrupted(&self) -> bool {
        self.held.pressed()
    }
}
