//! `reclaim`: has the data of a volume deleted.

use super::Status;
use super::shared::repair::run as repair;
use crate::cli::{GlobalArgs, ReclaimArgs};
use crate::error::Error;
use crate::ops::repair::RepairRequest;
use crate::terminal::Terminal;

/// Asks for that repair.
pub(super) fn run(args: &ReclaimArgs, global: &GlobalArgs, terminal: &Terminal) -> Result<Status, Error> {
    repair(&args.repair, global, terminal, |_| args.request().map(RepairRequest::Request))
}
