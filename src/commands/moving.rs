//! `move`: gives the volume of a claim to a claim in another namespace.

use super::Status;
use super::shared::repair::run as repair;
use crate::cli::{GlobalArgs, MoveArgs};
use crate::error::Error;
use crate::ops::repair::RepairRequest;
use crate::terminal::Terminal;

/// Runs the verb `move`.
pub(super) fn run(args: &MoveArgs, global: &GlobalArgs, terminal: &Terminal) -> Result<Status, Error> {
    repair(&args.repair, &args.source, global, terminal, |namespace| args.request(namespace).map(RepairRequest::Named))
}
