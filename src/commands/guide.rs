//! The answer to a command line without a verb: the problems in the namespace. Without a cluster, the answer is a short
//! guide with the first commands to try.

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

/// The first commands to try, and the question that each command answers.
pub const FIRST: [(&str, &str); 3] = [
    ("kubectl pvctl predict -A", "what will happen to every volume and claim"),
    ("kubectl pvctl explain pvc/NAME", "why a claim has its state, and what to do"),
    ("kubectl pvctl match pvc/NAME", "which volumes fit a claim, and which do not"),
];

/// The command that repairs, and what it does.
pub const REPAIR: (&str, &str) = ("kubectl pvctl fix pvc/NAME", "repairs a claim, step by step");

/// The width of the guide, if the terminal is wide enough.
const WIDTH: usize = 80;

/// Prints the problems in the namespace, or the guide if no cluster is configured.
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

/// Returns the guide for this width. Commands are not wrapped, because people copy them.
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
        "kubectl pvctl predicts and explains what Kubernetes does with PersistentVolumes and PersistentVolumeClaims. \
         It also repairs them.",
    );
    text.push('\n');
    text += &sentence("Try these commands first, they only read:");
    text.extend(FIRST.map(command));
    text.push('\n');
    text += &sentence("Then try this command, which shows a plan and asks before it writes anything:");
    text += &command(REPAIR);
    // Writing to a `String` cannot fail.
    _ = writeln!(text, "\nWithout a cluster, with the output of kubectl:\n  {DUMP} | kubectl pvctl predict -f -");
    text.push_str("\nAll verbs and flags: kubectl pvctl --help\n");
    text
}
