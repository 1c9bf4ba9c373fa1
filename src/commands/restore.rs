//! `restore`: gives a claim its volume back.

use super::Status;
use super::shared::repair::run as repair;
use crate::cli::{GlobalArgs, RestoreArgs};
use crate::error::Error;
use crate::ops::repair::RepairRequest;
use crate::terminal::Terminal;

/// Runs the verb `restore`.
pub(super) fn run(args: &RestoreArgs, global: &GlobalArgs, terminal: &Terminal) -> Result<Status, Error> {
    repair(&args.repair, &args.source, global, terminal, |namespace| args.request(namespace).map(RepairRequest::Named))
}
