//! One file for each verb: gather, ask the core, render, give the status. The work itself is done elsewhere.

mod audit;
pub mod complete;
pub mod completion;
mod connect;
mod contexts;
mod explain;
mod fix;
mod gather;
mod guide;
mod history;
mod matching;
mod named;
mod offer;
mod predict;
mod repair;
mod rules;
mod scope;
mod settings;
mod snapshot;
mod version;

use crate::cli::{Cli, Verb};
use crate::error::{Error, ErrorKind};
use crate::terminal::{Terminal, exit_on_interrupt};
use repair::Typed;

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

/// Does what the command line asks for.
///
/// # Errors
///
/// What the person has to be told; see [`crate::error::ErrorKind`] for the classes.
pub fn run(cli: &Cli, terminal: &Terminal) -> Result<Status, Error> {
    exit_on_interrupt()?;
    match &cli.verb {
        None => guide::run(terminal),
        Some(Verb::Predict(args)) => predict::run(args, &cli.global, terminal),
        Some(Verb::Explain(args)) => explain::run(args, &cli.global, terminal),
        Some(Verb::Match(args)) => matching::run(args, &cli.global, terminal),
        Some(Verb::Audit(args)) => audit::run(args, &cli.global, terminal),
        Some(Verb::Rules(args)) => rules::run(args, terminal),
        Some(Verb::Fix(args)) => fix::run(args, &cli.global, terminal),
        Some(Verb::Snapshot(args)) => snapshot::run(args, &cli.global, terminal),
        Some(Verb::Retain(args)) => repair::run(Typed::Retain(args), &cli.global, terminal),
        Some(Verb::Release(args)) => repair::run(Typed::Release(args), &cli.global, terminal),
        Some(Verb::Unbind(args)) => repair::run(Typed::Unbind(args), &cli.global, terminal),
        Some(Verb::Reclaim(args)) => repair::run(Typed::Reclaim(args), &cli.global, terminal),
        Some(Verb::Recreate(args)) => repair::run(Typed::Recreate(args), &cli.global, terminal),
        Some(Verb::Restore(args)) => repair::run(Typed::Restore(args), &cli.global, terminal),
        Some(Verb::Rebind(args)) => repair::run(Typed::Rebind(args), &cli.global, terminal),
        Some(Verb::Move(args)) => repair::run(Typed::Move(args), &cli.global, terminal),
        Some(Verb::Rename(args)) => repair::run(Typed::Rename(args), &cli.global, terminal),
        Some(Verb::Unfinalize(args)) => repair::run(Typed::Unfinalize(args), &cli.global, terminal),
        Some(Verb::Apply(args)) => repair::apply(args, &cli.global, terminal),
        Some(Verb::Undo(args)) => repair::undo(args, &cli.global, terminal),
        Some(Verb::History(args)) => history::run(args, terminal),
        Some(Verb::Version(args)) => version::run(args, &cli.global, terminal),
        Some(Verb::Completion(args)) => completion::run(args, terminal),
    }
}
