//! The reasons why a plan is not carried out, or not completely.

use crate::error::{Error, ErrorKind};

/// The kind of reason why a run stopped. It decides the exit code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum StopKind {
    /// Something that the plan needs could not be read. Nothing was written.
    Unreadable,
    /// The cluster is not as the plan expects it. Nothing was written.
    Changed,
    /// The run is not permitted, or cannot be recorded in a journal. Nothing was written.
    Refused,
    /// Some writes of the plan were carried out, or nobody knows whether they were.
    Partial,
    /// The person interrupted the run. Nothing was written.
    Interrupted,
    /// There is no journal with this id.
    NoJournal,
}

/// The reason why a plan was not carried out completely. It holds unchanged texts of the server. [`Error`] sanitizes
/// these texts before they are shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stopped {
    /// The kind of reason.
    pub kind: StopKind,
    /// Whether some writes of the plan were carried out, now or earlier, or nobody knows whether they were.
    pub written: bool,
    /// Whether the volume of the plan is gone, or another volume has its name. In this case the plan can neither be
    /// continued nor undone.
    pub volume_lost: bool,
    /// What happened, in a sentence without a full stop.
    pub message: String,
    /// The causes.
    pub causes: Vec<String>,
    /// The hints.
    pub hints: Vec<String>,
}

impl Stopped {
    /// Returns the error of a run that stops before its first write.
    pub(super) fn new(kind: StopKind, message: impl Into<String>) -> Self {
        Self {
            kind,
            written: false,
            volume_lost: false,
            message: message.into(),
            causes: Vec::new(),
            hints: Vec::new(),
        }
    }

    pub(super) fn unreadable(message: impl Into<String>) -> Self {
        Self::new(StopKind::Unreadable, message)
    }

    pub(super) fn changed(message: impl Into<String>) -> Self {
        Self::new(StopKind::Changed, message)
    }

    /// Returns the error for a plan whose volume is gone, or was replaced by another volume with the same name.
    pub(super) fn volume_lost(message: impl Into<String>) -> Self {
        Self { volume_lost: true, ..Self::changed(message) }
    }

    pub(super) fn refused(message: impl Into<String>) -> Self {
        Self::new(StopKind::Refused, message)
    }

    /// Adds a cause.
    #[must_use]
    pub(super) fn cause(mut self, cause: impl Into<String>) -> Self {
        self.causes.push(cause.into());
        self
    }

    /// Adds a hint.
    #[must_use]
    pub(super) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hints.push(hint.into());
        self
    }

    /// Returns this error for a run that has already written something. Its kind becomes [`StopKind::Partial`], no
    /// matter why the run stopped.
    #[must_use]
    pub(super) fn partial(mut self) -> Self {
        self.kind = StopKind::Partial;
        self.written = true;
        self
    }
}

impl std::fmt::Display for Stopped {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str(&self.message)
    }
}

impl std::error::Error for Stopped {}

impl From<Stopped> for Error {
    fn from(stopped: Stopped) -> Self {
        let kind = match stopped.kind {
            StopKind::Unreadable => ErrorKind::Unreadable,
            StopKind::Changed => ErrorKind::Changed,
            StopKind::Refused => ErrorKind::Refused,
            StopKind::Partial => ErrorKind::Partial,
            StopKind::Interrupted => ErrorKind::Interrupted,
            StopKind::NoJournal => ErrorKind::Usage,
        };
        let error = stopped.causes.into_iter().fold(Self::new(kind, stopped.message), Self::cause);
        stopped.hints.into_iter().fold(error, Self::hint)
    }
}
