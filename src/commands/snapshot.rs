//! `snapshot`: prints all objects that any verb reads, unchanged except for redacted credentials, as a `v1` List that
//! `-f` and kubectl can read.

use super::Status;
use super::shared::arguments::files as file_options;
use super::shared::connect;
use crate::cli::{GlobalArgs, SnapshotArgs, SnapshotFormat as Format};
use crate::error::Error;
use crate::model::Kind;
use crate::ops::gather::issue_sentence;
use crate::ops::snapshot::missing;
use crate::source::{Archived, FileOptions, Needs, Statement, archive, files};
use crate::terminal::Terminal;

/// Reads all objects and prints them afterwards. So stdout stays empty if the reading fails.
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
        return Err(Error::unreadable(issue_sentence(issue)).hint("without --strict, the object is kept unchanged"));
    }
    archive::order(&mut objects);
    let mut output = terminal.output();
    let written = match args.output {
        Format::Yaml => archive::write_yaml(&objects, &statement, &mut output),
        Format::Json => archive::write(&objects, &statement, &mut output),
    };
    written.map_err(|failure| Error::unwritten(&failure))?;
    output.finish()?;
    for line in missing(&issues, &objects, &statement) {
        terminal.message(&line);
    }
    Ok(Status::Done)
}

fn from_cluster(args: &SnapshotArgs, global: &GlobalArgs, terminal: &Terminal) -> Result<Archived, Error> {
    connect::with_cluster(global, terminal, async |cluster| {
        // Any verb and any flag may use the snapshot later. An audit also examines pods in namespaces without claims,
        // because these pods may wait for a claim that does not exist.
        let shown = (!global.scope.all_namespaces).then(|| cluster.namespace());
        let needs = Needs { everything: true, pods_of: Some(shown), ..Needs::default() };
        let (objects, parts) = cluster.read_raw(needs, &*terminal.progress()).await?;
        let kubernetes = match cluster.server_version().await {
            Ok(version) => Some(version.minor),
            Err(failure) => {
                let assumed = "whoever uses the snapshot has to give --kube-version, or the newest version is assumed";
                terminal.message(&format!("warning: the server's version is not known: {failure}; {assumed}"));
                None
            }
        };
        let statement = Statement { coverage: parts.coverage, now: args.source.now.or(parts.now), kubernetes };
        Ok(Archived { objects, issues: parts.issues, statement })
    })
}
