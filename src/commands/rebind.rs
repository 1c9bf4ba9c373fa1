//! `rebind`: gives a claim another volume.

use super::Status;
use super::shared::repair::run as repair;
use crate::cli::{GlobalArgs, RebindArgs};
use crate::error::Error;
use crate::ops::repair::RepairRequest;
use crate::terminal::Terminal;

/// Runs the verb `rebind`.
pub(super) fn run(args: &RebindArgs, global: &GlobalArgs, terminal: &Terminal) -> Result<Status, Error> {
    repair(&args.repair, &args.source, global, terminal, |namespace| args.request(namespace).map(RepairRequest::Named))
}
