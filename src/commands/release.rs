//! `release`: reserves a released volume for its last claim again.

use super::Status;
use super::shared::repair::run as repair;
use crate::cli::{GlobalArgs, ReleaseArgs};
use crate::error::Error;
use crate::ops::repair::RepairRequest;
use crate::terminal::Terminal;

/// Makes this repair.
pub(super) fn run(args: &ReleaseArgs, global: &GlobalArgs, terminal: &Terminal) -> Result<Status, Error> {
    repair(&args.repair, &args.source, global, terminal, |_| args.request().map(RepairRequest::Named))
}
