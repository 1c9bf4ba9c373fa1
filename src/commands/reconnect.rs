//! `reconnect`: gives the clients of a shared volume their server back.

use super::Status;
use super::shared::repair::run as repair;
use crate::cli::{GlobalArgs, ReconnectArgs};
use crate::error::Error;
use crate::ops::repair::{OfVolume, RepairRequest};
use crate::terminal::Terminal;

/// Runs the verb `reconnect`.
pub(super) fn run(args: &ReconnectArgs, global: &GlobalArgs, terminal: &Terminal) -> Result<Status, Error> {
    repair(&args.repair, &args.source, global, terminal, |namespace| match args.claim(namespace)? {
        Some(claim) => {
            let (address, server) = (args.address()?, args.server()?);
            Ok(RepairRequest::VolumeOf(claim, OfVolume::Reconnect { address, server }))
        }
        None => args.request().map(RepairRequest::Named),
    })
}
