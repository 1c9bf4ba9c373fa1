//! The answer to a command line without a verb: what is not well in the namespace. Without a cluster it is a short
//! guide with the commands to try first.

use super::Status;
use super::shared::connect::with_cluster_if_any;
use super::shared::live::Live;
use crate::cli::GlobalArgs;
use crate::error::Error;
use crate::model::DUMP;
use crate::ops::gather::{ReadOptions, from_cluster};
use crate::ops::overview::{overview, question};
use crate::ops::rules::all_reads;
use crate::ops::scope::Scope;
use crate::report::shared::wrap::wrap;
use crate::terminal::Terminal;
use colored::Colorize as _;
use std::fmt::Write as _;

/// The commands to try first, and the question that each answers.
pub const FIRST: [(&str, &str); 3] = [
    ("kubectl pvctl predict -A", "what will become of every volume and claim"),
    ("kubectl pvctl explain pvc/NAME", "why a claim is as it is, and what to do"),
    ("kubectl pvctl match pvc/NAME", "which volumes fit a claim, and which do not"),
];

/// The command that repairs, and what it does.
pub const REPAIR: (&str, &str) = ("kubectl pvctl fix pvc/NAME", "what is wrong with a claim, repaired in steps");

/// The width of the guide where there is room.
const WIDTH: usize = 80;

/// Prints what is not well, or the guide if no cluster is configured.
pub(super) fn run(global: &GlobalArgs, terminal: &Terminal) -> Result<Status, Error> {
    let scope = Scope { namespace: global.scope.namespace.clone(), all_namespaces: global.scope.all_namespaces };
    let read = ReadOptions { scope, ..ReadOptions::default() };
    let surroundings = all_reads();
    let gathered = with_cluster_if_any(global, terminal, async |cluster| {
        from_cluster(&Live::new(cluster, terminal), question(&read, &surroundings)).await
    })?;
    let mut output = terminal.output();
    match gathered {
        Some(gathered) => {
            for note in &gathered.notes {
                terminal.message(note);
            }
            overview(&read, &gathered, |overview| output.print(&overview.text(terminal.width())))?;
        }
        None => output.print(&guide(terminal.width()))?,
    }
    output.finish()?;
    Ok(Status::Done)
}

/// Returns the guide for this width. A command is never broken, because people copy it.
pub fn guide(columns: Option<usize>) -> String {
    let columns = columns.unwrap_or(WIDTH).min(WIDTH);
    let sentence = |said: &str| format!("{}\n", wrap(said, Some(columns), 0));
    let command = |(command, answers): (&str, &str)| {
        if columns < WIDTH {
            let answers = wrap(&format!("    {answers}"), Some(columns), 4);
            return format!("  {}\n{answers}\n", command.bold());
        }
        format!("  {}  {answers}\n", format!("{command:<30}").bold())
    };
    let mut text = sentence(
        "kubectl pvctl predicts and explains what Kubernetes does with PersistentVolumes and PersistentVolumeClaims, \
         and repairs them when asked to.",
    );
    text.push('\n');
    text += &sentence("Try first, they only read:");
    text.extend(FIRST.map(command));
    text.push('\n');
    text += &sentence("Then, with a plan that is shown and agreed to before anything is written:");
    text += &command(REPAIR);
    // Writing to a `String` cannot fail.
    _ = writeln!(text, "\nWithout a cluster, on what kubectl printed:\n  {DUMP} | kubectl pvctl predict -f -");
    text.push_str("\nAll verbs and flags: kubectl pvctl --help\n");
    text
}
