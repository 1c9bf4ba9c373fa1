//! The interface by which a use case informs and asks a person.

use crate::error::Error;
use crate::model::ObjectKey;
use crate::progress::Progress;
use crate::repair::{Case, Manifests, Plan};
use crate::report::plan;
use std::sync::Arc;

/// A person who is informed and who is asked whether to continue.
pub trait Asker: Sync {
    /// The value that keeps Ctrl-C from ending the process while a plan is carried out.
    type Held: Interrupts;

    /// Shows a message that is not part of the answer, as a sentence.
    fn message(&self, text: &str);

    /// Shows an error after which the run continues.
    fn error(&self, error: &Error);

    /// Returns the display for the progress of long work.
    fn progress(&self) -> Arc<dyn Progress>;

    /// Shows a part of the answer.
    ///
    /// # Errors
    /// Returns an error if the part cannot be shown.
    fn show(&self, shown: Shown<'_>) -> Result<(), Error>;

    /// Returns whether a person can be asked.
    fn can_ask(&self) -> bool;

    /// Asks a question that is answered with yes or no.
    ///
    /// # Errors
    /// Returns an error if there is nobody to ask, or if the person presses Ctrl-C.
    fn confirm(&self, question: &str) -> Result<bool, Error>;

    /// Asks for a text. Returns `None` if the person enters none.
    ///
    /// # Errors
    /// Returns an error if there is nobody to ask, or if the person presses Ctrl-C.
    fn ask_text(&self, question: &str) -> Result<Option<String>, Error>;

    /// Asks for a choice of one of several items. Returns `None` if the person chooses none.
    ///
    /// # Errors
    /// Returns an error if there is nobody to ask, or if the person presses Ctrl-C.
    fn choose(&self, question: &str, items: &[String]) -> Result<Option<usize>, Error>;

    /// Keeps Ctrl-C from ending the process while the result exists, so that a plan can stop at a safe point.
    fn hold_interrupts(&self) -> Self::Held;
}

/// The state of Ctrl-C while it does not end the process.
pub trait Interrupts: Sync {
    /// Returns whether Ctrl-C was pressed since this value was created.
    fn pressed(&self) -> bool;
}

/// A part of the answer of a repair.
#[derive(Clone, Debug)]
pub enum Shown<'a> {
    /// There is nothing to do, for this reason.
    Nothing(&'a str),
    /// A reviewed plan, and the present manifests of its objects.
    Plan(plan::Shown<'a>, &'a Manifests),
    /// The result of a plan that was carried out.
    Done {
        /// The plan that was carried out.
        plan: &'a Plan,
        /// The id of its journal.
        journal: &'a str,
        /// The objects and their present manifests, if they could be read.
        now: Option<(&'a [ObjectKey], &'a Manifests)>,
    },
    /// The findings with their repairs. The text is shown if there are no findings.
    Cases(&'a [Case], &'a str),
}
