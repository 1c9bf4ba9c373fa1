//! The error type that the program shows to people: what went wrong, why, and what to do next.
//!
//! An error of a Kubernetes controller is not an [`Error`]: it is a branch of a decision.

use crate::text::sanitize;
use std::{fmt, io};

/// The class of a failure. Each class has its own exit code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ErrorKind {
    /// Wrong flags or arguments, or an object that does not exist.
    Usage,
    /// Something could not be read, or the answer could not be written, so there is no result.
    Unreadable,
    /// The cluster changed since it was read. Nothing was written.
    Changed,
    /// Some steps of a plan were written, and others were not.
    Partial,
    /// The program refused: nobody could confirm, a guard failed, or rights are missing. Nothing was written.
    Refused,
    /// A mistake in this program.
    Bug,
    /// The person interrupted the program.
    Interrupted,
    /// The reader of the output stopped reading, as `head` does. This is not a failure, and the program prints no
    /// message.
    OutputClosed,
}

impl ErrorKind {
    /// Returns the exit code of the class. The codes are public API.
    pub fn exit_code(self) -> u8 {
        match self {
            Self::OutputClosed => 0,
            Self::Usage => 2,
            Self::Unreadable => 3,
            Self::Changed => 4,
            Self::Partial => 5,
            Self::Refused => 6,
            Self::Bug => 70,
            Self::Interrupted => 130,
        }
    }
}

/// A failure as it is shown to a person. Its texts may come from any source: they are made safe for a terminal when
/// they are shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    kind: ErrorKind,
    message: String,
    causes: Vec<String>,
    journal: Option<String>,
    hints: Vec<String>,
}

impl Error {
    /// Creates a failure from one sentence without a full stop. The sentence says what could not be done, and to what
    /// object.
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), causes: Vec::new(), journal: None, hints: Vec::new() }
    }

    /// Creates a failure for wrong flags or arguments, or for an object that does not exist (exit code 2).
    pub fn usage(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Usage, message)
    }

    /// Creates a failure for something that could not be read, so there is no result (exit code 3).
    pub fn unreadable(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Unreadable, message)
    }

    /// Creates a failure for a refusal before anything was written (exit code 6).
    pub fn refused(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Refused, message)
    }

    /// Creates a failure for a mistake in this program (exit code 70).
    pub fn bug(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Bug, message)
    }

    /// Creates the failure for a reader of the output that stopped reading (exit code 0, no message is printed).
    pub fn output_closed() -> Self {
        Self::new(ErrorKind::OutputClosed, "the output was closed by its reader")
    }

    /// Creates the failure for an answer that could not be written. A reader that stopped reading, such as `head`, is
    /// not a failure (exit code 0). Any other error, such as a full disk, is a failure (exit code 3).
    pub fn unwritten(failure: &io::Error) -> Self {
        if failure.kind() == io::ErrorKind::BrokenPipe {
            Self::output_closed()
        } else {
            Self::unreadable("the answer could not be written in full").caused_by(failure)
        }
    }

    /// Adds a cause after the existing causes.
    #[must_use]
    pub fn cause(mut self, cause: impl Into<String>) -> Self {
        self.causes.push(cause.into());
        self
    }

    /// Adds an error and the chain of its causes. A cause is left out if its text is a part of the cause before it.
    #[must_use]
    pub fn caused_by(mut self, error: &(dyn std::error::Error + 'static)) -> Self {
        let chain = std::iter::successors(Some(error), |&error| error.source());
        for cause in chain.map(ToString::to_string) {
            if self.causes.last().is_none_or(|last| !last.contains(&cause)) {
                self.causes.push(cause);
            }
        }
        self
    }

    /// Adds the id of the journal that records what was written.
    #[must_use]
    pub fn journal(mut self, id: impl Into<String>) -> Self {
        self.journal = Some(id.into());
        self
    }

    /// Adds a hint: what the person can do, as a sentence or a command.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hints.push(hint.into());
        self
    }

    /// Returns the class of the failure.
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// Returns the sentence of the failure without its causes and hints, not made safe for a terminal.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// Returns the causes, not made safe for a terminal.
    pub fn causes(&self) -> &[String] {
        &self.causes
    }

    /// Returns the hints, not made safe for a terminal.
    pub fn hints(&self) -> &[String] {
        &self.hints
    }
}

impl fmt::Display for Error {
    /// Writes `error: …`, a line for each cause, a line for the journal and a line for each hint. There is no line
    /// break at the end.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "error: {}", sanitize(&self.message))?;
        for cause in &self.causes {
            write!(out, "\n  because: {}", sanitize(cause))?;
        }
        if let Some(journal) = &self.journal {
            write!(out, "\njournal: {}", sanitize(journal))?;
        }
        for hint in &self.hints {
            write!(out, "\nhint: {}", sanitize(hint))?;
        }
        Ok(())
    }
}

impl std::error::Error for Error {}
