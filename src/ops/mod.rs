//! The use cases, one for each verb. They work on a [`Reader`], a [`Writer`] and an [`Asker`]. They do not know flags,
//! terminals or connections, so that tests can run them with their own data.

mod actors;
pub mod apply;
mod asker;
pub mod audit;
pub mod explain;
pub mod explain_log;
pub mod explain_several;
pub mod fix;
pub mod gather;
pub mod history;
mod journals;
pub mod matching;
pub mod model;
pub mod named;
pub mod offer;
pub mod overview;
pub mod predict;
mod reader;
pub mod repair;
pub mod rules;
pub mod scope;
pub mod shared_volumes;
pub mod snapshot;
pub mod undo;
mod writer;

pub use asker::{Asker, Interrupts, Shown};
pub use reader::Reader;
pub use writer::Writer;

use crate::error::ErrorKind;

/// The result of a run that did not fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Status {
    /// The run is complete and has nothing to report.
    Done,
    /// The run is complete, and the exit code has to report what was found.
    Findings,
    /// The run is incomplete: something could not be judged, or something that should be shown is missing.
    Unjudged,
    /// The run failed, and the error was already shown.
    Failed(ErrorKind),
}

impl Status {
    /// Returns the exit code, which is public API.
    pub fn exit_code(self) -> u8 {
        match self {
            Self::Done => 0,
            Self::Findings => 1,
            Self::Unjudged => 3,
            Self::Failed(kind) => kind.exit_code(),
        }
    }
}
