//! `detach`: has a volume detached from a node whose machine is off.

use super::Status;
use super::shared::repair::run as repair;
use crate::cli::{DetachArgs, GlobalArgs};
use crate::error::Error;
use crate::ops::repair::RepairRequest;
use crate::terminal::Terminal;

/// Runs the verb `detach`.
pub(super) fn run(args: &DetachArgs, global: &GlobalArgs, terminal: &Terminal) -> Result<Status, Error> {
    repair(&args.repair, &args.source, global, terminal, |_| args.request().map(RepairRequest::Named))
}
