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
mod moving;
mod named;
mod offer;
mod predict;
mod rebind;
mod reclaim;
mod recreate;
mod release;
mod rename;
mod repair;
mod restore;
mod retain;
mod rules;
mod scope;
mod settings;
mod snapshot;
mod unbind;
mod unfinalize;
mod version;

use crate::cli::{Cli, Verb};
use crate::error::{Error, ErrorKind};
use crate::terminal::{Terminal, exit_on_interrupt};

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
        Some(Verb::Retain(args)) => retain::run(args, &cli.global, terminal),
        Some(Verb::Release(args)) => release::run(args, &cli.global, terminal),
        Some(Verb::Unbind(args)) => unbind::run(args, &cli.global, terminal),
        Some(Verb::Reclaim(args)) => reclaim::run(args, &cli.global, terminal),
        Some(Verb::Recreate(args)) => recreate::run(args, &cli.global, terminal),
        Some(Verb::Restore(args)) => restore::run(args, &cli.global, terminal),
        Some(Verb::Rebind(args)) => rebind::run(args, &cli.global, terminal),
        Some(Verb::Move(args)) => moving::run(args, &cli.global, terminal),
        Some(Verb::Rename(args)) => rename::run(args, &cli.global, terminal),
        Some(Verb::Unfinalize(args)) => unfinalize::run(args, &cli.global, terminal),
        Some(Verb::Apply(args)) => repair::apply(args, &cli.global, terminal),
        Some(Verb::Undo(args)) => repair::undo(args, &cli.global, terminal),
        Some(Verb::History(args)) => history::run(args, terminal),
        Some(Verb::Version(args)) => version::run(args, &cli.global, terminal),
        Some(Verb::Completion(args)) => completion::run(args, terminal),
    }
}
