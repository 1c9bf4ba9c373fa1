//! `snapshot`: what any verb reads, raw and redacted, as a `v1` List that `-f` and kubectl read back.

use super::Status;
use super::shared::arguments::files as file_options;
use super::shared::connect;
use crate::cli::{GlobalArgs, SnapshotArgs, SnapshotFormat as Format};
use crate::diagnosis::rules;
use crate::error::Error;
use crate::model::{Kind, ObjectKey, Str};
use crate::ops::gather::issue_sentence;
use crate::ops::rules::reads;
use crate::snapshot::{CoverageEntry, CoverageState, DecodeIssue};
use crate::source::archive::ArchivedObject;
use crate::source::{Archived, FileOptions, Needs, Statement, archive, files};
use crate::terminal::Terminal;

/// Reads everything, then prints it: a reading that fails leaves stdout empty.
pub(super) fn run(args: &SnapshotArgs, global: &GlobalArgs, terminal: &Terminal) -> Result<Status, Error> {
    let read = if args.source.filenames.is_empty() {
        from_cluster(args, global, terminal)?
    } else {
        terminal.progress().step("reading", 0);
        files::archive(&FileOptions { surroundings: Kind::SURROUNDING.to_vec(), ..file_options(&args.source) })?
    };
    let Archived { mut objects, issues, statement } = read;
    if args.source.strict
        && let Some(issue) = issues.first()
    {
        return Err(Error::unreadable(issue_sentence(issue)).hint("without --strict the object is kept as it is"));
    }
    archive::order(&mut objects);
    let mut output = terminal.output();
    let written = match args.output {
        Format::Yaml => archive::write_yaml(&objects, &statement, &mut output),
        Format::Json => archive::write(&objects, &statement, &mut output),
    };
    written.map_err(|failure| Error::unwritten(&failure))?;
    output.finish()?;
    warn(&issues, &objects, &statement, terminal);
    Ok(Status::Done)
}

fn from_cluster(args: &SnapshotArgs, global: &GlobalArgs, terminal: &Terminal) -> Result<Archived, Error> {
    connect::with_cluster(global, terminal, async |cluster| {
        // What will be asked of it, and with which flags, is not known here. An audit also looks at pods in whose
        // namespace no claim is: they may wait for one that does not exist.
        let shown = (!global.scope.all_namespaces).then(|| cluster.namespace());
        let needs = Needs { everything: true, pods_of: Some(shown), ..Needs::default() };
        let (objects, parts) = cluster.read_raw(needs, &*terminal.progress()).await?;
        let kubernetes = match cluster.server_version().await {
            Ok(version) => Some(version.minor),
            Err(failure) => {
                let assumed = "whoever reads the snapshot has to give --kube-version, or the newest one is assumed";
                terminal.message(&format!("warning: the server's version is not known: {failure}; {assumed}"));
                None
            }
        };
        let statement = Statement { coverage: parts.coverage, now: args.source.now.or(parts.now), kubernetes };
        Ok(Archived { objects, issues: parts.issues, statement })
    })
}

/// What is not in the snapshot, because its reader cannot see that, and what in it cannot be understood. The objects
/// are in order.
fn warn(issues: &[DecodeIssue], objects: &[ArchivedObject], statement: &Statement, terminal: &Terminal) {
    for issue in issues {
        // What is too large to be held is not kept either.
        let key = |kind| ObjectKey { kind, namespace: Str::new(&issue.namespace), name: Str::new(&issue.name) };
        let is_kept = Kind::from_manifest(&issue.kind)
            .map(key)
            .is_some_and(|key| objects.binary_search_by(|kept| kept.key().cmp(&key)).is_ok());
        let fate = if is_kept { "kept as it is" } else { "left out" };
        terminal.message(&format!("warning: {}; it is {fate}", issue_sentence(issue)));
    }
    let entries = statement.coverage.entries();
    // What no rule reads nobody misses yet, and many clusters do not serve it.
    let missable = reads(rules::all());
    let around: Vec<&CoverageEntry> = entries.iter().filter(|entry| missable.contains(&entry.kind)).collect();
    // Files rarely hold these, and where they do not, nobody misses them.
    let is_missed = |entry: &&CoverageEntry| {
        matches!(entry.state, CoverageState::Forbidden | CoverageState::Failed | CoverageState::NotServed)
            && !around.iter().any(|other| other.kind == entry.kind && other.state == CoverageState::Complete)
    };
    let mut missed: Vec<&str> = around.iter().copied().filter(is_missed).map(|entry| entry.kind.resource()).collect();
    missed.dedup();
    if !missed.is_empty() {
        let kinds = missed.join(", ");
        terminal.message(&format!("note: {kinds} are missing; `audit` of the snapshot will have less to go by"));
    }
    for entry in entries.iter().filter(|entry| !entry.kind.is_surrounding()) {
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
