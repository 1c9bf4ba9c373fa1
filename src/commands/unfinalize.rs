//! `unfinalize`: takes one finalizer off.

use super::Status;
use super::shared::repair::run as repair;
use crate::cli::{GlobalArgs, UnfinalizeArgs};
use crate::error::Error;
use crate::ops::repair::RepairRequest;
use crate::terminal::Terminal;

/// Asks for that repair.
pub(super) fn run(args: &UnfinalizeArgs, global: &GlobalArgs, terminal: &Terminal) -> Result<Status, Error> {
    repair(&args.repair, global, terminal, |namespace| args.request(namespace).map(RepairRequest::Request))
}
