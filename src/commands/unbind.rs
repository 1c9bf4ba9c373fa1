//! `unbind`: undoes a binding that was never completed.

use super::Status;
use super::shared::repair::run as repair;
use crate::cli::{GlobalArgs, UnbindArgs};
use crate::error::Error;
use crate::ops::repair::RepairRequest;
use crate::terminal::Terminal;

/// Runs the verb `unbind`.
pub(super) fn run(args: &UnbindArgs, global: &GlobalArgs, terminal: &Terminal) -> Result<Status, Error> {
    repair(&args.repair, &args.source, global, terminal, |_| args.request().map(RepairRequest::Named))
}
