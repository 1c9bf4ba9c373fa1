//! The use cases: what is done for each verb, over a [`Reader`], a [`Writer`] and an [`Asker`]. Nothing here knows
//! flags, terminals or connections, so that each can be run on what a test makes up.

pub mod apply;
mod asker;
pub mod audit;
pub mod explain;
pub mod fix;
pub mod gather;
pub mod history;
mod journals;
pub mod matching;
pub mod model;
pub mod named;
pub mod offer;
pub mod predict;
mod reader;
pub mod repair;
pub mod rules;
pub mod scope;
pub mod snapshot;
pub mod undo;
mod writer;

pub use asker::{Asker, Interrupts, Shown};
pub use reader::Reader;
pub use writer::Writer;

use crate::error::ErrorKind;

/// How a run ended that did not fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Status {
    /// Done, and nothing to object to.
    Done,
    /// Done, and what was asked to be reported by the exit code is there.
    Findings,
    /// Done as far as it goes: something that is shown could not be judged, or something is missing that should be
    /// shown.
    Unjudged,
    /// What failed is told already.
    Told(ErrorKind),
}

impl Status {
    /// The exit code, which is public API.
    pub fn exit_code(self) -> u8 {
        match self {
            Self::Done => 0,
            Self::Findings => 1,
            Self::Unjudged => 3,
            Self::Told(kind) => kind.exit_code(),
        }
    }
}
