//! `snapshot`: what any verb reads, raw and redacted, as a `v1` List that `-f` and kubectl read back.

use super::{Status, connect};
use crate::cli::{GlobalArgs, Output as Format, SnapshotArgs};
use crate::error::Error;
use crate::snapshot::{CoverageState, Parts};
use crate::source::Needs;
use crate::source::archive::{self, ArchivedObject};
use crate::terminal::{Terminal, output_error};

/// Reads everything, then prints it: a reading that fails leaves stdout empty.
pub(super) fn run(args: &SnapshotArgs, global: &GlobalArgs, terminal: &Terminal) -> Result<Status, Error> {
    if !args.source.filenames.is_empty() {
        return Err(Error::usage("this build takes snapshots of clusters, not of files"));
    }
    let (mut objects, parts) = from_cluster(args, global, terminal)?;
    archive::order(&mut objects);
    let mut output = terminal.output();
    let written = match args.output {
        Format::Yaml => archive::write_yaml(&objects, &mut output),
        Format::Json | Format::Text | Format::Table | Format::Wide | Format::Name => {
            archive::write(&objects, &mut output)
        }
    };
    written.map_err(|failure| output_error(&failure))?;
    output.finish()?;
    warn(&parts, terminal);
    Ok(Status::Done)
}

fn from_cluster(
    args: &SnapshotArgs,
    global: &GlobalArgs,
    terminal: &Terminal,
) -> Result<(Vec<ArchivedObject>, Parts), Error> {
    let (objects, parts) = connect::with_cluster(global, terminal, async |cluster| {
        // Nodes matter to host-path provisioning alone, and few people may list them.
        Ok(cluster.read_raw(Needs::default(), &*terminal.progress()).await?)
    })?;
    match parts.issues.first().filter(|_| args.source.strict) {
        None => Ok((objects, parts)),
        Some(issue) => Err(Error::unreadable(format!(
            "{} {}/{} cannot be decoded: {}: {}",
            issue.kind, issue.namespace, issue.name, issue.field, issue.reason
        ))),
    }
}

/// What is not in the snapshot, because its reader cannot see that.
fn warn(parts: &Parts, terminal: &Terminal) {
    for entry in parts.coverage.entries() {
        let wrong = match entry.state {
            CoverageState::Complete | CoverageState::NotNeeded | CoverageState::Assumed => continue,
            CoverageState::Partial => "are not complete",
            CoverageState::Forbidden => "are missing: you may not list them",
            CoverageState::NotServed => "are missing: the server does not have them",
            CoverageState::Failed => "are missing: reading them failed",
        };
        let namespace = entry.namespace.as_ref().map(|name| format!(" of namespace {name}")).unwrap_or_default();
        let reason = entry.reason.as_ref().map(|reason| format!(" ({reason})")).unwrap_or_default();
        terminal.message(&format!("warning: {}{namespace} {wrong}{reason}", entry.kind.resource()));
    }
}
