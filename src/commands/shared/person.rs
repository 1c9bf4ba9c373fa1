//! The person at the terminal. Use cases inform and ask this person.

use crate::cli::{GlobalArgs, RepairArgs};
use crate::error::Error;
use crate::ops::{Asker, Interrupts, Shown};
use crate::progress::Progress;
use crate::report::plan::cases;
use crate::report::plan::{PlanFormat as Format, PlanStyle, done};
use crate::terminal::{HeldInterrupts, Terminal};
use crate::text::sanitize;
use std::sync::Arc;

/// A terminal, and the options for showing a repair on it.
pub(in crate::commands) struct Person<'a> {
    terminal: &'a Terminal,
    output: Format,
    diff: bool,
    all_guards: bool,
}

impl<'a> Person<'a> {
    /// Creates the person. The flags say what is shown of a plan, and in which format.
    pub(in crate::commands) fn new(args: &RepairArgs, global: &GlobalArgs, terminal: &'a Terminal) -> Self {
        Self { terminal, output: args.output, diff: args.diff, all_guards: global.verbosity > 0 }
    }

    /// Prints a text to the standard output as the answer.
    fn print(&self, text: &str) -> Result<(), Error> {
        let mut output = self.terminal.output();
        output.print(text)?;
        output.finish()
    }
}

impl Asker for Person<'_> {
    type Held = HeldInterrupts;

    fn message(&self, text: &str) {
        self.terminal.message(text);
    }

    fn error(&self, error: &Error) {
        self.terminal.error(error);
    }

    fn progress(&self) -> Arc<dyn Progress> {
        self.terminal.progress()
    }

    fn show(&self, shown: Shown<'_>) -> Result<(), Error> {
        let columns = self.terminal.width();
        match shown {
            Shown::Nothing(why) if self.output == Format::Text => {
                self.print(&format!("Nothing to do: {}.\n", sanitize(why)))
            }
            Shown::Nothing(why) => {
                self.message(&format!("note: there is no plan, because there is nothing to do: {why}"));
                Ok(())
            }
            Shown::Plan(plan, manifests) => {
                let diff = self.diff.then_some(manifests);
                let manner = PlanStyle { columns, all_guards: self.all_guards, diff };
                self.print(&self.output.render(plan, manner)?)
            }
            Shown::Done { plan, journal, now } => self.print(&done(plan, journal, now, columns)),
            Shown::Cases(found, nothing) => self.print(&cases(found, nothing, columns)),
        }
    }

    fn can_ask(&self) -> bool {
        self.terminal.can_ask()
    }

    fn confirm(&self, question: &str) -> Result<bool, Error> {
        self.terminal.confirm(question)
    }

    fn ask_text(&self, question: &str) -> Result<Option<String>, Error> {
        self.terminal.ask_text(question)
    }

    fn choose(&self, question: &str, items: &[String]) -> Result<Option<usize>, Error> {
        self.terminal.choose(question, items)
    }

    fn hold_interrupts(&self) -> HeldInterrupts {
        self.terminal.hold_interrupts()
    }
}

impl Interrupts for HeldInterrupts {
    fn pressed(&self) -> bool {
        Self::pressed(self)
    }
}
