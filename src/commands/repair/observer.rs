//! How far a plan is, said on stderr while it is carried out.

use crate::execute::{Event, Hears, Observer, Sent, Way};
use crate::source::Cluster;
use crate::terminal::{HeldInterrupts, Terminal};

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
    steps: usize,
}

impl<'a> Told<'a> {
    /// For a plan of so many steps.
    pub(super) fn new(terminal: &'a Terminal, held: &'a HeldInterrupts, steps: usize) -> Self {
        Self { terminal, held, steps }
    }
}

impl Observer for Told<'_> {
    fn event(&self, event: Event<'_>) {
        match event {
            Event::StepStarts { step } => {
                self.terminal.message(&format!("step {} of {}: {}", step.id, self.steps, step.why));
            }
            Event::Again { step, why } => {
                self.terminal.message(&format!("step {}: once more, because {why}", step.id));
            }
            Event::Waiting { step, what, seconds, so_far } => {
                let waits = format!("step {} of {}: waiting until {what} ({so_far}), seconds", step.id, self.steps);
                self.terminal.progress().step(&waits, seconds);
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
