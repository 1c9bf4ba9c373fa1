//! `recreate`: replaces a claim that was never bound.

use super::Status;
use super::shared::repair::run as repair;
use crate::cli::{GlobalArgs, RecreateArgs};
use crate::error::Error;
use crate::ops::repair::RepairRequest;
use crate::terminal::Terminal;

/// Runs the verb `recreate`.
pub(super) fn run(args: &RecreateArgs, global: &GlobalArgs, terminal: &Terminal) -> Result<Status, Error> {
    repair(&args.repair, &args.source, global, terminal, |namespace| args.request(namespace).map(RepairRequest::Named))
}
