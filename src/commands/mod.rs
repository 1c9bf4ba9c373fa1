//! The verbs, one file for each. A verb parses its arguments, calls the use case, renders the answer and returns the
//! status. The use cases are in [`ops`]. The module `shared` has what several verbs need.
//!
//! [`ops`]: crate::ops

mod apply;
mod audit;
pub mod completion;
mod detach;
mod explain;
mod fix;
pub mod guide;
mod history;
mod matching;
mod moving;
mod predict;
mod rebind;
mod reclaim;
mod reconnect;
mod recreate;
mod release;
mod rename;
mod reschedule;
mod restore;
mod retain;
mod rules;
pub mod shared;
mod shared_volumes;
mod snapshot;
mod unbind;
mod undo;
mod unfinalize;
mod version;

pub use crate::ops::Status;
pub use shared::complete;

use crate::cli::{Cli, Verb};
use crate::error::Error;
use crate::terminal::{Terminal, exit_on_interrupt};

/// Runs the verb of the command line.
///
/// # Errors
///
/// Returns an error that the caller shows to the person. See [`crate::error::ErrorKind`] for the classes of errors.
pub fn run(cli: &Cli, terminal: &Terminal) -> Result<Status, Error> {
    exit_on_interrupt()?;
    match &cli.verb {
        None => guide::run(&cli.global, terminal),
        Some(Verb::Predict(args)) => predict::run(args, &cli.global, terminal),
        Some(Verb::Explain(args)) => explain::run(args, &cli.global, terminal),
        Some(Verb::Match(args)) => matching::run(args, &cli.global, terminal),
        Some(Verb::Shared(args)) => shared_volumes::run(args, &cli.global, terminal),
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
        Some(Verb::Reschedule(args)) => reschedule::run(args, &cli.global, terminal),
        Some(Verb::Reconnect(args)) => reconnect::run(args, &cli.global, terminal),
        Some(Verb::Detach(args)) => detach::run(args, &cli.global, terminal),
        Some(Verb::Apply(args)) => apply::run(args, &cli.global, terminal),
        Some(Verb::Undo(args)) => undo::run(args, &cli.global, terminal),
        Some(Verb::History(args)) => history::run(args, terminal),
        Some(Verb::Version(args)) => version::run(args, &cli.global, terminal),
        Some(Verb::Completion(args)) => completion::run(args, terminal),
    }
}
