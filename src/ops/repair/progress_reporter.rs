//! Messages about the progress of a plan while it is carried out.

use crate::execute::{Observer, PlanEvent};
use crate::ops::{Asker, Interrupts as _};
use crate::repair::Plan;
use std::sync::{Mutex, PoisonError};

/// The number of seconds of waiting after which a message says what the step waits for.
const LONG: u64 = 2;

/// Shows the events of a plan, and tells the executor whether the person wants to stop.
pub(super) struct ProgressReporter<'a, A: Asker> {
    asker: &'a A,
    held: &'a A::Held,
    /// The id of the last step. It can be larger than the number of steps, because a continued plan has only its later
    /// steps.
    last: u32,
    /// The last message about a wait.
    said: Mutex<String>,
}

impl<'a, A: Asker> ProgressReporter<'a, A> {
    /// Creates the reporter for that plan.
    pub(super) fn new(asker: &'a A, held: &'a A::Held, plan: &Plan) -> Self {
        let last = plan.steps.last().map_or(0, |step| step.id);
        Self { asker, held, last, said: Mutex::default() }
    }

    /// Shows what a step waits for and what the present state is. The same text is not shown twice in a row.
    fn waits(&self, text: String) {
        let mut said = self.said.lock().unwrap_or_else(PoisonError::into_inner);
        if *said != text {
            self.asker.message(&text);
            *said = text;
        }
    }
}

impl<A: Asker> Observer for ProgressReporter<'_, A> {
    fn event(&self, event: PlanEvent<'_>) {
        match event {
            PlanEvent::StepStarts { step } => {
                self.asker.message(&format!("step {} of {}: {}", step.id, self.last, step.why));
            }
            PlanEvent::Again { step, why } => {
                self.asker.message(&format!("step {}: tried again, because {why}", step.id));
            }
            PlanEvent::Waiting { step, what, seconds, so_far } => {
                if seconds >= LONG {
                    self.waits(format!("step {} of {} waits until {what}; so far {so_far}", step.id, self.last));
                }
                self.asker.progress().step("waiting, Ctrl-C stops; seconds", seconds);
            }
            PlanEvent::StepDone { step, was_so: true } => {
                self.asker.message(&format!("step {}: nothing to do, the object is already in this state", step.id));
            }
            PlanEvent::StepDone { step: _, was_so: false } => {}
            PlanEvent::Untried { step, why } => {
                self.asker.message(&format!("step {} cannot be tried before the earlier steps: {why}", step.id));
            }
        }
    }

    fn interrupted(&self) -> bool {
        self.held.pressed()
    }
}
