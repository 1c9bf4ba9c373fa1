//! `snapshot`: what any verb reads, raw and redacted, as a `v1` List that `-f` and kubectl read back.

use super::gather::{file_options, issue_sentence, unreadable};
use super::{Status, connect};
use crate::cli::{GlobalArgs, Output as Format, SnapshotArgs};
use crate::error::Error;
use crate::snapshot::decode::{DecodeIssue, decode_as};
use crate::snapshot::{CoverageState, Parts};
use crate::source::archive::{self, ArchivedObject};
use crate::source::{Needs, files};
use crate::terminal::{Terminal, output_error};
use std::ops::ControlFlow;

/// Reads everything, then prints it: a reading that fails leaves stdout empty.
pub(super) fn run(args: &SnapshotArgs, global: &GlobalArgs, terminal: &Terminal) -> Result<Status, Error> {
    let (mut objects, parts) =
        if args.source.filenames.is_empty() { from_cluster(global, terminal)? } else { from_files(args, terminal)? };
    if args.source.strict
        && let Some(issue) = parts.issues.first()
    {
        return Err(Error::unreadable(issue_sentence(issue)).hint("without --strict the object is kept as it is"));
    }
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

fn from_cluster(global: &GlobalArgs, terminal: &Terminal) -> Result<(Vec<ArchivedObject>, Parts), Error> {
    connect::with_cluster(global, terminal, async |cluster| {
        // Nodes matter to host-path provisioning alone, and few people may list them.
        Ok(cluster.read_raw(Needs::default(), &*terminal.progress()).await?)
    })
}

/// The objects of files, with what could not be decoded of them. As on a cluster these stay in: whoever reads the
/// snapshot has to learn that something is there that nobody understands.
fn from_files(args: &SnapshotArgs, terminal: &Terminal) -> Result<(Vec<ArchivedObject>, Parts), Error> {
    terminal.progress().step("reading", 0);
    let mut objects = Vec::new();
    let mut issues: Vec<DecodeIssue> = Vec::new();
    files::each_raw(&file_options(&args.source), &mut |kind, json, origin| {
        issues.extend(decode_as(kind, json, origin).err());
        objects.extend(ArchivedObject::new(kind, json));
        ControlFlow::Continue(())
    })
    .map_err(|error| unreadable(&error))?;
    Ok((objects, Parts { issues, ..Parts::default() }))
}

/// What is not in the snapshot, because its reader cannot see that, and what in it cannot be understood.
fn warn(parts: &Parts, terminal: &Terminal) {
    for issue in &parts.issues {
        terminal.message(&format!("warning: {}; it is kept as it is", issue_sentence(issue)));
    }
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
