//! `release`: offers a Released volume again. By default only a claim with the name of its last claim gets it.

use super::Status;
use super::shared::repair::run as repair;
use crate::cli::{GlobalArgs, ReleaseArgs};
use crate::error::Error;
use crate::ops::repair::RepairRequest;
use crate::terminal::Terminal;

/// Runs the verb `release`.
pub(super) fn run(args: &ReleaseArgs, global: &GlobalArgs, terminal: &Terminal) -> Result<Status, Error> {
    repair(&args.repair, &args.source, global, terminal, |_| args.request().map(RepairRequest::Named))
}
