//! `unfinalize`: removes one finalizer.

use super::Status;
use super::shared::repair::run as repair;
use crate::cli::{GlobalArgs, UnfinalizeArgs};
use crate::error::Error;
use crate::ops::repair::RepairRequest;
use crate::terminal::Terminal;

/// Runs the verb `unfinalize`.
pub(super) fn run(args: &UnfinalizeArgs, global: &GlobalArgs, terminal: &Terminal) -> Result<Status, Error> {
    repair(&args.repair, &args.source, global, terminal, |namespace| args.request(namespace).map(RepairRequest::Named))
}
