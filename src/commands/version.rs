//! `version`: prints the version of this program, the versions of Kubernetes that it models, and the version of the
//! cluster.

use super::Status;
use super::shared::connect;
use crate::cli::{GlobalArgs, VersionArgs};
use crate::error::Error;
use crate::report::version::Version;
use crate::terminal::Terminal;

/// Prints the versions. If the server does not answer, a note says so.
pub(super) fn run(args: &VersionArgs, global: &GlobalArgs, terminal: &Terminal) -> Result<Status, Error> {
    let (server, failure) = if args.client {
        (None, None)
    } else {
        match connect::server_version(global, terminal) {
            Ok(version) => (version.map(|version| version.git_version), None),
            Err(failure) => (None, Some(failure)),
        }
    };
    let version = Version::new(server);
    let mut output = terminal.output();
    output.print(&args.output.render(&version)?)?;
    output.finish()?;
    if let Some(failure) = failure {
        terminal.message(&format!("note: the server's version is not known: {}", failure.message()));
    }
    Ok(Status::Done)
}
