//! `rename`: gives a claim another name.

use super::Status;
use super::shared::repair::run as repair;
use crate::cli::{GlobalArgs, RenameArgs};
use crate::error::Error;
use crate::ops::repair::RepairRequest;
use crate::terminal::Terminal;

/// Runs the verb `rename`.
pub(super) fn run(args: &RenameArgs, global: &GlobalArgs, terminal: &Terminal) -> Result<Status, Error> {
    repair(&args.repair, &args.source, global, terminal, |namespace| args.request(namespace).map(RepairRequest::Named))
}
