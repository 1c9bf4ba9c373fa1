//! The answer to a command line without a verb: what is not well in the namespace. Without a cluster it is a short
//! guide with the commands to try first.

use super::Status;
use super::shared::connect::with_cluster_if_any;
use super::shared::live::Live;
use crate::cli::GlobalArgs;
use crate::error::Error;
use crate::ops::gather::{ReadOptions, from_cluster};
use crate::ops::overview::{overview, question};
use crate::ops::rules::all_reads;
use crate::ops::scope::Scope;
use crate::terminal::Terminal;
use colored::Colorize as _;
use std::fmt::Write as _;

/// The commands to try first, and the question that each answers.
const FIRST: [(&str, &str); 3] = [
    ("kubectl pvctl predict -A", "what will become of every volume and claim"),
    ("kubectl pvctl explain pvc/NAME", "why a claim is as it is, and what to do"),
    ("kubectl pvctl match pvc/NAME", "which volumes fit a claim, and which do not"),
];

/// The command that repairs, and what it does.
const REPAIR: (&str, &str) = ("kubectl pvctl fix pvc/NAME", "what is wrong with a claim, repaired in steps");

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
        None => output.print(&guide())?,
    }
    output.finish()?;
    Ok(Status::Done)
}

fn guide() -> String {
    let mut text = String::from(
        "kubectl pvctl predicts and explains what Kubernetes does with PersistentVolumes\n\
         and PersistentVolumeClaims, and repairs them when asked to.\n\nTry first, they only read:\n",
    );
    for (command, answers) in FIRST {
        // Writing to a `String` cannot fail.
        _ = writeln!(text, "  {}  {answers}", format!("{command:<30}").bold());
    }
    text.push_str("\nThen, with a plan that is shown and agreed to before anything is written:\n");
    _ = writeln!(text, "  {}  {}", format!("{:<30}", REPAIR.0).bold(), REPAIR.1);
    text.push_str(
        "\nWithout a cluster, on what kubectl printed:\n  \
         kubectl get pv,pvc,sc,pods,nodes -A -o json | kubectl pvctl predict -f -\n\n\
         All verbs and flags: kubectl pvctl --help\n",
    );
    text
}

#[cfg(test)]
mod tests {
    use super::{FIRST, REPAIR};
    use crate::cli;

    #[test]
    fn every_command_of_the_guide_is_one() {
        for (command, _) in FIRST.into_iter().chain([REPAIR]) {
            let words = command.replacen("kubectl pvctl", "kubectl-pvctl", 1);
            let parsed = cli::parse(words.split(' ').map(Into::into).collect());
            assert!(parsed.is_ok_and(|cli| cli.verb.is_some()), "{command}");
        }
    }
}
