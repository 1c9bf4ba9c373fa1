//! `reclaim`: says which component deletes the data of a volume, and with `--delete` sets the reclaim policy to Delete.

use super::Status;
use super::shared::repair::run as repair;
use crate::cli::{GlobalArgs, ReclaimArgs};
use crate::error::Error;
use crate::ops::repair::RepairRequest;
use crate::terminal::Terminal;

/// Runs the verb `reclaim`.
pub(super) fn run(args: &ReclaimArgs, global: &GlobalArgs, terminal: &Terminal) -> Result<Status, Error> {
    repair(&args.repair, &args.source, global, terminal, |_| args.request().map(RepairRequest::Named))
}
