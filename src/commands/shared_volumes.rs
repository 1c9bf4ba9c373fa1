//! `shared`: lists the volumes that servers in the cluster serve to many pods.

use super::Status;
use super::shared::arguments;
use super::shared::gather::gather;
use crate::cli::{GlobalArgs, SharedArgs, parse_objects};
use crate::error::Error;
use crate::ops::shared_volumes::{KINDS, SharedOptions, shared_volumes};
use crate::source::storage_system;
use crate::terminal::Terminal;

/// Reads the objects and prints the shared volumes.
pub(super) fn run(args: &SharedArgs, global: &GlobalArgs, terminal: &Terminal) -> Result<Status, Error> {
    let mut read = arguments::read(&args.model, &args.source, global)?;
    if let Some(path) = &args.provider_state {
        if path.as_os_str() == "-" && args.source.filenames.contains(path) {
            return Err(Error::usage("--provider-state and -f cannot both read from stdin"));
        }
        storage_system::read_state(path, &mut read.providers)?;
    }
    let objects = parse_objects(&args.objects, &KINDS)?;
    let options = SharedOptions { objects, labels: arguments::labels(global)?, read };
    let surroundings = SharedOptions::surroundings();
    let gathered = gather(options.question(&surroundings), &args.source, global, terminal)?;
    shared_volumes(&options, &gathered, &*terminal.progress(), |list| {
        let mut output = terminal.output();
        if let Some(columns) = args.output.columns() {
            args.table.check(columns)?;
            for note in &gathered.notes {
                terminal.message(note);
            }
        }
        output.print(&args.output.render(list, args.table.view(terminal.width()))?)?;
        output.finish()
    })
}
