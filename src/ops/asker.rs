//! Whom a use case tells and asks.

use crate::error::Error;
use crate::model::ObjectKey;
use crate::progress::Progress;
use crate::repair::{Case, Manifests, Plan};
use crate::report::plan;
use std::sync::Arc;

/// A person, who is told what is so, and asked whether to go on.
pub trait Asker: Sync {
    /// What is there as long as Ctrl-C is kept for whoever writes.
    type Held: Interrupts;

    /// Says something that is not the answer, in a sentence.
    fn message(&self, text: &str);

    /// Says what failed, where something else goes on.
    fn error(&self, error: &Error);

    /// Where long work says how far it is.
    fn progress(&self) -> Arc<dyn Progress>;

    /// Shows a part of the answer.
    ///
    /// # Errors
    /// It could not be shown.
    fn show(&self, shown: Shown<'_>) -> Result<(), Error>;

    /// Whether there is somebody who can be asked.
    fn can_ask(&self) -> bool;

    /// Asks a question that is answered with yes or no.
    ///
    /// # Errors
    /// There is nobody to ask, or the person leaves.
    fn confirm(&self, question: &str) -> Result<bool, Error>;

    /// Asks for a word; none where the person does not give one.
    ///
    /// # Errors
    /// There is nobody to ask, or the person leaves.
    fn ask_text(&self, question: &str) -> Result<Option<String>, Error>;

    /// Lets one of several be chosen; none where the person chooses none.
    ///
    /// # Errors
    /// There is nobody to ask, or the person leaves.
    fn choose(&self, question: &str, items: &[String]) -> Result<Option<usize>, Error>;

    /// Keeps Ctrl-C for whoever begins to write now.
    fn hold_interrupts(&self) -> Self::Held;
}

/// Ctrl-C, which is kept for whoever writes.
pub trait Interrupts: Sync {
    /// Whether it was pressed since.
    fn pressed(&self) -> bool;
}

/// What is shown of a repair.
#[derive(Clone, Debug)]
pub enum Shown<'a> {
    /// There is nothing to do, for this reason.
    Nothing(&'a str),
    /// A plan that was reviewed, and the objects as they are.
    Plan(plan::Shown<'a>, &'a Manifests),
    /// What came of a plan that was carried out.
    Done {
        /// The plan.
        plan: &'a Plan,
        /// Its journal.
        journal: &'a str,
        /// The objects as they are now, as far as they could be read.
        now: Option<(&'a [ObjectKey], &'a Manifests)>,
    },
    /// What was found, with what repairs it; or what to say where nothing is wrong.
    Cases(&'a [Case], &'a str),
}
