//! `retain`: keeps the data of a volume. The person can name the volume or its claim.

use super::Status;
use super::shared::repair::run as repair;
use crate::cli::{GlobalArgs, RetainArgs};
use crate::error::Error;
use crate::ops::repair::{OfVolume, RepairRequest};
use crate::terminal::Terminal;

/// Runs the verb `retain`.
pub(super) fn run(args: &RetainArgs, global: &GlobalArgs, terminal: &Terminal) -> Result<Status, Error> {
    repair(&args.repair, &args.source, global, terminal, |namespace| match args.claim(namespace)? {
        Some(claim) => Ok(RepairRequest::VolumeOf(claim, OfVolume::Retain)),
        None => args.request().map(RepairRequest::Named),
    })
}
