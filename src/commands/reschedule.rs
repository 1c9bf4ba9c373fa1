//! `reschedule`: gives a claim back to the scheduler.

use super::Status;
use super::shared::repair::run as repair;
use crate::cli::{GlobalArgs, RescheduleArgs};
use crate::error::Error;
use crate::ops::repair::RepairRequest;
use crate::terminal::Terminal;

/// Runs the verb `reschedule`.
pub(super) fn run(args: &RescheduleArgs, global: &GlobalArgs, terminal: &Terminal) -> Result<Status, Error> {
    repair(&args.repair, &args.source, global, terminal, |namespace| args.request(namespace).map(RepairRequest::Named))
}
