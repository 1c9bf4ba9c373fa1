//! `undo`: undoes a repair.

use super::Status;
use super::shared::repair::on_cluster;
use crate::cli::{GlobalArgs, UndoArgs};
use crate::error::Error;
use crate::ops::undo::undo;
use crate::terminal::Terminal;

/// Undoes a repair.
///
/// # Errors
/// Returns an error if there is no such journal, if the undo is refused, or if it stops.
pub(super) fn run(args: &UndoArgs, global: &GlobalArgs, terminal: &Terminal) -> Result<Status, Error> {
    on_cluster(&args.repair, global, terminal, async |options, cluster, person| {
        undo(options, cluster, person, args.id.as_deref(), args.provisioner_stopped).await
    })
}
