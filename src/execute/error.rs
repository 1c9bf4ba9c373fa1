//! Why a plan is not carried out, or not to its end.

use crate::error::{Error, ErrorKind};

/// The class of a stop; exit codes follow from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum StopKind {
    /// Something could not be read, so nothing is known. Nothing was written.
    Unreadable,
    /// The world is not as the plan expects it. Nothing was written.
    Changed,
    /// It is not permitted, or cannot be kept in a journal. Nothing was written.
    Refused,
    /// Some of the plan was written, or may have been.
    Partial,
    /// The person interrupted it. Nothing was written.
    Interrupted,
    /// There is no journal of that id.
    NoJournal,
}

/// Why a plan was not carried out to its end. Texts from the server are in it as they came: [`Error`] makes them safe.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stopped {
    /// The class.
    pub kind: StopKind,
    /// Whether something of the plan was written, now or earlier, or may have been.
    pub written: bool,
    /// Whether the volume that the plan is about is gone, or another one has its name: neither going on nor taking
    /// back leads anywhere then.
    pub volume_lost: bool,
    /// What happened, in a sentence without a full stop.
    pub message: String,
    /// What it came from.
    pub causes: Vec<String>,
    /// What leads further.
    pub hints: Vec<String>,
}

impl Stopped {
    /// A stop before anything was written.
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

    /// The volume that the plan is about is gone, or another one has its name.
    pub(super) fn volume_lost(message: impl Into<String>) -> Self {
        Self { volume_lost: true, ..Self::changed(message) }
    }

    pub(super) fn refused(message: impl Into<String>) -> Self {
        Self::new(StopKind::Refused, message)
    }

    /// Adds what it came from.
    #[must_use]
    pub(super) fn cause(mut self, cause: impl Into<String>) -> Self {
        self.causes.push(cause.into());
        self
    }

    /// Adds what leads further.
    #[must_use]
    pub(super) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hints.push(hint.into());
        self
    }

    /// The same, of a plan of which something was written: whatever stopped it, it is done in part.
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
