//! `apply`: carries out a plan from a file, or continues a repair that stopped.

use super::Status;
use super::shared::repair::on_cluster;
use crate::cli::{ApplyArgs, GlobalArgs};
use crate::error::Error;
use crate::ops::apply::{apply, go_on, plan_file};
use crate::source;
use crate::terminal::Terminal;

/// Carries out a plan from a file, or continues a repair that stopped.
///
/// # Errors
/// Returns an error for wrong usage, if the plan in the file differs from the plan for the present state, if the repair
/// is refused, or if it stops.
pub(super) fn run(args: &ApplyArgs, global: &GlobalArgs, terminal: &Terminal) -> Result<Status, Error> {
    if let Some(path) = &args.file {
        let file = plan_file(&path.display().to_string(), source::plan_file::plan(path)?)?;
        return on_cluster(&args.repair, global, terminal, async |options, cluster, person| {
            apply(options, cluster, person, file).await
        });
    }
    let id = args.resume.as_ref().and_then(|id| id.as_deref());
    on_cluster(&args.repair, global, terminal, async |options, cluster, person| {
        go_on(options, cluster, person, id).await
    })
}
